//! `marigraph scan`: a snapshot of a file system's contents; `marigraph scan-diff`: growth between
//! two.

mod keeper;

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use marigraph_analysis::growth::{self, Limits};
use marigraph_formats::snapshot::{self, Kept};
use marigraph_model::contents::{Contents, Room, Snapshot};
use marigraph_report::scan as report;
use marigraph_system::scan::{self, Options, Walk};
use marigraph_system::{stop, users};

use crate::args::{ScanArgs, ScanDiffArgs};
use crate::error::{Failure, complain};
use crate::{input, output};
use keeper::Keeper;

/// Minimum number of threads by default.
const THREADS: usize = 4;

pub fn run(args: &ScanArgs) -> Result<(), Failure> {
    if !(args.every.is_finite() && args.every > 0.0) {
        return Err(Failure::Usage("--every must be a number above zero".to_string()));
    }
    stop::on_signals();
    let keeper = Keeper::new(&args.output, args.every);
    let Kept { mut snapshot, mut left } = begun(args, &keeper)?;
    let done = left.as_ref().map_or(0, |(done, _)| *done);
    for (at, path) in args.paths.iter().enumerate().skip(done) {
        let pending = left.take().map(|(_, paths)| paths);
        let is_folder = path.is_dir();
        if !is_folder && pending.is_none() {
            join(path, &mut snapshot)?;
            continue;
        }
        scanned(args, &keeper, at, pending, &mut snapshot)?;
    }
    snapshot.ended = now();
    output::write_file(&args.output, &snapshot::write(&snapshot, None))?;
    keeper.remove();
    let told = if args.json {
        format!("{}\n", report::json(&snapshot, &users::user, &users::group))
    } else {
        report::text(&snapshot, &users::user, output::width())
    };
    output::print(&told)
}

fn begun(args: &ScanArgs, keeper: &Keeper) -> Result<Kept, Failure> {
    use std::os::unix::ffi::OsStrExt;
    let roots: Vec<Vec<u8>> = args.paths.iter().map(|path| path.as_os_str().as_bytes().to_vec()).collect();
    if args.resume
        && let Some(kept) = keeper.found()?
    {
        if kept.snapshot.roots != roots {
            let path = args.output.display().to_string();
            let message = "the interrupted scan had other paths".to_string();
            let hint = Some("give the same paths in the same order, or omit --resume".to_string());
            return Err(Failure::Input { path, message, hint });
        }
        return Ok(kept);
    }
    let begun = now();
    let contents = Contents::new(begun as i64, args.top);
    let (host, room) = (scan::host(), Room::default());
    let snapshot = Snapshot { roots, host, begun, ended: begun, room, contents, trouble: Vec::new() };
    Ok(Kept { snapshot, left: None })
}

fn scanned(
    args: &ScanArgs,
    keeper: &Keeper,
    at: usize,
    pending: Option<Vec<Vec<u8>>>,
    snapshot: &mut Snapshot,
) -> Result<(), Failure> {
    let path = &args.paths[at];
    let failed = |error: std::io::Error| Failure::read(path, &error);
    let options = options(args);
    if pending.is_none() {
        add_room(&mut snapshot.room, &scan::room(path).map_err(failed)?);
    }
    let contents = std::mem::replace(&mut snapshot.contents, Contents::new(0, args.top));
    let pending = pending.map(|paths| keeper.pending(paths)).transpose()?;
    let spill = if pending.is_some() { None } else { Some(keeper.spill()?) };
    let walk = Walk::new(path, &options, contents, pending, spill, &stop::asked).map_err(failed)?;
    let mut kept = Ok(());
    let mut progress = keeper::Shown::new(args.quiet);
    walk.run(|| {
        progress.show(walk.seen());
        if kept.is_ok() && keeper.is_due() {
            kept = keeper.keep(snapshot, &walk, at);
        }
    });
    drop(progress);
    kept?;
    if stop::asked() {
        keeper.keep(snapshot, &walk, at)?;
        complain(&"stopped; --resume continues from here");
        return Err(Failure::Told);
    }
    let Some((contents, trouble)) = walk.finish().map_err(failed)? else { return Err(Failure::Told) };
    snapshot.contents = contents;
    snapshot.trouble.extend(trouble);
    Ok(())
}

fn options(args: &ScanArgs) -> Options {
    use std::os::unix::ffi::OsStrExt;
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Options {
        threads: args.threads.unwrap_or(cores.max(THREADS)).max(1),
        lazy: args.lazy,
        cross: args.cross,
        not_entered: args.not_entered.iter().map(|name| name.as_bytes().to_vec()).collect(),
        named: args.top,
    }
}

fn add_room(room: &mut Room, more: &Room) {
    room.bytes = room.bytes.saturating_add(more.bytes);
    room.free_bytes = room.free_bytes.saturating_add(more.free_bytes);
    room.files = room.files.saturating_add(more.files);
    room.free_files = room.free_files.saturating_add(more.free_files);
}

fn read(path: &Path) -> Result<Snapshot, Failure> {
    let name = path.display().to_string();
    let bytes = input::load(path)?;
    if !snapshot::sniff(&bytes) {
        let (message, hint) =
            ("neither a folder nor a snapshot", "scan a folder: marigraph scan PATH -o FILE");
        return Err(Failure::Input {
            path: name,
            message: message.to_string(),
            hint: Some(hint.to_string()),
        });
    }
    let kept = snapshot::read(&bytes).map_err(|error| Failure::format(&name, &error))?;
    if kept.left.is_some() {
        let hint = Some("marigraph scan --resume continues it".to_string());
        return Err(Failure::Input { path: name, message: "the scan was interrupted".to_string(), hint });
    }
    Ok(kept.snapshot)
}

fn join(path: &Path, snapshot: &mut Snapshot) -> Result<(), Failure> {
    let other = read(path)?;
    add_room(&mut snapshot.room, &other.room);
    snapshot.begun = snapshot.begun.min(other.begun);
    snapshot.contents.merge(other.contents);
    snapshot.trouble.extend(other.trouble);
    Ok(())
}

pub fn diff(args: &ScanDiffArgs) -> Result<(), Failure> {
    let (before, after) = (read(&args.before)?, read(&args.after)?);
    if after.ended < before.ended {
        complain(&"warning: the second snapshot is older than the first");
    }
    let growth = growth::growth(&before, &after, Limits { bytes: args.limit_bytes, files: args.limit_files });
    let told = if args.json {
        let problems = [report::problems(&before), report::problems(&after)].concat();
        format!("{}\n", report::growth_json(&growth, &users::user, &users::group, &problems))
    } else {
        report::growth_text(&growth, &users::user, output::width())
    };
    output::print(&told)
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

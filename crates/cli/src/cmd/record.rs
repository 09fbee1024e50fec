//! `marigraph record`: runs a program under the recorder, then writes its logs. It prints nothing
//! to standard output, and returns the program's exit status.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use marigraph_formats::native::parts::{Facts, JOB_IDS, Run};
use marigraph_model::{Job, WallTime};
use marigraph_system::launch::{self, Ended, Plan};
use marigraph_system::parts::{self, PartFiles};

use super::join;
use super::stream::Stream;
use crate::args::RecordArgs;
use crate::error::{Failure, complain, exit_code};

pub fn run(args: &RecordArgs) -> ExitCode {
    let prepared = match Prepared::new(args) {
        Ok(prepared) => prepared,
        Err(failure) => return exit_code(Err(failure)),
    };
    let started = now();
    let stream = prepared.start_stream(args);
    let ended = launch::run(&args.command, &prepared.variables);
    stream.into_iter().for_each(Stream::finish);
    let ended = match ended {
        Ok(ended) => ended,
        Err(error) => {
            let program =
                args.command.first().map(|program| program.display().to_string()).unwrap_or_default();
            complain(&format!("error: {program}: cannot start: {error}"));
            if prepared.made_folder {
                let _ = parts::remove(&[], std::slice::from_ref(&prepared.folder));
            }
            return ExitCode::from(launch::not_started(&error));
        }
    };
    prepared.conclude(args, started);
    match ended {
        Ended::Status(status) => ExitCode::from(status),
        Ended::Signal(signal) => ExitCode::from(launch::die_by(signal)),
    }
}

struct Prepared {
    folder: PathBuf,
    /// Otherwise another recording may be about to write into it.
    made_folder: bool,
    variables: Vec<(&'static str, OsString)>,
    rank: Option<u32>,
    old: Vec<String>,
    /// Marks the parts of this recording.
    mark: String,
}

impl Prepared {
    fn new(args: &RecordArgs) -> Result<Prepared, Failure> {
        let environment = |name: &str| env::var_os(name);
        let library = find_library()?;
        let folder = args.parts.clone().unwrap_or_else(|| join::output(&args.join, "parts"));
        let failed = |error| Failure::write(&folder.display().to_string(), error);
        let made_folder = !folder.exists();
        fs::create_dir_all(&folder).map_err(failed)?;
        let folder = fs::canonicalize(&folder).map_err(failed)?;
        let old = parts::list(&folder).map_err(failed)?.into_iter().map(|part| part.stem).collect::<Vec<_>>();
        let rank = launch::own_rank(&environment);
        let mark = mark();
        let plan = Plan {
            library,
            parts: folder.clone(),
            recording: rank.is_none().then(|| mark.clone()),
            include: args.include.clone(),
            exclude: args.exclude.clone(),
        };
        let old = if rank.is_some() { Vec::new() } else { old };
        if !old.is_empty() {
            let count = old.len();
            complain(&format!("note: {}: keeping {count} parts of an earlier run", folder.display()));
        }
        let variables = plan.variables(&args.command, &environment);
        Ok(Prepared { folder, made_folder, variables, rank, old, mark })
    }

    /// Of several ranks only the first streams.
    fn start_stream(&self, args: &RecordArgs) -> Option<Stream> {
        let path = args.stream.as_ref().filter(|_| self.rank.is_none_or(|rank| rank == 0))?;
        Stream::start(path, &self.folder, &self.old).inspect_err(|failure| complain(failure)).ok()
    }

    fn conclude(&self, args: &RecordArgs, started: WallTime) {
        let name = join::output(&args.join, "");
        let name = name.display().to_string();
        let again = format!("marigraph merge {} -o {}", self.folder.display(), name.trim_end_matches('.'));
        match self.rank {
            Some(0) => complain(&format!("hint: when all ranks have ended, run: {again}")),
            Some(_) => {}
            None => {
                if let Err(failure) = self.join(args, started) {
                    complain(&failure);
                    if self.folder.is_dir() {
                        complain(&format!("hint: the parts are kept; run: {again}"));
                    }
                }
            }
        }
    }

    fn join(&self, args: &RecordArgs, started: WallTime) -> Result<(), Failure> {
        let found = parts::list(&self.folder).map_err(|error| Failure::read(&self.folder, &error))?;
        let mut new: Vec<PartFiles> =
            found.into_iter().filter(|part| !self.old.contains(&part.stem)).collect();
        let batch_job = JOB_IDS.iter().find_map(|name| env::var(name).ok());
        let (foreign, own): (Vec<Facts>, Vec<Facts>) = join::look(&new, &args.join)
            .into_iter()
            .partition(|part| part.is_foreign(&self.mark, batch_job.as_deref()));
        if !foreign.is_empty() {
            let (folder, count) = (self.folder.display(), foreign.len());
            complain(&format!("note: {folder}: leaving {count} parts of other runs"));
            new.retain(|part| foreign.iter().all(|other| other.stem() != part.stem));
        }
        if new.is_empty() {
            let program =
                args.command.first().map(|program| program.display().to_string()).unwrap_or_default();
            complain(&format!(
                "note: {program}: no file I/O was recorded (if it did any: is it statically linked?)"
            ));
        }
        let joined = join::join(&new, Run::new(own), unrecorded(args, started), &args.join)?;
        join::warn(&join::output(&args.join, "darshan"), &joined.problems);
        let removed = parts::remove(&new, std::slice::from_ref(&self.folder));
        removed.map_err(|error| Failure::write(&self.folder.display().to_string(), error))
    }
}

fn find_library() -> Result<PathBuf, Failure> {
    let exe = env::current_exe().unwrap_or_default();
    let places = launch::library_places(&exe, &|name| env::var_os(name));
    let found = places.iter().find(|place| place.is_file()).and_then(|place| std::path::absolute(place).ok());
    if let Some(path) =
        found.as_ref().filter(|path| path.as_os_str().as_bytes().iter().any(|b| b" :\t\n".contains(b)))
    {
        return Err(Failure::Input {
            path: path.display().to_string(),
            message: "the dynamic loader cannot preload a path with spaces or colons".to_string(),
            hint: Some("install it in another folder, or set MARIGRAPH_LIBRARY to a link to it".to_string()),
        });
    }
    found.ok_or_else(|| Failure::Input {
        path: places.first().unwrap_or(&PathBuf::from(launch::LIBRARY)).display().to_string(),
        message: "recorder library not found".to_string(),
        hint: Some(format!(
            "put {} beside the program, or set MARIGRAPH_LIBRARY to its path",
            launch::LIBRARY
        )),
    })
}

fn unrecorded(args: &RecordArgs, started: WallTime) -> Job {
    let words: Vec<String> = args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    Job {
        id: i64::from(std::process::id()),
        uid: fs::metadata(Path::new("/proc/self")).map_or(-1, |metadata| i64::from(metadata.uid())),
        exe: words.join(" "),
        nprocs: 1,
        start: started,
        end: now(),
        ..Job::default()
    }
}

/// A word that no other recording has.
fn mark() -> String {
    let WallTime { seconds, nanos } = now();
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("{}.{}.{seconds}.{nanos}", host.trim(), std::process::id())
}

fn now() -> WallTime {
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    WallTime { seconds: i64::try_from(time.as_secs()).unwrap_or(0), nanos: time.subsec_nanos() }
}

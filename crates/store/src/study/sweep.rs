//! Maintenance of a study: moves parts to their places and removes obsolete files.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::commit::Commit;
use super::{PENDING, REPLACED, Snapshot, Study};
use crate::error::Error;

/// How long obsolete files are kept: longer than any query or batch should take.
pub(super) const KEEP: Duration = Duration::from_secs(24 * 3600);

/// Moves the parts of a commit to where other programs look for them. If that fails, our own reader
/// still finds them, and the next sweep tries again.
pub(super) fn place(study: &Study, commit: &Commit) {
    for part in &commit.parts {
        let folder = study.root().join(&part.table);
        let _ = fs::create_dir_all(&folder);
        let _ = fs::rename(study.root().join(PENDING).join(&part.file), folder.join(&part.file));
    }
}

/// Moves the parts of a replaced commit out of the way of other programs.
pub(super) fn retire(study: &Study, commit: &Commit) {
    for part in &commit.parts {
        let from = study.root().join(&part.table).join(&part.file);
        let _ = fs::rename(from, study.root().join(REPLACED).join(&part.file));
    }
}

/// Finishes the work of killed processes, and removes obsolete files older than `keep`.
pub(super) fn sweep(study: &Study, snapshot: &Snapshot, keep: Duration) -> Result<(), Error> {
    let pending = list(&study.root().join(PENDING))?;
    let names: HashSet<&str> = pending.iter().filter_map(|path| path.file_name()?.to_str()).collect();
    let is_pending = |commit: &&Commit| commit.parts.iter().any(|part| names.contains(part.file.as_str()));
    snapshot.live.iter().filter(is_pending).for_each(|commit| place(study, commit));
    snapshot.dead.iter().for_each(|commit| retire(study, commit));
    let Some(now) = now(study) else { return Ok(()) };
    let is_old = |path: &Path| {
        let changed = fs::metadata(path).and_then(|metadata| metadata.modified());
        changed.is_ok_and(|changed| now.duration_since(changed).is_ok_and(|age| age > keep))
    };
    remove_replaced(study, snapshot, &is_old);
    // A pending part that no commit names was left by a process that died.
    let named = snapshot.live.iter().chain(&snapshot.dead).flat_map(|commit| &commit.parts);
    let named: HashSet<&str> = named.map(|part| part.file.as_str()).collect();
    let unnamed = |path: &&PathBuf| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| !named.contains(name))
    };
    let partial = list(&study.commits())?.into_iter().filter(|path| is_partial(path));
    for path in pending.iter().filter(unnamed).cloned().chain(partial).filter(|path| is_old(path)) {
        let _ = fs::remove_file(path);
    }
    Ok(())
}

/// Removes replaced commits once their replacement is old enough. Their parts go first: while the
/// commit exists, the next sweep finds them.
fn remove_replaced(study: &Study, snapshot: &Snapshot, is_old: &dyn Fn(&Path) -> bool) {
    for commit in &snapshot.dead {
        let replacing = snapshot.live.iter().chain(&snapshot.dead);
        let mut replacing = replacing.filter(|other| other.replaces.contains(&commit.name));
        if !replacing.any(|other| is_old(&study.commits().join(other.file_name()))) {
            continue;
        }
        for part in &commit.parts {
            let _ = fs::remove_file(study.root().join(REPLACED).join(&part.file));
        }
        let _ = fs::remove_file(study.commits().join(commit.file_name()));
    }
}

fn is_partial(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.starts_with('.') && name.ends_with(".partial")
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(folder).map_err(Error::io(folder))?;
    Ok(entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect())
}

/// The time by the file system's clock, which dates its files.
fn now(study: &Study) -> Option<SystemTime> {
    let path = study.root().join(PENDING).join(format!(".clock-{}.partial", std::process::id()));
    fs::write(&path, b"").ok()?;
    let now = fs::metadata(&path).and_then(|metadata| metadata.modified()).ok();
    let _ = fs::remove_file(&path);
    now
}

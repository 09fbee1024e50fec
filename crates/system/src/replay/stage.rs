//! Creates the files that a replay needs, and removes those it made.

use std::collections::HashSet;
use std::fmt;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::Ordering::Relaxed;

use marigraph_analysis::replay::{Plan, Planned};

use super::root::{Place, PlaceKind, Root};
use super::shared::Shared;

/// Written at once into files that are filled.
static PIECE: [u8; 1 << 16] = [0; 1 << 16];

/// Why there is no replay.
#[derive(Debug)]
pub enum StageError {
    /// The replay would change a file that is not its own.
    Exists(Vec<u8>),
    /// The path passes through a link or something else that is not a folder.
    Link(Vec<u8>),
    Make(Vec<u8>, io::Error),
    Stopped,
}

impl fmt::Display for StageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
        match self {
            StageError::Exists(path) => {
                write!(f, "{} exists, and the replay would change it", text(path))
            }
            StageError::Link(path) => {
                write!(
                    f,
                    "the path to {} passes through a link or something else that is not a folder",
                    text(path)
                )
            }
            StageError::Make(path, error) => write!(f, "cannot prepare {}: {error}", text(path)),
            StageError::Stopped => write!(f, "interrupted while preparing files"),
        }
    }
}

/// The files of a replay.
#[derive(Debug)]
pub struct Stage<'a> {
    root: &'a Root,
    plan: &'a Plan,
    /// Existing paths, which are not ours.
    kept: HashSet<&'a [u8]>,
    /// Says how far the preparation came; shared with the process that cleans up for this one.
    shared: &'a Shared,
}

impl<'a> Stage<'a> {
    /// Checks what exists, without changes. Fails if the replay would change a file that is not its
    /// own, unless it may change existing files.
    pub fn look(
        root: &'a Root,
        plan: &'a Plan,
        shared: &'a Shared,
        into_existing: bool,
    ) -> Result<Stage<'a>, StageError> {
        let mut kept = HashSet::new();
        for (path, planned) in plan.paths.iter().filter(|(path, _)| !path.is_empty()) {
            let kind = match root.place(path) {
                Ok(place) => place.kind(),
                Err(error) if error.raw_os_error() == Some(libc::ENOENT) => PlaceKind::Nothing,
                Err(_) => return Err(StageError::Link(path.clone())),
            };
            match kind {
                PlaceKind::Nothing => {}
                PlaceKind::Other => return Err(StageError::Link(path.clone())),
                _ if !into_existing && (planned.changed || !planned.before || plan.changes_open_files) => {
                    return Err(StageError::Exists(path.clone()));
                }
                _ => {
                    kept.insert(path.as_slice());
                }
            }
        }
        Ok(Stage { root, plan, kept, shared })
    }

    /// Creates what must exist: folders, and files of the needed size, sparse or filled with zeros.
    pub fn prepare(&self, fill: bool, stopped: &dyn Fn() -> bool) -> Result<(), StageError> {
        let prepared = &self.shared.counters().prepared;
        for ((path, planned), at) in
            self.plan.paths.iter().zip(1..).filter(|((_, planned), _)| planned.before)
        {
            if self.kept.contains(path.as_slice()) || path.is_empty() {
                continue;
            }
            if stopped() {
                return Err(StageError::Stopped);
            }
            let made = self.root.place(path).and_then(|place| make(&place, planned, fill, stopped));
            made.map_err(|error| StageError::Make(path.clone(), error))?;
            prepared.store(at, Relaxed);
        }
        prepared.store(u64::MAX, Relaxed);
        Ok(())
    }

    /// Makes sure that [`Stage::clean`] runs however this process ends.
    pub fn guard(&self) -> io::Result<Guard> {
        guard(|| {
            self.clean();
        })
    }

    /// Removes what the replay and its preparation created; returns the number of failures. A file
    /// that the trace does not name stays, and so does its folder.
    pub fn clean(&self) -> u64 {
        let prepared = self.shared.counters().prepared.load(Relaxed);
        let mut left = 0;
        for ((path, planned), at) in self.plan.paths.iter().zip(1u64..).collect::<Vec<_>>().into_iter().rev()
        {
            // Until everything is prepared, the calls of the trace have made nothing.
            let is_ours = prepared == u64::MAX || planned.before && at <= prepared;
            if path.is_empty() || !is_ours || self.kept.contains(path.as_slice()) {
                continue;
            }
            let Ok(place) = self.root.place(path) else { continue };
            let removed = match place.kind() {
                PlaceKind::Nothing => Ok(()),
                PlaceKind::Folder => place.remove(true),
                _ => place.remove(false),
            };
            left += u64::from(removed.is_err());
        }
        left
    }
}

/// A process that cleans up if this one ends without doing so. An MPI launcher may kill at once.
#[derive(Debug)]
pub struct Guard {
    pid: libc::pid_t,
    /// Closed when this process ends.
    pipe: OwnedFd,
}

impl Guard {
    /// Ends the guard: nothing is left to clean.
    pub fn done(self) {
        // SAFETY: one byte of our own.
        unsafe { libc::write(self.pipe.as_raw_fd(), [1u8].as_ptr().cast(), 1) };
        self.wait();
    }

    pub fn clean(self) {
        self.wait();
    }

    fn wait(self) {
        drop(self.pipe);
        // SAFETY: a child of ours that nobody else waits for.
        unsafe { libc::waitpid(self.pid, std::ptr::null_mut(), 0) };
    }
}

/// Starts a process that runs `work` unless told that nothing is left to do. It leaves the
/// launcher's session.
fn guard(work: impl FnOnce()) -> io::Result<Guard> {
    let mut ends = [0; 2];
    // SAFETY: room for two descriptors, which are ours. This process has one thread, so that the child may do whatever
    // it would have done itself.
    unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(io::Error::last_os_error());
        }
        let [reads, writes] = ends.map(|end| OwnedFd::from_raw_fd(end));
        let pid = libc::fork();
        if pid != 0 {
            drop(reads);
            return if pid < 0 { Err(io::Error::last_os_error()) } else { Ok(Guard { pid, pipe: writes }) };
        }
        drop(writes);
        libc::setsid();
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGPIPE] {
            libc::signal(signal, libc::SIG_IGN);
        }
        // A launcher waits for everyone who could still write to it.
        let nothing = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
        (0..3).for_each(|stream| {
            libc::dup2(nothing, stream);
        });
        let mut told = 0u8;
        if libc::read(reads.as_raw_fd(), (&raw mut told).cast(), 1) == 0 {
            // The rank's process ends with its parent.
            libc::usleep(100_000);
            work();
        }
        libc::_exit(0)
    }
}

fn make(place: &Place, planned: &Planned, fill: bool, stopped: &dyn Fn() -> bool) -> io::Result<()> {
    if planned.folder {
        return place.make_folder();
    }
    let mut file = place.make_file()?;
    let size = u64::try_from(planned.size).unwrap_or(0);
    if !fill {
        return if size > 0 { file.set_len(size) } else { Ok(()) };
    }
    let mut left = size;
    while left > 0 {
        let piece = left.min(PIECE.len() as u64);
        file.write_all(&PIECE[..piece as usize])?;
        left -= piece;
        if stopped() {
            return Err(io::ErrorKind::Interrupted.into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Once, a failed preparation removed what somebody else had put there meanwhile.
    #[test]
    fn what_others_put_there_stays() {
        let folder = std::env::temp_dir().join(format!("marigraph-stage-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("folder");
        let (root, shared) = (Root::open(&folder).expect("root"), Shared::new().expect("memory"));
        let mut plan = Plan::default();
        for (path, folder) in [("a", true), ("a/file", false), ("b", true), ("c", false)] {
            let planned = plan.paths.entry(path.as_bytes().to_vec()).or_default();
            (planned.folder, planned.before) = (folder, true);
        }
        let stage = Stage::look(&root, &plan, &shared, false).expect("nothing is there");
        std::fs::create_dir(folder.join("b")).expect("folder");
        std::fs::write(folder.join("b/theirs"), "precious").expect("file");
        std::fs::write(folder.join("c"), "precious").expect("file");
        assert!(matches!(stage.prepare(false, &|| false), Err(StageError::Make(path, _)) if path == b"b"));
        assert_eq!(stage.clean(), 0);
        assert!(!folder.join("a").exists());
        assert!(folder.join("b/theirs").exists() && folder.join("c").exists());

        // What somebody puts into a folder of the replay stays with it.
        let again = Stage::look(&root, &plan, &shared, true).expect("may exist");
        assert!(again.prepare(false, &|| false).is_ok());
        std::fs::write(folder.join("a/theirs"), "precious").expect("file");
        assert_eq!(again.clean(), 1);
        assert!(folder.join("a/theirs").exists() && !folder.join("a/file").exists());
        let _ = std::fs::remove_dir_all(&folder);
    }
}

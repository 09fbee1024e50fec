//! Threads that read the directories of a tree.

use std::collections::BTreeMap;
use std::ffi::CStr;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use marigraph_model::contents::{Contents, EntryKind, Listing, Trouble};

use super::directory::{Directory, Told};
use super::pending::Pending;

/// Time after which a thread merges its counts.
const TURN: Duration = Duration::from_millis(50);
/// Maximum number of directories that a thread takes at once.
const TAKEN: usize = 64;
/// Maximum number of named entries that could not be read.
const NAMED_TROUBLE: usize = 100;
/// Entries between two checks for a stop.
const LOOK: u64 = 1024;

/// Options of a walk.
#[derive(Debug, Clone)]
pub struct Options {
    pub threads: usize,
    /// Use cached sizes of a network file system without asking its servers.
    pub lazy: bool,
    pub cross: bool,
    pub not_entered: Vec<Vec<u8>>,
    /// Number of largest entries that are named.
    pub named: usize,
}

/// Progress of a walk.
#[derive(Debug, Default)]
pub struct Seen {
    pub entries: AtomicU64,
    pub bytes: AtomicU64,
}

struct State {
    contents: Contents,
    pending: Pending,
    /// Directories being read, by thread.
    taken: BTreeMap<usize, Vec<Vec<u8>>>,
    trouble: Vec<Trouble>,
    failed: Option<io::Error>,
}

struct Batch {
    contents: Contents,
    stack: Vec<Vec<u8>>,
    trouble: Vec<Trouble>,
}

/// A walk over one tree.
pub struct Walk<'a> {
    root: Directory,
    device: (u32, u32),
    options: &'a Options,
    state: Mutex<State>,
    changed: Condvar,
    hungry: AtomicUsize,
    seen: Seen,
    stopped: &'a (dyn Fn() -> bool + Sync),
}

impl<'a> Walk<'a> {
    /// Walks the tree at `path`: from its root if `pending` is `None`, else from these directories,
    /// which `contents` does not have yet. `stopped` ends it early.
    pub fn new(
        path: &Path,
        options: &'a Options,
        mut contents: Contents,
        pending: Option<Pending>,
        spill: Option<std::fs::File>,
        stopped: &'a (dyn Fn() -> bool + Sync),
    ) -> io::Result<Walk<'a>> {
        let root = Directory::root(path)?;
        let told = root.ask(c"", false)?;
        let pending = match pending {
            Some(pending) => pending,
            None => {
                let name_len = path.file_name().map_or(0, |name| name.len() as u64);
                contents.add(&marigraph_model::contents::Entry { name_len, ..told.entry });
                Pending::new(vec![Vec::new()], spill)
            }
        };
        let (taken, trouble, failed) = (BTreeMap::new(), Vec::new(), None);
        let state = Mutex::new(State { contents, pending, taken, trouble, failed });
        let (changed, hungry, seen) = (Condvar::new(), AtomicUsize::new(0), Seen::default());
        Ok(Walk { root, device: told.device, options, state, changed, hungry, seen, stopped })
    }

    pub fn seen(&self) -> &Seen {
        &self.seen
    }

    /// Walks to the end, or until it is stopped; calls `meanwhile` repeatedly.
    pub fn run(&self, mut meanwhile: impl FnMut()) {
        let done = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for thread in 0..self.options.threads.max(1) {
                let done = &done;
                scope.spawn(move || {
                    self.work(thread);
                    done.fetch_add(1, Relaxed);
                });
            }
            while done.load(Relaxed) < self.options.threads.max(1) {
                std::thread::sleep(Duration::from_millis(5));
                meanwhile();
            }
        });
    }

    /// Counts, pending directories and problems; consistent at any moment.
    pub fn look<R>(&self, with: impl FnOnce(&Contents, &Pending, &[&Vec<u8>], &[Trouble]) -> R) -> R {
        let state = self.state();
        let taken: Vec<&Vec<u8>> = state.taken.values().flatten().collect();
        with(&state.contents, &state.pending, &taken, &state.trouble)
    }

    /// Counts and problems of a completed walk; `None` if it was stopped. An error concerns the
    /// walk itself.
    pub fn finish(self) -> io::Result<Option<(Contents, Vec<Trouble>)>> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = state.failed {
            return Err(error);
        }
        let whole = state.pending.is_empty() && state.taken.is_empty();
        Ok(whole.then_some((state.contents, state.trouble)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, thread: usize) {
        while let Some(directories) = self.taken(thread) {
            let now = self.state().contents.now;
            let contents = Contents::new(now, self.options.named);
            let mut batch = Batch { contents, stack: directories, trouble: Vec::new() };
            if self.count(&mut batch).is_none() {
                // Its directories stay taken, so they are not counted.
                break;
            }
            let mut state = self.state();
            state.contents.merge(batch.contents);
            let room = NAMED_TROUBLE.saturating_sub(state.trouble.len());
            state.trouble.extend(batch.trouble.into_iter().take(room));
            state.taken.remove(&thread);
            if let Err(error) = state.pending.push(batch.stack) {
                state.failed = Some(error);
            }
            drop(state);
            self.changed.notify_all();
        }
        self.changed.notify_all();
    }

    /// Takes directories for a thread, waiting if necessary; `None` when all is done.
    fn taken(&self, thread: usize) -> Option<Vec<Vec<u8>>> {
        let mut state = self.state();
        loop {
            if (self.stopped)() || state.failed.is_some() {
                return None;
            }
            let share = state.pending.len().div_ceil(2 * self.options.threads.max(1)).clamp(1, TAKEN);
            match state.pending.take(share) {
                Ok(directories) if !directories.is_empty() => {
                    state.taken.insert(thread, directories.clone());
                    return Some(directories);
                }
                Ok(_) if state.taken.is_empty() => return None,
                Ok(_) => {}
                Err(error) => state.failed = Some(error),
            }
            self.hungry.fetch_add(1, Relaxed);
            let waited = self.changed.wait_timeout(state, TURN);
            self.hungry.fetch_sub(1, Relaxed);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Reads directories, and those found in them, for a turn; `None` if stopped on the way.
    fn count(&self, batch: &mut Batch) -> Option<()> {
        let since = Instant::now();
        while let Some(path) = batch.stack.pop() {
            self.directory(&path, batch)?;
            let others_wait = self.hungry.load(Relaxed) > 0 && batch.stack.len() > 1;
            if others_wait || since.elapsed() >= TURN {
                break;
            }
        }
        Some(())
    }

    fn directory(&self, path: &[u8], batch: &mut Batch) -> Option<()> {
        let directory = match self.root.below(path) {
            Ok(directory) => directory,
            Err(error) => {
                batch.trouble(path, &error);
                return Some(());
            }
        };
        let depth =
            if path.is_empty() { 1 } else { 2 + path.iter().filter(|&&byte| byte == b'/').count() as u64 };
        let mut listing = Listing::default();
        let read = directory.read(self.options.lazy, |name, told| {
            match told {
                Ok(told) => self.entry(path, name, told, depth, &mut listing, batch),
                Err(error) => batch.trouble(&joined(path, name), &error),
            }
            let stop = listing.entries.is_multiple_of(LOOK) && (self.stopped)();
            if stop { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
        });
        if (self.stopped)() {
            return None;
        }
        if let Err(error) = read {
            batch.trouble(path, &error);
        }
        let project = path.split(|&byte| byte == b'/').next().unwrap_or(b"");
        batch.contents.listed(&listing, project);
        for (top, value) in
            [(&mut batch.contents.fullest, listing.entries), (&mut batch.contents.heaviest, listing.bytes())]
        {
            if top.wants(value) {
                top.add(value, path.to_vec());
            }
        }
        self.seen.entries.fetch_add(listing.entries, Relaxed);
        self.seen.bytes.fetch_add(listing.bytes(), Relaxed);
        Some(())
    }

    fn entry(
        &self,
        path: &[u8],
        name: &CStr,
        told: Told,
        depth: u64,
        listing: &mut Listing,
        batch: &mut Batch,
    ) {
        let entry = marigraph_model::contents::Entry { depth, ..told.entry };
        listing.add(&entry);
        batch.contents.add(&entry);
        match entry.kind {
            EntryKind::File if batch.contents.largest.wants(entry.size) => {
                batch.contents.largest.add(entry.size, joined(path, name));
            }
            EntryKind::Directory if told.device != self.device && !self.options.cross => {
                batch.contents.skip("another file system");
            }
            EntryKind::Directory if self.options.not_entered.iter().any(|other| other == name.to_bytes()) => {
                batch.contents.skip("a directory that is not entered");
            }
            EntryKind::Directory => batch.stack.push(joined(path, name)),
            _ => {}
        }
    }
}

impl Batch {
    fn trouble(&mut self, path: &[u8], error: &io::Error) {
        let reason = match error.raw_os_error() {
            Some(libc::ENOENT | libc::ESTALE) => "vanished",
            Some(libc::EACCES | libc::EPERM) => "no permission",
            // A directory became something else, or a link, since it was seen.
            Some(libc::ENOTDIR | libc::ELOOP) => "replaced",
            _ => "cannot be read",
        };
        self.contents.skip(reason);
        if self.trouble.len() < NAMED_TROUBLE {
            self.trouble.push((path.to_vec(), error.to_string()));
        }
    }
}

fn joined(path: &[u8], name: &CStr) -> Vec<u8> {
    if path.is_empty() {
        return name.to_bytes().to_vec();
    }
    [path, b"/", name.to_bytes()].concat()
}

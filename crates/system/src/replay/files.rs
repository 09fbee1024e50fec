//! The open files of one process, by the trace's slot numbers.
//!
//! A trace may close a file in one thread while another uses it. Whoever uses a handle therefore
//! holds its lock, and a closed handle stays empty.

use std::collections::{HashMap, HashSet};
use std::ffi::c_int;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, TryLockError};
use std::time::{Duration, Instant};

use marigraph_model::Slot;

/// What belongs to an open file until it is closed; `None` from then on.
pub(super) type Held<T> = Arc<RwLock<Option<T>>>;

/// A stream of the C library.
#[derive(Debug)]
pub(super) struct Stream(pub *mut libc::FILE);

/// A folder that is being read.
#[derive(Debug)]
pub(super) struct Folder(pub *mut libc::DIR);

// SAFETY: the C library locks its streams, and these are used under a lock of their own.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}
// SAFETY: used by one thread at a time, under a lock.
unsafe impl Send for Folder {}
// SAFETY: as above.
unsafe impl Sync for Folder {}

#[derive(Debug, Clone)]
pub(super) enum Handle {
    Descriptor(Held<c_int>),
    /// The descriptor of a stream, which closes it.
    Below(Held<Stream>, c_int),
    Stream(Held<Stream>),
    Folder(Held<Folder>),
    /// A handle of the MPI library.
    Mpi(Held<usize>),
    Missing,
}

pub(super) fn held<T>(value: T) -> Held<T> {
    Arc::new(RwLock::new(Some(value)))
}

/// Uses what is held while nobody can close it; `None` if it is closed.
pub(super) fn using<T, R>(held: &Held<T>, work: impl FnOnce(&T) -> R) -> Option<R> {
    held.read().unwrap_or_else(PoisonError::into_inner).as_ref().map(work)
}

/// Takes what is held, once nobody uses it; `None` if somebody else took it.
pub(super) fn taken<T>(held: &Held<T>) -> Option<T> {
    held.write().unwrap_or_else(PoisonError::into_inner).take()
}

/// Maximum time that a thread waits for a file that another is to open.
const PATIENCE: Duration = Duration::from_secs(5);
/// Maximum number of fruitless waits: a trace may name a million files that never come.
const IN_VAIN: u32 = 2;

/// Closed slots to remember.
const MAX_CLOSED: usize = 1 << 20;

#[derive(Debug, Default)]
struct Slots {
    open: HashMap<Slot, (Handle, Vec<u8>)>,
    /// A slot is the ordinal of an open, so nobody opens these again: there is nothing to wait for.
    closed: HashSet<Slot>,
}

/// The table of open files, shared by the threads of a process.
#[derive(Debug)]
pub struct Files {
    slots: Mutex<Slots>,
    threads: usize,
    /// Whether other ranks or threads may create files.
    others: bool,
    in_vain: AtomicU32,
}

impl Files {
    pub fn new(threads: usize, ranks: u32) -> Files {
        let others = threads > 1 || ranks > 1;
        Files { slots: Mutex::default(), threads, others, in_vain: AtomicU32::new(0) }
    }

    fn with<R>(&self, f: impl FnOnce(&mut Slots) -> R) -> R {
        f(&mut self.slots.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn set(&self, slot: Slot, handle: Handle, path: &[u8]) {
        if slot != Slot::NONE {
            self.with(|slots| slots.open.insert(slot, (handle, path.to_vec())));
        }
    }

    pub(super) fn remove(&self, slot: Slot) {
        self.with(|slots| {
            slots.open.remove(&slot);
            if slots.closed.len() >= MAX_CLOSED {
                slots.closed.clear();
            }
            if self.threads > 1 {
                slots.closed.insert(slot);
            }
        });
    }

    pub(super) fn path(&self, slot: Slot) -> Vec<u8> {
        self.with(|slots| slots.open.get(&slot).map(|(_, path)| path.clone())).unwrap_or_default()
    }

    /// The handle of a slot. If another thread may still open it, waits a while, once per slot.
    pub(super) fn get(&self, slot: Slot) -> Option<Handle> {
        let since = Instant::now();
        loop {
            let seen = self.with(|slots| match slots.open.get(&slot) {
                None if slots.closed.contains(&slot) => Some(Handle::Missing),
                open => open.map(|(handle, _)| handle.clone()),
            });
            match seen {
                Some(Handle::Missing) => return None,
                Some(handle) => return Some(handle),
                None if self.threads < 2 || slot == Slot::NONE || !self.is_patient() => return None,
                None if since.elapsed() > PATIENCE => {
                    self.waited_in_vain();
                    self.set(slot, Handle::Missing, &[]);
                }
                None => std::thread::sleep(Duration::from_micros(100)),
            }
        }
    }

    pub(super) fn is_patient(&self) -> bool {
        self.others && self.in_vain.load(Ordering::Relaxed) < IN_VAIN
    }

    pub(super) fn waited_in_vain(&self) {
        self.in_vain.fetch_add(1, Ordering::Relaxed);
    }

    /// Uses the descriptor of a slot while nobody can close it; `None` if the slot has none.
    pub(super) fn with_descriptor<R>(&self, slot: Slot, work: impl FnOnce(c_int) -> R) -> Option<R> {
        match self.get(slot)? {
            Handle::Descriptor(fd) => using(&fd, |&fd| work(fd)),
            Handle::Below(stream, fd) => using(&stream, |_| work(fd)),
            _ => None,
        }
    }

    /// The same for two slots. A thread that waits for the second lock gives the first one back:
    /// two threads could otherwise wait for each other.
    pub(super) fn with_descriptors<R>(
        &self,
        (one, other): (Slot, Slot),
        work: impl Fn(c_int, c_int) -> R,
    ) -> Option<R> {
        let other = self.get(other)?;
        loop {
            let done = self.with_descriptor(one, |one| match &other {
                Handle::Descriptor(fd) => try_using(fd, |&fd| work(one, fd)),
                Handle::Below(stream, fd) => try_using(stream, |_| work(one, *fd)),
                _ => Ok(None),
            })?;
            match done {
                Ok(done) => return done,
                Err(Busy) => std::thread::yield_now(),
            }
        }
    }
}

/// Somebody waits to close it.
struct Busy;

fn try_using<T, R>(held: &Held<T>, work: impl FnOnce(&T) -> R) -> Result<Option<R>, Busy> {
    match held.try_read() {
        Ok(held) => Ok(held.as_ref().map(work)),
        Err(TryLockError::Poisoned(held)) => Ok(held.into_inner().as_ref().map(work)),
        Err(TryLockError::WouldBlock) => Err(Busy),
    }
}

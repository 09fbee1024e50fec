//! The open files of one process of the trace, by the numbers the trace gives them.

use std::collections::HashMap;
use std::ffi::c_int;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// An open file, stream or folder.
#[derive(Debug, Clone, Copy)]
pub(super) enum Handle {
    /// A descriptor.
    Descriptor(c_int),
    /// The descriptor below a stream, which closes it.
    Below(c_int),
    /// A stream of the C library.
    Stream(*mut libc::FILE),
    /// A folder that is read.
    Folder(*mut libc::DIR),
    /// A file of MPI-IO.
    Mpi(usize),
    /// One that never came.
    Missing,
}

// SAFETY: the C library locks its streams; a trace that uses one in two threads did so before.
unsafe impl Send for Handle {}

/// How long a thread waits for a file that another is to open.
const PATIENCE: Duration = Duration::from_secs(5);
/// Who waited so often for nothing does not wait again: a trace may name a million files that never come.
const IN_VAIN: u32 = 2;

/// The table. Threads of a process share it.
#[derive(Debug)]
pub struct Files {
    slots: Mutex<HashMap<u32, (Handle, Vec<u8>)>>,
    threads: usize,
    /// There are other ranks or threads that may make files.
    others: bool,
    /// How often somebody waited for nothing.
    in_vain: AtomicU32,
}

impl Files {
    /// Of a process that has as many threads, in a trace of as many ranks.
    pub fn new(threads: usize, ranks: u32) -> Files {
        let others = threads > 1 || ranks > 1;
        Files { slots: Mutex::default(), threads, others, in_vain: AtomicU32::new(0) }
    }

    fn with<R>(&self, f: impl FnOnce(&mut HashMap<u32, (Handle, Vec<u8>)>) -> R) -> R {
        f(&mut self.slots.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn set(&self, slot: u32, handle: Handle, path: &[u8]) {
        if slot != 0 {
            self.with(|slots| slots.insert(slot, (handle, path.to_vec())));
        }
    }

    pub(super) fn remove(&self, slot: u32) {
        self.with(|slots| slots.remove(&slot));
    }

    /// The path below the root that a slot was opened by.
    pub(super) fn path(&self, slot: u32) -> Vec<u8> {
        self.with(|slots| slots.get(&slot).map(|(_, path)| path.clone())).unwrap_or_default()
    }

    /// What a slot is. If another thread may still open it, waits a while, once for each slot.
    pub(super) fn get(&self, slot: u32) -> Option<Handle> {
        let since = Instant::now();
        loop {
            match self.with(|slots| slots.get(&slot).map(|(handle, _)| *handle)) {
                Some(Handle::Missing) => return None,
                Some(handle) => return Some(handle),
                None if self.threads < 2 || slot == 0 || !self.is_patient() => return None,
                None if since.elapsed() > PATIENCE => {
                    self.waited_in_vain();
                    self.set(slot, Handle::Missing, &[]);
                }
                None => std::thread::sleep(Duration::from_micros(100)),
            }
        }
    }

    /// Whether waiting for others may be of use.
    pub(super) fn is_patient(&self) -> bool {
        self.others && self.in_vain.load(Ordering::Relaxed) < IN_VAIN
    }

    pub(super) fn waited_in_vain(&self) {
        self.in_vain.fetch_add(1, Ordering::Relaxed);
    }

    /// The descriptor of a slot.
    pub(super) fn descriptor(&self, slot: u32) -> Option<c_int> {
        match self.get(slot)? {
            Handle::Descriptor(fd) | Handle::Below(fd) => Some(fd),
            _ => None,
        }
    }
}

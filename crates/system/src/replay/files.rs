//! The open files of one process of the trace, by the numbers the trace gives them.

use std::collections::HashMap;
use std::ffi::c_int;
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
    /// One that never came.
    Missing,
}

// SAFETY: the C library locks its streams; a trace that uses one in two threads did so before.
unsafe impl Send for Handle {}

/// How long a thread waits for a file that another is to open.
const PATIENCE: Duration = Duration::from_secs(5);

/// The table. Threads of a process share it.
#[derive(Debug)]
pub struct Files {
    slots: Mutex<HashMap<u32, (Handle, Vec<u8>)>>,
    threads: usize,
}

impl Files {
    /// Of a process that has as many threads.
    pub fn new(threads: usize) -> Files {
        Files { slots: Mutex::default(), threads }
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
                None if self.threads < 2 || slot == 0 => return None,
                None if since.elapsed() > PATIENCE => self.set(slot, Handle::Missing, &[]),
                None => std::thread::sleep(Duration::from_micros(100)),
            }
        }
    }

    /// The descriptor of a slot.
    pub(super) fn descriptor(&self, slot: u32) -> Option<c_int> {
        match self.get(slot)? {
            Handle::Descriptor(fd) | Handle::Below(fd) => Some(fd),
            _ => None,
        }
    }
}

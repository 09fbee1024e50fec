//! The open files of one process, by the trace's slot numbers.

use std::collections::HashMap;
use std::ffi::c_int;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use marigraph_model::Slot;

#[derive(Debug, Clone, Copy)]
pub(super) enum Handle {
    Descriptor(c_int),
    /// The descriptor of a stream, which closes it.
    Below(c_int),
    Stream(*mut libc::FILE),
    Folder(*mut libc::DIR),
    Mpi(usize),
    Missing,
}

// SAFETY: the C library locks its streams; a trace that uses one in two threads did so before.
unsafe impl Send for Handle {}

/// Maximum time that a thread waits for a file that another is to open.
const PATIENCE: Duration = Duration::from_secs(5);
/// Maximum number of fruitless waits: a trace may name a million files that never come.
const IN_VAIN: u32 = 2;

/// The table of open files, shared by the threads of a process.
#[derive(Debug)]
pub struct Files {
    slots: Mutex<HashMap<Slot, (Handle, Vec<u8>)>>,
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

    fn with<R>(&self, f: impl FnOnce(&mut HashMap<Slot, (Handle, Vec<u8>)>) -> R) -> R {
        f(&mut self.slots.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn set(&self, slot: Slot, handle: Handle, path: &[u8]) {
        if slot != Slot::NONE {
            self.with(|slots| slots.insert(slot, (handle, path.to_vec())));
        }
    }

    pub(super) fn remove(&self, slot: Slot) {
        self.with(|slots| slots.remove(&slot));
    }

    pub(super) fn path(&self, slot: Slot) -> Vec<u8> {
        self.with(|slots| slots.get(&slot).map(|(_, path)| path.clone())).unwrap_or_default()
    }

    /// The handle of a slot. If another thread may still open it, waits a while, once per slot.
    pub(super) fn get(&self, slot: Slot) -> Option<Handle> {
        let since = Instant::now();
        loop {
            match self.with(|slots| slots.get(&slot).map(|(handle, _)| *handle)) {
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

    pub(super) fn descriptor(&self, slot: Slot) -> Option<c_int> {
        match self.get(slot)? {
            Handle::Descriptor(fd) | Handle::Below(fd) => Some(fd),
            _ => None,
        }
    }
}

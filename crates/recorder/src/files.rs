//! Which open files are followed, by descriptor and by library handle.

use core::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

use crate::{filter, path, process, sys};

/// Larger descriptors cannot be followed.
const DESCRIPTORS: usize = 1 << 16;

/// A table from descriptor to slot; slot 0 means not followed.
pub struct Descriptors([AtomicU32; DESCRIPTORS]);

/// Files opened by system calls.
pub static POSIX: Descriptors = Descriptors::EMPTY;
/// Streams, by their descriptor.
pub static STREAMS: Descriptors = Descriptors::EMPTY;
static LARGEST: AtomicI32 = AtomicI32::new(-1);

impl Descriptors {
    #[allow(clippy::declare_interior_mutable_const, reason = "only statics are made of it")]
    const EMPTY: Descriptors = Descriptors([const { AtomicU32::new(0) }; DESCRIPTORS]);

    #[inline(always)]
    pub fn slot(&self, fd: i32) -> u32 {
        self.0.get(fd as usize).map_or(0, |slot| slot.load(Ordering::Relaxed))
    }

    /// Slot 0 stops following the descriptor.
    pub fn set(&self, fd: i32, slot: u32) {
        match self.0.get(fd as usize) {
            Some(place) => place.store(slot, Ordering::Relaxed),
            None if slot != 0 => process::count(process::Count::Unfollowed),
            None => {}
        }
        if slot != 0 {
            LARGEST.fetch_max(fd, Ordering::Relaxed);
        }
    }

    pub fn each(&self, mut f: impl FnMut(i32, u32)) {
        for fd in 0..=LARGEST.load(Ordering::Relaxed).min(DESCRIPTORS as i32 - 1) {
            let slot = self.slot(fd);
            if slot != 0 {
                f(fd, slot);
            }
        }
    }
}

static SLOTS: AtomicU32 = AtomicU32::new(0);

/// 1-based ordinal of the open in this process.
pub fn new_slot() -> u32 {
    SLOTS.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
}

/// Slots of the files that the program inherited as descriptors 0, 1 and 2.
static HELD: [AtomicU32; 3] = [const { AtomicU32::new(0) }; 3];

/// Follows standard input, output and error where they are files: `program < input > output`.
pub fn hold_standard() {
    for (fd, held) in (0..).zip(&HELD) {
        let followed = path::with_buffer(|path| {
            let file = size_of(fd).is_some() && path::of_descriptor(fd, path).is_some();
            file && filter::follows(path.bytes())
        });
        if followed {
            let slot = new_slot();
            held.store(slot, Ordering::Relaxed);
            POSIX.set(fd, slot);
        }
    }
}

/// Calls `f` for the standard descriptors that still refer to the inherited file.
pub fn held(mut f: impl FnMut(i32, u32)) {
    for (fd, held) in (0..).zip(&HELD) {
        let slot = held.load(Ordering::Relaxed);
        if slot != 0 && POSIX.slot(fd) == slot {
            f(fd, slot);
        }
    }
}

/// `None` for pipes, sockets and devices, which are never followed.
pub fn size_of(fd: i32) -> Option<i64> {
    let stat = sys::fstat(fd)?;
    let kind = stat.st_mode & libc::S_IFMT;
    (kind == libc::S_IFREG || kind == libc::S_IFDIR).then_some(stat.st_size)
}

/// The size that a file had before this process began: 0 if it was created since, because what
/// other processes of the job wrote to it meanwhile depends on timing. With `O_APPEND` it is the
/// size now.
pub fn size_at_open(fd: i32, flags: i64) -> Option<i64> {
    let size = size_of(fd)?;
    let may_be_new =
        size > 0 && flags & i64::from(libc::O_CREAT) != 0 && flags & i64::from(libc::O_APPEND) == 0;
    let new = may_be_new && sys::birth(fd).is_some_and(|birth| birth >= process::began());
    Some(if new { 0 } else { size })
}

/// Interns a path that is followed; `None` if it is not.
///
/// # Safety
/// `text` is null or ends with NUL.
#[inline(never)]
pub unsafe fn name(directory: i32, text: *const libc::c_char) -> Option<i64> {
    if !process::is_on() {
        return None;
    }
    path::with_buffer(|path| {
        // SAFETY: as the caller promises.
        unsafe { path::absolute(directory, text, path) }?;
        name_of(path.bytes())
    })
}

/// As [`name`], for an open descriptor.
#[inline(never)]
pub fn name_of_descriptor(fd: i32) -> Option<i64> {
    path::with_buffer(|path| {
        path::of_descriptor(fd, path)?;
        name_of(path.bytes())
    })
}

/// As [`name`], for a path in recorded form.
pub fn name_of(path: &[u8]) -> Option<i64> {
    if filter::follows(path) { process::intern(path) } else { None }
}

/// A lock-free table of fixed size from library handles to slots.
pub struct Handles<const N: usize>([(AtomicU64, AtomicU64); N]);

const GONE: u64 = u64::MAX;

impl<const N: usize> Handles<N> {
    #[allow(clippy::declare_interior_mutable_const, reason = "only statics are made of it")]
    pub const EMPTY: Handles<N> = Handles([const { (AtomicU64::new(0), AtomicU64::new(0)) }; N]);

    fn places(&self, handle: u64) -> impl Iterator<Item = &(AtomicU64, AtomicU64)> {
        let start = (handle.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize;
        (0..N.min(256)).filter_map(move |step| self.0.get((start + step) % N))
    }

    /// 0 if the table has no entry.
    pub fn get(&self, handle: u64) -> u64 {
        for (key, value) in self.places(handle) {
            match key.load(Ordering::Acquire) {
                0 => return 0,
                found if found == handle => return value.load(Ordering::Acquire),
                _ => {}
            }
        }
        0
    }

    /// Replaces an existing entry.
    pub fn set(&self, handle: u64, kept: u64) {
        if handle == 0 || handle == GONE {
            return;
        }
        for (key, value) in self.places(handle) {
            let found = key.load(Ordering::Acquire);
            if found == handle {
                return value.store(kept, Ordering::Release);
            }
            let free = found == 0 || found == GONE;
            if free && key.compare_exchange(found, handle, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                return value.store(kept, Ordering::Release);
            }
        }
        process::count(process::Count::Unfollowed);
    }

    /// Removes an entry and returns its value; 0 if there is none.
    pub fn take(&self, handle: u64) -> u64 {
        for (key, value) in self.places(handle) {
            match key.load(Ordering::Acquire) {
                0 => return 0,
                found if found == handle => {
                    let kept = value.swap(0, Ordering::AcqRel);
                    key.store(GONE, Ordering::Release);
                    return kept;
                }
                _ => {}
            }
        }
        0
    }
}

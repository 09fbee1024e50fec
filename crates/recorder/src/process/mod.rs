//! The part of this process: when it begins, where records go, how they reach the log.
//!
//! Nothing is created before the first recorded call. Memory is mapped, and files are opened only
//! for the length of one call: the process never has a descriptor of ours between two calls.
//!
//! The kernel zeroes the page with the mark in every child of `fork`, whether or not fork handlers
//! run, so a child begins a part of its own.

mod names;
mod part;
mod scratch;
mod segments;

use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use marigraph_wire::chunk::Kind;
use marigraph_wire::op::Op;
use marigraph_wire::part::{WORDS, Word};
use marigraph_wire::record::{RECORD, Record};

use crate::thread::{Thread, here};
use crate::{clock, sys};

pub use names::intern;
pub use part::{after_fork, began, forget, jumping, maps_changed};
pub use segments::detach;

use segments::{attach, release};

static ON: AtomicBool = AtomicBool::new(false);
/// The page whose first word is the mark of this process; zero in a child.
static MARK: AtomicPtr<AtomicU64> = AtomicPtr::new(core::ptr::null_mut());
/// Whether the process has ended in order; its destructors may still run.
static ENDED: AtomicBool = AtomicBool::new(false);
static LIVE: AtomicPtr<AtomicU64> = AtomicPtr::new(core::ptr::null_mut());

/// What could not be recorded, by the word of the live page that counts it.
#[derive(Clone, Copy)]
pub enum Count {
    /// Records.
    Lost,
    /// Calls while the recorder itself ran on the thread.
    Skipped,
    /// Chunks.
    Unwritten,
    /// Opens.
    Unfollowed,
    /// Names that the user's filters leave out.
    Excluded,
    /// Entries of `io_uring` rings.
    Unseen,
}

pub fn count(what: Count) {
    count_many(what, 1);
}

pub fn count_many(what: Count, many: u64) {
    let word = match what {
        Count::Lost => Word::Lost,
        Count::Skipped => Word::Skipped,
        Count::Unwritten => Word::Unwritten,
        Count::Unfollowed => Word::Unfollowed,
        Count::Excluded => Word::Excluded,
        Count::Unseen => Word::Unseen,
    };
    if let Some(word) = live_word(word) {
        word.fetch_add(many, Ordering::Relaxed);
    }
}

pub fn set_mpi(rank: u64, size: u64, kind: u64) {
    for (word, value) in [(Word::MpiRank, rank + 1), (Word::MpiSize, size), (Word::MpiKind, kind)] {
        if let Some(word) = live_word(word) {
            word.store(value, Ordering::Relaxed);
        }
    }
}

fn live_word(word: Word) -> Option<&'static AtomicU64> {
    let live = LIVE.load(Ordering::Acquire);
    if live.is_null() {
        return None;
    }
    // SAFETY: the first page stays mapped as long as the process lives, and has room for all words.
    Some(unsafe { &*live.add(word as usize) })
}

#[inline(always)]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Runs when the library is loaded.
pub fn switch_on() {
    part::note_start();
    ON.store(true, Ordering::Release);
}

pub fn has_part() -> bool {
    mark() != 0
}

#[inline(always)]
fn mark() -> u64 {
    let mark = MARK.load(Ordering::Relaxed);
    if mark.is_null() {
        return 0;
    }
    // SAFETY: the page stays mapped as long as the process lives.
    unsafe { (*mark).load(Ordering::Relaxed) }
}

/// A call to record.
#[derive(Clone, Copy)]
pub struct Entry {
    pub op: Op,
    /// Slot of the open file; 0 none.
    pub slot: u32,
    pub args: [i64; 3],
    /// Negated error if the call failed.
    pub ret: i64,
    /// In ticks.
    pub start: u64,
    /// In ticks.
    pub end: u64,
    /// Return address of the call.
    pub site: usize,
    /// As in [`Record`].
    pub flags: u8,
}

#[inline(always)]
pub fn push(entry: &Entry) {
    here(|thread| {
        if thread.busy.get() || thread.muted.get() {
            return skipped(thread);
        }
        thread.busy.set(true);
        let attached = thread.mark.get() == mark() && thread.mark.get() != 0;
        if attached || attach_for(thread, entry.op) {
            put(thread, entry, thread.depth.get());
            if thread.used.get() >= thread.room.get() {
                release(thread);
            }
        }
        thread.busy.set(false);
    });
}

/// Gives a thread its segment. After the process's end only data are worth a part of its own: many
/// destructors flush streams and close files.
#[cold]
fn attach_for(thread: &Thread, op: Op) -> bool {
    (!ENDED.load(Ordering::Relaxed) || op.reads() || op.writes()) && attach(thread)
}

#[cold]
fn skipped(thread: &Thread) {
    if !thread.muted.get() {
        count(Count::Skipped);
    }
}

/// Appends a record to the thread's segment; drops it if the segment is full.
#[inline(always)]
fn put(thread: &Thread, entry: &Entry, depth: u8) {
    let used = thread.used.get();
    if used >= thread.room.get() {
        return;
    }
    let record = thread.records.get().wrapping_add(used as usize * RECORD).cast::<Record>();
    // SAFETY: `room` records fit into the segment, which is mapped and this thread's own. The
    // operation is stored last: a record that is not whole has none of this turn.
    unsafe {
        (&raw mut (*record).start).write(entry.start);
        (&raw mut (*record).end).write(entry.end);
        (&raw mut (*record).depth).write(depth);
        (&raw mut (*record).flags).write(entry.flags);
        (&raw mut (*record).op).write(entry.op as u16);
        (&raw mut (*record).slot).write(entry.slot);
        (&raw mut (*record).a).write(entry.args[0]);
        (&raw mut (*record).b).write(entry.args[1]);
        (&raw mut (*record).c).write(entry.args[2]);
        (&raw mut (*record).ret).write(entry.ret);
        core::sync::atomic::compiler_fence(Ordering::Release);
        (&raw mut (*record).site_turn)
            .write_volatile(Record::site_turn(entry.site as u64, thread.turn.get()));
    }
    thread.used.set(used + 1);
}

/// Moves what is left to the log when the process ends in order. Calls may still follow.
pub fn end() {
    if mark() == 0 || here(|thread| thread.busy.get() || thread.muted.get()) {
        return;
    }
    crate::posix::uring::at_end();
    detach();
    here(|thread| thread.busy.set(true));
    part::write_maps();
    let mut words = [0u8; WORDS * 8];
    for (at, to) in words.chunks_exact_mut(8).enumerate() {
        let live = LIVE.load(Ordering::Acquire);
        // SAFETY: the first page is mapped and has room for all words.
        let word = unsafe { (*live.add(at)).load(Ordering::Relaxed) };
        to.copy_from_slice(&word.to_le_bytes());
    }
    let written = part::append(Kind::End, 0, 0, 0, &words);
    if written.is_some() && segments::none_running() {
        // Everything is in the log; a later call begins a new live file.
        sys::unlink(part::names().live.c_str());
        ENDED.store(true, Ordering::Relaxed);
        forget();
    }
    here(|thread| thread.busy.set(false));
}

/// Records a mark of the program and moves the thread's records to the log.
pub fn mark_phase() {
    let now = clock::now();
    let site = 0;
    push(&Entry { op: Op::Mark, slot: 0, args: [0; 3], ret: 0, start: now, end: now, site, flags: 0 });
    here(|thread| {
        if thread.mark.get() != 0 && thread.mark.get() == mark() && !thread.busy.get() {
            thread.busy.set(true);
            release(thread);
            thread.busy.set(false);
        }
    });
}

//! Segments of the live file: how a thread gets one, fills it and leaves it.

use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};

use marigraph_wire::bytes::Writer;
use marigraph_wire::chunk::Kind;
use marigraph_wire::part::{PAGE, SEGMENT, SEGMENTS, SegmentWord, Word};
use marigraph_wire::record::{RECORD, Record};
use marigraph_wire::segment::{self, RECORDS};

use super::part::{append, begin, names, write_maps};
use super::scratch::with_scratch;
use super::{Count, count, count_many, is_on, live_word, mark};
use crate::environment;
use crate::sys::{self, File};
use crate::thread::{Thread, here};

/// Segments of full size; later ones are short, so that many threads do not cost much memory.
const FULL_SIZED: u32 = 48;
const SHORT: u32 = 128;

static THREADS: AtomicU32 = AtomicU32::new(0);
static RUNNING: AtomicU32 = AtomicU32::new(0);
static SEGMENT_AT: [AtomicPtr<u8>; SEGMENTS] = [const { AtomicPtr::new(core::ptr::null_mut()) }; SEGMENTS];
static SEGMENT_BUSY: [AtomicBool; SEGMENTS] = [const { AtomicBool::new(false) }; SEGMENTS];

/// Gives a thread its segment, and the process its part if it has none.
#[cold]
pub(super) fn attach(thread: &Thread) -> bool {
    if !is_on() || (mark() == 0 && begin().is_none()) {
        return false;
    }
    if thread.mark.get() == mark() {
        // Beginning the part attached this thread, to record the inherited descriptors.
        return true;
    }
    let Some((index, at)) = free_segment() else {
        count(Count::Lost);
        return false;
    };
    let number = THREADS.fetch_add(1, Ordering::Relaxed);
    let turn = segment_word(at, SegmentWord::Turn).load(Ordering::Relaxed).wrapping_add(1) as u16;
    thread.records.set(at.wrapping_add(PAGE));
    thread.segment.set(index);
    thread.used.set(0);
    thread.room.set(room_of(index));
    thread.number.set(number);
    thread.first.set(0);
    set_turn(thread, at, turn);
    segment_word(at, SegmentWord::Thread).store(u64::from(number) + 1, Ordering::Release);
    thread.mark.set(mark());
    RUNNING.fetch_add(1, Ordering::Relaxed);
    environment::watch_thread_end();
    true
}

fn room_of(index: u32) -> u32 {
    if index < FULL_SIZED { RECORDS as u32 } else { SHORT }
}

fn segment_word(at: *mut u8, word: SegmentWord) -> &'static AtomicU64 {
    // SAFETY: segments stay mapped as long as the process lives, and begin with their words.
    unsafe { &*at.cast::<AtomicU64>().wrapping_add(word as usize) }
}

/// Restarts a segment. Storing the turn invalidates all records of the previous turn.
fn set_turn(thread: &Thread, at: *mut u8, turn: u16) {
    let first = if turn.is_multiple_of(2) { SegmentWord::First } else { SegmentWord::FirstOdd };
    segment_word(at, first).store(thread.first.get(), Ordering::Relaxed);
    if turn == 0 {
        // Turns wrapped around: records of the last round must not pass for new ones.
        for index in 0..thread.room.get() as usize {
            let record = at.wrapping_add(PAGE + index * RECORD).cast::<Record>();
            // SAFETY: within the segment, which is this thread's.
            unsafe { (&raw mut (*record).op).write_volatile(0) };
        }
    }
    segment_word(at, SegmentWord::Turn).store(u64::from(turn), Ordering::Release);
    thread.turn.set(turn);
}

fn free_segment() -> Option<(u32, *mut u8)> {
    for (index, busy) in SEGMENT_BUSY.iter().enumerate() {
        // Load first: a thread that finds none must not take the cache lines of all others.
        if busy.load(Ordering::Relaxed)
            || busy.compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed).is_err()
        {
            continue;
        }
        let place = SEGMENT_AT.get(index)?;
        let at = place.load(Ordering::Acquire);
        if !at.is_null() {
            return Some((index as u32, at));
        }
        let Some(at) = map_segment(index) else {
            // It stays taken, so that a full file system is not retried at every call.
            return None;
        };
        place.store(at, Ordering::Release);
        live_word(Word::Segments)?.fetch_max(index as u64 + 1, Ordering::Relaxed);
        return Some((index as u32, at));
    }
    None
}

#[inline(never)]
fn map_segment(index: usize) -> Option<*mut u8> {
    let live = File::open(names().live.c_str())?;
    let offset = PAGE + index * SEGMENT;
    // Only the beginning of a short segment is ever touched; the rest takes no space.
    live.reserve(offset, PAGE + room_of(index as u32) as usize * RECORD)?;
    live.map(offset, SEGMENT)
}

#[cold]
pub(super) fn release(thread: &Thread) {
    let used = thread.used.get();
    if used > 0 {
        // SAFETY: `used` records were written by this thread into its own segment.
        let records =
            unsafe { core::slice::from_raw_parts(thread.records.get().cast::<Record>(), used as usize) };
        write_maps();
        if write_records(thread, records).is_none() {
            count(Count::Unwritten);
            count_many(Count::Lost, u64::from(used));
        }
        thread.first.set(thread.first.get() + u64::from(used));
        thread.used.set(0);
    }
    set_turn(thread, thread.records.get().wrapping_sub(PAGE), thread.turn.get().wrapping_add(1));
}

#[inline(never)]
fn write_records(thread: &Thread, records: &[Record]) -> Option<()> {
    let (number, first, count) = (thread.number.get(), thread.first.get(), records.len() as u32);
    let folded = with_scratch(|scratch| {
        let mut writer = Writer::new(&mut scratch.out);
        segment::encode(records, &mut scratch.segment, &mut writer)?;
        let content = writer.finish()?;
        Some(append(Kind::Folded, number, first, count, content))
    });
    match folded.flatten() {
        Some(done) => done,
        // SAFETY: records are plain numbers without gaps between them.
        None => append(Kind::Plain, number, first, count, unsafe {
            core::slice::from_raw_parts(records.as_ptr().cast::<u8>(), records.len() * RECORD)
        }),
    }
}

/// Moves an ending thread's records to the log and frees its segment.
pub fn detach() {
    here(|thread| {
        if thread.mark.get() == 0 || thread.mark.get() != mark() || thread.busy.get() {
            return;
        }
        thread.busy.set(true);
        release(thread);
        let at = thread.records.get().wrapping_sub(PAGE);
        segment_word(at, SegmentWord::Thread).store(0, Ordering::Release);
        thread.mark.set(0);
        RUNNING.fetch_sub(1, Ordering::Relaxed);
        if let Some(busy) = SEGMENT_BUSY.get(thread.segment.get() as usize) {
            busy.store(false, Ordering::Release);
        }
        thread.busy.set(false);
    });
}

pub(super) fn none_running() -> bool {
    RUNNING.load(Ordering::Relaxed) == 0
}

/// Unmaps the segments that a child of `fork` inherits from its parent.
pub(super) fn leave_all() {
    for (place, busy) in SEGMENT_AT.iter().zip(&SEGMENT_BUSY) {
        let at = place.swap(core::ptr::null_mut(), Ordering::AcqRel);
        if !at.is_null() {
            // SAFETY: the child is a process of one thread, which has no segment of this process yet.
            unsafe { sys::unmap(at, SEGMENT) };
        }
        busy.store(false, Ordering::Relaxed);
    }
    THREADS.store(0, Ordering::Relaxed);
    RUNNING.store(0, Ordering::Relaxed);
}

//! The part of this process: when it begins, where records go, how they reach the log.
//!
//! Nothing is made before the first call that is recorded. All memory is mapped, all files are
//! opened for a moment only: the process never has a descriptor of ours between two calls.
//!
//! A child of `fork` finds the page with the mark zeroed by the kernel, whatever way it was forked
//! and whether or not handlers ran, and begins a part of its own.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};

use marigraph_wire::bytes::Writer;
use marigraph_wire::chunk::{Head, Kind, Moment};
use marigraph_wire::op::Op;
use marigraph_wire::part::{self, PAGE, SEGMENT, SEGMENTS, SegmentWord, Texts, VERSION, Word};
use marigraph_wire::record::{NAME_BYTES, RECORD, Record};
use marigraph_wire::segment::{self, RECORDS};

use crate::path::Path;
use crate::sys::{self, File};
use crate::text::Text;
use crate::thread::{Thread, here};
use crate::{clock, environment, files};

/// Threads with segments of full size; those after them have short ones, so that many threads do
/// not cost much memory.
const FULL_SIZED: u32 = 48;
const SHORT: u32 = 128;

/// Whether this process is recorded at all.
static ON: AtomicBool = AtomicBool::new(false);
/// The page whose first word is the mark of this process; zero in a child.
static MARK: AtomicPtr<AtomicU64> = AtomicPtr::new(core::ptr::null_mut());
static NEXT_MARK: AtomicU64 = AtomicU64::new(0);
/// How often a thread naps for the one that begins the part: two seconds in all. Once or twice is
/// enough but on a crowded machine; in a child that was cloned, without handlers, while another
/// thread was at it, nobody ever comes back, so there is an end to it.
const PATIENCE: u32 = 20_000;
/// Held while a part is begun.
static BEGINNING: AtomicBool = AtomicBool::new(false);
/// Whether the process has ended in order, but for its destructors.
static ENDED: AtomicBool = AtomicBool::new(false);
/// First page of the live file.
static LIVE: AtomicPtr<AtomicU64> = AtomicPtr::new(core::ptr::null_mut());
static THREADS: AtomicU32 = AtomicU32::new(0);
static RUNNING: AtomicU32 = AtomicU32::new(0);
static SEGMENT_AT: [AtomicPtr<u8>; SEGMENTS] = [const { AtomicPtr::new(core::ptr::null_mut()) }; SEGMENTS];
static SEGMENT_BUSY: [AtomicBool; SEGMENTS] = [const { AtomicBool::new(false) }; SEGMENTS];
static NAMES: AtomicU32 = AtomicU32::new(0);
/// Names that were sent: part of the hash above, id below.
static SENT: [AtomicU64; 1 << 16] = [const { AtomicU64::new(0) }; 1 << 16];
/// Libraries were loaded since the last list of them was written.
static MAPS_CHANGED: AtomicBool = AtomicBool::new(true);

/// What a part is called, and by whom it was forked.
struct Names {
    stem: Path,
    forked_from: Text<128>,
    began: Moment,
}

struct Shared(UnsafeCell<Names>);

// SAFETY: written only by the one thread that holds `BEGINNING`, before `MARK` says that it is valid.
unsafe impl Sync for Shared {}

static PART: Shared = Shared(UnsafeCell::new(Names {
    stem: Path::EMPTY,
    forked_from: Text::EMPTY,
    began: Moment { ticks: 0, steady: 0, wall: 0 },
}));

fn part() -> &'static Names {
    // SAFETY: read only after the mark was seen, written only before; see `Shared`.
    unsafe { &*PART.0.get() }
}

/// Things that could not be recorded, by the word of the live page that counts them.
#[derive(Clone, Copy)]
pub enum Count {
    /// Records.
    Lost,
    /// Calls while the recorder was at work on the thread.
    Skipped,
    /// Chunks.
    Unwritten,
    /// Opens.
    Unfollowed,
    /// Names that the user left out.
    Excluded,
}

/// Counts one.
pub fn count(what: Count) {
    count_many(what, 1);
}

fn count_many(what: Count, many: u64) {
    let word = match what {
        Count::Lost => Word::Lost,
        Count::Skipped => Word::Skipped,
        Count::Unwritten => Word::Unwritten,
        Count::Unfollowed => Word::Unfollowed,
        Count::Excluded => Word::Excluded,
    };
    if let Some(word) = live_word(word) {
        word.fetch_add(many, Ordering::Relaxed);
    }
}

/// Notes what MPI says of this process.
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

/// Whether calls are recorded.
#[inline(always)]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Switches recording on, when the library is loaded.
pub fn switch_on() {
    // SAFETY: nothing is recorded before `ON` is set, so nobody reads.
    unsafe { (*PART.0.get()).began = clock::moment() };
    ON.store(true, Ordering::Release);
}

/// Libraries were loaded.
pub fn maps_changed() {
    MAPS_CHANGED.store(true, Ordering::Relaxed);
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

/// One call, to be written down.
#[derive(Clone, Copy)]
pub struct Entry {
    /// What was called.
    pub op: Op,
    /// Which open file.
    pub slot: u32,
    /// Arguments.
    pub args: [i64; 3],
    /// What it returned, or minus the error.
    pub ret: i64,
    /// When it was called.
    pub start: u64,
    /// When it returned.
    pub end: u64,
    /// Return address.
    pub site: usize,
    /// Flags of the record.
    pub flags: u8,
}

/// Whether a call after the process's end is worth a part of its own: streams are flushed and
/// files closed by many destructors.
fn is_late_work(op: Op) -> bool {
    matches!(
        op,
        Op::Write
            | Op::Pwrite
            | Op::Writev
            | Op::Pwritev
            | Op::Read
            | Op::Pread
            | Op::Fwrite
            | Op::Fputs
            | Op::Fprintf
    )
}

/// Writes a call down.
#[inline(always)]
pub fn push(entry: &Entry) {
    here(|thread| {
        if thread.busy.get() || thread.muted.get() {
            return skipped(thread);
        }
        thread.busy.set(true);
        let attached = thread.mark.get() == mark() && thread.mark.get() != 0;
        if attached || ((!ENDED.load(Ordering::Relaxed) || is_late_work(entry.op)) && attach(thread)) {
            put(thread, entry, thread.depth.get());
            if thread.used.get() >= thread.room.get() {
                release(thread);
            }
        }
        thread.busy.set(false);
    });
}

#[cold]
fn skipped(thread: &Thread) {
    if !thread.muted.get() {
        count(Count::Skipped);
    }
}

/// Puts a record behind those that are there; there is room for one at least.
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

/// Sends a name, unless it was sent before; gives its id.
pub fn intern(path: &[u8]) -> Option<i64> {
    here(|thread| {
        if thread.busy.get() || thread.muted.get() {
            skipped(thread);
            return None;
        }
        thread.busy.set(true);
        let ready = thread.mark.get() == mark() && thread.mark.get() != 0 || attach(thread);
        let id = if ready { find_or_send(thread, path) } else { None };
        thread.busy.set(false);
        id
    })
}

fn hash(path: &[u8], salt: u64) -> u64 {
    let mut sum = salt ^ (path.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for bytes in path.chunks(8) {
        let mut word = [0u8; 8];
        for (to, from) in word.iter_mut().zip(bytes) {
            *to = *from;
        }
        sum = (sum ^ u64::from_le_bytes(word)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        sum ^= sum >> 32;
    }
    sum.wrapping_mul(0xc4ce_b9fe_1a85_ec53)
}

fn find_or_send(thread: &Thread, path: &[u8]) -> Option<i64> {
    // The mark in the hash keeps a child from finding what only its parent's part has.
    let hash = hash(path, mark());
    let place = SENT.get(hash as usize % SENT.len())?;
    let found = place.load(Ordering::Relaxed);
    if found >> 24 == hash >> 24 && found & 0xff_ffff != 0 {
        return Some((found & 0xff_ffff) as i64);
    }
    let id = NAMES.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
    let pieces = path.len().div_ceil(NAME_BYTES).max(1);
    if thread.used.get() as usize + pieces >= thread.room.get() as usize {
        release(thread);
    }
    if pieces >= thread.room.get() as usize {
        count(Count::Unfollowed);
        return None;
    }
    for at in 0..pieces {
        let bytes = path.get(at * NAME_BYTES..).unwrap_or(&[]);
        let mut words = Record::default();
        words.set_name_bytes(bytes.get(..NAME_BYTES).unwrap_or(bytes));
        let entry = Entry {
            op: Op::Name,
            slot: id,
            args: [words.a, words.b, words.c],
            ret: words.ret,
            start: path.len() as u64,
            end: 0,
            site: 0,
            flags: 0,
        };
        put(thread, &entry, (pieces - 1 - at).min(255) as u8);
    }
    if id <= 0xff_ffff {
        place.store(hash >> 24 << 24 | u64::from(id), Ordering::Relaxed);
    }
    Some(i64::from(id))
}

/// Gives a thread its segment, and the process its part.
#[cold]
fn attach(thread: &Thread) -> bool {
    if !is_on() || (mark() == 0 && begin().is_none()) {
        return false;
    }
    if thread.mark.get() == mark() {
        // Beginning the part gave this thread its segment, to note what the process inherits.
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
    thread.room.set(if index < FULL_SIZED { RECORDS as u32 } else { SHORT });
    thread.number.set(number);
    thread.first.set(0);
    set_turn(thread, at, turn);
    segment_word(at, SegmentWord::Thread).store(u64::from(number) + 1, Ordering::Release);
    thread.mark.set(mark());
    RUNNING.fetch_add(1, Ordering::Relaxed);
    environment::watch_thread_end();
    true
}

fn segment_word(at: *mut u8, word: SegmentWord) -> &'static AtomicU64 {
    // SAFETY: segments stay mapped as long as the process lives, and begin with their words.
    unsafe { &*at.cast::<AtomicU64>().wrapping_add(word as usize) }
}

/// Starts a segment anew. The store of the turn makes all records of the turn before invalid.
fn set_turn(thread: &Thread, at: *mut u8, turn: u16) {
    let first = if turn.is_multiple_of(2) { SegmentWord::First } else { SegmentWord::FirstOdd };
    segment_word(at, first).store(thread.first.get(), Ordering::Relaxed);
    segment_word(at, SegmentWord::Turn).store(u64::from(turn), Ordering::Release);
    thread.turn.set(turn);
}

fn free_segment() -> Option<(u32, *mut u8)> {
    for (index, busy) in SEGMENT_BUSY.iter().enumerate() {
        if busy.compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed).is_err() {
            continue;
        }
        let place = SEGMENT_AT.get(index)?;
        let at = place.load(Ordering::Acquire);
        if !at.is_null() {
            return Some((index as u32, at));
        }
        let Some(at) = map_segment(index) else {
            busy.store(false, Ordering::Release);
            return None;
        };
        place.store(at, Ordering::Release);
        live_word(Word::Segments)?.fetch_max(index as u64 + 1, Ordering::Relaxed);
        return Some((index as u32, at));
    }
    None
}

fn map_segment(index: usize) -> Option<*mut u8> {
    let live = File::open(file(b".live").c_str())?;
    let offset = PAGE + index * SEGMENT;
    live.reserve(offset, SEGMENT)?;
    live.map(offset, SEGMENT)
}

fn file(ending: &[u8]) -> Path {
    let mut path = part().stem;
    path.push(ending);
    path
}

/// Begins the part of this process, or waits for the thread that is at it: it needs some hundred
/// microseconds, once. `None` when it cannot be made.
fn begin() -> Option<()> {
    for _ in 0..PATIENCE {
        if BEGINNING.compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            let done = if mark() != 0 { Some(()) } else { make_part() };
            if done.is_none() {
                // No directory, no room: do not try again at every call.
                ON.store(false, Ordering::Release);
            }
            BEGINNING.store(false, Ordering::Release);
            return done;
        }
        sys::nap();
        if mark() != 0 {
            return Some(());
        }
        if !is_on() {
            return None;
        }
    }
    None
}

fn make_part() -> Option<()> {
    let mark = mark_page()?;
    let forked = !LIVE.load(Ordering::Acquire).is_null();
    if forked {
        leave_parents_part();
    }
    // SAFETY: `BEGINNING` is held and the mark is zero, so nobody else touches the names.
    let names = unsafe { &mut *PART.0.get() };
    if forked {
        names.forked_from = Text::EMPTY;
        let stem = names.stem.bytes();
        let start = stem.iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
        let parent = stem.get(start..).unwrap_or(&[]);
        names.forked_from.push(parent);
        names.began = clock::moment();
    }
    let (pid, ..) = sys::ids();
    let mut host = Text::<72>::EMPTY;
    host.fill(|room| Some(sys::host(room)));
    names.stem = Path::EMPTY;
    names.stem.push(environment::directory());
    for text in [b"/", host.bytes()] {
        names.stem.push(text);
    }
    names.stem.push(b".");
    names.stem.push_number(u64::from(pid), 10);
    names.stem.push(b".");
    names.stem.push_number(sys::random() >> 32, 16);
    let live = File::create(file(b".live").c_str())?;
    live.reserve(0, PAGE)?;
    let page = live.map(0, PAGE)?.cast::<AtomicU64>();
    LIVE.store(page, Ordering::Release);
    let value = u64::from_le_bytes(part::MAGIC);
    live_word(Word::Version)?.store(u64::from(VERSION), Ordering::Relaxed);
    live_word(Word::Magic)?.store(value, Ordering::Release);
    write_identity(names, host.bytes());
    MAPS_CHANGED.store(true, Ordering::Relaxed);
    write_maps();
    let number = NEXT_MARK.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
    let value = (u64::from(pid) << 32 | number & 0xffff_ffff).max(1);
    // SAFETY: the page stays mapped as long as the process lives.
    unsafe { (*mark).store(value, Ordering::Release) };
    if forked {
        inherit();
    }
    Some(())
}

/// The page that the kernel zeroes in children.
fn mark_page() -> Option<*mut AtomicU64> {
    let found = MARK.load(Ordering::Acquire);
    if !found.is_null() {
        return Some(found);
    }
    let page = sys::memory(PAGE)?;
    if !sys::wipe_on_fork(page, PAGE) {
        // Before Linux 4.14; children then begin anew by the handler of `fork` alone.
        environment::forget_on_fork();
    }
    MARK.store(page.cast(), Ordering::Release);
    Some(page.cast())
}

/// Zeroes the mark, for kernels that do not.
pub fn forget() {
    let mark = MARK.load(Ordering::Acquire);
    if !mark.is_null() {
        // SAFETY: the page stays mapped as long as the process lives.
        unsafe { (*mark).store(0, Ordering::Release) };
    }
}

/// In a child of `fork`: what another thread was at will not be finished here.
pub fn after_fork() {
    BEGINNING.store(false, Ordering::Release);
    here(|thread| {
        thread.busy.set(false);
        thread.muted.set(false);
    });
}

/// A child's copy of its parent's mappings is shared with the parent: give it back.
fn leave_parents_part() {
    for (place, busy) in SEGMENT_AT.iter().zip(&SEGMENT_BUSY) {
        let at = place.swap(core::ptr::null_mut(), Ordering::AcqRel);
        if !at.is_null() {
            // SAFETY: the child is a process of one thread, which has no segment of this process yet.
            unsafe { sys::unmap(at, SEGMENT) };
        }
        busy.store(false, Ordering::Relaxed);
    }
    let live = LIVE.swap(core::ptr::null_mut(), Ordering::AcqRel);
    if !live.is_null() {
        // SAFETY: as above.
        unsafe { sys::unmap(live.cast(), PAGE) };
    }
    ENDED.store(false, Ordering::Relaxed);
    THREADS.store(0, Ordering::Relaxed);
    RUNNING.store(0, Ordering::Relaxed);
    SCRATCH_BUSY.iter().for_each(|busy| busy.store(false, Ordering::Relaxed));
}

/// Says which open files a child has from its parent.
fn inherit() {
    let now = clock::now();
    let note = |_: i32, slot: u32| {
        let entry = Entry {
            op: Op::Inherit,
            slot,
            args: [i64::from(slot), 0, 0],
            ret: 0,
            start: now,
            end: now,
            site: 0,
            flags: 0,
        };
        here(|thread| {
            if thread.mark.get() == mark() || attach(thread) {
                put(thread, &entry, 0);
                if thread.used.get() >= thread.room.get() {
                    release(thread);
                }
            }
        });
    };
    files::POSIX.each(note);
    files::STREAMS.each(note);
}

fn write_identity(names: &Names, host: &[u8]) {
    let mut out = [0u8; 4 * part::TEXT];
    let mut writer = Writer::new(&mut out);
    let (pid, parent, uid) = sys::ids();
    let mut exe = Path::EMPTY;
    exe.fill(|room| sys::read_link(c"/proc/self/exe", room));
    let mut directory = Path::EMPTY;
    directory.fill(sys::working_directory);
    let mut boot = Text::<64>::EMPTY;
    boot.fill(|room| Some(File::read_only(c"/proc/sys/kernel/random/boot_id")?.read(room)));
    let mut command = Text::<2048>::EMPTY;
    command.fill(|room| Some(File::read_only(c"/proc/self/cmdline")?.read(room)));
    let mut variables = Text::<2048>::EMPTY;
    environment::ranks(&mut variables);
    let texts = Texts {
        forked_from: names.forked_from.bytes(),
        host,
        boot: boot.bytes(),
        exe: exe.bytes(),
        command: command.bytes(),
        directory: directory.bytes(),
        environment: variables.bytes(),
    };
    part::write_identity(
        [pid, parent, uid, clock::kind()],
        names.began,
        clock::moment(),
        &texts,
        &mut writer,
    );
    if let Some(content) = writer.finish() {
        append(Kind::Identity, 0, 0, 0, content);
    }
}

/// Writes the list of files that are mapped as code, if it changed.
fn write_maps() {
    if !MAPS_CHANGED.swap(false, Ordering::Relaxed) {
        return;
    }
    with_scratch(|scratch| {
        let Some(maps) = File::read_only(c"/proc/self/maps") else { return };
        let len = maps.read(&mut scratch.out);
        let (text, kept) = scratch.out.split_at_mut(len);
        let mut writer = Writer::new(kept);
        for line in text.split(|&byte| byte == b'\n') {
            if line.windows(4).any(|bytes| bytes == b"r-xp") && line.contains(&b'/') {
                writer.bytes(line);
                writer.byte(b'\n');
            }
        }
        if let Some(content) = writer.finish() {
            append(Kind::Maps, 0, 0, 0, content);
        }
    });
}

/// Appends a chunk to the log.
fn append(kind: Kind, thread: u32, first: u64, records: u32, content: &[u8]) -> Option<()> {
    let moment = clock::moment();
    let head = Head { kind, thread, first, records, len: content.len() as u32, moment };
    for (word, value) in
        [(Word::LastTicks, moment.ticks), (Word::LastSteady, moment.steady), (Word::LastWall, moment.wall)]
    {
        if let Some(word) = live_word(word) {
            word.store(value, Ordering::Relaxed);
        }
    }
    let log = File::append(file(b".log").c_str())?;
    log.write_both(&head.to_bytes(content), content)
}

/// Memory for folding, shared by the threads of a process.
struct Scratch {
    segment: segment::Memory,
    out: [u8; 1 << 19],
}

const SCRATCHES: usize = 2;
static SCRATCH_AT: [AtomicPtr<Scratch>; SCRATCHES] =
    [const { AtomicPtr::new(core::ptr::null_mut()) }; SCRATCHES];
static SCRATCH_BUSY: [AtomicBool; SCRATCHES] = [const { AtomicBool::new(false) }; SCRATCHES];

/// Runs `f` with memory to fold in, if some is free.
fn with_scratch<R>(f: impl FnOnce(&mut Scratch) -> R) -> Option<R> {
    for (place, busy) in SCRATCH_AT.iter().zip(&SCRATCH_BUSY) {
        if busy.compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed).is_err() {
            continue;
        }
        let mut at = place.load(Ordering::Acquire);
        if at.is_null() {
            at = sys::memory(size_of::<Scratch>()).map_or(core::ptr::null_mut(), <*mut u8>::cast);
            place.store(at, Ordering::Release);
        }
        // SAFETY: mapped memory of the right size, page-aligned, zero at first, which is a valid
        // value of all its numbers; `busy` makes this thread its only user.
        let done = unsafe { at.as_mut() }.map(f);
        busy.store(false, Ordering::Release);
        return done;
    }
    None
}

/// Moves a thread's records to the log and starts its segment anew.
#[cold]
fn release(thread: &Thread) {
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

/// A thread ends: its records go to the log, its segment to whoever comes next.
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

/// The process ends in order: what is left goes to the log. Calls may still come after this.
pub fn end() {
    if mark() == 0 || here(|thread| thread.busy.get() || thread.muted.get()) {
        return;
    }
    crate::posix::uring::at_end();
    detach();
    here(|thread| thread.busy.set(true));
    write_maps();
    let mut words = [0u8; part::WORDS * 8];
    for (at, to) in words.chunks_exact_mut(8).enumerate() {
        let live = LIVE.load(Ordering::Acquire);
        // SAFETY: the first page is mapped and has room for all words.
        let word = unsafe { (*live.add(at)).load(Ordering::Relaxed) };
        to.copy_from_slice(&word.to_le_bytes());
    }
    let written = append(Kind::End, 0, 0, 0, &words);
    if written.is_some() && RUNNING.load(Ordering::Relaxed) == 0 {
        // All is in the log; a call after this begins a live file of its own.
        sys::unlink(file(b".live").c_str());
        ENDED.store(true, Ordering::Relaxed);
        forget();
    }
    here(|thread| thread.busy.set(false));
}

/// A mark of the program: all its records so far go to the log, with the mark behind them.
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

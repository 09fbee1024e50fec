//! The two files of this process: created at the first recorded call, appended to, left at a fork.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use marigraph_wire::bytes::Writer;
use marigraph_wire::chunk::{Head, Kind, Moment};
use marigraph_wire::op::Op;
use marigraph_wire::part::{self, PAGE, Texts, VERSION, Word};

use super::names::find_or_send;
use super::scratch::{self, with_scratch};
use super::segments::{self, attach, release};
use super::{Count, ENDED, Entry, LIVE, MARK, ON, count, is_on, live_word, mark, put};
use crate::path::Path;
use crate::sys::{self, File};
use crate::text::Text;
use crate::thread::here;
use crate::{clock, environment, files, path};

/// Naps that a thread takes while another begins the part: two seconds in all. One or two suffice
/// except on a crowded machine. In a child cloned without handlers while another thread held
/// [`BEGINNING`], nobody releases it, so the wait must end.
const PATIENCE: u32 = 20_000;
static BEGINNING: AtomicBool = AtomicBool::new(false);
/// Whether libraries were loaded since their list was last written.
static MAPS_CHANGED: AtomicBool = AtomicBool::new(true);
static NEXT_MARK: AtomicU64 = AtomicU64::new(0);

pub(super) struct Names {
    stem: Path,
    pub(super) live: Path,
    log: Path,
    forked_from: Text<128>,
    began: Moment,
}

struct Shared(UnsafeCell<Names>);

// SAFETY: written only by the one thread that holds `BEGINNING`, before `MARK` says that it is valid.
unsafe impl Sync for Shared {}

static PART: Shared = Shared(UnsafeCell::new(Names {
    stem: Path::EMPTY,
    live: Path::EMPTY,
    log: Path::EMPTY,
    forked_from: Text::EMPTY,
    began: Moment { ticks: 0, steady: 0, wall: 0 },
}));

pub(super) fn names() -> &'static Names {
    // SAFETY: read only after the mark was seen, written only before; see `Shared`.
    unsafe { &*PART.0.get() }
}

/// Begins the part of this process, or waits for the thread that is doing so, which takes a few
/// hundred microseconds, once. `None` if the part cannot be created.
#[inline(never)]
pub(super) fn begin() -> Option<()> {
    for _ in 0..PATIENCE {
        if BEGINNING.compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            let done = if mark() != 0 { Some(()) } else { make_part() };
            if done.is_none() {
                // No directory or no space: do not retry at every call.
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
    // The thread that held it is gone; no other thread shall wait as long.
    ON.store(false, Ordering::Release);
    None
}

#[cold]
#[inline(never)]
fn make_part() -> Option<()> {
    let mark = mark_page()?;
    let forked = !LIVE.load(Ordering::Acquire).is_null();
    if forked {
        leave_parents_part();
    }
    // SAFETY: `BEGINNING` is held and the mark is zero, so nobody else touches the names.
    let names = unsafe { &mut *PART.0.get() };
    if forked {
        names.forked_from.truncate(0);
        let stem = names.stem.bytes();
        let start = stem.iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
        let parent = stem.get(start..).unwrap_or(&[]);
        names.forked_from.push(parent);
        names.began = clock::moment();
    }
    let (pid, ..) = sys::ids();
    let mut host = Text::<72>::EMPTY;
    host.fill(|room| Some(sys::host(room)));
    names.stem.truncate(0);
    names.stem.push(environment::directory());
    for text in [b"/", host.bytes()] {
        names.stem.push(text);
    }
    names.stem.push(b".");
    names.stem.push_number(u64::from(pid), 10);
    names.stem.push(b".");
    names.stem.push_number(sys::random() >> 32, 16);
    // Kept ready, so that no caller needs room for a path on the host's stack.
    for (path, ending) in [(&mut names.live, b".live".as_slice()), (&mut names.log, b".log")] {
        path.truncate(0);
        path.push(names.stem.bytes());
        if !path.push(ending) {
            return None;
        }
    }
    let live = File::create(names.live.c_str())?;
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
    } else {
        hold();
    }
    Some(())
}

/// Maps, once, the page that the kernel zeroes in children.
fn mark_page() -> Option<*mut AtomicU64> {
    let found = MARK.load(Ordering::Acquire);
    if !found.is_null() {
        return Some(found);
    }
    let page = sys::memory(PAGE)?;
    if !sys::wipe_on_fork(page, PAGE) {
        // Before Linux 4.14 only the `fork` handler resets children.
        environment::forget_on_fork();
    }
    MARK.store(page.cast(), Ordering::Release);
    Some(page.cast())
}

/// Zeroes the mark: at the end of the process, and after a fork on kernels that do not.
pub fn forget() {
    let mark = MARK.load(Ordering::Acquire);
    if !mark.is_null() {
        // SAFETY: the page stays mapped as long as the process lives.
        unsafe { (*mark).store(0, Ordering::Release) };
    }
}

/// Resets state in a child of `fork`, where the parent's other threads do not exist.
pub fn after_fork() {
    BEGINNING.store(false, Ordering::Release);
    sys::close_inherited();
    here(|thread| {
        thread.busy.set(false);
        thread.muted.set(false);
    });
}

/// Clears `busy` before a jump: a jump out of a signal handler that interrupted the recorder never
/// returns to it.
pub fn jumping() {
    here(|thread| thread.busy.set(false));
}

/// Unmaps a child's copy of its parent's mappings, which are shared with the parent.
#[inline(never)]
fn leave_parents_part() {
    segments::leave_all();
    scratch::free_all();
    let live = LIVE.swap(core::ptr::null_mut(), Ordering::AcqRel);
    if !live.is_null() {
        // SAFETY: as above.
        unsafe { sys::unmap(live.cast(), PAGE) };
    }
    ENDED.store(false, Ordering::Relaxed);
}

#[inline(never)]
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

#[inline(never)]
fn hold() {
    let now = clock::now();
    files::held(|fd, slot| {
        path::with_buffer(|path| {
            path::of_descriptor(fd, path)?;
            let (flags, position) = sys::how_open(fd);
            here(|thread| {
                if thread.mark.get() != mark() && !attach(thread) {
                    return None;
                }
                let name = find_or_send(thread, path.bytes())?;
                let args = [name, flags, position];
                let entry =
                    Entry { op: Op::Held, slot, args, ret: 0, start: now, end: now, site: 0, flags: 0 };
                put(thread, &entry, 0);
                Some(())
            })
        });
    });
}

/// Memory for [`write_identity`]: the stack of a host's thread may have only 16 KiB, that of a
/// signal handler 8.
struct Who {
    out: [u8; 4 * part::TEXT],
    exe: Path,
    directory: Path,
    boot: Text<64>,
    command: Text<2048>,
    variables: Text<2048>,
}

#[cold]
#[inline(never)]
fn write_identity(names: &Names, host: &[u8]) {
    let Some(memory) = sys::memory(size_of::<Who>()) else { return };
    // SAFETY: memory of that size, page-aligned, zero, which is a valid value of all its fields.
    let Who { out, exe, directory, boot, command, variables } = unsafe { &mut *memory.cast::<Who>() };
    let mut writer = Writer::new(out);
    let (pid, parent, uid) = sys::ids();
    exe.fill(|room| sys::read_link(c"/proc/self/exe", room));
    directory.fill(sys::working_directory);
    boot.fill(|room| Some(File::read_only(c"/proc/sys/kernel/random/boot_id")?.read(room)));
    command.fill(|room| Some(File::read_only(c"/proc/self/cmdline")?.read(room)));
    environment::ranks(variables);
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
    // SAFETY: nothing of it is used any more.
    unsafe { sys::unmap(memory, size_of::<Who>()) };
}

#[inline(never)]
pub(super) fn write_maps() {
    if !MAPS_CHANGED.swap(false, Ordering::Relaxed) {
        return;
    }
    let written = with_scratch(|scratch| {
        let maps = File::read_only(c"/proc/self/maps")?;
        // A process may have many thousands of mappings, few of them code: the list passes through
        // a window, and the lines kept go behind it.
        const WINDOW: usize = 1 << 16;
        let (window, kept) = scratch.out.split_at_mut_checked(WINDOW)?;
        let mut writer = Writer::new(kept);
        let mut have = 0;
        loop {
            let got = maps.read(window.get_mut(have..)?);
            have = have.saturating_add(got);
            let text = window.get(..have)?;
            let end = text.iter().rposition(|&byte| byte == b'\n').map_or(have, |at| at.saturating_add(1));
            for line in text.get(..end)?.split(|&byte| byte == b'\n') {
                if line.windows(4).any(|bytes| bytes == b"r-xp") && line.contains(&b'/') {
                    writer.bytes(line);
                    writer.byte(b'\n');
                }
            }
            if got == 0 {
                break;
            }
            window.copy_within(end..have, 0);
            have = have.saturating_sub(end);
        }
        append(Kind::Maps, 0, 0, 0, writer.finish()?)
    });
    if written.flatten().is_none() {
        count(Count::Unwritten);
    }
}

#[inline(never)]
pub(super) fn append(kind: Kind, thread: u32, first: u64, records: u32, content: &[u8]) -> Option<()> {
    let moment = clock::moment();
    let head = Head { kind, thread, first, records, len: content.len() as u32, moment };
    for (word, value) in
        [(Word::LastTicks, moment.ticks), (Word::LastSteady, moment.steady), (Word::LastWall, moment.wall)]
    {
        if let Some(word) = live_word(word) {
            word.store(value, Ordering::Relaxed);
        }
    }
    let log = File::append(names().log.c_str())?;
    log.write_both(&head.to_bytes(content), content)
}

pub fn maps_changed() {
    MAPS_CHANGED.store(true, Ordering::Relaxed);
}

/// When this process was first seen, in nanoseconds since the Unix epoch.
pub fn began() -> u64 {
    names().began.wall
}

pub(super) fn note_start() {
    // SAFETY: nothing is recorded before `ON` is set, so nobody reads.
    unsafe { (*PART.0.get()).began = clock::moment() };
}

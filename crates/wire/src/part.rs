//! The two files of a process: `NAME.live`, mapped into it while it runs, and `NAME.log`, to which
//! it appends chunks.
//!
//! The live file is a page that describes the process and then segments of records, one per
//! running thread. A thread that fills its segment folds it, appends the result to the log and
//! restarts the segment, one turn on. A reader takes the log, then from each segment the
//! records of its present turn, unless the log already has them.

use alloc::string::String;
use alloc::vec::Vec;

use crate::bytes::{Reader, Writer};
use crate::chunk::Moment;
use crate::record::{RECORD, Record};
use crate::segment::RECORDS;

/// First bytes of a live file.
pub const MAGIC: [u8; 8] = *b"mgraphlv";
/// Version of the two files together.
pub const VERSION: u32 = 1;
/// Bytes of the first page.
pub const PAGE: usize = 4096;
/// Bytes of a segment: a head of one record's size, then records.
pub const SEGMENT: usize = PAGE + RECORDS * RECORD;
/// Segments in a live file at most.
pub const SEGMENTS: usize = 1024;

/// Words of the live file's first page, in order of their place; each eight bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Word {
    /// [`MAGIC`].
    Magic,
    /// [`VERSION`].
    Version,
    /// Segments that were ever in use.
    Segments,
    /// Records that could not be kept.
    Lost,
    /// Calls that came while the recorder was at work on the same thread.
    Skipped,
    /// Chunks that could not be written: disk full, directory gone.
    Unwritten,
    /// Opens of files that could not be followed: too many.
    Unfollowed,
    /// Uses of names that the user's own filters leave out.
    Excluded,
    /// Own rank plus one as MPI tells it.
    MpiRank,
    /// Number of ranks as MPI tells it.
    MpiSize,
    /// 1 Open MPI, 2 MPICH and its kin.
    MpiKind,
    /// Last moment that was noted: ticks, steady, wall.
    LastTicks,
    /// See above.
    LastSteady,
    /// See above.
    LastWall,
    /// Entries of rings that the program submitted by its own instruction and that could not be read.
    Unseen,
}

/// Number of words.
pub const WORDS: usize = Word::Unseen as usize + 1;

/// Words of a segment's head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum SegmentWord {
    /// Thread that uses it, plus one; 0 free.
    Thread,
    /// The present turn.
    Turn,
    /// Number of the first record of an even turn among the thread's. Even and odd turns have their
    /// own word, so that one store of the turn makes both it and the number valid.
    First,
    /// The same of an odd turn.
    FirstOdd,
}

/// Who a process is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    /// Process id.
    pub pid: u32,
    /// Parent's.
    pub parent: u32,
    /// Part of the process it was forked from; empty if none.
    pub forked_from: Vec<u8>,
    /// User.
    pub uid: u32,
    /// 1 ticks are nanoseconds of the steady clock, 2 the processor's counter.
    pub clock: u32,
    /// When the process was first seen.
    pub began: Moment,
    /// When its first call was recorded.
    pub opened: Moment,
    /// Host name.
    pub host: Vec<u8>,
    /// Identity of the host's running system.
    pub boot: Vec<u8>,
    /// Program.
    pub exe: Vec<u8>,
    /// Command line, arguments ended by NUL.
    pub command: Vec<u8>,
    /// Working directory.
    pub directory: Vec<u8>,
    /// Environment entries that tell ranks and jobs, ended by NUL.
    pub environment: Vec<u8>,
}

/// The lengths that texts of an identity may have.
pub const TEXT: usize = 4096;

/// Texts of an [`Identity`] as the recorder has them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Texts<'a> {
    /// As in [`Identity`].
    pub forked_from: &'a [u8],
    /// As in [`Identity`].
    pub host: &'a [u8],
    /// As in [`Identity`].
    pub boot: &'a [u8],
    /// As in [`Identity`].
    pub exe: &'a [u8],
    /// As in [`Identity`].
    pub command: &'a [u8],
    /// As in [`Identity`].
    pub directory: &'a [u8],
    /// As in [`Identity`].
    pub environment: &'a [u8],
}

/// Writes an identity without allocating.
pub fn write_identity(
    numbers: [u32; 4],
    began: Moment,
    opened: Moment,
    texts: &Texts<'_>,
    out: &mut Writer<'_>,
) {
    numbers.iter().for_each(|&number| out.varint(u64::from(number)));
    for moment in [began, opened] {
        [moment.ticks, moment.steady, moment.wall].iter().for_each(|&time| out.varint(time));
    }
    let Texts { forked_from, host, boot, exe, command, directory, environment } = *texts;
    for text in [forked_from, host, boot, exe, command, directory, environment] {
        let text = text.get(..TEXT).unwrap_or(text);
        out.varint(text.len() as u64);
        out.bytes(text);
    }
}

/// Reads an identity.
pub fn read_identity(bytes: &[u8]) -> Option<Identity> {
    let mut reader = Reader::new(bytes);
    let mut number = || reader.varint();
    let small = |number: Option<u64>| number.and_then(|number| u32::try_from(number).ok());
    let (pid, parent) = (small(number())?, small(number())?);
    let (uid, clock) = (small(number())?, small(number())?);
    let mut moment = || Some(Moment { ticks: number()?, steady: number()?, wall: number()? });
    let (began, opened) = (moment()?, moment()?);
    let mut text = || reader.count().and_then(|len| reader.bytes(len)).map(<[u8]>::to_vec);
    Some(Identity {
        pid,
        parent,
        uid,
        clock,
        began,
        opened,
        forked_from: text()?,
        host: text()?,
        boot: text()?,
        exe: text()?,
        command: text()?,
        directory: text()?,
        environment: text()?,
    })
}

impl Identity {
    /// An entry of the environment.
    pub fn variable(&self, name: &str) -> Option<String> {
        let entries = self.environment.split(|&byte| byte == 0);
        let value = entries
            .filter_map(|entry| entry.strip_prefix(name.as_bytes()))
            .find_map(|rest| rest.strip_prefix(b"="))?;
        Some(String::from_utf8_lossy(value).into_owned())
    }
}

/// A live file as a reader sees it.
#[derive(Debug, Clone, Copy)]
pub struct Live<'a> {
    bytes: &'a [u8],
}

/// The records of one thread's segment that are in its present turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tail {
    /// Which thread.
    pub thread: u32,
    /// Number of the first record among the thread's.
    pub first: u64,
    /// Records that are whole.
    pub records: Vec<Record>,
}

impl<'a> Live<'a> {
    /// Checks the first page.
    pub fn new(bytes: &'a [u8]) -> Option<Live<'a>> {
        let live = Live { bytes };
        let known = bytes.get(..8)? == MAGIC && live.word(Word::Version)? == u64::from(VERSION);
        known.then_some(live)
    }

    /// A word of the first page.
    pub fn word(&self, word: Word) -> Option<u64> {
        eight(self.bytes, word as usize * 8)
    }

    /// Last moment that was noted.
    pub fn last(&self) -> Option<Moment> {
        Some(Moment {
            ticks: self.word(Word::LastTicks)?,
            steady: self.word(Word::LastSteady)?,
            wall: self.word(Word::LastWall)?,
        })
    }

    /// What is left in the segments.
    pub fn tails(&self) -> impl Iterator<Item = Tail> + use<'a> {
        let count = (self.word(Word::Segments).unwrap_or(0) as usize).min(SEGMENTS);
        let bytes = self.bytes;
        (0..count).filter_map(move |at| {
            let start = PAGE + at * SEGMENT;
            let end = (start + SEGMENT).min(bytes.len());
            tail(bytes.get(start..end)?)
        })
    }
}

fn eight(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes)
}

fn tail(segment: &[u8]) -> Option<Tail> {
    let word = |word: SegmentWord| eight(segment, word as usize * 8);
    let thread = u32::try_from(word(SegmentWord::Thread)?.checked_sub(1)?).ok()?;
    let turn = word(SegmentWord::Turn)? as u16;
    let records = segment.get(PAGE..)?.chunks_exact(RECORD).map_while(|bytes| {
        let record = Record::from_bytes(bytes.try_into().ok()?);
        (record.turn() == turn && record.op != 0).then_some(record)
    });
    let first = if turn.is_multiple_of(2) { SegmentWord::First } else { SegmentWord::FirstOdd };
    Some(Tail { thread, first: word(first)?, records: records.collect() })
}

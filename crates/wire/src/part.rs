//! The two files of a process: `NAME.live`, mapped while it runs, and `NAME.log`, to which it
//! appends chunks.
//!
//! The live file is a page that describes the process, followed by segments of records, one per
//! running thread. A thread that fills its segment folds it, appends the result to the log and
//! restarts the segment with the next turn. A reader takes the log, then from each segment the
//! records of its current turn, unless they are already in the log.

use alloc::string::String;
use alloc::vec::Vec;

use crate::bytes::{Reader, Writer};
use crate::chunk::Moment;
use crate::record::{RECORD, Record};
use crate::segment::RECORDS;

pub const MAGIC: [u8; 8] = *b"mgraphlv";
/// Of both files.
pub const VERSION: u32 = 1;
/// Bytes of the live file's first page, and of a segment's head.
pub const PAGE: usize = 4096;
/// Bytes of a segment: a head of one page, then records.
pub const SEGMENT: usize = PAGE + RECORDS * RECORD;
/// Maximum segments in a live file.
pub const SEGMENTS: usize = 1024;

/// Words of the live file's first page, in order; each has eight bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Word {
    Magic,
    Version,
    /// Segments ever in use.
    Segments,
    /// Records that could not be kept.
    Lost,
    /// Calls made while the recorder itself ran on the thread.
    Skipped,
    /// Chunks that could not be written: disk full, directory gone.
    Unwritten,
    /// Opens that could not be followed: tables full.
    Unfollowed,
    /// Uses of names that the user's filters leave out.
    Excluded,
    /// World rank plus one; 0 unknown.
    MpiRank,
    /// Size of the world; 0 unknown.
    MpiSize,
    /// 1 Open MPI, 2 MPICH and its relatives, 3 another library.
    MpiKind,
    /// Last recorded [`Moment`], in three words.
    LastTicks,
    LastSteady,
    LastWall,
    /// Ring entries that the program submitted with its own instruction and that could not be read.
    Unseen,
}

pub const WORDS: usize = Word::Unseen as usize + 1;

/// Words of a segment's head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum SegmentWord {
    /// The thread that uses it, plus one; 0 free.
    Thread,
    Turn,
    /// Ordinal, within the thread, of the first record of an even turn. Odd turns have their own
    /// word, so that storing the turn makes both it and the ordinal valid at once.
    First,
    /// As [`SegmentWord::First`], for odd turns.
    FirstOdd,
}

/// Identity of a process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    pub pid: u32,
    pub parent: u32,
    /// Name of the part of the process it was forked from; empty if none.
    pub forked_from: Vec<u8>,
    pub uid: u32,
    /// Unit of the ticks: 1 nanoseconds of the monotonic clock, 2 cycles of the processor's
    /// counter.
    pub clock: u32,
    /// When the recorder was loaded.
    pub began: Moment,
    /// When the first call was recorded.
    pub opened: Moment,
    pub host: Vec<u8>,
    pub boot: Vec<u8>,
    pub exe: Vec<u8>,
    /// Arguments, each with a closing NUL.
    pub command: Vec<u8>,
    pub directory: Vec<u8>,
    /// Variables that identify rank and job, each with a closing NUL.
    pub environment: Vec<u8>,
}

/// Maximum bytes of a text of an identity.
pub const TEXT: usize = 4096;

/// Texts of an [`Identity`], borrowed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Texts<'a> {
    pub forked_from: &'a [u8],
    pub host: &'a [u8],
    pub boot: &'a [u8],
    pub exe: &'a [u8],
    pub command: &'a [u8],
    pub directory: &'a [u8],
    pub environment: &'a [u8],
}

/// Does not allocate. `numbers` are pid, parent, uid and clock.
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
    pub fn variable(&self, name: &str) -> Option<String> {
        let entries = self.environment.split(|&byte| byte == 0);
        let value = entries
            .filter_map(|entry| entry.strip_prefix(name.as_bytes()))
            .find_map(|rest| rest.strip_prefix(b"="))?;
        Some(String::from_utf8_lossy(value).into_owned())
    }
}

/// A live file, for reading.
#[derive(Debug, Clone, Copy)]
pub struct Live<'a> {
    bytes: &'a [u8],
}

/// The records of one segment that belong to its current turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tail {
    pub thread: u32,
    /// Ordinal, within the thread, of the first record.
    pub first: u64,
    pub records: Vec<Record>,
}

impl<'a> Live<'a> {
    /// `None` if the magic or the version is wrong.
    pub fn new(bytes: &'a [u8]) -> Option<Live<'a>> {
        let live = Live { bytes };
        let known = bytes.get(..8)? == MAGIC && live.word(Word::Version)? == u64::from(VERSION);
        known.then_some(live)
    }

    pub fn word(&self, word: Word) -> Option<u64> {
        eight(self.bytes, word as usize * 8)
    }

    pub fn last(&self) -> Option<Moment> {
        Some(Moment {
            ticks: self.word(Word::LastTicks)?,
            steady: self.word(Word::LastSteady)?,
            wall: self.word(Word::LastWall)?,
        })
    }

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

//! Watches growing parts. Each look reads little more than what is new: the words of the live page,
//! the heads of its segments, new records, the end of the log.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use marigraph_wire::part::{PAGE, SEGMENT, SEGMENTS, SegmentWord, Tail, WORDS, Word};
use marigraph_wire::record::{RECORD, Record};
use marigraph_wire::segment::RECORDS;

use crate::parts;

/// Maximum number of log bytes per look; the rest waits for the next.
const MOST: u64 = 32 << 20;
/// Records read at a time from a segment.
const BATCH: usize = 128;

/// What is new in a part.
#[derive(Debug, Default)]
pub struct New {
    pub stem: String,
    /// The log from the first byte that was not consumed.
    pub log: Vec<u8>,
    /// Words of the live page; empty if it is gone.
    pub words: Vec<u64>,
    /// Records in segments since the last look.
    pub tails: Vec<Tail>,
}

/// How far a segment was read.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    thread: u64,
    turn: u64,
    records: usize,
}

/// How far a part was read.
#[derive(Debug, Default)]
struct Known {
    consumed: u64,
    segments: Vec<Place>,
    ended: bool,
}

/// Watches the parts of a folder.
#[derive(Debug)]
pub struct Watch {
    folder: PathBuf,
    parts: HashMap<String, Known>,
}

impl Watch {
    /// Reads all parts from the beginning, except `ignored` ones.
    pub fn new(folder: &Path, ignored: &[String]) -> Watch {
        let over = |stem: &String| (stem.clone(), Known { ended: true, ..Known::default() });
        Watch { folder: folder.to_path_buf(), parts: ignored.iter().map(over).collect() }
    }

    /// Passes on what is new in each part; `take` returns how many bytes of the log it used and
    /// whether the process has ended.
    pub fn look(&mut self, take: &mut dyn FnMut(New) -> (usize, bool)) -> io::Result<()> {
        for files in parts::list(&self.folder)? {
            let known = self.parts.entry(files.stem.clone()).or_default();
            if known.ended {
                continue;
            }
            // First the segments, then the log: what is folded in between is in both, never in
            // neither.
            let (words, tails) = files.live.and_then(|path| live(&path, known)).unwrap_or_default();
            let log = files.log.and_then(|path| rest(&path, known.consumed)).unwrap_or_default();
            let (used, ended) = take(New { stem: files.stem, log, words, tails });
            known.consumed += used as u64;
            known.ended = ended;
        }
        Ok(())
    }
}

fn rest(path: &Path, from: u64) -> Option<Vec<u8>> {
    let file = File::open(path).ok()?;
    let len = file.metadata().ok()?.len().checked_sub(from)?.min(MOST);
    if len == 0 {
        return Some(Vec::new());
    }
    let mut bytes = Vec::new();
    let mut file = file;
    io::Seek::seek(&mut file, io::SeekFrom::Start(from)).ok()?;
    file.take(len).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn live(path: &Path, known: &mut Known) -> Option<(Vec<u64>, Vec<Tail>)> {
    let file = File::open(path).ok()?;
    let words = read_words::<WORDS>(&file, 0)?;
    let count = usize::try_from(*words.get(Word::Segments as usize)?).ok()?.min(SEGMENTS);
    known.segments.resize(known.segments.len().max(count), Place::default());
    let mut tails = Vec::new();
    for (at, place) in known.segments.iter_mut().enumerate().take(count) {
        tails.extend(tail(&file, (PAGE + at * SEGMENT) as u64, place));
    }
    Some((words.to_vec(), tails))
}

fn read_words<const N: usize>(file: &File, at: u64) -> Option<[u64; N]> {
    let mut bytes = vec![0; N * 8];
    file.read_exact_at(&mut bytes, at).ok()?;
    let mut words = [0; N];
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = u64::from_le_bytes(bytes.try_into().ok()?);
    }
    Some(words)
}

/// The records of a segment's current turn since the last look.
fn tail(file: &File, start: u64, place: &mut Place) -> Option<Tail> {
    let [thread, turn, even, odd] = read_words::<4>(file, start)?;
    const _: () = assert!(SegmentWord::FirstOdd as usize == 3);
    if (thread, turn) != (place.thread, place.turn) {
        *place = Place { thread, turn, records: 0 };
    }
    let number = u32::try_from(thread.checked_sub(1)?).ok()?;
    let first = if turn.is_multiple_of(2) { even } else { odd };
    let mut records = Vec::new();
    let before = place.records;
    while place.records < RECORDS {
        let batch = BATCH.min(RECORDS - place.records);
        let found =
            whole(file, start + (PAGE + place.records * RECORD) as u64, batch, turn as u16, &mut records);
        place.records += found;
        if found < batch {
            break;
        }
    }
    (!records.is_empty()).then_some(Tail { thread: number, first: first + before as u64, records })
}

/// Reads up to `most` records; returns how many belong to the turn. The first read finds the
/// complete ones, the second takes them: a record may be written while it is read.
fn whole(file: &File, at: u64, most: usize, turn: u16, out: &mut Vec<Record>) -> usize {
    let mut bytes = vec![0; most * RECORD];
    let present = |bytes: &[u8]| {
        let record = Record::from_bytes(bytes.try_into().ok()?);
        (record.turn() == turn && record.op != 0).then_some(record)
    };
    let read = file.read_at(&mut bytes, at).unwrap_or(0);
    let seen = bytes.get(..read).unwrap_or(&[]).chunks_exact(RECORD).map_while(present).count();
    let Some(again) = bytes.get_mut(..seen * RECORD) else { return 0 };
    if seen == 0 || file.read_exact_at(again, at).is_err() {
        return 0;
    }
    let before = out.len();
    out.extend(again.chunks_exact(RECORD).map_while(present));
    out.len() - before
}

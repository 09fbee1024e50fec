//! Synthetic parts for tests, from the recorder's own writers.
#![allow(dead_code)] // each test uses its part

use marigraph_wire::bytes::Writer;
use marigraph_wire::chunk::{Head, Kind, Moment};
use marigraph_wire::op::Op;
use marigraph_wire::part::{MAGIC, PAGE, SEGMENT, SegmentWord, Texts, VERSION, WORDS, Word, write_identity};
use marigraph_wire::record::{NAME_BYTES, RECORD, Record};
use marigraph_wire::segment;

/// Ticks per nanosecond of a synthetic counter.
pub const TICKS: u64 = 3;
/// Monotonic time at which synthetic processes begin.
pub const STEADY: u64 = 5_000_000_000;
pub const WALL: u64 = 1_700_000_000_000_000_000;

/// A synthetic process.
#[derive(Debug, Clone)]
pub struct Made {
    pub stem: String,
    pub host: String,
    pub pid: u32,
    pub exe: String,
    pub forked_from: String,
    pub environment: Vec<String>,
    /// Nanoseconds from the start of the run to the start of the process.
    pub began: u64,
    pub wall: u64,
    pub steady: u64,
    pub clock: u32,
    pub mpi: Option<(u32, u32)>,
    /// Per thread: records in the log, then records in the segment.
    pub threads: Vec<(Vec<Record>, Vec<Record>)>,
    /// Whether the segment still holds what is in the log: killed between append and release.
    pub unreleased: bool,
    pub ended: bool,
    pub maps: String,
}

impl Made {
    pub fn new(pid: u32) -> Made {
        Made {
            stem: format!("node0.{pid}.abcd"),
            host: "node0".to_string(),
            pid,
            exe: "/home/u/app".to_string(),
            forked_from: String::new(),
            environment: Vec::new(),
            began: u64::from(pid) * 1_000,
            wall: WALL,
            steady: STEADY,
            clock: 2,
            mpi: None,
            threads: vec![(Vec::new(), Vec::new())],
            unreleased: false,
            ended: false,
            maps: "400000-500000 r-xp 00001000 08:01 7 /home/u/app\n".to_string(),
        }
    }

    pub fn moment(&self, nanoseconds: u64) -> Moment {
        let steady = self.steady + nanoseconds;
        let ticks = if self.clock == 1 { steady } else { steady * TICKS };
        Moment { ticks, steady, wall: self.wall + nanoseconds }
    }

    /// A call that begins `start` nanoseconds after the start of the run and takes `length`.
    pub fn call(&self, op: Op, slot: u32, [a, b, c]: [i64; 3], ret: i64, start: u64, length: u64) -> Record {
        let (start, end) = (self.moment(start).ticks, self.moment(start + length).ticks);
        let site_turn = Record::site_turn(0x40_1234, 0);
        Record { start, end, site_turn, op: op as u16, depth: 0, flags: 0, slot, a, b, c, ret }
    }

    pub fn writes(&self, name: u32, path: &str, from: u64, writes: u64) -> Vec<Record> {
        let mut records = name_records(name, path.as_bytes());
        records.push(self.call(Op::Open, name, [i64::from(name), 1, 0], 0, from, 10_000));
        for at in 0..writes {
            let start = from + (at + 1) * 1_000_000;
            records.push(self.call(Op::Write, name, [0, 4096, 1], 4096, start, 500_000));
        }
        records
    }

    fn identity(&self) -> Vec<u8> {
        let mut out = vec![0; 1 << 16];
        let mut writer = Writer::new(&mut out);
        let command = format!("{}\0in.nml\0", self.exe);
        let environment: String = self.environment.iter().map(|entry| format!("{entry}\0")).collect();
        let texts = Texts {
            forked_from: self.forked_from.as_bytes(),
            host: self.host.as_bytes(),
            boot: b"boot-1",
            exe: self.exe.as_bytes(),
            command: command.as_bytes(),
            directory: b"/home/u",
            environment: environment.as_bytes(),
        };
        let began = self.moment(self.began);
        write_identity(
            [self.pid, 1, 1000, self.clock],
            began,
            self.moment(self.began + 5_000),
            &texts,
            &mut writer,
        );
        writer.finish().expect("fits").to_vec()
    }

    fn words(&self) -> [u64; WORDS] {
        let mut words = [0; WORDS];
        words[Word::Magic as usize] = u64::from_le_bytes(MAGIC);
        words[Word::Version as usize] = u64::from(VERSION);
        words[Word::Segments as usize] = self.threads.len() as u64;
        if let Some((rank, size)) = self.mpi {
            words[Word::MpiRank as usize] = u64::from(rank) + 1;
            words[Word::MpiSize as usize] = u64::from(size);
        }
        words
    }

    pub fn log(&self) -> Vec<u8> {
        let mut log = Vec::new();
        let identity = self.identity();
        let mut put = |kind, thread, first, records, at, content: &[u8]| {
            let len = content.len() as u32;
            let head = Head { kind, thread, first, records, len, moment: self.moment(at) };
            log.extend(head.to_bytes(content));
            log.extend(content);
        };
        put(Kind::Identity, 0, 0, 0, self.began + 6_000, &identity);
        put(Kind::Maps, 0, 0, 0, self.began + 7_000, self.maps.as_bytes());
        let mut last = self.began + 8_000;
        for (thread, (records, _)) in self.threads.iter().enumerate() {
            let mut first = 0;
            for chunk in records.chunks(segment::RECORDS) {
                let end = chunk.iter().map(|record| record.end).max().unwrap_or(0);
                let scale = if self.clock == 1 { 1 } else { TICKS };
                last = last.max((end / scale).saturating_sub(self.steady) + 1_000);
                let (kind, content) = fold(chunk);
                put(kind, thread as u32, first, chunk.len() as u32, last, &content);
                first += chunk.len() as u64;
            }
        }
        if self.ended {
            let words: Vec<u8> = self.words().iter().flat_map(|word| word.to_le_bytes()).collect();
            put(Kind::End, 0, 0, 0, last + 20_000_000, &words);
        }
        log
    }

    /// `None` after an orderly end.
    pub fn live(&self) -> Option<Vec<u8>> {
        if self.ended {
            return None;
        }
        let mut live = vec![0; PAGE];
        for (at, word) in self.words().iter().enumerate() {
            live[at * 8..at * 8 + 8].copy_from_slice(&word.to_le_bytes());
        }
        for (thread, (logged, tail)) in self.threads.iter().enumerate() {
            let kept = if self.unreleased { logged.len() % segment::RECORDS } else { 0 };
            let records = [logged.get(logged.len() - kept..).unwrap_or(&[]), tail].concat();
            live.extend(segment_bytes(thread as u32, 7, (logged.len() - kept) as u64, &records));
        }
        Some(live)
    }
}

/// A segment in its turn `turn`, with a stale record of the previous turn after its records.
pub fn segment_bytes(thread: u32, turn: u16, first: u64, records: &[Record]) -> Vec<u8> {
    let mut bytes = vec![0; SEGMENT];
    let mut set = |at: usize, value: u64| bytes[at * 8..at * 8 + 8].copy_from_slice(&value.to_le_bytes());
    set(SegmentWord::Thread as usize, u64::from(thread) + 1);
    set(SegmentWord::Turn as usize, u64::from(turn));
    let word = if turn.is_multiple_of(2) { SegmentWord::First } else { SegmentWord::FirstOdd };
    set(word as usize, first);
    let old = Record { op: Op::Write as u16, site_turn: Record::site_turn(1, turn - 1), ..Record::default() };
    let present = records.iter().map(|&record| (record, turn)).chain([(old, turn - 1)]);
    for (at, (mut record, turn)) in present.enumerate().take(segment::RECORDS) {
        record.site_turn = Record::site_turn(record.site(), turn);
        let at = PAGE + at * RECORD;
        bytes[at..at + RECORD].copy_from_slice(&record.to_bytes());
    }
    bytes
}

pub fn fold(records: &[Record]) -> (Kind, Vec<u8>) {
    thread_local! {
        static MEMORY: std::cell::RefCell<Option<Box<segment::Memory>>> = const { std::cell::RefCell::new(None) };
    }
    MEMORY.with_borrow_mut(|memory| {
        let memory = memory.get_or_insert_with(|| Box::new(segment::Memory::NEW));
        let mut out = vec![0; 1 << 20];
        let mut writer = Writer::new(&mut out);
        match segment::encode(records, memory, &mut writer) {
            Some(()) => (Kind::Folded, writer.finish().expect("fits").to_vec()),
            None => (Kind::Plain, records.iter().flat_map(Record::to_bytes).collect()),
        }
    })
}

pub fn name_records(id: u32, text: &[u8]) -> Vec<Record> {
    let count = text.len().max(1).div_ceil(NAME_BYTES);
    let piece = |at: usize| {
        let mut record =
            Record { op: Op::Name as u16, slot: id, start: text.len() as u64, ..Record::default() };
        record.depth = (count - 1 - at) as u8;
        record.set_name_bytes(text.chunks(NAME_BYTES).nth(at).unwrap_or(&[]));
        record
    };
    (0..count).map(piece).collect()
}

//! Text dumps of Recorder traces (`recorder2text`): one file per rank, one call per line,
//! `start end function [level type] ( arguments )`.
//!
//! Files do not name their rank. To join those of a run, put [`heading`] before each; a file alone
//! is that of rank 0. Only POSIX calls that move data are read: what MPI-IO and HDF5 move passes
//! through them. The dump has no return values, so a read counts the bytes it requested.

use std::sync::OnceLock;

use marigraph_model::{
    Direction, Event, FileTable, Job, Module, ModuleInfo, Nanos, Problem, Rank, Reader, Sink, Streamed,
};

use crate::blocks::{blocks_for, plain_job};
use crate::csv::row::{Bad, Ids};

/// A call that moves data, and the indices of its arguments for bytes, offset and file.
struct Call {
    names: &'static [&'static str],
    op: Direction,
    /// Their product is the number of bytes.
    bytes: &'static [usize],
    offset: Option<usize>,
    file: usize,
}

const CALLS: [Call; 8] = [
    Call { names: &["read"], op: Direction::Read, bytes: &[2], offset: None, file: 0 },
    Call { names: &["write"], op: Direction::Write, bytes: &[2], offset: None, file: 0 },
    Call { names: &["pread", "pread64"], op: Direction::Read, bytes: &[2], offset: Some(3), file: 0 },
    Call { names: &["pwrite", "pwrite64"], op: Direction::Write, bytes: &[2], offset: Some(3), file: 0 },
    Call { names: &["readv"], op: Direction::Read, bytes: &[1], offset: None, file: 0 },
    Call { names: &["writev"], op: Direction::Write, bytes: &[1], offset: None, file: 0 },
    Call { names: &["fread"], op: Direction::Read, bytes: &[1, 2], offset: None, file: 3 },
    Call { names: &["fwrite"], op: Direction::Write, bytes: &[1, 2], offset: None, file: 3 },
];

const RANK: &str = "# rank ";
/// A longer first line cannot belong to a dump.
const LONGEST_FIRST_LINE: usize = 4096;

pub fn heading(rank: u32) -> String {
    format!("{RANK}{rank}\n")
}

pub fn sniff(content: &[u8]) -> bool {
    let beginning = &content[..content.len().min(LONGEST_FIRST_LINE)];
    let first = beginning.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    first.and_then(|line| std::str::from_utf8(line).ok()).is_some_and(|line| parse(line).is_ok())
}

enum Line<'l> {
    Rank(u32),
    Moved { op: Direction, times: [Nanos; 2], bytes: u64, offset: Option<u64>, file: &'l str },
    Other,
}

fn parse(line: &str) -> Result<Line<'_>, &'static str> {
    if let Some(rank) = line.strip_prefix(RANK) {
        return rank.trim().parse().map(Line::Rank).map_err(|_| "no rank");
    }
    let (head, arguments) = line.split_once('(').ok_or("no arguments")?;
    let arguments = arguments.trim_end().strip_suffix(')').ok_or("the arguments do not end")?;
    let mut words = head.split_ascii_whitespace();
    let mut time = || {
        let seconds = words.next().and_then(|word| word.parse::<f64>().ok());
        seconds.filter(|seconds| seconds.is_finite()).map(Nanos::from_job_seconds).ok_or("no time")
    };
    let times = [time()?, time()?];
    let name = words.next().ok_or("no function")?;
    let Some(call) = CALLS.iter().find(|call| call.names.contains(&name)) else { return Ok(Line::Other) };
    if times[1] < times[0] {
        return Err("the call ends before it starts");
    }
    let arguments: Vec<&str> = arguments.split_ascii_whitespace().collect();
    let number = |at: &usize| arguments.get(*at).and_then(|text| text.parse::<u64>().ok());
    let product = |sum: u64, at| number(at).and_then(|factor| sum.checked_mul(factor));
    let bytes = call.bytes.iter().try_fold(1, product).ok_or("no number of bytes")?;
    let offset = call.offset.as_ref().and_then(number);
    let file = arguments.get(call.file).copied().unwrap_or("");
    Ok(Line::Moved { op: call.op, times, bytes, offset, file })
}

/// The dump of a run, or of one of its ranks.
pub struct Dump<'a> {
    content: &'a [u8],
    scanned: OnceLock<Scan>,
}

#[derive(Default)]
struct Scan {
    ranks: u32,
    end: Nanos,
    files: FileTable,
}

impl<'a> Dump<'a> {
    /// Nothing is parsed before it is streamed.
    pub fn open(content: &'a [u8]) -> Dump<'a> {
        Dump { content, scanned: OnceLock::new() }
    }

    fn each(&self, mut show: impl FnMut(Event, &str)) -> Bad {
        let (mut bad, mut rank, mut ids) = (Bad::default(), Rank(0), Ids::default());
        for (number, line) in (1u64..).zip(self.content.split(|&byte| byte == b'\n')) {
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            match std::str::from_utf8(line).map_err(|_| "not text").and_then(parse) {
                Ok(Line::Rank(of)) => rank = Rank(of),
                Ok(Line::Other) => {}
                Ok(Line::Moved { op, times: [start, end], bytes, offset, file: name }) => {
                    let (interface, file) = (Module::Posix, ids.of(name.as_bytes()).0);
                    show(
                        Event {
                            interface,
                            direction: op,
                            rank,
                            file,
                            start,
                            end,
                            offset,
                            bytes,
                            thread: None,
                        },
                        name,
                    );
                }
                Err(detail) => bad.add(number, detail.to_string()),
            }
        }
        bad
    }

    fn scan(&self) -> &Scan {
        self.scanned.get_or_init(|| {
            let mut scan = Scan::default();
            self.each(|event, name| {
                scan.ranks = scan.ranks.max(event.rank.0.saturating_add(1));
                scan.end = scan.end.max(event.end);
                scan.files.insert(event.file, name.as_bytes());
            });
            scan
        })
    }
}

impl Reader for Dump<'_> {
    fn format(&self) -> &'static str {
        "recorder-text"
    }
    fn job(&self) -> Job {
        let scan = self.scan();
        plain_job(u64::from(scan.ranks.max(1)), scan.end)
    }
    fn names(&self) -> (FileTable, Vec<Problem>) {
        (self.scan().files.clone(), Vec::new())
    }
    fn modules(&self) -> Vec<ModuleInfo> {
        vec![ModuleInfo { module: Module::DxtPosix, version: 1, partial: false }]
    }
    fn stream(&self, wanted: &dyn Fn(Module) -> bool, sink: &mut dyn Sink) -> Streamed {
        let mut streamed = Streamed::default();
        if !wanted(Module::DxtPosix) {
            return streamed;
        }
        let mut blocks = blocks_for(sink);
        let bad = self.each(|event, _| blocks.push(event));
        streamed.problems.extend(bad.problem());
        streamed.records.insert(Module::DxtPosix, blocks.finish());
        streamed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMP: &str = "0.001000 0.002000 open 1 0 ( /out/a_b 66 438 )\n\
        0.010000 0.020000 MPI_File_write_at 0 1 ( 1-0 0 %p 10 MPI_INT [0_0] )\n\
        0.011000 0.019000 pwrite64 1 0 ( /out/a_b 0x55 40 4096 )\n\
        0.5 0.75 write ( /out/c 0x55 1000 )\n\
        0.5 0.75 fread 1 0 ( 0x55 8 16 /in )\n";

    #[test]
    fn calls_that_move_data_are_taken() {
        assert!(sniff(DUMP.as_bytes()) && sniff(heading(3).as_bytes()));
        let text = format!("{DUMP}{}{DUMP}oops\n1 x write ( 1 2 3 )\n2 1 write ( 1 2 3 )\n", heading(3));
        let trace = Dump::open(text.as_bytes()).to_trace();
        let brief: Vec<(u32, Direction, i64, u64, Option<u64>)> = trace
            .events
            .iter()
            .map(|event| (event.rank.0, event.direction, event.start.0, event.bytes, event.offset))
            .collect();
        let expected = [
            (0, Direction::Write, 11_000_000, 40, Some(4096)),
            (0, Direction::Write, 500_000_000, 1000, None),
            (0, Direction::Read, 500_000_000, 128, None),
        ];
        assert_eq!(brief[..3], expected);
        assert!(brief[3..].iter().zip(expected).all(|(found, of)| found.0 == 3 && found.3 == of.3));
        assert_eq!((trace.job.nprocs, trace.job.runtime_s(), trace.files.len()), (4, 0.75, 3));
        assert_eq!(trace.problems[0].place, "line 12");
        assert!(trace.problems[0].message.starts_with("3 lines"), "{:?}", trace.problems);
    }

    #[test]
    fn other_texts_are_no_dumps() {
        for text in ["", "hello", "f(x)", "1 2", "0,0,1,5,read", "(", "1 2 ( )", "nan 1 read ( a b 3 )"] {
            assert!(!sniff(text.as_bytes()), "{text}");
        }
    }
}

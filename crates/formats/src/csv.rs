//! Operations as a table: `rank,start,end,bytes,op[,file,offset]`, times in seconds.
//!
//! Read in two steps: opening looks at the first lines only, streaming parses line by line, so a
//! table of 10^8 operations needs no more memory than one of ten. What the whole table says of the
//! job (ranks, duration, names) is scanned once when somebody asks.

use std::io::{self, Write};
use std::sync::OnceLock;

use marigraph_model::{
    Event, Events, FileId, FileTable, Job, Module, ModuleInfo, Nanos, Op, Problem, ProblemKind, Rank, Sink,
    WallTime,
};

use crate::darshan::{Streamed, record_id};
use crate::error::Error;
use crate::reader::Reader;

/// The columns in their order; the last two may be missing.
const COLUMNS: [&str; 7] = ["rank", "start", "end", "bytes", "op", "file", "offset"];
/// Columns that must be there.
const NEEDED: usize = 5;

/// An opened table.
pub struct Table<'a> {
    /// The lines after the heading, if there is one.
    lines: &'a [u8],
    /// Number of the first of them in the file, from 1.
    first_line: u64,
    /// Where each of [`COLUMNS`] stands.
    columns: [Option<usize>; 7],
    scanned: OnceLock<Scan>,
}

#[derive(Default)]
struct Scan {
    ranks: u32,
    end: Nanos,
    files: FileTable,
}

/// Whether the bytes begin like such a table.
pub fn sniff(content: &[u8]) -> bool {
    let content = without_mark(content);
    let beginning = &content[..content.len().min(LONGEST_FIRST_LINE)];
    let first = beginning.split(|&byte| byte == b'\n').next().unwrap_or(&[]);
    first.len() < LONGEST_FIRST_LINE
        && std::str::from_utf8(first)
            .is_ok_and(|line| heading(line).is_some() || parse(line, &IN_ORDER).is_ok())
}

/// First lines longer than this are no line of such a table.
const LONGEST_FIRST_LINE: usize = 4096;

/// Without the byte order mark that some programs put first.
fn without_mark(content: &[u8]) -> &[u8] {
    content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content)
}

const IN_ORDER: [Option<usize>; 7] = [Some(0), Some(1), Some(2), Some(3), Some(4), Some(5), Some(6)];

/// Where each column stands, if the line is a heading.
fn heading(line: &str) -> Option<[Option<usize>; 7]> {
    let names: Vec<String> = line.trim().split(',').map(|name| name.trim().to_ascii_lowercase()).collect();
    let columns = COLUMNS.map(|column| names.iter().position(|name| name == column));
    columns[..NEEDED].iter().all(Option::is_some).then_some(columns)
}

impl<'a> Table<'a> {
    /// Looks at the heading.
    pub fn open(content: &'a [u8]) -> Result<Table<'a>, Error> {
        let content = without_mark(content);
        let end = content.iter().position(|&byte| byte == b'\n').unwrap_or(content.len());
        let line = std::str::from_utf8(&content[..end])
            .map_err(|_| Error::Table { line: 1, detail: "not text".into() })?;
        if let Some(columns) = heading(line) {
            let lines = content.get(end + 1..).unwrap_or(&[]);
            return Ok(Table { lines, first_line: 2, columns, scanned: OnceLock::new() });
        }
        parse(line, &IN_ORDER).map_err(|detail| Error::Table { line: 1, detail })?;
        Ok(Table { lines: content, first_line: 1, columns: IN_ORDER, scanned: OnceLock::new() })
    }

    /// Shows every operation; problems of lines that are none.
    fn each(&self, mut show: impl FnMut(Row<'_>)) -> Vec<Problem> {
        let mut bad = (0u64, None);
        for (number, line) in (self.first_line..).zip(self.lines.split(|&byte| byte == b'\n')) {
            let parsed = match std::str::from_utf8(line) {
                Ok(text) if text.trim().is_empty() => continue,
                Ok(text) => parse(text, &self.columns),
                Err(_) => Err("not text".to_string()),
            };
            match parsed {
                Ok(row) => show(row),
                Err(detail) => {
                    bad.0 += 1;
                    bad.1.get_or_insert((number, detail));
                }
            }
        }
        let Some((line, detail)) = bad.1 else { return Vec::new() };
        let message = format!("{} lines are left out; the first: {detail}", bad.0);
        vec![Problem::new(ProblemKind::BadLine, message).at(format!("line {line}"))]
    }

    fn scan(&self) -> &Scan {
        self.scanned.get_or_init(|| {
            let mut scan = Scan::default();
            self.each(|row| {
                scan.ranks = scan.ranks.max(row.rank.saturating_add(1));
                scan.end = scan.end.max(row.end);
                let name = row.file.as_bytes();
                scan.files.insert(record_id(name), name);
            });
            scan
        })
    }
}

impl Reader for Table<'_> {
    fn format(&self) -> &'static str {
        "csv"
    }
    fn version(&self) -> String {
        "1".to_string()
    }
    fn job(&self) -> Job {
        let scan = self.scan();
        let seconds = scan.end.0.max(0);
        let end = WallTime { seconds: seconds / 1_000_000_000, nanos: (seconds % 1_000_000_000) as u32 };
        Job { nprocs: u64::from(scan.ranks), end, ..Job::default() }
    }
    fn names(&self) -> (FileTable, Vec<Problem>) {
        (self.scan().files.clone(), Vec::new())
    }
    fn modules(&self) -> Vec<ModuleInfo> {
        vec![ModuleInfo { module: Module::DxtPosix, version: 1, partial: false }]
    }
    fn open_problems(&self) -> Vec<Problem> {
        Vec::new()
    }
    fn stream(&self, wanted: &dyn Fn(Module) -> bool, sink: &mut dyn Sink) -> Streamed {
        let mut streamed = Streamed::default();
        if !wanted(Module::DxtPosix) {
            return streamed;
        }
        let mut block = Events::default();
        let mut count = 0;
        streamed.problems = self.each(|row| {
            block.push(row.event());
            count += 1;
            if block.len() >= Events::BLOCK {
                sink.events(&block);
                block.clear();
            }
        });
        if !block.is_empty() {
            sink.events(&block);
        }
        streamed.records.insert(Module::DxtPosix, count);
        streamed
    }
}

/// One line.
struct Row<'a> {
    rank: u32,
    start: Nanos,
    end: Nanos,
    bytes: u64,
    op: Op,
    file: std::borrow::Cow<'a, str>,
    offset: Option<u64>,
}

impl Row<'_> {
    fn event(&self) -> Event {
        Event {
            interface: Module::Posix,
            op: self.op,
            rank: Rank(self.rank),
            file: record_id(self.file.as_bytes()),
            start: self.start,
            end: self.end,
            offset: self.offset,
            bytes: self.bytes,
            thread: None,
        }
    }
}

fn parse<'l>(line: &'l str, columns: &[Option<usize>; 7]) -> Result<Row<'l>, String> {
    let fields = split(line.trim_end_matches('\r'));
    let field = |column: usize| columns[column].and_then(|at| fields.get(at)).map(|field| field.trim());
    let needed = |column: usize| field(column).ok_or_else(|| format!("no {}", COLUMNS[column]));
    let seconds = |column: usize| {
        let text = needed(column)?;
        let value: f64 = text.parse().map_err(|_| format!("{} {text:?} is not a number", COLUMNS[column]))?;
        if value.is_finite() {
            Ok(Nanos::from_job_seconds(value))
        } else {
            Err(format!("{} is not finite", COLUMNS[column]))
        }
    };
    let whole = |column: usize| {
        let text = needed(column)?;
        text.parse::<u64>().map_err(|_| format!("{} {text:?} is not a whole number", COLUMNS[column]))
    };
    let rank = u32::try_from(whole(0)?).map_err(|_| "rank is too large".to_string())?;
    let (start, end) = (seconds(1)?, seconds(2)?);
    if end < start {
        return Err("the operation ends before it starts".to_string());
    }
    let op = match needed(4)?.to_ascii_lowercase().as_str() {
        "read" | "r" => Op::Read,
        "write" | "w" => Op::Write,
        other => return Err(format!("op {other:?} is neither read nor write")),
    };
    let offset = field(6).filter(|text| !text.is_empty()).map(|_| whole(6)).transpose()?;
    let file = columns[5].and_then(|at| fields.get(at)).cloned().unwrap_or_default();
    Ok(Row { rank, start, end, bytes: whole(3)?, op, file, offset })
}

/// Splits at commas outside quotes.
fn split(line: &str) -> Vec<std::borrow::Cow<'_, str>> {
    if !line.contains('"') {
        return line.split(',').map(Into::into).collect();
    }
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                if let Some(field) = fields.last_mut() {
                    field.push('"');
                }
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            _ => {
                if let Some(field) = fields.last_mut() {
                    field.push(c);
                }
            }
        }
    }
    fields.into_iter().map(Into::into).collect()
}

/// Writes operations as a table while they stream by.
pub struct Writer<'a> {
    out: &'a mut dyn Write,
    files: &'a FileTable,
    interface: Module,
    /// Operations written.
    pub written: u64,
    /// Operations of other interfaces, left out so that no byte is counted twice.
    pub left_out: u64,
    /// The first failure to write; nothing is written after it.
    pub failure: Option<io::Error>,
}

impl<'a> Writer<'a> {
    /// A writer of the operations of one interface.
    pub fn new(out: &'a mut dyn Write, files: &'a FileTable, interface: Module) -> Writer<'a> {
        let failure = writeln!(out, "{}", COLUMNS.join(",")).err();
        Writer { out, files, interface, written: 0, left_out: 0, failure }
    }

    fn line(&mut self, event: Event) -> io::Result<()> {
        let op = if event.op == Op::Read { "read" } else { "write" };
        let offset = event.offset.map(|at| at.to_string()).unwrap_or_default();
        let (start, end) = (seconds(event.start), seconds(event.end));
        let file = self.name(event.file);
        writeln!(self.out, "{},{start},{end},{},{op},{file},{offset}", event.rank.0, event.bytes)
    }

    fn name(&self, file: FileId) -> String {
        let name = match self.files.name(file) {
            Some(name) => String::from_utf8_lossy(name).into_owned(),
            None => self.files.label(file),
        };
        // A line is an operation: a name with line breaks cannot keep them.
        let name = name.replace(['\n', '\r'], "\u{fffd}");
        if name.contains([',', '"']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name }
    }
}

/// Exact to the nanosecond.
fn seconds(time: Nanos) -> String {
    let sign = if time.0 < 0 { "-" } else { "" };
    let nanos = time.0.unsigned_abs();
    format!("{sign}{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000)
}

impl Sink for Writer<'_> {
    fn events(&mut self, block: &Events) {
        for event in block.iter() {
            if event.interface != self.interface {
                self.left_out += 1;
            } else if self.failure.is_none() {
                self.failure = self.line(event).err();
                self.written += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_model::Trace;

    const SAMPLE: &str =
        "rank,start,end,bytes,op,file,offset\n0,0.5,0.75,4096,write,/a,0\n1,1,1.25,10,read,\"/b,c\",\n";

    fn events(table: &Table<'_>) -> (Trace, Streamed) {
        let mut trace = Trace::default();
        let streamed = table.stream(&|_| true, &mut trace);
        (trace, streamed)
    }

    #[test]
    fn a_table_reads_and_writes_to_the_same() {
        assert!(sniff(SAMPLE.as_bytes()));
        let table = Table::open(SAMPLE.as_bytes()).expect("open");
        let (trace, streamed) = events(&table);
        assert_eq!((trace.events.len(), streamed.problems.len()), (2, 0));
        let job = table.job();
        assert_eq!((job.nprocs, job.runtime_s()), (2, 1.25));
        let (files, _) = table.names();
        let mut out = Vec::new();
        let mut writer = Writer::new(&mut out, &files, Module::Posix);
        trace.stream(&mut writer);
        assert_eq!(writer.written, 2);
        let again = Table::open(&out).expect("open");
        assert_eq!(events(&again).0.events, trace.events);
    }

    #[test]
    fn columns_may_stand_in_any_order_or_have_no_heading() {
        let shuffled = "op,bytes,end,start,rank\nw,5,2,1,7\n";
        let (trace, _) = events(&Table::open(shuffled.as_bytes()).expect("open"));
        let event = trace.events.get(0).expect("event");
        assert_eq!((event.rank, event.bytes, event.op), (Rank(7), 5, Op::Write));
        assert_eq!(events(&Table::open(b"3,0,1,9,read\n").expect("open")).0.events.len(), 1);
    }

    #[test]
    fn bad_lines_are_counted_and_the_first_is_shown() {
        let text = "rank,start,end,bytes,op\n0,0,1,5,read\n0,2,1,5,read\nx,0,1,5,read\n0,0,nan,5,read\n0,0,1,5,chmod\n";
        let (trace, streamed) = events(&Table::open(text.as_bytes()).expect("open"));
        assert_eq!(trace.events.len(), 1);
        assert_eq!(streamed.problems[0].place, "line 3");
        assert!(streamed.problems[0].message.starts_with("4 lines"), "{:?}", streamed.problems);
        assert!(Table::open(b"hello\n").is_err());
        assert!(!sniff(b"hello, world\n") && !sniff(b"") && !sniff(&[0xff; 100]));
    }
}

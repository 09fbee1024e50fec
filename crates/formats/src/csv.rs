//! Reads operations from a table `rank,start,end,bytes,op[,file,offset]`, with times in seconds.
//!
//! Opening looks at the first lines only; streaming parses line by line, so memory use does not
//! depend on the number of operations. What needs the whole table (ranks, duration, names) is
//! scanned once, on demand.

use std::sync::OnceLock;

use marigraph_model::{
    Events, FileTable, Job, Module, ModuleInfo, Nanos, Problem, ProblemKind, Reader, Sink, Streamed,
};

use crate::ahead::ahead;
use crate::blocks::{Blocks, plain_job};
use crate::error::Error;
use crate::inflate::Limits;
use crate::source::Source;

mod lines;
mod quick;
pub(crate) mod row;
mod write;

use lines::Lines;
use row::{Bad, Ids, Layout, Row, each, parse};
pub use write::Writer;

/// An opened table.
pub struct Table<'a> {
    /// Without the heading.
    lines: Lines<'a>,
    /// 1-based line number of the first of `lines`.
    first_line: u64,
    layout: Layout,
    ahead: bool,
    scanned: OnceLock<Scan>,
}

#[derive(Default)]
struct Scan {
    ranks: u32,
    end: Nanos,
    files: FileTable,
}

pub fn sniff(content: &[u8]) -> bool {
    let content = without_mark(content);
    let beginning = &content[..content.len().min(LONGEST_FIRST_LINE)];
    let first = beginning.split(|&byte| byte == b'\n').next().unwrap_or(&[]);
    first.len() < LONGEST_FIRST_LINE
        && std::str::from_utf8(first)
            .is_ok_and(|line| Layout::heading(line).is_some() || parse(line, &Layout::in_order()).is_ok())
}

/// A longer first line cannot belong to such a table.
const LONGEST_FIRST_LINE: usize = 4096;

/// Removes the byte order mark that some programs write.
fn without_mark(content: &[u8]) -> &[u8] {
    content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content)
}

impl<'a> Table<'a> {
    pub fn open(content: &'a [u8], limits: Limits) -> Result<Table<'a>, Error> {
        let (layout, skip, first_line) = beginning(content)?;
        let lines = Lines::Held(content.get(skip..).unwrap_or(&[]));
        Ok(Table { lines, first_line, layout, ahead: limits.read_ahead, scanned: OnceLock::new() })
    }

    /// The same for a table that stays in its source; `content` is its beginning.
    pub fn of(source: &'a dyn Source, content: &[u8], limits: Limits) -> Result<Table<'a>, Error> {
        let (layout, skip, first_line) = beginning(content)?;
        let lines = Lines::Elsewhere(source, skip as u64);
        Ok(Table { lines, first_line, layout, ahead: limits.read_ahead, scanned: OnceLock::new() })
    }

    fn scan(&self) -> &Scan {
        self.scanned.get_or_init(|| {
            let (mut scan, mut ids) = (Scan::default(), Ids::default());
            self.each(|row| {
                scan.ranks = scan.ranks.max(row.rank.saturating_add(1));
                scan.end = scan.end.max(row.end);
                let (id, changed) = ids.of(&row.file);
                if changed || scan.files.is_empty() {
                    scan.files.insert(id, &row.file);
                }
            });
            scan
        })
    }

    fn each(&self, mut show: impl FnMut(&Row<'_>)) -> (Bad, Option<Problem>) {
        let mut bad = Bad { next: self.first_line, ..Bad::default() };
        let mut layout = self.layout.clone();
        let read = self.lines.each_block(|block| {
            let these = each(block, bad.next, &mut layout, &mut show);
            bad = std::mem::take(&mut bad).and(these);
        });
        let line = bad.next;
        let unread = |error: std::io::Error| {
            Problem::new(ProblemKind::Truncated, format!("cannot read the rest: {error}"))
                .at(format!("line {line}"))
        };
        (bad, read.err().map(unread))
    }

    fn blocks(&self, take: impl FnMut(&mut Events)) -> (u64, Vec<Problem>) {
        let (mut blocks, mut ids) = (Blocks::to(take), Ids::default());
        let (bad, unread) = self.each(|row| blocks.push(row.event(ids.of(&row.file).0)));
        (blocks.finish(), bad.problem().into_iter().chain(unread).collect())
    }
}

/// The columns of a table, the number of bytes before its lines, and the number of the first line.
fn beginning(content: &[u8]) -> Result<(Layout, usize, u64), Error> {
    let text = without_mark(content);
    let mark = content.len() - text.len();
    let end = text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len());
    let line =
        std::str::from_utf8(&text[..end]).map_err(|_| Error::Table { line: 1, detail: "not text".into() })?;
    if let Some(layout) = Layout::heading(line) {
        return Ok((layout, mark + end + 1, 2));
    }
    let layout = Layout::in_order();
    parse(line, &layout).map_err(|detail| Error::Table { line: 1, detail })?;
    Ok((layout, mark, 1))
}

impl Reader for Table<'_> {
    fn format(&self) -> &'static str {
        "csv"
    }
    fn job(&self) -> Job {
        let scan = self.scan();
        plain_job(u64::from(scan.ranks), scan.end)
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
        let (count, problems) = if self.ahead {
            ahead(|take| self.blocks(take), |block| sink.events(block))
        } else {
            self.blocks(|block| sink.events(block))
        };
        streamed.problems.extend(problems);
        streamed.records.insert(Module::DxtPosix, count);
        streamed
    }
}

#[cfg(test)]
mod tests;

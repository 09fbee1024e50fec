//! Operations as a table: `rank,start,end,bytes,op[,file,offset]`, times in seconds.
//!
//! Read in two steps: opening looks at the first lines only, streaming parses line by line, so a
//! table of 10^8 operations needs no more memory than one of ten. What the whole table says of the
//! job (ranks, duration, names) is scanned once when somebody asks.

use std::sync::OnceLock;

use marigraph_model::{FileTable, Job, Module, ModuleInfo, Nanos, Problem, Sink};

use crate::blocks::{Blocks, plain_job};
use crate::darshan::Streamed;
use crate::error::Error;
use crate::reader::Reader;

mod quick;
pub(crate) mod row;
mod write;

use row::{Ids, Layout, each, parse};
pub use write::Writer;

/// An opened table.
pub struct Table<'a> {
    /// The lines after the heading, if there is one.
    lines: &'a [u8],
    /// Number of the first of them in the file, from 1.
    first_line: u64,
    layout: Layout,
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
            .is_ok_and(|line| Layout::heading(line).is_some() || parse(line, &Layout::in_order()).is_ok())
}

/// First lines longer than this are no line of such a table.
const LONGEST_FIRST_LINE: usize = 4096;

/// Without the byte order mark that some programs put first.
fn without_mark(content: &[u8]) -> &[u8] {
    content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content)
}

impl<'a> Table<'a> {
    /// Looks at the heading.
    pub fn open(content: &'a [u8]) -> Result<Table<'a>, Error> {
        let content = without_mark(content);
        let end = content.iter().position(|&byte| byte == b'\n').unwrap_or(content.len());
        let line = std::str::from_utf8(&content[..end])
            .map_err(|_| Error::Table { line: 1, detail: "not text".into() })?;
        if let Some(layout) = Layout::heading(line) {
            let lines = content.get(end + 1..).unwrap_or(&[]);
            return Ok(Table { lines, first_line: 2, layout, scanned: OnceLock::new() });
        }
        let layout = Layout::in_order();
        parse(line, &layout).map_err(|detail| Error::Table { line: 1, detail })?;
        Ok(Table { lines: content, first_line: 1, layout, scanned: OnceLock::new() })
    }

    fn scan(&self) -> &Scan {
        self.scanned.get_or_init(|| {
            let (mut scan, mut ids) = (Scan::default(), Ids::default());
            each(self.lines, self.first_line, &self.layout, |row| {
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
        plain_job(u64::from(scan.ranks), scan.end)
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
        let (mut blocks, mut ids) = (Blocks::new(sink), Ids::default());
        let bad = each(self.lines, self.first_line, &self.layout, |row| {
            blocks.push(row.event(ids.of(&row.file).0));
        });
        streamed.problems.extend(bad.problem());
        streamed.records.insert(Module::DxtPosix, blocks.finish());
        streamed
    }
}

#[cfg(test)]
mod tests;

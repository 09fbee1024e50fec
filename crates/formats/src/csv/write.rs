//! Writes operations as lines of a table.

use std::io::{self, Write};

use marigraph_model::{Direction, Event, Events, FileId, FileTable, Module, Nanos, Sink};

use super::row::COLUMNS;

/// Writes operations as a table while they are streamed.
pub struct Writer<'a> {
    out: &'a mut dyn Write,
    files: &'a FileTable,
    interface: Module,
    pub written: u64,
    /// Operations of other interfaces, left out so that no byte is counted twice.
    pub left_out: u64,
    /// The first write error; nothing is written after it.
    pub failure: Option<io::Error>,
}

impl<'a> Writer<'a> {
    pub fn new(out: &'a mut dyn Write, files: &'a FileTable, interface: Module) -> Writer<'a> {
        let failure = writeln!(out, "{}", COLUMNS.join(",")).err();
        Writer { out, files, interface, written: 0, left_out: 0, failure }
    }

    fn line(&mut self, event: Event) -> io::Result<()> {
        let op = if event.direction == Direction::Read { "read" } else { "write" };
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
        // A line is an operation: a name cannot keep its line breaks.
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

//! Stream calls.
//!
//! As with descriptors, Darshan keeps one position per file and process. The three standard streams
//! have records from the first stream call on, opened once and without time; those that moved
//! nothing are left out in the end.

use marigraph_model::counters::stdio as at;
use marigraph_model::{Call, Direction, Module, Slot};
use marigraph_wire::op::Op;

use super::file::Moved;
use super::process::Process;
use super::row::{Row, stamps};
use super::slots::{Open, OpenFile};
use super::tally::{At, Flow, Meta, Moves};
use super::usage::Sums;

/// Names of the standard streams, by descriptor.
const STANDARD: [&[u8]; 3] = [b"<STDIN>", b"<STDOUT>", b"<STDERR>"];

#[derive(Debug, Default)]
pub(super) struct File {
    opens: i64,
    fdopens: i64,
    reads: i64,
    writes: i64,
    seeks: i64,
    flushes: i64,
    read: Flow,
    write: Flow,
    highest_read: i64,
    highest_written: i64,
    meta: Meta,
    position: i64,
}

impl File {
    fn opened(&mut self, at: At) {
        self.opens += 1;
        self.meta.opened(at);
    }

    /// `whole` says that Darshan has the bytes as an unsigned number. Then nothing, moved at the very
    /// start, has its last byte at the far end of all numbers, and the highest byte is -1 from there
    /// on: such a counter is as good as not measured, here as there.
    fn moved(&mut self, way: Direction, bytes: i64, whole: bool, at: At) {
        self.flow(way).add(bytes, at.start, at.end);
        self.reach(way, bytes, whole);
    }

    fn flow(&mut self, way: Direction) -> &mut Flow {
        match way {
            Direction::Read => &mut self.read,
            Direction::Write => &mut self.write,
        }
    }

    fn reach(&mut self, way: Direction, bytes: i64, whole: bool) {
        self.position = self.position.saturating_add(bytes);
        let last = self.position.saturating_sub(1);
        let highest = match way {
            Direction::Read => &mut self.highest_read,
            Direction::Write => &mut self.highest_written,
        };
        if (whole && (*highest as u64) < last as u64) || (!whole && *highest < last) {
            *highest = last;
        }
    }

    fn seeked(&mut self, position: i64, at: At) {
        self.position = position;
        self.seeks += 1;
        self.meta.other(at);
    }

    pub(super) fn row(&self) -> Row {
        let mut row = Row::new(Module::Stdio);
        for (idx, value) in [
            (at::OPENS, self.opens),
            (at::FDOPENS, self.fdopens),
            (at::READS, self.reads),
            (at::WRITES, self.writes),
            (at::SEEKS, self.seeks),
            (at::FLUSHES, self.flushes),
            (at::MAX_BYTE_READ, self.highest_read),
            (at::MAX_BYTE_WRITTEN, self.highest_written),
        ] {
            row.int(idx, value);
        }
        row.flow(Direction::Read, &self.read);
        row.flow(Direction::Write, &self.write);
        row.meta(&self.meta, &stamps!(at));
        row
    }
}

/// Streams have a position, and accesses follow it.
impl Sums for File {
    fn opens(&mut self) -> (&mut i64, &mut Meta) {
        (&mut self.opens, &mut self.meta)
    }

    fn others(&mut self) -> [Option<&mut i64>; 2] {
        [Some(&mut self.seeks), None]
    }

    fn reset(&mut self) {
        self.position = 0;
    }

    fn moved_times(&mut self, moves: &Moves) {
        let Moves { way, bytes, times, .. } = *moves;
        *(if way == Direction::Read { &mut self.reads } else { &mut self.writes }) += times.count;
        self.flow(way).add_times(bytes, &times);
        self.reach(way, bytes, true);
        self.reach(way, bytes.saturating_mul(times.count - 1), true);
    }
}

impl Process<'_> {
    pub(super) fn stdio(&mut self, call: &Call) {
        self.standard_records();
        // That one is a note of the recorder, not a call that makes Darshan look at streams.
        self.streams |= call.op != Op::Standard;
        let at = At::of(call);
        if call.op == Op::Fclose {
            return self.fclose(call);
        }
        if call.ret < 0 {
            return;
        }
        let [_, _, c] = call.args;
        match call.op {
            Op::Fopen => {
                let row = self.fopen(call);
                self.slots.open(call.slot, OpenFile { stdio: row, ..OpenFile::default() }, Open::default());
            }
            Op::Fdopen => self.fdopen(call),
            Op::Freopen => self.freopen(call),
            Op::Standard => self.standard_stream(call),
            Op::Fflush => {
                let row = self.stream(call.slot);
                if let Some(file) = self.stdio.get(row) {
                    file.flushes += 1;
                    file.moved(Direction::Write, 0, false, at);
                }
            }
            Op::Fseek | Op::Fsetpos => {
                let row = self.stream(call.slot);
                self.stdio.get(row).into_iter().for_each(|file| file.seeked(c, at));
            }
            Op::Rewind => {
                let row = self.stream(call.slot);
                self.stdio.get(row).into_iter().for_each(|file| file.seeked(0, at));
            }
            _ => self.stream_data(call),
        }
    }

    fn stream_data(&mut self, call: &Call) {
        let counts = match call.op {
            // Nothing taken at the end of the file still counts, nothing matched does not: then the
            // first argument is 1.
            Op::Fscanf => call.args[0] != 1,
            // A line that begins with a NUL is of no length; the first argument says that there was one.
            Op::Fgets => call.ret > 0 || call.args[0] == 1,
            // An empty text is a write of nothing, an empty format is none.
            Op::Fputs => true,
            _ => call.ret > 0,
        };
        let Some(way) = call.op.direction().filter(|_| counts) else { return };
        let (at, row) = (At::of(call), self.stream(call.slot));
        let Some(file) = self.stdio.get(row) else { return };
        *(if way == Direction::Read { &mut file.reads } else { &mut file.writes }) += 1;
        let whole = matches!(call.op, Op::Fread | Op::Fwrite | Op::Fgets | Op::Fputs);
        let offset = file.position;
        file.moved(way, call.ret, whole, at);
        self.stdio_heat.add(way, call.ret, at.start, at.end);
        if self.counter.trail.streams {
            let file = self.stdio.file(row);
            let moved = Moved { way, offset: None, bytes: call.ret.max(0), unaligned: false, at };
            self.trail(Module::Stdio, file, Some(offset), &moved);
        }
    }

    fn stream(&mut self, slot: Slot) -> Option<u32> {
        self.slots.get(slot)?.stdio
    }

    fn standard_records(&mut self) {
        if self.standard {
            return;
        }
        self.standard = true;
        for name in STANDARD {
            if let Some(file) = self.files.path(name, &self.counter.options) {
                self.stdio.row(file, || File { opens: 1, ..File::default() });
            }
        }
    }

    fn standard_stream(&mut self, call: &Call) {
        let name = usize::try_from(call.args[0]).ok().and_then(|at| STANDARD.get(at));
        let file = name.and_then(|name| self.files.path(name, &self.counter.options));
        let row = file.and_then(|file| self.stdio.find(file));
        let file = OpenFile { stdio: row, standard: true, ..OpenFile::default() };
        self.slots.open(call.slot, file, Open::default());
    }

    fn fopen(&mut self, call: &Call) -> Option<u32> {
        let file = self.file_of(call.names().next())?;
        let row = Some(self.stdio.row(file, File::default));
        if let Some(file) = self.stdio.get(row) {
            file.position = 0;
            file.opened(At::of(call));
        }
        row
    }

    /// The stream gets the record of its descriptor's file, if that is followed; the position of
    /// the record stays.
    fn fdopen(&mut self, call: &Call) {
        let under = call.other_slot().unwrap_or_default();
        let descriptor = self.posix_row(under);
        let file = self.posix.file(descriptor);
        let row = file.map(|file| self.stdio.row(file, File::default));
        if let Some(file) = self.stdio.get(row) {
            file.fdopens += 1;
            file.opened(At::of(call));
        }
        let stream = OpenFile { posix: descriptor, stdio: row, under, ..OpenFile::default() };
        match self.slots.get(under) {
            Some(OpenFile { open, .. }) => self.slots.alias(call.slot, OpenFile { open, ..stream }),
            None => self.slots.open(call.slot, stream, Open::default()),
        }
    }

    /// The old stream is closed without being counted as closed. Without a name the stream stays
    /// with its file.
    fn freopen(&mut self, call: &Call) {
        let old = call.other_slot().unwrap_or_default();
        let stream = if call.names().any(|name| self.names.contains_key(&name)) {
            OpenFile { stdio: self.fopen(call), ..OpenFile::default() }
        } else {
            self.slots.get(old).unwrap_or_default()
        };
        self.slots.close(old);
        self.slots.open(call.slot, stream, Open::default());
    }

    /// Counted whether it succeeded or not. The descriptor below goes with it, unseen.
    fn fclose(&mut self, call: &Call) {
        let row = self.stream(call.slot);
        if let Some(file) = self.stdio.get(row) {
            file.meta.closed(At::of(call));
        }
        if let Some(stream) = self.slots.close(call.slot).filter(|stream| stream.under != Slot::NONE) {
            self.slots.close(stream.under);
        }
    }
}

//! Descriptor calls.
//!
//! Counters follow Darshan's idea of the position ([`File`]); operations of the trace have the true
//! position of their descriptor, which is kept here.

use std::ops::RangeInclusive;

use marigraph_model::{Call, Direction, Module, Slot};
use marigraph_wire::op::{Ending, Op, Role};
use marigraph_wire::record::Record;

use super::file::{File, Moved};
use super::process::{Pending, Process};
use super::slots::{Open, OpenFile};
use super::tally::At;

const O_CREAT: i64 = 0o100;
const O_EXCL: i64 = 0o200;
const O_TRUNC: i64 = 0o1000;
const O_APPEND: i64 = 0o2000;
const MS_SYNC: i64 = 4;
const S_IFMT: i64 = 0o170_000;
const S_IFREG: i64 = 0o100_000;
/// Requests in flight that are followed; a program that never asks for results must not fill memory.
const MAX_REQUESTS: usize = 1 << 16;

#[derive(Debug, Clone, Copy)]
pub(super) struct Request {
    op: Op,
    slot: Slot,
    /// Negative the position.
    offset: i64,
    asked: i64,
    start: i64,
    flags: u8,
}

impl Process<'_> {
    pub(super) fn posix(&mut self, call: &Call) {
        // These two end something even when they fail.
        match call.op {
            Op::Close => return self.close(call),
            Op::AioReturn => return self.aio_return(call),
            _ if call.ret < 0 => return,
            _ => {}
        }
        let at = At::of(call);
        let [_, b, c] = call.args;
        match call.op {
            Op::Open => self.open(call),
            Op::Dup => self.dup(call),
            Op::Fileno => self.fileno(call),
            Op::Lseek => self.seek(call),
            Op::Truncate | Op::Ftruncate => self.resize(call),
            Op::Fsync => self.synced(call.slot, false, at),
            Op::Fdatasync | Op::SyncFileRange => self.synced(call.slot, true, at),
            Op::Msync if c & MS_SYNC != 0 => self.synced(call.slot, true, at),
            Op::Mmap => {
                let row = self.posix_row(call.slot);
                self.posix.get(row).into_iter().for_each(|file| file.mmaps += 1);
            }
            Op::Stat | Op::Lstat | Op::Fstat | Op::Statx => self.stat(call),
            Op::Rename => self.rename(call),
            Op::SetFlags => {
                if let Some(file) = self.slots.get(call.slot)
                    && let Some(open) = self.slots.description(&file)
                {
                    open.append = b & O_APPEND != 0;
                }
            }
            op if op.reads() && op.writes() => self.copy(call),
            op if op.ending() == Ending::Request => self.submit(call),
            _ => {}
        }
    }

    /// A read or write: the path that must be short.
    #[inline]
    pub(super) fn transfer(&mut self, slot: Slot, moved: &Moved) {
        if moved.bytes < 0 {
            return;
        }
        let Some(opened) = self.slots.get(slot).filter(|opened| opened.posix.is_some()).or_else(|| {
            self.posix_row(slot)?;
            self.slots.get(slot)
        }) else {
            return;
        };
        let row = opened.posix;
        let Some(file) = self.posix.get(row) else { return };
        file.moved(moved);
        let size = &mut file.size;
        let mut truth = moved.offset.unwrap_or(0);
        if let Some(open) = self.slots.description(&opened) {
            truth = if open.append && moved.way == Direction::Write && *size >= 0 {
                *size
            } else {
                moved.offset.unwrap_or(open.position)
            };
            let end = truth.saturating_add(moved.bytes);
            if moved.offset.is_none() {
                open.position = end;
            }
            if moved.way == Direction::Write && *size >= 0 {
                *size = end.max(*size);
            }
        }
        self.posix_heat.add(moved.way, moved.bytes, moved.at.start, moved.at.end);
        if self.counter.trail.wanted {
            let file = self.posix.file(row);
            self.trail(Module::Posix, file, Some(truth), moved);
        }
    }

    /// The row of a slot. Descriptors below streams have a slot of their own once the program asked
    /// for them; a descriptor call on the stream's slot itself means that it knew without asking. The
    /// three standard streams are then left alone: plain writes to descriptor 1 are nothing Darshan
    /// counts.
    pub(super) fn posix_row(&mut self, slot: Slot) -> Option<u32> {
        let mut opened = self.slots.get(slot)?;
        if opened.posix.is_none() && opened.stdio.is_some() && !opened.standard {
            let file = self.stdio.file(opened.stdio)?;
            opened.posix = self.posix_file(file);
            self.slots.put(slot, opened);
        }
        opened.posix
    }

    /// Asking a stream for its descriptor opens the stream's file once more, and the standard streams
    /// too: then what goes through the descriptor counts.
    fn fileno(&mut self, call: &Call) {
        let Some(above) = call.other_slot() else { return };
        let Some(mut stream) = self.slots.get(above).filter(|file| !file.standard || self.streams) else {
            return;
        };
        let file = self.stdio.file(stream.stdio);
        let row = file.and_then(|file| self.posix_file(file));
        if let Some(file) = self.posix.get(row) {
            file.filenos += 1;
            file.opened(At::of(call));
        }
        if self.slots.get(call.slot).is_none() {
            let descriptor = OpenFile { posix: row, open: stream.open, ..OpenFile::default() };
            self.slots.alias(call.slot, descriptor);
        }
        if stream.under == Slot::NONE {
            stream.under = call.slot;
            self.slots.put(above, stream);
        }
    }

    pub(super) fn posix_file(&mut self, file: u32) -> Option<u32> {
        let (_, path) = self.files.get(file)?;
        let block_size = self.block_size;
        // Names in brackets are of no file system.
        Some(self.posix.row(file, || File::new(if path.starts_with(b"<") { -1 } else { block_size(path) })))
    }

    fn open(&mut self, call: &Call) {
        let [_, flags_mode, size] = call.args;
        let (flags, mode) = (flags_mode & 0xffff_ffff, flags_mode >> 32 & 0xffff_ffff);
        let row = self.file_of(call.names().next()).and_then(|file| self.posix_file(file));
        if let Some(file) = self.posix.get(row) {
            // `mkstemp` has a mode that its caller never named.
            let named = flags & O_CREAT != 0 && !(call.flags & Record::IMPLIED != 0 && flags & O_EXCL != 0);
            if named && mode != 0 {
                file.mode = mode;
            }
            file.position = 0;
            file.forget_last();
            file.size = if flags & O_TRUNC != 0 { 0 } else { size };
            file.opened(At::of(call));
        }
        let open = Open { append: flags & O_APPEND != 0, ..Open::default() };
        self.slots.open(call.slot, OpenFile { posix: row, ..OpenFile::default() }, open);
    }

    /// Counted whether it succeeded or not.
    fn close(&mut self, call: &Call) {
        self.end_rings(call.slot..=call.slot);
        let row = self.slots.get(call.slot).and_then(|file| file.posix);
        if let Some(file) = self.posix.get(row) {
            file.forget_last();
            file.meta.closed(At::of(call));
        }
        self.slots.close(call.slot);
    }

    fn dup(&mut self, call: &Call) {
        let row = self.posix_row(call.slot);
        if let Some(file) = self.posix.get(row) {
            file.dups += 1;
            file.opened(At::of(call));
        }
        let Some(new) = call.other_slot() else { return };
        if let Some(file) = self.slots.get(call.slot).filter(|_| new != call.slot) {
            // The alias is a descriptor, even of a stream's.
            self.slots.alias(new, OpenFile { posix: file.posix, open: file.open, ..OpenFile::default() });
        }
    }

    fn seek(&mut self, call: &Call) {
        let row = self.posix_row(call.slot);
        if let Some(file) = self.posix.get(row) {
            file.seeks += 1;
            file.position = call.ret;
            file.meta.other(At::of(call));
        }
        if let Some(file) = self.slots.get(call.slot)
            && let Some(open) = self.slots.description(&file)
        {
            open.position = call.ret;
        }
    }

    /// Not counted, but appends go by the size.
    fn resize(&mut self, call: &Call) {
        let row = match call.op {
            Op::Truncate => self.file_of(call.names().next()).and_then(|file| self.posix.find(file)),
            _ => self.posix_row(call.slot),
        };
        if let Some((file, size)) = self.posix.get(row).zip(call.arg(Role::Size)) {
            file.size = size;
        }
    }

    fn synced(&mut self, slot: Slot, data_only: bool, at: At) {
        let row = self.posix_row(slot);
        if let Some(file) = self.posix.get(row) {
            file.synced(data_only, at);
        }
    }

    /// Only regular files count, and of those also such that were never opened. The kind found is
    /// 0 if the recorder did not say.
    fn stat(&mut self, call: &Call) {
        let kind = call.arg(Role::KindFound).unwrap_or(0) & S_IFMT;
        if kind != 0 && kind != S_IFREG {
            return;
        }
        let row = if call.op == Op::Fstat {
            self.posix_row(call.slot)
        } else {
            self.file_of(call.names().next()).and_then(|file| self.posix_file(file))
        };
        if let Some(file) = self.posix.get(row) {
            file.stats += 1;
            file.meta.other(At::of(call));
        }
    }

    /// Counts where the old name has a record. The time belongs to the old name alone.
    fn rename(&mut self, call: &Call) {
        let mut names = call.names();
        let Some(old) = self.file_of(names.next()) else { return };
        let row = self.posix.find(old);
        let Some(file) = self.posix.get(row) else { return };
        file.rename_sources += 1;
        file.meta.other(At::of(call));
        let old = self.files.get(old).map_or(0, |(id, _)| id.0 as i64);
        let row = self.file_of(names.next()).and_then(|file| self.posix_file(file));
        if let Some(file) = self.posix.get(row) {
            file.rename_targets += 1;
            if file.renamed_from == 0 {
                file.renamed_from = old;
            }
        }
    }

    /// A copy inside the kernel is a read of the source and a write of the target, of one duration.
    fn copy(&mut self, call: &Call) {
        let read = Moved {
            way: Direction::Read,
            offset: call.arg(Role::Offset).filter(|&at| at >= 0),
            bytes: call.ret,
            unaligned: false,
            at: At::of(call),
        };
        self.transfer(call.slot, &read);
        let Some(target) = call.other_slot() else { return };
        let write = Moved { way: Direction::Write, offset: None, ..read };
        if call.op == Op::Sendfile {
            self.transfer(target, &write);
        } else if target != Slot::NONE {
            // Where in the target is in the row that follows.
            self.wait_for(Pending::Copy { target, write });
        }
    }

    fn submit(&mut self, call: &Call) {
        // The clock runs from the return of the call that submitted it.
        let ([offset, asked, number], start) = (call.args, call.end.0);
        let request = Request { op: call.op, slot: call.slot, offset, asked, start, flags: call.flags };
        if self.requests.len() < MAX_REQUESTS {
            self.requests.insert(number, request);
            if call.op.is_in_ring() {
                self.rings.insert((call.slot, number));
            }
        } else {
            self.ended(&request, asked, start);
        }
    }

    fn aio_return(&mut self, call: &Call) {
        let Some(mut request) = self.requests.remove(&call.args[2]) else { return };
        request.flags |= call.flags;
        self.rings.remove(&(request.slot, call.args[2]));
        self.ended(&request, call.ret, call.end.0);
    }

    fn ended(&mut self, request: &Request, bytes: i64, end: i64) {
        let at = At { start: request.start, end };
        match request.op.direction() {
            Some(way) => {
                let offset = Some(request.offset).filter(|&offset| offset >= 0);
                let unaligned = request.flags & Record::UNALIGNED != 0;
                self.transfer(request.slot, &Moved { way, offset, bytes, unaligned, at });
            }
            // What a ring was asked for is whether data suffice.
            None if bytes >= 0 => {
                let data_only = request.op.is_in_ring() && request.asked != 0;
                self.synced(request.slot, data_only, at);
            }
            None => {}
        }
    }

    /// Counts entries of rings whose result was not seen before the file was closed or the process
    /// ended: the kernel completes what was submitted. Requests of `aio` count when they are
    /// returned, as in Darshan.
    pub(super) fn end_rings(&mut self, slots: RangeInclusive<Slot>) {
        let entries = (*slots.start(), i64::MIN)..=(*slots.end(), i64::MAX);
        let left: Vec<(Slot, i64)> = self.rings.range(entries).copied().collect();
        for entry in left {
            self.rings.remove(&entry);
            if let Some(request) = self.requests.remove(&entry.1) {
                self.ended(&request, request.asked, request.start);
            }
        }
    }
}

//! The sums of descriptor calls on one file.
//!
//! Darshan keeps one position per file and process, not per descriptor, and positioned reads and
//! writes move it too. Counters that depend on where an access lies follow that.

use marigraph_model::counters::posix as at;
use marigraph_model::{Direction, Module};

use super::row::{Row, stamps};
use super::tally::{At, Common, Flow, Meta, Moves, Times, Turns};
use super::usage::Sums;

/// Memory alignment that Darshan checks for, unless told otherwise.
const ALIGNMENT: i64 = 8;

#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) opens: i64,
    pub(super) filenos: i64,
    pub(super) dups: i64,
    pub(super) seeks: i64,
    pub(super) stats: i64,
    pub(super) mmaps: i64,
    pub(super) fsyncs: i64,
    pub(super) fdsyncs: i64,
    pub(super) rename_sources: i64,
    pub(super) rename_targets: i64,
    pub(super) renamed_from: i64,
    pub(super) mode: i64,
    pub(super) read: Side,
    pub(super) write: Side,
    pub(super) turns: Turns,
    pub(super) unaligned_memory: i64,
    pub(super) unaligned_file: i64,
    pub(super) block: i64,
    pub(super) sizes: Common<1>,
    pub(super) strides: Common<1>,
    pub(super) meta: Meta,
    /// Darshan's idea of the position.
    pub(super) position: i64,
    /// Bytes in the file as far as this process can know; negative unknown.
    pub(super) size: i64,
}

#[derive(Debug, Default)]
pub(super) struct Side {
    pub(super) calls: i64,
    pub(super) flow: Flow,
    pub(super) highest: i64,
    pub(super) consecutive: i64,
    pub(super) sequential: i64,
    /// Last byte of the access before; 0 also stands for none, as in Darshan.
    pub(super) last_byte: i64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Moved {
    pub(super) way: Direction,
    /// Where; `None` the position.
    pub(super) offset: Option<i64>,
    pub(super) bytes: i64,
    pub(super) unaligned: bool,
    pub(super) at: At,
}

impl File {
    pub(super) fn new(block: i64) -> File {
        File { block, size: -1, ..File::default() }
    }

    pub(super) fn opened(&mut self, at: At) {
        self.opens += 1;
        self.meta.opened(at);
    }

    /// An open or a close ends what an access is compared with.
    pub(super) fn forget_last(&mut self) {
        self.read.last_byte = 0;
        self.write.last_byte = 0;
    }

    pub(super) fn moved(&mut self, moved: &Moved) {
        let Moved { way, bytes, at, .. } = *moved;
        let offset = moved.offset.unwrap_or(self.position);
        let side = self.side(way);
        let last = side.last_byte;
        side.sequential += i64::from(offset > last);
        side.consecutive += i64::from(offset == last.saturating_add(1));
        let stride = if offset > 0 && offset > last && last != 0 { offset - last - 1 } else { 0 };
        let end = offset.saturating_add(bytes);
        side.last_byte = end.saturating_sub(1);
        side.highest = side.highest.max(side.last_byte);
        side.calls += 1;
        side.flow.add(bytes, at.start, at.end);
        self.position = end;
        self.sizes.add([bytes]);
        self.strides.add([stride]);
        self.unaligned_memory += i64::from(moved.unaligned);
        self.unaligned_file += i64::from(self.block > 0 && offset % self.block != 0);
        self.turns.add(way);
    }

    #[inline]
    fn side(&mut self, way: Direction) -> &mut Side {
        match way {
            Direction::Read => &mut self.read,
            Direction::Write => &mut self.write,
        }
    }

    /// Write-back counts as time of writing.
    pub(super) fn synced(&mut self, data_only: bool, at: At) {
        *(if data_only { &mut self.fdsyncs } else { &mut self.fsyncs }) += 1;
        self.write.flow.timer.add(at.start, at.end);
    }

    pub(super) fn row(&self) -> Row {
        let mut row = Row::new(Module::Posix);
        self.calls(&mut row);
        self.places(&mut row);
        self.order(&mut row);
        self.flows(&mut row);
        row.common(Module::Posix.roles().access, &self.sizes.top());
        row.common(Module::Posix.roles().stride, &self.strides.top());
        row.meta(&self.meta, &stamps!(at));
        row
    }

    pub(super) fn flows(&self, row: &mut Row) {
        row.flow(Direction::Read, &self.read.flow);
        row.flow(Direction::Write, &self.write.flow);
    }

    /// How often an access followed the one before.
    pub(super) fn order(&self, row: &mut Row) {
        for (idx, value) in [
            (at::CONSEC_READS, self.read.consecutive),
            (at::CONSEC_WRITES, self.write.consecutive),
            (at::SEQ_READS, self.read.sequential),
            (at::SEQ_WRITES, self.write.sequential),
        ] {
            row.int(idx, value);
        }
    }

    fn calls(&self, row: &mut Row) {
        for (idx, value) in [
            (at::OPENS, self.opens),
            (at::FILENOS, self.filenos),
            (at::DUPS, self.dups),
            (at::READS, self.read.calls),
            (at::WRITES, self.write.calls),
            (at::SEEKS, self.seeks),
            (at::STATS, self.stats),
            (at::MMAPS, self.mmaps),
            (at::FSYNCS, self.fsyncs),
            (at::FDSYNCS, self.fdsyncs),
            (at::RENAME_SOURCES, self.rename_sources),
            (at::RENAME_TARGETS, self.rename_targets),
            (at::RENAMED_FROM, self.renamed_from),
            (at::MODE, self.mode),
        ] {
            row.int(idx, value);
        }
    }

    /// Where accesses lay, in the file and in memory.
    fn places(&self, row: &mut Row) {
        for (idx, value) in [
            (at::MAX_BYTE_READ, self.read.highest),
            (at::MAX_BYTE_WRITTEN, self.write.highest),
            (at::RW_SWITCHES, self.turns.count),
            (at::MEM_NOT_ALIGNED, self.unaligned_memory),
            (at::MEM_ALIGNMENT, ALIGNMENT),
            (at::FILE_NOT_ALIGNED, self.unaligned_file),
            (at::FILE_ALIGNMENT, self.block),
        ] {
            row.int(idx, value);
        }
    }
}

/// Accesses of a run after which all others count alike. A last byte of zero stands for none; the
/// second access can still have it: that of nothing at byte 1.
const BEGINNING: i64 = 3;

impl Sums for File {
    fn opens(&mut self) -> (&mut i64, &mut Meta) {
        (&mut self.opens, &mut self.meta)
    }

    fn others(&mut self) -> [Option<&mut i64>; 2] {
        [Some(&mut self.seeks), Some(&mut self.stats)]
    }

    fn reset(&mut self) {
        self.position = 0;
        self.forget_last();
    }

    fn moved_times(&mut self, moves: &Moves) {
        let Moves { way, offset, step, bytes, times } = *moves;
        let place = |n: i64| offset.saturating_add(step.saturating_mul(n));
        for (n, at) in (0..).zip(times.beginning(BEGINNING)) {
            self.moved(&Moved { way, offset: Some(place(n)), bytes, unaligned: false, at });
        }
        let count = times.count - BEGINNING;
        if count <= 0 {
            return;
        }
        let end = place(times.count - 1).saturating_add(bytes);
        let side = self.side(way);
        side.sequential += if step >= bytes { count } else { 0 };
        side.consecutive += if step == bytes { count } else { 0 };
        side.last_byte = end.saturating_sub(1);
        side.highest = side.highest.max(side.last_byte);
        side.calls += count;
        side.flow.add_times(bytes, &Times { first: times.nth(BEGINNING), count, ..times });
        self.position = end;
        self.sizes.add_times([bytes], count);
        self.strides.add_times([step.saturating_sub(bytes).max(0)], count);
        if self.block > 0 {
            self.unaligned_file += count - multiples(place(BEGINNING), step, count, self.block);
        }
    }
}

/// How many of `count` numbers, which begin at `first` and lie `step` apart, are multiples of `block`.
fn multiples(first: i64, step: i64, count: i64, block: i64) -> i64 {
    let (first, step, block) = (i128::from(first), i128::from(step), i128::from(block));
    // Euclid's algorithm: `common` becomes the greatest common divisor, and step * factor is
    // congruent to it.
    let (mut common, mut rest) = (block, step.rem_euclid(block));
    let (mut factor, mut next) = (0, 1);
    while rest != 0 {
        let times = common / rest;
        (common, rest) = (rest, common - times * rest);
        (factor, next) = (next, factor - times * next);
    }
    if first % common != 0 {
        return 0;
    }
    let every = block / common;
    let skipped = (-(first / common) * factor).rem_euclid(every);
    let left = i128::from(count) - skipped;
    i64::try_from((left + every - 1).div_euclid(every).max(0)).unwrap_or(count)
}

//! What a process did to an object, told in batches of equal calls: for who knows that much and no
//! more. A batch costs the same however many calls it has.

use std::ops::Range;

use marigraph_model::{Direction, FileId, Module, Nanos, Rank, Record, Records};

use super::row::Row;
use super::tally::{At, Meta, Moves, Times};
use super::{file, h5, mpiio, pnetcdf, stdio};
use crate::Aggregate;

/// Permissions of the files, as most programs ask for them.
const MODE: i64 = 0o644;

/// What one process did to one object through one interface.
#[derive(Debug, Clone, PartialEq)]
pub struct Usage {
    pub through: Through,
    /// The file that a dataset or variable belongs to.
    pub parent: Option<FileId>,
    /// In any order: they count in order of their ends.
    pub batches: Vec<Batch>,
}

/// An interface, and how it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Through {
    Posix {
        /// Bytes of a block of the file system.
        block: u64,
    },
    Stdio,
    MpiIo {
        /// By collective opens, reads and writes.
        collective: bool,
    },
    /// A file of HDF5, above MPI-IO.
    Hdf5File,
    Hdf5Dataset,
    PnetcdfFile,
    /// A variable of it, by independent calls.
    PnetcdfVariable,
}

/// Calls of one kind that fill a time, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batch {
    pub what: What,
    /// 0 has no effect.
    pub times: u64,
    pub start: Nanos,
    pub end: Nanos,
}

/// A kind of call. Interfaces leave out what they do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Open,
    Close,
    Seek,
    Stat,
    Move(Direction, Place),
}

/// Where reads or writes of equal size lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Where the first begins.
    pub offset: u64,
    pub bytes: u64,
    /// How far each begins behind the one before: `bytes` follow each other, more leave gaps, 0 stays.
    pub step: u64,
}

/// Sums of an interface that take many calls at once.
pub(super) trait Sums {
    /// Where opens count, and the times around the data.
    fn opens(&mut self) -> (&mut i64, &mut Meta);

    /// Where seeks and stats count.
    fn others(&mut self) -> [Option<&mut i64>; 2] {
        [None, None]
    }

    /// An open or a close puts positions back.
    fn reset(&mut self) {}

    fn moved_times(&mut self, _: &Moves) {}
}

impl Through {
    pub fn module(self) -> Module {
        match self {
            Through::Posix { .. } => Module::Posix,
            Through::Stdio => Module::Stdio,
            Through::MpiIo { .. } => Module::MpiIo,
            Through::Hdf5File => Module::H5f,
            Through::Hdf5Dataset => Module::H5d,
            Through::PnetcdfFile => Module::PnetcdfFile,
            Through::PnetcdfVariable => Module::PnetcdfVar,
        }
    }
}

impl Usage {
    /// The record of one rank that did this.
    pub fn record(&self, file: FileId, rank: Rank) -> Records {
        let row = self.row();
        let Record { module, scope, ints, floats, extra, .. } = row.record(file, rank);
        let mut records = Records::new(module);
        records.push(file, scope, ints.iter().copied(), floats.iter().copied(), extra.clone());
        records
    }

    fn row(&self) -> Row {
        let mut row = match self.through {
            Through::Posix { block } => {
                self.counted(file::File { mode: MODE, ..file::File::new(number(block)) }).row()
            }
            Through::Stdio => self.counted(stdio::File::default()).row(),
            Through::MpiIo { collective } => {
                self.counted(mpiio::Plain { sums: mpiio::File::default(), collective }).sums.row()
            }
            Through::Hdf5File => self.counted(h5::File::above_mpi()).row(),
            Through::Hdf5Dataset => self.counted(h5::Dataset::default()).row(),
            Through::PnetcdfFile => self.counted(pnetcdf::File::default()).row(),
            Through::PnetcdfVariable => self.counted(pnetcdf::Variable::default()).row(),
        };
        self.parent.into_iter().for_each(|file| row.parent(file));
        row
    }

    fn counted<S: Sums>(&self, mut sums: S) -> S {
        let mut batches: Vec<&Batch> = self.batches.iter().filter(|batch| batch.times > 0).collect();
        batches.sort_by_key(|batch| (batch.end, batch.start));
        // Ends of the last read, write and other call.
        let mut until = [0; 3];
        for batch in batches {
            let kind = match batch.what {
                What::Move(Direction::Read, _) => 0,
                What::Move(Direction::Write, _) => 1,
                _ => 2,
            };
            let mut done = 0;
            for times in batch.pieces(until[kind]) {
                add(&mut sums, batch.what, done, times);
                done += times.count;
            }
            until[kind] = batch.end.0;
        }
        sums
    }
}

fn add(sums: &mut impl Sums, what: What, done: i64, times: Times) {
    match what {
        What::Open | What::Close => {
            sums.reset();
            let (opens, meta) = sums.opens();
            if what == What::Open {
                *opens += times.count;
                meta.opened_times(&times);
            } else {
                meta.closed_times(&times);
            }
        }
        What::Seek | What::Stat => {
            if let Some(calls) = &mut sums.others()[usize::from(what == What::Stat)] {
                **calls += times.count;
                sums.opens().1.timer.add_times(&times);
            }
        }
        What::Move(way, place) => {
            let (step, bytes) = (number(place.step), number(place.bytes));
            let offset = number(place.offset).saturating_add(step.saturating_mul(done));
            sums.moved_times(&Moves { way, offset, step, bytes, times });
        }
    }
}

impl Batch {
    /// The calls in pieces of equal duration. A process does one thing at a time: while it is busy
    /// until some moment, only the first call has begun.
    fn pieces(&self, until: i64) -> impl Iterator<Item = Times> {
        let (start, end, count) = (self.start.0, self.end.0.max(self.start.0), number(self.times));
        let waits = i64::from(start < until && count > 1);
        let from = if waits > 0 { until.min(end) } else { start };
        let left = count - waits;
        // What does not divide evenly makes the first ones longer.
        let (each, longer) = ((end - from) / left, (end - from) % left);
        let piece = |start: i64, each: i64, count: i64| Times {
            first: At { start, end: start + each },
            count,
            pace: each,
        };
        [
            piece(start, from - start, waits),
            piece(from, each + 1, longer),
            piece(from + (each + 1) * longer, each, left - longer),
        ]
        .into_iter()
        .filter(|times| times.count > 0)
    }
}

/// The record of an object that all ranks used: what the ranks of each group did, who did the same.
pub fn shared(file: FileId, groups: &[(Range<u32>, Usage)]) -> Option<Records> {
    let module = groups.first()?.1.through.module();
    let mut all = Aggregate::of_ranks(module);
    for (ranks, usage) in groups {
        all.add_equal(usage.row().record(file, Rank(ranks.start)), ranks.len() as u64);
    }
    let mut records = Records::new(module);
    all.push_shared(&mut records);
    Some(records)
}

fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

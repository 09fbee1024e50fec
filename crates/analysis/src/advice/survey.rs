//! Gathers what the rules need beside the sums, in one pass.

use std::collections::HashMap;

use marigraph_model::counters::{mpiio, posix};
use marigraph_model::{
    Direction, Events, FileId, FileMap, Layout, Module, Record, Records, SIZE_BINS, Scope, Sink,
};

use super::cost::{SMALL_BINS, saved_by_joining};
use super::extents::Extents;
use super::thresholds::Thresholds;
use crate::usage::bump;

pub(super) fn side(op: Direction) -> usize {
    usize::from(op == Direction::Write)
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Way {
    pub(super) small: u64,
    pub(super) bytes: u64,
    /// Highest offset plus one: an upper bound of the distinct bytes.
    pub(super) extent: u64,
    pub(super) seconds: f64,
    /// Seconds, over all ranks, that joining small accesses would save. Computed per record,
    /// because accesses are similar within a file but not across files.
    pub(super) joinable_s: f64,
    /// Bytes of the ranks that moved least and most, where ranks are distinguished.
    pub(super) least: u64,
    pub(super) most: u64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct PosixFile {
    pub(super) id: FileId,
    pub(super) ways: [Way; 2],
    pub(super) unaligned: u64,
    /// Accesses in records whose mean access is far below the block size.
    pub(super) below_block: u64,
    /// Ranks with records of their own.
    pub(super) ranks: u32,
    pub(super) shared: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct SharedRecord {
    pub(super) file: FileId,
    pub(super) slowest_rank: Option<u32>,
    pub(super) bytes: u64,
    pub(super) seconds: f64,
    pub(super) fastest_bytes: u64,
    pub(super) slowest_bytes: u64,
    /// Missing in logs of some releases.
    pub(super) fastest_s: Option<f64>,
    pub(super) slowest_s: Option<f64>,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SharedSizes {
    pub(super) sizes: [u64; SIZE_BINS],
    pub(super) bytes: u64,
    pub(super) joinable_s: f64,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BelowBlock {
    pub(super) calls: u64,
    pub(super) bytes: u64,
    pub(super) seconds: f64,
    pub(super) block: u64,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MpiCalls {
    pub(super) independent: u64,
    /// Including split collectives.
    pub(super) collective: u64,
    /// Including split collectives, which also leave time for computation.
    pub(super) nonblocking: u64,
    /// Seconds that joining small accesses would save, over all ranks.
    pub(super) joinable_s: f64,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RankIo {
    pub(super) bytes: u64,
    pub(super) seconds: f64,
}

/// Collects what the rules need beside [`crate::usage::JobUsage`] and [`crate::files::Files`].
///
/// Memory grows with the files in POSIX records and with ranks. Single operations need memory only
/// for separate pieces of files.
#[derive(Debug, Clone)]
pub struct Survey {
    pub(super) thresholds: Thresholds,
    pub(super) files: Vec<PosixFile>,
    index: FileMap<u32>,
    pub(super) shared: Vec<SharedRecord>,
    pub(super) shared_sizes: [SharedSizes; 2],
    pub(super) slow_metadata: Vec<(FileId, Scope, f64)>,
    pub(super) below_block: BelowBlock,
    pub(super) mpi: [MpiCalls; 2],
    pub(super) mpi_views: u64,
    pub(super) independent: FileMap<[u64; 2]>,
    pub(super) ranks: HashMap<u32, RankIo>,
    /// Bytes that cannot be attributed to a single rank.
    pub(super) by_several: u64,
    pub(super) extents: Extents,
    pub(super) stripes: FileMap<u64>,
}

impl Survey {
    pub fn new(thresholds: Thresholds) -> Survey {
        Survey {
            thresholds,
            files: Vec::new(),
            index: FileMap::new(),
            shared: Vec::new(),
            shared_sizes: Default::default(),
            slow_metadata: Vec::new(),
            below_block: BelowBlock::default(),
            mpi: Default::default(),
            mpi_views: 0,
            independent: FileMap::new(),
            ranks: HashMap::new(),
            by_several: 0,
            extents: Extents::default(),
            stripes: FileMap::new(),
        }
    }

    pub(super) fn has_records(&self, file: FileId) -> bool {
        self.index.contains_key(&file)
    }

    fn file(&mut self, id: FileId) -> &mut PosixFile {
        let next = self.files.len();
        let at = *self.index.entry(id).or_insert(u32::try_from(next).unwrap_or(u32::MAX)) as usize;
        if at >= next {
            let ways = Default::default();
            self.files.push(PosixFile { id, ways, unaligned: 0, below_block: 0, ranks: 0, shared: false });
        }
        let last = self.files.len() - 1;
        &mut self.files[at.min(last)]
    }

    fn add_posix(&mut self, record: Record<'_>) {
        let below = self.add_block(record);
        let file = self.file(record.file);
        let alone = file.ranks == 0;
        for op in [Direction::Read, Direction::Write] {
            file.ways[side(op)].add(record, op, alone);
        }
        bump(&mut file.unaligned, record.int(posix::FILE_NOT_ALIGNED).amount());
        bump(&mut file.below_block, below);
        match record.scope {
            Scope::Shared => file.shared = true,
            Scope::Rank(_) => file.ranks = file.ranks.saturating_add(1),
        }
        if record.scope == Scope::Shared {
            self.add_shared(record);
        }
        let meta_s = record.seconds(record.module.roles().meta_time);
        if meta_s > self.thresholds.metadata_s {
            self.slow_metadata.push((record.file, record.scope, meta_s));
        }
    }

    fn add_shared(&mut self, record: Record<'_>) {
        let seconds = |idx| record.float(idx).get();
        self.shared.push(SharedRecord {
            file: record.file,
            slowest_rank: record.int(posix::SLOWEST_RANK).get().and_then(|rank| u32::try_from(rank).ok()),
            bytes: moved(record),
            seconds: io_seconds(record),
            fastest_bytes: record.int(posix::FASTEST_RANK_BYTES).amount(),
            slowest_bytes: record.int(posix::SLOWEST_RANK_BYTES).amount(),
            fastest_s: seconds(posix::F_FASTEST_RANK_TIME),
            slowest_s: seconds(posix::F_SLOWEST_RANK_TIME),
        });
        for op in [Direction::Read, Direction::Write] {
            let of = &mut self.shared_sizes[side(op)];
            for (bin, sum) in of.sizes.iter_mut().enumerate() {
                bump(sum, size_count(record, op, bin));
            }
            bump(&mut of.bytes, of_direction(record, op).0);
            of.joinable_s += joinable_seconds(record, op);
        }
    }

    /// Adds the accesses of a record if they are far below the block size; returns their number.
    fn add_block(&mut self, record: Record<'_>) -> u64 {
        let roles = record.module.roles();
        let calls = record.sum(roles.reads).saturating_add(record.sum(roles.writes));
        let block = record.int(posix::FILE_ALIGNMENT).amount();
        let bytes = moved(record);
        if calls == 0 || bytes as f64 > calls as f64 * block as f64 * self.thresholds.block_part {
            return 0;
        }
        let below = &mut self.below_block;
        bump(&mut below.calls, calls);
        bump(&mut below.bytes, bytes);
        below.seconds += record.seconds(roles.read_time) + record.seconds(roles.write_time);
        below.block = below.block.max(block);
        calls
    }

    fn add_mpi(&mut self, record: Record<'_>) {
        let count = |idx| record.int(idx).amount();
        let [read, write] = &mut self.mpi;
        for (way, independent, collective, split, nonblocking) in [
            (read, mpiio::INDEP_READS, mpiio::COLL_READS, mpiio::SPLIT_READS, mpiio::NB_READS),
            (write, mpiio::INDEP_WRITES, mpiio::COLL_WRITES, mpiio::SPLIT_WRITES, mpiio::NB_WRITES),
        ] {
            bump(&mut way.independent, count(independent));
            bump(&mut way.collective, count(collective).saturating_add(count(split)));
            bump(&mut way.nonblocking, count(nonblocking).saturating_add(count(split)));
        }
        for op in [Direction::Read, Direction::Write] {
            self.mpi[side(op)].joinable_s += joinable_seconds(record, op);
        }
        bump(&mut self.mpi_views, count(mpiio::VIEWS));
        let independent = [count(mpiio::INDEP_READS), count(mpiio::INDEP_WRITES)];
        if independent != [0, 0] {
            let of_file = self.independent.entry(record.file).or_default();
            of_file.iter_mut().zip(independent).for_each(|(sum, more)| bump(sum, more));
        }
    }

    /// Attributes the bytes to a rank. A shared record allows that only if one rank moved all of
    /// them.
    fn add_rank(&mut self, record: Record<'_>) {
        let (bytes, seconds) = (moved(record), io_seconds(record));
        let slowest = |record: Record<'_>| {
            let all = record.module == Module::Posix
                && bytes > 0
                && record.int(posix::SLOWEST_RANK_BYTES).amount() == bytes;
            record.int(posix::SLOWEST_RANK).get().filter(|_| all).and_then(|rank| u32::try_from(rank).ok())
        };
        let rank = match record.scope {
            Scope::Rank(rank) => Some(rank.0),
            Scope::Shared => slowest(record),
        };
        match rank {
            Some(rank) => {
                let of_rank = self.ranks.entry(rank).or_default();
                bump(&mut of_rank.bytes, bytes);
                of_rank.seconds += seconds;
            }
            None => bump(&mut self.by_several, bytes),
        }
    }
}

impl Sink for Survey {
    fn records(&mut self, block: &Records) {
        let interface = block.module();
        for record in block.iter() {
            match interface {
                Module::Posix => self.add_posix(record),
                Module::MpiIo => self.add_mpi(record),
                _ => {}
            }
            // Bytes through MPI-IO appear in POSIX again, and terminal output is not a job's I/O.
            let bottom = matches!(interface, Module::Posix | Module::Stdio | Module::Dfs);
            if bottom && !record.file.is_standard_stream() {
                self.add_rank(record);
            }
        }
    }

    fn events(&mut self, block: &Events) {
        self.extents.add(block);
    }

    fn layout(&mut self, layout: &Layout) {
        let targets = layout.components.iter().map(|component| component.targets.len() as u64).sum();
        self.stripes.insert(layout.file, targets);
    }
}

impl Way {
    fn add(&mut self, record: Record<'_>, op: Direction, first_of_ranks: bool) {
        let (bytes, seconds) = of_direction(record, op);
        (0..SMALL_BINS).for_each(|bin| bump(&mut self.small, size_count(record, op, bin)));
        bump(&mut self.bytes, bytes);
        self.seconds += seconds;
        self.joinable_s += joinable_seconds(record, op);
        let highest = if op == Direction::Read { posix::MAX_BYTE_READ } else { posix::MAX_BYTE_WRITTEN };
        if bytes > 0 {
            self.extent = self.extent.max(record.int(highest).amount().saturating_add(1));
        }
        if matches!(record.scope, Scope::Rank(_)) {
            self.most = self.most.max(bytes);
            self.least = if first_of_ranks { bytes } else { self.least.min(bytes) };
        }
    }
}

fn size_count(record: Record<'_>, op: Direction, bin: usize) -> u64 {
    let first = record.module.roles().size_bins;
    first.map_or(0, |first| record.int(first.plus(side(op) * SIZE_BINS + bin)).amount())
}

fn joinable_seconds(record: Record<'_>, op: Direction) -> f64 {
    let (bytes, seconds) = of_direction(record, op);
    let sizes: [u64; SIZE_BINS] = std::array::from_fn(|bin| size_count(record, op, bin));
    seconds * saved_by_joining(&sizes, bytes)
}

fn of_direction(record: Record<'_>, op: Direction) -> (u64, f64) {
    let roles = record.module.roles();
    match op {
        Direction::Write => (record.amount(roles.bytes_written), record.seconds(roles.write_time)),
        _ => (record.amount(roles.bytes_read), record.seconds(roles.read_time)),
    }
}

fn moved(record: Record<'_>) -> u64 {
    of_direction(record, Direction::Read).0.saturating_add(of_direction(record, Direction::Write).0)
}

fn io_seconds(record: Record<'_>) -> f64 {
    let meta = record.seconds(record.module.roles().meta_time);
    of_direction(record, Direction::Read).1 + of_direction(record, Direction::Write).1 + meta
}

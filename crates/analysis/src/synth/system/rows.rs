//! Accesses of a run's processes to its files, in the form the counter takes.

use marigraph_model::{Direction, FileId, Nanos, Records, Scope};

use super::super::ranks::{groups, part};
use super::bulk::Bulk;
use crate::count::{Batch, Place, Through, Usage, What, shared};

pub const BLOCK: u64 = 4 << 20;

/// Time of the last process and of all others, relative to the slowest, which is the first.
const PACES: [f64; 2] = [0.4, 0.7];

/// Time of I/O.
#[derive(Debug, Clone, Copy)]
pub struct Seconds {
    /// In opens, closes, seeks and the like.
    pub metadata: f64,
    pub read: f64,
    pub write: f64,
}

impl Seconds {
    /// Divides seconds as the run does: metadata by its share, the rest by bytes.
    pub fn of(bulk: &Bulk, seconds: f64) -> Seconds {
        let (read, write) = (bulk.reads.bytes() as f64, bulk.writes.bytes() as f64);
        let data = seconds * (1.0 - bulk.metadata);
        let part = |bytes: f64| if bytes > 0.0 { data * bytes / (read + write) } else { 0.0 };
        Seconds { metadata: seconds * bulk.metadata, read: part(read), write: part(write) }
    }
}

/// Reads or writes of equal size.
#[derive(Debug, Clone, Copy, Default)]
pub struct Accesses {
    pub count: u64,
    pub size: u64,
    /// Accesses at a higher offset than the one before.
    pub sequential: u64,
    /// Accesses that do not start at a block. If none is sequential, the first is aligned: it is at
    /// the start of the file.
    pub unaligned: u64,
}

impl Accesses {
    pub fn map(self, change: impl Fn(u64) -> u64) -> Accesses {
        let [count, sequential, unaligned] = [self.count, self.sequential, self.unaligned].map(change);
        Accesses { count, sequential, unaligned, ..self }
    }

    /// Ranks that share the accesses: at most one per sequential access.
    fn ranks(self, nprocs: u64) -> u64 {
        self.sequential.clamp(1, nprocs)
    }

    /// Offsets that give the required sequential and unaligned accesses: some stay at the start,
    /// the next are consecutive, the next leave gaps, the last go back and stay there.
    fn places(self) -> [(u64, Place); 5] {
        let Accesses { count, size: bytes, sequential, unaligned } = self;
        let moving = unaligned.min(sequential);
        let staying = unaligned - moving;
        // With an odd size, consecutive accesses reach the start of a block again after `BLOCK`
        // accesses.
        let following = (sequential / 2).min(moving).min(BLOCK - 1);
        let gap = (bytes / BLOCK + 1) * BLOCK;
        let first = bytes | 1;
        let beyond = ((first + following * bytes) / BLOCK + 1) * BLOCK;
        let place = |offset, step| Place { offset, bytes, step };
        [
            (count - sequential - staying, place(0, 0)),
            (following, place(first, bytes)),
            (moving - following, place(beyond + 1, gap)),
            (sequential - moving, place(beyond + (moving - following) * gap, gap)),
            (staying, place(1, 0)),
        ]
    }
}

/// Accesses of a process to a file, or of all processes together if they share it.
#[derive(Debug, Clone, Copy)]
pub struct Use {
    pub accesses: [Accesses; 2],
    pub seconds: Seconds,
    /// When the file is opened, since the start of the run.
    pub start_s: f64,
    pub nprocs: u64,
}

impl Use {
    /// When accesses that take this many seconds start.
    pub fn start_s(runtime_s: f64, seconds: f64) -> f64 {
        (runtime_s - seconds).max(0.0) * 0.1
    }

    pub fn lasting(self, share: f64) -> Use {
        let Seconds { metadata, read, write } = self.seconds;
        Use {
            seconds: Seconds { metadata: metadata * share, read: read * share, write: write * share },
            ..self
        }
    }

    pub fn record(
        &self,
        through: Through,
        file: FileId,
        parent: Option<FileId>,
        scope: Scope,
    ) -> Option<Records> {
        let usage = |used: Use| Usage { through, parent, batches: used.batches() };
        if let Scope::Rank(rank) = scope {
            return Some(usage(*self).record(file, rank));
        }
        let firsts = self.accesses.iter().flat_map(|some| {
            let ranks = some.ranks(self.nprocs);
            [ranks, some.count % ranks, some.sequential % ranks, some.unaligned % ranks]
        });
        let groups: Vec<_> = groups(self.nprocs, firsts.chain([1, self.nprocs - 1]))
            .into_iter()
            .map(|ranks| (ranks.clone(), usage(self.of_rank(ranks.start.into()))))
            .collect();
        shared(file, &groups)
    }

    /// The share of one process. A process without reads or writes spends no time on them, nor on
    /// their share of the metadata.
    fn of_rank(&self, rank: u64) -> Use {
        let accesses = self.accesses.map(|all| {
            let ranks = all.ranks(self.nprocs);
            if rank < ranks { all.map(|calls| part(calls, rank, ranks)) } else { Accesses::default() }
        });
        let [reads, writes] = accesses.map(|own| f64::from(u8::from(own.count > 0)));
        let Seconds { metadata, read, write } = self.seconds;
        let (own, all) = (read * reads + write * writes, read + write);
        let metadata = if all > 0.0 { metadata * own / all } else { metadata };
        let seconds = Seconds { metadata, read: read * reads, write: write * writes };
        let pace = if rank == 0 { 1.0 } else { PACES[usize::from(rank + 1 < self.nprocs)] };
        Use { accesses, seconds, ..*self }.lasting(pace)
    }

    /// In sequence: open, stat and seeks that take no time, reads, writes, close.
    fn batches(&self) -> Vec<Batch> {
        let (mut batches, mut now_s) = (Vec::new(), self.start_s);
        let mut add = |what: What, times: u64, seconds: f64| {
            let start = Nanos::from_job_seconds(now_s);
            now_s += seconds;
            batches.push(Batch { what, times, start, end: Nanos::from_job_seconds(now_s) });
        };
        let [reads, writes] = self.accesses;
        let Seconds { metadata, read, write } = self.seconds;
        add(What::Open, 1, metadata / 2.0);
        add(What::Stat, 1, 0.0);
        add(What::Seek, reads.unaligned + writes.unaligned, 0.0);
        for (way, some, seconds) in [(Direction::Read, reads, read), (Direction::Write, writes, write)] {
            for (times, place) in some.places() {
                let share = times as f64 / some.count.max(1) as f64;
                add(What::Move(way, place), times, seconds * share);
            }
        }
        add(What::Close, 1, metadata / 2.0);
        batches
    }
}

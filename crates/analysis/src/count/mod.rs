//! The one counter: what Darshan would have counted for calls, or for plain reads and writes.
//!
//! Calls come in process by process, in order of return ([`Counter::process`]). Each interface has
//! its own file here that knows which calls count where; sums live as long as the process and grow
//! with the files it touched, never with its calls. Plain events, of tables and the like, come in
//! any order of ranks and files ([`Counter`] is a [`Sink`] for them) and count by the same rules
//! (`events.rs`). Generators tell what a process did in batches of equal calls ([`Usage`]). In the end [`Aggregate`](crate::Aggregate) makes records of files that all ranks
//! used one. [`complete`] gives a log what follows from its calls or events.
//!
//! Counters, times and heat maps follow Darshan 3.4, odd cases included, so that tools made for its
//! logs say the same about ours. Three things differ on purpose. Operations of the trace have their
//! true offsets. MPI-IO sizes do not wrap at 2 GiB. And calls that Darshan does not see count where
//! they belong. These are (`BLIND`):
//!
//! - `stat`, `lstat`, `fstat` of glibc 2.33 and later (Darshan knows the older `__xstat` family),
//!   `fstatat`, `statx`: STATS.
//! - `sendfile`, `copy_file_range`, `splice`: a read of the source, a write of the target.
//! - `io_uring` reads, writes and write-backs: READS, WRITES, FSYNCS.
//! - `aio_fsync`: FSYNCS; `sync_file_range` and synchronous `msync`: FDSYNCS.
//! - `renameat`, `renameat2`: as `rename`.
//! - `mmap` where Darshan is preloaded: there MMAPS is -1, here it counts.
//! - `preadv2`, `pwritev2` at the position (-1): Darshan takes -1 for the offset.
//! - `getline`, `getdelim`, `getc`, `putc`, `puts`, `putchar`, the `_unlocked` forms, `fscanf` under
//!   its C23 name: STDIO reads and writes.
//! - Descriptors held from a parent process: reads and writes on them.
//!
//! What neither counts: directories (`opendir`, `readdir`, ...), links, `unlink`, `access`, locks,
//! attributes, `truncate`, `fallocate`, `posix_fadvise`, `readahead`, `syncfs`, descriptor calls on
//! the three standard streams before the program asked for their descriptors.

mod complete;
mod dxt;
mod events;
mod file;
mod found;
mod h5;
mod heat;
mod mpiio;
mod pnetcdf;
mod posix;
mod process;
mod row;
mod slots;
mod stdio;
mod tally;
#[cfg(test)]
mod tests;
mod usage;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use marigraph_model::{FileId, Module, ModuleInfo, Problem, ProblemKind, Rank, Record, Records, Sink, Trace};

use crate::Aggregate;

use self::dxt::Trail;
use self::events::Accesses;
use self::heat::Heat;
use self::row::Row;

pub use self::complete::{complete, complete_trace};
pub use self::process::{Held, Process};
pub use self::usage::{Batch, Place, Through, Usage, What, shared};

/// Paths that Darshan ignores: system files of the machine.
pub const EXCLUDED: [&str; 11] =
    ["/etc/", "/dev/", "/usr/", "/bin/", "/boot/", "/lib/", "/opt/", "/sbin/", "/sys/", "/proc/", "/var/"];

/// Exceptions to [`EXCLUDED`].
const EXCLUDED_NO_MORE: [&str; 1] = ["/var/opt/cray/dws/mounts/"];

/// What is counted and kept.
#[derive(Debug, Clone)]
pub struct Options {
    /// Single POSIX and MPI-IO reads and writes too.
    pub trace: bool,
    /// With `trace` those of STDIO as well, for which Darshan logs have no place.
    pub streams: bool,
    /// Maximum number of them; beyond it their module is marked as partial.
    pub dxt_limit: usize,
    /// Files below these paths have no records.
    pub exclude: Vec<Vec<u8>>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            trace: false,
            streams: false,
            dxt_limit: 1 << 22,
            exclude: EXCLUDED.iter().map(|prefix| prefix.as_bytes().to_vec()).collect(),
        }
    }
}

/// Counts for a whole job.
#[derive(Debug)]
pub struct Counter {
    options: Options,
    rows: BTreeMap<(Module, FileId), BTreeMap<Rank, Row>>,
    names: BTreeMap<FileId, Vec<u8>>,
    heats: BTreeMap<(Module, Rank), Heat>,
    accesses: BTreeMap<(Module, FileId, Rank), Accesses>,
    trail: Trail,
    /// When the last call returned.
    end: i64,
}

impl Counter {
    pub fn new(options: Options) -> Counter {
        let trail = Trail::new(&options);
        Counter {
            options,
            rows: BTreeMap::new(),
            names: BTreeMap::new(),
            heats: BTreeMap::new(),
            accesses: BTreeMap::new(),
            trail,
            end: 0,
        }
    }

    /// Starts a process: its calls follow in order of return, its threads merged. The process is
    /// counted when it is dropped. Several processes may have the same rank.
    pub fn process<'a>(&'a mut self, rank: Rank, block_size: &'a dyn Fn(&[u8]) -> i64) -> Process<'a> {
        Process::new(self, rank, block_size)
    }

    pub fn drain(&mut self, sink: &mut dyn Sink) {
        self.trail.drain(1, sink);
    }

    /// Adds what another counter has of other processes of the job.
    pub fn merge(&mut self, other: Counter) {
        for ((module, file), ranks) in other.rows {
            ranks.into_iter().for_each(|(rank, row)| self.add(module, file, rank, row));
        }
        self.names.extend(other.names);
        other.heats.into_iter().for_each(|(key, heat)| self.heats.entry(key).or_default().merge(heat));
        self.trail.merge(&other.trail);
        self.end = self.end.max(other.end);
    }

    fn add(&mut self, module: Module, file: FileId, rank: Rank, row: Row) {
        match self.rows.entry((module, file)).or_default().entry(rank) {
            Entry::Vacant(entry) => {
                entry.insert(row);
            }
            Entry::Occupied(mut entry) => entry.get_mut().join(file, rank, &row),
        }
    }

    /// Puts records, names, heat maps, operations and modules into a trace. The rest of the trace is
    /// the caller's; the heat maps end with its job, if that is known, or with the last call.
    pub fn finish(mut self, nprocs: u32, trace: &mut Trace) {
        self.settle_events();
        for ((module, file), ranks) in std::mem::take(&mut self.rows) {
            self.emit(module, file, ranks, nprocs, trace);
        }
        let with_records: Vec<Module> = trace.records.keys().copied().collect();
        with_records.into_iter().for_each(|module| tell(trace, module, false));
        let end = self.end.max((trace.job.runtime_s() * 1e9) as i64);
        let series =
            self.heats.into_iter().filter_map(|((module, rank), heat)| heat.series(module, rank, end));
        trace.series.extend(series);
        if !trace.series.is_empty() {
            tell(trace, Module::Heatmap, false);
        }
        for (interface, module) in [(Module::Posix, Module::DxtPosix), (Module::MpiIo, Module::DxtMpiio)] {
            let cut = self.trail.cut.contains(&interface);
            if cut || self.trail.events.iter().any(|event| event.interface == interface) {
                tell(trace, module, cut);
            }
            if cut {
                let message = "there were more operations than are kept: the later ones are missing";
                trace.problems.push(Problem::new(ProblemKind::Partial, message).in_module(module));
            }
        }
        trace.events.append(&self.trail.events);
    }

    /// One record of all ranks if all have one, or one of each that has.
    fn emit(
        &self,
        module: Module,
        file: FileId,
        mut ranks: BTreeMap<Rank, Row>,
        nprocs: u32,
        trace: &mut Trace,
    ) {
        ranks.values_mut().for_each(|row| row.settle(nprocs));
        let silent = file.is_standard_stream() && module == Module::Stdio;
        let shared = nprocs > 1 && ranks.len() as u64 == u64::from(nprocs);
        if silent && shared && ranks.values().all(Row::idle) {
            return;
        }
        let records = trace.records.entry(module).or_insert_with(|| Records::new(module));
        if shared {
            let mut all = Aggregate::of_ranks(module);
            ranks.iter().for_each(|(&rank, row)| all.add(row.record(file, rank), 1));
            all.push_shared(records);
        } else {
            for (&rank, row) in ranks.iter().filter(|(_, row)| !(silent && row.idle())) {
                let Record { scope, ints, floats, extra, .. } = row.record(file, rank);
                records.push(file, scope, ints.iter().copied(), floats.iter().copied(), extra.clone());
            }
        }
        trace.files.insert(file, self.names.get(&file).map_or(&[], Vec::as_slice));
    }
}

/// Says that a module is there, in the version that logs are written in.
fn tell(trace: &mut Trace, module: Module, partial: bool) {
    let version = match module {
        Module::Posix => 4,
        Module::MpiIo | Module::H5f | Module::PnetcdfFile => 3,
        Module::Stdio | Module::H5d | Module::DxtMpiio => 2,
        _ => 1,
    };
    if !trace.modules.iter().any(|info| info.module == module) {
        trace.modules.push(ModuleInfo { module, version, partial });
    }
}

//! Sums of a job's I/O per interface.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use marigraph_model::counters::{bgq, mpiio, posix};
use marigraph_model::{CommonSlots, Extra, Module, Rank, Record, Records, SIZE_BINS, Scope, Series, Sink};

use crate::figures::{Estimate, Throughput};

const MAX_SIZES: usize = 1 << 16;

/// Upper limit of sums, far above real values: damaged logs cannot make them overflow, and adding a
/// few of them is always safe.
pub(crate) const MOST: u64 = u64::MAX >> 8;

/// Adds to a sum, saturating at [`MOST`].
pub(crate) fn bump(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more).min(MOST);
}

/// Sums over the records of one interface.
#[derive(Debug, Clone, Default)]
pub struct Usage {
    pub records: u64,
    pub reads: u64,
    pub writes: u64,
    pub opens: u64,
    /// Metadata calls other than opens, by counter name without prefix.
    pub metadata: BTreeMap<&'static str, u64>,
    pub read_bytes: u64,
    pub written_bytes: u64,
    /// Whether any record measured bytes; if none did, the sums mean nothing.
    pub bytes_known: bool,
    pub times_known: bool,
    /// Sum over all ranks.
    pub read_s: f64,
    pub write_s: f64,
    /// In metadata calls, over all ranks.
    pub meta_s: f64,
    /// Waiting for nonblocking requests, over all ranks.
    pub wait_s: f64,
    pub read_sizes: [u64; SIZE_BINS],
    pub write_sizes: [u64; SIZE_BINS],
    /// Number of accesses per common size (a lower bound: records keep four sizes each).
    sizes: HashMap<i64, u64>,
    /// POSIX only.
    pub order: AccessOrder,
    /// Records with reads; the first access of each follows no other.
    pub read_firsts: u64,
    /// As [`Self::read_firsts`], for writes.
    pub write_firsts: u64,
    /// Independent MPI-IO reads and writes.
    pub independent: u64,
    /// On shared files, over all ranks.
    pub shared_s: f64,
    throughput: Throughput,
}

/// The order of accesses within files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AccessOrder {
    /// Reads that begin where the previous one ended.
    pub consecutive_reads: u64,
    /// Reads at a higher offset than the previous one.
    pub sequential_reads: u64,
    pub consecutive_writes: u64,
    pub sequential_writes: u64,
    /// Between reading and writing.
    pub switches: u64,
    pub unaligned_in_file: u64,
    pub unaligned_in_memory: u64,
}

impl Usage {
    fn add(&mut self, record: Record<'_>) {
        let roles = record.module.roles();
        self.records += 1;
        bump(&mut self.reads, record.sum(roles.reads));
        bump(&mut self.writes, record.sum(roles.writes));
        bump(&mut self.read_firsts, u64::from(record.sum(roles.reads) > 0));
        bump(&mut self.write_firsts, u64::from(record.sum(roles.writes) > 0));
        bump(&mut self.opens, record.sum(roles.opens));
        for &idx in roles.other_metadata {
            let count = record.int(idx).amount();
            if count > 0 {
                bump(self.metadata.entry(short_name(record.module, idx.at())).or_default(), count);
            }
        }
        let measured = |role: Option<_>| role.is_some_and(|idx| record.int(idx).get().is_some());
        self.bytes_known |= measured(roles.bytes_read) || measured(roles.bytes_written);
        bump(&mut self.read_bytes, record.amount(roles.bytes_read));
        bump(&mut self.written_bytes, record.amount(roles.bytes_written));
        let timed = |role: Option<_>| role.is_some_and(|idx| record.float(idx).get().is_some());
        self.times_known |= timed(roles.read_time) || timed(roles.write_time) || timed(roles.meta_time);
        self.read_s += record.seconds(roles.read_time);
        self.write_s += record.seconds(roles.write_time);
        self.meta_s += record.seconds(roles.meta_time);
        self.wait_s += record.seconds(roles.wait_time);
        if let Some(first) = roles.size_bins {
            for bin in 0..SIZE_BINS {
                bump(&mut self.read_sizes[bin], record.int(first.plus(bin)).amount());
                bump(&mut self.write_sizes[bin], record.int(first.plus(SIZE_BINS + bin)).amount());
            }
        }
        roles.access.iter().for_each(|&slots| self.add_sizes(record, slots));
        match record.module {
            Module::Posix => self.add_order(record),
            Module::MpiIo => {
                bump(&mut self.independent, record.sum(&[mpiio::INDEP_READS, mpiio::INDEP_WRITES]));
            }
            _ => {}
        }
        if record.scope == Scope::Shared {
            let times = [roles.read_time, roles.write_time, roles.meta_time];
            self.shared_s += times.into_iter().map(|time| record.seconds(time)).sum::<f64>();
        }
        self.throughput.add(record);
    }

    fn add_sizes(&mut self, record: Record<'_>, slots: CommonSlots) {
        for n in 0..CommonSlots::COUNT {
            let size = record.int(slots.values.plus(n * slots.step)).get().unwrap_or(0);
            let count = record.int(slots.counts.plus(n)).amount();
            if size > 0 && count > 0 && (self.sizes.len() < MAX_SIZES || self.sizes.contains_key(&size)) {
                bump(self.sizes.entry(size).or_default(), count);
            }
        }
    }

    fn add_order(&mut self, record: Record<'_>) {
        let order = &mut self.order;
        for (sum, idx) in [
            (&mut order.consecutive_reads, posix::CONSEC_READS),
            (&mut order.sequential_reads, posix::SEQ_READS),
            (&mut order.consecutive_writes, posix::CONSEC_WRITES),
            (&mut order.sequential_writes, posix::SEQ_WRITES),
            (&mut order.switches, posix::RW_SWITCHES),
            (&mut order.unaligned_in_file, posix::FILE_NOT_ALIGNED),
            (&mut order.unaligned_in_memory, posix::MEM_NOT_ALIGNED),
        ] {
            bump(sum, record.int(idx).amount());
        }
    }

    /// Metadata calls, including opens.
    pub fn metadata_ops(&self) -> u64 {
        self.opens + self.metadata.values().sum::<u64>()
    }

    pub fn bytes(&self) -> u64 {
        self.read_bytes + self.written_bytes
    }

    /// Seconds of I/O over all ranks.
    pub fn seconds(&self) -> f64 {
        self.read_s + self.write_s + self.meta_s + self.wait_s
    }

    /// Most frequent first.
    pub fn common_sizes(&self, most: usize) -> Vec<(i64, u64)> {
        let mut sizes: Vec<(i64, u64)> = self.sizes.iter().map(|(&size, &count)| (size, count)).collect();
        sizes.sort_by_key(|&(size, count)| std::cmp::Reverse((count, size)));
        sizes.truncate(most);
        sizes
    }

    pub fn estimate(&self) -> Estimate {
        self.throughput.estimate()
    }
}

fn short_name(module: Module, at: usize) -> &'static str {
    let name = module.ints()[at].name;
    // PnetCDF prefixes have two words.
    let name = name.strip_prefix("PNETCDF_").unwrap_or(name);
    name.split_once('_').map_or(name, |(_, rest)| rest)
}

/// The job's I/O, with each byte counted in only one layer.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Totals {
    pub read_bytes: u64,
    pub written_bytes: u64,
    pub reads: u64,
    pub writes: u64,
    /// Including opens.
    pub metadata_ops: u64,
    /// Sum over all ranks.
    pub read_s: f64,
    pub write_s: f64,
    /// In metadata calls, over all ranks.
    pub meta_s: f64,
}

/// Collects usage per interface, and where the job ran.
#[derive(Debug, Clone, Default)]
pub struct JobUsage {
    pub modules: BTreeMap<Module, Usage>,
    /// The compute node of each rank that reports it.
    hosts: BTreeMap<Rank, String>,
    nodes_told: Option<u64>,
    /// Bytes read and written according to the heat maps, per interface.
    heatmaps: BTreeMap<Module, (u64, u64)>,
}

impl JobUsage {
    /// Returns the lowest interfaces, which count every byte once.
    pub(crate) fn layers(&self) -> Vec<Module> {
        let has = |module: &&Module| self.modules.contains_key(module);
        Module::STACKS.iter().filter_map(|stack| stack.iter().find(has).copied()).collect()
    }

    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for usage in self.layers().iter().filter_map(|module| self.modules.get(module)) {
            totals.read_bytes += usage.read_bytes;
            totals.written_bytes += usage.written_bytes;
            totals.reads += usage.reads;
            totals.writes += usage.writes;
            totals.metadata_ops += usage.metadata_ops();
            totals.read_s += usage.read_s;
            totals.write_s += usage.write_s;
            totals.meta_s += usage.meta_s;
        }
        if self.layers().is_empty() {
            let lowest = |stack: &&[Module]| stack.iter().find_map(|module| self.heatmaps.get(module));
            for bytes in Module::STACKS.iter().filter_map(lowest) {
                bump(&mut totals.read_bytes, bytes.0);
                bump(&mut totals.written_bytes, bytes.1);
            }
        }
        totals
    }

    /// Returns the headline throughput: of the interface that moved the most bytes, or of MPI-IO
    /// where it moved as many. `None` if the log lacks times.
    pub fn performance(&self) -> Option<(Module, Estimate)> {
        let preference = [Module::MpiIo, Module::Posix, Module::Dfs, Module::Daos, Module::Stdio];
        let used = |module: &Module| self.modules.get(module).filter(|usage| usage.bytes() > 0);
        let most = preference.iter().filter_map(used).map(Usage::bytes).max()?;
        let module =
            preference.into_iter().find(|module| used(module).is_some_and(|usage| usage.bytes() == most))?;
        let estimate = self.modules.get(&module)?.estimate();
        (!estimate.untimed && estimate.seconds() > 0.0).then_some((module, estimate))
    }

    /// Returns the compute nodes of a job with `nprocs` processes: from Blue Gene's own record, or
    /// from the hosts of all processes. `None` if only some hosts are known.
    pub fn nodes(&self, nprocs: u64) -> Option<u64> {
        let distinct: BTreeSet<&String> = self.hosts.values().collect();
        let hosts = (self.hosts.len() as u64 >= nprocs.max(1)).then_some(distinct.len() as u64);
        self.nodes_told.or(hosts)
    }
}

impl Sink for JobUsage {
    fn records(&mut self, block: &Records) {
        let usage = self.modules.entry(block.module()).or_default();
        for record in block.iter() {
            usage.add(record);
            if let (Extra::Node(name), Scope::Rank(rank)) = (record.extra, record.scope) {
                self.hosts.insert(rank, name.clone());
            }
            if record.module == Module::Bgq {
                self.nodes_told = record.int(bgq::NNODES).get().and_then(|n| u64::try_from(n).ok());
            }
        }
    }

    fn host(&mut self, rank: Rank, host: &str) {
        if !host.is_empty() && !self.hosts.contains_key(&rank) {
            self.hosts.insert(rank, host.to_string());
        }
    }

    fn series(&mut self, series: &Series) {
        let bytes = self.heatmaps.entry(series.interface).or_default();
        series.read.iter().for_each(|&n| bump(&mut bytes.0, n));
        series.written.iter().for_each(|&n| bump(&mut bytes.1, n));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_model::counters::stdio;
    use marigraph_model::{Count, FileId, Measure};

    fn one(module: Module, values: &[(usize, i64)]) -> Records {
        let mut ints = vec![Count::new(0); module.ints().len()];
        values.iter().for_each(|&(at, value)| ints[at] = Count::new(value));
        let floats = vec![Measure::new(0.25); module.floats().len()];
        let mut records = Records::new(module);
        records.push(FileId(1), Scope::Rank(Rank(0)), ints, floats, Extra::None);
        records
    }

    #[test]
    fn bytes_of_two_layers_count_once() {
        let mut job = JobUsage::default();
        job.records(&one(Module::Posix, &[(posix::BYTES_WRITTEN.at(), 100), (posix::STATS.at(), 3)]));
        job.records(&one(Module::MpiIo, &[(mpiio::BYTES_WRITTEN.at(), 100)]));
        job.records(&one(Module::Stdio, &[(stdio::BYTES_READ.at(), 7), (stdio::OPENS.at(), 2)]));
        let totals = job.totals();
        assert_eq!((totals.written_bytes, totals.read_bytes, totals.metadata_ops), (100, 7, 5));
        assert_eq!(job.performance().map(|(module, _)| module), Some(Module::MpiIo));
        assert_eq!(job.nodes(2), None);
        job.host(Rank(0), "a");
        assert_eq!(job.nodes(2), None, "one of two hosts is no answer");
        job.host(Rank(1), "a");
        assert_eq!(job.nodes(2), Some(1));
    }

    #[test]
    fn streams_do_not_hide_the_other_stack() {
        let mut job = JobUsage::default();
        job.records(&one(Module::MpiIo, &[(mpiio::BYTES_WRITTEN.at(), 1 << 30)]));
        job.records(&one(Module::Stdio, &[(stdio::BYTES_WRITTEN.at(), 80)]));
        assert_eq!(job.totals().written_bytes, (1 << 30) + 80);
    }

    #[test]
    fn a_job_without_records_takes_its_bytes_from_heat_maps() {
        let mut job = JobUsage::default();
        let series = |interface| Series {
            interface,
            rank: Rank(0),
            bin_s: 1.0,
            read: vec![1, 2],
            written: vec![5, 0],
        };
        job.series(&series(Module::Posix));
        job.series(&series(Module::MpiIo));
        assert_eq!((job.totals().read_bytes, job.totals().written_bytes), (3, 5));
        assert_eq!(job.performance(), None);
    }
}

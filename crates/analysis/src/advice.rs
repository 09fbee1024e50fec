//! What could be better: rules from figures to findings.
//!
//! A rule is a function of the job's figures and the thresholds to an optional finding. Seconds at
//! stake are per process: how much of the run time the finding could account for at most.

use marigraph_model::{FileMap, Job, Layout, Module, Sink};

use crate::files::Files;
use crate::usage::{JobUsage, Usage};

/// How much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know.
    Low,
    /// Worth a look.
    Medium,
    /// Costs much of the run.
    High,
}

/// What was found, with the figures behind it.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// Many writes of at most 100 KiB: (interface, share of writes, writes).
    SmallWrites(Module, f64, u64),
    /// Many reads of at most 100 KiB: (interface, share of reads, reads).
    SmallReads(Module, f64, u64),
    /// Writes that jump about: share that is not sequential.
    RandomWrites(f64),
    /// Reads that jump about: share that is not sequential.
    RandomReads(f64),
    /// Accesses that straddle file blocks: share.
    Unaligned(f64),
    /// Metadata calls take much of the I/O time: (share, calls).
    MetadataHeavy(f64, u64),
    /// MPI-IO used one process at a time: share of calls that are independent.
    NoCollectives(f64),
    /// Ranks wait for the slowest one on shared files: seconds lost per shared file path.
    RankImbalance(f64),
    /// Streams carry much data: (share of bytes, bytes).
    StdioHeavy(f64, u64),
    /// Many small files: (files, mean size).
    ManySmallFiles(u64, u64),
    /// Files are opened over and over: opens per file and rank.
    RepeatedOpens(f64),
    /// The same bytes are read again and again: times the size of the files.
    RepeatedReads(f64),
    /// Large files shared by all ranks lie on one storage target: (files, bytes).
    SingleStripe(u64, u64),
}

/// One finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What.
    pub what: What,
    /// How much it matters.
    pub severity: Severity,
    /// Seconds of each process that it could account for at most.
    pub seconds_at_stake: f64,
}

/// When a rule speaks up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Share of small requests.
    pub small_share: f64,
    /// Requests below which sizes do not matter.
    pub few_calls: u64,
    /// Share of requests that are not sequential.
    pub random_share: f64,
    /// Share of requests that are not aligned.
    pub unaligned_share: f64,
    /// Share of I/O time in metadata calls.
    pub metadata_share: f64,
    /// Share of independent MPI-IO calls.
    pub independent_share: f64,
    /// Share of the time on shared files lost to the slowest rank.
    pub imbalance_share: f64,
    /// Share of bytes through streams.
    pub stdio_share: f64,
    /// Files of this many bytes or fewer on average are small.
    pub small_file: u64,
    /// Files from this many on are many.
    pub many_files: u64,
    /// Opens per file and rank.
    pub opens_per_file: f64,
    /// Bytes read per byte of file.
    pub reads_per_byte: f64,
    /// Shared files from this size on should be striped.
    pub large_file: u64,
}

/// Figures in use at computing centres; Drishti's where it has the rule.
pub const USUAL: Thresholds = Thresholds {
    small_share: 0.1,
    few_calls: 1000,
    random_share: 0.2,
    unaligned_share: 0.1,
    metadata_share: 0.3,
    independent_share: 0.5,
    imbalance_share: 0.3,
    stdio_share: 0.1,
    small_file: 1 << 20,
    many_files: 1000,
    opens_per_file: 10.0,
    reads_per_byte: 4.0,
    large_file: 1 << 30,
};

/// Number of storage targets per file.
#[derive(Debug, Clone, Default)]
pub struct Stripes {
    by_file: FileMap<u64>,
}

impl Sink for Stripes {
    fn layout(&mut self, layout: &Layout) {
        let stripes = layout.components.iter().map(|c| c.targets.len() as u64).sum();
        self.by_file.insert(layout.file, stripes);
    }
}

/// Everything the rules look at.
pub struct Facts<'a> {
    /// The job.
    pub job: &'a Job,
    /// Sums per interface.
    pub usage: &'a JobUsage,
    /// Use of every file.
    pub files: &'a Files,
    /// Layouts.
    pub stripes: &'a Stripes,
}

/// All findings, the most costly first.
pub fn advise(facts: &Facts<'_>, thresholds: &Thresholds) -> Vec<Finding> {
    let mut found: Vec<Finding> = RULES.iter().filter_map(|rule| rule(facts, thresholds)).collect();
    found.sort_by(|a, b| {
        (b.severity, b.seconds_at_stake)
            .partial_cmp(&(a.severity, a.seconds_at_stake))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    found
}

type Rule = fn(&Facts<'_>, &Thresholds) -> Option<Finding>;

const RULES: &[Rule] = &[
    small_writes,
    small_reads,
    random_writes,
    random_reads,
    unaligned,
    metadata_heavy,
    no_collectives,
    rank_imbalance,
    stdio_heavy,
    many_small_files,
    repeated_opens,
    repeated_reads,
    single_stripe,
];

impl Facts<'_> {
    fn usage(&self, module: Module) -> Option<&Usage> {
        self.usage.modules.get(&module)
    }

    fn per_process(&self, seconds: f64) -> f64 {
        seconds / self.job.nprocs.max(1) as f64
    }

    /// A finding whose weight follows from its share of the run time.
    fn finding(&self, what: What, seconds: f64) -> Finding {
        let seconds_at_stake = self.per_process(seconds).min(self.job.runtime_s().max(0.0));
        let share = seconds_at_stake / self.job.runtime_s().max(f64::MIN_POSITIVE);
        let severity = match share {
            s if s >= 0.1 => Severity::High,
            s if s >= 0.01 => Severity::Medium,
            _ => Severity::Low,
        };
        Finding { what, severity, seconds_at_stake }
    }

    /// The interface whose requests reach the file system.
    fn lowest_interface(&self) -> Option<(Module, &Usage)> {
        [Module::Posix, Module::Dfs, Module::Daos]
            .into_iter()
            .find_map(|m| self.usage(m).map(|usage| (m, usage)))
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Bins up to 100 KiB.
const SMALL_BINS: usize = 4;

fn small_writes(facts: &Facts<'_>, t: &Thresholds) -> Option<Finding> {
    let (module, usage) = facts.lowest_interface()?;
    let small = share(usage.write_sizes[..SMALL_BINS].iter().sum(), usage.write_sizes.iter().sum());
    (usage.writes >= t.few_calls && small > t.small_share)
        .then(|| facts.finding(What::SmallWrites(module, small, usage.writes), usage.write_s * small))
}

fn small_reads(facts: &Facts<'_>, t: &Thresholds) -> Option<Finding> {
    let (module, usage) = facts.lowest_interface()?;
    let small = share(usage.read_sizes[..SMALL_BINS].iter().sum(), usage.read_sizes.iter().sum());
    (usage.reads >= t.few_calls && small > t.small_share)
        .then(|| facts.finding(What::SmallReads(module, small, usage.reads), usage.read_s * small))
}

fn random_writes(facts: &Facts<'_>, t: &Thresholds) -> Option<Finding> {
    let usage = facts.usage(Module::Posix)?;
    let random =
        1.0 - share(usage.order.sequential_writes, usage.writes.saturating_sub(usage.write_firsts)).min(1.0);
    (usage.writes - usage.write_firsts.min(usage.writes) >= t.few_calls && random > t.random_share)
        .then(|| facts.finding(What::RandomWrites(random), usage.write_s * random))
}

fn random_reads(facts: &Facts<'_>, t: &Thresholds) -> Option<Finding> {
    let usage = facts.usage(Module::Posix)?;
    let random =
        1.0 - share(usage.order.sequential_reads, usage.reads.saturating_sub(usage.read_firsts)).min(1.0);
    (usage.reads - usage.read_firsts.min(usage.reads) >= t.few_calls && random > t.random_share)
        .then(|| facts.finding(What::RandomReads(random), usage.read_s * random))
}

fn unaligned(facts: &Facts<'_>, t: &Thresholds) -> Option<Finding> {
    let usage = facts.usage(Module::Posix)?;
    let calls = usage.reads + usage.writes;
    let unaligned = share(usage.order.unaligned_in_file, calls).min(1.0);
    (calls >= t.few_calls && unaligned > t.unaligned_share)
        .then(|| facts.finding(What::Unaligned(unaligned), (usage.read_s + usage.write_s) * unaligned))
}

fn metadata_heavy(facts: &Facts<'_>, t: &Thresholds) -> Option<Finding> {
    let totals = facts.usage.totals();
    let all = totals.read_s + totals.write_s + totals.meta_s;
    let share = if all > 0.0 { totals.meta_s / all } else { 0.0 };
    (totals.metadata_ops >= t.few_calls && share > t.metadata_share)
        .then(|| facts.finding(What::MetadataHeavy(share, totals.metadata_ops), totals.meta_s))
}

fn no_collectives(facts: &Facts<'_>, t: &Thresholds) -> Option<Finding> {
    let usage = facts.usage(Module::MpiIo)?;
    let calls = usage.reads + usage.writes;
    let independent = share(usage.independent, calls);
    (facts.job.nprocs > 1 && calls >= t.few_calls && independent > t.independent_share).then(|| {
        facts.finding(What::NoCollectives(independent), (usage.read_s + usage.write_s) * independent)
    })
}

fn rank_imbalance(facts: &Facts<'_>, t: &Thresholds) -> Option<Finding> {
    let (_, usage) = facts.lowest_interface()?;
    let slowest = usage.estimate().shared_s;
    let lost = slowest - usage.shared_s / facts.job.nprocs.max(1) as f64;
    (facts.job.nprocs > 1 && slowest > 0.0 && lost / slowest > t.imbalance_share)
        .then(|| facts.finding(What::RankImbalance(lost), lost * facts.job.nprocs as f64))
}

fn stdio_heavy(facts: &Facts<'_>, t: &Thresholds) -> Option<Finding> {
    let usage = facts.usage(Module::Stdio)?;
    let totals = facts.usage.totals();
    let part = share(usage.bytes(), totals.read_bytes.saturating_add(totals.written_bytes));
    (part > t.stdio_share && usage.bytes() > 64 << 20)
        .then(|| facts.finding(What::StdioHeavy(part, usage.bytes()), usage.read_s + usage.write_s))
}

fn many_small_files(facts: &Facts<'_>, t: &Thresholds) -> Option<Finding> {
    let group = facts.files.by_use().total;
    let mean = group.size_sum.checked_div(group.sized)?;
    (group.sized >= t.many_files && mean <= t.small_file)
        .then(|| facts.finding(What::ManySmallFiles(group.sized, mean), facts.usage.totals().meta_s))
}

fn repeated_opens(facts: &Facts<'_>, t: &Thresholds) -> Option<Finding> {
    let usage = facts.usage(Module::Posix)?;
    let users: u64 =
        facts.files.iter().map(|(_, file)| file.ranks().map_or(facts.job.nprocs.max(1), u64::from)).sum();
    let per_file = share(usage.opens, users);
    (usage.opens >= t.few_calls && per_file > t.opens_per_file)
        .then(|| facts.finding(What::RepeatedOpens(per_file), usage.meta_s))
}

fn repeated_reads(facts: &Facts<'_>, t: &Thresholds) -> Option<Finding> {
    let mut sums = (0u64, 0u64, 0.0f64);
    for (_, file) in facts.files.iter() {
        let (moved, readers) = (file.moved(), file.ranks().map_or(facts.job.nprocs.max(1), u64::from));
        let once = file.size.unwrap_or(0).saturating_mul(readers.max(1));
        if once >= 1 << 20 && moved.read as f64 > t.reads_per_byte * once as f64 {
            sums = (sums.0.saturating_add(moved.read), sums.1.saturating_add(once), sums.2 + moved.seconds);
        }
    }
    (sums.1 > 0).then(|| facts.finding(What::RepeatedReads(sums.0 as f64 / sums.1 as f64), sums.2))
}

fn single_stripe(facts: &Facts<'_>, t: &Thresholds) -> Option<Finding> {
    let mut found = (0, 0u64, 0.0);
    for (id, file) in facts.files.iter() {
        let large = file.size.is_some_and(|size| size >= t.large_file);
        if large && file.ranks().is_none() && facts.stripes.by_file.get(&id) == Some(&1) {
            let moved = file.moved();
            found = (
                found.0 + 1,
                found.1.saturating_add(moved.read).saturating_add(moved.written),
                found.2 + moved.seconds,
            );
        }
    }
    (found.0 > 0 && facts.job.nprocs > 1)
        .then(|| facts.finding(What::SingleStripe(found.0, found.1), found.2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_model::counters::{IntIdx, mpiio, posix, stdio};
    use marigraph_model::{Component, Count, Extra, FileId, Measure, Rank, Records, Scope, WallTime};

    #[derive(Default)]
    struct Case {
        usage: JobUsage,
        files: Files,
        stripes: Stripes,
    }

    impl Case {
        fn record(mut self, module: Module, scope: Scope, ints: &[(IntIdx, i64)], seconds: f64) -> Case {
            let mut row = vec![Count::new(0); module.ints().len()];
            ints.iter().for_each(|&(idx, value)| row[idx.at()] = Count::new(value));
            let mut floats = vec![Measure::new(0.0); module.floats().len()];
            let roles = module.roles();
            for idx in [roles.read_time, roles.write_time, roles.meta_time].into_iter().flatten() {
                floats[idx.at()] = Measure::new(seconds);
            }
            if let Some((_, slowest)) = roles.rank_times {
                floats[slowest.at()] = Measure::new(seconds * 3.0);
            }
            let mut records = Records::new(module);
            records.push(FileId(1), scope, row, floats, Extra::None);
            self.usage.records(&records);
            self.files.records(&records);
            self
        }

        fn codes(&self) -> Vec<What> {
            let job = Job { nprocs: 4, end: WallTime { seconds: 100, nanos: 0 }, ..Job::default() };
            let facts = Facts { job: &job, usage: &self.usage, files: &self.files, stripes: &self.stripes };
            advise(&facts, &USUAL).into_iter().map(|finding| finding.what).collect()
        }

        fn finds(&self, wanted: fn(&What) -> bool) -> bool {
            self.codes().iter().any(wanted)
        }
    }

    const RANK: Scope = Scope::Rank(Rank(0));

    #[test]
    fn a_tidy_job_gets_no_advice() {
        let ints = [
            (posix::WRITES, 5000),
            (posix::SEQ_WRITES, 5000),
            (posix::SIZE_WRITE_1M_4M, 5000),
            (posix::BYTES_WRITTEN, 5000 << 20),
            (posix::OPENS, 1),
        ];
        let mut case = Case::default().record(Module::Posix, RANK, &ints, 0.0);
        assert_eq!(case.codes(), []);
        case = Case::default();
        assert_eq!(case.codes(), []);
    }

    #[test]
    fn each_rule_finds_its_case() {
        let small = [(posix::WRITES, 5000), (posix::SIZE_WRITE_0_100, 5000), (posix::SEQ_WRITES, 5000)];
        let case = Case::default().record(Module::Posix, RANK, &small, 40.0);
        assert!(case.finds(|w| matches!(w, What::SmallWrites(Module::Posix, s, 5000) if *s == 1.0)));
        assert!(!case.finds(|w| matches!(w, What::RandomWrites(_))));
        let random = [
            (posix::READS, 5000),
            (posix::SEQ_READS, 100),
            (posix::SIZE_READ_1M_4M, 5000),
            (posix::FILE_NOT_ALIGNED, 4000),
        ];
        let case = Case::default().record(Module::Posix, RANK, &random, 4.0);
        assert!(
            case.finds(|w| matches!(w, What::RandomReads(_)))
                && case.finds(|w| matches!(w, What::Unaligned(_)))
        );
        let opens = [(posix::OPENS, 5000), (posix::STATS, 5000)];
        let case = Case::default().record(Module::Posix, RANK, &opens, 4.0);
        assert!(case.finds(|w| matches!(w, What::MetadataHeavy(_, 10_000))));
        assert!(case.finds(|w| matches!(w, What::RepeatedOpens(_))));
        let case = Case::default().record(Module::MpiIo, Scope::Shared, &[(mpiio::INDEP_WRITES, 5000)], 1.0);
        assert!(case.finds(|w| matches!(w, What::NoCollectives(s) if *s == 1.0)));
        let case = Case::default().record(Module::Stdio, RANK, &[(stdio::BYTES_WRITTEN, 1 << 30)], 1.0);
        assert!(case.finds(|w| matches!(w, What::StdioHeavy(_, _))));
    }

    #[test]
    fn shared_files_show_imbalance_and_single_stripes() {
        let ints = [(posix::WRITES, 10), (posix::BYTES_WRITTEN, 4 << 30), (posix::MAX_BYTE_WRITTEN, 4 << 30)];
        let mut case = Case::default().record(Module::Posix, Scope::Shared, &ints, 1.0);
        assert!(case.finds(|w| matches!(w, What::RankImbalance(_))));
        assert!(!case.finds(|w| matches!(w, What::SingleStripe(..))));
        let component = Component { targets: vec![3], ..Component::default() };
        case.stripes.layout(&Layout { file: FileId(1), scope: Scope::Shared, components: vec![component] });
        assert!(case.finds(|w| matches!(w, What::SingleStripe(1, _))));
    }
}

//! What a study of the system should find about jobs and runs, from their plans alone.

use std::collections::{BTreeMap, BTreeSet};

use marigraph_model::size_bin;

use super::bulk::{Class, INTERFACES, MIB};
use super::projects;
use super::runs::RunPlan;
use super::schedule::BatchRow;

/// Minimum processes and bytes of a large run.
const LARGE: (u32, u64) = (1024, 500 << 20);

/// Runs of one size class.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SizeBin {
    pub low: u64,
    pub high: u64,
    pub runs: u64,
    /// Read and written.
    pub bytes: [u64; 2],
    pub using: BTreeMap<&'static str, u64>,
    /// Bytes read and written through an interface.
    pub through: BTreeMap<&'static str, [u64; 2]>,
    /// Runs by the sharing class of most of their bytes; `none` without bytes.
    pub strategies: BTreeMap<&'static str, u64>,
    /// Bytes read and written by sharing class.
    pub classes: BTreeMap<&'static str, [u64; 2]>,
}

/// The large runs of a project.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LargeRuns {
    /// MiB/s per node of each run.
    pub speeds: Vec<f64>,
    pub nodes: Vec<u32>,
    /// Reads and writes by size class.
    pub access: [[u64; 10]; 2],
    /// Means over runs, in the order of [`MEANS`]; `None` without any value.
    pub means: [Option<f64>; 7],
}

/// Names of [`LargeRuns::means`].
pub const MEANS: [&str; 7] = [
    "metadata_share",
    "files_per_process",
    "files_written_per_process",
    "sequential_share",
    "aligned_share",
    "mib_per_process",
    "io_share_of_runtime",
];

/// The truth about a project.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProjectTruth {
    pub name: String,
    /// Jobs with logs, and all.
    pub jobs: [u64; 2],
    /// Core-hours of jobs with logs, and of all.
    pub core_hours: [f64; 2],
    pub apis: String,
    pub bytes: [u64; 2],
    pub large: LargeRuns,
}

/// The truth about jobs and runs.
#[derive(Debug, Clone, PartialEq)]
pub struct JobTruth {
    pub runs: u64,
    pub strangers: u64,
    pub bins: Vec<SizeBin>,
    /// Most bytes first.
    pub projects: Vec<ProjectTruth>,
    pub without_files: u64,
}

pub fn of(jobs: &[BatchRow], runs: &[RunPlan]) -> JobTruth {
    let mut bins: BTreeMap<u64, SizeBin> = BTreeMap::new();
    for run in runs {
        let (low, high) = bounds(u64::from(run.nprocs));
        bins.entry(low).or_insert_with(|| SizeBin { low, high, ..SizeBin::default() }).add(run);
    }
    let mut projects: Vec<ProjectTruth> =
        (0..projects::PROJECTS[0]).map(|number| project(number, jobs, runs)).collect();
    projects.sort_by(|one, two| {
        let bytes = |project: &ProjectTruth| project.bytes.iter().sum::<u64>();
        bytes(two).cmp(&bytes(one)).then_with(|| one.name.cmp(&two.name))
    });
    JobTruth {
        runs: runs.len() as u64,
        strangers: runs.iter().filter(|run| run.project.is_none()).count() as u64,
        bins: bins.into_values().collect(),
        projects,
        without_files: runs.iter().filter(|run| run.files() == 0).count() as u64,
    }
}

/// Size class of a number of processes; the bounds are powers of four.
fn bounds(nprocs: u64) -> (u64, u64) {
    let mut high = 1;
    while high < nprocs {
        high *= 4;
    }
    (high / 4 + 1, high)
}

fn add(sum: &mut [u64; 2], bytes: [u64; 2]) {
    sum.iter_mut().zip(bytes).for_each(|(sum, more)| *sum += more);
}

impl SizeBin {
    fn add(&mut self, run: &RunPlan) {
        self.runs += 1;
        run.used().into_iter().for_each(|name| *self.using.entry(name).or_default() += 1);
        let mut by_class: BTreeMap<Class, u64> = BTreeMap::new();
        for (interface, class, bytes) in run.parts() {
            add(&mut self.bytes, bytes);
            add(self.through.entry(interface).or_default(), bytes);
            add(self.classes.entry(class.name()).or_default(), bytes);
            *by_class.entry(class).or_default() += bytes.iter().sum::<u64>();
        }
        // With a tie, the first class in the study's order.
        let most = by_class
            .into_iter()
            .filter(|(_, bytes)| *bytes > 0)
            .min_by_key(|&(class, bytes)| (std::cmp::Reverse(bytes), class));
        *self.strategies.entry(most.map_or("none", |(class, _)| class.name())).or_default() += 1;
    }
}

fn project(number: usize, jobs: &[BatchRow], runs: &[RunPlan]) -> ProjectTruth {
    let mut truth = ProjectTruth { name: projects::name(number), ..ProjectTruth::default() };
    for job in jobs.iter().filter(|job| job.project == number) {
        let Some(core_hours) = job.core_hours() else { continue };
        let from = usize::from(!job.instrumented);
        for at in from..2 {
            truth.jobs[at] += 1;
            truth.core_hours[at] += core_hours;
        }
    }
    let own: Vec<&RunPlan> = runs.iter().filter(|run| run.project == Some(number)).collect();
    let used: BTreeSet<&str> = own.iter().flat_map(|run| run.used()).collect();
    let letters = INTERFACES.iter().filter(|(name, _)| used.contains(name)).map(|(_, letter)| *letter);
    truth.apis = letters.collect::<Vec<&str>>().join(",");
    for run in &own {
        add(&mut truth.bytes, run.bytes());
    }
    truth.large = large(&own);
    truth
}

fn large(runs: &[&RunPlan]) -> LargeRuns {
    let mut large = LargeRuns::default();
    let mut values: [Vec<f64>; 7] = Default::default();
    let mut chosen: Vec<&&RunPlan> = runs
        .iter()
        .filter(|run| run.nprocs >= LARGE.0 && run.bytes().iter().sum::<u64>() >= LARGE.1)
        .collect();
    chosen.sort_by_key(|run| run.number);
    for run in chosen {
        let Some(bulk) = run.bulk else { continue };
        large.speeds.push(bulk.speed);
        large.nodes.push(run.nodes);
        if bulk.stack.has_posix() {
            for (calls, counts) in [bulk.reads, bulk.writes].into_iter().zip(&mut large.access) {
                if calls.count > 0 {
                    counts[size_bin(calls.size)] += calls.count * bulk.records;
                }
            }
        }
        for (value, list) in characteristics(run).into_iter().zip(&mut values) {
            list.extend(value);
        }
    }
    large.means = values.map(|list| (!list.is_empty()).then(|| list.iter().sum::<f64>() / list.len() as f64));
    large
}

/// Values of a run, in the order of [`MEANS`].
fn characteristics(run: &RunPlan) -> [Option<f64>; 7] {
    let Some(bulk) = run.bulk else { return [None; 7] };
    let processes = f64::from(run.nprocs);
    let written = if bulk.writes.count > 0 { bulk.sharing.files() } else { 0 } + u32::from(run.stream);
    let [sequential_reads, sequential_writes, unaligned] = bulk.counted().map(|count| count as f64);
    let accesses = (bulk.reads.count + bulk.writes.count) as f64;
    let posix = bulk.stack.has_posix() && accesses > 0.0;
    let bytes = run.bytes().iter().sum::<u64>() as f64;
    [
        // The small stream takes almost no time.
        Some(bulk.metadata),
        Some(run.files() as f64 / processes),
        Some(f64::from(written) / processes),
        posix.then(|| (sequential_reads + sequential_writes) / accesses),
        posix.then(|| 1.0 - unaligned / accesses),
        Some(bytes / MIB / processes),
        Some(bulk.slowest_s / run.runtime_s as f64),
    ]
}

/// Minimum, quartiles and maximum, by linear interpolation (type 7 of Hyndman and Fan 1996).
pub fn quartiles(values: &[f64]) -> Option<[f64; 5]> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    let at = |share: f64| {
        let place = share * last as f64;
        let (low, rest) = (place as usize, place.fract());
        values[low] + (values[(low + 1).min(last)] - values[low]) * rest
    };
    Some([0.0, 0.25, 0.5, 0.75, 1.0].map(at))
}

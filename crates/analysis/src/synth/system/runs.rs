//! The runs of a system and their I/O.

use std::collections::BTreeMap;

use super::super::Random;
use super::bulk::{Bulk, Calls, Class, MIB, Stack};
use super::patterns::Pattern;
use super::projects::{self, FULL, HIGHLIGHTED, Published};
use super::schedule::{BatchRow, CORES, Intent, drafts, program, unfinished};
use super::small::small;
use super::{DAY, EPOCH, SystemPlan, random};

/// Share of jobs with logs that run more than one program.
const SEVERAL: f64 = 0.04;
/// Seconds of each further run and the pause before it.
const FURTHER_S: i64 = 40;
/// Maximum share of the run time spent in I/O.
const MAX_IO: f64 = 0.85;
/// Share of runs that also write a small stream, in projects that use streams.
const WITH_STREAM: f64 = 0.5;

/// A run that has a log.
#[derive(Debug, Clone, PartialEq)]
pub struct RunPlan {
    pub number: u64,
    pub job_id: u64,
    /// `None` if the scheduler does not know the job.
    pub project: Option<usize>,
    pub uid: i64,
    pub nprocs: u32,
    /// Of its batch job.
    pub nodes: u32,
    /// Seconds since 1970.
    pub start: i64,
    pub runtime_s: i64,
    pub program: String,
    /// `None` if it touches no file.
    pub bulk: Option<Bulk>,
    /// Process 0 also writes a small stream.
    pub stream: bool,
}

/// Lines of a small stream, and bytes of each line.
pub const STREAM: Calls = Calls { count: 40, size: 512 };

impl RunPlan {
    /// Read and written.
    pub fn bytes(&self) -> [u64; 2] {
        let [read, written] = self.bulk.map_or([0, 0], |bulk| bulk.bytes());
        [read, written + if self.stream { STREAM.bytes() } else { 0 }]
    }

    /// Bytes read and written by interface and sharing class.
    pub fn parts(&self) -> Vec<(&'static str, Class, [u64; 2])> {
        let bulk = self.bulk.map(|bulk| (bulk.stack.top(), bulk.sharing.class(), bulk.bytes()));
        let stream = self.stream.then_some(("STDIO", Class::Unique, [0, STREAM.bytes()]));
        bulk.into_iter().chain(stream).collect()
    }

    pub fn used(&self) -> Vec<&'static str> {
        let mut used = self.bulk.map_or(Vec::new(), |bulk| bulk.stack.used().to_vec());
        if self.stream && !used.contains(&"STDIO") {
            used.push("STDIO");
        }
        used
    }

    pub fn files(&self) -> u64 {
        self.bulk.map_or(0, |bulk| u64::from(bulk.sharing.files())) + u64::from(self.stream)
    }
}

/// All rows of the scheduler's log, and all runs with logs.
pub fn scheduled(plan: &SystemPlan) -> (Vec<BatchRow>, Vec<RunPlan>) {
    let drafts = drafts(plan);
    let mut planned =
        Planned { runs: Vec::new(), large: BTreeMap::new(), turns: vec![0; projects::PROJECTS[0]] };
    for (at, draft) in drafts.iter().enumerate() {
        let mut random = random(plan, "job", at as u64);
        if let Some(intent) = draft.intent {
            planned.add(&draft.row, intent, &mut random);
        }
    }
    let Planned { mut runs, large, .. } = planned;
    for ((project, pattern), sized) in &large {
        let published = &HIGHLIGHTED[*project];
        fill(plan, published, &published.patterns[*pattern], sized, &mut runs);
    }
    runs.extend(strangers(plan));
    runs.sort_by_key(|run| (run.start, run.job_id, run.number));
    runs.iter_mut().enumerate().for_each(|(at, run)| run.number = at as u64);
    let last = drafts.iter().map(|draft| draft.row.id).max().unwrap_or(0);
    let mut rows: Vec<BatchRow> = drafts.into_iter().map(|draft| draft.row).collect();
    rows.extend(unfinished(plan, last));
    (rows, runs)
}

/// A large run: its index, its speed and its weight among the others.
struct Sized {
    run: usize,
    speed: f64,
    weight: f64,
}

/// Runs so far. Large runs get their bytes once all of them are known.
struct Planned {
    runs: Vec<RunPlan>,
    /// By project and pattern.
    large: BTreeMap<(usize, usize), Vec<Sized>>,
    /// Small runs of each project that used an interface.
    turns: Vec<usize>,
}

impl Planned {
    fn add(&mut self, row: &BatchRow, intent: Intent, random: &mut Random) {
        let (Some(start), Some(end)) = (row.start, row.end) else { return };
        let further = if random.chance(SEVERAL) { 1 + random.index(3) as i64 } else { 0 };
        let mut run = RunPlan {
            number: self.runs.len() as u64,
            job_id: row.id,
            project: Some(row.project),
            uid: 10_000 + row.project as i64 * 3,
            nprocs: 1,
            nodes: row.nodes,
            start: start + 5,
            runtime_s: end - start - 10 - further * FURTHER_S,
            program: program(row.project),
            bulk: None,
            stream: false,
        };
        self.fill_main(&mut run, row.project, intent, random);
        self.runs.push(run.clone());
        let after = run.start + run.runtime_s + 5;
        for number in 0..further {
            run.number = self.runs.len() as u64;
            (run.start, run.runtime_s) = (after + number * FURTHER_S, FURTHER_S - 10);
            (run.bulk, run.stream) = (None, false);
            if random.chance(0.5) {
                run.bulk = self.small(&run, row.project, random);
            }
            self.runs.push(run.clone());
        }
    }

    fn small(&mut self, run: &RunPlan, project: usize, random: &mut Random) -> Option<Bulk> {
        let room = (run.nodes, run.runtime_s as f64);
        small(projects::apis(project), &mut self.turns[project], run.nprocs, room, random)
    }

    fn fill_main(&mut self, run: &mut RunPlan, project: usize, intent: Intent, random: &mut Random) {
        let stack = match intent {
            Intent::Small(nprocs) => {
                run.nprocs = nprocs;
                run.bulk = self.small(run, project, random);
                run.bulk.map(|bulk| bulk.stack)
            }
            Intent::Large(pattern, (nprocs, nodes, speed)) => {
                run.nprocs = nprocs;
                let speed = speed * random.lognormal(pattern.spread);
                let weight = speed * f64::from(nodes) * run.runtime_s as f64 * random.between(0.7, 1.3);
                let patterns = HIGHLIGHTED[project].patterns;
                let place = patterns.iter().position(|known| std::ptr::eq(known, pattern)).unwrap_or(0);
                let sized = Sized { run: self.runs.len(), speed, weight };
                self.large.entry((project, place)).or_default().push(sized);
                Some(pattern.stack)
            }
        };
        let beside = |stack: Stack| projects::apis(project).contains('S') && stack != Stack::Stdio;
        run.stream = stack.is_some_and(beside) && random.chance(WITH_STREAM);
    }
}

/// Gives the large runs of a pattern their bytes, limited by what they can move in their time.
fn fill(plan: &SystemPlan, project: &Published, pattern: &Pattern, sized: &[Sized], runs: &mut [RunPlan]) {
    let bytes = project.tib * pattern.volume * MIB * MIB * plan.jobs as f64 / FULL;
    let weights = sized.iter().map(|one| one.weight).sum::<f64>();
    for one in sized {
        let run = &mut runs[one.run];
        let room = one.speed * f64::from(run.nodes) * run.runtime_s as f64 * MAX_IO * MIB;
        let own = (bytes * one.weight / weights).min(room);
        let sharing = pattern.sharing.within(run.nprocs);
        let records = u64::from(sharing.records(run.nprocs));
        let each = own / records as f64;
        let bulk = Bulk {
            stack: pattern.stack,
            sharing,
            records,
            reads: Calls::of(each * pattern.read, pattern.access[0]),
            writes: Calls::of(each * (1.0 - pattern.read), pattern.access[1]),
            metadata: pattern.metadata,
            order: pattern.order,
            speed: 0.0,
            slowest_s: 0.0,
        };
        run.bulk = Some(bulk.paced(one.speed, run.nodes));
    }
}

/// Runs without a job in the scheduler's log.
fn strangers(plan: &SystemPlan) -> Vec<RunPlan> {
    let mut random = random(plan, "strangers", 0);
    let period = f64::from(plan.days) * DAY as f64;
    (0..(plan.jobs / 2000).max(2))
        .map(|number| {
            let nprocs = random.between_log(2.0, 600.0) as u32;
            let nodes = nprocs.div_ceil(CORES);
            RunPlan {
                number: 0,
                job_id: 900_000_000 + number,
                project: None,
                uid: 9_999,
                nprocs,
                nodes,
                start: EPOCH + (random.unit() * (period - 1000.0)) as i64,
                runtime_s: 600,
                program: "stranger".to_string(),
                bulk: small("P", &mut 0, nprocs, (nodes, 600.0), &mut random),
                stream: false,
            }
        })
        .collect()
}

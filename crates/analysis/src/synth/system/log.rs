//! The log of a run.

use std::collections::BTreeMap;

use marigraph_model::{FileId, Job, Module, ModuleInfo, Mount, Rank, Records, Scope, Trace, WallTime};

use super::super::Random;
use super::bulk::{Bulk, Calls, Sharing, Stack};
use super::rows::{Accesses, BLOCK, Seconds, Use};
use super::runs::{RunPlan, STREAM};
use super::{SystemPlan, random};
use crate::count::Through;

/// The study's file systems had blocks of 4 MiB.
const POSIX: Through = Through::Posix { block: BLOCK };
/// Open and write times of the small stream.
const STREAM_S: [f64; 2] = [2e-4, 1e-4];

/// Makes the log of a run. It depends only on the plan and the run.
pub fn system_log(plan: &SystemPlan, run: &RunPlan) -> Trace {
    let mut log = Log { trace: Trace { job: job(run), ..Trace::default() }, records: BTreeMap::new() };
    if let Some(bulk) = &run.bulk {
        let mut random = random(plan, "log", run.number);
        log.add_bulk(run, bulk, &mut random);
    }
    if run.stream {
        log.add_stream(run);
    }
    let Log { mut trace, records, .. } = log;
    trace.modules = records.keys().map(|&module| ModuleInfo { module, version: 4, partial: false }).collect();
    trace.records = records;
    trace
}

fn job(run: &RunPlan) -> Job {
    let at = |seconds: i64| WallTime { seconds, nanos: 0 };
    Job {
        id: run.job_id as i64,
        uid: run.uid,
        exe: format!("/projects/bin/{} input.{}", run.program, run.number % 7),
        nprocs: run.nprocs.into(),
        start: at(run.start),
        end: at(run.start + run.runtime_s),
        metadata: vec![("lib_ver".into(), "3.4.4".into())],
        mounts: [("/gpfs", "gpfs"), ("/home", "nfs"), ("/", "ext4")]
            .map(|(path, kind)| Mount { path: path.into(), fs_type: kind.into() })
            .to_vec(),
    }
}

struct Log {
    trace: Trace,
    records: BTreeMap<Module, Records>,
}

impl Log {
    fn file(&mut self, name: &str) -> FileId {
        let id = FileId::of_name(name.as_bytes());
        self.trace.files.insert(id, name.as_bytes());
        id
    }

    fn push(&mut self, through: Through, file: FileId, parent: Option<FileId>, scope: Scope, used: &Use) {
        let Some(records) = used.record(through, file, parent, scope) else { return };
        let module = through.module();
        self.records.entry(module).or_insert_with(|| Records::new(module)).append(&records);
    }

    fn add_bulk(&mut self, run: &RunPlan, bulk: &Bulk, random: &mut Random) {
        let names: Vec<(String, FileId)> = (0..bulk.sharing.files())
            .map(|at| {
                let name = format!("/gpfs/{}/run{}/data.{at:05}", run.program, run.number);
                let id = self.file(&name);
                (name, id)
            })
            .collect();
        let one = slowest_use(run, bulk);
        match bulk.sharing {
            Sharing::Shared { files } => {
                let used = one.lasting(1.0 / f64::from(files));
                names.iter().for_each(|(name, id)| self.add(bulk.stack, name, *id, Scope::Shared, &used));
            }
            Sharing::Collective { aggregators, .. } => self.add_collective(&names, aggregators, &one, random),
            Sharing::Unique { ranks, files } => {
                for rank in 0..ranks {
                    let used = one.lasting(pace(rank, random) / f64::from(files));
                    // Processes with files are spread over all processes.
                    let scope = Scope::Rank(Rank(rank * (run.nprocs / ranks)));
                    let own = names.iter().skip((rank * files) as usize).take(files as usize);
                    own.for_each(|(name, id)| self.add(bulk.stack, name, *id, scope, &used));
                }
            }
            Sharing::Partial { ranks, .. } => {
                for (rank, (name, id)) in (0..ranks).zip(names.iter().cycle()) {
                    let used = one.lasting(pace(rank, random));
                    self.add(bulk.stack, name, *id, Scope::Rank(Rank(rank)), &used);
                }
            }
            Sharing::Unreduced { files } => {
                for rank in 0..run.nprocs {
                    let used = one.lasting(pace(rank, random) / f64::from(files));
                    let scope = Scope::Rank(Rank(rank));
                    names.iter().for_each(|(name, id)| self.add(bulk.stack, name, *id, scope, &used));
                }
            }
        }
    }

    /// All processes in MPI-IO, and the aggregators in POSIX.
    fn add_collective(
        &mut self,
        names: &[(String, FileId)],
        aggregators: u32,
        one: &Use,
        random: &mut Random,
    ) {
        let share = 1.0 / names.len() as f64;
        let accesses = one.accesses.map(|some| some.map(|calls| calls * u64::from(aggregators)));
        let above = Use { accesses, ..one.lasting(share) };
        for (_, id) in names {
            self.push(Through::MpiIo { collective: true }, *id, None, Scope::Shared, &above);
            for aggregator in 0..aggregators {
                let used = one.lasting(share * pace(aggregator, random));
                let rank = u64::from(aggregator) * one.nprocs / u64::from(aggregators);
                let scope = Scope::Rank(Rank(rank as u32));
                self.push(POSIX, *id, None, scope, &used);
            }
        }
    }

    fn add(&mut self, stack: Stack, name: &str, id: FileId, scope: Scope, used: &Use) {
        let (file, part) = match stack {
            Stack::Stdio => return self.push(Through::Stdio, id, None, scope, used),
            Stack::Posix | Stack::MpiIo => (None, None),
            Stack::Hdf5File => (Some(Through::Hdf5File), None),
            Stack::Hdf5 => (Some(Through::Hdf5File), Some((Through::Hdf5Dataset, ":/fields/u"))),
            Stack::Pnetcdf => (Some(Through::PnetcdfFile), Some((Through::PnetcdfVariable, ":u"))),
        };
        file.into_iter().for_each(|through| self.push(through, id, None, scope, used));
        if let Some((through, object)) = part {
            let object = self.file(&format!("{name}{object}"));
            self.push(through, object, Some(id), scope, used);
        }
        if stack != Stack::Posix {
            self.push(Through::MpiIo { collective: false }, id, None, scope, used);
        }
        self.push(POSIX, id, None, scope, used);
    }

    fn add_stream(&mut self, run: &RunPlan) {
        let id = self.file(&format!("/gpfs/{}/run{}/progress.log", run.program, run.number));
        let [metadata, write] = STREAM_S;
        let lines = Accesses { count: STREAM.count, size: STREAM.size, ..Accesses::default() };
        let used = Use {
            accesses: [Accesses::default(), lines],
            seconds: Seconds { metadata, read: 0.0, write },
            start_s: Use::start_s(run.runtime_s as f64, metadata + write),
            nprocs: run.nprocs.into(),
        };
        self.push(Through::Stdio, id, None, Scope::Rank(Rank(0)), &used);
    }
}

/// One record of the slowest process, if it has no others.
fn slowest_use(run: &RunPlan, bulk: &Bulk) -> Use {
    let [sequential_reads, sequential_writes, unaligned] = bulk.counted();
    let (Calls { count, size }, sequential) = (bulk.writes, sequential_writes);
    let most = count - u64::from(count > 0 && sequential == 0);
    let writes = Accesses { count, size, sequential, unaligned: unaligned.min(most) };
    let (Calls { count, size }, sequential) = (bulk.reads, sequential_reads);
    let reads = Accesses { count, size, sequential, unaligned: unaligned - writes.unaligned };
    Use {
        accesses: [reads, writes],
        seconds: Seconds::of(bulk, bulk.slowest_s),
        start_s: Use::start_s(run.runtime_s as f64, bulk.slowest_s),
        nprocs: run.nprocs.into(),
    }
}

/// Time of a process relative to the slowest, which is the first.
fn pace(rank: u32, random: &mut Random) -> f64 {
    if rank == 0 { 1.0 } else { random.between(0.5, 0.95) }
}

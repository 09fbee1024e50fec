//! The log of a run.

use std::collections::BTreeMap;

use marigraph_model::{Extra, FileId, Job, Module, ModuleInfo, Mount, Rank, Records, Scope, Trace, WallTime};

use super::super::Random;
use super::super::row::Row;
use super::bulk::{Bulk, Calls, Sharing, Stack};
use super::rows::{Seconds, Use, dataset_row, file_row, mpiio_row, posix_row, stream_row, variable_row};
use super::runs::{RunPlan, STREAM};
use super::{SystemPlan, random};

/// Seconds of opening and of writing the small stream.
const STREAM_S: [f64; 2] = [2e-4, 1e-4];

/// Makes the log of a run; it depends on nothing but the plan and the run.
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

    fn push(&mut self, module: Module, file: FileId, scope: Scope, row: Row, extra: Extra) {
        let records = self.records.entry(module).or_insert_with(|| Records::new(module));
        records.push(file, scope, row.ints, row.floats, extra);
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
                let used = one.by_all(1.0 / f64::from(files), 1);
                names.iter().for_each(|(name, id)| self.add(bulk.stack, name, *id, Scope::Shared, &used));
            }
            Sharing::Collective { aggregators, .. } => self.add_collective(&names, aggregators, &one, random),
            Sharing::Unique { ranks, files } => {
                for rank in 0..ranks {
                    let used = one.lasting(pace(rank, random) / f64::from(files));
                    // Those who have files are spread over all processes.
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

    /// All processes in MPI-IO, and in POSIX those who do it for them.
    fn add_collective(
        &mut self,
        names: &[(String, FileId)],
        aggregators: u32,
        one: &Use,
        random: &mut Random,
    ) {
        let share = 1.0 / names.len() as f64;
        let above = one.by_all(share, u64::from(aggregators));
        for (_, id) in names {
            self.push(Module::MpiIo, *id, Scope::Shared, mpiio_row(&above, true), Extra::None);
            for aggregator in 0..aggregators {
                let used = one.lasting(share * pace(aggregator, random));
                let rank = u64::from(aggregator) * one.nprocs / u64::from(aggregators);
                let scope = Scope::Rank(Rank(rank as u32));
                self.push(Module::Posix, *id, scope, posix_row(&used), Extra::None);
            }
        }
    }

    /// Records of a file in all interfaces of a stack.
    fn add(&mut self, stack: Stack, name: &str, id: FileId, scope: Scope, used: &Use) {
        match stack {
            Stack::Stdio => return self.push(Module::Stdio, id, scope, stream_row(used), Extra::None),
            Stack::Posix => {}
            Stack::MpiIo => {}
            Stack::Hdf5 | Stack::Hdf5File => {
                self.push(Module::H5f, id, scope, file_row(Module::H5f, used), Extra::None);
                if stack == Stack::Hdf5 {
                    let dataset = self.file(&format!("{name}:/fields/u"));
                    self.push(Module::H5d, dataset, scope, dataset_row(used), Extra::Parent(id));
                }
            }
            Stack::Pnetcdf => {
                self.push(Module::PnetcdfFile, id, scope, file_row(Module::PnetcdfFile, used), Extra::None);
                let variable = self.file(&format!("{name}:u"));
                self.push(Module::PnetcdfVar, variable, scope, variable_row(used), Extra::Parent(id));
            }
        }
        if stack != Stack::Posix {
            self.push(Module::MpiIo, id, scope, mpiio_row(used, false), Extra::None);
        }
        self.push(Module::Posix, id, scope, posix_row(used), Extra::None);
    }

    /// The small stream of process 0.
    fn add_stream(&mut self, run: &RunPlan) {
        let id = self.file(&format!("/gpfs/{}/run{}/progress.log", run.program, run.number));
        let [metadata, write] = STREAM_S;
        let used = Use {
            opens: 1,
            calls: [Calls::default(), STREAM],
            counted: [0; 3],
            seconds: Seconds { metadata, read: 0.0, write },
            span: Use::span(run.runtime_s as f64, metadata + write),
            slowest: None,
            nprocs: run.nprocs.into(),
        };
        self.push(Module::Stdio, id, Scope::Rank(Rank(0)), stream_row(&used), Extra::None);
    }
}

/// A record of the slowest process, if it has no other.
fn slowest_use(run: &RunPlan, bulk: &Bulk) -> Use {
    Use {
        opens: 1,
        calls: [bulk.reads, bulk.writes],
        counted: bulk.counted(),
        seconds: Seconds::of(bulk, bulk.slowest_s),
        span: Use::span(run.runtime_s as f64, bulk.slowest_s),
        slowest: None,
        nprocs: run.nprocs.into(),
    }
}

/// How long a process takes where the slowest, which is the first, takes 1.
fn pace(rank: u32, random: &mut Random) -> f64 {
    if rank == 0 { 1.0 } else { random.between(0.5, 0.95) }
}

//! A synthetic job as a recorder would have logged it.
//!
//! The job reads its input, computes, and writes a checkpoint at regular intervals: one shared file
//! through MPI-IO and one file per rank. Rank 0 keeps a log. The job can also leave any number of
//! small result files.

use marigraph_model::{
    Component, Direction, Event, Events, FileId, Job, Layout, MIB, Module, ModuleInfo, Mount, Nanos, Rank,
    Scope, Trace, WallTime,
};

use super::Random;
use crate::count::{Batch, Place, Through, Usage, What};

const LINE_NS: i64 = 2000;

/// The parameters of a synthetic job.
#[derive(Debug, Clone, Copy)]
pub struct JobPlan {
    pub seed: u64,
    pub ranks: u32,
    pub checkpoints: u32,
    pub interval_s: f64,
    pub result_files: u32,
}

/// The true totals of the job.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Truth {
    pub read_bytes: u64,
    pub written_bytes: u64,
    pub reads: u64,
    pub writes: u64,
    /// Without streams.
    pub files: u64,
    pub period_s: f64,
}

/// Bytes per second of each rank while all ranks write.
const RANK_SPEED: f64 = 40e6;

/// A synthetic job: its traced operations, its counters, and the truth.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    /// Job, names, layouts and traced operations. `profile` derives the counters from the
    /// operations.
    pub trace: Trace,
    /// Operations on the result files: counted but not traced.
    pub untraced: Events,
    pub truth: Truth,
}

pub fn job(plan: &JobPlan) -> Made {
    let mut maker = Maker {
        plan: *plan,
        random: Random::new(plan.seed),
        trace: Trace::default(),
        untraced: Events::default(),
        truth: Truth { period_s: plan.interval_s, ..Truth::default() },
    };
    maker.input();
    (0..plan.checkpoints).for_each(|step| maker.checkpoint(step));
    maker.log_stream();
    maker.results();
    maker.finish()
}

struct Maker {
    plan: JobPlan,
    random: Random,
    trace: Trace,
    untraced: Events,
    truth: Truth,
}

impl Maker {
    fn file(&mut self, name: &str) -> FileId {
        let id = FileId::of_name(name.as_bytes());
        self.trace.files.insert(id, name.as_bytes());
        self.truth.files += 1;
        id
    }

    /// Adds a POSIX call, and the same call through MPI-IO above it if `collective`.
    fn call(
        &mut self,
        op: Direction,
        rank: u32,
        file: FileId,
        at_s: f64,
        (offset, bytes): (u64, u64),
        collective: bool,
    ) -> f64 {
        let seconds = bytes as f64 / (self.random.between(0.6, 1.4) * RANK_SPEED) + 0.0005;
        let event = Event {
            interface: Module::Posix,
            direction: op,
            rank: Rank(rank),
            file,
            start: Nanos::from_job_seconds(at_s),
            end: Nanos::from_job_seconds(at_s + seconds),
            offset: Some(offset),
            bytes,
            thread: None,
        };
        self.trace.events.push(event);
        if collective {
            self.trace.events.push(Event { interface: Module::MpiIo, ..event });
        }
        match op {
            Direction::Read => {
                (self.truth.reads, self.truth.read_bytes) =
                    (self.truth.reads + 1, self.truth.read_bytes + bytes)
            }
            _ => {
                (self.truth.writes, self.truth.written_bytes) =
                    (self.truth.writes + 1, self.truth.written_bytes + bytes)
            }
        }
        at_s + seconds
    }

    fn input(&mut self) {
        let file = self.file("/lus/project/input/mesh.h5");
        self.layout(file, 8);
        for rank in 0..self.plan.ranks {
            let mut at = self.random.between(0.2, 0.5);
            for block in 0..4 {
                let offset = (u64::from(rank) * 4 + block) * 4 * MIB;
                at = self.call(Direction::Read, rank, file, at, (offset, 4 * MIB), true);
            }
        }
    }

    fn checkpoint(&mut self, step: u32) {
        let begin = f64::from(step + 1) * self.plan.interval_s;
        let shared = self.file(&format!("/lus/project/run/checkpoint.{step:04}.h5"));
        self.layout(shared, 16);
        for rank in 0..self.plan.ranks {
            let own = self.file(&format!("/lus/project/run/state.{step:04}.{rank:05}"));
            let mut at = begin + self.random.between(0.0, 0.05) * self.plan.interval_s;
            for block in 0..24 {
                let offset = (block * u64::from(self.plan.ranks) + u64::from(rank)) * 4 * MIB;
                at = self.call(Direction::Write, rank, shared, at, (offset, 4 * MIB), true);
            }
            for block in 0..48 {
                at = self.call(Direction::Write, rank, own, at, (block * 65_536, 65_536), false);
            }
        }
    }

    fn layout(&mut self, file: FileId, stripes: i64) {
        let component = Component {
            stripe_size: Some(MIB as i64),
            pattern: Some(0),
            flags: Some(0x10),
            extent_start: 0,
            extent_end: None,
            mirror: Some(0),
            pool: String::new(),
            targets: (0..stripes).map(|n| (n * 7 + 3) % 48).collect(),
        };
        self.trace.layouts.push(Layout { file, scope: Scope::Shared, components: vec![component] });
    }

    fn log_stream(&mut self) {
        self.trace.files.insert(FileId::STDOUT, b"<STDOUT>");
        let lines = u64::from(self.plan.checkpoints) * 20 + 5;
        let line = What::Move(Direction::Write, Place { offset: 0, bytes: 80, step: 80 });
        let batches = [(What::Open, 1, 0), (line, lines, lines as i64 * LINE_NS)]
            .map(|(what, times, end)| Batch { what, times, start: Nanos(0), end: Nanos(end) });
        let usage = Usage { through: Through::Stdio, parent: None, batches: batches.to_vec() };
        self.truth.writes += lines;
        self.truth.written_bytes += lines * 80;
        self.trace.records.insert(Module::Stdio, usage.record(FileId::STDOUT, Rank(0)));
    }

    fn results(&mut self) {
        for n in 0..self.plan.result_files {
            let file = self.file(&format!("/lus/project/run/results/{:03}/part-{n:07}.dat", n / 1000));
            let bytes = 512 + self.random.bits() % 200_000;
            let start = self.random.between(1.0, self.runtime_s() - 1.0);
            let seconds = bytes as f64 / RANK_SPEED + self.random.between(0.0, 0.001);
            self.untraced.push(Event {
                interface: Module::Posix,
                direction: Direction::Write,
                rank: Rank(n % self.plan.ranks),
                file,
                start: Nanos::from_job_seconds(start),
                end: Nanos::from_job_seconds(start + seconds),
                offset: Some(0),
                bytes,
                thread: None,
            });
            self.truth.writes += 1;
            self.truth.written_bytes += bytes;
        }
    }

    fn runtime_s(&self) -> f64 {
        f64::from(self.plan.checkpoints + 1) * self.plan.interval_s + 5.0
    }

    fn finish(mut self) -> Made {
        let seconds = self.runtime_s();
        self.trace.job = Job {
            id: 4_242_000 + (self.plan.seed % 1000) as i64,
            uid: 1000,
            exe: "./climate_model --config run.yaml".to_string(),
            nprocs: u64::from(self.plan.ranks),
            start: WallTime { seconds: 1_760_000_000, nanos: 250_000_000 },
            end: WallTime {
                seconds: 1_760_000_000 + seconds as i64,
                nanos: (seconds.fract() * 1e9) as u32 / 2 + 250_000_000,
            },
            metadata: vec![
                ("lib_ver".into(), "3.5.0".into()),
                ("h".into(), "romio_no_indep_rw=true;cb_nodes=4".into()),
            ],
            mounts: [("/lus", "lustre"), ("/home", "nfs"), ("/", "overlay")]
                .map(|(path, kind)| Mount { path: path.into(), fs_type: kind.into() })
                .to_vec(),
        };
        for rank in 0..self.plan.ranks {
            self.trace.hosts.insert(Rank(rank), format!("nid{:05}", 100 + rank / 32));
        }
        let present = [Module::Stdio, Module::Lustre, Module::DxtPosix, Module::DxtMpiio];
        self.trace.modules = present.map(|module| ModuleInfo { module, version: 1, partial: false }).to_vec();
        Made { trace: self.trace, untraced: self.untraced, truth: self.truth }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(seed: u64) -> JobPlan {
        JobPlan { seed, ranks: 8, checkpoints: 3, interval_s: 30.0, result_files: 100 }
    }

    #[test]
    fn a_seed_makes_one_job() {
        assert_eq!(job(&plan(3)), job(&plan(3)));
        assert_ne!(job(&plan(3)).trace, job(&plan(4)).trace);
    }

    #[test]
    fn the_truth_is_what_the_operations_say() {
        let made = job(&plan(1));
        let posix =
            made.trace.events.iter().chain(made.untraced.iter()).filter(|e| e.interface == Module::Posix);
        let (reads, writes): (Vec<Event>, Vec<Event>) =
            posix.partition(|event| event.direction == Direction::Read);
        let bytes = |events: &[Event]| events.iter().map(|event| event.bytes).sum::<u64>();
        assert_eq!((reads.len() as u64, bytes(&reads)), (made.truth.reads, made.truth.read_bytes));
        // Rank 0 also prints its log: 20 lines per checkpoint and 5 more, of 80 bytes each.
        assert_eq!(writes.len() as u64 + 65, made.truth.writes);
        assert_eq!(bytes(&writes) + 65 * 80, made.truth.written_bytes);
    }
}

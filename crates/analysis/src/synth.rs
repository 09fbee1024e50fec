//! Made-up jobs whose truth is known, for trying things out and for tests. The same seed gives the
//! same job.
//!
//! The job reads its input, computes, and writes a checkpoint every so often: one shared file
//! through MPI-IO and one file per rank. Rank 0 keeps a log. It can also leave any number of small
//! result files.

use marigraph_model::counters::{IntIdx, mpiio, posix, stdio};
use marigraph_model::{
    Component, Count, Event, Extra, FileId, Job, Layout, Measure, Module, ModuleInfo, Mount, Nanos, Op, Rank,
    Records, Scope, Trace, WallTime,
};

use crate::Aggregate;
use crate::profile::Profile;

/// What to make.
#[derive(Debug, Clone, Copy)]
pub struct JobPlan {
    /// Decides all that varies.
    pub seed: u64,
    /// Processes.
    pub ranks: u32,
    /// Checkpoints.
    pub checkpoints: u32,
    /// Seconds from one checkpoint to the next.
    pub interval_s: f64,
    /// Small result files, spread over the ranks.
    pub result_files: u32,
    /// Turns a name into its id; the formats know how.
    pub id_of: fn(&[u8]) -> FileId,
}

/// What is true of the job.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Truth {
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Read calls.
    pub reads: u64,
    /// Write calls.
    pub writes: u64,
    /// Files, streams not counted.
    pub files: u64,
    /// Seconds from one checkpoint to the next.
    pub period_s: f64,
}

/// A small generator of random numbers (SplitMix64).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Between 0 and 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Between two bounds.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
}

const MIB: u64 = 1 << 20;
/// Bytes per second that a rank gets while all of them write.
const RANK_SPEED: f64 = 40e6;

/// Makes a job.
pub fn job(plan: &JobPlan) -> (Trace, Truth) {
    let mut maker = Maker {
        plan: *plan,
        random: Random::new(plan.seed),
        trace: Trace::default(),
        truth: Truth::default(),
    };
    maker.truth.period_s = plan.interval_s;
    maker.input();
    (0..plan.checkpoints).for_each(|step| maker.checkpoint(step));
    maker.profile();
    maker.log_stream();
    maker.results();
    maker.finish()
}

struct Maker {
    plan: JobPlan,
    random: Random,
    trace: Trace,
    truth: Truth,
}

impl Maker {
    fn file(&mut self, name: &str) -> FileId {
        let id = (self.plan.id_of)(name.as_bytes());
        self.trace.files.insert(id, name.as_bytes());
        self.truth.files += 1;
        id
    }

    /// One call through POSIX, and the same through MPI-IO above it if `collective`.
    fn call(
        &mut self,
        op: Op,
        rank: u32,
        file: FileId,
        at_s: f64,
        (offset, bytes): (u64, u64),
        collective: bool,
    ) -> f64 {
        let seconds = bytes as f64 / (self.random.between(0.6, 1.4) * RANK_SPEED) + 0.0005;
        let event = Event {
            interface: Module::Posix,
            op,
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
            Op::Read => {
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

    /// Every rank reads its part of one input file.
    fn input(&mut self) {
        let file = self.file("/lus/project/input/mesh.h5");
        self.layout(file, 8);
        for rank in 0..self.plan.ranks {
            let mut at = self.random.between(0.2, 0.5);
            for block in 0..4 {
                let offset = (u64::from(rank) * 4 + block) * 4 * MIB;
                at = self.call(Op::Read, rank, file, at, (offset, 4 * MIB), true);
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
                at = self.call(Op::Write, rank, shared, at, (offset, 4 * MIB), true);
            }
            for block in 0..48 {
                at = self.call(Op::Write, rank, own, at, (block * 65_536, 65_536), false);
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

    /// Records and heat maps follow from the operations; files that all ranks used are reduced.
    fn profile(&mut self) {
        let mut profile = Profile::default();
        self.trace.stream(&mut profile);
        self.trace.series = profile.series();
        for (module, records) in profile.records() {
            let reduced = self.reduced(module, &records);
            self.trace.records.insert(module, reduced);
        }
    }

    fn reduced(&mut self, module: Module, records: &Records) -> Records {
        let mut out = Records::new(module);
        let rows: Vec<_> = records.iter().collect();
        for group in rows.chunk_by(|a, b| a.file == b.file) {
            let mut one = Records::new(module);
            for record in group {
                let mut ints = record.ints.to_vec();
                let mut floats = record.floats.to_vec();
                self.add_metadata(module, &mut ints, &mut floats);
                one.push(record.file, record.scope, ints, floats, Extra::None);
            }
            if group.len() == self.plan.ranks as usize && group.len() > 1 {
                let mut shared = Aggregate::new(module);
                one.iter().for_each(|record| shared.add(record, 1));
                shared.push_shared(&mut out);
            } else {
                out.append(&one);
            }
        }
        out
    }

    /// What a recorder would have seen beside reads and writes.
    fn add_metadata(&mut self, module: Module, ints: &mut [Count], floats: &mut [Measure]) {
        let roles = module.roles();
        let mut set = |idx: IntIdx, value: i64| ints[idx.at()] = Count::new(value);
        roles.opens.iter().for_each(|&idx| set(idx, i64::from(idx == roles.opens[0])));
        roles.other_metadata.iter().for_each(|&idx| set(idx, 0));
        match module {
            // The profile counts all calls as independent; these are collective.
            Module::MpiIo => {
                ints.swap(mpiio::INDEP_READS.at(), mpiio::COLL_READS.at());
                ints.swap(mpiio::INDEP_WRITES.at(), mpiio::COLL_WRITES.at());
            }
            Module::Posix => add_posix_facts(ints),
            _ => {}
        }
        if let Some(idx) = roles.meta_time {
            floats[idx.at()] = Measure::new(self.random.between(0.0005, 0.004));
        }
    }

    /// Rank 0 prints to standard output.
    fn log_stream(&mut self) {
        self.trace.files.insert(FileId::STDOUT, b"<STDOUT>");
        let lines = i64::from(self.plan.checkpoints) * 20 + 5;
        let mut ints = vec![Count::new(0); stdio::INTS.len()];
        for (idx, value) in [(stdio::OPENS, 1), (stdio::WRITES, lines), (stdio::BYTES_WRITTEN, lines * 80)] {
            ints[idx.at()] = Count::new(value);
        }
        let mut floats = vec![Measure::new(0.0); stdio::FLOATS.len()];
        floats[stdio::F_WRITE_TIME.at()] = Measure::new(lines as f64 * 2e-6);
        let mut records = Records::new(Module::Stdio);
        records.push(FileId::STDOUT, Scope::Rank(Rank(0)), ints, floats, Extra::None);
        self.truth.writes += lines as u64;
        self.truth.written_bytes += lines as u64 * 80;
        self.trace.records.insert(Module::Stdio, records);
    }

    /// Small files, each written once by one rank.
    fn results(&mut self) {
        let mut records = Records::new(Module::Posix);
        for n in 0..self.plan.result_files {
            let rank = n % self.plan.ranks;
            let file = self.file(&format!("/lus/project/run/results/{:03}/part-{n:07}.dat", n / 1000));
            let bytes = 512 + self.random.bits() % 200_000;
            let at = self.random.between(1.0, self.runtime_s() - 1.0);
            records.push(
                file,
                Scope::Rank(Rank(rank)),
                self.small_file_ints(bytes),
                self.small_file_floats(at, bytes),
                Extra::None,
            );
            self.truth.writes += 1;
            self.truth.written_bytes += bytes;
        }
        if !records.is_empty() {
            self.trace
                .records
                .entry(Module::Posix)
                .or_insert_with(|| Records::new(Module::Posix))
                .append(&records);
        }
    }

    fn small_file_ints(&mut self, bytes: u64) -> Vec<Count> {
        let mut ints = vec![Count::new(0); posix::INTS.len()];
        let bin = posix::SIZE_WRITE_0_100.plus(crate::usage::size_bin(bytes));
        for (idx, value) in [
            (posix::OPENS, 1),
            (posix::WRITES, 1),
            (posix::STATS, 1),
            (posix::MODE, 0o644),
            (posix::BYTES_WRITTEN, bytes as i64),
            (posix::MAX_BYTE_WRITTEN, bytes as i64 - 1),
            (posix::MEM_ALIGNMENT, 8),
            (posix::FILE_ALIGNMENT, MIB as i64),
            (posix::MAX_WRITE_TIME_SIZE, bytes as i64),
            (bin, 1),
            (posix::ACCESS1_ACCESS, bytes as i64),
            (posix::ACCESS1_COUNT, 1),
        ] {
            ints[idx.at()] = Count::new(value);
        }
        ints[posix::MMAPS.at()] = Count::MISSING;
        ints
    }

    fn small_file_floats(&mut self, at: f64, bytes: u64) -> Vec<Measure> {
        let write = bytes as f64 / 300e6 + self.random.between(0.0, 0.001);
        let meta = self.random.between(0.0002, 0.003);
        let mut floats = vec![Measure::new(0.0); posix::FLOATS.len()];
        for (idx, value) in [
            (posix::F_OPEN_START_TIMESTAMP, at),
            (posix::F_OPEN_END_TIMESTAMP, at + meta),
            (posix::F_WRITE_START_TIMESTAMP, at + meta),
            (posix::F_WRITE_END_TIMESTAMP, at + meta + write),
            (posix::F_CLOSE_START_TIMESTAMP, at + meta + write),
            (posix::F_CLOSE_END_TIMESTAMP, at + meta + write + 0.0001),
            (posix::F_WRITE_TIME, write),
            (posix::F_META_TIME, meta),
            (posix::F_MAX_WRITE_TIME, write),
        ] {
            floats[idx.at()] = Measure::new(value);
        }
        floats
    }

    fn runtime_s(&self) -> f64 {
        f64::from(self.plan.checkpoints + 1) * self.plan.interval_s + 5.0
    }

    fn finish(mut self) -> (Trace, Truth) {
        let seconds = self.runtime_s();
        self.trace.job = Job {
            id: 4_242_000 + (self.plan.seed % 1000) as i64,
            uid: 1000,
            exe: "./climate_model --config run.yaml".to_string(),
            nprocs: u64::from(self.plan.ranks),
            nnodes: None,
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
        let mut present: Vec<Module> = self.trace.records.keys().copied().collect();
        present.extend([Module::Lustre, Module::DxtPosix, Module::DxtMpiio, Module::Heatmap]);
        self.trace.modules =
            present.into_iter().map(|module| ModuleInfo { module, version: 1, partial: false }).collect();
        (self.trace, self.truth)
    }
}

/// What Darshan's POSIX records say of a file that was opened, looked at and used in whole blocks.
fn add_posix_facts(ints: &mut [Count]) {
    for (idx, value) in [
        (posix::STATS, 1),
        (posix::MODE, 0o644),
        (posix::MEM_ALIGNMENT, 8),
        (posix::FILE_ALIGNMENT, MIB as i64),
        (posix::MEM_NOT_ALIGNED, 0),
        (posix::FILE_NOT_ALIGNED, 0),
        (posix::FILENOS, 0),
        (posix::DUPS, 0),
        (posix::RENAME_TARGETS, 0),
    ] {
        ints[idx.at()] = Count::new(value);
    }
    ints[posix::MMAPS.at()] = Count::MISSING;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Files;
    use crate::usage::JobUsage;

    fn plan(seed: u64) -> JobPlan {
        let id_of = |name: &[u8]| FileId(name.iter().fold(7, |sum, &b| sum.wrapping_mul(31) ^ u64::from(b)));
        JobPlan { seed, ranks: 8, checkpoints: 3, interval_s: 30.0, result_files: 100, id_of }
    }

    #[test]
    fn the_figures_are_the_truth() {
        for seed in 0..5 {
            let (trace, truth) = job(&plan(seed));
            let (mut usage, mut files) = (JobUsage::default(), Files::default());
            trace.stream(&mut marigraph_model::Both(&mut usage, &mut files));
            let totals = usage.totals();
            assert_eq!((totals.read_bytes, totals.written_bytes), (truth.read_bytes, truth.written_bytes));
            assert_eq!((totals.reads, totals.writes), (truth.reads, truth.writes));
            assert_eq!(files.count(), truth.files);
        }
    }

    #[test]
    fn a_seed_makes_one_job() {
        assert_eq!(job(&plan(3)), job(&plan(3)));
        assert_ne!(job(&plan(3)).0, job(&plan(4)).0);
    }
}

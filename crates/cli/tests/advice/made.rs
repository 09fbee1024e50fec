//! Logs made for a rule: a job, and records with the counters that matter.

use marigraph_formats::darshan;
use marigraph_model::counters::{FloatIdx, IntIdx, posix};
use marigraph_model::{
    Component, Count, Direction, Event, Extra, FileId, Job, Layout, Measure, Module, Nanos, Rank, Records,
    Scope, Trace, WallTime, size_bin,
};

/// Integer counters; a later one replaces an earlier one.
pub type Ints = Vec<(IntIdx, i64)>;

/// A log under construction.
pub struct Made(Trace);

/// A job that ran for 100 seconds.
pub fn job(nprocs: u64) -> Made {
    let start = 1_760_000_000;
    let job = Job {
        id: 7,
        uid: 1000,
        exe: "./made --for advice".to_string(),
        nprocs,
        start: WallTime { seconds: start, nanos: 0 },
        end: WallTime { seconds: start + 100, nanos: 0 },
        metadata: vec![("lib_ver".to_string(), "3.4.4".to_string())],
        ..Job::default()
    };
    Made(Trace { job, ..Trace::default() })
}

pub fn rank(n: u32) -> Scope {
    Scope::Rank(Rank(n))
}

/// POSIX reads of one size, in order, from the start of the file.
pub fn reads(calls: i64, size: i64) -> Ints {
    let bin = posix::SIZE_READ_0_100.plus(size_bin(size as u64));
    let sums = [(posix::READS, calls), (posix::BYTES_READ, calls * size), (bin, calls)];
    let order = [(posix::SEQ_READS, calls - 1), (posix::CONSEC_READS, calls - 1)];
    [&sums[..], &order[..], &[(posix::MAX_BYTE_READ, calls * size - 1)]].concat()
}

/// POSIX writes of one size, in order, from the start of the file.
pub fn writes(calls: i64, size: i64) -> Ints {
    let bin = posix::SIZE_WRITE_0_100.plus(size_bin(size as u64));
    let sums = [(posix::WRITES, calls), (posix::BYTES_WRITTEN, calls * size), (bin, calls)];
    let order = [(posix::SEQ_WRITES, calls - 1), (posix::CONSEC_WRITES, calls - 1)];
    [&sums[..], &order[..], &[(posix::MAX_BYTE_WRITTEN, calls * size - 1)]].concat()
}

pub fn with(mut ints: Ints, more: &[(IntIdx, i64)]) -> Ints {
    ints.extend_from_slice(more);
    ints
}

impl Made {
    /// `seconds` are the total times of reads, writes and metadata calls.
    pub fn record(self, module: Module, file: u64, scope: Scope, ints: &Ints, seconds: [f64; 3]) -> Made {
        let roles = module.roles();
        let times = [roles.read_time, roles.write_time, roles.meta_time];
        let floats: Vec<(FloatIdx, f64)> =
            times.into_iter().zip(seconds).filter_map(|(idx, s)| idx.map(|idx| (idx, s))).collect();
        self.record_with(module, file, scope, ints, &floats)
    }

    pub fn record_with(
        mut self,
        module: Module,
        file: u64,
        scope: Scope,
        ints: &[(IntIdx, i64)],
        floats: &[(FloatIdx, f64)],
    ) -> Made {
        let mut row = vec![Count::new(0); module.ints().len()];
        ints.iter().for_each(|&(idx, value)| row[idx.at()] = Count::new(value));
        let mut times = vec![Measure::new(0.0); module.floats().len()];
        floats.iter().for_each(|&(idx, value)| times[idx.at()] = Measure::new(value));
        self.0.files.insert(FileId(file), format!("/made/{file}").as_bytes());
        let records = self.0.records.entry(module).or_insert_with(|| Records::new(module));
        records.push(FileId(file), scope, row, times, Extra::None);
        self
    }

    pub fn posix(self, file: u64, scope: Scope, ints: &Ints, seconds: [f64; 3]) -> Made {
        self.record(Module::Posix, file, scope, ints, seconds)
    }

    pub fn striped(mut self, file: u64, targets: i64) -> Made {
        let component = Component {
            stripe_size: Some(1 << 20),
            pattern: Some(0),
            targets: (0..targets).collect(),
            ..Component::default()
        };
        self.0.layouts.push(Layout { file: FileId(file), scope: Scope::Shared, components: vec![component] });
        self
    }

    pub fn hints(mut self, hints: &str) -> Made {
        self.0.job.metadata.push(("h".to_string(), hints.to_string()));
        self
    }

    /// Adds reads of rank 0: offset, bytes.
    pub fn traced_reads(mut self, file: u64, ranges: impl Iterator<Item = (u64, u64)>) -> Made {
        for (offset, bytes) in ranges {
            self.0.events.push(Event {
                interface: Module::Posix,
                direction: Direction::Read,
                rank: Rank(0),
                file: FileId(file),
                start: Nanos(1_000_000_000),
                end: Nanos(1_010_000_000),
                offset: Some(offset),
                bytes,
                thread: None,
            });
        }
        self
    }

    pub fn log(&self) -> Vec<u8> {
        let (log, problems) = darshan::write(&self.0);
        assert_eq!(problems, [], "a log can hold what a rule needs");
        log
    }
}

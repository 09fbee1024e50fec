//! Logs as literals, and their expected labels.

mod degenerate;
mod evidence;
mod metadata;
mod periodic;
mod properties;
mod temporality;
mod valid;

use marigraph_model::counters::{FloatIdx, IntIdx, posix, stdio};
use marigraph_model::{
    Count, Direction, Event, Events, Extra, FileId, FileTable, Job, Measure, Module, Nanos, Rank, Records,
    Scope, Series, Sink, WallTime,
};

use super::*;
use crate::valid::Invalid;

/// A file of a synthetic log.
#[derive(Debug, Clone)]
pub struct File {
    pub id: u64,
    pub module: Module,
    pub bytes: i64,
    pub from_s: f64,
    pub to_s: f64,
    pub write: bool,
    pub ints: Vec<(IntIdx, i64)>,
    pub floats: Vec<(FloatIdx, f64)>,
}

pub fn written(id: u64, from_s: f64, to_s: f64, bytes: i64) -> File {
    let module = Module::Posix;
    File { id, module, bytes, from_s, to_s, write: true, ints: Vec::new(), floats: Vec::new() }
}

pub fn read(id: u64, from_s: f64, to_s: f64, bytes: i64) -> File {
    File { write: false, ..written(id, from_s, to_s, bytes) }
}

impl File {
    pub fn int(mut self, idx: IntIdx, value: i64) -> File {
        self.ints.push((idx, value));
        self
    }

    pub fn float(mut self, idx: FloatIdx, value: f64) -> File {
        self.floats.push((idx, value));
        self
    }

    fn push(&self, records: &mut Records) {
        let mut ints = vec![Count::new(0); self.module.ints().len()];
        let mut floats = vec![Measure::new(0.0); self.module.floats().len()];
        let posix = self.module == Module::Posix;
        let pick = |one: IntIdx, other: IntIdx| if posix { one } else { other };
        let time = |one: FloatIdx, other: FloatIdx| if posix { one } else { other };
        let (bytes, calls, start, end) = if self.write {
            (
                pick(posix::BYTES_WRITTEN, stdio::BYTES_WRITTEN),
                pick(posix::WRITES, stdio::WRITES),
                time(posix::F_WRITE_START_TIMESTAMP, stdio::F_WRITE_START_TIMESTAMP),
                time(posix::F_WRITE_END_TIMESTAMP, stdio::F_WRITE_END_TIMESTAMP),
            )
        } else {
            (
                pick(posix::BYTES_READ, stdio::BYTES_READ),
                pick(posix::READS, stdio::READS),
                time(posix::F_READ_START_TIMESTAMP, stdio::F_READ_START_TIMESTAMP),
                time(posix::F_READ_END_TIMESTAMP, stdio::F_READ_END_TIMESTAMP),
            )
        };
        ints[bytes.at()] = Count::new(self.bytes);
        ints[calls.at()] = Count::new(1);
        floats[start.at()] = Measure::new(self.from_s);
        floats[end.at()] = Measure::new(self.to_s);
        self.ints.iter().for_each(|&(idx, value)| ints[idx.at()] = Count::new(value));
        self.floats.iter().for_each(|&(idx, value)| floats[idx.at()] = Measure::new(value));
        records.push(FileId(self.id), Scope::Rank(Rank(0)), ints, floats, Extra::None);
    }
}

/// A synthetic log.
#[derive(Debug, Clone, Default)]
pub struct Log {
    pub runtime_s: f64,
    pub nprocs: u64,
    pub files: Vec<File>,
    pub names: Vec<(u64, String)>,
    pub events: Vec<(Direction, u64, f64, f64, u64)>,
    pub heat: Option<(f64, Vec<u64>)>,
    pub thresholds: Thresholds,
}

pub fn log(runtime_s: f64, files: Vec<File>) -> Log {
    Log { runtime_s, nprocs: 1, files, ..Log::default() }
}

impl Log {
    pub fn collect(&self) -> Collector {
        let mut collector = Collector::new(&self.job(), &self.thresholds);
        for module in [Module::Posix, Module::Stdio] {
            let mut records = Records::new(module);
            self.files.iter().filter(|file| file.module == module).for_each(|file| file.push(&mut records));
            if !records.is_empty() {
                collector.records(&records);
            }
        }
        let mut events = Events::default();
        for &(op, file, from_s, to_s, bytes) in &self.events {
            let (start, end) = (Nanos::from_job_seconds(from_s), Nanos::from_job_seconds(to_s));
            let (rank, file) = (Rank(0), FileId(file));
            events.push(Event {
                interface: Module::Posix,
                direction: op,
                rank,
                file,
                start,
                end,
                offset: None,
                bytes,
                thread: None,
            });
        }
        collector.events(&events);
        if let Some((bin_s, bins)) = &self.heat {
            let (interface, rank, read) = (Module::Posix, Rank(0), vec![0; bins.len()]);
            collector.series(&Series { interface, rank, bin_s: *bin_s, read, written: bins.clone() });
        }
        let mut names = FileTable::default();
        self.names.iter().for_each(|(id, name)| names.insert(FileId(*id), name.as_bytes()));
        if collector.wants_families(&self.thresholds) && !self.names.is_empty() {
            collector.set_families(Families::of(&names));
        }
        collector
    }

    pub fn job(&self) -> Job {
        let end = Nanos::from_job_seconds(self.runtime_s).0;
        let end =
            WallTime { seconds: end.div_euclid(1_000_000_000), nanos: end.rem_euclid(1_000_000_000) as u32 };
        Job { nprocs: self.nprocs, end, ..Job::default() }
    }

    pub fn categorize(&self) -> Result<Categories, Invalid> {
        let job = self.job();
        let facts = Facts { job: &job, modules: &[], problems: &[], traced: Evidence::Dxt };
        categorize(self.collect(), &facts, &self.thresholds)
    }

    pub fn found(&self) -> Categories {
        self.categorize().expect("a log that can be trusted")
    }
}

pub fn labels(categories: &Categories, prefix: &str) -> Vec<&'static str> {
    let names = categories.labels.iter().map(|labelled| labelled.label.name());
    names.filter_map(|name| name.strip_prefix(prefix)).collect()
}

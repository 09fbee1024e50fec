//! A whole log in memory, and the interface by which logs of any size are streamed.

use std::collections::BTreeMap;

use crate::event::Events;
use crate::file::{FileId, FileTable};
use crate::job::{Job, Rank};
use crate::module::Module;
use crate::problem::Problem;
use crate::record::Records;
use crate::series::{Layout, MpiSummary, NetworkSummary, Series};

/// What a log says about one of its modules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleInfo {
    /// Which.
    pub module: Module,
    /// Version of its records.
    pub version: u32,
    /// Whether it ran out of memory while recording.
    pub partial: bool,
}

/// What a folded trace tells of itself without being expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceFacts {
    /// Ranks it is of.
    pub ranks: u64,
    /// Calls it stands for.
    pub events: u64,
    /// Bytes of its structure.
    pub structure_bytes: u64,
    /// Bytes of its times.
    pub time_bytes: u64,
    /// Loops in it.
    pub loops: u64,
}

/// Takes the content of a log as it is read, block by block. Every method defaults to ignoring its
/// input, so an analysis names only what it needs. Blocks are valid during the call alone.
pub trait Sink {
    /// Counter records, all of one module.
    fn records(&mut self, _block: &Records) {}
    /// Single operations.
    fn events(&mut self, _block: &Events) {}
    /// Bytes over time of one rank.
    fn series(&mut self, _series: &Series) {}
    /// A file's place on storage targets.
    fn layout(&mut self, _layout: &Layout) {}
    /// The compute node of a rank.
    fn host(&mut self, _rank: Rank, _host: &str) {}
    /// Job-wide facts about MPI.
    fn mpi(&mut self, _summary: &MpiSummary) {}
    /// Job-wide facts about the network.
    fn network(&mut self, _summary: &NetworkSummary) {}
    /// Size that a file had when the job first opened it; comes after all records.
    fn found_size(&mut self, _file: FileId, _bytes: u64) {}
}

/// Everything a log holds. As a [`Sink`] it collects what is streamed into it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trace {
    /// What ran.
    pub job: Job,
    /// Names.
    pub files: FileTable,
    /// Modules present, also those without data.
    pub modules: Vec<ModuleInfo>,
    /// Counter records per module.
    pub records: BTreeMap<Module, Records>,
    /// Single operations.
    pub events: Events,
    /// Bytes over time.
    pub series: Vec<Series>,
    /// Layouts.
    pub layouts: Vec<Layout>,
    /// Compute node per rank.
    pub hosts: BTreeMap<Rank, String>,
    /// MPI summary.
    pub mpi: Option<MpiSummary>,
    /// Network summary.
    pub network: Option<NetworkSummary>,
    /// Sizes of files when the job first opened them, where the log tells.
    pub found_sizes: BTreeMap<FileId, u64>,
    /// What was wrong or missing.
    pub problems: Vec<Problem>,
}

impl Sink for Trace {
    fn records(&mut self, block: &Records) {
        let module = block.module();
        self.records.entry(module).or_insert_with(|| Records::new(module)).append(block);
    }
    fn events(&mut self, block: &Events) {
        self.events.append(block);
    }
    fn series(&mut self, series: &Series) {
        self.series.push(series.clone());
    }
    fn layout(&mut self, layout: &Layout) {
        self.layouts.push(layout.clone());
    }
    fn host(&mut self, rank: Rank, host: &str) {
        self.hosts.entry(rank).or_insert_with(|| host.to_string());
    }
    fn mpi(&mut self, summary: &MpiSummary) {
        self.mpi = Some(*summary);
    }
    fn network(&mut self, summary: &NetworkSummary) {
        self.network = Some(*summary);
    }
    fn found_size(&mut self, file: FileId, bytes: u64) {
        self.found_sizes.entry(file).or_insert(bytes);
    }
}

impl Trace {
    /// Streams the content into another sink, as a reader would.
    pub fn stream(&self, sink: &mut dyn Sink) {
        self.records.values().for_each(|records| sink.records(records));
        if !self.events.is_empty() {
            sink.events(&self.events);
        }
        self.layouts.iter().for_each(|layout| sink.layout(layout));
        self.hosts.iter().for_each(|(&rank, host)| sink.host(rank, host));
        self.series.iter().for_each(|series| sink.series(series));
        self.mpi.iter().for_each(|summary| sink.mpi(summary));
        self.network.iter().for_each(|summary| sink.network(summary));
        self.found_sizes.iter().for_each(|(&file, &bytes)| sink.found_size(file, bytes));
    }
}

/// Sends everything to two sinks: one pass over a log serves two analyses.
#[derive(Debug)]
pub struct Both<'a, A, B>(pub &'a mut A, pub &'a mut B);

impl<A: Sink, B: Sink> Sink for Both<'_, A, B> {
    fn records(&mut self, block: &Records) {
        self.0.records(block);
        self.1.records(block);
    }
    fn events(&mut self, block: &Events) {
        self.0.events(block);
        self.1.events(block);
    }
    fn series(&mut self, series: &Series) {
        self.0.series(series);
        self.1.series(series);
    }
    fn layout(&mut self, layout: &Layout) {
        self.0.layout(layout);
        self.1.layout(layout);
    }
    fn host(&mut self, rank: Rank, host: &str) {
        self.0.host(rank, host);
        self.1.host(rank, host);
    }
    fn mpi(&mut self, summary: &MpiSummary) {
        self.0.mpi(summary);
        self.1.mpi(summary);
    }
    fn network(&mut self, summary: &NetworkSummary) {
        self.0.network(summary);
        self.1.network(summary);
    }
    fn found_size(&mut self, file: FileId, bytes: u64) {
        self.0.found_size(file, bytes);
        self.1.found_size(file, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Extra, Scope};
    use crate::value::Count;

    #[test]
    fn streaming_a_trace_gives_the_same_trace() {
        let mut trace = Trace::default();
        let mut records = Records::new(Module::Posix);
        records.push(FileId(1), Scope::Shared, [Count::new(1)], [], Extra::None);
        trace.records.insert(Module::Posix, records);
        trace.hosts.insert(Rank(3), "node7".into());
        trace.found_sizes.insert(FileId(1), 9);
        let (mut copy, mut other) = (Trace::default(), Trace::default());
        trace.stream(&mut Both(&mut copy, &mut other));
        assert_eq!(copy, trace);
        assert_eq!(other, trace);
    }
}

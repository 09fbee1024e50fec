//! A whole log in memory, and the interface for streaming logs of any size.

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
    pub module: Module,
    pub version: u32,
    /// Whether it ran out of memory while recording.
    pub partial: bool,
}

/// What a folded trace says without being expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceFacts {
    pub ranks: u64,
    /// Calls when expanded.
    pub events: u64,
    pub structure_bytes: u64,
    pub time_bytes: u64,
    pub loops: u64,
}

/// A piece of a log, kept for a sink on another thread.
pub type Message = Box<dyn FnOnce(&mut dyn Sink) + Send>;

/// Sends everything to all these sinks: one pass over a log serves all analyses.
pub struct All<'a, 'b>(pub &'a mut [&'b mut dyn Sink]);

/// Turns everything into messages and passes them on.
#[derive(Debug)]
pub struct Relay<F>(pub F);

/// Declares the methods of [`Sink`], each with its owned and its borrowed arguments, and derives
/// the forwarding sinks, so that none of them can miss a method.
macro_rules! sink {
    ($($(#[$about:meta])* fn $method:ident($($value:ident: $copied:ty),*; $($lent:ident: &$kept:ty)?);)+) => {
        /// Takes the content of a log as it is read, block by block. Every method defaults to ignoring its
        /// input, so an analysis names only what it needs. Blocks are valid during the call alone.
        pub trait Sink {
            $($(#[$about])* fn $method(&mut self, $($value: $copied,)* $($lent: &$kept)?) {
                $(let _ = $value;)* $(let _ = $lent;)?
            })+
        }

        impl Sink for All<'_, '_> {
            $(fn $method(&mut self, $($value: $copied,)* $($lent: &$kept)?) {
                self.0.iter_mut().for_each(|sink| sink.$method($($value,)* $($lent)?));
            })+
        }

        impl<S: Sink> Sink for Option<S> {
            $(fn $method(&mut self, $($value: $copied,)* $($lent: &$kept)?) {
                self.iter_mut().for_each(|sink| sink.$method($($value,)* $($lent)?));
            })+
        }

        impl<F: FnMut(Message)> Sink for Relay<F> {
            $(fn $method(&mut self, $($value: $copied,)* $($lent: &$kept)?) {
                $(let $lent = $lent.to_owned();)?
                (self.0)(Box::new(move |sink| sink.$method($($value,)* $(&$lent)?)));
            })+
        }
    };
}

sink! {
    /// Counter records, all of one module.
    fn records(; block: &Records);
    /// Single operations.
    fn events(; block: &Events);
    /// Bytes over time of one rank.
    fn series(; series: &Series);
    /// A file's place on storage targets.
    fn layout(; layout: &Layout);
    /// The compute node of a rank.
    fn host(rank: Rank; host: &str);
    /// Job-wide facts about MPI.
    fn mpi(; summary: &MpiSummary);
    /// Job-wide facts about the network.
    fn network(; summary: &NetworkSummary);
    /// Size that a file had when the job first opened it; comes after all records.
    fn found_size(file: FileId, bytes: u64;);
}

/// Everything a log holds. As a [`Sink`] it collects what is streamed into it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trace {
    pub job: Job,
    pub files: FileTable,
    /// Includes modules without data.
    pub modules: Vec<ModuleInfo>,
    pub records: BTreeMap<Module, Records>,
    pub events: Events,
    pub series: Vec<Series>,
    pub layouts: Vec<Layout>,
    pub hosts: BTreeMap<Rank, String>,
    pub mpi: Option<MpiSummary>,
    pub network: Option<NetworkSummary>,
    /// Sizes of files when the job first opened them, if the log has them.
    pub found_sizes: BTreeMap<FileId, u64>,
    pub problems: Vec<Problem>,
}

#[warn(clippy::missing_trait_methods)] // a trace keeps all that a sink is given
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
        let (mut copy, mut other, mut messages) = (Trace::default(), Trace::default(), Vec::new());
        trace.stream(&mut All(&mut [&mut copy, &mut Relay(|message| messages.push(message))]));
        messages.into_iter().for_each(|message| message(&mut other));
        assert_eq!(copy, trace);
        assert_eq!(other, trace);
    }
}

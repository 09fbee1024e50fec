//! What every opened log can do, whatever its format.

use std::collections::BTreeMap;

use crate::call::CallSink;
use crate::file::{FileId, FileTable};
use crate::job::Job;
use crate::module::Module;
use crate::problem::Problem;
use crate::trace::{ModuleInfo, Sink, Trace, TraceFacts};

/// What a pass over a log found beside its content.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Streamed {
    /// Records per module.
    pub records: BTreeMap<Module, u64>,
    /// Trouble.
    pub problems: Vec<Problem>,
}

/// An opened log. The content stays where it is until it is streamed.
pub trait Reader {
    /// Name of the format.
    fn format(&self) -> &'static str;
    /// Version of the format, as the log says.
    fn version(&self) -> String;
    /// What ran.
    fn job(&self) -> Job;
    /// Names of the files, and trouble in reading them.
    fn names(&self) -> (FileTable, Vec<Problem>);
    /// Shows every name, once or more often, without keeping them; trouble in reading them.
    fn each_name(&self, each: &mut dyn FnMut(FileId, &[u8])) -> Vec<Problem> {
        let (names, problems) = self.names();
        names.iter().for_each(|(id, name)| each(id, name));
        problems
    }
    /// Modules present.
    fn modules(&self) -> Vec<ModuleInfo>;
    /// Trouble found on opening.
    fn open_problems(&self) -> Vec<Problem>;
    /// Sends the modules that are wanted to a sink.
    fn stream(&self, wanted: &dyn Fn(Module) -> bool, sink: &mut dyn Sink) -> Streamed;

    /// Whether it holds recorded calls, which [`Reader::calls`] expands.
    fn has_calls(&self) -> bool {
        false
    }

    /// Sends every recorded call to a sink, process by process; the problems met on the way.
    fn calls(&self, _sink: &mut dyn CallSink) -> Vec<Problem> {
        Vec::new()
    }

    /// What a folded trace tells of itself without being expanded; nothing of other logs.
    fn trace_facts(&self) -> Option<TraceFacts> {
        None
    }

    /// Everything in memory.
    fn to_trace(&self) -> Trace {
        let mut trace = Trace::default();
        let streamed = self.stream(&|_| true, &mut trace);
        let (files, name_problems) = self.names();
        trace.job = self.job();
        trace.files = files;
        trace.modules = self.modules();
        trace.problems = self.open_problems();
        trace.problems.extend(name_problems);
        trace.problems.extend(streamed.problems);
        trace
    }
}

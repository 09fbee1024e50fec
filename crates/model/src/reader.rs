//! The interface of an opened log, whatever its format.

use std::collections::BTreeMap;

use crate::call::CallSink;
use crate::file::{FileId, FileTable};
use crate::job::Job;
use crate::module::Module;
use crate::problem::Problem;
use crate::trace::{ModuleInfo, Sink, Trace, TraceFacts};

/// What a pass over a log found besides its content.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Streamed {
    pub records: BTreeMap<Module, u64>,
    pub problems: Vec<Problem>,
}

/// An opened log. The content is not read until it is streamed.
pub trait Reader {
    fn format(&self) -> &'static str;
    /// Of the format; those that state no version have only had one.
    fn version(&self) -> String {
        "1".to_string()
    }
    fn job(&self) -> Job;
    fn names(&self) -> (FileTable, Vec<Problem>);
    /// Visits every name at least once without keeping them; returns problems in reading them.
    fn each_name(&self, each: &mut dyn FnMut(FileId, &[u8])) -> Vec<Problem> {
        let (names, problems) = self.names();
        names.iter().for_each(|(id, name)| each(id, name));
        problems
    }
    fn modules(&self) -> Vec<ModuleInfo>;
    fn open_problems(&self) -> Vec<Problem> {
        Vec::new()
    }
    fn stream(&self, wanted: &dyn Fn(Module) -> bool, sink: &mut dyn Sink) -> Streamed;

    /// [`Reader::calls`] expands them.
    fn has_calls(&self) -> bool {
        false
    }

    /// Sends every recorded call to a sink, process by process; returns the problems found.
    fn calls(&self, _sink: &mut dyn CallSink) -> Vec<Problem> {
        Vec::new()
    }

    /// What a folded trace says without being expanded; `None` for other logs.
    fn trace_facts(&self) -> Option<TraceFacts> {
        None
    }

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

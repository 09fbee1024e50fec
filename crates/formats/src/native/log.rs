//! Reads a trace like any other log: the counters it carries, and its calls, expanded on demand.
//! `analysis::count` derives single operations from the calls.

use std::collections::BTreeMap;

use marigraph_model::{
    Call, CallSink, CallStream, FileTable, Job, Module, ModuleInfo, NameId, Names, Problem, ProblemKind,
    Rank, Reader, Sink, Streamed, TraceFacts,
};
use marigraph_wire::op::Op;

use super::mari::{Calls, Loaded, Mari, MariError, Stream};
use crate::darshan::Log;
use crate::inflate::Limits;

/// Maximum calls to expand, some minutes of work. A trace of a few bytes may stand for more.
const EXPANDED: u64 = 1 << 32;

/// An opened trace.
pub struct TraceLog<'a> {
    mari: Mari<'a>,
    profile: Option<Log<'a>>,
}

impl<'a> TraceLog<'a> {
    pub fn open(content: &'a [u8], limits: Limits) -> Result<TraceLog<'a>, MariError> {
        let mari = Mari::read(content)?;
        let profile = mari.profile().and_then(|log| Log::open(log, limits).ok());
        Ok(TraceLog { mari, profile })
    }
}

fn expand_process(threads: &[Stream<'_>], sink: &mut dyn CallSink, problems: &mut Vec<Problem>) {
    let mut loaded: Vec<Loaded<'_>> = Vec::with_capacity(threads.len());
    for thread in threads {
        match thread.load() {
            Ok(thread) => loaded.push(thread),
            Err(error) => problems.push(Problem::new(ProblemKind::Corrupt, error.to_string())),
        }
    }
    let Some(rank) = threads.first().map(|stream| Rank(stream.key().rank)) else { return };
    sink.process(rank, &mut Merged::new(&loaded));
}

/// The calls of all threads of a process in order of return; each thread has its own ids of names.
struct Merged<'l> {
    threads: Vec<(Calls<'l>, Option<Call>)>,
    /// The thread of the previous call, whose further arguments follow it.
    last: usize,
}

impl<'l> Merged<'l> {
    fn new(loaded: &'l [Loaded<'l>]) -> Merged<'l> {
        let threads = loaded.iter().map(|thread| {
            let mut calls = thread.calls();
            let first = calls.next();
            (calls, first)
        });
        Merged { threads: threads.collect(), last: 0 }
    }
}

impl CallStream for Merged<'_> {
    fn next_call(&mut self) -> Option<Call> {
        let more = |(_, call): &(Calls<'_>, Option<Call>)| call.is_some_and(|call| call.op == Op::More);
        if !self.threads.get(self.last).is_some_and(more) {
            let heads =
                self.threads.iter().enumerate().filter_map(|(at, (_, call))| Some((call.as_ref()?.end, at)));
            self.last = heads.min()?.1;
        }
        let count = self.threads.len() as i64;
        let at = self.last as i64;
        let (calls, head) = self.threads.get_mut(self.last)?;
        let next = calls.next();
        let mut call = std::mem::replace(head, next)?;
        call.map_names(|id| NameId(id.0.saturating_mul(count).saturating_add(at)));
        Some(call)
    }
}

impl Names for Merged<'_> {
    fn name(&self, NameId(id): NameId) -> Option<&[u8]> {
        let count = self.threads.len().max(1) as i64;
        let (calls, _) = self.threads.get(usize::try_from(id.checked_rem_euclid(count)?).ok()?)?;
        calls.name(NameId(id.checked_div_euclid(count)?))
    }
}

impl Reader for TraceLog<'_> {
    fn format(&self) -> &'static str {
        "mari"
    }

    fn version(&self) -> String {
        self.mari.version().to_string()
    }

    fn job(&self) -> Job {
        self.mari.meta().to_job()
    }

    fn names(&self) -> (FileTable, Vec<Problem>) {
        self.profile.as_ref().map(Log::names).unwrap_or_default()
    }

    fn modules(&self) -> Vec<ModuleInfo> {
        self.profile.as_ref().map(Log::modules).unwrap_or_default()
    }

    fn open_problems(&self) -> Vec<Problem> {
        self.mari.problems()
    }

    fn trace_facts(&self) -> Option<TraceFacts> {
        let (totals, _) = self.mari.totals();
        Some(TraceFacts {
            ranks: self.mari.meta().ranks,
            events: totals.calls,
            structure_bytes: self.mari.structure_bytes() as u64,
            time_bytes: self.mari.time_bytes() as u64,
            loops: totals.loops,
        })
    }

    fn has_calls(&self) -> bool {
        true
    }

    fn calls(&self, sink: &mut dyn CallSink) -> Vec<Problem> {
        let mut problems = Vec::new();
        let (totals, _) = self.mari.totals();
        let calls = totals.calls;
        if calls > EXPANDED {
            let message = format!("the trace has {calls} calls: too many to expand");
            return vec![Problem::new(ProblemKind::InflateLimit, message)];
        }
        let mut several: BTreeMap<(u32, u32), Vec<Stream<'_>>> = BTreeMap::new();
        let second = self.mari.streams().filter(|stream| stream.key().thread > 0);
        second.for_each(|stream| {
            several.entry((stream.key().rank, stream.key().process)).or_default().push(stream)
        });
        for stream in self.mari.streams().filter(|stream| stream.key().thread == 0) {
            let key = (stream.key().rank, stream.key().process);
            let mut threads = vec![stream];
            threads.extend(several.remove(&key).unwrap_or_default());
            expand_process(&threads, sink, &mut problems);
        }
        // Threads of processes whose first thread made no call.
        several.into_values().for_each(|threads| expand_process(&threads, sink, &mut problems));
        problems
    }

    fn stream(&self, wanted: &dyn Fn(Module) -> bool, sink: &mut dyn Sink) -> Streamed {
        let streamed = self.profile.as_ref().map(|log| log.stream(wanted, sink)).unwrap_or_default();
        for run in &self.mari.meta().hosts {
            (run.first..run.first.saturating_add(run.count))
                .for_each(|rank| sink.host(Rank(rank), &run.host));
        }
        streamed
    }
}

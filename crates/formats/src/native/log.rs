//! A trace as a log like any other: its counters from the profile it carries, its operations from
//! the trace itself, expanded as they are wanted.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use marigraph_model::{
    FileTable, Job, Module, ModuleInfo, Problem, ProblemKind, Rank, Sink, Trace, TraceFacts,
};
use marigraph_wire::op::{Layer, Op};

use super::call::{Call, Names};
use super::found::FoundSizes;
use super::mari::{Calls, Loaded, Mari, MariError, Stream};
use super::profile::{Held, Options, Process, Profile};
use crate::darshan::{Log, Streamed};
use crate::inflate::Limits;
use crate::reader::Reader;

/// Modules of single operations.
const OPERATIONS: [Module; 2] = [Module::DxtPosix, Module::DxtMpiio];

/// Calls that are expanded at most: some minutes of work. A trace of a few bytes may stand for more.
const EXPANDED: u64 = 1 << 32;

/// An opened trace.
pub struct TraceLog<'a> {
    mari: Mari<'a>,
    profile: Option<Log<'a>>,
    /// Counters worked out from the calls, for traces that carry no profile.
    counted: OnceCell<Trace>,
}

impl<'a> TraceLog<'a> {
    /// Opens a trace.
    pub fn open(content: &'a [u8], limits: Limits) -> Result<TraceLog<'a>, MariError> {
        let mari = Mari::read(content)?;
        let profile = mari.profile().and_then(|log| Log::open(log, limits).ok());
        Ok(TraceLog { mari, profile, counted: OnceCell::new() })
    }

    fn counted(&self) -> &Trace {
        self.counted.get_or_init(|| {
            let mut trace = Trace { job: self.mari.meta().to_job(), ..Trace::default() };
            let mut profile = Profile::new(Options { exclude: Vec::new(), ..Options::default() });
            trace.problems = self.expand(&mut profile, None);
            profile.finish(u32::try_from(trace.job.nprocs).unwrap_or(u32::MAX), &mut trace);
            trace
        })
    }

    /// Runs all calls through a profile, process by process; operations go to the sink.
    fn expand(&self, profile: &mut Profile, mut sink: Option<&mut dyn Sink>) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut found = FoundSizes::default();
        let calls = self.mari.totals().unwrap_or_default().calls;
        if calls > EXPANDED {
            let message = format!("the trace stands for {calls} calls: too many to look at one by one");
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
            self.expand_process(&threads, profile, &mut sink, &mut found, &mut problems);
        }
        // Threads of processes whose first thread made no call.
        for threads in several.into_values() {
            self.expand_process(&threads, profile, &mut sink, &mut found, &mut problems);
        }
        if let Some(sink) = sink {
            profile.drain(sink);
            found.give(sink);
        }
        problems
    }

    fn expand_process(
        &self,
        threads: &[Stream<'_>],
        profile: &mut Profile,
        sink: &mut Option<&mut dyn Sink>,
        found: &mut FoundSizes,
        problems: &mut Vec<Problem>,
    ) {
        let mut loaded: Vec<Loaded<'_>> = Vec::with_capacity(threads.len());
        for thread in threads {
            match thread.load() {
                Ok(thread) => loaded.push(thread),
                Err(error) => problems.push(Problem::new(ProblemKind::Corrupt, error.to_string())),
            }
        }
        let Some(rank) = threads.first().map(|stream| Rank(stream.key().rank)) else { return };
        let unknown = |_: &[u8]| -1;
        let mut process = profile.process(rank, &unknown);
        let mut merged = Merged::new(&loaded);
        while let Some(call) = merged.next() {
            found.note(&call, &merged);
            match call.op {
                Op::Inherit | Op::Held => inherit(&mut process, &call, &merged),
                _ => process.call(&call, &merged),
            }
            if let Some(sink) = sink.as_deref_mut() {
                process.drain(sink);
            }
        }
    }
}

/// Gives a process what it holds from its parent or from its start.
pub fn inherit(process: &mut Process<'_>, call: &Call, names: &dyn Names) {
    const APPEND: i64 = 0o2000;
    let [name, flags, last] = call.args;
    let Some(path) = names.name(name) else { return };
    let (stream, position) = if call.op == Op::Held {
        (false, last)
    } else {
        // Where in the file the parent stood is not known; the last argument is how it was opened.
        let op = u16::try_from(last).ok().and_then(Op::from_code);
        (op.is_some_and(|op| op.layer() == Layer::Stdio), 0)
    };
    process.inherit(call.slot, &Held { path: path.to_vec(), stream, position, append: flags & APPEND != 0 });
}

/// The calls of all threads of a process in order of return; ids of names are told apart by thread.
struct Merged<'l> {
    threads: Vec<(Calls<'l>, Option<Call>)>,
    /// The thread of the call before, whose further arguments stay behind it.
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

    fn next(&mut self) -> Option<Call> {
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
        for (arg, _) in call.args.iter_mut().zip(call.op.names()).filter(|(_, named)| *named) {
            *arg = arg.saturating_mul(count).saturating_add(at);
        }
        Some(call)
    }
}

impl Names for Merged<'_> {
    fn name(&self, id: i64) -> Option<&[u8]> {
        let count = self.threads.len().max(1) as i64;
        let (calls, _) = self.threads.get(usize::try_from(id.checked_rem_euclid(count)?).ok()?)?;
        calls.name(id.checked_div_euclid(count)?)
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
        match &self.profile {
            Some(log) => log.names(),
            None => (self.counted().files.clone(), Vec::new()),
        }
    }

    fn modules(&self) -> Vec<ModuleInfo> {
        let mut modules = match &self.profile {
            Some(log) => log.modules(),
            None => self.counted().modules.clone(),
        };
        // Single operations come from the trace itself.
        for (counters, operations) in [(Module::Posix, Module::DxtPosix), (Module::MpiIo, Module::DxtMpiio)] {
            let has = |module: Module| modules.iter().any(|info| info.module == module);
            if has(counters) && !has(operations) {
                modules.push(ModuleInfo { module: operations, version: 1, partial: false });
            }
        }
        modules
    }

    fn open_problems(&self) -> Vec<Problem> {
        let mut problems = self.mari.problems().to_vec();
        let noted = self.mari.meta().problems.iter();
        problems.extend(noted.map(|noted| {
            let kind = ProblemKind::from_code(&noted.code).unwrap_or(ProblemKind::NotRecorded);
            Problem { place: noted.place.clone(), ..Problem::new(kind, noted.message.clone()) }
        }));
        problems
    }

    fn trace_facts(&self) -> Option<TraceFacts> {
        let totals = self.mari.totals().unwrap_or_default();
        Some(TraceFacts {
            ranks: self.mari.meta().ranks,
            events: totals.calls,
            structure_bytes: self.mari.structure_bytes() as u64,
            time_bytes: self.mari.time_bytes() as u64,
            loops: totals.loops,
        })
    }

    /// With as many operations as a Darshan log takes; the modules say whether that was all.
    fn to_trace(&self) -> Trace {
        let mut trace = Trace::default();
        let streamed = self.stream(&|module| !OPERATIONS.contains(&module), &mut trace);
        let (files, name_problems) = self.names();
        trace.job = self.job();
        trace.files = files;
        trace.problems = self.open_problems();
        trace.problems.extend(name_problems);
        trace.problems.extend(streamed.problems);
        let mut profile = Profile::new(Options { trace: true, exclude: Vec::new(), ..Options::default() });
        trace.problems.extend(self.expand(&mut profile, None));
        let mut expanded = Trace { job: trace.job.clone(), ..Trace::default() };
        profile.finish(u32::try_from(trace.job.nprocs).unwrap_or(u32::MAX), &mut expanded);
        trace.events = expanded.events;
        trace.modules = self.modules();
        trace.modules.retain(|info| !OPERATIONS.contains(&info.module));
        trace.modules.extend(expanded.modules.into_iter().filter(|info| OPERATIONS.contains(&info.module)));
        trace
    }

    fn stream(&self, wanted: &dyn Fn(Module) -> bool, sink: &mut dyn Sink) -> Streamed {
        let counters = |module: Module| wanted(module) && !OPERATIONS.contains(&module);
        let mut streamed = Streamed::default();
        match &self.profile {
            Some(log) => streamed = log.stream(&counters, sink),
            None => {
                let trace = self.counted();
                for (&module, records) in trace.records.iter().filter(|(module, _)| counters(**module)) {
                    sink.records(records);
                    streamed.records.insert(module, records.len() as u64);
                }
                trace
                    .series
                    .iter()
                    .filter(|_| wanted(Module::Heatmap))
                    .for_each(|series| sink.series(series));
                streamed.problems.extend(trace.problems.iter().cloned());
            }
        }
        for run in &self.mari.meta().hosts {
            (run.first..run.first.saturating_add(run.count))
                .for_each(|rank| sink.host(Rank(rank), &run.host));
        }
        if OPERATIONS.into_iter().any(wanted) {
            let options = Options { trace: true, dxt_limit: usize::MAX, exclude: Vec::new() };
            streamed.problems.extend(self.expand(&mut Profile::new(options), Some(sink)));
        }
        streamed
    }
}

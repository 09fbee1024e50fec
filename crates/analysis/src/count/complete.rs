//! A reader says what it has; this gives it what follows from that.
//!
//! Logs of calls (`.mari`) get single operations, and counters if they carry none; logs of single
//! operations (tables, TMIO) get counters and heat maps. Analyses need not know which kind it was.

use std::cell::OnceCell;

use marigraph_model::{
    All, CallSink, CallStream, Events, FileTable, Job, Module, ModuleInfo, Problem, Rank, Reader, Records,
    Sink, Streamed, Trace, TraceFacts,
};

use super::events::Dress;
use super::found::FoundSizes;
use super::{Counter, Options};

/// A reader with what follows from the calls or operations it holds. One that holds counters, and no calls, is
/// complete as it is.
pub fn complete<'a>(reader: Box<dyn Reader + 'a>) -> Box<dyn Reader + 'a> {
    let counted = has_counters(&reader.modules());
    match (reader.has_calls(), counted) {
        (true, counted) => Box::new(Called { reader, carries: counted, counted: OnceCell::new() }),
        (false, true) => reader,
        (false, false) => Box::new(Listed { reader }),
    }
}

/// Gives a trace of operations the counters and heat maps that follow from them, and from further
/// operations that are counted but not kept. `dress` may change each record before ranks are joined.
pub fn complete_trace(trace: &mut Trace, more: &Events, dress: &mut Dress<'_>) {
    let mut counter = Counter::new(Options::default());
    counter.events(&in_time(&trace.events));
    counter.events(&in_time(more));
    counter.dress(dress);
    finish(counter, trace);
}

fn has_counters(modules: &[ModuleInfo]) -> bool {
    modules.iter().any(|info| info.module.has_counters())
}

fn finish(counter: Counter, trace: &mut Trace) {
    let nprocs = u32::try_from(trace.job.nprocs).unwrap_or(u32::MAX);
    counter.finish(nprocs, trace);
}

/// The events by their start: logs store writes before reads, but counters follow from the order in time.
fn in_time(events: &Events) -> Events {
    let mut order: Vec<usize> = (0..events.len()).collect();
    order.sort_by_key(|&at| events.starts()[at]);
    let mut sorted = Events::default();
    order.into_iter().filter_map(|at| events.get(at)).for_each(|event| sorted.push(event));
    sorted
}

fn give(trace: &Trace, wanted: &dyn Fn(Module) -> bool, sink: &mut dyn Sink, streamed: &mut Streamed) {
    let records = trace.records.iter().filter(|(module, _)| wanted(**module));
    for (&module, records) in records {
        sink.records(records);
        *streamed.records.entry(module).or_default() += Records::len(records) as u64;
    }
    if wanted(Module::Heatmap) {
        trace.series.iter().for_each(|series| sink.series(series));
    }
}

struct Listed<'a> {
    reader: Box<dyn Reader + 'a>,
}

struct Called<'a> {
    reader: Box<dyn Reader + 'a>,
    carries: bool,
    /// Counters that follow from the calls, for logs that carry none.
    counted: OnceCell<Trace>,
}

/// Counts every call; single operations go on to a sink where there is one.
struct Expand<'a, 'b> {
    counter: &'a mut Counter,
    found: FoundSizes,
    sink: Option<&'b mut dyn Sink>,
}

impl CallSink for Expand<'_, '_> {
    fn process(&mut self, rank: Rank, calls: &mut dyn CallStream) {
        let unknown = |_: &[u8]| -1;
        let mut process = self.counter.process(rank, &unknown);
        while let Some(call) = calls.next_call() {
            self.found.note(&call, calls);
            process.call(&call, calls);
            if let Some(sink) = self.sink.as_deref_mut() {
                process.drain(sink);
            }
        }
    }
}

impl Called<'_> {
    /// Runs all calls through a counter; operations go to the sink.
    fn expand(&self, counter: &mut Counter, sink: Option<&mut dyn Sink>) -> Vec<Problem> {
        let mut expand = Expand { counter, found: FoundSizes::default(), sink };
        let problems = self.reader.calls(&mut expand);
        let Expand { counter, found, sink } = expand;
        if let Some(sink) = sink {
            counter.drain(sink);
            found.give(sink);
        }
        problems
    }

    /// A trace of what all calls give: counters, names, heat maps, and operations if wanted.
    fn count(&self, options: Options) -> Trace {
        let mut trace = Trace { job: self.reader.job(), ..Trace::default() };
        let mut counter = Counter::new(options);
        trace.problems = self.expand(&mut counter, None);
        finish(counter, &mut trace);
        trace
    }

    fn counted(&self) -> &Trace {
        self.counted.get_or_init(|| self.count(Options { exclude: Vec::new(), ..Options::default() }))
    }
}

macro_rules! below {
    () => {
        fn format(&self) -> &'static str {
            self.reader.format()
        }
        fn version(&self) -> String {
            self.reader.version()
        }
        fn job(&self) -> Job {
            self.reader.job()
        }
        fn open_problems(&self) -> Vec<Problem> {
            self.reader.open_problems()
        }
        fn trace_facts(&self) -> Option<TraceFacts> {
            self.reader.trace_facts()
        }
        fn has_calls(&self) -> bool {
            self.reader.has_calls()
        }
        fn calls(&self, sink: &mut dyn CallSink) -> Vec<Problem> {
            self.reader.calls(sink)
        }
    };
}

impl Reader for Listed<'_> {
    below!();

    fn names(&self) -> (FileTable, Vec<Problem>) {
        self.reader.names()
    }

    fn modules(&self) -> Vec<ModuleInfo> {
        self.reader.modules()
    }

    fn stream(&self, wanted: &dyn Fn(Module) -> bool, sink: &mut dyn Sink) -> Streamed {
        let counters = [Module::Posix, Module::MpiIo, Module::Stdio];
        if !counters.into_iter().any(wanted) {
            return self.reader.stream(wanted, sink);
        }
        let mut trace = Trace { job: self.reader.job(), ..Trace::default() };
        let mut counter = Counter::new(Options::default());
        let all = |module: Module| wanted(module) || module.is_operations();
        let streamed = if wanted(Module::DxtPosix) {
            self.reader.stream(&all, &mut All(&mut [&mut counter, sink]))
        } else {
            self.reader.stream(&all, &mut counter)
        };
        finish(counter, &mut trace);
        trace
            .records
            .iter()
            .filter(|(module, _)| wanted(**module))
            .for_each(|(_, records)| sink.records(records));
        streamed
    }

    fn to_trace(&self) -> Trace {
        let mut trace = self.reader.to_trace();
        complete_trace(&mut trace, &Events::default(), &mut |_, _, _| {});
        trace
    }
}

impl Reader for Called<'_> {
    below!();

    fn names(&self) -> (FileTable, Vec<Problem>) {
        match self.carries {
            true => self.reader.names(),
            false => (self.counted().files.clone(), Vec::new()),
        }
    }

    fn modules(&self) -> Vec<ModuleInfo> {
        let mut modules = match self.carries {
            true => self.reader.modules(),
            false => self.counted().modules.clone(),
        };
        for (counters, operations) in [(Module::Posix, Module::DxtPosix), (Module::MpiIo, Module::DxtMpiio)] {
            let has = |module: Module| modules.iter().any(|info| info.module == module);
            if has(counters) && !has(operations) {
                modules.push(ModuleInfo { module: operations, version: 1, partial: false });
            }
        }
        modules
    }

    fn stream(&self, wanted: &dyn Fn(Module) -> bool, sink: &mut dyn Sink) -> Streamed {
        let counters = |module: Module| wanted(module) && !module.is_operations();
        let mut streamed = self.reader.stream(&counters, sink);
        if !self.carries {
            give(self.counted(), &counters, sink, &mut streamed);
            streamed.problems.extend(self.counted().problems.iter().cloned());
        }
        if [Module::DxtPosix, Module::DxtMpiio].into_iter().any(wanted) {
            let options = Options { trace: true, streams: true, dxt_limit: usize::MAX, exclude: Vec::new() };
            streamed.problems.extend(self.expand(&mut Counter::new(options), Some(sink)));
        }
        streamed
    }

    /// With as many operations as a Darshan log takes; the modules say whether that was all.
    fn to_trace(&self) -> Trace {
        let mut trace = Trace::default();
        let streamed = self.stream(&|module| !module.is_operations(), &mut trace);
        let (files, name_problems) = self.names();
        trace.job = self.job();
        trace.files = files;
        trace.problems = self.open_problems();
        trace.problems.extend(name_problems);
        trace.problems.extend(streamed.problems);
        let expanded = self.count(Options { trace: true, exclude: Vec::new(), ..Options::default() });
        trace.problems.extend(expanded.problems);
        trace.events = expanded.events;
        trace.modules = self.modules();
        trace.modules.retain(|info| !info.module.is_operations());
        trace.modules.extend(expanded.modules.into_iter().filter(|info| info.module.is_operations()));
        trace
    }
}

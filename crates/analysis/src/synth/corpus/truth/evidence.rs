//! What is known of a job: all that it did, or what its log holds of it.

use std::collections::BTreeMap;

use marigraph_model::counters::{FloatIdx, IntIdx, posix, stdio};
use marigraph_model::{Direction, Module, Record, Trace};

use super::super::events::{Calls, Story};
use super::periodicity;
use super::temporality::Volume;

/// Bytes moved in one go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Operation {
    /// Seconds from the start of the run.
    pub start_s: f64,
    /// Seconds from the start of the run.
    pub end_s: f64,
    /// Bytes moved.
    pub bytes: f64,
}

/// Reading or writing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Side {
    /// All operations.
    pub operations: Vec<Operation>,
    /// The operations of each family of files.
    pub families: Vec<Vec<Operation>>,
    /// What the source shows is a matter of opinion.
    pub doubtful: bool,
}

/// What is known of a job.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    /// Seconds from start to end.
    pub runtime_s: f64,
    /// Processes.
    pub nprocs: u64,
    /// Reading and writing.
    pub sides: [Side; 2],
    /// Metadata requests, and whether their times are unknown (seeks).
    pub calls: Vec<(Calls, bool)>,
}

/// All that a job did.
pub fn happened(story: &Story) -> Evidence {
    let mut families = [BTreeMap::new(), BTreeMap::new()];
    let mut calls = Vec::new();
    for file in &story.files {
        for touch in &file.touches {
            let operation =
                Operation { start_s: touch.start_s, end_s: touch.end_s, bytes: touch.bytes as f64 };
            let family: &mut Vec<Operation> =
                families[usize::from(touch.write)].entry(file.activity).or_default();
            family.push(operation);
        }
        calls
            .extend(file.sessions.iter().flat_map(|session| [(session.open, false), (session.close, false)]));
        let touched = file.touches.len() as u64;
        for (at, touch) in file.touches.iter().enumerate().filter(|_| file.seeks > 0) {
            // Seeks come with reads and writes; the first of these take what cannot be shared out.
            let count = file.seeks / touched + u64::from((at as u64) < file.seeks % touched);
            calls.push((Calls { from_s: touch.start_s, to_s: touch.end_s, count }, false));
        }
    }
    let sides = families.map(|families| side(families.into_values()));
    Evidence { runtime_s: story.runtime_s, nprocs: story.nprocs, sides, calls }
}

fn side(families: impl Iterator<Item = Vec<Operation>>) -> Side {
    let families: Vec<Vec<Operation>> = families.collect();
    Side { operations: families.concat(), families, doubtful: false }
}

/// What a log holds of a job, taken from the best of its sources: single operations, heat maps, file records.
pub fn shown(trace: &Trace, story: &Story) -> Evidence {
    let sides = if !trace.events.is_empty() {
        traced(trace)
    } else if !trace.series.is_empty() {
        [false, true].map(|write| heat(trace, story, write))
    } else {
        recorded(trace, &[Module::Posix, Module::Stdio])
    };
    Evidence { runtime_s: trace.job.runtime_s(), nprocs: trace.job.nprocs, sides, calls: requests(trace) }
}

/// The name of a file with its numbers masked.
fn family(trace: &Trace, file: marigraph_model::FileId) -> String {
    let mut masked = String::new();
    for letter in trace.files.label(file).chars() {
        match letter {
            '0'..='9' if masked.ends_with('#') => {}
            '0'..='9' => masked.push('#'),
            other => masked.push(other),
        }
    }
    masked
}

fn by_family(found: Vec<(String, bool, Operation)>) -> [Side; 2] {
    let mut families = [BTreeMap::new(), BTreeMap::new()];
    for (name, write, operation) in found {
        let family: &mut Vec<Operation> = families[usize::from(write)].entry(name).or_default();
        family.push(operation);
    }
    families.map(|families| side(families.into_values()))
}

/// From single operations; streams, which are not traced, from their records.
fn traced(trace: &Trace) -> [Side; 2] {
    let mut found = in_records(trace, &[Module::Stdio]);
    for event in trace.events.iter().filter(|event| event.interface == Module::Posix) {
        let operation = Operation {
            start_s: event.start.as_job_seconds(),
            end_s: event.end.as_job_seconds(),
            bytes: event.bytes as f64,
        };
        found.push((family(trace, event.file), event.direction == Direction::Write, operation));
    }
    by_family(found)
}

fn recorded(trace: &Trace, modules: &[Module]) -> [Side; 2] {
    by_family(in_records(trace, modules))
}

fn in_records(trace: &Trace, modules: &[Module]) -> Vec<(String, bool, Operation)> {
    let mut found = Vec::new();
    for record in modules.iter().filter_map(|module| trace.records.get(module)).flat_map(|some| some.iter()) {
        let names = Names::of(record.module);
        for (write, (bytes, start, end)) in [(false, names.read), (true, names.write)] {
            let bytes = record.int(bytes).amount();
            if bytes == 0 {
                continue;
            }
            let at = |first: FloatIdx, otherwise: FloatIdx| {
                let stamp = record.float(first).amount();
                if stamp > 0.0 { stamp } else { record.float(otherwise).amount() }
            };
            let (start_s, end_s) = (at(start, names.open.0), at(end, names.close.1));
            found.push((
                family(trace, record.file),
                write,
                Operation { start_s, end_s, bytes: bytes as f64 },
            ));
        }
    }
    found
}

/// The counters that matter here.
struct Names {
    read: (IntIdx, FloatIdx, FloatIdx),
    write: (IntIdx, FloatIdx, FloatIdx),
    opens: IntIdx,
    seeks: IntIdx,
    open: (FloatIdx, FloatIdx),
    close: (FloatIdx, FloatIdx),
}

impl Names {
    fn of(module: Module) -> Names {
        if module == Module::Stdio {
            return Names {
                read: (stdio::BYTES_READ, stdio::F_READ_START_TIMESTAMP, stdio::F_READ_END_TIMESTAMP),
                write: (stdio::BYTES_WRITTEN, stdio::F_WRITE_START_TIMESTAMP, stdio::F_WRITE_END_TIMESTAMP),
                opens: stdio::OPENS,
                seeks: stdio::SEEKS,
                open: (stdio::F_OPEN_START_TIMESTAMP, stdio::F_OPEN_END_TIMESTAMP),
                close: (stdio::F_CLOSE_START_TIMESTAMP, stdio::F_CLOSE_END_TIMESTAMP),
            };
        }
        Names {
            read: (posix::BYTES_READ, posix::F_READ_START_TIMESTAMP, posix::F_READ_END_TIMESTAMP),
            write: (posix::BYTES_WRITTEN, posix::F_WRITE_START_TIMESTAMP, posix::F_WRITE_END_TIMESTAMP),
            opens: posix::OPENS,
            seeks: posix::SEEKS,
            open: (posix::F_OPEN_START_TIMESTAMP, posix::F_OPEN_END_TIMESTAMP),
            close: (posix::F_CLOSE_START_TIMESTAMP, posix::F_CLOSE_END_TIMESTAMP),
        }
    }

    fn calls(&self, record: &Record<'_>, count: IntIdx, (from, to): (FloatIdx, FloatIdx)) -> Calls {
        Calls {
            from_s: record.float(from).amount(),
            to_s: record.float(to).amount(),
            count: record.int(count).amount(),
        }
    }
}

/// Opens, as many closes, and seeks, as records have them.
fn requests(trace: &Trace) -> Vec<(Calls, bool)> {
    let mut calls = Vec::new();
    for module in [Module::Posix, Module::Stdio] {
        let names = Names::of(module);
        for record in trace.records.get(&module).iter().flat_map(|records| records.iter()) {
            calls.push((names.calls(&record, names.opens, names.open), false));
            calls.push((names.calls(&record, names.opens, names.close), false));
            calls.push((names.calls(&record, names.seeks, names.open), true));
        }
    }
    calls
}

/// From heat maps. They name no files, so the phases of what a job did at the same time must be told
/// apart by volume: an activity shows if it stands out where it is active.
fn heat(trace: &Trace, story: &Story, write: bool) -> Side {
    let runtime_s = trace.job.runtime_s();
    let width = trace.series.first().map_or(1.0, |series| series.bin_s);
    let mut total: Vec<f64> = Vec::new();
    for series in trace.series.iter().filter(|series| series.interface != Module::MpiIo) {
        let bins = if write { &series.written } else { &series.read };
        total.resize(total.len().max(bins.len()), 0.0);
        bins.iter().zip(&mut total).for_each(|(&bytes, sum)| *sum += bytes as f64);
    }
    let operations = in_bins(&total, width, runtime_s);
    let exact = happened_side(story, write);
    let mut side = Side { families: Vec::new(), doubtful: false, operations };
    let labels = |operations: &[Operation]| Volume::new(operations, runtime_s).labels();
    side.doubtful |= labels(&side.operations) != labels(&exact.concat());
    for family in exact {
        side.add_binned(&family, &total, width, runtime_s);
    }
    side
}

fn happened_side(story: &Story, write: bool) -> Vec<Vec<Operation>> {
    let [reading, writing] = happened(story).sides;
    if write { writing.families } else { reading.families }
}

/// Each bin with bytes as an operation.
fn in_bins(bins: &[f64], width: f64, runtime_s: f64) -> Vec<Operation> {
    let filled = bins.iter().enumerate().filter(|(_, bytes)| **bytes > 0.0);
    let operation = |(at, &bytes): (usize, &f64)| {
        let (start_s, end_s) = (at as f64 * width, ((at + 1) as f64 * width).min(runtime_s));
        Operation { start_s, end_s: end_s.max(start_s), bytes }
    };
    filled.map(operation).collect()
}

impl Side {
    /// Adds what the bins show of one activity, if it stands out.
    fn add_binned(&mut self, exact: &[Operation], total: &[f64], width: f64, runtime_s: f64) {
        let mut bins = vec![0.0; total.len()];
        for op in exact {
            super::super::heat::spread(&mut bins, width, (op.start_s, op.end_s), op.bytes);
        }
        let active = || bins.iter().zip(total).filter(|(own, _)| **own > 0.0);
        let drowned = active().filter(|(own, all)| (*all - *own) * 3.0 > **own).count();
        let share = drowned as f64 / active().count().max(1) as f64;
        let known = periodicity::find(&[exact.to_vec()], runtime_s);
        let binned = in_bins(&bins, width, runtime_s);
        let seen = periodicity::find(std::slice::from_ref(&binned), runtime_s);
        let lone_gap = bins.windows(3).any(|three| three[0] > 0.0 && three[1] == 0.0 && three[2] > 0.0);
        // What repeats shows clearly or not at all, or it is a matter of opinion.
        self.doubtful |= !known.found.is_empty() && share > 0.2;
        self.doubtful |= (lone_gap && exact.len() > 2) || known.labels() != seen.labels();
        self.families.push(binned);
    }
}

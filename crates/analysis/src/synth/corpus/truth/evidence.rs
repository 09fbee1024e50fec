//! The evidence about a job: everything it did, or what its log holds.

use std::collections::BTreeMap;

use marigraph_model::{Direction, Module, Trace};

use super::super::events::{Calls, FileUse, Session, Story};
use super::periodicity;
use super::temporality::Volume;

/// Bytes moved at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Operation {
    /// Since the start of the run.
    pub start_s: f64,
    pub end_s: f64,
    pub bytes: f64,
}

/// Evidence of one direction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Side {
    pub operations: Vec<Operation>,
    pub families: Vec<Vec<Operation>>,
    /// The specification leaves open what the source shows.
    pub doubtful: bool,
}

/// What is known about a job.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    pub runtime_s: f64,
    pub nprocs: u64,
    pub sides: [Side; 2],
    /// Metadata requests; true where their times are unknown (seeks).
    pub calls: Vec<(Calls, bool)>,
}

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
            // Seeks accompany reads and writes; the first of these take the remainder.
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

/// What a log holds, from its best source: single operations, heat maps or file records.
pub fn shown(trace: &Trace, story: &Story) -> Evidence {
    let sides = if !trace.events.is_empty() {
        traced(trace, story)
    } else if !trace.series.is_empty() {
        [false, true].map(|write| heat(trace, story, write))
    } else {
        by_family([false, true].into_iter().flat_map(|streams| recorded(story, streams)).collect())
    };
    Evidence { runtime_s: trace.job.runtime_s(), nprocs: trace.job.nprocs, sides, calls: requests(story) }
}

fn family(name: &str) -> String {
    let mut masked = String::new();
    for letter in name.chars() {
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

/// Takes single operations, and the records of streams, which are not traced.
fn traced(trace: &Trace, story: &Story) -> [Side; 2] {
    let mut found = recorded(story, true);
    for event in trace.events.iter().filter(|event| event.interface == Module::Posix) {
        let operation = Operation {
            start_s: event.start.as_job_seconds(),
            end_s: event.end.as_job_seconds(),
            bytes: event.bytes as f64,
        };
        found.push((family(&trace.files.label(event.file)), event.direction == Direction::Write, operation));
    }
    by_family(found)
}

/// Bytes of a file between the first and the last moment of each direction, as in records.
fn recorded(story: &Story, streams: bool) -> Vec<(String, bool, Operation)> {
    let mut found = Vec::new();
    for file in story.files.iter().filter(|file| file.stream == streams) {
        for write in [false, true] {
            if let Some((start_s, end_s)) = file.hull(write) {
                let bytes = file.volume(write).0 as f64;
                found.push((family(&file.name), write, Operation { start_s, end_s, bytes }));
            }
        }
    }
    found
}

/// Opens, as many closes, and seeks, as in records.
fn requests(story: &Story) -> Vec<(Calls, bool)> {
    let in_record = |file: &FileUse| {
        let opens = file.sessions.iter().map(|session| session.open.count).sum();
        let hull = |of: fn(&Session) -> Calls, count: u64| {
            let from_s =
                file.sessions.iter().map(|session| of(session).from_s).reduce(f64::min).unwrap_or(0.0);
            let to_s = file.sessions.iter().map(|session| of(session).to_s).fold(from_s, f64::max);
            Calls { from_s, to_s, count }
        };
        let open = |session: &Session| session.open;
        [
            (hull(open, opens), false),
            (hull(|session| session.close, opens), false),
            (hull(open, file.seeks), true),
        ]
    };
    let of_kind = |streams: bool| story.files.iter().filter(move |file| file.stream == streams);
    of_kind(false).chain(of_kind(true)).flat_map(in_record).collect()
}

/// Takes heat maps. They name no files, so concurrent activities are separable only by volume: a
/// periodic activity that others outweigh makes the case doubtful.
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

fn in_bins(bins: &[f64], width: f64, runtime_s: f64) -> Vec<Operation> {
    let filled = bins.iter().enumerate().filter(|(_, bytes)| **bytes > 0.0);
    let operation = |(at, &bytes): (usize, &f64)| {
        let (start_s, end_s) = (at as f64 * width, ((at + 1) as f64 * width).min(runtime_s));
        Operation { start_s, end_s: end_s.max(start_s), bytes }
    };
    filled.map(operation).collect()
}

impl Side {
    /// Adds the bins of one activity; doubtful if they do not show its rhythm clearly.
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
        // A rhythm that others partly hide is doubtful.
        self.doubtful |= !known.found.is_empty() && share > 0.2;
        self.doubtful |= (lone_gap && exact.len() > 2) || known.labels() != seen.labels();
        self.families.push(binned);
    }
}

//! The evidence about a job: everything it did, or what its log holds.

use std::collections::BTreeMap;

use marigraph_model::{Direction, Module, Trace};

use super::super::events::{Calls, FileUse, Session, Story};
use super::cuts::Cuts;
use super::periodicity::{Families, labels};
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
    pub families: Vec<Family>,
}

/// Operations of like files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Family {
    pub operations: Vec<Operation>,
    /// Width of the bins in which they were seen; an operation touches one bin more than it lasts,
    /// on average.
    pub bin_s: f64,
}

/// What is known about a job.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    pub runtime_s: f64,
    pub nprocs: u64,
    pub sides: [Side; 2],
    /// Opens and closes. A seek does not reach a metadata server.
    pub calls: Vec<Calls>,
}

pub fn happened(story: &Story) -> Evidence {
    let sessions = story.files.iter().flat_map(|file| &file.sessions);
    let calls = sessions.flat_map(|session| [session.open, session.close]).collect();
    let sides = [false, true].map(|write| side(by_activity(story, write, touched).into_iter()));
    Evidence { runtime_s: story.runtime_s, nprocs: story.nprocs, sides, calls }
}

fn side(families: impl Iterator<Item = Vec<Operation>>) -> Side {
    let families: Vec<Family> = families.map(|operations| Family { operations, bin_s: 0.0 }).collect();
    let operations = families.iter().flat_map(|family| family.operations.clone()).collect();
    Side { operations, families }
}

/// What a log holds: single operations; otherwise heat maps and file records; otherwise file records.
pub fn shown(trace: &Trace, story: &Story) -> Evidence {
    let sides = if !trace.events.is_empty() {
        traced(trace, story)
    } else if !trace.series.is_empty() {
        binned(trace, story)
    } else {
        all_records(story)
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

fn recorded(story: &Story, streams: bool) -> Vec<(String, bool, Operation)> {
    let mut found = Vec::new();
    for file in story.files.iter().filter(|file| file.stream == streams) {
        for write in [false, true] {
            let operations = hulls(file, write).into_iter();
            found.extend(operations.map(|operation| (family(&file.name), write, operation)));
        }
    }
    found
}

fn all_records(story: &Story) -> [Side; 2] {
    by_family([false, true].into_iter().flat_map(|streams| recorded(story, streams)).collect())
}

/// Opens, and as many closes, as in records.
fn requests(story: &Story) -> Vec<Calls> {
    let in_record = |file: &FileUse| {
        let count = file.sessions.iter().map(|session| session.open.count).sum();
        let hull = |of: fn(&Session) -> Calls| {
            let from_s =
                file.sessions.iter().map(|session| of(session).from_s).reduce(f64::min).unwrap_or(0.0);
            let to_s = file.sessions.iter().map(|session| of(session).to_s).fold(from_s, f64::max);
            Calls { from_s, to_s, count }
        };
        [hull(|session| session.open), hull(|session| session.close)]
    };
    story.files.iter().flat_map(in_record).collect()
}

/// Takes heat maps and file records together. Of each activity those operations count, from records
/// or bins, that show its rhythm; where neither does, its bins, unless others hide them. The first
/// source that shows the quarters counts for these, otherwise the bins.
fn binned(trace: &Trace, story: &Story) -> [Side; 2] {
    let runtime_s = trace.job.runtime_s();
    let width = trace.series.first().map_or(1.0, |series| series.bin_s);
    let cuts = Cuts::default();
    [false, true].map(|write| {
        let total = summed(trace, write);
        let (exact, recorded) = (by_activity(story, write, touched), by_activity(story, write, hulls));
        let when = |operations: &[Operation]| Volume::new(operations, runtime_s).labels(&cuts);
        let rhythms = |operations: &[Operation]| {
            let family = Family { operations: operations.to_vec(), bin_s: 0.0 };
            labels(&Families::new(&[family], runtime_s).rhythms(&cuts), &cuts)
        };
        let seen = |(exact, recorded): (&Vec<Operation>, Vec<Operation>)| {
            if rhythms(&recorded) == rhythms(exact) {
                return Some(Family { operations: recorded, bin_s: 0.0 });
            }
            bins_of(exact, &total, width, runtime_s).map(|operations| Family { operations, bin_s: width })
        };
        let (bins, happened) = (in_bins(&total, width, runtime_s), when(&exact.concat()));
        let records = recorded.concat();
        let by_records = when(&bins) != happened && when(&records) == happened;
        let families = exact.iter().zip(recorded).filter_map(seen).collect();
        Side { operations: if by_records { records } else { bins }, families }
    })
}

/// Operations of each activity, as `of` takes them from a file.
fn by_activity(story: &Story, write: bool, of: fn(&FileUse, bool) -> Vec<Operation>) -> Vec<Vec<Operation>> {
    let mut activities: BTreeMap<usize, Vec<Operation>> = BTreeMap::new();
    for file in &story.files {
        let operations = of(file, write);
        if !operations.is_empty() {
            activities.entry(file.activity).or_default().extend(operations);
        }
    }
    activities.into_values().collect()
}

fn touched(file: &FileUse, write: bool) -> Vec<Operation> {
    let own = file.touches.iter().filter(|touch| touch.write == write);
    own.map(|touch| Operation { start_s: touch.start_s, end_s: touch.end_s, bytes: touch.bytes as f64 })
        .collect()
}

/// The bytes of a file between the first and the last moment of a direction, as in records.
fn hulls(file: &FileUse, write: bool) -> Vec<Operation> {
    let bytes = file.volume(write).0 as f64;
    file.hull(write).map(|(start_s, end_s)| Operation { start_s, end_s, bytes }).into_iter().collect()
}

/// Bytes of each bin over all ranks and interfaces that count each byte once.
fn summed(trace: &Trace, write: bool) -> Vec<f64> {
    let mut total: Vec<f64> = Vec::new();
    for series in trace.series.iter().filter(|series| series.interface != Module::MpiIo) {
        let bins = if write { &series.written } else { &series.read };
        total.resize(total.len().max(bins.len()), 0.0);
        bins.iter().zip(&mut total).for_each(|(&bytes, sum)| *sum += bytes as f64);
    }
    total
}

fn in_bins(bins: &[f64], width: f64, runtime_s: f64) -> Vec<Operation> {
    let filled = bins.iter().enumerate().filter(|(_, bytes)| **bytes > 0.0);
    let operation = |(at, &bytes): (usize, &f64)| {
        let (start_s, end_s) = (at as f64 * width, ((at + 1) as f64 * width).min(runtime_s));
        Operation { start_s, end_s: end_s.max(start_s), bytes }
    };
    filled.map(operation).collect()
}

/// Share of an activity's bins in which others may outweigh it before it is hidden.
const HIDDEN: f64 = 0.2;
/// In a bin where others move more than this share of an activity's bytes, they outweigh it.
const OUTWEIGHED: f64 = 1.0 / 3.0;

/// The bins of one activity; `None` if others hide it.
fn bins_of(exact: &[Operation], total: &[f64], width: f64, runtime_s: f64) -> Option<Vec<Operation>> {
    let mut bins = vec![0.0; total.len()];
    for op in exact {
        super::super::heat::spread(&mut bins, width, (op.start_s, op.end_s), op.bytes);
    }
    let active = || bins.iter().zip(total).filter(|(own, _)| **own > 0.0);
    let hidden = active().filter(|(own, all)| *all - *own > OUTWEIGHED * *own).count();
    let share = hidden as f64 / active().count().max(1) as f64;
    (share <= HIDDEN).then(|| in_bins(&bins, width, runtime_s))
}

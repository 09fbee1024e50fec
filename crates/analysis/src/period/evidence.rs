//! Selects the best evidence of when bytes moved: single operations, otherwise bytes per time bin,
//! from the lowest interface that saw them, so that no byte counts twice.

use std::collections::{BTreeMap, BTreeSet};

use marigraph_model::{Direction, Events, Module, Nanos, Series, Sink};

use super::activity::DirectionFilter;
use super::directions::Directions;
use crate::timeline::Evidence;

/// Interfaces of one level: none passes its bytes to another of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// POSIX and STDIO.
    System,
    /// MPI-IO, which calls POSIX.
    Mpi,
    Other,
}

impl Level {
    pub fn of(interface: Module) -> Level {
        match interface {
            Module::Posix | Module::Stdio => Level::System,
            Module::MpiIo => Level::Mpi,
            _ => Level::Other,
        }
    }
}

/// Totals of all operations, in any direction.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moved {
    pub read_bytes: f64,
    pub written_bytes: f64,
    /// Since the job's start.
    pub first_s: f64,
    pub last_s: f64,
}

impl Moved {
    fn add_all(&mut self, other: &Moved) {
        let nothing_yet = self.read_bytes + self.written_bytes == 0.0;
        self.first_s = if nothing_yet { other.first_s } else { self.first_s.min(other.first_s) };
        self.last_s = if nothing_yet { other.last_s } else { self.last_s.max(other.last_s) };
        self.read_bytes += other.read_bytes;
        self.written_bytes += other.written_bytes;
    }

    fn has(&self, direction: DirectionFilter) -> bool {
        let read = direction.takes(Direction::Read) && self.read_bytes > 0.0;
        read || (direction.takes(Direction::Write) && self.written_bytes > 0.0)
    }
}

fn moved(block: &Events, range: std::ops::Range<usize>) -> Option<Moved> {
    let (mut read, mut written) = (0.0, 0.0);
    let (mut first, mut last) = (Nanos(i64::MAX), Nanos(i64::MIN));
    let (ops, bytes) = (&block.directions()[range.clone()], &block.bytes()[range.clone()]);
    let (starts, ends) = (&block.starts()[range.clone()], &block.ends()[range]);
    for (((&op, &bytes), &start), &end) in ops.iter().zip(bytes).zip(starts).zip(ends) {
        let to = match op {
            Direction::Read if bytes > 0 => &mut read,
            Direction::Write if bytes > 0 => &mut written,
            _ => continue,
        };
        *to += bytes as f64;
        (first, last) = (first.min(start), last.max(end));
    }
    (read + written > 0.0).then(|| Moved {
        read_bytes: read,
        written_bytes: written,
        first_s: first.as_job_seconds(),
        last_s: last.as_job_seconds(),
    })
}

/// Everything seen of one source and level.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Seen {
    pub interfaces: BTreeSet<Module>,
    pub moved: Moved,
    /// Width of the widest bins, if the evidence has bins.
    pub bin_s: Option<f64>,
}

/// Collects which evidence a log holds.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    seen: BTreeMap<(Evidence, Level), Seen>,
}

impl Survey {
    /// The best evidence with operations in this direction, otherwise the best with any.
    pub fn best(&self, direction: DirectionFilter) -> Option<(Evidence, Level, &Seen)> {
        let fits = |entry: &(&(Evidence, Level), &Seen)| entry.1.moved.has(direction);
        let best = self.seen.iter().find(fits).or_else(|| self.seen.iter().next());
        best.map(|(&(evidence, level), seen)| (evidence, level, seen))
    }

    fn note(&mut self, evidence: Evidence, interface: Module) -> &mut Seen {
        let seen = self.seen.entry((evidence, Level::of(interface))).or_default();
        seen.interfaces.insert(interface);
        seen
    }
}

impl Sink for Survey {
    fn events(&mut self, block: &Events) {
        // One look-up for all consecutive operations of an interface.
        let mut from = 0;
        for run in block.interfaces().chunk_by(|one, other| one == other) {
            let range = from..from + run.len();
            from = range.end;
            let moved = moved(block, range);
            if let (Some(&interface), Some(moved)) = (run.first(), moved) {
                self.note(Evidence::Trace, interface).moved.add_all(&moved);
            }
        }
    }

    fn series(&mut self, series: &Series) {
        let sum = |bins: &[u64]| bins.iter().map(|&bytes| bytes as f64).sum::<f64>();
        let (read, written) = (sum(&series.read), sum(&series.written));
        if read + written == 0.0 {
            return;
        }
        let first = |bins: &[u64]| bins.iter().position(|&bytes| bytes > 0).unwrap_or(usize::MAX);
        let last = |bins: &[u64]| bins.iter().rposition(|&bytes| bytes > 0).map_or(0, |at| at + 1);
        let from = first(&series.read).min(first(&series.written)) as f64 * series.bin_s;
        let to = last(&series.read).max(last(&series.written)) as f64 * series.bin_s;
        let seen = self.note(Evidence::Heatmap, series.interface);
        seen.moved.add_all(&Moved { read_bytes: read, written_bytes: written, first_s: from, last_s: to });
        seen.bin_s = Some(seen.bin_s.unwrap_or(0.0).max(series.bin_s));
    }
}

/// Collects the activity of every source and level; a survey decides afterwards which one to
/// analyse.
#[derive(Debug, Clone)]
pub struct Activities {
    direction: DirectionFilter,
    window: Option<[f64; 2]>,
    found: BTreeMap<(Evidence, Level), Directions>,
}

impl Activities {
    pub fn new(direction: DirectionFilter, window: Option<[f64; 2]>) -> Activities {
        Activities { direction, window, found: BTreeMap::new() }
    }

    pub fn take(mut self, evidence: Evidence, level: Level) -> Directions {
        self.found.remove(&(evidence, level)).unwrap_or_else(|| Directions::new(self.window))
    }

    /// Where to add what this evidence and level show; `None` if better evidence is already known.
    fn entry(&mut self, evidence: Evidence, level: Level) -> Option<&mut Directions> {
        let key = (evidence, level);
        let better = self.found.range(..key).any(|(_, activity)| !activity.is_empty());
        let window = self.window;
        (!better).then(|| self.found.entry(key).or_insert_with(|| Directions::new(window)))
    }
}

impl Sink for Activities {
    fn events(&mut self, block: &Events) {
        let direction = self.direction;
        // Blocks of one level are the rule: one look-up serves many operations.
        for level in [Level::System, Level::Mpi, Level::Other] {
            let wanted = |module: Module| Level::of(module) == level;
            if !block.interfaces().iter().any(|&interface| wanted(interface)) {
                continue;
            }
            let Some(activity) = self.entry(Evidence::Trace, level) else { continue };
            let times = block.starts().iter().zip(block.ends());
            let moved = block.ranks().iter().zip(times).zip(block.bytes());
            let what = block.directions().iter().zip(block.interfaces());
            for ((&op, &interface), ((&rank, (&start, &end)), &bytes)) in what.zip(moved) {
                if direction.takes(op) && wanted(interface) {
                    let (start, end) = (start.as_job_seconds(), end.as_job_seconds());
                    activity.add(op, rank.0, start, end, bytes as f64);
                }
            }
        }
    }

    fn series(&mut self, series: &Series) {
        let direction = self.direction;
        let Some(activity) = self.entry(Evidence::Heatmap, Level::of(series.interface)) else { return };
        for (op, bins) in [(Direction::Read, &series.read), (Direction::Write, &series.written)] {
            for (at, &bytes) in
                bins.iter().enumerate().filter(|(_, bytes)| direction.takes(op) && **bytes > 0)
            {
                let from = at as f64 * series.bin_s;
                activity.add(op, series.rank.0, from, from + series.bin_s, bytes as f64);
            }
        }
        activity.from_bins(series.bin_s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_model::{Event, FileId, Rank};

    fn events(all: &[(Module, Direction, i64)]) -> Events {
        let mut events = Events::default();
        for &(interface, op, second) in all {
            events.push(Event {
                interface,
                direction: op,
                rank: Rank(0),
                file: FileId(1),
                start: Nanos(second * 1_000_000_000),
                end: Nanos((second + 1) * 1_000_000_000),
                offset: None,
                bytes: 100,
                thread: None,
            });
        }
        events
    }

    fn series(interface: Module, read: &[u64], written: &[u64]) -> Series {
        Series { interface, rank: Rank(0), bin_s: 2.0, read: read.to_vec(), written: written.to_vec() }
    }

    #[test]
    fn no_byte_counts_twice() {
        let block = events(&[
            (Module::MpiIo, Direction::Write, 1),
            (Module::Posix, Direction::Write, 1),
            (Module::Stdio, Direction::Write, 5),
        ]);
        let (mut survey, mut activities) = (Survey::default(), Activities::new(DirectionFilter::Both, None));
        survey.events(&block);
        activities.events(&block);
        activities.series(&series(Module::Posix, &[], &[7]));
        let (evidence, level, seen) = survey.best(DirectionFilter::Both).expect("seen");
        assert_eq!((evidence, level), (Evidence::Trace, Level::System));
        assert_eq!(seen.interfaces.iter().copied().collect::<Vec<_>>(), [Module::Posix, Module::Stdio]);
        assert_eq!((seen.moved.written_bytes, seen.moved.first_s, seen.moved.last_s), (200.0, 1.0, 6.0));
        assert_eq!(activities.found.len(), 1, "what is not looked at is not collected");
        let outcome = activities.take(evidence, level).analyse();
        let bytes = outcome.picture.signal.iter().sum::<f64>() / outcome.sampling_hz;
        assert!((bytes - 200.0).abs() < 1e-6, "{bytes}");
    }

    #[test]
    fn the_direction_decides_between_sources() {
        let mut survey = Survey::default();
        survey.events(&events(&[(Module::Posix, Direction::Write, 1)]));
        survey.series(&series(Module::Stdio, &[0, 9], &[]));
        let best = |direction| survey.best(direction).map(|(evidence, _, _)| evidence);
        assert_eq!(best(DirectionFilter::Both), Some(Evidence::Trace));
        assert_eq!(best(DirectionFilter::Read), Some(Evidence::Heatmap));
        let (_, _, seen) = survey.best(DirectionFilter::Read).expect("seen");
        assert_eq!((seen.bin_s, seen.moved.first_s, seen.moved.last_s), (Some(2.0), 2.0, 4.0));
    }

    #[test]
    fn nothing_that_is_wanted_is_still_something() {
        let mut survey = Survey::default();
        assert!(survey.best(DirectionFilter::Both).is_none());
        survey.events(&events(&[(Module::Posix, Direction::Write, 1)]));
        survey.series(&series(Module::MpiIo, &[0], &[0]));
        let (evidence, level, _) = survey.best(DirectionFilter::Read).expect("seen");
        assert_eq!((evidence, level), (Evidence::Trace, Level::System));
        assert!(Activities::new(DirectionFilter::Read, None).take(evidence, level).is_empty());
    }
}

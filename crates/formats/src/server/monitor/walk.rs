//! Decodes the monitor's file into observations.

use std::collections::BTreeMap;

use marigraph_model::{Gap, GapCause, Problem, ProblemKind, Target, TargetKind};

use super::change::MAX_COLUMNS;
use super::frame::Frames;
use super::names::Names;
use super::record::{self, Change, Full, Head, Record, Step};
use super::write::Header;

/// What the numbers of a target mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Totals so far; earlier history is unknown.
    Total,
    /// Increments since the previous observation.
    Growth,
}

/// The numbers of one target in one observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    pub source: u32,
    pub meaning: Meaning,
    /// One number per column of the target's kind, then zeros.
    pub values: [u64; MAX_COLUMNS],
}

/// One observation of all targets.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// Microseconds since 1970.
    pub wall_us: i64,
    /// Since the previous observation, by a monotonic clock; 0 for the first of a run.
    pub elapsed_us: u64,
    pub gap: Option<Gap>,
    /// Targets that were present, without idle jobs.
    pub counts: &'a [Counted],
}

impl Look<'_> {
    /// Whether increments belong to an observed interval that ends here. Setting the clock changes
    /// no interval, because another clock measures it.
    pub fn is_whole(&self) -> bool {
        self.elapsed_us > 0 && self.gap.is_none_or(|gap| gap.cause == GapCause::ClockStep)
    }
}

/// What a file holds besides its observations.
#[derive(Debug, Default)]
pub struct Walked {
    pub header: Header,
    pub targets: Vec<Target>,
    pub gaps: Vec<Gap>,
    pub looks: u64,
    pub problems: Vec<Problem>,
}

pub fn walk(content: &[u8], each: &mut dyn FnMut(&Look<'_>)) -> Walked {
    walk_named(content, Names::find(content), each)
}

pub(super) fn walk_named(content: &[u8], names: Names, each: &mut dyn FnMut(&Look<'_>)) -> Walked {
    let mut walk = Walk { names, ..Walk::default() };
    let mut end = 0;
    for frame in Frames::new(content) {
        walk.losses.bytes(end, frame.at);
        end = frame.end;
        match record::take(frame.body) {
            Some(Record::Full(full)) => walk.full(&full, each),
            Some(Record::Step(step)) => walk.step(&step, each),
            Some(Record::Unknown(version)) => walk.losses.version = Some(version),
            None => walk.losses.bytes(frame.at, frame.end),
        }
    }
    let torn = content.len() - end;
    let problems = walk.losses.problems(torn, end);
    Walked { targets: walk.names.targets, problems, ..walk.found }
}

#[derive(Debug, Default)]
struct Walk {
    names: Names,
    found: Walked,
    losses: Losses,
    run: Run,
    counts: Vec<Counted>,
}

#[derive(Debug, Default)]
struct Run {
    session: u32,
    number: Option<u64>,
    /// Targets that are present, without jobs, by id.
    present: BTreeMap<u64, u32>,
    /// Whether `present` is right: a record that would have changed it may be lost.
    sure: bool,
}

impl Walk {
    fn full(&mut self, full: &Full, each: &mut dyn FnMut(&Look<'_>)) {
        self.found.header.clone_from(&full.header);
        let head = &full.head;
        let known = self.run.session == head.session && self.run.number >= Some(head.number);
        self.enter(head, full.again);
        self.run.present.clear();
        self.counts.clear();
        for row in &full.observed {
            let Some(source) = self.names.source(head.session, row.id) else { continue };
            if row.target.kind != TargetKind::Job {
                self.run.present.insert(row.id, source);
            }
            self.counts.push(counted(source, Meaning::Total, &row.values));
        }
        self.run.sure = true;
        if !(known && full.again) {
            // A repeated observation begins a file, or replaces a lost one.
            self.show(&Head { elapsed_us: 0, ..*head }, !full.again, each);
        }
    }

    fn step(&mut self, step: &Step, each: &mut dyn FnMut(&Look<'_>)) {
        self.enter(&step.head, false);
        let session = step.head.session;
        self.run.present.retain(|id, _| step.gone.binary_search(id).is_err());
        self.counts.clear();
        for row in &step.born {
            let Some(source) = self.names.source(session, row.id) else { continue };
            let job = row.target.kind == TargetKind::Job;
            // The counters of a job start at zero with the job.
            let meaning = if job { Meaning::Growth } else { Meaning::Total };
            self.counts.push(counted(source, meaning, &row.values));
            if !job {
                self.run.present.insert(row.id, source);
            }
        }
        self.run.sure &= self.run.present.len() as u64 == step.present;
        self.changes(session, &step.changes);
        if self.run.sure {
            self.idle(step);
        }
        self.show(&step.head, true, each);
    }

    fn changes(&mut self, session: u32, changes: &[Change]) {
        for change in changes {
            let Some(source) = self.names.source(session, change.id) else {
                self.losses.nameless += 1;
                continue;
            };
            let meaning = if change.reset { Meaning::Total } else { Meaning::Growth };
            self.counts.push(counted(source, meaning, &change.values));
        }
    }

    fn idle(&mut self, step: &Step) {
        let named = |id: u64| {
            step.changes.binary_search_by_key(&id, |change| change.id).is_ok()
                || step.born.binary_search_by_key(&id, |row| row.id).is_ok()
        };
        let idle = self.run.present.iter().filter(|(id, _)| !named(**id));
        self.counts.extend(idle.map(|(_, &source)| counted(source, Meaning::Growth, &[])));
    }

    /// Moves to the run of a record, and counts observations lost before it.
    fn enter(&mut self, head: &Head, again: bool) {
        if self.run.session != head.session || self.run.number.is_none() {
            self.run = Run { session: head.session, ..Run::default() };
        }
        let next = self.run.number.map_or(head.number, |number| number.saturating_add(u64::from(!again)));
        self.losses.looks += head.number.saturating_sub(next);
        self.run.number = Some(head.number);
    }

    fn show(&mut self, head: &Head, counts: bool, each: &mut dyn FnMut(&Look<'_>)) {
        self.found.looks += u64::from(counts);
        self.found.gaps.extend(head.gap);
        let look =
            Look { wall_us: head.wall_us, elapsed_us: head.elapsed_us, gap: head.gap, counts: &self.counts };
        each(&look);
    }
}

fn counted(source: u32, meaning: Meaning, from: &[u64]) -> Counted {
    let mut values = [0; MAX_COLUMNS];
    values.iter_mut().zip(from).for_each(|(to, &from)| *to = from);
    Counted { source, meaning, values }
}

#[derive(Debug, Default)]
struct Losses {
    damaged: u64,
    places: u64,
    first: Option<usize>,
    looks: u64,
    nameless: u64,
    version: Option<u64>,
}

impl Losses {
    fn bytes(&mut self, from: usize, to: usize) {
        if to > from {
            self.damaged += (to - from) as u64;
            self.places += 1;
            self.first.get_or_insert(from);
        }
    }

    fn problems(&self, torn: usize, end: usize) -> Vec<Problem> {
        let mut found = Vec::new();
        if let Some(first) = self.first {
            let text = format!(
                "{} bytes in {} places are damaged; {} samples are lost",
                self.damaged, self.places, self.looks
            );
            found.push(Problem::new(ProblemKind::Corrupt, text).at(format!("byte {first}")));
        }
        if self.nameless > 0 {
            let text = format!("{} counts belong to targets whose names are lost", self.nameless);
            found.push(Problem::new(ProblemKind::BadRecord, text));
        }
        if let Some(version) = self.version {
            let text = format!(
                "monitor file version \"{version}\" is not known: its records are skipped; a newer release may support them"
            );
            found.push(Problem::new(ProblemKind::UnknownVersion, text));
        }
        if torn > 0 {
            let text = format!("the last record is torn: {torn} bytes are dropped");
            found.push(Problem::new(ProblemKind::Truncated, text).at(format!("byte {end}")));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_version_names_its_format() {
        let losses = Losses { version: Some(2), ..Losses::default() };
        let told: Vec<String> = losses.problems(0, 0).into_iter().map(|problem| problem.message).collect();
        assert!(
            matches!(&told[..], [one] if one.starts_with("monitor file version \"2\" is not known")),
            "{told:?}"
        );
    }
}

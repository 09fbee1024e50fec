//! Runs of the same user and executable.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::Summary;
use super::pairs::{Pairs, ratio};
use super::set::LabelSet;

/// An application: one executable of one user.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Application {
    pub uid: i64,
    /// Without its arguments.
    pub exe: String,
}

/// One run, with the data that picks a group's representative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupedRun {
    pub bytes: u64,
    pub runtime_s: f64,
    pub job_id: u64,
    /// A unique number.
    pub number: u64,
    pub labels: LabelSet,
}

impl GroupedRun {
    fn order(&self, other: &GroupedRun) -> Ordering {
        let by_length = || self.runtime_s.total_cmp(&other.runtime_s);
        let by_job = || other.job_id.cmp(&self.job_id);
        let by_number = || other.number.cmp(&self.number);
        self.bytes.cmp(&other.bytes).then_with(by_length).then_with(by_job).then_with(by_number)
    }
}

#[derive(Debug, Clone)]
struct Group {
    heaviest: GroupedRun,
    runs: u64,
    /// Number of runs per set of labels; a group has few sets.
    behaviours: Vec<(LabelSet, u64)>,
}

/// Runs grouped by application.
#[derive(Debug, Clone, Default)]
pub struct Groups {
    groups: HashMap<Application, Group>,
    all_runs: Pairs,
}

/// Agreement between the runs of applications that ran more than once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Agreement {
    /// Applications with more than one run.
    pub groups: u64,
    /// Of `groups`, those whose runs all have the same labels.
    pub unanimous: u64,
    pub runs: u64,
    /// Of `runs`, those with the labels of the heaviest run.
    pub as_heaviest: u64,
    /// Of `runs`, those with the most frequent labels of their application.
    pub as_most: u64,
    /// Number of groups after splitting all applications by their labels.
    pub behaviours: u64,
    pub largest: Vec<Standing>,
}

impl Agreement {
    /// Share of runs with the labels of the heaviest; `None` if no application ran twice.
    pub fn share(&self) -> Option<f64> {
        (self.runs > 0).then(|| ratio(self.as_heaviest, self.runs))
    }
}

/// Agreement between the runs of one application.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    pub application: Application,
    pub runs: u64,
    pub as_heaviest: u64,
    /// Sets of labels and the number of runs with each, most frequent first.
    pub behaviours: Vec<(LabelSet, u64)>,
}

/// Maximum number of applications listed.
const TOLD: usize = 50;

impl Groups {
    pub fn add(&mut self, application: Application, run: GroupedRun) {
        self.all_runs.add(run.labels);
        let new = Group { heaviest: run, runs: 0, behaviours: Vec::new() };
        let group = self.groups.entry(application).or_insert(new);
        group.runs += 1;
        if run.order(&group.heaviest).is_gt() {
            group.heaviest = run;
        }
        match group.behaviours.iter_mut().find(|(labels, _)| *labels == run.labels) {
            Some((_, count)) => *count += 1,
            None => group.behaviours.push((run.labels, 1)),
        }
    }

    pub fn len(&self) -> usize {
        self.groups.len()
    }

    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Returns the number of the run that represents an application, and its number of runs.
    pub fn heaviest(&self, application: &Application) -> Option<(u64, u64)> {
        self.groups.get(application).map(|group| (group.heaviest.number, group.runs))
    }

    /// The order of runs does not matter.
    pub fn summary(&self) -> Summary {
        let (mut single_run, mut agreement) = (Pairs::default(), Agreement::default());
        for group in self.groups.values() {
            single_run.add(group.heaviest.labels);
            agreement.behaviours += group.behaviours.len() as u64;
            if group.runs > 1 {
                agreement.groups += 1;
                agreement.unanimous += u64::from(group.behaviours.len() == 1);
                agreement.runs += group.runs;
                agreement.as_heaviest += group.as_heaviest();
                agreement.as_most += group.behaviours.iter().map(|(_, count)| *count).max().unwrap_or(0);
            }
        }
        agreement.largest = self.largest();
        Summary { single_run, all_runs: self.all_runs.clone(), agreement }
    }

    /// Applications with several runs, most runs first.
    fn largest(&self) -> Vec<Standing> {
        let mut several: Vec<(&Application, &Group)> =
            self.groups.iter().filter(|(_, group)| group.runs > 1).collect();
        several.sort_unstable_by(|one, other| other.1.runs.cmp(&one.1.runs).then(one.0.cmp(other.0)));
        several.into_iter().take(TOLD).map(|(application, group)| group.standing(application)).collect()
    }
}

impl Group {
    fn as_heaviest(&self) -> u64 {
        let same = self.behaviours.iter().find(|(labels, _)| *labels == self.heaviest.labels);
        same.map_or(0, |(_, count)| *count)
    }

    fn standing(&self, application: &Application) -> Standing {
        let mut behaviours = self.behaviours.clone();
        behaviours.sort_unstable_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
        Standing {
            application: application.clone(),
            runs: self.runs,
            as_heaviest: self.as_heaviest(),
            behaviours,
        }
    }
}

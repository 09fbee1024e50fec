//! Counts what was read, and what was odd.

use marigraph_model::{Nanos, Problem, ProblemKind};

#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    /// Largest number of ranks named.
    pub ranks: u64,
    pub end: Nanos,
    pub requests: u64,
    /// Malformed flushes, lines or values, and the first of them.
    pub bad: u64,
    pub first_bad: Option<(String, String)>,
    pub cut: bool,
    pub untimed: u64,
    pub undirected: bool,
    /// Entries that are not numbers.
    pub dropped: u64,
    pub swapped: u64,
    pub uneven: u64,
    /// Requests that moved anything, and those that were suspiciously slow.
    pub moving: u64,
    pub slow: u64,
}

impl Tally {
    pub fn bad(&mut self, place: impl FnOnce() -> String, detail: impl FnOnce() -> String) {
        self.bad += 1;
        self.first_bad.get_or_insert_with(|| (place(), detail()));
    }

    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        if let Some((place, detail)) = &self.first_bad {
            let message = format!("{} parts are left out; the first: {detail}", self.bad);
            problems.push(Problem::new(ProblemKind::BadLine, message).at(place));
        }
        let mut tell = |told: bool, kind, message: String| {
            if told {
                problems.push(Problem::new(kind, message));
            }
        };
        let Tally { dropped, swapped, uneven, untimed, .. } = self;
        tell(
            self.cut,
            ProblemKind::Truncated,
            "the data end inside a flush; the incomplete part is left out".into(),
        );
        let message = format!("{dropped} entries are not numbers and are left out");
        tell(*dropped > 0, ProblemKind::BadRecord, message);
        let message = format!("{swapped} entries end before they start; their times were swapped");
        tell(*swapped > 0, ProblemKind::BadRecord, message);
        let message = format!("{uneven} lists of rates and times differ in length; the surplus is left out");
        tell(*uneven > 0, ProblemKind::BadRecord, message);
        let message = format!("{untimed} lists of rates have no times and are left out");
        tell(*untimed > 0, ProblemKind::NotRecorded, message);
        let message = "the data have no direction; all requests count as reads";
        tell(self.undirected && self.requests > 0, ProblemKind::NotRecorded, message.into());
        let message = "most rates are below 10 kB/s: the data may be in MB, as written by TMIO before 0.0.2; use --unit MB";
        tell(self.slow * 2 > self.moving, ProblemKind::KnownDefect, message.into());
        problems
    }
}

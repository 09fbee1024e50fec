//! Findings over many logs.

use std::collections::BTreeMap;

use marigraph_analysis::advice::Severity;

use super::Worded;

/// How often each finding occurs.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    by_code: BTreeMap<&'static str, TallyRow>,
}

/// One finding over many logs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TallyRow {
    pub title: &'static str,
    pub advice: &'static str,
    pub logs: u64,
    pub high: u64,
    pub medium: u64,
    pub seconds: f64,
}

impl Tally {
    /// Adds the findings of a log, except facts and good practices.
    pub fn add(&mut self, findings: &[Worded]) {
        for finding in findings.iter().filter(|finding| finding.severity >= Severity::Low) {
            let row = self.by_code.entry(finding.code).or_default();
            (row.title, row.advice) = (finding.title, finding.advice);
            row.logs += 1;
            row.high += u64::from(finding.severity == Severity::High);
            row.medium += u64::from(finding.severity == Severity::Medium);
            row.seconds += finding.seconds_at_stake;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.by_code.is_empty()
    }

    /// Most costly first.
    pub fn rows(&self) -> Vec<TallyRow> {
        let mut rows: Vec<TallyRow> = self.by_code.values().copied().collect();
        rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then(b.logs.cmp(&a.logs)));
        rows
    }
}

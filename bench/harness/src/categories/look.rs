//! Labels of synthetic logs beside their truth.

use std::collections::BTreeSet;

use marigraph_analysis::category::confidence::Clues;
use marigraph_analysis::category::{
    Categories, Collector, Evidence, Facts, Families, Label, Thresholds, categorize,
};
use marigraph_analysis::synth::{CorpusPlan, LogTruth, corpus_log};
use marigraph_model::Trace;

/// One label that was given.
#[derive(Debug, Clone)]
pub struct Answer {
    pub evidence: Evidence,
    /// How the job was drawn in what the label is about.
    pub family: &'static str,
    pub clues: Clues,
    pub right: bool,
}

/// One log that was looked at.
pub struct Looked {
    pub evidence: &'static str,
    pub clear: bool,
    pub answers: Vec<Answer>,
    labels: BTreeSet<String>,
    shown: BTreeSet<String>,
    happened: BTreeSet<String>,
    kind: [&'static str; 3],
    seed: u64,
}

impl Looked {
    pub fn as_shown(&self) -> bool {
        self.labels == self.shown
    }

    pub fn as_happened(&self) -> bool {
        self.labels == self.happened
    }

    /// What was said beside what the log can show.
    pub fn difference(&self) -> Option<String> {
        let more = self.labels.difference(&self.shown).map(|label| format!("+{label}"));
        let less = self.shown.difference(&self.labels).map(|label| format!("-{label}"));
        let changes: Vec<String> = more.chain(less).collect();
        let clear = if self.clear { "clear" } else { "" };
        let happened = if self.as_happened() { "as happened" } else { "" };
        let line = || {
            let changes = changes.join(" ");
            format!("{:<8} {clear:<5} {happened:<11} {changes} {:?} {}", self.evidence, self.kind, self.seed)
        };
        (!changes.is_empty()).then(line)
    }
}

/// Categorizes the logs of a corpus that are not damaged.
pub fn look(seed: u64, logs: u64) -> Vec<Looked> {
    let plan = CorpusPlan { seed, logs, corrupt: 0.0, records_only: false };
    (0..logs)
        .map(|number| {
            let log = corpus_log(&plan, number);
            compare(&categories(&log.trace), &log.truth)
        })
        .collect()
}

fn categories(trace: &Trace) -> Categories {
    let thresholds = Thresholds::default();
    let families = Families::of(&trace.files);
    let mut collector = Collector::new(&trace.job, &thresholds).with_families(families);
    trace.stream(&mut collector);
    let facts = Facts { job: &trace.job, modules: &trace.modules, problems: &[], traced: Evidence::Dxt };
    categorize(collector, &facts, &thresholds).expect("a log that is not damaged")
}

fn compare(found: &Categories, truth: &LogTruth) -> Looked {
    let set = |labels: &[String]| labels.iter().cloned().collect::<BTreeSet<String>>();
    let happened = set(&truth.happened.labels);
    let family = |label: Label| match label.name().split('_').next() {
        Some("read") => truth.kind[0],
        Some("write") => truth.kind[1],
        _ => truth.load,
    };
    let answers = found.labels.iter().map(|labelled| Answer {
        evidence: labelled.evidence,
        family: family(labelled.label),
        clues: labelled.clues,
        right: happened.contains(labelled.label.name()),
    });
    Looked {
        evidence: truth.evidence,
        clear: truth.is_clear(),
        answers: answers.collect(),
        labels: found.labels.iter().map(|labelled| labelled.label.name().to_string()).collect(),
        shown: set(&truth.shown.labels),
        happened,
        kind: truth.kind,
        seed: truth.seed,
    }
}

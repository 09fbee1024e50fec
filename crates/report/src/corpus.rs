//! The categories of a whole corpus as JSON and as text. The page is [`crate::page::corpus_page`].

use std::collections::BTreeMap;

use marigraph_analysis::category::corpus::{Agreement, LabelSet, Pairs, Standing, Summary};
use marigraph_analysis::category::{Label, Thresholds};
use serde_json::{Map, Value, json};

use crate::category::changed_thresholds;
use crate::table::{Align, Table};
use crate::units::{count, percent, significant};

/// The summary of a corpus.
#[derive(Debug, Clone)]
pub struct Summarised {
    pub read: u64,
    /// Logs that were categorized.
    pub valid: u64,
    /// Valid logs that report missing data themselves.
    pub incomplete: u64,
    /// Logs without labels, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Further logs of runs that another log tells of.
    pub same_run: u64,
    /// Applications: pairs of user and program.
    pub unique: u64,
    pub summary: Summary,
    pub thresholds: Thresholds,
}

/// A step of the funnel from logs to applications.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    pub name: &'static str,
    pub words: &'static str,
    pub logs: u64,
    /// Share of the step before; `None` for the first and without logs.
    pub of_before: Option<f64>,
}

impl Summarised {
    /// What is left of the logs: those that are valid, and of these one for each application.
    pub fn funnel(&self) -> [Step; 3] {
        let of = |logs: u64, before: u64| (before > 0).then(|| logs as f64 / before as f64);
        [
            Step { name: "read", words: "logs read", logs: self.read, of_before: None },
            Step { name: "valid", words: "valid", logs: self.valid, of_before: of(self.valid, self.read) },
            Step {
                name: "unique",
                words: "one for each application",
                logs: self.unique,
                of_before: of(self.unique, self.valid),
            },
        ]
    }

    pub fn json(&self) -> Value {
        let Summary { single_run, all_runs, agreement } = &self.summary;
        let label = |label: Label| {
            let shares =
                json!({ "single_run": counted(single_run, label), "all_runs": counted(all_runs, label) });
            (label.name().to_string(), shares)
        };
        let problem = |(reason, count): (&String, &u64)| json!({ "kind": "skipped", "message": format!("{count} logs are skipped: {reason}"), "where": "" });
        let problems: Vec<Value> = self.skipped.iter().map(problem).collect();
        json!({
            "read": self.read,
            "valid": self.valid,
            "incomplete": self.incomplete,
            "skipped": self.skipped,
            "same_run": self.same_run,
            "problems": problems,
            "unique": self.unique,
            "funnel": self.funnel().map(step_json),
            "agreement": agreement_json(agreement),
            "labels": Label::ALL.into_iter().map(label).collect::<Map<_, _>>(),
            "jaccard": matrices(&self.summary, Pairs::jaccard),
            "conditional": matrices(&self.summary, Pairs::conditional),
            "thresholds": changed_thresholds(&self.thresholds),
        })
    }

    pub fn text(&self) -> String {
        let Summary { single_run, all_runs, agreement } = &self.summary;
        let skipped: u64 = self.skipped.values().sum();
        let mut text =
            format!("{} logs, {} valid, {} skipped\n", count(self.read), count(self.valid), count(skipped));
        for (reason, number) in &self.skipped {
            text.push_str(&format!("  {:>9}  {reason}\n", count(*number)));
        }
        if self.same_run > 0 {
            text.push_str(&format!(
                "{} further logs of runs that another log tells of\n",
                count(self.same_run)
            ));
        }
        text.push_str(&format!("{} applications (user and program)", count(self.unique)));
        if let Some(share) = agreement.share() {
            text.push_str(&format!(
                "; {} of repeated runs have the labels of the heaviest run",
                percent(share)
            ));
        }
        let mut table =
            Table::new(&[("label", Align::Left), ("applications", Align::Right), ("runs", Align::Right)]);
        for label in Label::ALL.into_iter().filter(|&label| all_runs.count(label) > 0) {
            let share = |pairs: &Pairs| percent(pairs.share(label));
            table.row([label.name().to_string(), share(single_run), share(all_runs)]);
        }
        text + "\n\n" + &table.render(usize::MAX)
    }
}

fn step_json(step: Step) -> Value {
    json!({ "step": step.name, "logs": step.logs, "share_of_before": step.of_before.map(share) })
}

fn share(value: f64) -> f64 {
    significant(value, 6)
}

fn counted(pairs: &Pairs, label: Label) -> Value {
    json!({ "count": pairs.count(label), "share": share(pairs.share(label)) })
}

/// A matrix of label by label, over applications and over runs, without labels that no trace has.
fn matrices(summary: &Summary, value: fn(&Pairs, Label, Label) -> f64) -> Value {
    let matrix = |pairs: &Pairs| -> Value {
        let present = || Label::ALL.into_iter().filter(|&label| pairs.count(label) > 0);
        let cells = |one: Label| {
            present().map(move |other| (other.name().to_string(), json!(share(value(pairs, one, other)))))
        };
        present()
            .map(|one| (one.name().to_string(), Value::Object(cells(one).collect())))
            .collect::<Map<_, _>>()
            .into()
    };
    json!({ "single_run": matrix(&summary.single_run), "all_runs": matrix(&summary.all_runs) })
}

fn agreement_json(agreement: &Agreement) -> Value {
    json!({
        "share": agreement.share().map(share),
        "groups": agreement.groups,
        "unanimous": agreement.unanimous,
        "runs": agreement.runs,
        "as_heaviest": agreement.as_heaviest,
        "as_most": agreement.as_most,
        "behaviours": agreement.behaviours,
        "largest": agreement.largest.iter().map(standing_json).collect::<Vec<_>>(),
    })
}

/// Maximum number of behaviours listed per application.
const TOLD: usize = 10;

fn standing_json(standing: &Standing) -> Value {
    let names = |labels: LabelSet| labels.iter().map(Label::name).collect::<Vec<_>>();
    let behaviours = standing.behaviours.iter().take(TOLD);
    json!({
        "uid": standing.application.uid,
        "exe": standing.application.exe,
        "runs": standing.runs,
        "as_heaviest": standing.as_heaviest,
        "behaviours": standing.behaviours.len(),
        "most_frequent": behaviours
            .map(|(labels, runs)| json!({ "labels": names(*labels), "runs": runs }))
            .collect::<Vec<_>>(),
    })
}

/// A trace that the page lists below a label.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub input: String,
    pub exe: String,
    pub uid: i64,
    pub nprocs: u64,
    pub runtime_s: f64,
    /// Read and written.
    pub bytes: u64,
    /// Runs of the same application.
    pub runs: u64,
    pub confidence: f64,
    pub labels: LabelSet,
}

const MAX_LISTED: usize = 50;

/// The heaviest traces of each label, one per application.
#[derive(Debug, Clone, Default)]
pub struct Shortlist {
    by_label: BTreeMap<Label, Vec<Listed>>,
}

impl Shortlist {
    /// Adds a trace if it is among the heaviest of its label; of equals the first one stays.
    pub fn offer(&mut self, label: Label, bytes: u64, trace: &dyn Fn() -> Listed) {
        let list = self.by_label.entry(label).or_default();
        let place = list.partition_point(|known| known.bytes >= bytes);
        if place < MAX_LISTED {
            list.insert(place, trace());
            list.truncate(MAX_LISTED);
        }
    }

    /// Heaviest first.
    pub fn of(&self, label: Label) -> &[Listed] {
        self.by_label.get(&label).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(bytes: u64) -> Listed {
        Listed {
            input: format!("{bytes}.darshan"),
            exe: "model".into(),
            uid: 7,
            nprocs: 4,
            runtime_s: 9.0,
            bytes,
            runs: 1,
            confidence: 0.9,
            labels: LabelSet::default(),
        }
    }

    #[test]
    fn the_heaviest_are_listed_in_order() {
        let mut shortlist = Shortlist::default();
        for bytes in (0..1000).map(|at| at * 7919 % 1000) {
            shortlist.offer(Label::ReadSteady, bytes, &|| listed(bytes));
        }
        let bytes: Vec<u64> = shortlist.of(Label::ReadSteady).iter().map(|listed| listed.bytes).collect();
        assert_eq!(bytes, (950..1000).rev().collect::<Vec<_>>());
        assert!(shortlist.of(Label::ReadOnEnd).is_empty());
    }
}

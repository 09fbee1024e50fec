//! Signatures of applications: the result behind `signature`.

use marigraph_analysis::signature::confidence::Evidence;
use marigraph_analysis::signature::{Burst, Method, Scaling, Signature};
use marigraph_model::Problem;
use serde_json::{Value, json};

use crate::show::problems_json;
use crate::table::{Align, Table};
use crate::{scaling, units};

/// A signature, and how it was found.
#[derive(Debug, Clone)]
pub struct Signed<'a> {
    pub signature: &'a Signature,
    pub method: Method,
    /// Partition of the storage, where logs of several are kept apart.
    pub partition: Option<&'a str>,
    pub scaling: Option<&'a Scaling>,
    pub problems: &'a [Problem],
}

/// A method as on the command line.
pub fn method_name(method: Method) -> &'static str {
    match method {
        Method::Auto => "auto",
        Method::Iosi => "iosi",
        Method::Dtw => "dtw",
    }
}

impl Signed<'_> {
    pub fn json(&self) -> Value {
        let signature = self.signature;
        let dropped = signature.dropped.iter();
        json!({
            "app": signature.application.app,
            "user": signature.application.user,
            "nodes": signature.application.nodes,
            "partition": self.partition,
            "method": method_name(self.method),
            "samples": signature.used.len(),
            "runs": signature.used.iter().map(|used| used.run.job.as_str()).collect::<Vec<_>>(),
            "dropped": dropped.map(|dropped| json!({ "job": dropped.job, "reason": dropped.why.reason() })).collect::<Vec<_>>(),
            "interval_s": 1,
            "duration_s": signature.write.len(),
            "write": signature.write.iter().map(|rate| rate.round()).collect::<Vec<_>>(),
            "read": signature.read.iter().map(|rate| rate.round()).collect::<Vec<_>>(),
            "bursts": signature.bursts.iter().map(burst_json).collect::<Vec<_>>(),
            "period_s": signature.period_s.map(tenth),
            "confidence": signature.confidence.map(units::tidy),
            "evidence": signature.evidence.as_ref().map(evidence_json),
            "scaling": self.scaling.map(scaling::json),
            "problems": problems_json(self.problems),
        })
    }

    pub fn text(&self, width: usize) -> String {
        let signature = self.signature;
        let mut table = Table::new(&BURST_HEADS.map(|head| (head, Align::Right)));
        for (at, burst) in signature.bursts.iter().enumerate() {
            table.row(burst_row(at, burst));
        }
        let mut text = format!("{}\n", self.headline());
        if signature.bursts.is_empty() {
            text.push_str(&format!("{NOTHING}\n"));
        } else {
            text.push_str(&table.render(width));
        }
        for dropped in &signature.dropped {
            text.push_str(&format!("dropped: job {}: {}\n", dropped.job, dropped.why.reason()));
        }
        text
    }

    pub(crate) fn name(&self) -> String {
        let application = &self.signature.application;
        let nodes = application.nodes.map_or_else(String::new, |nodes| format!(", {nodes} nodes"));
        let partition = self.partition.map_or_else(String::new, |name| format!(", on {name}"));
        format!("{} of {}{nodes}{partition}", application.app, application.user)
    }

    fn headline(&self) -> String {
        let signature = self.signature;
        let period = signature
            .period_s
            .map_or_else(String::new, |period| format!(", every {}", units::seconds(period)));
        let sum = |rates: &[f64]| units::bytes(rates.iter().sum());
        format!(
            "{}: {} runs, {} long, writes {} and reads {}{period}, confidence {}",
            self.name(),
            signature.used.len(),
            units::seconds(signature.write.len() as f64),
            sum(&signature.write),
            sum(&signature.read),
            sure(signature.confidence)
        )
    }
}

/// Confidence in words.
pub(crate) fn sure(confidence: Option<f64>) -> String {
    confidence.map_or_else(|| "unknown".to_string(), |confidence| format!("{confidence:.2}"))
}

/// The text if there are no bursts.
pub(crate) const NOTHING: &str = "nothing common to its runs exceeds the other traffic";

pub(crate) const BURST_HEADS: [&str; 7] =
    ["burst", "start", "length", "bytes", "peak", "runs", "start varies by"];

pub(crate) fn burst_row(at: usize, burst: &Burst) -> [String; 7] {
    [
        (at + 1).to_string(),
        units::seconds(burst.start_s),
        units::seconds(burst.end_s - burst.start_s),
        units::bytes(burst.bytes),
        units::rate(burst.peak),
        burst.support.to_string(),
        units::seconds(burst.spread_s),
    ]
}

/// Headings of the table of applications; the first two columns are words, the others numbers.
pub(crate) const HEADS: [&str; 10] =
    ["application", "user", "nodes", "runs", "length", "writes", "reads", "bursts", "every", "confidence"];

impl Signed<'_> {
    pub(crate) fn row(&self) -> [String; 10] {
        let signature = self.signature;
        let application = &signature.application;
        let name = self.partition.map_or_else(
            || application.app.clone(),
            |partition| format!("{} on {partition}", application.app),
        );
        [
            name,
            application.user.clone(),
            application.nodes.map_or_else(|| "?".to_string(), |nodes| nodes.to_string()),
            signature.used.len().to_string(),
            units::seconds(signature.write.len() as f64),
            units::bytes(signature.write.iter().sum()),
            units::bytes(signature.read.iter().sum()),
            signature.bursts.len().to_string(),
            signature.period_s.map_or_else(String::new, units::seconds),
            sure(signature.confidence),
        ]
    }
}

pub fn many_text(all: &[Signed<'_>], width: usize) -> String {
    let align = |at: usize| if at < 2 { Align::Left } else { Align::Right };
    let heads: Vec<(&str, Align)> =
        HEADS.into_iter().enumerate().map(|(at, head)| (head, align(at))).collect();
    let mut table = Table::new(&heads);
    for signed in all {
        table.row(signed.row());
    }
    table.render(width)
}

fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn evidence_json(evidence: &Evidence) -> Value {
    json!({
        "support": units::tidy(evidence.support),
        "halves": units::tidy(evidence.halves),
        "delays": units::tidy(evidence.delays),
        "pace": units::tidy(evidence.pace),
        "spread": units::tidy(evidence.spread),
        "length": units::tidy(evidence.length),
    })
}

fn burst_json(burst: &Burst) -> Value {
    json!({
        "start_s": tenth(burst.start_s),
        "end_s": tenth(burst.end_s),
        "peak": burst.peak.round(),
        "bytes": burst.bytes.round(),
        "support": burst.support,
        "start_spread_s": tenth(burst.spread_s),
    })
}

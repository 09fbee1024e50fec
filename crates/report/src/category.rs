//! The categories of a log as JSON and as text.

use marigraph_analysis::category::{Categories, Direction, Labelled, Metadata, Periodic, Thresholds};
use marigraph_model::{Job, Problem};
use serde_json::{Value, json};

use crate::show::problems_json;
use crate::units::{self, bytes, count, percent, precise_seconds, seconds};

/// The categories of one log.
#[derive(Debug, Clone)]
pub struct Categorized {
    pub input: String,
    pub job: Job,
    pub categories: Categories,
    pub problems: Vec<Problem>,
    pub thresholds: Thresholds,
}

impl Categorized {
    pub fn json(&self) -> Value {
        let (job, categories) = (&self.job, &self.categories);
        json!({
            "input": self.input,
            "job": {
                "id": job.id,
                "uid": job.uid,
                "exe": job.exe,
                "nprocs": job.nprocs,
                "start": units::tidy(job.start.since_1970()),
                "runtime_s": units::tidy(job.runtime_s()),
            },
            "categories": categories.labels.iter().map(|labelled| labelled.label.name()).collect::<Vec<_>>(),
            "labels": categories.labels.iter().map(label_json).collect::<Vec<_>>(),
            "read": direction_json(&categories.read),
            "write": direction_json(&categories.write),
            "metadata": metadata_json(&categories.metadata),
            "incomplete": categories.incomplete,
            "thresholds": changed_thresholds(&self.thresholds),
            "problems": problems_json(&self.problems),
        })
    }

    /// Lines are cut at `width`.
    pub fn text(&self, width: usize) -> String {
        let categories = &self.categories;
        let mut text = format!("{}\n", self.input);
        for Labelled { label, confidence, evidence, .. } in &categories.labels {
            let line = format!(
                "  {:<30}{:>8}  {:<8}  {}",
                label.name(),
                percent(*confidence),
                evidence.name(),
                label.meaning()
            );
            text.push_str(&format!("{}\n", shortened(&line, width)));
        }
        for (name, direction) in [("read", &categories.read), ("write", &categories.write)] {
            text.push_str(&direction_text(name, direction));
        }
        text.push_str(&metadata_text(&categories.metadata, categories.runtime_s));
        if categories.incomplete {
            text.push_str("  The log is incomplete: the missing data could change these labels.\n");
        }
        text
    }
}

pub(crate) fn changed_thresholds(thresholds: &Thresholds) -> Value {
    let published = Thresholds::ALL.iter().map(|(_, _, value)| *value);
    let changed = thresholds.values().into_iter().zip(published);
    changed
        .filter(|((_, value), usual)| value != usual)
        .map(|((name, value), _)| (name.to_string(), json!(value)))
        .collect()
}

fn metadata_text(metadata: &Metadata, runtime_s: f64) -> String {
    if !metadata.known {
        return "  metadata  The log has no opens and closes.\n".to_string();
    }
    format!(
        "  metadata  {} requests, at most {:.0}/s, {:.2}/s over {}, {} spikes\n",
        count(metadata.requests),
        metadata.peak_per_s,
        metadata.mean_per_s,
        seconds(runtime_s),
        count(metadata.spikes)
    )
}

fn direction_text(name: &str, direction: &Direction) -> String {
    let total: f64 = direction.chunks.iter().sum();
    let share = |bytes: &f64| if total > 0.0 { percent(bytes / total) } else { percent(0.0) };
    let shares: Vec<String> = direction.chunks.iter().map(share).collect();
    let mut text = format!(
        "  {name:<9} {}, in the four quarters {}\n",
        bytes(direction.bytes as f64),
        shares.join(", ")
    );
    for periodic in &direction.periodic {
        text.push_str(&format!(
            "  {:<9} {} times {}, every {}, busy {} of it\n",
            "",
            count(periodic.count),
            bytes(periodic.bytes),
            precise_seconds(periodic.period_s),
            percent(periodic.busy)
        ));
    }
    text
}

/// Cuts a line to `width` characters, at the last gap of two spaces.
fn shortened(line: &str, width: usize) -> &str {
    let Some((cut, _)) = line.char_indices().nth(width) else { return line };
    line[..cut].rsplit_once("  ").map_or(&line[..cut], |(before, _)| before)
}

/// Rounds to nine digits, which drops artefacts of arithmetic only.
fn exact(value: f64) -> f64 {
    units::significant(value, 9)
}

fn label_json(labelled: &Labelled) -> Value {
    json!({
        "label": labelled.label.name(),
        "confidence": units::significant(labelled.confidence, 4),
        "evidence": labelled.evidence.name(),
    })
}

fn direction_json(direction: &Direction) -> Value {
    json!({
        "bytes": direction.bytes,
        "chunks": direction.chunks.map(|bytes| bytes.round()),
        "variation": exact(direction.variation),
        "mean_time": direction.mean_time.map(exact),
        "quartiles": direction.quartiles.map(|quartiles| quartiles.map(exact)),
        "periodic": direction.periodic.iter().map(periodic_json).collect::<Vec<_>>(),
    })
}

/// Periodic activities as a JSON list; `None` where there are none.
pub fn activities_json(activities: &[Periodic]) -> Option<String> {
    let list = || Value::Array(activities.iter().map(periodic_json).collect());
    (!activities.is_empty()).then(|| list().to_string())
}

fn periodic_json(periodic: &Periodic) -> Value {
    json!({
        "period_s": exact(periodic.period_s),
        "count": periodic.count,
        "bytes": periodic.bytes.round(),
        "busy": exact(periodic.busy),
    })
}

fn metadata_json(metadata: &Metadata) -> Value {
    json!({
        "requests": metadata.requests,
        "peak_per_s": exact(metadata.peak_per_s),
        "mean_per_s": exact(metadata.mean_per_s),
        "spikes": metadata.spikes,
        "plateaus": metadata.plateaus,
        "known": metadata.known,
    })
}

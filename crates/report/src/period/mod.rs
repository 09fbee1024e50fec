//! The period of a job's I/O: the result behind `period`, as JSON and as text.

mod hints;
mod text;

use marigraph_analysis::period::evidence::Seen;
use marigraph_analysis::period::{
    Candidate, DirectionFilter, Finder, Found, Method, Outcome, Question, RankPeriod, RankPeriods, Segment,
};
use marigraph_analysis::timeline::Evidence;
use marigraph_model::Problem;
use serde_json::{Value, json};

use crate::show::problems_json;
use crate::units;

pub use hints::MIN_SAMPLES;
pub use text::{PeriodLine, likelihood, many_text};

/// The period of one log, with everything printed about it.
#[derive(Debug, Clone)]
pub struct Periods {
    pub input: String,
    pub method: Method,
    pub direction: DirectionFilter,
    pub evidence: Evidence,
    /// Everything in this evidence, including what was not analysed.
    pub seen: Seen,
    pub outcome: Outcome,
    /// If asked for.
    pub ranks: Option<RankPeriods>,
    pub problems: Vec<Problem>,
}

impl Periods {
    pub fn new(input: &str, question: &Question, found: Found, problems: Vec<Problem>) -> Periods {
        let Found { evidence, seen, outcome } = found;
        let (input, method, direction) = (input.to_string(), question.method, question.direction);
        Periods { input, method, direction, evidence, seen, outcome, ranks: None, problems }
    }

    /// The method as on the command line.
    pub fn method_name(&self) -> &'static str {
        match self.method {
            Method::Auto => "auto",
            Method::Dft { .. } => "dft",
        }
    }

    fn rules_json(&self) -> Value {
        match self.method {
            Method::Auto => Value::Null,
            Method::Dft { rules, .. } => json!({
                "tolerance": exact(rules.tolerance),
                "outliers": rules.finders.iter().map(Finder::name).collect::<Vec<_>>(),
                "autocorrelation": rules.autocorrelation,
                "as_ftio": rules.as_ftio,
            }),
        }
    }

    pub fn json(&self) -> Value {
        let outcome = &self.outcome;
        let metrics = &outcome.metrics;
        let mut told = json!({
            "input": self.input,
            "period_s": outcome.period_s.map(exact),
            "frequency_hz": outcome.period_s.map(|period| exact(1.0 / period)),
            "confidence": exact(outcome.confidence),
            "method": self.method_name(),
            "rules": self.rules_json(),
            "candidates": outcome.candidates.iter().map(candidate_json).collect::<Vec<_>>(),
            "segments": outcome.segments.iter().map(segment_json).collect::<Vec<_>>(),
            "autocorrelation": {
                "period_s": outcome.autocorrelation.map(|(period, _)| exact(period)),
                "confidence": outcome.autocorrelation.map_or(0.0, |(_, confidence)| exact(confidence)),
            },
            "dft_confidence": outcome.dft_confidence.map(exact),
            "refined_confidence": outcome.refined_confidence.map(exact),
            "sigma_vol": metrics.sigma_vol.map(exact),
            "sigma_time": metrics.sigma_time.map(exact),
            "periodicity_score": metrics.periodicity_score.map(exact),
            "r_io": exact(metrics.r_io),
            "b_io": exact(metrics.b_io),
            "bytes_per_period": metrics.bytes_per_period.map(exact),
            "sampling_hz": exact(outcome.sampling_hz),
            "samples": outcome.samples,
            "window_s": outcome.window_s.map(exact),
            "abstraction_error": exact(outcome.abstraction_error),
            "phases": outcome.phases.len(),
            "op": direction_name(self.direction),
            "evidence": evidence_name(self.evidence),
            "interfaces": self.seen.interfaces.iter().map(|module| module.name()).collect::<Vec<_>>(),
            "problems": problems_json(&self.problems),
        });
        if let Some(ranks) = &self.ranks {
            told["ranks"] = ranks.ranks.iter().map(rank_json).collect();
            told["ranks_with_io"] = json!(ranks.all);
        }
        told
    }
}

/// Rounds to nine digits, which drops artefacts of arithmetic only.
fn exact(value: f64) -> f64 {
    units::significant(value, 9)
}

fn rank_json(rank: &RankPeriod) -> Value {
    json!({
        "rank": rank.rank,
        "period_s": rank.period_s.map(exact),
        "confidence": exact(rank.confidence),
    })
}

fn candidate_json(candidate: &Candidate) -> Value {
    json!({
        "period_s": exact(candidate.period_s),
        "power": exact(candidate.power),
        "z": exact(candidate.z),
        "confidence": exact(candidate.confidence),
    })
}

fn segment_json(segment: &Segment) -> Value {
    json!({
        "from_s": exact(segment.from_s),
        "to_s": exact(segment.to_s),
        "period_s": segment.period_s.map(exact),
        "confidence": exact(segment.confidence),
    })
}

fn direction_name(direction: DirectionFilter) -> &'static str {
    match direction {
        DirectionFilter::Read => "read",
        DirectionFilter::Write => "write",
        DirectionFilter::Both => "both",
    }
}

fn evidence_name(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Trace => "trace",
        Evidence::Heatmap => "heatmap",
        Evidence::Records => "records",
    }
}

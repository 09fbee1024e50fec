//! Findings in words: the result behind `report --json`, its text, and the advice on the page.

mod examples;
mod tally;
mod text;
mod words;

use marigraph_analysis::advice::{Amount, Code, Finding, Severity};
use marigraph_model::FileTable;
use serde_json::{Map, Value, json};

use crate::units::{bytes, count, percent, rate, seconds, tidy};
use words::Words;

pub use examples::Example;
pub use tally::{Tally, TallyRow};
pub use text::text;

/// A finding in words.
#[derive(Debug, Clone, PartialEq)]
pub struct Worded {
    /// Stable, machine-readable name.
    pub code: &'static str,
    pub drishti: Option<&'static str>,
    pub severity: Severity,
    pub title: &'static str,
    /// The figures behind the finding, as a sentence.
    pub evidence: String,
    pub figures: Vec<(&'static str, Value)>,
    pub files: Vec<NamedFile>,
    pub files_concerned: u64,
    pub ranks: Vec<u32>,
    pub advice: &'static str,
    pub example: Option<&'static Example>,
    /// Upper bound of the run time that a fix can save.
    pub seconds_at_stake: f64,
    /// How `seconds_at_stake` was estimated; empty where nothing is at stake.
    pub estimate: String,
}

/// A file and its share of the finding.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedFile {
    pub path: String,
    amount: Amount,
}

impl NamedFile {
    pub fn amount(&self) -> String {
        in_words(self.amount)
    }
}

pub fn word(finding: &Finding, names: &FileTable) -> Worded {
    let Words { title, evidence, advice, estimate, example } = words::of(finding.code);
    Worded {
        code: finding.code.name(),
        drishti: finding.code.drishti(),
        severity: finding.severity,
        title,
        evidence: filled(evidence, finding),
        figures: finding.figures.iter().map(|&(name, amount)| (name, as_json(amount))).collect(),
        files: finding
            .files
            .iter()
            .map(|&(id, amount)| NamedFile { path: names.label(id), amount })
            .collect(),
        files_concerned: finding.files_concerned,
        ranks: finding.ranks.clone(),
        advice,
        example,
        seconds_at_stake: finding.seconds_at_stake,
        estimate: filled(estimate, finding),
    }
}

pub fn advice(code: &str) -> Option<&'static str> {
    Code::ALL.iter().find(|known| known.name() == code).map(|&code| words::of(code).advice)
}

pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::High => "high",
        Severity::Medium => "medium",
        Severity::Low => "low",
        Severity::Info => "info",
        Severity::Good => "ok",
    }
}

/// Replaces each `{name}` in a sentence by its figure.
fn filled(sentence: &str, finding: &Finding) -> String {
    let mut parts = sentence.split('{');
    let mut out = parts.next().unwrap_or("").to_string();
    for part in parts {
        let (name, rest) = part.split_once('}').unwrap_or((part, ""));
        // An unknown name stays as it is: a test looks for those.
        out.push_str(&finding.figure(name).map_or_else(|| format!("{{{name}}}"), in_words));
        out.push_str(rest);
    }
    out
}

fn in_words(amount: Amount) -> String {
    match amount {
        Amount::Count(n) => count(n),
        Amount::Bytes(n) => bytes(n as f64),
        Amount::Seconds(s) => seconds(s),
        Amount::Share(share) => percent(share),
        Amount::Times(times) => format!("{times:.1}"),
        Amount::Rate(per_second) => rate(per_second),
        Amount::Interface(module) => module.name().to_string(),
        Amount::Exact(exact) => if exact { "exactly" } else { "at least" }.to_string(),
    }
}

fn as_json(amount: Amount) -> Value {
    match amount {
        Amount::Count(n) | Amount::Bytes(n) => n.into(),
        Amount::Seconds(x) | Amount::Share(x) | Amount::Times(x) | Amount::Rate(x) => tidy(x).into(),
        Amount::Interface(module) => module.name().into(),
        Amount::Exact(exact) => exact.into(),
    }
}

fn unit(amount: Amount) -> &'static str {
    match amount {
        Amount::Bytes(_) => "bytes",
        Amount::Seconds(_) => "seconds",
        Amount::Share(_) => "share",
        _ => "count",
    }
}

pub fn json(findings: &[Worded]) -> Value {
    let file = |file: &NamedFile| json!({ "path": file.path, unit(file.amount): as_json(file.amount) });
    findings
        .iter()
        .map(|finding| {
            let figures: Map<String, Value> =
                finding.figures.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
            json!({
                "code": finding.code,
                "drishti": finding.drishti,
                "severity": severity(finding.severity),
                "title": finding.title,
                "evidence": finding.evidence,
                "details": {
                    "figures": figures,
                    "files": finding.files.iter().map(file).collect::<Value>(),
                    "files_concerned": finding.files_concerned,
                    "ranks": finding.ranks,
                },
                "advice": finding.advice,
                "example": finding.example.map(|example| json!({
                    "language": example.language, "title": example.title, "text": example.text,
                })),
                "seconds_at_stake": tidy(finding.seconds_at_stake),
                "estimate": finding.estimate,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_analysis::advice::Code;
    use marigraph_model::FileId;

    fn finding(code: Code) -> Finding {
        Finding {
            code,
            severity: Severity::Medium,
            seconds_at_stake: 2.0,
            figures: vec![
                ("small", Amount::Count(1200)),
                ("calls", Amount::Count(2400)),
                ("share", Amount::Share(0.5)),
            ],
            files: vec![(FileId(1), Amount::Count(7))],
            files_concerned: 3,
            ranks: vec![4],
        }
    }

    #[test]
    fn figures_stand_in_the_sentence_and_beside_it() {
        let mut names = FileTable::default();
        names.insert(FileId(1), b"/a");
        let document = json(&[word(&finding(Code::SmallSharedReads), &names)]);
        let told = &document[0];
        assert!(told["evidence"].as_str().expect("text").starts_with("1,200 of 2,400 reads"), "{told}");
        assert_eq!(told["details"]["figures"]["share"], 0.5);
        assert_eq!(told["details"]["files"][0], json!({ "path": "/a", "count": 7 }));
        assert_eq!((&told["drishti"], &told["severity"]), (&json!("P15"), &json!("medium")));
    }

    #[test]
    fn every_code_has_words_and_what_is_to_change_has_an_estimate() {
        for &code in Code::ALL {
            let Words { title, evidence, advice, estimate, .. } = words::of(code);
            assert!(!title.is_empty() && evidence.ends_with('.') && advice.ends_with('.'), "{code:?}");
            assert!(estimate.is_empty() || estimate.ends_with('.'), "{code:?}");
            assert!(!title.ends_with('.'), "{code:?}");
        }
    }
}

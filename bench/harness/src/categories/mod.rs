//! Measures how far labels are right, and whether their confidence is a probability.
//!
//! ```text
//! cargo run --release -p marigraph-bench categories reliability [--seeds 101,102] [--logs 2000]
//! ```
//!
//! | mode | prints |
//! |---|---|
//! | `reliability` | confidence and share of right labels by evidence, with the weights in use; then with weights learned without the pattern that is judged |
//! | `fit` | the weights of `crates/analysis/src/category/confidence.rs` |
//! | `wrong` | logs whose labels differ from what they can show |
//!
//! A label is right if it holds for what the job did, not only for what its log can show.

mod fit;
mod look;

use std::process::ExitCode;

use marigraph_analysis::category::Evidence;
use marigraph_analysis::category::confidence::WEIGHTS;

use crate::periods::{area, calibration};
use look::{Answer, Looked, look};

const EVIDENCE: [Evidence; 3] = [Evidence::Records, Evidence::Heatmap, Evidence::Dxt];

struct Options {
    seeds: Vec<u64>,
    logs: u64,
}

pub fn run(words: &[String]) -> ExitCode {
    let Some((mode, options)) = parse(words) else {
        eprintln!("error: usage: categories reliability|fit|wrong [--seeds A,B,...] [--logs N]");
        return ExitCode::from(2);
    };
    let looked: Vec<Looked> = options.seeds.iter().flat_map(|&seed| look(seed, options.logs)).collect();
    let answers: Vec<Answer> = looked.iter().flat_map(|one| one.answers.clone()).collect();
    match mode {
        "fit" => println!("{}", fit::written(&fit::weights(&answers))),
        "wrong" => looked.iter().filter_map(Looked::difference).for_each(|line| println!("{line}")),
        _ => {
            cases(&looked);
            print("all", &answers, |answer| answer.clues.confidence(&WEIGHTS));
            let left_out = fit::left_out(&answers);
            print("each pattern judged without having been learned from", &answers, |answer| {
                answer.clues.confidence(&left_out[answer.family])
            });
        }
    }
    ExitCode::SUCCESS
}

fn parse(words: &[String]) -> Option<(&str, Options)> {
    let (mode, rest) = words.split_first()?;
    // Learning has seeds of its own.
    let usual = if mode == "fit" { 1..=4 } else { 101..=104 };
    let mut options = Options { seeds: usual.collect(), logs: 2000 };
    for pair in rest.chunks(2) {
        match pair {
            [name, value] if name == "--seeds" => {
                options.seeds = value.split(',').map(|seed| seed.parse().ok()).collect::<Option<_>>()?;
            }
            [name, value] if name == "--logs" => options.logs = value.parse().ok()?,
            _ => return None,
        }
    }
    ["reliability", "fit", "wrong"].contains(&mode.as_str()).then_some((mode, options))
}

fn share(count: usize, of: usize) -> f64 {
    100.0 * count as f64 / of.max(1) as f64
}

fn cases(looked: &[Looked]) {
    let clear: Vec<&Looked> = looked.iter().filter(|one| one.clear).collect();
    let right = |some: &[&Looked]| share(some.iter().filter(|one| one.as_shown()).count(), some.len());
    let all: Vec<&Looked> = looked.iter().collect();
    println!("{} logs, {:.1} % clear", all.len(), share(clear.len(), all.len()));
    println!("all labels as the log can show: {:.2} %, of the clear {:.2} %", right(&all), right(&clear));
    for evidence in ["records", "heatmap", "dxt"] {
        let own: Vec<&Looked> = looked.iter().filter(|one| one.evidence == evidence).collect();
        let happened = own.iter().filter(|one| one.as_happened()).count();
        let own_clear: Vec<&Looked> = own.iter().copied().filter(|one| one.clear).collect();
        println!(
            "  {evidence:<8} {} logs: as shown {:.2} %, clear {:.2} %, as happened {:.2} %",
            own.len(),
            right(&own),
            right(&own_clear),
            share(happened, own.len())
        );
    }
}

/// Judged answers of some evidence: confidence, and whether it was right.
fn judged(answers: &[Answer], by: &[Evidence], confidence: &dyn Fn(&Answer) -> f64) -> Vec<(f64, bool)> {
    let own = answers.iter().filter(|answer| by.contains(&answer.evidence));
    own.map(|answer| (confidence(answer), answer.right)).collect()
}

fn print(name: &str, answers: &[Answer], confidence: impl Fn(&Answer) -> f64) {
    println!("\n{name}:");
    let groups = EVIDENCE.iter().map(|one| (one.name(), std::slice::from_ref(one)));
    for (name, by) in [("all", &EVIDENCE[..])].into_iter().chain(groups) {
        let judged = judged(answers, by, &confidence);
        let (bins, error) = calibration(&judged);
        println!(" {name}: {} labels", judged.len());
        for (at, (count, confidence, hits)) in bins.into_iter().enumerate().filter(|(_, bin)| bin.0 > 0) {
            let low = at as f64 / 10.0;
            println!("  {low:.1}  {count:6} answers  confidence {confidence:.3}  right {hits:.3}");
        }
        let area = roc(&judged).map_or("unknown: none is wrong".to_string(), |area| format!("{area:.3}"));
        println!("  expected calibration error {error:.4}, area under the curve {area}");
    }
}

/// Area under the ROC curve; `None` if all answers are alike.
fn roc(judged: &[(f64, bool)]) -> Option<f64> {
    let of =
        |right: bool| -> Vec<f64> { judged.iter().filter(|one| one.1 == right).map(|one| one.0).collect() };
    let (right, wrong) = (of(true), of(false));
    (!right.is_empty() && !wrong.is_empty()).then(|| area(&right, &wrong))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bars of `docs/how-to/categorize.md`, on seeds that nothing was learned from.
    #[test]
    fn labels_are_right_and_their_confidence_is_a_probability() {
        let looked: Vec<Looked> = [201, 202].into_iter().flat_map(|seed| look(seed, 600)).collect();
        let of = |count: usize| count as f64 / looked.len() as f64;
        let clear = looked.iter().filter(|one| one.clear).count();
        let right = looked.iter().filter(|one| one.as_shown()).count();
        let both = looked.iter().filter(|one| one.clear && one.as_shown()).count();
        assert!(of(clear) >= 0.8, "clear: {}", of(clear));
        assert!(of(right) >= 0.95, "right: {}", of(right));
        assert!(both as f64 >= 0.99 * clear as f64, "right of the clear: {both} of {clear}");
        let answers: Vec<Answer> = looked.into_iter().flat_map(|one| one.answers).collect();
        let confidence = |answer: &Answer| answer.clues.confidence(&WEIGHTS);
        for evidence in EVIDENCE {
            let (_, error) = calibration(&judged(&answers, &[evidence], &confidence));
            assert!(error <= 0.05, "{}: {error}", evidence.name());
        }
        let area = roc(&judged(&answers, &EVIDENCE, &confidence));
        assert!(area.is_some_and(|area| area >= 0.8), "{area:?}");
    }
}

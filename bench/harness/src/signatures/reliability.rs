//! Whether confidence can be believed: how often signatures of a confidence are right.

use marigraph_analysis::signature::Method;
use serde_json::json;

use super::asked::{Asked, method_name};

/// Bins of equal width.
const BINS: usize = 10;

/// Mean distance of confidence from the share of right ones, over bins weighted by their numbers.
fn calibration_error(judged: &[(f64, bool)]) -> f64 {
    let bins = bins(judged);
    let off = bins.iter().map(|(_, count, mean, right)| *count as f64 * (mean - right).abs()).sum::<f64>();
    off / judged.len().max(1) as f64
}

/// For each bin that is not empty: its number, how many fell into it, mean confidence, share right.
fn bins(judged: &[(f64, bool)]) -> Vec<(usize, usize, f64, f64)> {
    let of = |bin: usize| {
        let inside: Vec<&(f64, bool)> = judged
            .iter()
            .filter(|(confidence, _)| ((confidence * BINS as f64) as usize).min(BINS - 1) == bin)
            .collect();
        let count = inside.len().max(1) as f64;
        let mean = inside.iter().map(|(confidence, _)| confidence).sum::<f64>() / count;
        let right = inside.iter().filter(|(_, right)| *right).count() as f64 / count;
        (bin, inside.len(), mean, right)
    };
    (0..BINS).map(of).filter(|bin| bin.1 > 0).collect()
}

/// The probability that a right signature has more confidence than a wrong one.
fn area(judged: &[(f64, bool)]) -> f64 {
    let of = |wanted: bool| judged.iter().filter(move |(_, right)| *right == wanted).map(|one| one.0);
    let (mut more, mut pairs) = (0.0, 0.0);
    for right in of(true) {
        for wrong in of(false) {
            pairs += 1.0;
            more += if right > wrong {
                1.0
            } else if right == wrong {
                0.5
            } else {
                0.0
            };
        }
    }
    if pairs > 0.0 { more / pairs } else { f64::NAN }
}

pub fn tell(asked: &Asked, judged: &[(f64, bool)], method: Method) {
    let (error, area) = (calibration_error(judged), area(judged));
    println!("calibration error {error:.3}, area under the ROC curve {area:.3}, {} signatures", judged.len());
    for (bin, count, mean, right) in bins(judged) {
        println!(
            "  {:.1} to {:.1}: {count:5} signatures, confidence {mean:.2}, right {right:.2}",
            bin as f64 / 10.0,
            (bin + 1) as f64 / 10.0
        );
    }
    if asked.has("--json") {
        let (first, last) = (asked.seeds().start, asked.seeds().end);
        let name = method_name(method);
        for (claim, figure) in [("calibration error", error), ("area under the ROC curve", area)] {
            let claim = format!("signature --method {name}: {claim} of confidence");
            let data = format!("synth server, all kinds and laws, seeds {first} to {}", last - 1);
            println!(
                "{}",
                json!({ "claim": claim, "data": data, "origin": "ours", "n": judged.len(), "figure": figure, "low": null, "high": null })
            );
        }
    }
}

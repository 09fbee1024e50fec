//! Learns the weights of confidence: a logistic regression for each kind of clue.

use std::collections::BTreeMap;

use marigraph_analysis::category::confidence::{Deciding, FIGURES, Weights};

use super::look::Answer;

const TERMS: usize = FIGURES + 1;
const STEPS: usize = 50;
/// Pulls weights towards 0 where few answers say anything; in answers.
const RIDGE: f64 = 0.5;

pub fn weights(answers: &[Answer]) -> Weights {
    fitted(&answers.iter().collect::<Vec<_>>())
}

/// For each family the weights learned from all others.
pub fn left_out(answers: &[Answer]) -> BTreeMap<&'static str, Weights> {
    let mut families: Vec<&'static str> = answers.iter().map(|answer| answer.family).collect();
    families.sort_unstable();
    families.dedup();
    let without = |family: &'static str| {
        let others: Vec<&Answer> = answers.iter().filter(|answer| answer.family != family).collect();
        (family, fitted(&others))
    };
    families.into_iter().map(without).collect()
}

/// As they stand in the source.
pub fn written(weights: &Weights) -> String {
    let row = |row: &[f64; TERMS]| format!("    {:?},\n", row.map(|weight| (weight * 100.0).round() / 100.0));
    weights.iter().map(row).collect()
}

fn fitted(answers: &[&Answer]) -> Weights {
    Deciding::ALL.map(|deciding| {
        let own: Vec<([f64; TERMS], f64)> = answers
            .iter()
            .filter(|answer| answer.clues.deciding == deciding)
            .map(|answer| {
                let [one, two, three] = answer.clues.figures;
                ([1.0, one, two, three], f64::from(u8::from(answer.right)))
            })
            .collect();
        regression(&own)
    })
}

/// Newton's method on the likelihood.
fn regression(rows: &[([f64; TERMS], f64)]) -> [f64; TERMS] {
    let mut weights = [0.0; TERMS];
    for _ in 0..STEPS {
        let mut slope = weights.map(|weight| -RIDGE * weight);
        let mut curve = [[0.0; TERMS]; TERMS];
        (0..TERMS).for_each(|at| curve[at][at] = RIDGE);
        for (terms, right) in rows {
            let score: f64 = terms.iter().zip(&weights).map(|(term, weight)| term * weight).sum();
            let chance = 1.0 / (1.0 + (-score).exp());
            for one in 0..TERMS {
                slope[one] += terms[one] * (right - chance);
                for other in 0..TERMS {
                    curve[one][other] += terms[one] * terms[other] * chance * (1.0 - chance);
                }
            }
        }
        let step = solved(curve, slope);
        weights.iter_mut().zip(step).for_each(|(weight, step)| *weight += step);
    }
    weights
}

/// Solves a positive definite system by elimination.
fn solved(mut matrix: [[f64; TERMS]; TERMS], mut right: [f64; TERMS]) -> [f64; TERMS] {
    for at in 0..TERMS {
        for below in at + 1..TERMS {
            let pivot = matrix[at];
            let factor = matrix[below][at] / pivot[at];
            matrix[below].iter_mut().zip(pivot).for_each(|(cell, above)| *cell -= factor * above);
            right[below] -= factor * right[at];
        }
    }
    for at in (0..TERMS).rev() {
        let known: f64 = (at + 1..TERMS).map(|column| matrix[at][column] * right[column]).sum();
        right[at] = (right[at] - known) / matrix[at][at];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_that_depends_on_a_figure_is_learned() {
        // One in four is right where the figure is 0, three in four where it is 1.
        let row = |figure: f64, right: bool| ([1.0, figure, 0.0, 0.0], f64::from(u8::from(right)));
        let rows: Vec<_> = (0..4000).flat_map(|at| [row(0.0, at % 4 == 0), row(1.0, at % 4 != 0)]).collect();
        let [constant, weight, ..] = regression(&rows);
        let odds = 3.0f64.ln();
        assert!((constant + odds).abs() < 0.01 && (weight - 2.0 * odds).abs() < 0.01, "{constant} {weight}");
    }
}

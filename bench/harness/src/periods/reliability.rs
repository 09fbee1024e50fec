//! Measures whether confidence is a probability.

use super::Options;
use super::accuracy::{chosen, share};
use super::cases::{self, Case};
use super::scoring::{Score, score};

/// Confidence of an answer, and whether it was right.
pub type Judged = (f64, bool);

type Group = (&'static str, fn(&Case) -> bool);

pub fn run(options: &Options) {
    let cases = chosen(cases::study().into_iter().chain(cases::dirty()).collect(), options);
    // Other seeds than those of the other modes, which may have been used for tuning.
    let scores = score(&cases, options.seeds(20, 100_001), options.find);
    let groups: [Group; 4] = [
        ("all", |_| true),
        ("study", Case::is_plain),
        ("dirty with a period", |case| !case.is_plain() && case.is_periodic()),
        ("dirty without one", |case| !case.is_periodic()),
    ];
    for (name, belongs) in groups {
        let own: Vec<&Score> = scores.iter().filter(|score| belongs(&cases[score.case])).collect();
        let judged = own.iter().filter(|score| score.answer.period_s.is_some());
        print(
            name,
            own.len(),
            &judged.map(|score| (score.answer.confidence, score.right)).collect::<Vec<_>>(),
        );
    }
}

fn print(name: &str, asked: usize, judged: &[Judged]) {
    let right: Vec<f64> = judged.iter().filter(|one| one.1).map(|one| one.0).collect();
    let wrong: Vec<f64> = judged.iter().filter(|one| !one.1).map(|one| one.0).collect();
    println!("{name}: {asked} asked, {} answered, {} right", judged.len(), right.len());
    let (bins, error) = calibration(judged);
    for (at, (count, confidence, hits)) in bins.into_iter().enumerate().filter(|(_, bin)| bin.0 > 0) {
        let low = at as f64 / 10.0;
        println!("  {low:.1}  {count:6} answers  confidence {confidence:.3}  right {hits:.3}");
    }
    println!("  expected calibration error {error:.3}");
    println!("  area under the curve {:.3}", area(&right, &wrong));
    let sure = share(right.iter().map(|&confidence| confidence >= 0.8));
    println!("  right answers with confidence >= 0.8: {:.1} %", 100.0 * sure);
    let surest = share(judged.iter().filter(|one| one.0 >= 0.9).map(|one| one.1));
    println!("  right among confidence >= 0.9: {:.1} %\n", 100.0 * surest);
}

/// Ten bins of equal width, each with the number of answers, their mean confidence and the share
/// that is right; and the expected calibration error.
pub fn calibration(judged: &[Judged]) -> ([(usize, f64, f64); 10], f64) {
    let mut bins = [(0usize, 0.0, 0.0); 10];
    for &(confidence, right) in judged {
        let bin = &mut bins[((confidence * 10.0) as usize).min(9)];
        *bin = (bin.0 + 1, bin.1 + confidence, bin.2 + f64::from(u8::from(right)));
    }
    let gaps: f64 = bins.iter().map(|bin| (bin.1 - bin.2).abs()).sum();
    let means = bins.map(|(count, confidence, hits)| {
        let n = count.max(1) as f64;
        (count, confidence / n, hits / n)
    });
    (means, gaps / judged.len().max(1) as f64)
}

/// Probability that a right answer has more confidence than a wrong one; ties count half.
pub fn area(right: &[f64], wrong: &[f64]) -> f64 {
    let mut wrong = wrong.to_vec();
    wrong.sort_by(f64::total_cmp);
    let beaten = |confidence: &f64| {
        let below = wrong.partition_point(|other| other < confidence);
        let up_to = wrong.partition_point(|other| other <= confidence);
        (below + up_to) as f64 / 2.0
    };
    right.iter().map(beaten).sum::<f64>() / (right.len() * wrong.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_that_is_a_probability_has_no_calibration_error() {
        let judged: Vec<Judged> = (0..10).map(|n| (0.75, n < 3)).chain([(1.0, true); 10]).collect();
        let (bins, error) = calibration(&judged);
        assert_eq!((bins[7], bins[9]), ((10, 0.75, 0.3), (10, 1.0, 1.0)));
        assert!((error - 0.225).abs() < 1e-12, "{error}");
        assert_eq!(calibration(&[]).1, 0.0);
    }

    #[test]
    fn the_area_counts_pairs() {
        assert_eq!(area(&[0.9, 0.8], &[0.1, 0.2]), 1.0);
        assert_eq!(area(&[0.5], &[0.5, 0.9]), 0.25);
        assert_eq!(area(&[0.1], &[0.2]), 0.0);
    }
}

//! Compares a signature with the truth.

use realfft::RealFftPlanner;

/// Pearson's correlation coefficient; zero where one of the two is constant.
pub fn pearson(one: &[f64], other: &[f64]) -> f64 {
    let count = one.len().min(other.len()).max(1) as f64;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / count;
    let (mean_one, mean_other) = (mean(one), mean(other));
    let (mut product, mut square_one, mut square_other) = (0.0, 0.0, 0.0);
    for (one, other) in one.iter().zip(other) {
        let (one, other) = (one - mean_one, other - mean_other);
        product += one * other;
        square_one += one * one;
        square_other += other * other;
    }
    if square_one <= 0.0 || square_other <= 0.0 { 0.0 } else { product / (square_one * square_other).sqrt() }
}

/// A burst to compare.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    pub start_s: f64,
    pub end_s: f64,
    pub bytes: f64,
}

/// Similarity of a signature to the truth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// Pearson's correlation coefficient without a shift.
    pub coefficient: f64,
    /// The maximum normalized cross-correlation over all shifts; means are not subtracted.
    pub cross: f64,
    /// Found bytes divided by true bytes.
    pub volume: f64,
    pub missed: usize,
    /// Found bursts without a match, except tiny ones.
    pub invented: usize,
}

/// Compares a found signature with the true one; both have one value per second.
pub fn score(truth: (&[f64], &[Span]), found: (&[f64], &[Span])) -> Score {
    let len = truth.0.len().max(found.0.len()).max(1);
    let padded = |values: &[f64]| -> Vec<f64> {
        values.iter().copied().chain(std::iter::repeat(0.0)).take(len).collect()
    };
    let (x, y) = (padded(truth.0), padded(found.0));
    let (missed, invented) = matched(truth.1, found.1);
    let sum = |values: &[f64]| values.iter().sum::<f64>();
    Score { coefficient: pearson(&x, &y), cross: cross(&x, &y), volume: sum(&y) / sum(&x), missed, invented }
}

fn cross(x: &[f64], y: &[f64]) -> f64 {
    let len = (2 * x.len()).next_power_of_two();
    let mut planner = RealFftPlanner::<f64>::new();
    let (forward, inverse) = (planner.plan_fft_forward(len), planner.plan_fft_inverse(len));
    let spectrum = |values: &[f64]| {
        let mut input = values.to_vec();
        input.resize(len, 0.0);
        let mut output = forward.make_output_vec();
        // The lengths are the plan's own, so this cannot fail.
        forward.process(&mut input, &mut output).map(|()| output).unwrap_or_default()
    };
    let mut product: Vec<_> = spectrum(x).iter().zip(&spectrum(y)).map(|(x, y)| x.conj() * y).collect();
    // The first and last value of a real signal's spectrum are real; rounding may leave an
    // imaginary part.
    for end in [0, product.len().saturating_sub(1)] {
        if let Some(value) = product.get_mut(end) {
            value.im = 0.0;
        }
    }
    let mut shifts = inverse.make_output_vec();
    if inverse.process(&mut product, &mut shifts).is_err() {
        return 0.0;
    }
    let power = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>();
    let norm = (power(x) * power(y)).sqrt() * len as f64;
    if norm > 0.0 { shifts.iter().fold(0.0f64, |most, value| most.max(*value)) / norm } else { 0.0 }
}

/// Counts missed true bursts and invented ones.
fn matched(truth: &[Span], found: &[Span]) -> (usize, usize) {
    let middle = |span: &Span| (span.start_s + span.end_s) / 2.0;
    let apart = truth.windows(2).map(|pair| pair[1].start_s - pair[0].start_s).fold(f64::INFINITY, f64::min);
    let apart = if apart.is_finite() { apart } else { 0.0 };
    let mut used = vec![false; found.len()];
    let mut missed = 0;
    for burst in truth {
        let reach = (burst.end_s - burst.start_s) / 2.0 + 0.3 * apart;
        let off = |at: &usize| (middle(&found[*at]) - middle(burst)).abs();
        let fits = |at: &usize| !used[*at] && off(at) <= reach && found[*at].bytes >= 0.25 * burst.bytes;
        match (0..found.len()).filter(fits).min_by(|one, other| off(one).total_cmp(&off(other))) {
            Some(at) => used[at] = true,
            None => missed += 1,
        }
    }
    let mut volumes: Vec<f64> = truth.iter().map(|burst| burst.bytes).collect();
    volumes.sort_by(f64::total_cmp);
    let median = volumes.get(volumes.len() / 2).copied().unwrap_or(0.0);
    let invented = (0..found.len()).filter(|&at| !used[at] && found[at].bytes >= 0.1 * median).count();
    (missed, invented)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_scores_one_and_a_shift_shows_in_one_figure_only() {
        let mut x = vec![0.0; 100];
        x[20..30].fill(5.0);
        let mut y = vec![0.0; 110];
        y[26..36].fill(5.0);
        let span = |start_s: f64| Span { start_s, end_s: start_s + 10.0, bytes: 50.0 };
        let same = score((&x, &[span(20.0)]), (&x, &[span(20.0)]));
        assert!(same.coefficient > 1.0 - 1e-9 && same.cross > 1.0 - 1e-9 && same.volume == 1.0);
        let shifted = score((&x, &[span(20.0)]), (&y, &[span(26.0)]));
        assert!(shifted.coefficient < 0.5 && shifted.cross > 1.0 - 1e-9, "{shifted:?}");
        assert_eq!((shifted.missed, shifted.invented), (1, 1));
    }
}

//! The traffic of one run above the background, as cumulative bytes over time.

use crate::signature::sample::Sample;

const WINDOW_S: f64 = 300.0;
/// Quantile of a window that is taken as background.
const LOW: f64 = 0.25;

/// The traffic of one run.
#[derive(Debug, Clone)]
pub struct Curve {
    /// Bytes per second above the background; zero where nothing was observed.
    pub rates: Vec<f64>,
    /// Background, bytes per second.
    pub usual: Vec<f64>,
    /// Bytes per second in the other direction.
    pub beside: Vec<f64>,
    /// Intervals that were observed and not corrected for other applications.
    pub observed: Vec<bool>,
    /// Cumulative bytes at the start of each interval, and at the end.
    sums: Vec<f64>,
    pub interval_s: f64,
    /// Seconds from the start of the first interval to the start of the run.
    pub offset_s: f64,
    pub duration_s: f64,
}

impl Curve {
    pub fn of(sample: &Sample, other: Option<&Sample>) -> Curve {
        let mended = |at: usize| sample.mended.get(at).copied().unwrap_or(false);
        let observed: Vec<bool> =
            sample.rates.iter().enumerate().map(|(at, rate)| !rate.is_nan() && !mended(at)).collect();
        let known = |rate: f64| if rate.is_nan() { 0.0 } else { rate };
        let own: Vec<f64> = sample.rates.iter().map(|&rate| known(rate)).collect();
        let usual = usual(&own, (WINDOW_S / sample.interval_s) as usize);
        let rates: Vec<f64> = own.iter().zip(&usual).map(|(rate, usual)| (rate - usual).max(0.0)).collect();
        let beside = |at: usize| other.and_then(|other| other.rates.get(at)).map_or(0.0, |&rate| known(rate));
        let beside: Vec<f64> = (0..own.len()).map(beside).collect();
        let mut sum = 0.0;
        let next = |rate: &f64| {
            sum += rate * sample.interval_s;
            sum
        };
        Curve {
            sums: std::iter::once(0.0).chain(rates.iter().map(next)).collect(),
            rates,
            usual,
            beside,
            observed,
            interval_s: sample.interval_s,
            offset_s: sample.offset_s,
            duration_s: sample.duration_s,
        }
    }

    pub fn len(&self) -> usize {
        self.rates.len()
    }

    pub fn bytes_until(&self, second: f64) -> f64 {
        at(&self.sums, (second + self.offset_s) / self.interval_s)
    }

    pub fn second_of(&self, bytes: f64, from_s: f64, to_s: f64) -> f64 {
        let wanted = self.bytes_until(from_s) + bytes;
        let place = self.sums.partition_point(|&sum| sum < wanted);
        let Some(before) = place.checked_sub(1) else { return from_s };
        let Some(&next) = self.sums.get(place) else { return to_s };
        let step = next - self.sums[before];
        let share = if step > 0.0 { (wanted - self.sums[before]) / step } else { 0.0 };
        ((before as f64 + share) * self.interval_s - self.offset_s).clamp(from_s, to_s)
    }

    /// Returns the interval whose start is nearest to a second of the run.
    pub fn interval(&self, second: f64) -> usize {
        (((second + self.offset_s) / self.interval_s).round().max(0.0) as usize).min(self.len())
    }

    /// Returns the interval that contains a second of the run.
    pub fn within(&self, second: f64) -> usize {
        (((second + self.offset_s) / self.interval_s).max(0.0) as usize).min(self.len())
    }

    pub fn second(&self, interval: usize) -> f64 {
        interval as f64 * self.interval_s - self.offset_s
    }
}

fn at(sums: &[f64], place: f64) -> f64 {
    let place = place.clamp(0.0, (sums.len() - 1) as f64);
    let before = place as usize;
    let next = sums.get(before + 1).or(sums.last()).copied().unwrap_or(0.0);
    sums[before] + (next - sums[before]) * (place - before as f64)
}

/// Estimates the background: a low quantile around some intervals, interpolated for the others.
fn usual(rates: &[f64], window: usize) -> Vec<f64> {
    let step = (window / 10).max(1);
    let quantile = |middle: usize| {
        let from = middle.saturating_sub(window / 2);
        let mut around: Vec<f64> = rates.iter().skip(from).take(window.max(1)).copied().collect();
        let place = (LOW * around.len() as f64) as usize;
        if around.is_empty() {
            return 0.0;
        }
        let place = place.min(around.len() - 1);
        *around.select_nth_unstable_by(place, f64::total_cmp).1
    };
    let knots: Vec<f64> = (0..=rates.len().div_ceil(step)).map(|knot| quantile(knot * step)).collect();
    (0..rates.len())
        .map(|at| {
            let (knot, part) = (at / step, (at % step) as f64 / step as f64);
            knots[knot] + (knots[knot + 1] - knots[knot]) * part
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_seconds_are_each_others_inverse() {
        let mut rates = vec![1.0; 400];
        rates[100..110].fill(11.0);
        let curve = Curve::of(
            &Sample { rates, mended: Vec::new(), interval_s: 2.0, offset_s: 1.0, duration_s: 799.0 },
            None,
        );
        assert!((curve.bytes_until(400.0) - 200.0).abs() < 1e-9);
        assert!((curve.second_of(100.0, 100.0, 400.0) - 209.0).abs() < 1e-9);
    }
}

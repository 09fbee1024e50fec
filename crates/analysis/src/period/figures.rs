//! Figures that speak for or against a hypothesis.

use super::hypothesis::{Hypothesis, Way, mean, median, quantile, spread};
use super::runs::Binned;

/// Number of figures of a hypothesis.
pub const FIGURES: usize = 24;

/// Names of the figures, for the files that calibration is made from.
pub const NAMES: [&str; FIGURES] = [
    "count",
    "spread",
    "robust_spread",
    "volume_spread",
    "log_volume_spread",
    "parted",
    "covered",
    "duty",
    "repeats",
    "repeats_half",
    "alternation",
    "length_spread",
    "idle_between",
    "volume_step",
    "agreement",
    "steadier_coarser",
    "steadier_finer",
    "repeats_coarser",
    "rates",
    "volume",
    "ranks",
    "repetition",
    "fit_volume",
    "fit_ranks",
];

/// Spreads below this are all alike.
const FINEST: f64 = 0.02;
/// Fewest distances of a hypothesis that others are compared with.
const ENOUGH: usize = 4;

/// The figures of all hypotheses about one trace. Repetition, which is looked for only when nothing else
/// is credible, has no part in those of the others.
pub fn figures(all: &[Hypothesis], signal: &Binned, total: f64) -> Vec<[f64; FIGURES]> {
    let views: Vec<View> = all.iter().map(|hypothesis| View::new(hypothesis, signal)).collect();
    views.iter().map(|view| view.figures(&views, signal, total)).collect()
}

/// A hypothesis with what comparing it with others needs.
struct View<'a> {
    hypothesis: &'a Hypothesis,
    spread: f64,
    repeats: f64,
}

impl View<'_> {
    fn new<'a>(hypothesis: &'a Hypothesis, signal: &Binned) -> View<'a> {
        let repeats = signal.likeness(hypothesis.period_s);
        View { hypothesis, spread: spread(&hypothesis.distances), repeats }
    }

    fn figures(&self, others: &[View<'_>], signal: &Binned, total: f64) -> [f64; FIGURES] {
        let Hypothesis { phases, distances, period_s, way, fit, .. } = self.hypothesis;
        let inner = phases.get(1..phases.len().saturating_sub(1)).filter(|inner| !inner.is_empty());
        let inner = inner.unwrap_or(phases);
        let volumes: Vec<f64> = inner.iter().map(|phase| phase.bytes).collect();
        let lengths: Vec<f64> = inner.iter().map(|phase| phase.end_s - phase.start_s).collect();
        let typical = median(distances.clone());
        let off = distances.iter().map(|d| (d - typical).abs()).collect();
        let between: Vec<f64> =
            phases.windows(2).map(|pair| (pair[1].start_s - pair[0].end_s) / period_s).collect();
        let steps: Vec<f64> = volumes.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
        let volume_spread = spread(&volumes);
        let is = |one: Way| f64::from(u8::from(*way == one));
        [
            (distances.len() as f64).ln(),
            self.spread,
            1.4826 * median(off) / typical.max(f64::MIN_POSITIVE),
            volume_spread,
            (volume_spread + 1e-3).log10(),
            quantile(between.clone(), 0.1).clamp(-1.0, 1.0),
            phases.iter().map(|phase| phase.bytes).sum::<f64>() / total.max(f64::MIN_POSITIVE),
            mean(&lengths) / period_s,
            self.repeats,
            signal.likeness(*period_s / 2.0),
            alternation(distances),
            spread(&lengths),
            mean(&between).clamp(-1.0, 1.0),
            mean(&steps) / mean(&volumes).max(f64::MIN_POSITIVE),
            self.agreement(others),
            self.steadier(others, &|ratio| ratio > 1.4),
            self.steadier(others, &|ratio| ratio < 0.7),
            self.repeats_coarser(others),
            is(Way::Rates),
            is(Way::Volume),
            is(Way::Ranks),
            is(Way::Repetition),
            is(Way::Volume) * fit,
            is(Way::Ranks) * fit,
        ]
    }

    /// Others with periods that stand in some ratio to this one, and enough phases to judge by.
    fn compared<'a>(
        &'a self,
        others: &'a [View<'a>],
        ratio: &'a dyn Fn(f64) -> bool,
    ) -> impl Iterator<Item = &'a View<'a>> {
        others.iter().filter(move |other| {
            other.hypothesis.way != Way::Repetition
                && other.hypothesis.distances.len() >= ENOUGH
                && ratio(other.hypothesis.period_s / self.hypothesis.period_s)
        })
    }

    /// How much steadier others are than they would be if they only lumped or split these distances at
    /// random: the spread then goes with the square root of the period.
    fn steadier(&self, others: &[View<'_>], ratio: &dyn Fn(f64) -> bool) -> f64 {
        let gain = |other: &View<'_>| {
            let ratio = (other.hypothesis.period_s / self.hypothesis.period_s).max(1.0);
            ((self.spread + FINEST) / (other.spread + FINEST) / ratio.sqrt()).ln()
        };
        self.compared(others, ratio).map(gain).fold(0.0, f64::max).min(3.0)
    }

    /// How much more the signal is like itself after a longer period.
    fn repeats_coarser(&self, others: &[View<'_>]) -> f64 {
        let coarser = self.compared(others, &|ratio| ratio > 1.4);
        coarser.map(|other| other.repeats - self.repeats).fold(0.0, f64::max)
    }

    /// The share of other ways that have a hypothesis of the same period.
    fn agreement(&self, others: &[View<'_>]) -> f64 {
        let of = |way: Way| {
            let counts = way != self.hypothesis.way && way != Way::Repetition;
            others.iter().filter(move |other| counts && other.hypothesis.way == way)
        };
        let same =
            |other: &View<'_>| (other.hypothesis.period_s / self.hypothesis.period_s - 1.0).abs() < 0.02;
        let there = Way::ALL.iter().filter(|&&way| of(way).next().is_some()).count();
        Way::ALL.iter().filter(|&&way| of(way).any(same)).count() as f64 / there.max(1) as f64
    }
}

/// Correlation of each distance with the next: strongly negative when short and long ones alternate.
fn alternation(distances: &[f64]) -> f64 {
    let centre = mean(distances);
    let power: f64 = distances.iter().map(|d| (d - centre) * (d - centre)).sum();
    let product: f64 = distances.windows(2).map(|pair| (pair[0] - centre) * (pair[1] - centre)).sum();
    if power > 0.0 { product / power } else { 0.0 }
}

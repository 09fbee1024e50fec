//! Figures for or against a hypothesis.

use super::chance;
use super::hypothesis::{Hypothesis, Way, mean, spread};
use super::outcome::Phase;
use super::regimes::without_trend;
use super::runs::Binned;
use crate::quantile::{median, nearest};

pub const FIGURES: usize = 36;

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
    "pause_robust_spread",
    "log_pause_spread",
    "pause_order",
    "distance_order",
    "most_order",
    "log_trend_spread",
    "valley",
    "rise",
    "finer_equal",
    "beyond_chance",
    "explained",
    "longest",
];

/// Volumes that spread by less are equal.
const EQUAL: f64 = 0.01;
/// Standard deviations of regularity that may be chance among many hypotheses, and those beyond
/// which more add nothing.
const CHANCE: f64 = 3.0;
const CERTAIN: f64 = 4.0;
const GROWING: usize = 6;
/// Smaller spreads are all alike.
const FINEST: f64 = 0.02;
/// Share of a period over which a start is examined.
const EDGE: f64 = 0.03;
const ENOUGH: usize = 4;

/// Figures of all hypotheses about one trace. Repetition, which is tried only when nothing else is
/// credible, does not influence the figures of the others.
pub fn figures(all: &[Hypothesis], signal: &Binned, total: f64) -> Vec<[f64; FIGURES]> {
    let views: Vec<View> = all.iter().map(|hypothesis| View::new(hypothesis, signal)).collect();
    views.iter().map(|view| view.figures(&views, signal, total)).collect()
}

struct View<'a> {
    hypothesis: &'a Hypothesis,
    spread: f64,
    volume_spread: f64,
    repeats: f64,
}

impl View<'_> {
    fn new<'a>(hypothesis: &'a Hypothesis, signal: &Binned) -> View<'a> {
        let repeats = signal.likeness(hypothesis.period_s);
        let volumes: Vec<f64> = inner(&hypothesis.phases).iter().map(|phase| phase.bytes).collect();
        View { hypothesis, spread: spread(&hypothesis.distances), volume_spread: spread(&volumes), repeats }
    }

    fn figures(&self, others: &[View<'_>], signal: &Binned, total: f64) -> [f64; FIGURES] {
        let mut all = [0.0; FIGURES];
        let alone =
            self.of_phases(signal, total).into_iter().chain(self.of_others(others)).chain(self.of_way());
        let figures = alone.chain(self.of_order(others, signal, total));
        all.iter_mut().zip(figures).for_each(|(place, figure)| *place = figure);
        all
    }

    fn of_phases(&self, signal: &Binned, total: f64) -> [f64; 14] {
        let Hypothesis { phases, distances, period_s, .. } = self.hypothesis;
        let inner = inner(phases);
        let volumes: Vec<f64> = inner.iter().map(|phase| phase.bytes).collect();
        let lengths: Vec<f64> = inner.iter().map(|phase| phase.end_s - phase.start_s).collect();
        let between: Vec<f64> =
            phases.windows(2).map(|pair| (pair[1].start_s - pair[0].end_s) / period_s).collect();
        let steps: Vec<f64> = volumes.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
        [
            (distances.len() as f64).ln(),
            self.spread,
            robust_spread(distances),
            self.volume_spread,
            (self.volume_spread + 1e-3).log10(),
            nearest(between.clone(), 0.1).clamp(-1.0, 1.0),
            phases.iter().map(|phase| phase.bytes).sum::<f64>() / total.max(f64::MIN_POSITIVE),
            mean(&lengths) / period_s,
            self.repeats,
            signal.likeness(*period_s / 2.0),
            alternation(distances),
            spread(&lengths),
            mean(&between).clamp(-1.0, 1.0),
            mean(&steps) / mean(&volumes).max(f64::MIN_POSITIVE),
        ]
    }

    fn of_others(&self, others: &[View<'_>]) -> [f64; 4] {
        [
            self.agreement(others),
            self.steadier(others, &|ratio| ratio > 1.4),
            self.steadier(others, &|ratio| ratio < 0.7),
            self.repeats_coarser(others),
        ]
    }

    fn of_way(&self) -> [f64; 6] {
        let Hypothesis { way, fit, .. } = self.hypothesis;
        let is = |one: Way| f64::from(u8::from(*way == one));
        [
            is(Way::Rates),
            is(Way::Volume),
            is(Way::Ranks),
            is(Way::Repetition),
            is(Way::Volume) * fit,
            is(Way::Ranks) * fit,
        ]
    }

    /// Whether it could be chance, or the shape of something that only grows and falls.
    fn of_order(&self, others: &[View<'_>], signal: &Binned, total: f64) -> [f64; 12] {
        let Hypothesis { phases, distances, .. } = self.hypothesis;
        let pauses = self.hypothesis.pauses();
        let level = if distances.len() >= GROWING { without_trend(distances) } else { distances.clone() };
        let (of_pauses, of_distances) = (chance::order(&pauses), chance::order(distances));
        let most = chance::order(&level).max(of_pauses).max(of_distances);
        [
            robust_spread(&pauses).min(2.0),
            (spread(&pauses) + 0.01).log10(),
            of_pauses,
            of_distances,
            most,
            (spread(&level) + 0.01).log10(),
            self.valley(signal, total),
            self.rise(signal),
            self.finer_equal(others),
            (most.sinh() - CHANCE).clamp(0.0, CERTAIN),
            distances.iter().sum::<f64>() / signal.busy_s().max(f64::MIN_POSITIVE),
            longest(phases),
        ]
    }

    /// Rate between the phases, relative to that within them.
    fn valley(&self, signal: &Binned, total: f64) -> f64 {
        let phases = &self.hypothesis.phases;
        let (inside_s, inside) = phases
            .iter()
            .fold((0.0, 0.0), |(s, b), phase| (s + phase.end_s - phase.start_s, b + phase.bytes));
        let all_s = signal.bins.len() as f64 * signal.width_s;
        let outside = (total - inside).max(0.0) / (all_s - inside_s).max(signal.width_s);
        (outside * inside_s / inside.max(f64::MIN_POSITIVE)).min(1.0)
    }

    /// How abruptly phases start: the step of the rate there, relative to the rate within the
    /// phase.
    fn rise(&self, signal: &Binned) -> f64 {
        let step = |phase: &Phase| {
            let length_s = phase.end_s - phase.start_s;
            let reach_s = (EDGE * self.hypothesis.period_s).min(length_s / 2.0).max(signal.width_s);
            let after = signal.between(phase.start_s, phase.start_s + reach_s);
            let before = signal.between(phase.start_s - reach_s, phase.start_s);
            (after - before) / reach_s / (phase.bytes / length_s).max(f64::MIN_POSITIVE)
        };
        median(self.hypothesis.phases.iter().map(step).collect()).clamp(-1.0, 2.0)
    }

    /// Other hypotheses whose periods stand in some ratio to this one, with enough phases to judge
    /// by.
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

    /// How much steadier others are than if they lumped or split these distances at random: the
    /// spread would then go with the square root of the period.
    fn steadier(&self, others: &[View<'_>], ratio: &dyn Fn(f64) -> bool) -> f64 {
        let gain = |other: &View<'_>| {
            let ratio = (other.hypothesis.period_s / self.hypothesis.period_s).max(1.0);
            ((self.spread + FINEST) / (other.spread + FINEST) / ratio.sqrt()).ln()
        };
        self.compared(others, ratio).map(gain).fold(0.0, f64::max).min(3.0)
    }

    /// How much steadier this is than a random lumping of phases of equal volume; high if there are
    /// none.
    fn finer_equal(&self, others: &[View<'_>]) -> f64 {
        let finer = self.compared(others, &|ratio| ratio < 0.7).filter(|other| other.volume_spread < EQUAL);
        let gain = |other: &View<'_>| {
            let ratio = self.hypothesis.period_s / other.hypothesis.period_s;
            ((other.spread + FINEST) / (self.spread + FINEST) / ratio.sqrt()).ln()
        };
        finer.map(gain).fold(3.0, f64::min).max(-1.0)
    }

    /// How much more the signal is like itself after a longer period.
    fn repeats_coarser(&self, others: &[View<'_>]) -> f64 {
        let coarser = self.compared(others, &|ratio| ratio > 1.4);
        coarser.map(|other| other.repeats - self.repeats).fold(0.0, f64::max)
    }

    /// Share of other ways that have a hypothesis of the same period.
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

/// All phases but the first and last, which windows may cut; all, if there are no others.
pub(super) fn inner(phases: &[Phase]) -> &[Phase] {
    phases.get(1..phases.len().saturating_sub(1)).filter(|inner| !inner.is_empty()).unwrap_or(phases)
}

/// Logarithm of the longest phase relative to the usual one: several phases lumped at an end are
/// long.
fn longest(phases: &[Phase]) -> f64 {
    let lengths: Vec<f64> = phases.iter().map(|phase| phase.end_s - phase.start_s).collect();
    let most = lengths.iter().copied().fold(0.0, f64::max);
    (most / median(lengths).max(f64::MIN_POSITIVE)).max(1.0).ln().min(3.0)
}

/// Median absolute deviation relative to the median.
fn robust_spread(values: &[f64]) -> f64 {
    let typical = median(values.to_vec());
    let off = values.iter().map(|value| (value - typical).abs()).collect();
    1.4826 * median(off) / typical.max(f64::MIN_POSITIVE)
}

/// Correlation of each distance with the next: strongly negative when short and long ones
/// alternate.
fn alternation(distances: &[f64]) -> f64 {
    let centre = mean(distances);
    let power: f64 = distances.iter().map(|d| (d - centre) * (d - centre)).sum();
    let product: f64 = distances.windows(2).map(|pair| (pair[0] - centre) * (pair[1] - centre)).sum();
    if power > 0.0 { product / power } else { 0.0 }
}

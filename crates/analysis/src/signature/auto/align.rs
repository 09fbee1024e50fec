//! Places the bursts of a template in one run at least cost, by dynamic programming.
//!
//! Costs are asymmetric. Traffic where the template has none belongs to other jobs and costs
//! little; a burst without traffic costs much. Gaps and bursts may be longer than in the template,
//! but hardly shorter.

use super::curve::Curve;
use super::template::Phase;

/// Cost of a burst interval without traffic, in intervals of unexplained traffic.
const SHORTAGE: f64 = 4.0;
/// Traffic below this share of a burst's mean rate is a shortage.
const ENOUGH: f64 = 0.6;
/// Cost per percent that a gap or a burst is too long; too short costs twice as much.
const OFF: f64 = 0.1;
/// How much gaps may deviate from the template: shorter and longer as shares, and extra seconds.
const GAP: (f64, f64, f64) = (0.03, 0.06, 8.0);
/// The same for bursts.
const BURST: (f64, f64, f64) = (0.2, 1.5, 8.0);

/// Maximum delay of a burst's start: a share and seconds.
const LATE: (f64, f64) = (0.12, 30.0);

/// Start and end of a burst in intervals of a run.
pub type Place = (usize, usize);

/// Places all bursts; returns their places and the total cost, or `None` if the run is too short.
pub fn align(curve: &Curve, template: &[Phase]) -> Option<(Vec<Place>, f64)> {
    let mean_rate = |phase: &Phase| phase.bytes / phase.length_s.max(curve.interval_s);
    let typical = template.iter().map(mean_rate).sum::<f64>() / template.len().max(1) as f64;
    let all = (0, curve.len());
    let quiet = summed(curve, all, |rate| (rate / (0.5 * typical)).min(1.0));
    let mut steps: Vec<[Step; 2]> = Vec::with_capacity(template.len());
    let mut ends = Row { first: curve.interval(0.0), costs: vec![0.0] };
    let mut now = 0.0;
    for phase in template {
        let latest = curve.interval((now + phase.gap_s) * (1.0 + LATE.0) + LATE.1);
        now += phase.gap_s + phase.length_s;
        let gap = Stretch::new(phase.gap_s, GAP, 0, curve.interval_s);
        let (wait, starts) = Step::take(&ends, gap, latest, |at| quiet[at])?;
        let length = Stretch::new(phase.length_s, BURST, 1, curve.interval_s);
        let reach = (starts.first, (starts.first + starts.costs.len() + length.high()).min(curve.len()));
        let enough = ENOUGH * mean_rate(phase);
        let lack = summed(curve, reach, |rate| SHORTAGE * (1.0 - rate / enough).max(0.0));
        let (burst, stops) = Step::take(&starts, length, curve.len(), |at| lack[at - reach.0])?;
        steps.push([wait, burst]);
        ends = stops;
    }
    let total = |at: usize| ends.costs[at] + quiet[curve.len()] - quiet[ends.first + at];
    let best = (0..ends.costs.len()).min_by(|&one, &other| total(one).total_cmp(&total(other)))?;
    let cost = total(best);
    let mut places = Vec::with_capacity(template.len());
    let mut end = ends.first + best;
    for [wait, burst] in steps.iter().rev() {
        let start = burst.began(end);
        places.push((start, end));
        end = wait.began(start);
    }
    places.reverse();
    cost.is_finite().then_some((places, cost))
}

/// Least total cost up to each interval of a range, if a gap or a burst ends there.
struct Row {
    first: usize,
    costs: Vec<f64>,
}

/// Ends that are handled together, so that the innermost loop vectorizes.
const LANES: usize = 16;

/// A gap or a burst, and the places where it may begin.
struct Step {
    stretch: Stretch,
    first: usize,
    /// Cost of each start minus the running sum there; adding the sum at the end gives the total.
    base: Vec<f64>,
}

impl Step {
    /// Takes a step and returns it with its row of ends. `sum` is the running cost up to an
    /// interval.
    fn take(
        begins: &Row,
        stretch: Stretch,
        latest: usize,
        sum: impl Fn(usize) -> f64,
    ) -> Option<(Step, Row)> {
        let last = begins.first + begins.costs.len() - 1;
        let (first, to) = (begins.first + stretch.low, (last + stretch.high()).min(latest));
        if first > to {
            return None;
        }
        let base = begins.costs.iter().enumerate().map(|(at, cost)| cost - sum(begins.first + at)).collect();
        let step = Step { stretch, first: begins.first, base };
        let mut costs = step.cheapest(to + 1 - first);
        costs.iter_mut().enumerate().for_each(|(at, cost)| *cost += sum(first + at));
        Some((step, Row { first, costs }))
    }

    /// Returns the least cost over all starts for each of the first ends. The starts are not kept:
    /// only a few are needed later, see [`Step::began`].
    fn cheapest(&self, ends: usize) -> Vec<f64> {
        let lengths = self.stretch.costs.len();
        // Pads with starts of infinite cost, so that every end has the same number.
        let wanted = (ends + lengths + LANES).max(lengths - 1 + self.base.len());
        let mut padded = Vec::with_capacity(wanted);
        padded.resize(lengths - 1, f64::INFINITY);
        padded.extend_from_slice(&self.base);
        padded.resize(wanted, f64::INFINITY);
        let mut costs = Vec::with_capacity(ends + LANES);
        while costs.len() < ends {
            let mut best = [f64::INFINITY; LANES];
            for (at, cost) in (costs.len()..).zip(self.stretch.costs.iter().rev()) {
                let Some(begins) = padded[at..].first_chunk::<LANES>() else { break };
                for lane in 0..LANES {
                    let total = begins[lane] + cost;
                    best[lane] = if total < best[lane] { total } else { best[lane] };
                }
            }
            costs.extend_from_slice(&best);
        }
        costs.truncate(ends);
        costs
    }

    fn began(&self, end: usize) -> usize {
        let low = end.saturating_sub(self.stretch.high()).max(self.first);
        let high = (end - self.stretch.low).min(self.first + self.base.len() - 1);
        let (mut best, mut place) = (f64::INFINITY, low);
        for begin in low..=high {
            let cost = self.base[begin - self.first] + self.stretch.costs[end - begin - self.stretch.low];
            if cost < best {
                (best, place) = (cost, begin);
            }
        }
        place
    }
}

/// Lengths that a gap or a burst may have, in intervals, and their costs.
struct Stretch {
    low: usize,
    costs: Vec<f64>,
}

impl Stretch {
    /// Allows lengths around `seconds`, and at least `least` intervals.
    fn new(seconds: f64, (shorter, longer, more): (f64, f64, f64), least: usize, interval_s: f64) -> Stretch {
        let low = ((seconds * (1.0 - shorter) - interval_s) / interval_s).floor().max(0.0) as usize;
        let low = low.max(least);
        let high = (((seconds * (1.0 + longer) + more) / interval_s).ceil() as usize).max(low);
        let cost = |length: usize| {
            let off = length as f64 * interval_s - seconds;
            let percent = 100.0 * (off.abs() - interval_s).max(0.0) / seconds.max(20.0);
            OFF * percent * if off < 0.0 { 2.0 } else { 1.0 }
        };
        Stretch { low, costs: (low..=high).map(cost).collect() }
    }

    fn high(&self) -> usize {
        self.low + self.costs.len() - 1
    }
}

/// Returns running sums of a cost over a range of intervals; unobserved intervals cost nothing.
fn summed(curve: &Curve, (from, to): (usize, usize), cost: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut sum = 0.0;
    let costs = curve.rates[from..to].iter().zip(&curve.observed[from..to]).map(|(&rate, &seen)| {
        sum += if seen { cost(rate) } else { 0.0 };
        sum
    });
    std::iter::once(0.0).chain(costs).collect()
}

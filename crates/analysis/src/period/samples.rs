//! The bandwidth of an application as a series of samples, in time linear in the requests and
//! memory bounded by the number of samples.
//!
//! Two passes over a log: [`Extent`] finds when its I/O begins and ends, then [`Samples`] takes the
//! rate at each sampling instant. The signal at an instant is the sum of the rates (bytes per
//! duration) of the active requests; nothing is averaged, so I/O between two instants is not seen.
//! The abstraction error measures how much that is.

use marigraph_model::{Direction, Events, Module, Nanos, Series, Sink};

use crate::timeline::Evidence;

/// 0.5 GB of numbers. Longer signals are sampled less often.
pub const MAX_SAMPLES: usize = 62_500_000;

/// A request without a duration has no rate; it gets this many nanoseconds.
const SHORTEST: i64 = 1000;

/// Times beyond this many nanoseconds (36 years) are invalid and are clamped.
const FARTHEST: i64 = 1 << 60;

/// Times within this many samples of an instant are at it, where times come from bins: a multiple
/// of the bin width is not exact.
const BIN_ROUNDING: f64 = 1e-6;
/// The same where times are whole nanoseconds: a few roundings, relative to the number of samples.
const ROUNDING: f64 = 1e-15;

/// An evenly sampled signal.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Signal {
    /// Bytes per second.
    pub samples: Vec<f64>,
    pub sampling_hz: f64,
    /// Time of the first sample, since the job's start.
    pub start_s: f64,
    /// End of the window.
    pub end_s: f64,
    /// Relative difference of the samples' volume from the real one.
    pub abstraction_error: f64,
}

/// The extent of one kind of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub first: Nanos,
    pub last: Nanos,
    pub bytes: u128,
    /// For heat maps, bins with bytes.
    pub requests: u64,
}

impl Span {
    const NOTHING: Span = Span { first: Nanos(i64::MAX), last: Nanos(i64::MIN), bytes: 0, requests: 0 };

    fn add(&mut self, first: Nanos, last: Nanos, bytes: u64) {
        self.first = self.first.min(first);
        self.last = self.last.max(last);
        self.bytes += u128::from(bytes);
        self.requests += 1;
    }
}

/// The first pass: when the wanted I/O happens. `wanted` selects by interface and direction.
#[derive(Debug)]
pub struct Extent<F> {
    wanted: F,
    trace: Span,
    heatmap: Span,
    bin_s: f64,
}

impl<F: Fn(Module, Direction) -> bool> Extent<F> {
    pub fn new(wanted: F) -> Extent<F> {
        Extent { wanted, trace: Span::NOTHING, heatmap: Span::NOTHING, bin_s: f64::INFINITY }
    }

    pub fn span(&self) -> Option<(Evidence, Span)> {
        [(Evidence::Trace, self.trace), (Evidence::Heatmap, self.heatmap)]
            .into_iter()
            .find(|(_, span)| span.requests > 0)
    }

    /// The sampling rate of a heat map: one sample per bin. Finer sampling would add nothing.
    pub fn bins_per_second(&self) -> Option<f64> {
        self.bin_s.is_finite().then_some(1.0 / self.bin_s)
    }
}

impl<F: Fn(Module, Direction) -> bool> Sink for Extent<F> {
    fn events(&mut self, block: &Events) {
        for event in block.iter().filter(|event| (self.wanted)(event.interface, event.direction)) {
            let (start, end) = interval(event.start, event.end);
            self.trace.add(start, end, event.bytes);
        }
    }

    fn series(&mut self, series: &Series) {
        for (bin, bytes) in filled_bins(series, &self.wanted) {
            let edge = |bin: usize| Nanos::from_job_seconds(bin as f64 * series.bin_s);
            self.heatmap.add(edge(bin), edge(bin + 1), bytes);
            self.bin_s = self.bin_s.min(series.bin_s);
        }
    }
}

/// Start and end of a request, in this order and distinct.
pub(super) fn interval(start: Nanos, end: Nanos) -> (Nanos, Nanos) {
    let clean = |time: Nanos| time.clamp(Nanos(-FARTHEST), Nanos(FARTHEST));
    let (start, end) = (clean(start.min(end)), clean(start.max(end)));
    (start, if start == end { Nanos(end.0 + SHORTEST) } else { end })
}

fn filled_bins<'a>(
    series: &'a Series,
    wanted: &'a impl Fn(Module, Direction) -> bool,
) -> impl Iterator<Item = (usize, u64)> + 'a {
    let sound = series.bin_s.is_finite() && series.bin_s > 0.0;
    let side = |op: Direction, bytes: &'a [u64]| {
        let bytes = if sound && wanted(series.interface, op) { bytes } else { &[] };
        bytes.iter().copied().enumerate().filter(|&(_, bytes)| bytes > 0)
    };
    side(Direction::Read, &series.read).chain(side(Direction::Write, &series.written))
}

/// The second pass: rates at the sampling instants of a window.
#[derive(Debug)]
pub struct Samples<F> {
    wanted: F,
    evidence: Evidence,
    window: [Nanos; 2],
    sampling_hz: f64,
    /// Change of the rate at each instant. `active_steps` holds the change of the number of active
    /// requests: it shows where the rate is exactly zero, which sums of rates only approach.
    rate_steps: Vec<f64>,
    active_steps: Vec<i32>,
    /// Of requests wholly in the window; `bytes_across` holds the clipped parts of others.
    bytes_inside: u128,
    bytes_across: f64,
}

impl<F: Fn(Module, Direction) -> bool> Samples<F> {
    /// Samples this kind of evidence at `sampling_hz`, or less where that would exceed
    /// [`MAX_SAMPLES`]; floor(length of the window * rate) samples from its start.
    pub fn new(evidence: Evidence, window: [Nanos; 2], sampling_hz: f64, wanted: F) -> Samples<F> {
        let length = seconds(window[0], window[1]);
        let wanted_count =
            if sampling_hz > 0.0 { ticks(window[0], window[1], sampling_hz).floor() } else { 0.0 };
        let (count, sampling_hz) = if wanted_count > MAX_SAMPLES as f64 {
            (MAX_SAMPLES, MAX_SAMPLES as f64 / length)
        } else {
            (wanted_count.max(0.0) as usize, sampling_hz)
        };
        Samples {
            wanted,
            evidence,
            window,
            sampling_hz,
            rate_steps: vec![0.0; count],
            active_steps: vec![0; count],
            bytes_inside: 0,
            bytes_across: 0.0,
        }
    }

    pub fn finish(self) -> Signal {
        let mut samples = self.rate_steps;
        let (mut rate, mut active) = (0.0, 0i32);
        for (sample, step) in samples.iter_mut().zip(&self.active_steps) {
            active = active.wrapping_add(*step);
            rate = if active == 0 { 0.0 } else { f64::max(rate + *sample, 0.0) };
            *sample = rate;
        }
        let real = self.bytes_inside as f64 + self.bytes_across;
        let sampled = samples.iter().sum::<f64>() / self.sampling_hz;
        let abstraction_error =
            if real > 0.0 && !samples.is_empty() { (sampled - real).abs() / real } else { 0.0 };
        Signal {
            samples,
            sampling_hz: self.sampling_hz,
            start_s: self.window[0].as_job_seconds(),
            end_s: self.window[1].as_job_seconds(),
            abstraction_error,
        }
    }

    /// Adds a request.
    pub fn request(&mut self, start: Nanos, end: Nanos, bytes: u64) {
        let (start, end) = interval(start, end);
        let place = |time: Nanos| ticks(self.window[0], time, self.sampling_hz);
        self.add_rate(place(start), place(end), bytes as f64 / seconds(start, end));
        self.add_bytes(start, end, bytes);
    }

    /// Adds a rate from one position (in samples) up to before another.
    fn add_rate(&mut self, from: f64, to: f64, rate: f64) {
        let (from, to) = (from.max(0.0).ceil() as usize, to.max(0.0).ceil() as usize);
        if from >= to {
            return;
        }
        let mut step = |at: usize, rate: f64, active: i32| {
            if let (Some(rates), Some(counts)) = (self.rate_steps.get_mut(at), self.active_steps.get_mut(at))
            {
                *rates += rate;
                *counts = counts.wrapping_add(active);
            }
        };
        step(from, rate, 1);
        step(to, -rate, -1);
    }

    fn add_bytes(&mut self, start: Nanos, end: Nanos, bytes: u64) {
        let [from, to] = self.window;
        if from <= start && end <= to {
            self.bytes_inside += u128::from(bytes);
            return;
        }
        let inside = seconds(start.max(from), end.min(to)).max(0.0);
        self.bytes_across += bytes as f64 * (inside / seconds(start, end));
    }
}

impl<F: Fn(Module, Direction) -> bool> Sink for Samples<F> {
    fn events(&mut self, block: &Events) {
        if self.evidence != Evidence::Trace {
            return;
        }
        for event in block.iter() {
            if event.bytes == 0 || !(self.wanted)(event.interface, event.direction) {
                continue;
            }
            self.request(event.start, event.end, event.bytes);
        }
    }

    fn series(&mut self, series: &Series) {
        if self.evidence != Evidence::Heatmap {
            return;
        }
        let origin = self.window[0].as_job_seconds();
        let filled: Vec<(usize, u64)> = filled_bins(series, &self.wanted).collect();
        for (bin, bytes) in filled {
            let edge = |bin: usize| bin as f64 * series.bin_s;
            let place = |bin: usize| snapped((edge(bin) - origin) * self.sampling_hz, BIN_ROUNDING);
            self.add_rate(place(bin), place(bin + 1), bytes as f64 / series.bin_s);
            let time = |bin: usize| Nanos::from_job_seconds(edge(bin));
            self.add_bytes(time(bin), time(bin + 1), bytes);
        }
    }
}

fn seconds(from: Nanos, to: Nanos) -> f64 {
    to.0.saturating_sub(from.0) as f64 / 1e9
}

/// Time from `origin` to `time` in samples. Multiplies first: with a whole rate that is exact.
fn ticks(origin: Nanos, time: Nanos, sampling_hz: f64) -> f64 {
    let place = time.0.saturating_sub(origin.0) as f64 * sampling_hz / 1e9;
    snapped(place, place.abs() * ROUNDING)
}

/// Snaps a position to the nearest instant within `margin`.
fn snapped(place: f64, margin: f64) -> f64 {
    let nearest = place.round();
    if (place - nearest).abs() <= margin { nearest } else { place }
}

#[cfg(test)]
mod tests;

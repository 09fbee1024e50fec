//! The outcome of a period analysis.

/// Everything known about a job's period.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// From one phase to the next; `None` without a period.
    pub period_s: Option<f64>,
    /// Probability that the period is within 10 % of the true one; with the published method its
    /// own measure.
    pub confidence: f64,
    /// Possible periods, best first; the answer is among them.
    pub candidates: Vec<Candidate>,
    /// Stretches of different behaviour, in order of time; one if nothing changed.
    pub segments: Vec<Segment>,
    /// Period and confidence.
    pub autocorrelation: Option<(f64, f64)>,
    /// Confidence in the dominant frequency, as published.
    pub dft_confidence: Option<f64>,
    /// The same refined by the autocorrelation.
    pub refined_confidence: Option<f64>,
    pub metrics: Metrics,
    pub sampling_hz: f64,
    pub samples: usize,
    /// Start and end of the analysed part, since the job's start.
    pub window_s: [f64; 2],
    /// Relative difference of the samples' volume from the real one.
    pub abstraction_error: f64,
    pub phases: Vec<Phase>,
    pub picture: Picture,
}

/// A period that the signal could have.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Candidate {
    pub period_s: f64,
    /// Share of the signal's power at its frequency.
    pub power: f64,
    /// Standard deviations of that power above the mean.
    pub z: f64,
    pub confidence: f64,
}

/// A stretch of unchanged behaviour.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Segment {
    /// Since the job's start.
    pub from_s: f64,
    pub to_s: f64,
    pub period_s: Option<f64>,
    pub confidence: f64,
}

/// One phase of I/O.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Phase {
    /// Since the job's start.
    pub start_s: f64,
    pub end_s: f64,
    pub bytes: f64,
}

/// How periodic a job is, and how much of its time goes into substantial I/O. Without a period only
/// `r_io` and `b_io` are known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Metrics {
    /// Spread of the volume per period, relative to the largest.
    pub sigma_vol: Option<f64>,
    /// Spread of the share of time in substantial I/O.
    pub sigma_time: Option<f64>,
    /// 1 - `sigma_vol` - `sigma_time`.
    pub periodicity_score: Option<f64>,
    /// Share of time in substantial I/O.
    pub r_io: f64,
    /// Bytes per second during substantial I/O.
    pub b_io: f64,
    /// Bytes of substantial I/O per period.
    pub bytes_per_period: Option<f64>,
}

/// Curves behind the outcome, for plots.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Picture {
    /// Bytes per second, `sampling_hz` values per second from the start of the window.
    pub signal: Vec<f64>,
    /// Share of the power per frequency; the k-th (from 0) belongs to (k + 1) / (samples /
    /// sampling_hz).
    pub spectrum: Vec<f64>,
    /// By lag in samples, from lag 0.
    pub autocorrelation: Vec<f64>,
}

//! What an analysis of periods tells.

/// Everything known of a job's period.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// Seconds from one phase to the next, if there is a period.
    pub period_s: Option<f64>,
    /// Probability that it is within 10 % of the true one; with the published method its own measure.
    pub confidence: f64,
    /// What else it could be, best first; the answer is among them.
    pub candidates: Vec<Candidate>,
    /// Stretches of different behaviour, in order of time; one if nothing changed.
    pub segments: Vec<Segment>,
    /// Period and confidence by autocorrelation.
    pub autocorrelation: Option<(f64, f64)>,
    /// Confidence in the dominant frequency, as published.
    pub dft_confidence: Option<f64>,
    /// The same refined by the autocorrelation.
    pub refined_confidence: Option<f64>,
    /// How periodic the job is.
    pub metrics: Metrics,
    /// Samples per second of the signal that was analysed.
    pub sampling_hz: f64,
    /// Number of samples.
    pub samples: usize,
    /// Beginning and end of what was analysed, in seconds since the job's start.
    pub window_s: [f64; 2],
    /// Relative difference of the samples' volume from the real one.
    pub abstraction_error: f64,
    /// The phases of I/O that were found.
    pub phases: Vec<Phase>,
    /// For pictures.
    pub picture: Picture,
}

/// A period that the signal could have.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Candidate {
    /// Seconds.
    pub period_s: f64,
    /// Share of the signal's power at its frequency.
    pub power: f64,
    /// By how many standard deviations that power stands out.
    pub z: f64,
    /// How far to trust it.
    pub confidence: f64,
}

/// A stretch of unchanged behaviour.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Segment {
    /// Beginning, in seconds since the job's start.
    pub from_s: f64,
    /// End.
    pub to_s: f64,
    /// Its period, if it has one.
    pub period_s: Option<f64>,
    /// How far to trust that.
    pub confidence: f64,
}

/// One phase of I/O.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Phase {
    /// Beginning, in seconds since the job's start.
    pub start_s: f64,
    /// End.
    pub end_s: f64,
    /// What moved.
    pub bytes: f64,
}

/// How periodic a job is, and how much of its time goes into substantial I/O. Without a period only
/// the last two but one are known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Metrics {
    /// Spread of the volume per period, relative to the largest.
    pub sigma_vol: Option<f64>,
    /// Spread of the share of time in substantial I/O.
    pub sigma_time: Option<f64>,
    /// 1 less both.
    pub periodicity_score: Option<f64>,
    /// Share of time in substantial I/O.
    pub r_io: f64,
    /// Bytes per second during it.
    pub b_io: f64,
    /// Bytes of substantial I/O per period.
    pub bytes_per_period: Option<f64>,
}

/// Curves behind the outcome, for pictures.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Picture {
    /// Bytes per second, `sampling_hz` values per second from the window's beginning.
    pub signal: Vec<f64>,
    /// Share of the power per frequency; the k-th (from 0) belongs to (k + 1) / (samples / sampling_hz).
    pub spectrum: Vec<f64>,
    /// Autocorrelation per lag, one sample apart, from lag 0.
    pub autocorrelation: Vec<f64>,
}

//! The load of a job on metadata servers.

use super::confidence::{Clues, Deciding, beyond};
use super::label::Label;
use super::requests::{Level, Requests};
use super::thresholds::Thresholds;

/// Metadata requests (opens and closes; others if the thresholds say so) over the run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Metadata {
    /// Whether the log records opens at all.
    pub known: bool,
    pub requests: u64,
    pub peak_per_s: f64,
    pub mean_per_s: f64,
    /// Seconds with at least `spike_requests` requests.
    pub spikes: u64,
    /// Runs of consecutive such seconds.
    pub plateaus: u64,
    /// Share of the requests whose second is unknown.
    pub loose: f64,
    /// Start, end and requests per second, thinned out for a plot; empty unless a plot is wanted.
    pub picture: Vec<(f64, f64, f64)>,
}

/// Maximum number of steps in a plot.
const SHOWN: usize = 1000;

pub fn measure(requests: &mut Requests, runtime_s: f64, thresholds: &Thresholds, pictured: bool) -> Metadata {
    let levels = requests.levels();
    let bin_s = requests.bin_s();
    let (mut spikes, mut plateaus, mut peak, mut end) = (0, 0, 0.0f64, f64::NEG_INFINITY);
    for level in &levels {
        peak = peak.max(level.per_s);
        if level.per_s >= thresholds.spike_requests {
            spikes += level.bins * bin_s as u64;
            plateaus += u64::from(level.from_s > end);
            end = level.from_s + level.bins as f64 * bin_s;
        }
    }
    Metadata {
        known: true,
        requests: requests.total(),
        peak_per_s: peak,
        mean_per_s: if runtime_s > 0.0 { requests.total() as f64 / runtime_s } else { 0.0 },
        spikes,
        plateaus,
        loose: requests.loose(),
        picture: if pictured { picture(&levels, bin_s, runtime_s) } else { Vec::new() },
    }
}

/// Converts levels to steps; where there are too many, keeps the maximum of each part of the run.
fn picture(levels: &[Level], bin_s: f64, runtime_s: f64) -> Vec<(f64, f64, f64)> {
    let step = |level: &Level| (level.from_s, level.from_s + level.bins as f64 * bin_s, level.per_s);
    if levels.len() <= SHOWN {
        return levels.iter().map(step).collect();
    }
    let width = runtime_s / SHOWN as f64;
    let mut highest = vec![0.0f64; SHOWN];
    for (from, to, per_s) in levels.iter().map(step) {
        let place = |t: f64| ((t / width) as usize).min(SHOWN - 1);
        for part in &mut highest[place(from)..=place(to)] {
            *part = part.max(per_s);
        }
    }
    let part = |(at, per_s): (usize, f64)| (at as f64 * width, (at + 1) as f64 * width, per_s);
    highest.into_iter().enumerate().filter(|(_, per_s)| *per_s > 0.0).map(part).collect()
}

/// Returns the labels, each with what speaks for it.
pub fn labels(metadata: &Metadata, nprocs: u64, thresholds: &Thresholds) -> Vec<(Label, Clues)> {
    let spikes = metadata.spikes as f64;
    let dated =
        |value: f64, cut: f64| Clues::new(Deciding::Requests, [beyond(value, cut), metadata.loose, 0.0]);
    let mut labels = Vec::new();
    if metadata.peak_per_s > thresholds.high_spike_requests {
        let clues = dated(metadata.peak_per_s, thresholds.high_spike_requests);
        labels.push((Label::MetadataHighSpike, clues));
    }
    if spikes >= thresholds.spike_count && metadata.mean_per_s >= thresholds.density_requests {
        labels.push((Label::MetadataHighDensity, dated(metadata.mean_per_s, thresholds.density_requests)));
    }
    if spikes >= thresholds.spike_count {
        labels.push((Label::MetadataMultipleSpikes, dated(spikes, thresholds.spike_count)));
    }
    if metadata.requests < nprocs {
        labels.push((Label::MetadataInsignificantLoad, Clues::sum()));
    }
    labels
}

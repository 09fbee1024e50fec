//! Windows on a trace, for a recorder that starts late or stops early.

use super::{Request, TraceTruth};
use crate::synth::Random;

/// Windows on a trace: start and end in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Windows {
    pub full: [f64; 2],
    /// From the first request to the end of the last.
    pub io: [f64; 2],
    /// From a moment of the first iteration to a moment of the last.
    pub cut: [f64; 2],
}

impl Windows {
    pub fn of(requests: &[Request], truth: &TraceTruth, seed: u64) -> Windows {
        let mut random = Random::new(seed ^ 0x0c07_0c07_0c07_0c07);
        let full = [0.0, truth.duration_s];
        let first_s = requests.iter().map(|request| request.start_s).fold(f64::INFINITY, f64::min);
        let last_s = requests.iter().map(|request| request.end_s).fold(0.0, f64::max);
        let cut = [
            random.between(0.0, truth.first_iteration_end_s),
            random.between(truth.last_iteration_start_s, truth.duration_s),
        ];
        Windows { full, io: if first_s < last_s { [first_s, last_s] } else { full }, cut }
    }
}

/// Clips requests to a window; a clipped request keeps its share of bytes.
pub fn cut(requests: &[Request], [from_s, to_s]: [f64; 2]) -> Vec<Request> {
    let clip = |request: &Request| {
        let (start_s, end_s) = (request.start_s.max(from_s), request.end_s.min(to_s));
        let length_s = request.end_s - request.start_s;
        // A request that takes no time is either in or out.
        let share = if length_s > 0.0 { (end_s - start_s) / length_s } else { 1.0 };
        let inside = start_s < end_s || (length_s <= 0.0 && start_s == end_s);
        let bytes = (request.bytes as f64 * share).round() as u64;
        inside.then_some(Request { start_s, end_s, bytes, ..*request })
    };
    requests.iter().filter_map(clip).collect()
}

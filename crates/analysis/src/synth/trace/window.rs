//! Parts of a trace, as one sees them who starts late or stops early.

use super::{Request, TraceTruth};
use crate::synth::Random;

/// Windows on a trace, from and to in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Windows {
    /// The whole application.
    pub full: [f64; 2],
    /// From the first request to the end of the last one.
    pub io: [f64; 2],
    /// From some moment of the first iteration to some moment of the last one.
    pub cut: [f64; 2],
}

impl Windows {
    /// The windows of a trace; the seed decides where the last one is cut.
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

/// What of the requests lies in a window. A request that reaches beyond keeps its share of bytes.
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

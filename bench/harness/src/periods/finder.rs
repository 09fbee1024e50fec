//! The methods that are compared.

use marigraph_analysis::period::{Activity, auto};
use marigraph_analysis::synth::Request;
use marigraph_analysis::synth::trace::Segment;

/// A finder's answer.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    pub period_s: Option<f64>,
    pub confidence: f64,
    pub segments: Vec<Segment>,
}

/// Examines requests in a window, or from the first to the last of them.
pub type Finder = fn(&[Request], Option<[f64; 2]>) -> Answer;

/// All finders by name; the first one is the default.
pub const FINDERS: [(&str, Finder); 2] = [("auto", our_best), ("gaps", gaps)];

pub fn named(name: &str) -> Result<Finder, String> {
    let known = FINDERS.map(|(name, _)| name).join(", ");
    let found = FINDERS.into_iter().find(|&(one, _)| one == name);
    found.map(|(_, find)| find).ok_or(format!("no finder {name:?}; there are {known}"))
}

pub fn activity(requests: &[Request], window_s: Option<[f64; 2]>) -> Activity {
    let mut activity = Activity::new(window_s);
    for request in requests {
        activity.add(request.rank, request.start_s, request.end_s, request.bytes as f64);
    }
    activity
}

fn our_best(requests: &[Request], window_s: Option<[f64; 2]>) -> Answer {
    let outcome = auto::analyse(activity(requests, window_s));
    let segments = outcome.segments.iter().map(|segment| Segment {
        from_s: segment.from_s,
        to_s: segment.to_s,
        period_s: segment.period_s,
    });
    Answer { period_s: outcome.period_s, confidence: outcome.confidence, segments: segments.collect() }
}

/// A simple baseline: gaps at least half as long as the longest one separate phases.
fn gaps(requests: &[Request], window: Option<[f64; 2]>) -> Answer {
    let [from_s, to_s] = window.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    let seen = requests.iter().filter(|request| request.end_s > from_s && request.start_s < to_s);
    let mut busy: Vec<(f64, f64)> = Vec::new();
    for request in seen {
        match busy.last_mut() {
            Some(last) if request.start_s <= last.1 => last.1 = last.1.max(request.end_s),
            _ => busy.push((request.start_s, request.end_s)),
        }
    }
    let longest_s = busy.windows(2).map(|pair| pair[1].0 - pair[0].1).fold(0.0, f64::max);
    let apart = |pair: &&[(f64, f64)]| pair[1].0 - pair[0].1 >= 0.5 * longest_s;
    let starts_s: Vec<f64> = busy.windows(2).filter(apart).map(|pair| pair[1].0).collect();
    let distances_s: Vec<f64> = starts_s.windows(2).map(|pair| pair[1] - pair[0]).collect();
    if distances_s.len() < 2 {
        return Answer::default();
    }
    let mean_s = distances_s.iter().sum::<f64>() / distances_s.len() as f64;
    let squares = distances_s.iter().map(|distance_s| (distance_s - mean_s).powi(2)).sum::<f64>();
    let spread = (squares / distances_s.len() as f64).sqrt() / mean_s;
    Answer { period_s: Some(mean_s), confidence: (1.0 - spread).max(0.0), segments: Vec::new() }
}

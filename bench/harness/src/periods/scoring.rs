//! Runs a finder on every trace in every window, on all cores, and compares with the truth.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use marigraph_analysis::synth::trace::{Segment, Windows, trace};
use marigraph_analysis::synth::{Request, TraceTruth};

use super::cases::Case;
use super::finder::{Answer, Finder};

/// Maximum relative error of a right answer.
const TOLERANCE: f64 = 0.1;

/// How a trace is presented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    pub window: &'static str,
    pub ranks: bool,
}

/// In the order of the columns.
pub const VIEWS: [View; 6] = [
    View { window: "full", ranks: true },
    View { window: "io", ranks: true },
    View { window: "cut", ranks: true },
    View { window: "full", ranks: false },
    View { window: "io", ranks: false },
    View { window: "cut", ranks: false },
];

/// One answer beside its truth.
#[derive(Debug, Clone)]
pub struct Score {
    pub case: usize,
    pub seed: u64,
    pub view: View,
    pub answer: Answer,
    pub truth_s: Option<f64>,
    /// Relative to the truth; 1 if nothing was found, `None` where there is nothing to find.
    pub error: Option<f64>,
    /// Within the tolerance; nothing found where there is nothing.
    pub right: bool,
    /// Whether every regime is among the answer's segments, where the period changes.
    pub all_segments: bool,
    pub seconds: f64,
}

/// A trace in one view.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    pub case: usize,
    pub seed: u64,
    pub view: View,
    pub requests: &'a [Request],
    /// `None` for all from the first request to the last.
    pub window_s: Option<[f64; 2]>,
    pub truth: &'a TraceTruth,
}

pub fn score(cases: &[Case], seeds: Range<u64>, find: Finder) -> Vec<Score> {
    for_each(cases, seeds, |shown| {
        let begin = Instant::now();
        let answer = find(shown.requests, shown.window_s);
        compare(shown, answer, begin.elapsed().as_secs_f64())
    })
}

/// Presents every trace of all cases in all views, on all cores; the results are in a fixed order.
pub fn for_each<T: Send>(cases: &[Case], seeds: Range<u64>, see: impl Fn(Shown<'_>) -> T + Sync) -> Vec<T> {
    let work: Vec<(usize, u64)> =
        (0..cases.len()).flat_map(|case| seeds.clone().map(move |seed| (case, seed))).collect();
    let (next, seen) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let worker = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(&(case, seed)) = work.get(at) else { return };
            let of_trace = show(cases, case, seed, &see);
            seen.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((at, of_trace));
        }
    };
    std::thread::scope(|scope| {
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        (0..count).for_each(|_| drop(scope.spawn(worker)));
    });
    let mut seen = seen.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    seen.sort_by_key(|(at, _)| *at);
    seen.into_iter().flat_map(|(_, of_trace)| of_trace).collect()
}

fn show<T>(cases: &[Case], case: usize, seed: u64, see: &impl Fn(Shown<'_>) -> T) -> Vec<T> {
    let (requests, truth) = trace(&cases[case].plan(seed));
    let windows = Windows::of(&requests, &truth, seed);
    let nameless: Vec<Request> = requests.iter().map(|request| Request { rank: 0, ..*request }).collect();
    let shown = |view: View| {
        let window_s = match view.window {
            "full" => Some(windows.full),
            "cut" => Some(windows.cut),
            _ => None,
        };
        let requests = if view.ranks { &requests } else { &nameless };
        see(Shown { case, seed, view, requests, window_s, truth: &truth })
    };
    VIEWS.into_iter().map(shown).collect()
}

fn compare(Shown { case, seed, view, truth, .. }: Shown<'_>, answer: Answer, seconds: f64) -> Score {
    let error = truth.period_s.map(|truth_s| answer.period_s.map_or(1.0, |period_s| off(period_s, truth_s)));
    let right = match truth.period_s {
        Some(_) => answer.period_s.is_some_and(|period_s| is_right(period_s, truth)),
        None => answer.period_s.is_none(),
    };
    let all_segments = truth.segments.iter().all(|segment| found(segment, &answer.segments));
    Score { case, seed, view, answer, truth_s: truth.period_s, error, right, all_segments, seconds }
}

/// Whether it is within the tolerance of the period, or of one of the regimes.
pub fn is_right(period_s: f64, truth: &TraceTruth) -> bool {
    error(period_s, truth) <= TOLERANCE
}

/// Relative distance from the period, or from one of the regimes; large if there is none.
pub fn error(period_s: f64, truth: &TraceTruth) -> f64 {
    let regimes = truth.segments.iter().filter_map(|segment| segment.period_s);
    regimes.chain(truth.period_s).map(|truth_s| off(period_s, truth_s)).fold(f64::from(u8::MAX), f64::min)
}

fn off(period_s: f64, truth_s: f64) -> f64 {
    (period_s - truth_s).abs() / truth_s
}

/// Whether an answer has the right period and covers at least half of the true segment.
fn found(segment: &Segment, answers: &[Segment]) -> bool {
    answers.iter().any(|answer| {
        let common_s = answer.to_s.min(segment.to_s) - answer.from_s.max(segment.from_s);
        let right = match (answer.period_s, segment.period_s) {
            (Some(period_s), Some(truth_s)) => off(period_s, truth_s) <= TOLERANCE,
            (period_s, truth_s) => period_s == truth_s,
        };
        right && common_s >= 0.5 * (segment.to_s - segment.from_s)
    })
}

//! Periods of synthetic traces against their truth, on seeds outside the calibration. `cargo run
//! --release -p marigraph-bench periods accuracy` prints the full tables.

#![allow(clippy::expect_used, clippy::print_stderr)]

use marigraph_analysis::period::{Activity, Outcome, auto};
use marigraph_analysis::synth::trace::{Windows, trace};
use marigraph_analysis::synth::{Request, TraceKind, TracePlan, TraceTruth};

const FIRST_SEED: u64 = 700;

fn look(requests: &[Request], window: Option<[f64; 2]>, ranks: bool) -> Outcome {
    let mut activity = Activity::new(window);
    for request in requests {
        let rank = if ranks { request.rank } else { 0 };
        activity.add(rank, request.start_s, request.end_s, request.bytes as f64);
    }
    auto::analyse(activity)
}

/// Relative error in percent; a missing answer counts as 100.
fn error(outcome: &Outcome, truth: &TraceTruth) -> f64 {
    let truth = truth.period_s.expect("periodic");
    outcome.period_s.map_or(100.0, |period| 100.0 * (period / truth - 1.0).abs())
}

/// Mean errors over seeds in the windows full, io and cut; the worse of with and without ranks.
fn errors(plan: impl Fn(u64) -> TracePlan) -> [f64; 3] {
    const SEEDS: u64 = 4;
    let mut worst = [0.0f64; 3];
    for ranks in [true, false] {
        let mut sums = [0.0; 3];
        for seed in FIRST_SEED..FIRST_SEED + SEEDS {
            let plan = TracePlan { request_bytes: 100_000_000, ..plan(seed) };
            let (requests, truth) = trace(&plan);
            let windows = Windows::of(&requests, &truth, seed);
            for (sum, window) in sums.iter_mut().zip([Some(windows.full), None, Some(windows.cut)]) {
                *sum += error(&look(&requests, window, ranks), &truth) / SEEDS as f64;
            }
        }
        worst = std::array::from_fn(|at| worst[at].max(sums[at]));
    }
    worst
}

fn plain(seed: u64) -> TracePlan {
    TracePlan::new(TraceKind::Plain, seed)
}

#[test]
fn regular_phases_are_timed_exactly_even_in_noise() {
    for (cpu_s, noise_bytes_per_s) in [(5.5, 0.0), (22.0, 1e9), (88.0, 0.5e9)] {
        let found = errors(|seed| TracePlan { cpu_s, noise_bytes_per_s, ..plain(seed) });
        assert!(found.iter().all(|&error| error < 0.4), "cpu {cpu_s}: {found:?}");
    }
}

/// The signal of this run is unlike the training data, but each rank is regular.
#[test]
fn ranks_far_out_of_step_tell_what_their_sum_hides() {
    let plan = TracePlan { phi_s: 41.6, request_bytes: 100_000_000, ..plain(97_019) };
    let (requests, truth) = trace(&plan);
    let windows = Windows::of(&requests, &truth, 97_019);
    for window in [Some(windows.full), None, Some(windows.cut)] {
        let outcome = look(&requests, window, true);
        assert!(
            error(&outcome, &truth) < 2.0 && outcome.confidence >= 0.9,
            "{window:?}: {:?}",
            outcome.period_s
        );
    }
}

#[test]
fn processes_out_of_step_are_brought_together() {
    for (phi_s, bound) in [(2.6, 1.5), (10.4, 3.0), (41.6, 6.0)] {
        let found = errors(|seed| TracePlan { phi_s, ..plain(seed) });
        assert!(found.iter().all(|&error| error < bound), "phi {phi_s}: {found:?}");
    }
}

#[test]
fn irregular_phases_are_counted() {
    for (cpu_sigma, bound) in [(0.5, 2.0), (1.0, 3.0), (2.0, 6.0)] {
        let found = errors(|seed| TracePlan { cpu_sigma, ..plain(seed) });
        assert!(found.iter().all(|&error| error < bound), "sigma {cpu_sigma}: {found:?}");
    }
}

#[test]
fn dirt_does_not_hide_a_period_nor_make_one() {
    const SEEDS: u64 = 6;
    let (mut wrong, mut all) = (Vec::new(), 0);
    for kind in TraceKind::dirty() {
        for seed in FIRST_SEED..FIRST_SEED + SEEDS {
            let (requests, truth) = trace(&TracePlan::new(kind, seed));
            let outcome = look(&requests, None, seed % 2 == 0);
            let regimes = truth.segments.iter().filter_map(|segment| segment.period_s);
            let mut periods = regimes.chain(truth.period_s);
            let right = match outcome.period_s {
                Some(period) => periods.any(|truth| (period / truth - 1.0).abs() < 0.1),
                None => truth.period_s.is_none(),
            };
            all += 1;
            if !right {
                wrong.push(format!(
                    "{} {seed}: {:?} for {:?}",
                    kind.name(),
                    outcome.period_s,
                    truth.period_s
                ));
            }
        }
    }
    assert!(wrong.len() * 10 < all, "{} of {all} wrong: {wrong:#?}", wrong.len());
}

#[test]
fn a_change_of_rhythm_makes_segments() {
    let mut requests = Vec::new();
    let starts = (0..8).map(|n| 30.0 * f64::from(n)).chain((0..9).map(|n| 240.0 + 12.0 * f64::from(n)));
    for start_s in starts {
        for rank in 0..4 {
            requests.push(Request { rank, start_s, end_s: start_s + 2.0, bytes: 1_000_000, write: true });
        }
    }
    let outcome = look(&requests, None, true);
    let periods: Vec<f64> = outcome.segments.iter().filter_map(|segment| segment.period_s).collect();
    let [slow, fast] = periods[..] else { panic!("{:?}", outcome.segments) };
    assert!((slow - 30.0).abs() < 0.5 && (fast - 12.0).abs() < 0.5, "{periods:?}");
    assert!((outcome.segments[0].to_s - 240.0).abs() < 12.1, "{:?}", outcome.segments);
}

#[test]
fn a_second_activity_is_a_candidate() {
    let mut requests = Vec::new();
    for turn in 0..20 {
        let start_s = 60.0 * f64::from(turn);
        let checkpoint =
            |rank| Request { rank, start_s, end_s: start_s + 6.0, bytes: 1_000_000_000, write: true };
        requests.extend((0..4).map(checkpoint));
    }
    for line in 0..170 {
        let start_s = 3.0 + 7.0 * f64::from(line);
        requests.push(Request { rank: 4, start_s, end_s: start_s + 0.2, bytes: 100_000, write: true });
    }
    let outcome = look(&requests, None, true);
    let told = |period: f64| {
        outcome.candidates.iter().any(|candidate| (candidate.period_s / period - 1.0).abs() < 0.02)
    };
    assert!((outcome.period_s.expect("found") - 60.0).abs() < 0.1, "{:?}", outcome.period_s);
    assert!(told(60.0) && told(7.0), "{:?}", outcome.candidates);
}

#[test]
fn strange_requests_do_no_harm() {
    let nothing = auto::analyse(Activity::new(None));
    assert_eq!((nothing.period_s, nothing.phases.len()), (None, 0));
    let mut activity = Activity::new(Some([f64::NEG_INFINITY, f64::INFINITY]));
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 0.0, 1e300, -1e300, f64::MIN_POSITIVE];
    for start in odd {
        for end in odd {
            for bytes in odd {
                activity.add(u32::MAX, start, end, bytes);
            }
        }
    }
    let outcome = auto::analyse(activity);
    assert!(outcome.period_s.is_none_or(f64::is_finite) && outcome.confidence.is_finite());
}

#[test]
fn time_may_begin_anywhere_and_requests_come_in_any_order() {
    let (requests, truth) = trace(&TracePlan { request_bytes: 500_000_000, ..plain(FIRST_SEED) });
    let expected = truth.period_s.expect("periodic");
    for shift in [0.0, -5_000.0, 1.7e9] {
        let moved: Vec<Request> = requests
            .iter()
            .rev()
            .map(|request| Request {
                start_s: request.start_s + shift,
                end_s: request.end_s + shift,
                ..*request
            })
            .collect();
        let period = look(&moved, None, true).period_s.expect("found");
        assert!((period / expected - 1.0).abs() < 0.002, "{shift}: {period} for {expected}");
    }
}

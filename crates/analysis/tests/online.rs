//! Predictions during a run, on jobs with known truth.

#![allow(clippy::expect_used, clippy::print_stderr)]

use marigraph_analysis::online::change::{OTHER_PERIOD, odd_first, step};
use marigraph_analysis::online::merge::{Merged, clusters, reach};
use marigraph_analysis::online::next::next;
use marigraph_analysis::online::{Burst, Found, Prediction, Rule, Tracker, by_period};
use marigraph_analysis::period::Phase;
use marigraph_analysis::synth::Random;

/// A stand-in for the finder: splits phases at pauses longer than a quarter of the longest.
fn by_pauses(bursts: &[Burst], _: [f64; 2]) -> Found {
    let run = |pause: f64| {
        let mut phases: Vec<Phase> = Vec::new();
        for &Burst { start_s, end_s, bytes, .. } in bursts {
            match phases.last_mut().filter(|last| start_s <= last.end_s + pause) {
                Some(last) => {
                    *last = Phase { end_s: last.end_s.max(end_s), bytes: last.bytes + bytes, ..*last }
                }
                None => phases.push(Phase { start_s, end_s, bytes }),
            }
        }
        phases
    };
    let longest = run(0.0).windows(2).map(|pair| pair[1].start_s - pair[0].end_s).fold(0.0, f64::max);
    let phases = run(longest / 4.0);
    let count = phases.len().saturating_sub(1);
    if count < 2 {
        return Found::default();
    }
    let period_s = (phases[count].start_s - phases[0].start_s) / count as f64;
    Found { period_s: Some(period_s), confidence: 0.9, phases }
}

/// A phase of four ranks, 3 s long, flushed at its end.
fn phase(tracker: &mut Tracker, start_s: f64, bytes: f64) -> Prediction {
    for rank in 0..4 {
        let start_s = start_s + 0.1 * f64::from(rank);
        for piece in 0..3 {
            let at = start_s + 0.9 * f64::from(piece);
            tracker.add(rank, at, at + 0.9, bytes / 12.0);
        }
    }
    tracker.flush(None, &mut by_pauses)
}

fn run(rule: Rule, starts: &[f64]) -> Vec<Prediction> {
    let mut tracker = Tracker::new(rule);
    starts.iter().map(|&start| phase(&mut tracker, start, 1e9)).collect()
}

fn starts(distances: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut starts = vec![0.0];
    starts.extend(distances.into_iter().scan(0.0, |at, distance| {
        *at += distance;
        Some(*at)
    }));
    starts
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6 * b.abs().max(1.0)
}

mod merging {
    use super::*;

    /// Frequencies, reach, and the clusters of scikit-learn 1.9.1: DBSCAN(eps, min_samples=2).
    #[test]
    fn clusters_are_those_of_scikit_learn() {
        type Case = (f64, &'static [f64], &'static [(f64, f64, usize)]);
        let cases: [Case; 4] = [
            (
                0.004,
                &[
                    0.1969, 0.203, 0.1065, 0.2011, 0.1251, 0.1262, 0.1364, 0.1008, 0.1931, 0.0997, 0.0953,
                    0.1275, 0.128, 0.1271,
                ],
                &[(0.0997, 0.1008, 2), (0.1251, 0.128, 5), (0.1931, 0.1969, 2), (0.2011, 0.203, 2)],
            ),
            (
                0.001,
                &[
                    0.0828, 0.0322, 0.0329, 0.082, 0.033, 0.033, 0.0328, 0.0822, 0.0327, 0.0821, 0.0319,
                    0.0332,
                ],
                &[(0.0319, 0.0332, 8), (0.082, 0.0828, 4)],
            ),
            (
                0.02,
                &[0.4667, 0.5351, 0.5215, 0.4401, 0.5082, 0.4669, 0.501, 0.5013, 0.4403, 0.493],
                &[(0.4401, 0.4403, 2), (0.4667, 0.4669, 2), (0.493, 0.5351, 6)],
            ),
            (0.003, &[0.1; 8], &[(0.1, 0.1, 8)]),
        ];
        for (reach, values, expected) in cases {
            let mut sorted = values.to_vec();
            sorted.sort_by(f64::total_cmp);
            let found: Vec<(f64, f64, usize)> = clusters(&sorted, reach)
                .map(|cluster| (cluster[0], cluster[cluster.len() - 1], cluster.len()))
                .collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn the_reach_is_the_difference_of_resolutions() {
        assert_eq!(reach(std::iter::empty()), 0.0);
        assert_eq!(reach([10.0].into_iter()), 0.0);
        assert_eq!(reach([10.0, 20.0, 25.0].into_iter()), 0.1);
        assert_eq!(reach([0.0, 0.0].into_iter()), 0.0);
    }

    #[test]
    fn probabilities_count_predictions_without_a_period() {
        let mut merged = Merged::default();
        assert_eq!(merged.intervals(), []);
        merged.push(None, 5.0);
        merged.push(Some(30.0), 90.0);
        assert_eq!(merged.intervals(), [], "one alone is no cluster");
        merged.push(Some(30.1), 90.0);
        merged.push(Some(12.0), 36.0);
        merged.push(Some(12.0), 36.0);
        let found = merged.intervals();
        assert_eq!(found.len(), 2);
        assert!(near(found[0].low_hz, 1.0 / 30.1) && near(found[0].high_hz, 1.0 / 30.0));
        assert_eq!((found[0].probability, found[1].probability), (0.4, 0.4));
        // Only the newest thousand count.
        (0..1000).for_each(|_| merged.push(Some(7.0), 21.0));
        let found = merged.intervals();
        assert_eq!((found.len(), found[0].probability), (1, 1.0));
    }
}

mod expecting {
    use super::*;

    /// Share of next starts that fall into the interval, after `count` distances.
    fn coverage(count: usize, draw: impl Fn(&mut Random) -> f64) -> f64 {
        let mut random = Random::new(count as u64);
        let inside = (0..4000).filter(|_| {
            let distances: Vec<f64> = (0..count).map(|_| draw(&mut random)).collect();
            let period = distances.iter().sum::<f64>() / count as f64;
            let expected = next(&distances, period, 100.0, 100.0);
            assert!(expected.low_s <= expected.start_s && expected.start_s <= expected.high_s);
            let start = 100.0 + draw(&mut random);
            (expected.low_s..=expected.high_s).contains(&start)
        });
        inside.count() as f64 / 4000.0
    }

    #[test]
    fn nine_of_ten_starts_fall_into_the_interval() {
        type Draw = fn(&mut Random) -> f64;
        let kinds: [(&str, Draw); 4] = [
            ("normal", |random| random.normal(30.0, 1.5)),
            ("wide", |random| random.positive_normal(30.0, 8.0)),
            ("even", |random| random.between(20.0, 40.0)),
            ("exponential", |random| 10.0 + random.exponential(20.0)),
        ];
        for (name, draw) in kinds {
            for count in [3, 5, 8, 12, 18, 19, 30, 63] {
                let share = coverage(count, draw);
                assert!((0.86..=0.95).contains(&share), "{name}, {count} distances: {share}");
            }
        }
    }

    #[test]
    fn few_distances_make_a_wide_interval_and_none_an_empty_one() {
        let expected = next(&[30.0], 30.0, 60.0, 63.0);
        assert_eq!((expected.low_s, expected.start_s, expected.high_s), (75.0, 90.0, 112.5));
        let exact = next(&[30.0; 40], 30.0, 60.0, 63.0);
        assert!(exact.low_s < 90.0 && exact.high_s > 90.0 && exact.high_s - exact.low_s < 0.1);
    }

    #[test]
    fn what_is_late_is_due_and_what_is_overdue_was_left_out() {
        let distances: Vec<f64> = (0..40).map(|n| 28.0 + f64::from(n % 5)).collect();
        let late = next(&distances, 30.0, 60.0, 91.0);
        assert_eq!((late.low_s, late.start_s), (91.0, 91.0));
        assert_eq!(late.high_s, 92.0);
        let missed = next(&distances, 30.0, 60.0, 100.0);
        assert_eq!(missed.start_s, 120.0);
        assert!(missed.low_s < 118.0 && missed.high_s > 122.0);
        let long_ago = next(&distances, 30.0, 60.0, 1000.0);
        assert_eq!(long_ago.start_s, 1020.0);
        assert!(long_ago.low_s >= 1000.0 && long_ago.high_s > 1025.0);
    }
}

mod changing {
    use super::*;

    const RATIO: f64 = OTHER_PERIOD;

    #[test]
    fn two_distances_tell_another_level() {
        let mut values = vec![30.0, 30.4, 29.8, 30.1];
        assert_eq!(step(&values, RATIO, 2), None);
        values.push(12.1);
        assert_eq!(step(&values, RATIO, 2), None, "one may be an outlier");
        values.push(11.9);
        assert_eq!(step(&values, RATIO, 2), Some(4));
        let slower = [12.0, 12.2, 11.9, 30.0, 30.3];
        assert_eq!(step(&slower, RATIO, 2), Some(3));
        assert_eq!(step(&slower, RATIO, 3), None, "three are wanted");
        assert_eq!(step(&[30.0, 30.0, 12.0, 25.0], RATIO, 2), None, "they must agree");
        assert_eq!(step(&[], RATIO, 2), None);
        assert_eq!(step(&[0.0, 0.0, 0.0, 0.0], RATIO, 2), None);
    }

    /// Share of runs of 40 distances that raise an alarm although nothing changes.
    fn false_alarms(draw: impl Fn(&mut Random) -> f64) -> f64 {
        let mut random = Random::new(11);
        let alarms = (0..500).filter(|_| {
            let values: Vec<f64> = (0..40).map(|_| draw(&mut random)).collect();
            (4..=40).any(|count| step(&values[..count], RATIO, 2).is_some())
        });
        alarms.count() as f64 / 500.0
    }

    #[test]
    fn jitter_is_no_change() {
        assert_eq!(false_alarms(|random| random.positive_normal(30.0, 1.5)), 0.0);
        assert!(false_alarms(|random| random.positive_normal(30.0, 6.0)) < 0.02);
        assert!(false_alarms(|random| random.between(15.0, 45.0)) < 0.05);
        assert!(false_alarms(|random| 15.0 + random.exponential(15.0)) < 0.06);
        // A repeating pattern or a slow drift is not a change either.
        let alternating: Vec<f64> = (0..40).map(|n| if n % 3 == 2 { 20.0 } else { 10.0 }).collect();
        let drift: Vec<f64> = (0..40).map(|n| 10.0 + 0.1 * f64::from(n)).collect();
        for values in [alternating, drift] {
            assert!((4..=40).all(|count| step(&values[..count], RATIO, 2).is_none()));
        }
    }

    #[test]
    fn the_first_distance_may_stand_out() {
        assert!(odd_first(&[11.0, 7.7, 7.75], RATIO));
        assert!(odd_first(&[5.0, 7.7, 7.75, 7.6], RATIO));
        assert!(!odd_first(&[7.9, 7.7, 7.75], RATIO));
        assert!(!odd_first(&[11.0, 7.7], RATIO));
        assert!(!odd_first(&[11.0, 7.7, 9.5], RATIO), "the others must agree");
        assert!(!odd_first(&[11.0, 7.7, 7.7, 7.7, 7.7], RATIO), "too late");
        assert!(!odd_first(&[], RATIO));
    }
}

mod tracking {
    use super::*;

    #[test]
    fn the_period_is_known_after_three_phases_and_stays() {
        let predictions = run(Rule::Hits(3), &starts([30.0; 200]));
        assert!(predictions[..2].iter().all(|prediction| prediction.period_s.is_none()));
        assert!(predictions[..2].iter().all(|prediction| prediction.next.is_none()));
        for (at, prediction) in predictions.iter().enumerate().skip(2) {
            assert!(near(prediction.period_s.expect("a period"), 30.0), "{at}: {prediction:?}");
            let next = prediction.next.expect("a next phase");
            assert!(near(next.start_s, 30.0 * (at + 1) as f64), "{at}: {next:?}");
            assert!(near(prediction.bytes_per_period.expect("bytes"), 1e9), "{at}: {prediction:?}");
            assert!(!prediction.change && prediction.confidence == 0.9);
        }
        let [from, to] = predictions[100].window_s;
        assert!(
            near(from, 2910.0) && near(to, 3003.0),
            "three periods, from the beginning of a phase: {from} {to}"
        );
        let last = &predictions[200];
        assert_eq!(last.intervals.len(), 1);
        assert!(near(last.intervals[0].probability, 199.0 / 201.0));
    }

    #[test]
    fn each_rule_has_its_window() {
        let length = |rule: &str| {
            let rule = rule.parse().expect("a rule");
            let [from, to] = run(rule, &starts([30.0; 100]))[100].window_s;
            (to - from).round()
        };
        assert_eq!(length("hits:5"), 153.0);
        assert_eq!(length("seconds:100"), 100.0);
        assert_eq!(length("periods:10"), 303.0);
        assert_eq!(length("off"), 1923.0, "no more than 64 periods are kept");
    }

    #[test]
    fn a_change_is_noticed_within_three_new_periods() {
        for (old, new) in [(30.0, 12.0), (12.0, 30.0), (20.0, 14.0)] {
            for rule in ["hits:3", "off", "periods:10"] {
                let mut distances = vec![old; 12];
                distances.extend([new; 12]);
                let predictions = run(rule.parse().expect("a rule"), &starts(distances));
                let changes: Vec<usize> = (0..25).filter(|&at| predictions[at].change).collect();
                assert_eq!(changes, [14], "{old} to {new}, {rule}");
                for (at, prediction) in predictions.iter().enumerate().skip(14) {
                    assert!(near(prediction.period_s.expect("a period"), new), "{at}: {prediction:?}");
                }
                let [from, _] = predictions[24].window_s;
                assert!(from >= 12.0 * old - 1e-6);
            }
        }
    }

    #[test]
    fn a_change_of_volume_is_a_change() {
        let mut tracker = Tracker::new(Rule::Hits(3));
        let predictions: Vec<Prediction> = (0..24)
            .map(|at| phase(&mut tracker, 30.0 * f64::from(at), if at < 12 { 1e9 } else { 4e9 }))
            .collect();
        let changes: Vec<usize> = (0..24).filter(|&at| predictions[at].change).collect();
        assert_eq!(changes, [15], "three whole phases tell it");
        assert!(near(predictions[15].bytes_per_period.expect("bytes"), 4e9));
        assert!(predictions.iter().skip(2).all(|one| near(one.period_s.expect("a period"), 30.0)));
    }

    #[test]
    fn a_prolonged_first_phase_does_not_count_and_is_no_change() {
        let mut distances = vec![11.0];
        distances.extend([7.7; 8]);
        let predictions = run(Rule::Hits(3), &starts(distances));
        for prediction in &predictions[3..] {
            assert!(near(prediction.period_s.expect("a period"), 7.7), "{prediction:?}");
            assert!(!prediction.change);
        }
    }

    #[test]
    fn jitter_neither_changes_nor_loses_the_period() {
        let mut random = Random::new(3);
        let mut changes = 0;
        let (mut inside, mut all) = (0, 0);
        for _ in 0..40 {
            let distances: Vec<f64> = (0..60).map(|_| random.positive_normal(30.0, 3.0).max(10.0)).collect();
            let starts = starts(distances);
            let predictions = run(Rule::Hits(3), &starts);
            changes += predictions.iter().filter(|prediction| prediction.change).count();
            for (prediction, start) in predictions.iter().zip(&starts[1..]).skip(4) {
                let next = prediction.next.expect("a next phase");
                inside += usize::from((next.low_s..=next.high_s).contains(start));
                all += 1;
            }
        }
        assert!(changes <= 1, "{changes} changes in 40 runs");
        let share = inside as f64 / f64::from(all);
        assert!((0.86..=0.95).contains(&share), "{share} of the next starts were in the interval");
    }

    #[test]
    fn flushes_need_not_come_with_phases() {
        // A flush every second: amid a phase, after it, and while nothing moves.
        let mut tracker = Tracker::new(Rule::Hits(3));
        let mut last = Prediction::default();
        for second in 0..600 {
            let (start, into) = (f64::from(second), second % 20);
            if into < 4 {
                (0..4).for_each(|rank| tracker.add(rank, start, start + 0.99, 1e8));
            }
            last = tracker.flush(Some(start + 1.0), &mut by_pauses);
            if second > 45 {
                assert!(near(last.period_s.expect("a period"), 20.0), "{second}: {last:?}");
                assert_eq!(last.t_s, start + 1.0);
                let next = last.next.expect("a next phase");
                assert!(near(next.start_s, 20.0 * (f64::from(second / 20) + 1.0)), "{second}: {next:?}");
                assert!(!last.change);
            }
        }
        assert!(near(last.bytes_per_period.expect("bytes"), 1.6e9));
    }

    #[test]
    fn the_finder_is_asked_seldom_where_all_is_well() {
        let mut asked = 0;
        let mut largest = 0;
        let mut tracker = Tracker::new(Rule::Hits(3));
        for at in 0..2000 {
            let start = 30.0 * f64::from(at);
            tracker.add(0, start, start + 3.0, 1e9);
            tracker.flush(None, &mut |bursts: &[Burst], window: [f64; 2]| {
                asked += 1;
                largest = largest.max(bursts.len());
                by_pauses(bursts, window)
            });
        }
        assert!(asked < 100, "{asked} times");
        assert!(largest <= 10, "{largest} bursts at once");
    }

    #[test]
    fn noise_costs_no_more_with_time() {
        let mut random = Random::new(5);
        let mut largest = 0;
        let mut asked = 0;
        let mut tracker = Tracker::new(Rule::Hits(3));
        let mut start = 0.0;
        for _ in 0..30_000 {
            start += random.exponential(10.0);
            tracker.add(0, start, start + random.exponential(1.0), random.exponential(1e9));
            let prediction = tracker.flush(None, &mut |bursts: &[Burst], _: [f64; 2]| {
                asked += 1;
                largest = largest.max(bursts.len());
                Found::default()
            });
            assert_eq!(prediction.period_s, None);
        }
        assert!(largest <= 1 << 14, "{largest} bursts at once");
        assert!(asked < 1000, "{asked} times");
    }

    #[test]
    fn a_job_that_restarts_is_another() {
        let mut tracker = Tracker::new(Rule::Hits(3));
        (0..10).for_each(|at| drop(phase(&mut tracker, 30.0 * f64::from(at), 1e9)));
        tracker.restart();
        let predictions: Vec<Prediction> =
            (0..10).map(|at| phase(&mut tracker, 12.0 * f64::from(at), 1e9)).collect();
        assert_eq!(predictions[0].period_s, None);
        assert!(near(predictions[9].period_s.expect("a period"), 12.0));
        assert!(predictions.iter().all(|prediction| !prediction.change));
        assert_eq!(predictions[9].intervals.len(), 1);
    }

    #[test]
    fn what_cannot_be_is_survived() {
        let mut tracker = Tracker::new(Rule::Hits(3));
        let empty = tracker.flush(None, &mut by_pauses);
        assert_eq!((empty.period_s, empty.t_s), (None, 0.0));
        for odd in [f64::NAN, f64::INFINITY, -1.0, 0.0, f64::MAX] {
            tracker.add(0, odd, odd, odd);
            tracker.add(u32::MAX, 1.0, odd, 1.0);
            tracker.add(7, odd, 1.0, 1.0);
            let prediction = tracker.flush(Some(odd), &mut by_pauses);
            assert!(prediction.t_s.is_finite());
        }
    }
}

mod with_the_finder {
    use super::*;

    /// Four ranks' requests per phase, flushed at its end; with `logs`, a fifth rank writes a
    /// little all the time.
    fn run(starts: &[f64], logs: bool) -> Vec<Prediction> {
        let mut tracker = Tracker::new(Rule::Hits(3));
        let mut logged = 0.0;
        let flush = |&start_s: &f64| {
            (0..4).for_each(|rank| tracker.add(rank, start_s, start_s + 2.0, 2.5e8));
            while logs && logged < start_s + 2.0 {
                tracker.add(4, logged, logged + 0.5, 1e5);
                logged += 0.5;
            }
            tracker.flush(None, &mut by_period)
        };
        starts.iter().map(flush).collect()
    }

    #[test]
    fn a_change_is_told_after_two_new_distances() {
        for (old, new) in [(30.0, 12.0), (12.0, 30.0)] {
            let mut distances = vec![old; 10];
            distances.extend([new; 10]);
            let predictions = run(&starts(distances), false);
            let changes: Vec<usize> = (0..21).filter(|&at| predictions[at].change).collect();
            assert_eq!(changes, [12], "{old} to {new}");
            let right = |prediction: &Prediction| near(prediction.period_s.expect("a period"), new);
            assert!(predictions[12..].iter().all(right), "{old} to {new}: {predictions:?}");
        }
    }

    #[test]
    fn a_prolonged_first_phase_does_not_count() {
        let mut random = Random::new(9);
        let distances = std::iter::once(11.0).chain((0..8).map(|_| random.normal(7.7, 0.15)));
        let starts = starts(distances.collect::<Vec<f64>>());
        let truth = (starts[9] - starts[1]) / 8.0;
        let periods: Vec<f64> = run(&starts, false)[3..]
            .iter()
            .map(|prediction| prediction.period_s.expect("a period"))
            .collect();
        let mean = periods.iter().sum::<f64>() / periods.len() as f64;
        assert!((mean / truth - 1.0).abs() < 0.03, "{mean} for {truth}: {periods:?}");
    }

    #[test]
    fn a_rhythm_within_phases_does_not_hide_that_of_the_phases() {
        // Every 30 s twelve requests, half a second apart, and a flush every second.
        let mut tracker = Tracker::new(Rule::Hits(3));
        let mut predictions = Vec::new();
        for second in 0..240 {
            let (start, into) = (f64::from(second), second % 30);
            if into >= 6 {
                continue;
            }
            for at in [start, start + 0.5] {
                (0..4).for_each(|rank| tracker.add(rank, at, at + 0.4, 1e8));
            }
            predictions.push(tracker.flush(None, &mut by_period));
        }
        let late = predictions.iter().filter(|prediction| prediction.t_s > 70.0);
        let right = |prediction: &&Prediction| {
            prediction.period_s.is_some_and(|period| (period / 30.0 - 1.0).abs() < 0.05)
        };
        assert!(late.clone().filter(right).count() * 10 >= late.count() * 9, "{predictions:?}");
    }

    #[test]
    fn phases_are_seen_above_a_steady_trickle() {
        let predictions = run(&starts([20.0; 30]), true);
        let right = |prediction: &&Prediction| {
            prediction.period_s.is_some_and(|period| (period / 20.0 - 1.0).abs() < 0.02)
        };
        assert!(predictions[3..].iter().filter(right).count() >= 26, "{predictions:?}");
        assert!(predictions.iter().all(|prediction| !prediction.change));
    }
}

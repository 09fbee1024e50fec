use super::candidates::{Line, Multiples, dominant, without_harmonics};
use super::merge::{Verdict, merge};
use super::*;
use crate::period::outcome::Candidate;
use proptest::prelude::*;

const FTIO: Rules = Rules { as_ftio: true, ..Rules::PUBLISHED };
const PAPERS: Multiples = Multiples { sampling_hz: 1.0, samples: 1000, as_ftio: false };

fn lines(power: &[f64], tolerance: f64) -> Vec<Line> {
    dominant(power, &Rules { tolerance, ..Rules::PUBLISHED }, PAPERS)
}

fn wave(strengths: &[(f64, f64)]) -> Vec<f64> {
    let at = |n: usize, turns: f64| (std::f64::consts::TAU * turns * n as f64 / 1000.0).cos();
    (0..1000).map(|n| 9.0 + strengths.iter().map(|(turns, high)| high * at(n, *turns)).sum::<f64>()).collect()
}

fn signal(samples: Vec<f64>, sampling_hz: f64) -> Signal {
    let end_s = samples.len() as f64 / sampling_hz;
    Signal { samples, sampling_hz, start_s: 0.0, end_s, abstraction_error: 0.0 }
}

fn pulses(count: usize, period: usize, busy: usize, high: f64) -> Vec<f64> {
    (0..count).map(|n| if n % period < busy { high } else { 0.0 }).collect()
}

fn near(found: Option<f64>, expected: f64, margin: f64) {
    assert!(found.is_some_and(|found| (found - expected).abs() <= margin), "{found:?} {expected}");
}

#[test]
fn whole_periods_are_found_exactly() {
    let outcome = analyse(&signal(pulses(1000, 50, 10, 1e9), 10.0), 0.8);
    near(outcome.period_s, 5.0, 1e-12);
    near(outcome.autocorrelation.map(|(period_s, _)| period_s), 5.0, 1e-9);
    near(outcome.metrics.periodicity_score, 1.0, 1e-9);
    near(outcome.metrics.bytes_per_period, 1e9, 1.0);
    near(Some(outcome.metrics.r_io), 0.2, 1e-12);
    assert_eq!(outcome.phases.len(), 20);
    assert_eq!(outcome.candidates.len(), 1);
    assert_eq!(outcome.dft_confidence, Some(outcome.confidence));
    assert!(outcome.refined_confidence > outcome.dft_confidence);
    assert_eq!(outcome.picture.spectrum.len(), 500);
    assert_eq!(outcome.segments.len(), 1);
    assert_eq!(outcome.samples, 1000);
}

#[test]
fn two_lines_give_the_stronger_and_more_none() {
    let two = analyse(&signal(wave(&[(7.0, 1.0), (10.0, 1.05)]), 1.0), 0.8);
    near(two.period_s, 100.0, 1e-9);
    assert_eq!(two.candidates.len(), 2);
    near(Some(two.candidates[0].confidence + two.candidates[1].confidence), 1.0, 1e-12);
    assert!(two.candidates[0].z > two.candidates[1].z);
    let three = analyse(&signal(wave(&[(7.0, 1.0), (10.0, 1.0), (11.0, 1.0)]), 1.0), 0.8);
    assert_eq!(three.candidates.len(), 3);
    assert!(three.autocorrelation.is_some());
    assert_eq!((three.period_s, three.dft_confidence, three.refined_confidence), (None, None, None));
    assert_eq!(three.confidence, 0.0, "the autocorrelation does not step in");
    // The double of a candidate is neither a candidate nor an outlier.
    let double = analyse(&signal(wave(&[(10.0, 1.0), (20.0, 1.0)]), 1.0), 0.8);
    near(double.period_s, 100.0, 1e-9);
    near(double.dft_confidence, 1.0, 1e-12);
}

#[test]
fn harmonics_are_multiples_of_two_or_with_ftio_of_any_number() {
    // Indices are bins - 1: the bins 3, 4, 6, 7, 9, 12, 14 and 18.
    let places = [2, 3, 5, 6, 8, 11, 13, 17];
    let (kept, dropped) = without_harmonics(places.into_iter(), 20, PAPERS);
    assert_eq!((kept, dropped), (vec![2, 3, 6, 8], vec![5, 11, 13, 17]));
    let (kept, _) =
        without_harmonics(places.into_iter(), 20, Multiples { samples: 1024, as_ftio: true, ..PAPERS });
    assert_eq!(kept, [2, 3, 6]);
    let triple = signal(wave(&[(8.0, 1.0), (24.0, 1.05)]), 1.0);
    near(analyse(&triple, 0.8).period_s, 1000.0 / 24.0, 1e-9);
    near(follow(&triple, &FTIO).period_s, 125.0, 1e-9);
}

#[test]
fn ftio_looks_at_the_remainder_of_a_division() {
    let of = |sampling_hz: f64, samples: usize, places: &[usize]| {
        let multiples = Multiples { sampling_hz, samples, as_ftio: true };
        without_harmonics(places.iter().copied(), 100, multiples).0
    };
    // In a trace of a million seconds, neighbouring bins differ by less than the remainder.
    assert_eq!(of(0.001, 1000, &[9, 10, 14]), [9]);
    // 0.3 is rounded to just below 3 times 0.1, and its remainder is nearly 0.1.
    assert_eq!(of(10.0, 100, &[0, 2, 5]), [0, 2]);
}

#[test]
fn without_autocorrelation_the_confidence_stays_as_it_is() {
    let pulses = signal(pulses(1000, 50, 10, 1e9), 10.0);
    let outcome = follow(&pulses, &Rules { autocorrelation: false, ..Rules::PUBLISHED });
    near(outcome.period_s, 5.0, 1e-12);
    assert_eq!((outcome.autocorrelation, outcome.refined_confidence), (None, None));
    assert!(outcome.picture.autocorrelation.is_empty());
    assert_eq!(outcome.dft_confidence, analyse(&pulses, 0.8).dft_confidence);
}

#[test]
fn confidence_is_as_published() {
    // Bins 1 to 1000, all 1 but three: z is about 22.7, 20.4 and 6.5. Bin 20 is not a candidate at
    // 0.8.
    let mut power = vec![1.0; 1000];
    (power[9], power[12], power[19]) = (101.0, 91.0, 31.0);
    let z = scores(&power).expect("not flat");
    let found = lines(&power, 0.8);
    assert_eq!(found.iter().map(|line| line.bin).collect::<Vec<_>>(), [10, 13]);
    let expected = (z[9] / (z[9] + z[12] + z[19]) + z[9] / (z[9] + z[12])) / 2.0;
    near(Some(found[0].confidence), expected, 1e-12);
    // At a lower tolerance it is one, and a harmonic: it leaves both sums.
    let found = lines(&power, 0.2);
    assert_eq!(found.iter().map(|line| line.bin).collect::<Vec<_>>(), [10, 13]);
    near(Some(found[0].confidence), z[9] / (z[9] + z[12]), 1e-12);
}

#[test]
fn the_autocorrelation_refines_and_with_ftio_decides() {
    let best = Candidate { period_s: 10.0, confidence: 0.6, ..Candidate::default() };
    let estimate = |period_s: f64, confidence: f64, distances_s: &[f64]| acf::Estimate {
        period_s,
        confidence,
        distances_s: distances_s.to_vec(),
    };
    let published =
        |dominant: &[Candidate], repeats: &acf::Estimate| merge(dominant, Some(repeats), &Rules::PUBLISHED);
    let agreed = published(&[best], &estimate(10.0, 0.9, &[10.0, 10.0]));
    near(agreed.refined, (0.6 + 0.9 + 1.0) / 3.0, 1e-12);
    assert_eq!((agreed.period_s, agreed.confidence), (Some(10.0), 0.6));
    // Far from the autocorrelation's period: the transform is trusted more.
    let apart = published(&[best], &estimate(0.1, 1.0, &[0.1; 30]));
    assert_eq!(apart.period_s, Some(10.0));
    near(apart.refined, 1.6 / 3.0, 1e-12);
    let unsure = Candidate { confidence: 0.3, ..best };
    let doubtful = published(&[unsure], &estimate(0.1, 0.2, &[0.1; 30]));
    assert_eq!((doubtful.period_s, doubtful.confidence), (Some(10.0), 0.3));
    near(doubtful.refined, 0.5 / 3.0, 1e-12);
    assert_eq!(published(&[], &estimate(4.0, 0.9, &[4.0])), Verdict::default());

    let ftios = |dominant: &[Candidate], confidence: f64| {
        merge(dominant, Some(&estimate(4.0, confidence, &[4.0])), &FTIO)
    };
    let slower = Candidate { period_s: 20.0, confidence: 0.4, ..best };
    let both = ftios(&[best, slower], 0.7);
    near(both.period_s, 20.0, 0.0);
    near(Some(both.confidence), (0.4 + 0.7 + 1.0) / 3.0, 1e-12);
    assert_eq!(both.refined, Some(both.confidence));
    assert_eq!(ftios(&[unsure], -0.9).period_s, None, "below 0.2");
    near(ftios(&[], 0.9).period_s, 4.0, 0.0);
    near(ftios(&[], 0.9).refined, 0.3, 1e-12);
    for rules in [Rules::PUBLISHED, FTIO] {
        assert_eq!(merge(&[best], None, &rules).refined, None);
        assert_eq!(merge(&[], None, &rules), Verdict::default());
    }
}

#[test]
fn without_variation_there_is_no_period() {
    let mut pulse = vec![0.0; 64];
    pulse[20] = 5.0;
    let nothing = vec![vec![], vec![0.0; 3], vec![7.0], vec![0.0; 500], vec![0.3; 500], pulse];
    for samples in nothing {
        let outcome = analyse(&signal(samples.clone(), 10.0), 0.8);
        assert_eq!(outcome.period_s, None, "{samples:?}");
        assert_eq!(outcome.confidence, 0.0);
        assert!(outcome.candidates.is_empty());
    }
    for nonsense in [f64::NAN, f64::INFINITY] {
        let outcome = analyse(&signal(vec![0.0, 1.0, nonsense, 1.0, 0.0, 1.0], 1.0), 0.8);
        assert_eq!(outcome.period_s, None);
    }
    for (tolerance, as_ftio) in
        [f64::NAN, 1.5, -1.0, 0.0].into_iter().flat_map(|one| [(one, false), (one, true)])
    {
        let rules = Rules { tolerance, as_ftio, ..Rules::PUBLISHED };
        let _ = follow(&signal(pulses(300, 30, 7, 1.0), 1.0), &rules);
    }
}

proptest! {
    #[test]
    fn scale_and_shift_do_not_matter(
        period in 8usize..60,
        busy in 0.35f64..0.6,
        turns in 4usize..20,
        shift in 0usize..60,
        scale in 1e-6f64..1e12,
    ) {
        let busy = ((period as f64 * busy) as usize).max(1);
        let plain = analyse(&signal(pulses(period * turns, period, busy, 1.0), 1.0), 0.8);
        // Few turns have few bins, of which none may be an outlier.
        prop_assume!(plain.candidates.len() == 1);
        prop_assert!((plain.candidates[0].period_s - period as f64).abs() < 1e-9);
        let mut moved = pulses(period * turns, period, busy, scale);
        moved.rotate_right(shift % (period * turns));
        let moved = analyse(&signal(moved, 1.0), 0.8);
        prop_assert!((moved.candidates[0].period_s - plain.candidates[0].period_s).abs() < 1e-9);
        prop_assert!((moved.candidates[0].z - plain.candidates[0].z).abs() < 1e-6);
        prop_assert!((moved.candidates[0].confidence - plain.candidates[0].confidence).abs() < 1e-6);
        prop_assert!((moved.metrics.r_io - plain.metrics.r_io).abs() < 1e-9);
    }

    #[test]
    fn no_signal_does_harm(samples in proptest::collection::vec(0.0f64..1e300, 0..200), hz in 1e-6f64..1e9) {
        let outcome = analyse(&signal(samples, hz), 0.8);
        prop_assert!(outcome.period_s.is_none_or(|period| period > 0.0 && period.is_finite()));
        prop_assert!((0.0..=1.0 + 1e-9).contains(&outcome.confidence));
        prop_assert!(outcome.candidates.iter().all(|one| one.period_s.is_finite() && one.z.is_finite()));
    }
}

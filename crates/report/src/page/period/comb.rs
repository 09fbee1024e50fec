//! The period as regular teeth, placed for the best fit with the phases.

use marigraph_analysis::period::{Outcome, Phase};

/// The moments in view at which phases would begin if they were perfectly regular: at most `most`,
/// plus one if there are more. Each segment has teeth of its own.
pub fn teeth(outcome: &Outcome, [from, to]: [f64; 2], most: usize) -> Vec<f64> {
    let [begin, end] = outcome.window_s;
    let whole = [(begin, end, outcome.period_s)];
    let parts: Vec<(f64, f64, Option<f64>)> = if outcome.segments.len() > 1 {
        outcome.segments.iter().map(|part| (part.from_s, part.to_s, part.period_s)).collect()
    } else {
        whole.to_vec()
    };
    let mut teeth = Vec::new();
    for (part_from, part_to, period) in parts {
        let Some(period) = period.filter(|period| period.is_finite() && *period > 0.0) else { continue };
        let within = |phase: &&Phase| (part_from..part_to).contains(&phase.start_s);
        let starts: Vec<f64> = outcome.phases.iter().filter(within).map(|phase| phase.start_s).collect();
        let anchor = anchor(&starts, period).unwrap_or_else(|| heaviest(outcome, period));
        let (low, high) = (from.max(part_from), to.min(part_to));
        let first = ((low - anchor) / period).ceil();
        let number = ((high - low) / period).clamp(0.0, most as f64) as usize + 1;
        let places = (0..number).map(|n| anchor + (first + n as f64) * period);
        teeth.extend(places.filter(|&tooth| tooth >= low && tooth < high));
    }
    teeth.truncate(most + 1);
    teeth
}

/// The offset of the teeth with the least squared distance to the phases. Phases are counted from
/// one to the next, so that jitter does not accumulate to a whole tooth.
fn anchor(starts: &[f64], period: f64) -> Option<f64> {
    let first = *starts.first()?;
    let (mut number, mut before, mut sum) = (0.0, first, 0.0);
    for &start in starts {
        number += ((start - before) / period).round();
        before = start;
        sum += start - first - number * period;
    }
    Some(first + sum / starts.len() as f64)
}

/// Without phases: the centre of the bytes within a period, from the phase of the first harmonic.
fn heaviest(outcome: &Outcome, period: f64) -> f64 {
    let (mut real, mut imaginary) = (0.0, 0.0);
    for (at, &rate) in outcome.picture.signal.iter().enumerate() {
        let angle = std::f64::consts::TAU * (at as f64 + 0.5) / (outcome.sampling_hz * period);
        real += rate * angle.cos();
        imaginary += rate * angle.sin();
    }
    outcome.window_s[0] + f64::atan2(imaginary, real) / std::f64::consts::TAU * period
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_analysis::period::Segment;
    use marigraph_analysis::period::outcome::Picture;

    fn phases(starts: &[f64]) -> Vec<Phase> {
        starts.iter().map(|&start_s| Phase { start_s, end_s: start_s + 1.0, bytes: 1.0 }).collect()
    }

    #[test]
    fn teeth_lie_in_the_middle_of_jitter() {
        // One phase early, one late by the same, one missing.
        let outcome = Outcome {
            period_s: Some(10.0),
            phases: phases(&[5.0, 14.0, 26.0, 45.0]),
            window_s: [0.0, 50.0],
            ..Outcome::default()
        };
        assert_eq!(teeth(&outcome, [0.0, 50.0], 100), [5.0, 15.0, 25.0, 35.0, 45.0]);
        assert_eq!(teeth(&outcome, [20.0, 40.0], 100), [25.0, 35.0]);
        assert_eq!(teeth(&outcome, [0.0, 50.0], 2).len(), 3, "one more tells that there are more");
    }

    #[test]
    fn every_stretch_has_its_comb() {
        let segment = |from_s, to_s, period_s| Segment { from_s, to_s, period_s, confidence: 1.0 };
        let outcome = Outcome {
            period_s: Some(10.0),
            phases: phases(&[0.0, 10.0, 20.0, 25.0, 30.0, 35.0]),
            segments: vec![
                segment(0.0, 20.0, Some(10.0)),
                segment(20.0, 40.0, Some(5.0)),
                segment(40.0, 90.0, None),
            ],
            window_s: [0.0, 90.0],
            ..Outcome::default()
        };
        assert_eq!(teeth(&outcome, [0.0, 90.0], 100), [0.0, 10.0, 20.0, 25.0, 30.0, 35.0]);
    }

    #[test]
    fn without_phases_the_signal_says_where() {
        let signal = (0..40).map(|n| if n % 10 == 3 { 1.0 } else { 0.0 }).collect();
        let outcome = Outcome {
            period_s: Some(10.0),
            window_s: [100.0, 140.0],
            sampling_hz: 1.0,
            picture: Picture { signal, ..Picture::default() },
            ..Outcome::default()
        };
        let found = teeth(&outcome, [100.0, 140.0], 100);
        assert!(found.len() == 4 && (found[0] - 103.5).abs() < 1e-6, "{found:?}");
        assert!(teeth(&Outcome { period_s: None, ..outcome }, [100.0, 140.0], 100).is_empty());
    }
}

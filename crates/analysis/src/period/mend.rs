//! Repairs a first phase that began before the window.

use super::hypothesis::distances;
use super::outcome::Phase;
use super::runs::Binned;
use crate::quantile::median;

const MIN: usize = 2;
/// Lower limit of the relative uncertainty of volumes.
const EXACT: f64 = 1e-3;

/// What is visible of the job.
#[derive(Debug)]
pub struct Seen<'a> {
    pub window_s: [f64; 2],
    pub signal: &'a Binned,
}

impl Seen<'_> {
    /// If the first phase began before the window, moves its start to where it must have been: as
    /// far back as the other phases take to move the missing bytes. Drops the phase if that is less
    /// certain than the distance of phases itself.
    pub fn mend_first(&self, phases: &mut Vec<Phase>) {
        let Some((missing, moved)) = self.missing(phases) else { return };
        let Some((first, others)) = phases.split_first_mut() else { return };
        let times: Vec<f64> =
            others.iter().map(|phase| self.signal.time_to_move(phase.start_s, moved)).collect();
        let (usual, uncertain) = middle(times);
        let start_s = first.start_s - usual;
        if start_s > self.window_s[0] {
            // It would have begun within the window: it is just small.
            return;
        }
        let (_, jitter) = middle(distances(others));
        if uncertain <= jitter.max(0.02 * usual) {
            first.start_s = start_s;
            first.bytes += missing;
        } else {
            phases.remove(0);
        }
    }

    /// The bytes missing from the first phase, and the bytes after which the others continue as it
    /// does. `None` unless it holds clearly less than the others and starts with the window. It may
    /// also start later where all others are equal: the window then starts in a pause of the phase.
    fn missing(&self, phases: &[Phase]) -> Option<(f64, f64)> {
        let [first, inner @ .., _] = phases else { return None };
        if inner.len() < MIN {
            return None;
        }
        let (typical, spread) = middle(inner.iter().map(|phase| phase.bytes).collect());
        let reach = self.signal.width_s + 1e-3 * (first.end_s - first.start_s);
        let begins_with_window = first.start_s - self.window_s[0] <= reach;
        let missing = typical - first.bytes;
        let lacks = missing > 6.0 * spread + EXACT * typical;
        let moved = if begins_with_window { missing } else { missing + EXACT * typical };
        (lacks && (begins_with_window || spread < EXACT * typical)).then_some((missing, moved))
    }
}

/// Median and median absolute deviation.
fn middle(values: Vec<f64>) -> (f64, f64) {
    let centre = median(values.clone());
    (centre, median(values.iter().map(|value| (value - centre).abs()).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_that_began_before_the_window_is_put_back() {
        // Phases of 3 s at 1 byte per second, every 10 s; the window starts one second into the
        // first.
        let mut bins = vec![0.0; 42];
        for start in [0usize, 9, 19, 29] {
            let length = if start == 0 { 2 } else { 3 };
            bins[start..start + length].fill(1.0);
        }
        let signal = Binned::from_bins(bins, 1.0, 1.0);
        let phase = |start_s: f64, bytes: f64| Phase { start_s, end_s: start_s + bytes, bytes };
        let whole = [phase(10.0, 3.0), phase(20.0, 3.0), phase(30.0, 3.0)];
        let seen = Seen { window_s: [1.0, 43.0], signal: &signal };
        let mut phases = vec![phase(1.0, 2.0)];
        phases.extend(whole);
        seen.mend_first(&mut phases);
        assert_eq!((phases[0].start_s, phases[0].bytes), (0.0, 3.0));
        // The window starts in a pause of the first phase, so that only its last byte is visible.
        let mut bins = vec![0.0; 40];
        [2usize, 8, 12, 18, 22, 28, 32].into_iter().for_each(|start| bins[start] = 1.0);
        let signal = Binned::from_bins(bins, 1.0, 5.0);
        let halves = |start_s: f64, bytes: f64| Phase { start_s, end_s: start_s + 7.0, bytes };
        let cut = [halves(7.0, 1.0), halves(13.0, 2.0), halves(23.0, 2.0), halves(33.0, 2.0)];
        let mended = |from_s: f64| {
            let mut phases = cut.to_vec();
            Seen { window_s: [from_s, 45.0], signal: &signal }.mend_first(&mut phases);
            (phases[0].start_s, phases[0].bytes)
        };
        assert_eq!(mended(5.0), (2.0, 2.0), "to a bin");
        assert_eq!(mended(-9.0), (7.0, 1.0), "a small phase");
        let mut complete = vec![phase(0.0, 3.0)];
        complete.extend(whole);
        let before = complete.clone();
        seen.mend_first(&mut complete);
        assert_eq!(complete, before);
    }
}

//! Reads and writes separately and together: a job that writes, reads back and computes has two
//! phases per iteration, and its period is that of the iteration.

use marigraph_model::Direction;

use super::activity::Activity;
use super::auto::{self, Verdict};
use super::dft;
use super::outcome::Outcome;
use super::propose::Evidence;
use crate::parallel::both as at_once;

/// Periods of reads and writes that differ by less are the same.
const SAME: f64 = 0.1;
/// How much higher the confidence of one direction must be than that of both together.
const CLEARLY: f64 = 0.001;

/// Reads and writes, collected separately.
#[derive(Debug, Clone)]
pub struct Directions {
    window: Option<[f64; 2]>,
    one: Option<(Direction, Activity)>,
    other: Option<Activity>,
}

impl Directions {
    pub fn new(window: Option<[f64; 2]>) -> Directions {
        Directions { window, one: None, other: None }
    }

    pub fn add(&mut self, op: Direction, rank: u32, start_s: f64, end_s: f64, bytes: f64) {
        let window = self.window;
        let (first, one) = self.one.get_or_insert_with(|| (op, Activity::new(window)));
        if op == *first {
            one.add(rank, start_s, end_s, bytes);
            return;
        }
        let other = self.other.get_or_insert_with(|| Activity::new(window));
        // Both will be merged.
        other.lay_out_like(one);
        other.add(rank, start_s, end_s, bytes);
        one.lay_out_like(other);
    }

    pub fn is_empty(&self) -> bool {
        self.one.as_ref().is_none_or(|(_, one)| one.requests() == 0)
    }

    pub fn from_bins(&mut self, bin_s: f64) {
        let activities = self.one.iter_mut().map(|(_, one)| one).chain(&mut self.other);
        activities.for_each(|activity| activity.from_bins(bin_s));
    }

    /// Finds the period. Agreement of reads and writes counts more than their sum.
    pub fn analyse(self) -> Outcome {
        let Some((_, one)) = self.one else { return auto::analyse(Activity::new(self.window)) };
        let Some(other) = self.other else { return auto::analyse(one) };
        let (mut heavy, mut light) = if one.bytes() >= other.bytes() { (one, other) } else { (other, one) };
        let window_s = heavy.window_with(&light);
        heavy.lay_out();
        light.lay_out_like(&heavy);
        // The other activity is searched for in the direction that moves most bytes.
        let look_at_heavy = || auto::full_verdict(&Evidence::new(&mut heavy), window_s);
        let (of_light, of_heavy) = at_once(|| auto::verdict(&mut light, window_s), look_at_heavy);
        let agree = agree(&of_heavy, &of_light);
        let mut both =
            if agree { heavy.without_ranks().and(light.without_ranks()) } else { heavy.and(light) };
        let source_bin_s = both.source_bin_s();
        let evidence = Evidence::new(&mut both);
        let signal = auto::sampled(&evidence.signal, window_s, source_bin_s);
        let look_at_all = || dft::analyse(&signal, auto::TOLERANCE);
        let (published, together) = if agree {
            (look_at_all(), Verdict::default())
        } else {
            at_once(look_at_all, || auto::full_verdict(&evidence, window_s))
        };
        auto::conclude(choose(together, of_heavy, of_light), published)
    }
}

fn agree(heavy: &Verdict, light: &Verdict) -> bool {
    match (heavy.period_s(), light.period_s()) {
        (Some(one), Some(other)) => (one / other - 1.0).abs() < SAME,
        _ => false,
    }
}

/// Chooses between three verdicts; the others become further candidates.
fn choose(together: Verdict, heavy: Verdict, light: Verdict) -> Verdict {
    let agree = agree(&heavy, &light);
    let credible = |verdict: &Verdict| if verdict.period_s().is_some() { verdict.confidence() } else { 0.0 };
    if agree && light.first_start_s() < heavy.first_start_s() {
        // An iteration begins with the direction that comes first.
        light.before(heavy).before(together)
    } else if agree || credible(&heavy) > credible(&together) + CLEARLY {
        heavy.before(together).before(light)
    } else if credible(&together) == 0.0 && credible(&light) > 0.0 {
        light.before(together).before(heavy)
    } else {
        together.before(heavy).before(light)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(read_back: bool) -> Outcome {
        let mut directions = Directions::new(None);
        for turn in 0..12 {
            let start = f64::from(turn) * 10.0;
            for rank in 0..4 {
                directions.add(Direction::Write, rank, start, start + 1.5, 1e9);
                if read_back {
                    directions.add(Direction::Read, rank, start + 5.0, start + 6.5, 1e9);
                }
            }
        }
        directions.analyse()
    }

    #[test]
    fn writing_and_reading_back_is_one_turn() {
        for read_back in [false, true] {
            let outcome = turns(read_back);
            let period = outcome.period_s.expect("regular");
            assert!((period - 10.0).abs() < 0.01, "{read_back}: {period}");
            assert_eq!(outcome.phases.len(), 12);
        }
    }

    #[test]
    fn nothing_moved_is_no_period() {
        assert_eq!(Directions::new(None).analyse().period_s, None);
    }
}

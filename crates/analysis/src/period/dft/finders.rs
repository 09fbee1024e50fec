//! Ways to find outliers among the powers of a spectrum: the Z-score of the paper, and the other
//! four that FTIO supports (section II-B2), with the parameters of FTIO 0.0.9.
//!
//! All but the Z-score see the spectrum as points of a plane: the frequency as a share of the
//! highest one, and the share of the power.

use crate::outliers::{dbscan, forest, lof, peaks};
use crate::quantile;

/// Share of the points that are outliers to the isolation forest and the local outlier factor.
const CONTAMINATION: f64 = 0.001;
/// Neighbours of the local outlier factor.
const NEIGHBOURS: usize = 20;
/// FTIO draws a new forest in each run; ours is always the same.
const SEED: u64 = 0;

/// A way to find outliers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finder {
    ZScore,
    Dbscan,
    IsolationForest,
    Lof,
    FindPeaks,
}

impl Finder {
    pub const ALL: [(Finder, &'static str); 5] = [
        (Finder::ZScore, "zscore"),
        (Finder::Dbscan, "dbscan"),
        (Finder::IsolationForest, "isolation-forest"),
        (Finder::Lof, "lof"),
        (Finder::FindPeaks, "find-peaks"),
    ];

    pub fn named(name: &str) -> Option<Finder> {
        Finder::ALL.into_iter().find(|(_, known)| *known == name).map(|(finder, _)| finder)
    }

    pub fn name(self) -> &'static str {
        Finder::ALL.into_iter().find(|(finder, _)| *finder == self).map_or("", |(_, name)| name)
    }
}

/// The finders to ask. With several, a candidate is what more than half of them name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finders([bool; Finder::ALL.len()]);

impl Finders {
    pub const NONE: Finders = Finders([false; Finder::ALL.len()]);
    pub const ZSCORE: Finders = Finders::NONE.and(Finder::ZScore);

    pub const fn and(self, finder: Finder) -> Finders {
        let mut asked = self.0;
        asked[finder as usize] = true;
        Finders(asked)
    }

    pub fn iter(self) -> impl Iterator<Item = Finder> {
        Finder::ALL.into_iter().map(|(finder, _)| finder).filter(move |finder| self.0[*finder as usize])
    }
}

/// The opinion of a finder that looks at points: whether a power is an outlier, and how much so,
/// from 0 to 1.
pub(super) struct Opinion {
    pub is_outlier: Vec<bool>,
    pub confidence: Vec<f64>,
}

/// Asks a finder; the Z-score, which is no matter of points, has no opinion here.
pub(super) fn ask(finder: Finder, power: &[f64], tolerance: f64) -> Option<Opinion> {
    let bins = power.len() as f64;
    let points = || -> Vec<[f64; 2]> {
        (1..).zip(power).map(|(bin, share)| [f64::from(bin) / bins, *share]).collect()
    };
    let largest = power.iter().copied().fold(0.0, f64::max);
    Some(match finder {
        Finder::ZScore => return None,
        Finder::Dbscan => {
            let smallest = power.iter().copied().fold(f64::INFINITY, f64::min);
            let reach = ((largest - smallest) * (1.0 - tolerance)).hypot(1.0 / bins);
            let confidence = power.iter().map(|share| share / largest).collect();
            Opinion { is_outlier: dbscan::noise(&points(), reach), confidence }
        }
        Finder::IsolationForest => by_decision(forest::scores(&points(), SEED), None),
        Finder::Lof => {
            let lof::Factors { own, as_new } = lof::factors(&points(), NEIGHBOURS);
            by_decision(as_new, Some(own))
        }
        Finder::FindPeaks => {
            let mut is_outlier = vec![false; power.len()];
            peaks::peaks(power, tolerance * largest, 0.0).into_iter().for_each(|at| is_outlier[at] = true);
            Opinion { confidence: vec![1.0; power.len()], is_outlier }
        }
    })
}

/// Outliers are points whose score is beyond the one that only the contamination exceeds, among the
/// same scores or others.
fn by_decision(scores: Vec<f64>, among: Option<Vec<f64>>) -> Opinion {
    // scikit-learn negates scores, and an interpolated quantile depends on the direction.
    let mut negative: Vec<f64> = among.as_ref().unwrap_or(&scores).iter().map(|score| -score).collect();
    let bound = quantile::between(&mut negative, CONTAMINATION);
    let decisions: Vec<f64> = scores.iter().map(|score| -score - bound).collect();
    let is_outlier = decisions.iter().map(|decision| *decision < 0.0).collect();
    Opinion { is_outlier, confidence: normalized(&decisions) }
}

/// From decisions, negative for outliers, to 1 for the strongest outlier and 0 for the strongest
/// inlier.
fn normalized(decisions: &[f64]) -> Vec<f64> {
    let lowest = decisions.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = decisions.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let share = |decision: &f64| (highest - decision) / (highest - lowest);
    if lowest == highest { vec![0.0; decisions.len()] } else { decisions.iter().map(share).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A low, slightly uneven spectrum with one line at bin 40.
    fn spectrum() -> Vec<f64> {
        let mut power: Vec<f64> =
            (0..400).map(|at| 1e-3 * (1.0 + 0.1 * f64::from(at * 37 % 100) / 100.0)).collect();
        power[39] = 0.6;
        power
    }

    #[test]
    fn every_finder_names_the_one_line() {
        for (finder, name) in Finder::ALL.into_iter().skip(1) {
            let opinion = ask(finder, &spectrum(), 0.8).expect("an opinion");
            let named: Vec<usize> = (0..400).filter(|&at| opinion.is_outlier[at]).collect();
            assert_eq!(named, [39], "{name}");
            assert!((opinion.confidence[39] - 1.0).abs() < 1e-12, "{name}");
        }
    }

    #[test]
    fn names_lead_to_finders() {
        for (finder, name) in Finder::ALL {
            assert_eq!((Finder::named(name), finder.name()), (Some(finder), name));
            assert_eq!(Finders::NONE.and(finder).iter().collect::<Vec<_>>(), [finder]);
        }
        assert_eq!(Finder::named("z-score"), None);
    }

    #[test]
    fn a_spectrum_of_little_does_no_harm() {
        for power in [vec![], vec![1.0], vec![0.5, 0.5], vec![0.25; 4]] {
            for (finder, _) in Finder::ALL {
                let opinion = ask(finder, &power, 0.8);
                assert!(opinion.is_none_or(|opinion| opinion.is_outlier.len() == power.len()));
            }
        }
    }
}

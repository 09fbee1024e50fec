//! How sure a signature is: the probability that its correlation coefficient with the truth is at
//! least [`RIGHT`].
//!
//! A logistic function of few numbers that the runs themselves tell. Its weights were fitted to
//! applications drawn at random; `bench/signature_confidence.py` fits them, and shows what they are
//! worth on kinds of applications and laws of slowing that were left out of fitting.

use super::sign::Method;

/// A signature at least this like the truth is right.
pub const RIGHT: f64 = 0.8;

/// What the runs tell about a signature. Likenesses are correlation coefficients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    pub runs: usize,
    /// Mean over all bursts of the share of runs that have them.
    pub support: f64,
    /// Likeness of the signatures of every second run and of the other runs.
    pub halves: f64,
    /// Likeness to the signature with delays by others left in, or taken out after all.
    pub delays: f64,
    /// Likeness of the signatures with the shortest and the mean distances between bursts.
    pub pace: f64,
    /// Spread over runs of when the last burst begins, in lengths of bursts.
    pub spread: f64,
    /// Usual length of bursts in intervals of the log.
    pub length: f64,
}

/// Number of [`Evidence::numbers`].
pub const NUMBERS: usize = 7;

impl Evidence {
    /// The numbers that confidence depends on, on scales on which equal steps mean about the same.
    pub fn numbers(&self) -> [f64; NUMBERS] {
        // Differences near 1 matter most.
        let near_one = |likeness: f64| -(1.01 - likeness.clamp(-1.0, 1.0)).ln();
        [
            near_one(self.halves),
            near_one(self.delays),
            near_one(self.pace),
            self.spread.max(0.0).ln_1p(),
            self.support,
            (self.runs.max(1) as f64).ln(),
            self.length.max(0.1).ln(),
        ]
    }
}

/// The constant, then the weights of [`Evidence::numbers`].
type Weights = [f64; NUMBERS + 1];

const AUTO: Weights = [-28.387, 0.192, 0.320, 1.303, -1.677, 28.102, 0.224, -0.465];
const IOSI: Weights = [-1.551, 1.435, 0.000, 0.000, 0.000, 0.330, -0.203, -0.363];

/// `None` for [`Method::Dtw`], to which nothing was fitted.
pub fn confidence(method: Method, evidence: &Evidence) -> Option<f64> {
    let weights = match method {
        Method::Auto => AUTO,
        Method::Iosi => IOSI,
        Method::Dtw => return None,
    };
    let sum: f64 = weights[1..].iter().zip(evidence.numbers()).map(|(weight, number)| weight * number).sum();
    Some(1.0 / (1.0 + (-(weights[0] + sum)).exp()))
}

//! Confidence of a label: the probability that it holds for what the job did.
//!
//! A label can be wrong because a value is close to a threshold, and because the log does not show
//! what happened: file records spread the bytes of a file from its first access to its last, heat
//! maps spread them over a bin. Both are put into figures here; a logistic function of few learned
//! numbers makes a probability of them. `marigraph-bench categories fit` learns the numbers.

/// What a label is decided by; each has weights of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Deciding {
    /// Sums over the run, which every log has exactly.
    Sum,
    /// Bytes in the quarters of the run.
    Quarters,
    /// Operations at equal distances.
    Period,
    /// The length of a period.
    Length,
    /// The share of a period in which bytes move.
    Busy,
    /// Metadata requests per second.
    Requests,
}

impl Deciding {
    pub const ALL: [Deciding; 6] = [
        Deciding::Sum,
        Deciding::Quarters,
        Deciding::Period,
        Deciding::Length,
        Deciding::Busy,
        Deciding::Requests,
    ];
}

/// Number of figures for each label.
pub const FIGURES: usize = 3;

/// What speaks for a label and against it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clues {
    pub deciding: Deciding,
    /// Each from -1 to 1; unused ones are 0.
    pub figures: [f64; FIGURES],
}

/// For each kind of clue a constant and a weight for each figure.
pub type Weights = [[f64; FIGURES + 1]; Deciding::ALL.len()];

/// Learned from `synth corpus`, seeds 1 to 4.
pub const WEIGHTS: Weights = [
    [7.59, 0.0, 0.0, 0.0],
    [4.92, 2.0, -5.49, 0.0],
    [4.06, 3.54, 0.32, 0.0],
    [0.49, 5.85, 0.03, -0.13],
    [0.09, 5.85, -3.49, -0.06],
    [4.89, 2.75, -0.49, 0.0],
];

impl Clues {
    pub fn new(deciding: Deciding, figures: [f64; FIGURES]) -> Clues {
        Clues { deciding, figures: figures.map(|figure| figure.clamp(-1.0, 1.0)) }
    }

    /// A sum over the run.
    pub fn sum() -> Clues {
        Clues::new(Deciding::Sum, [0.0; FIGURES])
    }

    pub fn confidence(&self, weights: &Weights) -> f64 {
        let [constant, own @ ..] = &weights[self.deciding as usize];
        let score =
            own.iter().zip(self.figures).fold(*constant, |sum, (weight, figure)| sum + weight * figure);
        1.0 / (1.0 + (-score).exp())
    }
}

/// Relative distance from a threshold that counts as far.
const FAR: f64 = 0.2;

/// Distance of a value from a threshold: 0 on it, 1 far away.
pub fn beyond(value: f64, cut: f64) -> f64 {
    ((value - cut).abs() / cut.max(f64::MIN_POSITIVE) / FAR).min(1.0)
}

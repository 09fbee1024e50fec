//! The rules of the published method.

use super::Finders;

/// How candidates are found and judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// Powers whose score reaches this share of the largest are candidates.
    pub tolerance: f64,
    /// How outliers of the spectrum are found.
    pub finders: Finders,
    /// Whether the autocorrelation refines the confidence.
    pub autocorrelation: bool,
    /// Whether to do as FTIO 0.0.9 does where it differs from the paper.
    pub as_ftio: bool,
}

impl Rules {
    /// The values of the paper (sections II-B and II-C).
    pub const PUBLISHED: Rules =
        Rules { tolerance: 0.8, finders: Finders::ZSCORE, autocorrelation: true, as_ftio: false };
}

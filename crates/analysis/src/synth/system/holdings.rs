//! Contents of the file system before and after the study: file counts by size, and shares of young
//! files.
//!
//! The study publishes totals, those of one project, some shares below a size, and some shares
//! below an age (Table IV, Figures 8 and 9). All files of a size class have one size, so that
//! counts and bytes match exactly.

use super::projects::PROJECTS;
use super::quota::spread;

pub const KIB: u64 = 1 << 10;
pub use marigraph_model::MIB;
const TIB: u64 = 1 << 40;
/// Large files start here; a few of them hold most bytes.
pub const LARGE: u64 = 128 * MIB;
pub const LARGEST: u64 = 16 * TIB;

/// The holdings of one project, or of all others.
pub struct Holding {
    pub projects: std::ops::Range<usize>,
    pub files: u64,
    pub bytes: u64,
    /// Large files without the largest.
    large: u64,
    /// Weights of the classes of small files.
    small: &'static [f64],
    /// Start of a class of small files.
    low: fn(usize) -> u64,
    /// Weights of the classes of large files; each class is twice as large as the one before.
    tail: &'static [f64],
    /// The largest file of the file system is among them.
    has_largest: bool,
}

/// Thousands of files of the one project by size, in March.
const ONE: &[f64] = &[
    3300.0, 4000.0, 6000.0, 9000.0, 60_000.0, 4000.0, 3000.0, 2000.0, 4500.0, 250.0, 80.0, 30.0, 12.0, 6.0,
    2.0,
];
const ONE_TAIL: &[f64] = &[0.12, 0.12, 0.12, 0.12, 0.1, 0.1, 0.1, 0.09, 0.08, 0.05];

/// Thousands of files of all others by size, in March.
const OTHERS: &[f64] = &[
    1000.0, 1304.0, 2000.0, 4000.0, 6000.0, 6000.0, 6000.0, 7000.0, 11_000.0, 4000.0, 5000.0, 20_000.0,
    12_726.0, 4000.0, 2200.0, 1300.0, 800.0, 350.0, 157.2,
];
const OTHERS_TAIL: &[f64] = &[0.45, 0.25, 0.13, 0.07, 0.04, 0.025, 0.015, 0.01, 0.006, 0.003, 0.001];

pub fn holdings(after: bool) -> [Holding; 2] {
    let pick = |before: u64, later: u64| if after { later } else { before };
    const TB: u64 = 1_000_000_000_000;
    let one = Holding {
        projects: 0..1,
        files: pick(12_300_000, 96_200_000),
        bytes: pick(2744, 2951) * TB / 10,
        large: pick(19_500, 20_000),
        small: ONE,
        low: |at| (4 * KIB) << at,
        tail: ONE_TAIL,
        has_largest: false,
    };
    let others = Holding {
        projects: 1..PROJECTS[0],
        files: pick(96_200_000, 191_400_000) - one.files,
        bytes: pick(1140, 1280) * TB - one.bytes,
        large: pick(319_700, 362_799),
        small: OTHERS,
        // The first class is of empty files.
        low: |at| if at == 0 { 0 } else { 256 << at },
        tail: OTHERS_TAIL,
        has_largest: true,
    };
    [one, others]
}

/// Size of each file of a class, and their number.
pub type Class = (u64, u64);

impl Holding {
    /// Start of each class of small files, and their number.
    fn small_classes(&self) -> Vec<Class> {
        let counts = spread(self.files - self.large - u64::from(self.has_largest), self.small);
        counts.into_iter().enumerate().map(|(at, count)| ((self.low)(at), count)).collect()
    }

    pub fn below(&self, limit: u64) -> u64 {
        self.small_classes().iter().filter(|(low, _)| *low < limit).map(|(_, count)| count).sum()
    }

    pub fn of_class(&self, low: u64) -> u64 {
        self.small_classes().iter().filter(|(own, _)| *own == low).map(|(_, count)| count).sum()
    }

    /// Large files lie above the start of their class by as much as makes the bytes match.
    pub fn classes(&self) -> Vec<Class> {
        let mut classes: Vec<Class> =
            self.small_classes().into_iter().map(|(low, count)| (low + low / 2, count)).collect();
        if self.has_largest {
            classes.push((LARGEST, 1));
        }
        let known: u64 = classes.iter().map(|(size, count)| size * count).sum();
        let tail = spread(self.large, self.tail);
        let lows: Vec<u64> = (0..self.tail.len()).map(|at| LARGE << at).collect();
        let least: u64 = lows.iter().zip(&tail).map(|(low, count)| low * count).sum();
        let factor = ((self.bytes - known) as f64 / least as f64).clamp(1.0, 1.999);
        let mut left = self.bytes - known;
        for (&low, &count) in lows.iter().zip(&tail).rev() {
            let size = (low as f64 * factor) as u64;
            classes.push((size, count));
            left = left.saturating_sub(size * count);
        }
        // The remainder of rounding goes to the smallest of the large files.
        if let Some((size, count)) = classes.last_mut() {
            *size += left / *count;
        }
        classes
    }
}

/// Shares of files and bytes that are recently accessed or modified.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recent {
    pub files: f64,
    pub bytes: f64,
}

pub const ACCESSED_32: Recent = Recent { files: 0.08, bytes: 0.07 };
pub const ACCESSED_64: Recent = Recent { files: 0.55, bytes: 0.15 };
pub const MODIFIED_64: Recent = Recent { files: 0.08, bytes: 0.15 };

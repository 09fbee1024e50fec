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
    /// Start and weight of each size class.
    small: &'static [(u64, f64)],
    /// Weights of the classes of large files; each class is twice as large as the one before.
    tail: &'static [f64],
    /// The largest file of the file system is among them.
    has_largest: bool,
}

/// Thousands of files of the one project by size, in March.
const ONE: &[(u64, f64)] = &[
    (4 * KIB, 3300.0),
    (8 * KIB, 4000.0),
    (16 * KIB, 6000.0),
    (32 * KIB, 9000.0),
    (64 * KIB, 60_000.0),
    (128 * KIB, 4000.0),
    (256 * KIB, 3000.0),
    (512 * KIB, 2000.0),
    (MIB, 4500.0),
    (2 * MIB, 250.0),
    (4 * MIB, 80.0),
    (8 * MIB, 30.0),
    (16 * MIB, 12.0),
    (32 * MIB, 6.0),
    (64 * MIB, 2.0),
];
const ONE_TAIL: &[f64] = &[0.12, 0.12, 0.12, 0.12, 0.1, 0.1, 0.1, 0.09, 0.08, 0.05];

/// Thousands of files of all others by size, in March.
const OTHERS: &[(u64, f64)] = &[
    (0, 1000.0),
    (512, 1304.0),
    (KIB, 2000.0),
    (2 * KIB, 4000.0),
    (4 * KIB, 6000.0),
    (8 * KIB, 6000.0),
    (16 * KIB, 6000.0),
    (32 * KIB, 7000.0),
    (64 * KIB, 11_000.0),
    (128 * KIB, 4000.0),
    (256 * KIB, 5000.0),
    (512 * KIB, 20_000.0),
    (MIB, 12_726.0),
    (2 * MIB, 4000.0),
    (4 * MIB, 2200.0),
    (8 * MIB, 1300.0),
    (16 * MIB, 800.0),
    (32 * MIB, 350.0),
    (64 * MIB, 157.2),
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
        tail: ONE_TAIL,
        has_largest: false,
    };
    let others = Holding {
        projects: 1..PROJECTS[0],
        files: pick(96_200_000, 191_400_000) - one.files,
        bytes: pick(1140, 1280) * TB - one.bytes,
        large: pick(319_700, 362_799),
        small: OTHERS,
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
        let weights: Vec<f64> = self.small.iter().map(|(_, weight)| *weight).collect();
        let counts = spread(self.files - self.large - u64::from(self.has_largest), &weights);
        self.small.iter().zip(counts).map(|(&(low, _), count)| (low, count)).collect()
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

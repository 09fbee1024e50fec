//! When a direction moves its bytes (section 2.6).

use super::evidence::Operation;
use super::near;

/// Below this, a direction is insignificant.
const SIGNIFICANT_BYTES: f64 = 1e8;
/// Below this coefficient of variation, the quarters are even.
const EVEN: f64 = 0.25;

/// Bytes in the four quarters of the run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Volume {
    pub total: f64,
    pub chunks: [f64; 4],
}

impl Volume {
    /// Divides the bytes of each operation in proportion to time.
    pub fn new(operations: &[Operation], runtime_s: f64) -> Volume {
        let mut chunks = [0.0; 4];
        let quarter = runtime_s / 4.0;
        for operation in operations {
            let last = ((operation.end_s / quarter) as usize).min(3);
            if operation.end_s <= operation.start_s {
                chunks[last] += operation.bytes;
                continue;
            }
            for (n, chunk) in chunks.iter_mut().enumerate() {
                let from = if n == 0 { f64::NEG_INFINITY } else { n as f64 * quarter };
                let to = if n == 3 { f64::INFINITY } else { (n + 1) as f64 * quarter };
                let overlap = (operation.end_s.min(to) - operation.start_s.max(from)).max(0.0);
                *chunk += operation.bytes * overlap / (operation.end_s - operation.start_s);
            }
        }
        Volume { total: operations.iter().map(|operation| operation.bytes).sum(), chunks }
    }

    pub fn is_insignificant(&self) -> bool {
        self.total < SIGNIFICANT_BYTES
    }

    fn variation(&self) -> f64 {
        let mean = self.chunks.iter().sum::<f64>() / 4.0;
        let square = self.chunks.iter().map(|chunk| (chunk - mean).powi(2)).sum::<f64>() / 4.0;
        square.sqrt() / mean
    }

    /// Quarters that hold more than `part` of the fullest.
    fn heavy(&self, part: f64) -> [bool; 4] {
        let most = self.chunks.iter().copied().fold(0.0, f64::max);
        self.chunks.map(|chunk| chunk > most * part)
    }

    pub fn labels(&self) -> Vec<&'static str> {
        if self.is_insignificant() {
            return vec!["insignificant"];
        }
        if self.variation() < EVEN {
            return vec!["steady"];
        }
        labels_of(self.heavy(0.5))
    }

    /// Whether a value lies within 20 % of its threshold.
    pub fn is_near(&self) -> bool {
        if self.total < SIGNIFICANT_BYTES * 0.8 {
            return false;
        }
        let most = self.chunks.iter().copied().fold(0.0, f64::max);
        near(self.total, SIGNIFICANT_BYTES, 0.2)
            || near(self.variation(), EVEN, 0.2)
            || self.chunks.iter().any(|chunk| near(chunk / most, 0.5, 0.2))
    }

    /// Whether rounding decides, or two rules whose order the specification leaves open.
    pub fn is_doubtful(&self) -> bool {
        if self.total < SIGNIFICANT_BYTES * 0.995 {
            return false;
        }
        let even = self.variation() < EVEN;
        near(self.total, SIGNIFICANT_BYTES, 0.005)
            || near(self.variation(), EVEN, 0.02)
            || (!even && self.heavy(0.49) != self.heavy(0.51))
            || (even && self.heavy(0.5) != [true; 4])
    }
}

/// The table of section 2.6.
fn labels_of(heavy: [bool; 4]) -> Vec<&'static str> {
    const SINGLE: [&str; 4] = ["on_start", "after_start", "before_end", "on_end"];
    match heavy {
        [false, true, true, false] => vec!["after_start_before_end"],
        [false, true, true, true] => vec!["after_start"],
        [true, true, true, false] => vec!["before_end"],
        [true, true, true, true] => vec!["steady"],
        _ => SINGLE.into_iter().zip(heavy).filter(|(_, heavy)| *heavy).map(|(label, _)| label).collect(),
    }
}

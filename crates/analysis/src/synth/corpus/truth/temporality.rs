//! When a direction moves its bytes (section 2.6).

use super::cuts::{Cut, Cuts};
use super::evidence::Operation;

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

    pub fn is_insignificant(&self, cuts: &Cuts) -> bool {
        self.total < cuts.of(Cut::Bytes)
    }

    fn variation(&self) -> f64 {
        let mean = self.chunks.iter().sum::<f64>() / 4.0;
        let square = self.chunks.iter().map(|chunk| (chunk - mean).powi(2)).sum::<f64>() / 4.0;
        square.sqrt() / mean
    }

    pub fn labels(&self, cuts: &Cuts) -> Vec<&'static str> {
        if self.is_insignificant(cuts) {
            return vec!["insignificant"];
        }
        if self.variation() < cuts.of(Cut::Even) {
            return vec!["steady"];
        }
        let most = self.chunks.iter().copied().fold(0.0, f64::max);
        labels_of(self.chunks.map(|chunk| chunk > most * cuts.of(Cut::Half)))
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

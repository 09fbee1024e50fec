//! Hints for answers that are unsatisfactory.

use marigraph_analysis::period::Method;
use marigraph_analysis::period::evidence::Moved;
use marigraph_analysis::timeline::Evidence;

use super::Periods;
use crate::units::{bytes, percent, seconds};

/// A period with less confidence is called a guess.
const GUESS: f64 = 0.5;
/// Shorter signals cannot show a period.
pub const MIN_SAMPLES: usize = 8;
/// Relative loss of volume by sampling that is worth a hint.
const NOTABLE_LOSS: f64 = 0.1;

impl Periods {
    pub fn hints(&self) -> Vec<String> {
        let mut hints = Vec::new();
        let outcome = &self.outcome;
        if outcome.picture.signal.iter().all(|&rate| rate == 0.0) {
            return vec![self.nothing_there()];
        }
        match outcome.period_s {
            None if outcome.samples < MIN_SAMPLES => {
                let samples = if outcome.samples == 1 { "sample" } else { "samples" };
                hints.push(format!("{} {samples} of the signal are too few", outcome.samples));
            }
            None if outcome.phases.is_empty() => {
                hints.push("bytes move at a nearly constant rate: there are no phases".to_string());
            }
            None if outcome.phases.len() < 3 => {
                hints.push("a period needs at least three I/O phases".to_string());
            }
            None => hints.push(
                "phases are irregular; plot them with --plot FILE.svg, or try one direction (--op write) or a part of the run (--window FROM:TO)"
                    .to_string(),
            ),
            Some(_) if outcome.confidence < GUESS => {
                hints.push("low confidence; check it with --plot FILE.svg".to_string());
            }
            Some(_) => {}
        }
        if outcome.segments.len() > 1 {
            hints.push("behaviour changes during the run; --window FROM:TO selects one segment".to_string());
        }
        if outcome.abstraction_error > NOTABLE_LOSS {
            let lost = percent(outcome.abstraction_error);
            hints.push(format!("samples differ from the real volume by {lost}; raise --sampling"));
        }
        hints.extend(self.coarse_bins());
        hints
    }

    fn nothing_there(&self) -> String {
        let Moved { read_bytes, written_bytes, first_s, last_s } = self.seen.moved;
        let what = match self.method {
            Method::Auto => "no bytes moved in this direction and window",
            Method::Dft { .. } => "no sample has bytes in this direction and window (raise --sampling)",
        };
        format!(
            "{what}; the log has {} read and {} written from {} to {}",
            bytes(read_bytes),
            bytes(written_bytes),
            seconds(first_s),
            seconds(last_s)
        )
    }

    fn coarse_bins(&self) -> Option<String> {
        let width = self.seen.bin_s.filter(|_| self.evidence == Evidence::Heatmap)?;
        let near = self.outcome.period_s.is_none_or(|period| period < 5.0 * width);
        near.then(|| {
            format!(
                "heat maps of {} per bin do not show shorter periods; record single operations \
                 (DXT_ENABLE_IO_TRACE=1, or marigraph record --trace)",
                seconds(width)
            )
        })
    }
}

//! Marks in the spectrum: the candidates, and the strongest line if it is not one of them.

use marigraph_analysis::period::Candidate;

use super::super::html::escape;
use crate::page::draw::frame::{Scale, line};
use crate::page::draw::svg::text;
use crate::period::Periods;
use crate::units::{percent, precise_seconds};

const MAX_CANDIDATES: usize = 6;
/// Height of a row of labels, and width of a letter in it.
pub const LANE: f64 = 17.0;
const LETTER: f64 = 6.4;

/// A marked frequency.
pub struct Mark {
    /// Hertz.
    pub frequency: f64,
    /// Share of the power.
    pub power: f64,
    class: &'static str,
    words: String,
    hint: String,
}

/// The marks of a spectrum with a resolution of `width` Hz, by frequency.
pub fn of(periods: &Periods, width: f64) -> Vec<Mark> {
    let candidates = periods.credible().take(MAX_CANDIDATES);
    let sound = candidates.filter(|candidate| candidate.period_s > 0.0 && candidate.period_s.is_finite());
    let mut marks: Vec<Mark> = sound.map(|candidate| Mark::of(periods, candidate)).collect();
    let spectrum = periods.outcome.picture.spectrum.iter().copied().enumerate();
    let (at, power) = spectrum.fold((0, 0.0), |best, next| if next.1 > best.1 { next } else { best });
    let frequency = (at + 1) as f64 * width;
    let known = marks.iter().any(|mark| (mark.frequency - frequency).abs() < 0.6 * width);
    if power > 0.0 && !known {
        let period = precise_seconds(1.0 / frequency);
        let hint = format!("{period}: strongest line, {} of the power", percent(power));
        marks.push(Mark {
            frequency,
            power,
            class: "other",
            words: format!("{period} · strongest line"),
            hint,
        });
    }
    marks.sort_by(|a, b| a.frequency.total_cmp(&b.frequency));
    marks
}

impl Mark {
    fn of(periods: &Periods, candidate: &Candidate) -> Mark {
        let Candidate { period_s, power, z, confidence } = *candidate;
        let (period, sure) = (precise_seconds(period_s), periods.sure(confidence));
        Mark {
            frequency: 1.0 / period_s,
            power,
            class: if periods.is_answer(candidate) { "answer" } else { "other" },
            words: format!("{period} · {sure} · z {z:.1}"),
            hint: format!("{period}: confidence {sure}, {} of the power, z {z:.1}", percent(power)),
        }
    }

    pub fn draw(&self, lane: usize, across: &Scale, up: &Scale) -> String {
        let (x, y) = (across.at(self.frequency), up.inside(self.power));
        let base = up.inside(f64::MAX) - 12.0 - lane as f64 * LANE;
        let class = self.class;
        let mut out = line(&format!("leader {class}"), [x, y], [x, base - 9.0]);
        out += &text(x + 5.0, base, &format!("value {class}"), "start", &self.words);
        out + &format!(
            "<circle class=\"dot {class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\"><title>{}</title></circle>",
            escape(&self.hint)
        )
    }
}

/// The row of each label, from the plot upwards. Labels stand to the right of their lines. A label
/// is placed above every line that it passes, so that none is crossed.
pub fn lanes(marks: &[Mark], across: &Scale) -> Vec<usize> {
    let places: Vec<f64> = marks.iter().map(|mark| across.at(mark.frequency)).collect();
    let mut lanes = vec![0; marks.len()];
    for (at, mark) in marks.iter().enumerate().rev() {
        let end = places[at] + LETTER * mark.words.chars().count() as f64 + 16.0;
        let below = (at + 1..marks.len()).filter(|&other| places[other] < end);
        lanes[at] = below.map(|other| lanes[other] + 1).max().unwrap_or(0);
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_rise_over_the_lines_that_they_pass() {
        let mark = |frequency: f64| Mark {
            frequency,
            power: 0.1,
            class: "other",
            words: "x".repeat(20),
            hint: String::new(),
        };
        let across = Scale::across([0.0, 100.0]);
        // A label is about 14 units wide.
        assert_eq!(lanes(&[mark(1.0), mark(5.0), mark(9.0), mark(50.0)], &across), [2, 1, 0, 0]);
        assert_eq!(lanes(&[], &across), [0usize; 0]);
    }
}

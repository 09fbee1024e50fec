//! The funnel from logs to applications: MOSAIC, figure 3.

use crate::corpus::Summarised;
use crate::page::draw::svg::{open, rect, text};
use crate::units::{count, percent};

const LEFT: f64 = 230.0;
const WIDTH: f64 = 520.0;
const RIGHT: f64 = 300.0;
const ROW: f64 = 30.0;

/// A bar for each step, centred, as wide as its share of all logs.
pub fn figure(corpus: &Summarised) -> String {
    let steps = corpus.funnel();
    let mut out = open(LEFT + WIDTH + RIGHT, ROW * steps.len() as f64 + 6.0);
    for (at, step) in steps.iter().enumerate() {
        let y = 4.0 + ROW * at as f64;
        let width = (WIDTH * step.logs as f64 / corpus.read.max(1) as f64).max(1.5);
        let words = match step.of_before {
            Some(share) => format!("{} ({} of the logs before)", count(step.logs), percent(share)),
            None => count(step.logs),
        };
        out += &text(LEFT - 10.0, y + 15.0, "axis", "end", step.words);
        out += &rect(LEFT + (WIDTH - width) / 2.0, y, width, ROW - 8.0, "runs", &words);
        out += &text(LEFT + WIDTH + 10.0, y + 15.0, "value", "start", &words);
    }
    format!("<div class=\"chart wide\">{out}</svg></div>\n")
}

//! The matrix of Jaccard indices.

use marigraph_analysis::category::Label;
use marigraph_analysis::category::corpus::Pairs;

use super::anchor;
use crate::page::draw::svg::{open, rect, text};
use crate::page::html;
use crate::units::percent;

const LEFT: f64 = 225.0;
const TOP: f64 = 200.0;
const CELL: f64 = 28.0;
/// Smaller values are not shown, as in the paper.
const SHOWN_FROM: f64 = 0.01;

pub fn figure(pairs: &Pairs) -> String {
    let labels: Vec<Label> = Label::ALL.into_iter().filter(|&label| pairs.count(label) > 0).collect();
    if labels.len() < 2 {
        return String::new();
    }
    let side = CELL * labels.len() as f64;
    // Labels on top lean to the right.
    let mut out = open(LEFT + side + 130.0, TOP + side + 6.0);
    for (at, &label) in labels.iter().enumerate() {
        let middle = CELL * (at as f64 + 0.5);
        let name = text(LEFT - 8.0, TOP + middle + 4.0, "axis", "end", label.name());
        out += &format!("<a href=\"#{}\">{name}</a>", anchor(label));
        let (x, y) = (LEFT + middle + 3.0, TOP - 8.0);
        let name = text(0.0, 0.0, "axis", "start", label.name());
        out += &format!("<g transform=\"translate({x:.1} {y:.1}) rotate(-55)\">{name}</g>");
        for (column, &other) in labels.iter().enumerate() {
            out += &cell(pairs, label, other, LEFT + CELL * column as f64, TOP + CELL * at as f64);
        }
    }
    let note = "Jaccard index over applications, in percent: of those with at least one of two labels, the share with both. \
                Values below 1 % are left empty.";
    format!("<div class=\"chart wide\">{out}</svg></div>\n{}", html::note(note))
}

fn cell(pairs: &Pairs, one: Label, other: Label, x: f64, y: f64) -> String {
    let value = pairs.jaccard(one, other);
    let hint = format!("{} and {}: {}", one.name(), other.name(), percent(value));
    if one == other {
        return rect(x, y, CELL - 1.0, CELL - 1.0, "none", &hint);
    }
    if value < SHOWN_FROM {
        return rect(x, y, CELL - 1.0, CELL - 1.0, "blank", &hint);
    }
    // Ten shades, darker for more.
    let step = ((value * 10.0) as u32).min(9);
    let figure =
        text(x + CELL / 2.0 - 0.5, y + CELL / 2.0 + 3.5, "cell", "middle", &format!("{:.0}", value * 100.0));
    rect(x, y, CELL - 1.0, CELL - 1.0, &format!("heat h{step}"), &hint) + &figure
}

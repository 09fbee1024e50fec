//! Two bars for each label: its share of applications and of runs.

use marigraph_analysis::category::Label;
use marigraph_analysis::category::corpus::Pairs;

use super::anchor;
use crate::page::draw::svg::{open, rect, text};
use crate::units::{count, percent};

const LEFT: f64 = 230.0;
const WIDTH: f64 = 520.0;
const RIGHT: f64 = 130.0;
const ROW: f64 = 30.0;
const TOP: f64 = 26.0;

/// Each label links to its traces.
pub fn figure(labels: &[Label], single: &Pairs, all: &Pairs) -> String {
    let height = TOP + ROW * labels.len() as f64 + 6.0;
    let mut out = open(LEFT + WIDTH + RIGHT, height);
    out += &legend();
    for tick in 0..=4u32 {
        let x = LEFT + WIDTH * f64::from(tick) / 4.0;
        out += &format!("<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{height:.1}\"/>");
    }
    for (at, &label) in labels.iter().enumerate() {
        let y = TOP + ROW * at as f64 + 4.0;
        out += &linked(label, all, &text(LEFT - 10.0, y + 14.0, "axis", "end", label.name()));
        for (n, (pairs, class, word)) in
            [(single, "apps", "applications"), (all, "runs", "runs")].into_iter().enumerate()
        {
            let share = pairs.share(label);
            // A label that occurs at all stays visible.
            let width = if pairs.count(label) > 0 { (share * WIDTH).max(1.5) } else { 0.0 };
            let hint = format!("{}: {} {word}, {}", label.name(), count(pairs.count(label)), percent(share));
            out += &rect(LEFT, y + 10.0 * n as f64, width, 9.0, class, &hint);
        }
        let shares = format!("{} · {}", percent(single.share(label)), percent(all.share(label)));
        out += &text(LEFT + WIDTH + 10.0, y + 14.0, "value", "start", &shares);
    }
    out + "</svg>"
}

fn legend() -> String {
    rect(LEFT, 6.0, 10.0, 10.0, "apps", "")
        + &text(LEFT + 15.0, 15.0, "axis", "start", "share of applications")
        + &rect(LEFT + 160.0, 6.0, 10.0, 10.0, "runs", "")
        + &text(LEFT + 175.0, 15.0, "axis", "start", "share of runs")
}

fn linked(label: Label, all: &Pairs, words: &str) -> String {
    if all.count(label) == 0 {
        return words.to_string();
    }
    format!("<a href=\"#{}\">{words}</a>", anchor(label))
}

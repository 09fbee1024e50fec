//! Small static charts as SVG; colours come from the page's style.

use crate::page::html::escape;

/// One part of a stacked bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Style class: `read`, `write`, `meta`, `wait`, `none`.
    pub class: &'static str,
    /// In the unit of the chart.
    pub value: f64,
    /// Shown on hover.
    pub title: String,
}

/// Horizontal stacked bars, each `whole` long, with a label before and a value behind.
pub fn stacked(rows: &[(String, Vec<Part>, String)], whole: f64) -> String {
    const LEFT: f64 = 110.0;
    const WIDTH: f64 = 620.0;
    const RIGHT: f64 = 150.0;
    const ROW: f64 = 30.0;
    let height = ROW * rows.len() as f64 + 6.0;
    let mut out = open(LEFT + WIDTH + RIGHT, height);
    for (at, (label, parts, value)) in rows.iter().enumerate() {
        let y = ROW * at as f64 + 4.0;
        out += &text(LEFT - 10.0, y + 15.0, "axis", "end", label);
        let mut x = LEFT;
        for part in parts.iter().filter(|part| part.value > 0.0 && whole > 0.0) {
            let width = (part.value / whole * WIDTH).min(LEFT + WIDTH - x).max(0.0);
            out += &rect(x, y, width, 20.0, part.class, &part.title);
            x += width;
        }
        out += &text(LEFT + WIDTH + 10.0, y + 15.0, "value", "start", value);
    }
    out + "</svg>"
}

pub fn paired(labels: &[&str], reads: &[u64], writes: &[u64], title: &dyn Fn(u64) -> String) -> String {
    const LEFT: f64 = 56.0;
    const HEIGHT: f64 = 180.0;
    const BOTTOM: f64 = 30.0;
    let step = 82.0;
    let width = LEFT + step * labels.len() as f64 + 10.0;
    let step_up = nice_step(reads.iter().chain(writes).copied().max().unwrap_or(0).max(1));
    let most = step_up * 4;
    let mut out = open(width, HEIGHT + BOTTOM + 16.0);
    for tick in 0..=4u32 {
        let y = 16.0 + HEIGHT * (1.0 - f64::from(tick) / 4.0);
        out += &format!("<line class=\"grid\" x1=\"{LEFT}\" x2=\"{width}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>");
        let value = step_up * u64::from(tick);
        out += &text(LEFT - 8.0, y + 4.0, "axis", "end", &short(value));
    }
    for (at, label) in labels.iter().enumerate() {
        let x = LEFT + step * at as f64 + 10.0;
        for (n, (class, values)) in [("read", reads), ("write", writes)].into_iter().enumerate() {
            let value = values.get(at).copied().unwrap_or(0);
            let height = HEIGHT * value as f64 / most as f64;
            // A single call among millions must stay visible.
            let height = if value > 0 { height.max(1.5) } else { 0.0 };
            let word = if n == 0 { "reads" } else { "writes" };
            let hint = format!("{label}: {} {word}", title(value));
            out += &rect(x + 30.0 * n as f64, 16.0 + HEIGHT - height, 28.0, height, class, &hint);
        }
        out += &text(x + 29.0, HEIGHT + BOTTOM, "axis", "middle", label);
    }
    out + "</svg>"
}

/// The smallest of 1, 2, 5 and their multiples by ten, four of which reach the largest value.
fn nice_step(largest: u64) -> u64 {
    let powers = std::iter::successors(Some(1u64), |power| power.checked_mul(10));
    powers
        .flat_map(|power| [1, 2, 5].map(|n: u64| n.saturating_mul(power)))
        .find(|step| step.saturating_mul(4) >= largest)
        .unwrap_or(u64::MAX / 4)
}

pub fn open(width: f64, height: f64) -> String {
    format!("<svg viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" preserveAspectRatio=\"xMinYMin meet\">")
}

pub fn rect(x: f64, y: f64, width: f64, height: f64, class: &str, title: &str) -> String {
    format!(
        "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"><title>{}</title></rect>",
        escape(title)
    )
}

pub fn text(x: f64, y: f64, class: &str, anchor: &str, words: &str) -> String {
    format!(
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
        escape(words)
    )
}

fn short(value: u64) -> String {
    match value {
        0..10_000 => value.to_string(),
        10_000..10_000_000 => format!("{}k", value / 1000),
        10_000_000..10_000_000_000 => format!("{}M", value / 1_000_000),
        _ => format!("{}G", value / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_never_leave_the_bar() {
        let part = |value| Part { class: "read", value, title: "<x>".into() };
        let svg = stacked(&[("POSIX".into(), vec![part(0.9), part(0.9)], "180 %".into())], 1.0);
        assert!(svg.contains("width=\"558.0\"") && svg.contains("width=\"62.0\""), "{svg}");
        assert!(svg.contains("&lt;x&gt;"));
    }

    #[test]
    fn the_smallest_bar_is_seen() {
        let svg = paired(&["a", "b"], &[1, 0], &[1_000_000, 0], &|n| n.to_string());
        assert!(svg.contains("height=\"1.5\"") && svg.contains("height=\"90.0\""), "{svg}");
        assert_eq!([1, 4, 5, 12, 1000, 1_000_000].map(nice_step), [1, 1, 2, 5, 500, 500_000]);
        assert!(paired(&[], &[], &[], &|n| n.to_string()).ends_with("</svg>"));
    }
}

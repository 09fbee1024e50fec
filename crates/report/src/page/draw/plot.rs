//! Shared parts of the study's plots: position, axes, curves, marks and the figure around them.

use super::frame::{self, Scale};
use super::svg::text;
use crate::page::html::escape;

pub use super::frame::WIDTH;

/// Width of an axis letter, in points.
pub const LETTER: f64 = 6.3;

/// Factor by which letters of another font may be wider.
const MARGIN: f64 = 1.3;

/// A value on an axis and its label.
pub type Tick = (f64, String);

/// The scales of a plot.
#[derive(Debug, Clone, Copy)]
pub struct Plot {
    /// Left to right.
    pub across: Scale,
    /// Bottom to top.
    pub up: Scale,
}

impl Plot {
    /// The coordinates of a pair of values, clamped to the plot.
    pub fn place(&self, (x, y): (f64, f64)) -> [f64; 2] {
        [self.across.inside(x), self.up.inside(y)]
    }

    pub fn foot(&self, ticks: &[Tick], words: &str) -> String {
        let ([left, right], [bottom, _]) = (self.across.places(), self.up.places());
        let mut out = frame::line("axis", [left, bottom], [right, bottom]);
        for (place, anchor, (value, label)) in spaced(ticks, &self.across) {
            let x = self.across.inside(*value);
            out += &frame::line("axis", [x, bottom], [x, bottom + 5.0]);
            out += &text(place, bottom + 18.0, "axis", anchor, label);
        }
        out + &text((left + right) / 2.0, bottom + 36.0, "axis", "middle", words)
    }

    /// Grid lines across the plot with labels to their left; the axis title stands above.
    pub fn side(&self, ticks: &[Tick], words: &str) -> String {
        let ([left, right], [_, top]) = (self.across.places(), self.up.places());
        let mut out = text(left - 8.0, top - 12.0, "axis", "start", words);
        for (value, label) in ticks {
            let y = self.up.inside(*value);
            out += &frame::line("grid", [left, y], [right, y]);
            out += &text(left - 8.0, y + 4.0, "axis", "end", label);
        }
        out
    }

    pub fn curve(&self, class: &str, points: &[(f64, f64)], hint: &str) -> String {
        let step = |(at, &point): (usize, &(f64, f64))| {
            let [x, y] = self.place(point);
            format!("{}{x:.1} {y:.1}", if at == 0 { 'M' } else { 'L' })
        };
        let path: String = points.iter().enumerate().map(step).collect();
        if path.is_empty() {
            return path;
        }
        format!("<path class=\"curved {class}\" d=\"{path}\"><title>{}</title></path>", escape(hint))
    }

    /// A vertical line at a value, with its words above the plot. They avoid `side`, the title of
    /// the other axis, which stands there too.
    pub fn upright(&self, class: &str, value: f64, words: &str, side: &str) -> String {
        let (x, [bottom, top]) = (self.across.inside(value), self.up.places());
        let ([left, right], half) = (self.across.places(), words.chars().count() as f64 * LETTER / 2.0);
        let free = left + side.chars().count() as f64 * LETTER + half;
        let middle = x.max(free).min((right - half).max(free));
        frame::told_line(class, [x, bottom], [x, top - 6.0], words)
            + &text(middle, top - 12.0, "value", "middle", words)
    }

    pub fn dot(&self, class: &str, point: (f64, f64), radius: f64, hint: &str) -> String {
        let [x, y] = self.place(point);
        circle(class, [x, y], radius, hint)
    }
}

pub fn circle(class: &str, [x, y]: [f64; 2], radius: f64, hint: &str) -> String {
    format!(
        "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"><title>{}</title></circle>",
        escape(hint)
    )
}

/// Drops ticks whose labels overlap the previous one. Returns each label's place and anchor; labels
/// that would reach beyond the picture in a wide font end at its border.
fn spaced<'t>(ticks: &'t [Tick], across: &Scale) -> Vec<(f64, &'static str, &'t Tick)> {
    let mut free = f64::NEG_INFINITY;
    let mut kept = Vec::new();
    for tick in ticks {
        let half = tick.1.chars().count() as f64 * LETTER / 2.0;
        let x = across.inside(tick.0);
        let (place, anchor, end) =
            if x + half * MARGIN > WIDTH { (WIDTH, "end", WIDTH) } else { (x, "middle", x + half) };
        if end - 2.0 * half >= free {
            kept.push((place, anchor, tick));
            free = end + 4.0;
        }
    }
    kept
}

pub fn title(x: f64, words: &str) -> String {
    text(x, 14.0, "title", "start", words)
}

/// A legend entry: style class and name.
pub type Key = (String, String);

/// The class of one of ten distinct colours.
pub fn colour(at: usize) -> String {
    format!("c{}", at % 10)
}

pub fn figure(name: &str, height: f64, content: &str, keys: &[Key], caption: &str) -> String {
    let key = |(class, name): &Key| format!("<span class=\"key {class}\">{}</span>", escape(name));
    let keys: String = keys.iter().map(key).collect();
    let legend = if keys.is_empty() { keys } else { format!("<div class=\"legend\">{keys}</div>") };
    format!(
        "<figure class=\"chart wide study\"><svg viewBox=\"0 0 {WIDTH:.0} {height:.0}\" role=\"img\" aria-label=\"{}\">\
         {content}</svg>{legend}<figcaption><span class=\"note\">{}</span></figcaption></figure>\n",
        escape(name),
        // A number and its percent sign stay on one line.
        escape(&caption.replace(" %", "\u{a0}%"))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot() -> Plot {
        Plot {
            across: Scale::linear([0.0, 10.0], [100.0, 200.0]),
            up: Scale::linear([0.0, 1.0], [50.0, 0.0]),
        }
    }

    #[test]
    fn words_of_an_axis_do_not_meet() {
        let ticks: Vec<Tick> = (0..=10).map(|n| (f64::from(n), "100 KiB".to_string())).collect();
        let kept: Vec<f64> = spaced(&ticks, &plot().across).into_iter().map(|(.., tick)| tick.0).collect();
        assert_eq!(kept, [0.0, 5.0, 10.0]);
        let last = [(1.0, "2026-01-01".to_string())];
        let edge = Scale::linear([0.0, 1.0], [0.0, WIDTH - 20.0]);
        let (place, anchor, _) = spaced(&last, &edge)[0];
        assert_eq!((place, anchor), (WIDTH, "end"), "words stay on the picture");
    }

    #[test]
    fn words_of_a_mark_stand_clear_of_those_of_the_axis() {
        let place = |value: f64| {
            let mark = plot().upright("marked", value, "1 day", "four");
            let words = mark.split_once("<text").map(|(_, words)| words.to_string()).unwrap_or_default();
            words.split('"').nth(3).and_then(|x| x.parse::<f64>().ok()).map(f64::round)
        };
        // Half the words are 15.75 wide; the axis has four letters of 6.3.
        assert_eq!([place(0.0), place(6.0), place(99.0)], [Some(141.0), Some(160.0), Some(184.0)]);
    }

    #[test]
    fn what_lies_outside_stays_at_the_border() {
        let path = plot().curve("c1", &[(0.0, 0.0), (99.0, f64::NAN)], "a<b");
        assert_eq!(
            path,
            "<path class=\"curved c1\" d=\"M100.0 50.0L200.0 50.0\"><title>a&lt;b</title></path>"
        );
        assert_eq!(plot().curve("c1", &[], ""), "");
    }
}

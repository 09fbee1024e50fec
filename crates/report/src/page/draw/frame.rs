//! Scales, ticks and axes that the panels share.

use super::svg::text;
use crate::page::html::escape;

/// Width of every panel, and margins beside its plot.
pub const WIDTH: f64 = 1120.0;
const LEFT: f64 = 74.0;
const RIGHT: f64 = 20.0;
/// Columns of a curve: one per point of the plot. Narrower ones would look pale.
pub const COLUMNS: usize = (WIDTH - LEFT - RIGHT) as usize;

/// Larger values are treated as garbage.
const FARTHEST: f64 = 1e30;

/// A mapping from values to coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    logarithmic: bool,
}

impl Scale {
    pub fn linear([low, high]: [f64; 2], [from, to]: [f64; 2]) -> Scale {
        // Garbage is drawn, too, somewhere.
        let low = if low.abs() < FARTHEST { low } else { 0.0 };
        let high = if high > low && high < FARTHEST { high } else { low + low.abs().max(1.0) };
        Scale { low, high, from, to, logarithmic: false }
    }

    /// Logarithmic; both values are positive.
    pub fn logarithmic([low, high]: [f64; 2], [from, to]: [f64; 2]) -> Scale {
        let low = low.clamp(1.0 / FARTHEST, FARTHEST);
        let high = if high > low && high < FARTHEST { high } else { low * 10.0 };
        Scale { low, high, from, to, logarithmic: true }
    }

    /// Linear, across the width of a panel.
    pub fn across(values: [f64; 2]) -> Scale {
        Scale::linear(values, [LEFT, WIDTH - RIGHT])
    }

    pub fn across_powers(values: [f64; 2]) -> Scale {
        Scale::logarithmic(values, [LEFT, WIDTH - RIGHT])
    }

    pub fn at(&self, value: f64) -> f64 {
        let share = if self.logarithmic {
            (value.max(f64::MIN_POSITIVE) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        let place = self.from + share * (self.to - self.from);
        // Keeps coordinates finite.
        if place.is_nan() { self.from } else { place.clamp(-10.0 * WIDTH, 10.0 * WIDTH) }
    }

    /// The coordinate of a value, clamped to the plot.
    pub fn inside(&self, value: f64) -> f64 {
        let (low, high) = (self.from.min(self.to), self.from.max(self.to));
        self.at(value).clamp(low, high)
    }

    pub fn holds(&self, value: f64) -> bool {
        value >= self.low && value <= self.high
    }

    pub fn values(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    pub fn is_logarithmic(&self) -> bool {
        self.logarithmic
    }

    pub fn places(&self) -> [f64; 2] {
        [self.from, self.to]
    }

    /// Round values in range, about `most` of them.
    pub fn ticks(&self, most: usize, unit: f64) -> Vec<f64> {
        if self.logarithmic { self.power_ticks() } else { round_values(self.low, self.high, most, unit) }
    }

    /// 1, 2 and 5 times every power of ten, or fewer over many decades.
    fn power_ticks(&self) -> Vec<f64> {
        let decades = (self.high / self.low).log10();
        let steps: &[f64] = match decades {
            d if d < 3.0 => &[1.0, 2.0, 5.0],
            d if d < 5.0 => &[1.0, 3.0],
            _ => &[1.0],
        };
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let all = (first..=last).flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)));
        all.filter(|&value| self.holds(value)).collect()
    }
}

/// Multiples of a round step (in a unit) between two values.
fn round_values(low: f64, high: f64, most: usize, unit: f64) -> Vec<f64> {
    let step = round_step((high - low) / unit, most) * unit;
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    let count = (last - first).clamp(-1.0, 4.0 * most as f64) as i64;
    (0..=count).map(|n| (first + n as f64) * step).collect()
}

/// The smallest 1, 2 or 5 times a power of ten that divides the span into at most `most` steps.
fn round_step(span: f64, most: usize) -> f64 {
    let least = (span / most.max(1) as f64).max(f64::MIN_POSITIVE);
    let power = 10f64.powi(least.log10().floor() as i32);
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|step| step * power >= least * (1.0 - 1e-9));
    step.unwrap_or(10.0) * power
}

/// A unit of an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    pub size: f64,
    pub name: &'static str,
}

pub fn time_unit(seconds: f64) -> Unit {
    let (size, name) = match seconds {
        s if s < 2e-3 => (1e-6, "µs"),
        s if s < 2.0 => (1e-3, "ms"),
        s if s < 600.0 => (1.0, "s"),
        s if s < 4.0 * 3600.0 => (60.0, "min"),
        s if s < 4.0 * 86_400.0 => (3600.0, "h"),
        _ => (86_400.0, "d"),
    };
    Unit { size, name }
}

/// The unit for a part of a longer time: that of the whole, unless the part is much shorter.
pub fn part_unit(part_s: f64, whole_s: f64) -> Unit {
    let whole = time_unit(whole_s);
    if part_s >= 1.5 * whole.size { whole } else { time_unit(part_s) }
}

pub fn rate_unit(bytes_per_second: f64) -> Unit {
    const NAMES: [&str; 7] = ["B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s", "PiB/s", "EiB/s"];
    let power = (bytes_per_second.max(1.0).log2() / 10.0).floor().clamp(0.0, 6.0) as usize;
    Unit { size: 1024f64.powi(power as i32), name: NAMES[power] }
}

pub fn frequency_unit(hertz: f64) -> Unit {
    let (size, name) = match hertz {
        f if f < 2e-3 => (1e-6, "µHz"),
        f if f < 2.0 => (1e-3, "mHz"),
        f if f < 2e3 => (1.0, "Hz"),
        _ => (1e3, "kHz"),
    };
    Unit { size, name }
}

/// A value in its unit, with at most six digits.
pub fn short(value: f64, unit: f64) -> String {
    let value = crate::units::significant(value / unit, 6);
    // A sum of steps may miss zero by a rounding error.
    if value.abs() < 1e-9 { "0".to_string() } else { value.to_string() }
}

/// Grid lines across the plot with values to their left, and the unit above.
pub fn side_axis(scale: &Scale, most: usize, unit: Unit) -> String {
    let top = scale.inside(f64::MAX);
    let mut out = text(LEFT - 10.0, top - 10.0, "axis", "end", unit.name);
    for value in scale.ticks(most, unit.size) {
        let y = scale.at(value);
        out += &line("grid", [LEFT, y], [WIDTH - RIGHT, y]);
        out += &text(LEFT - 10.0, y + 4.0, "axis", "end", &short(value, unit.size));
    }
    out
}

/// The axis below the plot, which ends at `y`.
pub fn foot_axis(scale: &Scale, y: f64, unit: Unit, words: &str) -> String {
    let mut out = line("axis", [LEFT, y], [WIDTH - RIGHT, y]);
    for value in scale.ticks(12, unit.size) {
        let x = scale.at(value);
        out += &line("axis", [x, y], [x, y + 5.0]);
        out += &text(x, y + 18.0, "axis", "middle", &short(value, unit.size));
    }
    out + &text(WIDTH - RIGHT, y + 35.0, "axis", "end", words)
}

pub fn heading(title: &str, aside: &str) -> String {
    text(0.0, 14.0, "title", "start", title) + &text(WIDTH - RIGHT, 14.0, "value", "end", aside)
}

pub fn line(class: &str, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) -> String {
    format!("<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>")
}

/// A line with a tooltip.
pub fn told_line(class: &str, from: [f64; 2], to: [f64; 2], hint: &str) -> String {
    let line = line(class, from, to);
    format!("{}><title>{}</title></line>", line.trim_end_matches("/>"), escape(hint))
}

/// The area between two step functions, given as (from, to, lower y, upper y). Neighbours of equal
/// height become one step.
pub fn steps(class: &str, columns: &[(f64, f64, f64, f64)]) -> String {
    let mut runs: Vec<(f64, f64, f64, f64)> = Vec::new();
    for &(from, to, low, high) in columns {
        match runs.last_mut() {
            Some(last) if (last.2 - low).abs() < 0.05 && (last.3 - high).abs() < 0.05 => last.1 = to,
            _ => runs.push((from, to, low, high)),
        }
    }
    // An area without height is not drawn, so runs of it split the path.
    let drawn = |run: &&[(f64, f64, f64, f64)]| run.iter().any(|step| step.2 - step.3 >= 0.05);
    let flat = |step: &(f64, f64, f64, f64)| step.2 - step.3 < 0.05;
    let mut path = String::new();
    for run in runs.chunk_by(|a, b| flat(a) == flat(b)).filter(drawn) {
        let Some(first) = run.first() else { continue };
        path += &format!("M{:.1} {:.1}", first.0, first.2);
        run.iter().for_each(|step| path += &format!("V{:.1}H{:.1}", step.3, step.1));
        // Back along the lower edge, which is mostly flat: one stroke per height.
        for edge in run.chunk_by(|a, b| (a.2 - b.2).abs() < 0.05).rev() {
            let place = edge.first().map_or(first.0, |step| step.0);
            path += &format!("V{:.1}H{place:.1}", edge.first().map_or(first.2, |step| step.2));
        }
        path.push('Z');
    }
    if path.is_empty() { path } else { format!("<path class=\"{class}\" d=\"{path}\"/>") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_in_view() {
        let scale = Scale::across([3.0, 127.0]);
        assert_eq!(scale.ticks(12, 1.0), [20.0, 40.0, 60.0, 80.0, 100.0, 120.0]);
        assert_eq!(Scale::across([0.0, 5400.0]).ticks(12, 60.0)[..3], [0.0, 600.0, 1200.0]);
        let scale = Scale::across_powers([0.007, 2.0]);
        assert_eq!(scale.ticks(12, 1.0), [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0]);
        assert!((scale.at(0.007) - 74.0).abs() < 1e-9 && (scale.at(2.0) - 1100.0).abs() < 1e-9);
        assert!(Scale::across([1e9, 1e9]).ticks(12, 1.0).len() < 60);
        assert_eq!((short(0.30000000000000004, 1.0), short(-1e-17, 1.0)), ("0.3".into(), "0".into()));
    }

    #[test]
    fn silence_costs_nothing_and_steps_are_closed() {
        let silent: Vec<_> = (0..100).map(|n| (f64::from(n), f64::from(n) + 1.0, 50.0, 50.0)).collect();
        assert_eq!(steps("curve", &silent), "");
        let columns = [(0.0, 1.0, 50.0, 50.0), (1.0, 2.0, 50.0, 10.0), (2.0, 3.0, 50.0, 10.0)];
        assert_eq!(steps("curve", &columns), "<path class=\"curve\" d=\"M1.0 50.0V10.0H3.0V50.0H1.0Z\"/>");
    }

    #[test]
    fn units_suit_their_values() {
        assert_eq!((time_unit(50.0).name, time_unit(3600.0).name, time_unit(1e6).name), ("s", "min", "d"));
        assert_eq!((part_unit(100.0, 3600.0).name, part_unit(10.0, 3600.0).name), ("min", "s"));
        assert_eq!(
            (rate_unit(0.0).name, rate_unit(3e9).name, rate_unit(f64::MAX).name),
            ("B/s", "GiB/s", "EiB/s")
        );
        assert_eq!((frequency_unit(0.0166).name, frequency_unit(3.0).name), ("mHz", "Hz"));
    }
}

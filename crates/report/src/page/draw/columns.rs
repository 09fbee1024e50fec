//! Rates over time, reduced to the columns of a picture.

use super::frame::{self, COLUMNS, Scale};

/// An evenly sampled rate.
#[derive(Debug, Clone, Copy)]
pub struct Series<'a> {
    /// Bytes per second; NaN where not observed.
    pub values: &'a [f64],
    pub hertz: f64,
    pub origin_s: f64,
}

/// A column: its start and end, and the lowest and highest rate in it.
pub type RateColumn = ([f64; 2], [f64; 2]);

impl Series<'_> {
    pub fn columns(&self, [from, to]: [f64; 2], most: usize) -> Vec<RateColumn> {
        let (values, hertz, origin) = (self.values, self.hertz, self.origin_s);
        if hertz <= 0.0 || !hertz.is_finite() {
            return Vec::new();
        }
        let index = |time: f64| ((time - origin) * hertz).clamp(0.0, values.len() as f64);
        let (first, last) = (index(from).floor() as usize, index(to).ceil() as usize);
        let samples = last.saturating_sub(first);
        let columns = samples.min(most);
        let edge = |column: usize| first + samples * column / columns.max(1);
        let one = |column: usize| {
            let (begin, end) = (edge(column), edge(column + 1));
            let part = values.get(begin..end).unwrap_or(&[]);
            let least = part.iter().copied().fold(f64::INFINITY, f64::min).max(0.0);
            let greatest = part.iter().copied().fold(0.0, f64::max);
            let time = |sample: usize| origin + sample as f64 / hertz;
            ([time(begin), time(end)], [least.min(greatest), greatest])
        };
        (0..columns).map(one).collect()
    }
}

pub fn highest(columns: &[RateColumn]) -> f64 {
    columns.iter().map(|column| column.1[1]).fold(0.0, f64::max)
}

/// The area between two heights of each column, as (from, to, lower y, upper y).
fn area(
    columns: &[RateColumn],
    across: &Scale,
    low: &dyn Fn([f64; 2]) -> f64,
    high: &dyn Fn([f64; 2]) -> f64,
) -> Vec<(f64, f64, f64, f64)> {
    let step =
        |&([from, to], rates): &RateColumn| (across.inside(from), across.inside(to), low(rates), high(rates));
    columns.iter().map(step).collect()
}

/// Fills up to the lowest rate of each column dark and up to the highest one light.
pub fn filled(columns: &[RateColumn], across: &Scale, up: &Scale) -> String {
    let ground = up.at(0.0);
    between("reach", columns, across, up)
        + &frame::steps("curve", &area(columns, across, &|_| ground, &|rates| up.at(rates[0])))
}

pub fn under(class: &str, columns: &[RateColumn], across: &Scale, up: &Scale) -> String {
    let ground = up.at(0.0);
    frame::steps(class, &area(columns, across, &|_| ground, &|rates| up.at(rates[1])))
}

pub fn between(class: &str, columns: &[RateColumn], across: &Scale, up: &Scale) -> String {
    frame::steps(class, &area(columns, across, &|rates| up.at(rates[0]), &|rates| up.at(rates[1])))
}

/// The highest rates as a step line; neighbours of equal height share a stroke.
pub fn outline(class: &str, columns: &[RateColumn], across: &Scale, up: &Scale, hint: &str) -> String {
    let mut path = String::new();
    let mut before: Option<f64> = None;
    let mut end = 0.0;
    for &([from, to], [_, greatest]) in columns {
        let y = up.inside(greatest);
        match before {
            None => path += &format!("M{:.1} {y:.1}", across.inside(from)),
            Some(last) if (last - y).abs() >= 0.05 => path += &format!("H{:.1}V{y:.1}", across.inside(from)),
            Some(_) => (),
        }
        (before, end) = (Some(y), across.inside(to));
    }
    if path.is_empty() {
        return path;
    }
    let hint = crate::page::html::escape(hint);
    format!("<path class=\"{class}\" d=\"{path}H{end:.1}\"><title>{hint}</title></path>")
}

/// The highest rate at each of [`COLUMNS`] places along an axis; NaN where there is no column.
pub fn along(columns: &[RateColumn], across: &Scale) -> Vec<f64> {
    let [left, right] = across.places();
    let place = |time: f64| (across.inside(time) - left) / (right - left) * COLUMNS as f64;
    let mut values = vec![f64::NAN; COLUMNS];
    for &([from, to], [_, greatest]) in columns {
        let (first, last) = (place(from) as usize, place(to).ceil() as usize);
        for value in values.iter_mut().take(last).skip(first) {
            *value = value.max(greatest);
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maxima_stay_and_ends_are_known() {
        let mut values = vec![1.0; 100_000];
        values[54_321] = 9.0;
        let series = Series { values: &values, hertz: 2.0, origin_s: -3.0 };
        let columns = series.columns([-3.0, 60_000.0], 500);
        assert_eq!((columns.len(), highest(&columns)), (500, 9.0));
        assert_eq!((columns[0].0[0], columns[499].0[1]), (-3.0, 49_997.0));
        let along = along(&columns, &Scale::across([0.0, 60_000.0]));
        assert!(along.contains(&9.0) && along[0] == 1.0 && along[COLUMNS - 1].is_nan());
    }

    #[test]
    fn equal_neighbours_are_one_stroke() {
        let columns: Vec<RateColumn> =
            (0..100).map(|n| ([f64::from(n), f64::from(n) + 1.0], [0.0, 5.0])).collect();
        let (across, up) = (Scale::across([0.0, 100.0]), Scale::linear([0.0, 10.0], [100.0, 0.0]));
        let line = outline("run", &columns, &across, &up, "a<b");
        assert_eq!(line, "<path class=\"run\" d=\"M74.0 50.0H1100.0\"><title>a&lt;b</title></path>");
    }
}

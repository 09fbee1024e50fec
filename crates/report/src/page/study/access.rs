//! Access sizes per project: figure 10.

use marigraph_analysis::study::{AccessSizes, Choice, Study};

use super::super::traffic::SIZES;
use super::filtered;
use super::projects::TOP_PROJECTS;
use crate::page::draw::frame::Scale;
use crate::page::draw::plot::{self, Key, Plot, WIDTH};
use crate::page::draw::svg::{rect, text};
use crate::table::shorten;
use crate::units::{count, percent};

/// Panels in a row.
const ACROSS: usize = 5;
const PANEL: f64 = WIDTH / ACROSS as f64;
const LEFT: f64 = 44.0;
const TOP: f64 = 36.0;
const HEIGHT: f64 = 110.0;
const ROW: f64 = TOP + HEIGHT + 48.0;
/// Bins with labels.
const NAMED: [(usize, &str); 5] = [(0, "100 B"), (2, "10 K"), (4, "1 M"), (7, "100 M"), (9, ">1 G")];

pub fn sizes(study: &Study, choice: &Choice) -> String {
    let all = &study.performance.sizes;
    let shown = &all[..all.len().min(TOP_PROJECTS)];
    let top = highest(shown);
    let panels = shown.iter().enumerate().map(|(at, project)| {
        let (x, y) = (PANEL * (at % ACROSS) as f64, ROW * (at / ACROSS) as f64);
        format!("<g transform=\"translate({x:.1} {y:.1})\">{}</g>", panel(project, top))
    });
    let content: String = panels.collect();
    let rows = shown.len().div_ceil(ACROSS) as f64;
    let keys: Vec<Key> =
        vec![("read".into(), "share of reads".into()), ("write".into(), "share of writes".into())];
    let caption = format!(
        "POSIX reads and writes by size, in ten bins labelled with their upper bounds ({}), each as a share of the project's reads or writes. {} Shown: {} of {} projects, most bytes first.",
        SIZES.join(", "),
        filtered(study, choice),
        shown.len(),
        count(all.len() as u64)
    );
    plot::figure("Sizes of accesses per project", ROW * rows, &content, &keys, &caption)
}

/// The largest share of all, rounded up to a quarter, so that panels can be compared.
fn highest(shown: &[AccessSizes]) -> f64 {
    let most = |values: &[f64]| values.iter().copied().fold(0.0, f64::max) / values.iter().sum::<f64>();
    let all = shown.iter().flat_map(|project| [most(&project.read), most(&project.write)]);
    let most = all.filter(|share| share.is_finite()).fold(0.0, f64::max);
    ((most * 4.0).ceil() / 4.0).clamp(0.25, 1.0)
}

fn panel(project: &AccessSizes, most: f64) -> String {
    let bottom = TOP + HEIGHT;
    let plot = Plot {
        across: Scale::linear([0.0, SIZES.len() as f64], [LEFT, PANEL - 12.0]),
        up: Scale::linear([0.0, most], [bottom, TOP]),
    };
    let marks: Vec<plot::Tick> = [0.0, most / 2.0, most].map(|at| (at, format!("{} %", at * 100.0))).to_vec();
    let mut out = plot::title(0.0, &shorten(&project.project, 24)) + &plot.side(&marks, "");
    for (at, name) in NAMED {
        out += &text(plot.across.at(at as f64 + 0.5), bottom + 16.0, "axis", "middle", name);
    }
    let sides = [("read", "reads", &project.read), ("write", "writes", &project.write)];
    for (side, (class, word, values)) in sides.into_iter().enumerate() {
        let whole: f64 = values.iter().sum();
        for (at, &value) in values.iter().enumerate().filter(|(_, value)| **value > 0.0) {
            let share = value / whole;
            let [x, y] = plot.place((at as f64 + 0.08 + 0.42 * side as f64, share));
            let top = y.min(bottom - 1.5);
            let hint = format!(
                "{}, {}: {} {word}, {}",
                project.project,
                SIZES[at],
                count(value as u64),
                percent(share)
            );
            out += &rect(x, top, 0.42 * (plot.across.at(1.0) - LEFT), bottom - top, class, &hint);
        }
    }
    let amounts = [&project.read, &project.write].map(|values| round(values.iter().sum::<f64>()));
    let amounts = match amounts {
        [reads, writes] if reads == "0" && writes == "0" => "no POSIX calls".to_string(),
        [reads, writes] => format!("{reads} reads, {writes} writes"),
    };
    out + &text(LEFT, bottom + 32.0, "axis", "start", &amounts)
}

fn round(value: f64) -> String {
    let units = [(1e12, " T"), (1e9, " G"), (1e6, " M")];
    let unit = units.into_iter().find(|(one, _)| value >= *one);
    unit.map_or_else(|| count(value as u64), |(one, name)| format!("{:.1}{name}", value / one))
}

#[cfg(test)]
mod tests {
    use super::round;

    #[test]
    fn large_numbers_are_short() {
        assert_eq!(round(55_767_520_554.0), "55.8 G");
        assert_eq!(round(999_999.0), "999,999");
        assert_eq!(round(3.2e12), "3.2 T");
    }
}

//! Files against processes of runs: figure 5.

use std::collections::BTreeMap;

use marigraph_analysis::study::{Choice, FilePoint, Study};

use super::projects::TOP_PROJECTS;
use crate::page::draw::frame::{self, Scale};
use crate::page::draw::plot::{self, Key, Plot, circle, colour};
use crate::page::draw::svg::text;
use crate::page::draw::ticks;
use crate::table::shorten;
use crate::units::{count, percent};

const LEFT: f64 = 84.0;
const RIGHT: f64 = 48.0;
const TOP: f64 = 34.0;
const HEIGHT: f64 = 380.0;
/// Distance of the line of runs without a file below the plot.
const NONE: f64 = 26.0;
/// Side of the squares, in points, whose runs become one dot.
const CELL: f64 = 3.0;

struct Dot {
    runs: u64,
    processes: [u64; 2],
    files: [u64; 2],
}

pub fn scatter(study: &Study, _: &Choice) -> String {
    let points = &study.files_per_run.points;
    let most = |of: fn(&FilePoint) -> u64| points.iter().map(of).max().unwrap_or(1).max(10) as f64;
    let bottom = TOP + HEIGHT;
    let plot = Plot {
        across: Scale::logarithmic([0.8, most(|point| point.processes) * 1.5], [LEFT, plot::WIDTH - RIGHT]),
        up: Scale::logarithmic([0.8, most(|point| point.files) * 1.5], [bottom, TOP]),
    };
    let names: Vec<&str> =
        study.projects.iter().take(TOP_PROJECTS).map(|project| project.project.as_str()).collect();
    let mut out = plot.side(&ticks::powers_of_ten(&plot.up), "files of the run");
    out += &nothing(&plot);
    out += &lines(&plot);
    out += &dots(points, &plot, &names);
    let below = Plot { up: Scale::linear([0.0, 1.0], [bottom + 2.0 * NONE, TOP]), ..plot };
    out += &below.foot(&ticks::powers_of_ten(&plot.across), "processes of the run");
    let runs: u64 = points.iter().map(|point| point.runs).sum();
    let caption = format!(
        "Logarithmic scales. Distinct files of a run over all interfaces, without standard streams; {} of {} runs ({}) used no file and lie on the bottom line. Lines: one file per process (N:N) and one file (N:1). Larger dots are more runs. Colours: the {} projects with the most bytes.",
        count(study.files_per_run.without),
        count(runs),
        percent(study.files_per_run.without as f64 / runs.max(1) as f64),
        names.len()
    );
    let mut keys: Vec<Key> =
        names.iter().enumerate().map(|(at, name)| (colour(at), shorten(name, 28))).collect();
    if study.projects.len() > names.len() {
        keys.push(("wait".to_string(), "all others".to_string()));
    }
    plot::figure("Files against processes of each run", bottom + 2.0 * NONE + 46.0, &out, &keys, &caption)
}

/// The lines N:N and N:1, with labels outside the plot, where no dot is.
fn lines(plot: &Plot) -> String {
    let end = plot.across.values()[1].min(plot.up.values()[1]);
    let ([x1, y1], [x2, y2]) = (plot.place((1.0, 1.0)), plot.place((end, end)));
    let [right, one] = plot.place((f64::MAX, 1.0));
    let name = if x2 < right - 1.0 {
        text(x2, y2 - 6.0, "value", "middle", "N:N")
    } else {
        text(right + 6.0, y2 + 4.0, "value", "start", "N:N")
    };
    frame::told_line("guide", [x1, y1], [x2, y2], "one file per process")
        + &frame::told_line("guide", [x1, one], [right, one], "one file")
        + &name
        + &text(right + 6.0, one + 4.0, "value", "start", "N:1")
}

fn nothing(plot: &Plot) -> String {
    let ([left, right], y) = (plot.across.places(), TOP + HEIGHT + NONE);
    frame::line("grid", [left, y], [right, y]) + &text(left - 8.0, y + 4.0, "axis", "end", "no file")
}

fn dots(points: &[FilePoint], plot: &Plot, names: &[&str]) -> String {
    let mut by: BTreeMap<(usize, &str, i64, i64), Dot> = BTreeMap::new();
    for point in points {
        // Projects without a colour are drawn first, below the others.
        let rank = names.iter().position(|name| *name == point.project).map_or(0, |at| names.len() - at);
        let [x, y] = place(plot, point);
        let cell = |value: f64| (value / CELL).round() as i64;
        let dot = by.entry((rank, &point.project, cell(x), cell(y))).or_insert(Dot {
            runs: 0,
            processes: [point.processes; 2],
            files: [point.files; 2],
        });
        dot.runs += point.runs;
        dot.processes = widened(dot.processes, point.processes);
        dot.files = widened(dot.files, point.files);
    }
    let drawn = by.iter().map(|((rank, project, x, y), dot)| {
        let class = if *rank == 0 { "wait".to_string() } else { colour(names.len() - rank) };
        let hint = format!(
            "{project}: {} runs with {} processes and {} files",
            count(dot.runs),
            range(dot.processes),
            range(dot.files)
        );
        let radius = 2.4 + 1.1 * (dot.runs as f64).log2().min(8.0);
        circle(&format!("point {class}"), [*x as f64 * CELL, *y as f64 * CELL], radius, &hint)
    });
    drawn.collect()
}

fn place(plot: &Plot, point: &FilePoint) -> [f64; 2] {
    let [x, y] = plot.place((point.processes as f64, point.files as f64));
    [x, if point.files == 0 { TOP + HEIGHT + NONE } else { y }]
}

fn widened([low, high]: [u64; 2], value: u64) -> [u64; 2] {
    [low.min(value), high.max(value)]
}

fn range([low, high]: [u64; 2]) -> String {
    if low == high { count(low) } else { format!("{} to {}", count(low), count(high)) }
}

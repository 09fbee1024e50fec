//! Performance of projects: figure 11, Tables V to VII.

use marigraph_analysis::study::{ByNodes, ByRun, Characteristics, Choice, PerformanceBox, Study};

use super::super::html::{self, Cell, TableColumn};
use super::cells::{bytes, digits, number, share, tall, three, word};
use super::filtered;
use crate::page::draw::frame::{self, Scale};
use crate::page::draw::plot::{self, Plot, WIDTH};
use crate::page::draw::svg::{rect, text};
use crate::page::draw::ticks;
use crate::table::shorten;
use crate::units::count;

const LEFT: f64 = 200.0;
const RIGHT: f64 = 90.0;
const TOP: f64 = 20.0;
const ROW: f64 = 24.0;
/// Maximum number of projects drawn.
const MOST: usize = 40;
/// Maximum number of runs named that exceed the limit.
const NAMED: usize = 5;

/// MiB/s per compute node of projects.
pub fn performance(study: &Study, choice: &Choice) -> String {
    let all = &study.performance.boxes;
    let shown = &all[..all.len().min(MOST)];
    let values = || shown.iter().flat_map(|one| [one.five.min, one.five.max]).filter(|&value| value > 0.0);
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let bottom = TOP + ROW * shown.len() as f64 + 6.0;
    let plot = Plot {
        across: Scale::logarithmic([least.min(most) * 0.7, most * 1.3], [LEFT, WIDTH - RIGHT]),
        up: Scale::linear([0.0, 1.0], [bottom, TOP - 14.0]),
    };
    let marks = ticks::powers_of_ten(&plot.across);
    let mut out = String::new();
    for (value, _) in &marks {
        let x = plot.across.at(*value);
        out += &frame::line("grid", [x, TOP], [x, bottom]);
    }
    out += &plot.foot(&marks, "MiB/s per compute node (powers of ten)");
    for (at, one) in shown.iter().enumerate() {
        out += &drawn(one, &plot.across, TOP + ROW * at as f64);
    }
    out += &limited(choice, &plot);
    let caption = format!(
        "Whiskers: smallest and largest value of a project's runs; box: first to third quartile; line: median. Quartiles by linear interpolation (type 7). Throughput is estimated from the slowest process and divided by compute nodes. {} {}{}",
        filtered(study, choice),
        if shown.len() < all.len() {
            format!("Shown: {MOST} of {} projects. ", count(all.len() as u64))
        } else {
            String::new()
        },
        beyond(study, choice)
    );
    plot::figure("MiB/s per compute node and project", bottom + 46.0, &out, &[], caption.trim_end())
}

fn limited(choice: &Choice, plot: &Plot) -> String {
    let Some(limit) = choice.node_limit.filter(|&limit| plot.across.holds(limit)) else {
        return String::new();
    };
    let (x, words) = (plot.across.at(limit), format!("limit {} MiB/s", digits(limit)));
    frame::told_line("marked", [x, plot.up.places()[0]], [x, TOP - 4.0], &words)
        + &text(x, TOP - 8.0, "value", "middle", &words)
}

fn beyond(study: &Study, choice: &Choice) -> String {
    let Some(limit) = choice.node_limit else {
        return "--node-limit flags runs above a throughput limit per node.".to_string();
    };
    let all = &study.performance.beyond;
    if all.is_empty() {
        return format!("No run is above the limit of {limit} MiB/s per node.");
    }
    let named = all
        .iter()
        .take(NAMED)
        .map(|(job, project, value)| format!("job {job} of {project} ({} MiB/s)", digits(*value)));
    format!(
        "{} runs are above the limit of {limit} MiB/s per node, so their estimate is implausible (caches, or clocks): {}{}.",
        count(all.len() as u64),
        named.collect::<Vec<_>>().join(", "),
        if all.len() > NAMED { " and others" } else { "" }
    )
}

fn drawn(one: &PerformanceBox, across: &Scale, y: f64) -> String {
    let five = one.five;
    let middle = y + ROW / 2.0;
    let [min, q1, median, q3, max] =
        [five.min, five.q1, five.median, five.q3, five.max].map(|value| across.inside(value));
    let hint = format!(
        "{}, {} runs: minimum {}, first quartile {}, median {}, third quartile {}, maximum {} MiB/s per node",
        one.project,
        count(one.runs),
        digits(five.min),
        digits(five.q1),
        digits(five.median),
        digits(five.q3),
        digits(five.max)
    );
    text(LEFT - 10.0, middle + 4.0, "axis", "end", &shorten(&one.project, 28))
        + &frame::line("whisker", [min, middle], [q1, middle])
        + &frame::line("whisker", [q3, middle], [max, middle])
        + &frame::line("whisker", [min, middle - 4.0], [min, middle + 4.0])
        + &frame::line("whisker", [max, middle - 4.0], [max, middle + 4.0])
        + &rect(q1, middle - 7.0, (q3 - q1).max(1.5), 14.0, "box", &hint)
        + &frame::line("median", [median, middle - 7.0], [median, middle + 7.0])
        + &text(WIDTH - RIGHT + 10.0, middle + 4.0, "value", "start", &format!("{} runs", count(one.runs)))
}

pub fn characteristics(study: &Study, choice: &Choice) -> String {
    let columns = [
        TableColumn::Words("project"),
        TableColumn::Number("runs"),
        TableColumn::Number("MiB/s/node"),
        TableColumn::Number("metadata"),
        TableColumn::Number("files/process"),
        TableColumn::Number("written/process"),
        TableColumn::Number("made/process"),
        TableColumn::Number("sequential"),
        TableColumn::Number("aligned"),
        TableColumn::Number("MiB/process"),
        TableColumn::Number("I/O of run time"),
    ];
    let line = |row: &Characteristics| -> Vec<Cell> {
        vec![
            word(&row.project),
            number(row.runs as f64),
            three(row.per_node),
            share(row.metadata_share),
            three(row.files_per_process),
            three(row.written_per_process),
            three(row.made_per_process),
            share(row.sequential),
            share(row.aligned),
            three(row.mib_per_process),
            share(row.io_share),
        ]
    };
    let rows: Vec<Vec<Cell>> = study.performance.characteristics.iter().map(line).collect();
    let note = format!(
        "Means over the runs of a project. Metadata: share of I/O time in metadata calls. Sequential: accesses at a higher offset than the previous one; aligned: accesses that start at a file block (both POSIX). I/O of run time: I/O of the slowest process. Created files are known only if logs have the size at open. {}",
        filtered(study, choice)
    );
    tall(&html::sortable(&columns, &rows, "plain sortable close")) + &html::note(&note)
}

pub fn by_run(study: &Study, choice: &Choice) -> String {
    let Some((project, runs)) = &study.performance.by_run else { return String::new() };
    let columns = [
        TableColumn::Number("job"),
        TableColumn::Words("program"),
        TableColumn::Number("processes"),
        TableColumn::Number("MiB/s/node"),
        TableColumn::Number("metadata"),
        TableColumn::Number("most frequent access"),
    ];
    let line = |run: &ByRun| -> Vec<Cell> {
        vec![
            (run.job_id.to_string(), Some(run.job_id as f64)),
            word(&run.exe),
            number(run.processes as f64),
            three(run.per_node),
            share(run.metadata_share),
            bytes(run.common_access),
        ]
    };
    let rows: Vec<Vec<Cell>> = runs.iter().map(line).collect();
    let note = format!(
        "Project {project}, which moved the most bytes of those compared: runs from fastest to slowest, at most twenty, evenly chosen. {}",
        filtered(study, choice)
    );
    html::sortable(&columns, &rows, "plain sortable") + &html::note(&note)
}

pub fn by_nodes(study: &Study, choice: &Choice) -> String {
    let Some((project, sizes)) = &study.performance.by_nodes else { return String::new() };
    let columns = [
        TableColumn::Number("compute nodes"),
        TableColumn::Number("runs"),
        TableColumn::Number("MiB/s/node"),
        TableColumn::Number("MiB/process"),
    ];
    let line = |row: &ByNodes| -> Vec<Cell> {
        vec![
            number(row.nodes as f64),
            number(row.runs as f64),
            three(row.per_node),
            three(row.mib_per_process),
        ]
    };
    let rows: Vec<Vec<Cell>> = sizes.iter().map(line).collect();
    let note = format!(
        "Project {project}, which ran on the most different numbers of nodes; means over its runs on each number of nodes. {}",
        filtered(study, choice)
    );
    html::sortable(&columns, &rows, "plain sortable") + &html::note(&note)
}

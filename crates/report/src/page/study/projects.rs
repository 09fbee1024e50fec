//! Bytes of projects, and how much of them was recorded: figure 4 and Table II.

use marigraph_analysis::study::{Choice, Coverage, CoverageRow, ProjectBytes, Study};

use super::super::html::{self, Cell, TableColumn};
use super::cells::{number, share, tall, word};
use crate::page::draw::frame::{self, Scale};
use crate::page::draw::svg::{rect, text};
use crate::page::draw::{plot, ticks};
use crate::study::letters;
use crate::table::shorten;
use crate::units::{bytes, count, percent};

/// Number of projects in the published figure.
pub const TOP_PROJECTS: usize = 10;
const LEFT: f64 = 160.0;
const RIGHT: f64 = 170.0;
const TOP: f64 = 16.0;
const ROW: f64 = 32.0;
const BAR: f64 = 11.0;
/// Ratio of largest to smallest above which bars are logarithmic.
const WIDE_RANGE: f64 = 200.0;

pub fn heaviest(study: &Study, _: &Choice) -> String {
    let shown = &study.projects[..study.projects.len().min(TOP_PROJECTS)];
    let known = |of: fn(&ProjectBytes) -> u64| shown.iter().map(move |project| of(project) as f64);
    let all = || known(|project| project.read).chain(known(|project| project.written)).filter(|&n| n > 0.0);
    let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(1.0, f64::max));
    let places = [LEFT, plot::WIDTH - RIGHT];
    let wide = most / least > WIDE_RANGE;
    let scale = if wide {
        Scale::logarithmic([(least / 2.0).max(1.0), most], places)
    } else {
        Scale::linear([0.0, most], places)
    };
    let bottom = TOP + ROW * shown.len() as f64;
    let mut out = axis(&scale, wide, bottom);
    for (at, project) in shown.iter().enumerate() {
        out += &bars(project, &scale, TOP + ROW * at as f64);
    }
    let keys = [("read", "bytes read"), ("write", "bytes written")]
        .map(|(class, name)| (class.to_string(), name.to_string()));
    let by = if wide { "Logarithmic scale. " } else { "" };
    let caption = format!(
        "{by}The {} of {} projects with the most bytes, read and written, at the lowest interface of recorded runs.",
        shown.len(),
        count(study.projects.len() as u64)
    );
    plot::figure("Bytes read and written by the heaviest projects", bottom + 42.0, &out, &keys, &caption)
}

fn axis(scale: &Scale, wide: bool, bottom: f64) -> String {
    let [left, right] = scale.places();
    let unit = ticks::byte_unit(scale.values()[1]);
    let (all, words) = if wide {
        (ticks::powers_of_two(scale.values()), "bytes (powers of two)".to_string())
    } else {
        (ticks::even(scale, 8, unit), unit.name.to_string())
    };
    let mut out = frame::line("axis", [left, TOP], [left, bottom]);
    for (value, label) in all {
        let x = scale.at(value);
        out += &frame::line("grid", [x, TOP], [x, bottom]);
        out += &text(x, bottom + 16.0, "axis", "middle", &label);
    }
    out + &text((left + right) / 2.0, bottom + 34.0, "axis", "middle", &words)
}

fn bars(project: &ProjectBytes, scale: &Scale, y: f64) -> String {
    let name = shorten(&project.project, 22);
    let mut out = text(LEFT - 10.0, y + ROW / 2.0 + 3.0, "axis", "end", &name);
    for (at, (class, amount, what)) in
        [("read", project.read, "read"), ("write", project.written, "written")].into_iter().enumerate()
    {
        let width = if amount > 0 { (scale.inside(amount as f64) - LEFT).max(1.5) } else { 0.0 };
        let hint =
            format!("{}: {} {what} in {} runs", project.project, bytes(amount as f64), count(project.runs));
        out += &rect(LEFT, y + 4.0 + (BAR + 1.0) * at as f64, width, BAR, class, &hint);
    }
    let words = format!("{} · {}", bytes(project.read as f64), bytes(project.written as f64));
    out + &text(plot::WIDTH - RIGHT + 10.0, y + ROW / 2.0 + 3.0, "value", "start", &words)
}

pub fn coverage(study: &Study, _: &Choice) -> String {
    let Some(coverage) = &study.coverage else { return String::new() };
    let columns = [
        TableColumn::Words("project"),
        TableColumn::Number("jobs recorded"),
        TableColumn::Number("jobs"),
        TableColumn::Number("share"),
        TableColumn::Number("core-hours recorded"),
        TableColumn::Number("core-hours"),
        TableColumn::Number("share"),
        TableColumn::Fixed("interfaces"),
    ];
    let rows: Vec<Vec<Cell>> = coverage.rows.iter().map(row).collect();
    let caption = "Ended jobs in the scheduler log, most bytes first. A job counts as recorded if at least one log belongs to it: the same number, started while the job ran (within 300 s). Interfaces of recorded runs: H HDF5, M MPI-IO, N PnetCDF, D DAOS, S STDIO, P POSIX.";
    totals(coverage) + &tall(&html::sortable(&columns, &rows, "plain sortable")) + &html::note(caption)
}

fn totals(coverage: &Coverage) -> String {
    let totals = coverage.totals;
    let of = |part: f64, whole: f64| percent(if whole > 0.0 { part / whole } else { 0.0 });
    html::facts(&[
        (
            "jobs recorded",
            format!(
                "{} of {} ({})",
                count(totals.jobs_recorded),
                count(totals.jobs),
                of(totals.jobs_recorded as f64, totals.jobs as f64)
            ),
        ),
        (
            "core-hours recorded",
            format!(
                "{} of {} ({})",
                count(totals.core_hours_recorded.round() as u64),
                count(totals.core_hours.round() as u64),
                of(totals.core_hours_recorded, totals.core_hours)
            ),
        ),
        (
            "projects with a recorded job",
            format!("{} of {}", count(coverage.projects_recorded), count(coverage.projects)),
        ),
    ])
}

fn row(row: &CoverageRow) -> Vec<Cell> {
    let totals = row.totals;
    let of = |part: f64, whole: f64| share((whole > 0.0).then(|| part / whole));
    vec![
        word(&row.project),
        number(totals.jobs_recorded as f64),
        number(totals.jobs as f64),
        of(totals.jobs_recorded as f64, totals.jobs as f64),
        number(totals.core_hours_recorded),
        number(totals.core_hours),
        of(totals.core_hours_recorded, totals.core_hours),
        word(&letters(row)),
    ]
}

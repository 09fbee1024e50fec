//! Data of the plots that the browser draws.

use marigraph_analysis::grid::{Grid, whole};
use marigraph_analysis::timeline::{Evidence, Picture};
use marigraph_model::{Direction, Module};
use serde_json::{Value, json};

use super::{JobPage, html};

fn best<'a>(page: &'a JobPage<'_>) -> Vec<(Module, Evidence, &'a Picture)> {
    let incomplete = |interface: Module| {
        let traced = match interface {
            Module::Posix => Module::DxtPosix,
            Module::MpiIo => Module::DxtMpiio,
            _ => return false,
        };
        page.shown.modules.iter().any(|line| line.module == traced && line.partial)
    };
    page.timeline.best(&incomplete)
}

fn source(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Trace => "every operation (DXT)",
        Evidence::Heatmap => "heat maps (bytes per time bin)",
        Evidence::Records => "first and last access of each file, bytes spread evenly between them",
    }
}

pub fn timeline(page: &JobPage<'_>) -> String {
    let best = best(page);
    let Some(widest) = best.iter().map(|(_, _, picture)| picture.curve.bin_s()).reduce(f64::max) else {
        return html::absent("No bytes were moved, or the log has no times.");
    };
    let runtime = page.shown.job.runtime_s();
    let series: Vec<Value> = best
        .iter()
        .map(|(module, _, picture)| {
            let curve = widened(&picture.curve, widest);
            let columns = curve.used_columns(runtime);
            json!({
                "name": module.name(),
                "read": whole(&curve.row(0, Direction::Read)[..columns]),
                "write": whole(&curve.row(0, Direction::Write)[..columns]),
            })
        })
        .collect();
    let notes: Vec<String> = best
        .iter()
        .map(|(module, evidence, _)| format!("{}: {}", module.name(), source(*evidence)))
        .collect();
    let data = json!({ "bin_s": widest, "unit": "B/s", "source": notes.join("; "), "series": series });
    widget("timeline", "timeline-data", &data)
}

pub fn map(page: &JobPage<'_>) -> String {
    let best = best(page);
    let maps: Vec<(Module, &Grid)> = best
        .iter()
        .filter_map(|(module, _, picture)| picture.map.as_ref().map(|map| (*module, map)))
        .filter(|(_, map)| !map.is_empty())
        .collect();
    let Some(widest) = maps.iter().map(|(_, map)| map.bin_s()).reduce(f64::max) else {
        return html::absent(
            "Not in this log: neither a heat map (Darshan 3.4 and later) nor a trace (DXT) was recorded.",
        );
    };
    let runtime = page.shown.job.runtime_s();
    let grids: Vec<(Module, Grid)> =
        maps.iter().map(|(module, map)| (*module, widened(map, widest))).collect();
    let columns = grids.iter().map(|(_, grid)| grid.used_columns(runtime)).max().unwrap_or(1);
    let rows = grids.iter().map(|(_, grid)| grid.rows()).max().unwrap_or(1);
    let cells = |grid: &Grid, direction| -> Vec<u64> {
        (0..rows).flat_map(|row| whole(&grid.row(row, direction)[..columns])).collect()
    };
    let series: Vec<Value> = grids
        .iter()
        .map(|(module, grid)| {
            json!({ "name": module.name(), "read": cells(grid, Direction::Read), "write": cells(grid, Direction::Write) })
        })
        .collect();
    let data = json!({
        "bin_s": widest,
        "cols": columns,
        "rows": rows,
        "ranks_per_row": page.timeline.ranks_per_row(),
        "nprocs": page.shown.job.nprocs.max(1),
        "series": series,
    });
    widget("heatmap", "heatmap-data", &data)
}

fn widget(class: &str, id: &str, data: &Value) -> String {
    format!(
        "<div class=\"{class}\" data-json=\"{id}\"><p class=\"empty\">Drawn by the page's script.</p></div>\n<script type=\"application/json\" id=\"{id}\">{}</script>\n",
        html::script_json(data)
    )
}

fn widened(grid: &Grid, bin_s: f64) -> Grid {
    let mut grid = grid.clone();
    grid.widen(bin_s);
    grid
}

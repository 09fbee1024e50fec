//! Individual runs, with the bursts marked.

use marigraph_analysis::signature::{Dropped, Sample, Signature, Used};

use super::{bursts, series};
use crate::page::draw::columns::{highest, under};
use crate::page::draw::frame::{self, COLUMNS, Scale};
use crate::page::draw::panel::Panel;
use crate::page::draw::svg::{rect, text};
use crate::table::shorten;
use crate::units::{count, precise_seconds};

const TOP: f64 = 30.0;
/// Heights of a run, and of a run with words above it.
const ROW: f64 = 34.0;
const WORDY: f64 = 50.0;
/// Height of a curve and of the marks below it.
const CURVE: f64 = 22.0;
const MARK: f64 = 4.0;
const MAX_USED: usize = 24;
const MAX_DROPPED: usize = 8;
/// Small pictures need fewer columns.
const COARSE: usize = COLUMNS / 2;

pub fn panel(signature: &Signature, across: &Scale) -> Panel {
    let shown = signature.used.len().min(MAX_USED);
    let aside = if shown < signature.used.len() {
        format!("{shown} of {} runs; each scaled to its own maximum", count(signature.used.len() as u64))
    } else {
        "each scaled to its own maximum; marks: its bursts".to_string()
    };
    let mut out = frame::heading("Individual runs", &aside);
    let mut y = TOP;
    for used in signature.used.iter().take(shown) {
        out += &run(used, across, y);
        y += ROW;
    }
    let seen = signature.dropped.iter().filter_map(|dropped| Some((dropped, dropped.sample.as_ref()?)));
    for (dropped, sample) in seen.take(MAX_DROPPED) {
        out += &left_out(dropped, sample, across, y);
        y += WORDY;
    }
    out += &bursts::foot(across, y + 4.0);
    Panel { content: out, height: y + 44.0, readout: None }
}

fn run(used: &Used, across: &Scale, y: f64) -> String {
    let mut out = String::new();
    for (at, &(start_s, end_s)) in used.placed.iter().enumerate() {
        let (from, to) = (across.inside(start_s), across.inside(end_s));
        let width = (to - from).max(1.5);
        let hint = format!(
            "job {}, burst {}: from {} to {}",
            used.run.job,
            at + 1,
            precise_seconds(start_s),
            precise_seconds(end_s)
        );
        out += &rect(from, y, width, CURVE, "band", &hint);
        out += &rect(from, y + CURVE + 1.0, width, MARK, "mark", &hint);
    }
    out + &curve("reach", &used.sample, across, y) + &label(&used.run.job, across, y)
}

fn left_out(dropped: &Dropped, sample: &Sample, across: &Scale, y: f64) -> String {
    let below = y + WORDY - ROW;
    let words = format!("left out: {}", dropped.why.reason());
    text(across.places()[0], below - 3.0, "axis", "start", &words)
        + &curve("left-out", sample, across, below)
        + &label(&dropped.job, across, below)
}

fn curve(class: &str, sample: &Sample, across: &Scale, y: f64) -> String {
    let columns = series(sample).columns(across.values(), COARSE);
    let up = Scale::linear([0.0, highest(&columns)], [y + CURVE, y]);
    let ends = [across.inside(0.0), across.inside(sample.duration_s)].map(|x| [x, y + CURVE]);
    frame::line("axis", ends[0], ends[1]) + &under(class, &columns, across, &up)
}

fn label(job: &str, across: &Scale, y: f64) -> String {
    text(across.places()[0] - 10.0, y + CURVE - 4.0, "axis", "end", &shorten(job, 10))
}

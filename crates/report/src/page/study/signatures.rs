//! Signatures of the heaviest applications, as small panels.

use marigraph_analysis::study::{Choice, SignatureFacts, Study};

use super::super::html::escape;
use crate::page::draw::columns::{Series, highest, under};
use crate::page::draw::frame::{self, Scale};
use crate::page::draw::plot::{self, Key, Plot, WIDTH};
use crate::page::draw::svg::text;
use crate::page::draw::ticks;
use crate::table::shorten;
use crate::units::{bytes, count, rate, seconds};

/// Maximum number of applications drawn.
const MOST: usize = 12;
const ACROSS: usize = 4;
const PANEL: f64 = WIDTH / ACROSS as f64;
const LEFT: f64 = 40.0;
const TOP: f64 = 60.0;
const HEIGHT: f64 = 90.0;
const ROW: f64 = TOP + HEIGHT + 62.0;
const COLUMNS: usize = (PANEL - LEFT) as usize;

pub fn heaviest(study: &Study, _: &Choice) -> String {
    let shown = &study.signatures[..study.signatures.len().min(MOST)];
    let panels = shown.iter().enumerate().map(|(at, one)| {
        let (x, y) = (PANEL * (at % ACROSS) as f64, ROW * (at / ACROSS) as f64);
        format!(
            "<g transform=\"translate({x:.1} {y:.1})\"><title>{}</title>{}</g>",
            escape(&told(one)),
            panel(one)
        )
    });
    let content: String = panels.collect();
    let keys: Vec<Key> = vec![("read".into(), "read".into()), ("write".into(), "written".into())];
    let caption = format!(
        "Bytes per second over a run, as if the application ran alone; each panel has its own scales. Shown: {} of {} signatures, heaviest first.",
        shown.len(),
        count(study.signatures.len() as u64)
    );
    plot::figure(
        "Signatures of the heaviest applications",
        ROW * shown.len().div_ceil(ACROSS) as f64,
        &content,
        &keys,
        &caption,
    )
}

fn told(one: &SignatureFacts) -> String {
    format!(
        "{} of {}: {} bursts, {} read and {} written in {}{}",
        one.app,
        one.user,
        count(one.bursts),
        bytes(one.bytes_read),
        bytes(one.bytes_written),
        seconds(one.duration_s),
        one.confidence.map_or_else(String::new, |value| format!("; confidence {value:.2}"))
    )
}

fn panel(one: &SignatureFacts) -> String {
    let bottom = TOP + HEIGHT;
    let hertz = 1.0 / one.step_s;
    let long = one.step_s * one.read.len().max(one.written.len()) as f64;
    let across = Scale::linear([0.0, long], [LEFT, PANEL - 14.0]);
    let columns = |values| Series { values, hertz, origin_s: 0.0 }.columns([0.0, long], COLUMNS);
    let (read, written) = (columns(&one.read), columns(&one.written));
    let most = highest(&read).max(highest(&written));
    let plot = Plot { across, up: Scale::linear([0.0, most.max(1.0)], [bottom, TOP]) };
    let (rates, time) = (frame::rate_unit(most), frame::time_unit(long));
    plot::title(0.0, &shorten(&one.app, 32))
        + &text(0.0, 30.0, "axis", "start", &shorten(&facts(one), 48))
        + &plot.side(&ticks::even(&plot.up, 3, rates), rates.name)
        + &under("write", &written, &across, &plot.up)
        + &under("read soft", &read, &across, &plot.up)
        + &plot.foot(&ticks::even(&across, 5, time), &format!("{}; at most {}", time.name, rate(most)))
}

fn facts(one: &SignatureFacts) -> String {
    let nodes = one.nodes.map_or_else(String::new, |nodes| format!(", {} nodes", count(nodes)));
    let period = one.period_s.map_or_else(String::new, |period| format!(", every {}", seconds(period)));
    format!("{}{nodes}, {} runs{period}", shorten(&one.user, 14), count(one.runs))
}

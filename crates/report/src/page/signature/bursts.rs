//! The signature over the time of a run, with its bursts.

use marigraph_analysis::signature::{Burst, Signature};

use crate::page::draw::columns::{Series, along, filled, highest};
use crate::page::draw::frame::{self, COLUMNS, Scale};
use crate::page::draw::panel::{Panel, Readout};
use crate::page::draw::svg::{rect, text};
use crate::units::{bytes, precise_seconds, rate};

const TOP: f64 = 50.0;
const PLOT: f64 = 170.0;
/// Maximum number of bursts that a panel can distinguish.
const MAX_MARKS: usize = 400;

/// Bytes written per second.
pub fn series(signature: &Signature) -> Series<'_> {
    Series { values: &signature.write, hertz: 1.0, origin_s: 0.0 }
}

pub fn panel(signature: &Signature, across: &Scale) -> Panel {
    let bottom = TOP + PLOT;
    let columns = series(signature).columns(across.values(), COLUMNS);
    let most = highest(&columns);
    let up = Scale::linear([0.0, most * 1.06], [bottom, TOP]);
    let mut out = frame::heading("Signature", "write traffic if it runs alone; shaded: bursts");
    out += &marks(signature, across, [TOP, bottom]);
    out += &frame::side_axis(&up, 5, frame::rate_unit(most));
    out += &filled(&columns, across, &up);
    out += &foot(across, bottom);
    let readout = Readout { kind: "rate", across: *across, values: along(&columns, across) };
    Panel { content: out, height: bottom + 40.0, readout: Some(readout) }
}

pub fn foot(across: &Scale, y: f64) -> String {
    let unit = frame::time_unit(across.values()[1]);
    frame::foot_axis(across, y, unit, &format!("{} since the run's start", unit.name))
}

/// Bursts behind the curve, with their bytes above where there is room.
fn marks(signature: &Signature, across: &Scale, [top, bottom]: [f64; 2]) -> String {
    if signature.bursts.len() > MAX_MARKS {
        return String::new();
    }
    let mut out = String::new();
    let [mut free, right] = across.places();
    for (at, burst) in signature.bursts.iter().enumerate() {
        let (from, to) = (across.inside(burst.start_s), across.inside(burst.end_s));
        out += &rect(from, top, (to - from).max(1.5), bottom - top, "band", &told(at, burst));
        let words = bytes(burst.bytes);
        let (middle, half) = ((from + to) / 2.0, words.chars().count() as f64 * 3.3);
        if middle - half >= free && middle + half <= right {
            out += &text(middle, top - 8.0, "value", "middle", &words);
            free = middle + half + 8.0;
        }
    }
    out
}

fn told(at: usize, burst: &Burst) -> String {
    format!(
        "burst {}: from {} to {}, {}, at most {}, in {} runs",
        at + 1,
        precise_seconds(burst.start_s),
        precise_seconds(burst.end_s),
        bytes(burst.bytes),
        rate(burst.peak),
        burst.support
    )
}

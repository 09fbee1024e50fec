//! Server traffic during all runs, with the signature over it.

use marigraph_analysis::quantile::nearest;
use marigraph_analysis::signature::Signature;

use super::{bursts, series};
use crate::page::draw::columns::{RateColumn, along, between, highest, outline};
use crate::page::draw::frame::{self, COLUMNS, Scale};
use crate::page::draw::panel::{Panel, Readout};

const TOP: f64 = 44.0;
const PLOT: f64 = 210.0;
/// Maximum number of runs drawn as lines; all count in the range.
const MAX_LINES: usize = 40;
/// Half the columns of the picture, since there are many lines.
const COARSE: usize = COLUMNS / 2;

pub fn panel(signature: &Signature, across: &Scale) -> Panel {
    let bottom = TOP + PLOT;
    let used: Vec<Vec<RateColumn>> =
        signature.used.iter().map(|used| series(&used.sample).columns(across.values(), COARSE)).collect();
    let alone = bursts::series(signature).columns(across.values(), COLUMNS);
    let most = used.iter().map(|columns| highest(columns)).fold(highest(&alone), f64::max);
    let up = Scale::linear([0.0, most * 1.03], [bottom, TOP]);
    let seen: Vec<Vec<f64>> = used.iter().map(|columns| along(columns, across)).collect();
    let mut out = frame::heading(
        "Server traffic",
        "lines: runs, grey: left out; shaded: the middle half of runs; red: the signature",
    );
    out += &frame::side_axis(&up, 5, frame::rate_unit(most));
    out += &between("middle", &middle_half(&seen, across), across, &up);
    for dropped in signature.dropped.iter().take(MAX_LINES) {
        let Some(sample) = &dropped.sample else { continue };
        let columns = series(sample).columns(across.values(), COARSE);
        out += &outline("run left-out", &columns, across, &up, &format!("job {}, left out", dropped.job));
    }
    for (used, columns) in signature.used.iter().zip(&used).take(MAX_LINES) {
        out += &outline("run", columns, across, &up, &format!("job {}", used.run.job));
    }
    out += &outline("alone", &alone, across, &up, "the signature");
    out += &bursts::foot(across, bottom);
    let values = (0..COLUMNS).map(|at| quantile(&seen, at, 1.0)).collect();
    let readout = Readout { kind: "rate", across: *across, values };
    Panel { content: out, height: bottom + 40.0, readout: Some(readout) }
}

fn middle_half(seen: &[Vec<f64>], across: &Scale) -> Vec<RateColumn> {
    let [from, to] = across.values();
    let time = |at: usize| from + (to - from) * at as f64 / COLUMNS as f64;
    (0..COLUMNS)
        .map(|at| ([time(at), time(at + 1)], [quantile(seen, at, 0.25), quantile(seen, at, 0.75)]))
        .collect()
}

fn quantile(seen: &[Vec<f64>], at: usize, share: f64) -> f64 {
    let rates = seen.iter().filter_map(|run| run.get(at)).copied().filter(|rate| !rate.is_nan());
    nearest(rates.collect(), share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_pass_over_what_was_not_seen() {
        let seen = [vec![1.0], vec![f64::NAN], vec![5.0], vec![2.0], vec![], vec![9.0], vec![3.0]];
        assert_eq!([0.0, 0.25, 0.75, 1.0].map(|share| quantile(&seen, 0, share)), [1.0, 2.0, 5.0, 9.0]);
        assert_eq!(quantile(&seen, 7, 0.5), 0.0);
    }
}

//! What all devices moved together, minute by minute.

use std::collections::{BTreeMap, HashMap};

use marigraph_analysis::minutes::MINUTE;
use marigraph_analysis::study::MinuteSum;
use marigraph_store::tables::DEVICES;
use marigraph_store::{Error, Snapshot};

use super::load::{number, word};

/// A minute of which less than this was observed may have a second row: two files met in it.
const WHOLE_S: f64 = MINUTE - 0.5;

/// The minutes in order.
pub fn load(study: &Snapshot) -> Result<Vec<MinuteSum>, Error> {
    let mut minutes: BTreeMap<i64, MinuteSum> = BTreeMap::new();
    let mut partly: HashMap<(String, i64), f64> = HashMap::new();
    let columns = ["device", "start_s", "observed_s", "bytes_read", "bytes_written"];
    study.read(&DEVICES, &columns, &mut |cells| {
        let &[device, start, observed, read, written] = cells else { return };
        let (Some(start), Some(observed)) = (number(start), number(observed)) else { return };
        let minute = (start / MINUTE).round() as i64;
        let sum = minutes.entry(minute).or_default();
        sum.start_s = minute as f64 * MINUTE;
        sum.read += number(read).unwrap_or(0.0);
        sum.written += number(written).unwrap_or(0.0);
        sum.observed_s = sum.observed_s.max(observed);
        if observed < WHOLE_S {
            *partly.entry((word(device).to_string(), minute)).or_default() += observed;
        }
    })?;
    for ((_, minute), observed) in partly {
        if let Some(sum) = minutes.get_mut(&minute) {
            sum.observed_s = sum.observed_s.max(observed.min(MINUTE));
        }
    }
    Ok(minutes.into_values().filter(|sum| sum.observed_s > 0.0).collect())
}

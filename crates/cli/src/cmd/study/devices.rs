//! The total traffic of all devices, minute by minute.

use std::collections::{BTreeMap, HashMap};

use marigraph_analysis::minutes::MINUTE;
use marigraph_analysis::study::MinuteSum;
use marigraph_store::tables::DeviceRow;
use marigraph_store::{Error, Snapshot};

/// A minute observed for less time may have a second row: two files met in it.
const WHOLE_S: f64 = MINUTE - 0.5;

marigraph_store::view! {
    /// What a device moved.
    struct Moved<'a> of DeviceRow {
        device: &'a str, start_s: Option<f64>, observed_s: Option<f64>,
        bytes_read: Option<f64>, bytes_written: Option<f64>,
    }
}

/// Sorted by time.
pub fn load(study: &Snapshot) -> Result<Vec<MinuteSum>, Error> {
    let mut minutes: BTreeMap<i64, MinuteSum> = BTreeMap::new();
    let mut partly: HashMap<(String, i64), f64> = HashMap::new();
    study.read::<Moved>(|row| {
        let (Some(start), Some(observed)) = (row.start_s, row.observed_s) else { return };
        let minute = (start / MINUTE).round() as i64;
        let sum = minutes.entry(minute).or_default();
        sum.start_s = minute as f64 * MINUTE;
        sum.read += row.bytes_read.unwrap_or(0.0);
        sum.written += row.bytes_written.unwrap_or(0.0);
        sum.observed_s = sum.observed_s.max(observed);
        if observed < WHOLE_S {
            *partly.entry((row.device.to_string(), minute)).or_default() += observed;
        }
    })?;
    for ((_, minute), observed) in partly {
        if let Some(sum) = minutes.get_mut(&minute) {
            sum.observed_s = sum.observed_s.max(observed.min(MINUTE));
        }
    }
    Ok(minutes.into_values().filter(|sum| sum.observed_s > 0.0).collect())
}

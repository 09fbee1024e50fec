//! Throughput logs as rows of `devices`: the traffic of each device per minute.
//!
//! Logs grow and are read again, and consecutive files meet within a minute. So the last known
//! minute is kept per device and hour, and only later ones are added.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use marigraph_analysis::minutes::{MINUTE, Minute, Minutes};
use marigraph_formats::server::{Zone, read_throughput};
use marigraph_store::tables::DeviceRow;
use marigraph_store::{JobKey, Rows, Study};
use marigraph_system::monitor::pattern::matches;

use super::{Outcome, remark};
use crate::args::IngestArgs;
use crate::error::Failure;
use crate::input::Input;

const HOUR: i64 = 60;
/// A minute split over two files may be longer by this much, due to rounding.
const SLACK_S: f64 = 0.5;

/// From device and hour to the last known minute, and the seconds observed of it.
type Known = BTreeMap<(String, i64), (i64, f64)>;

/// Adds throughput logs to a study.
pub struct Devices {
    study: PathBuf,
    pattern: Option<String>,
    known: Mutex<Option<Known>>,
}

impl Devices {
    pub fn new(args: &IngestArgs) -> Devices {
        Devices { study: args.into.clone(), pattern: args.devices.clone(), known: Mutex::new(None) }
    }

    fn known(&self) -> MutexGuard<'_, Option<Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn gather(&self, input: &Input<'_>, zone: &Zone) -> Result<Outcome, Failure> {
        let mut minutes = Minutes::default();
        let facts = read_throughput(input.content, zone, &mut |reading| minutes.add(reading))
            .map_err(|error| input.refused(&error))?;
        facts.problems.iter().chain(&input.damage).for_each(|problem| remark(input, &problem.message));
        let summed = minutes.finish();
        if summed.by_source.is_empty() {
            return Ok(Outcome::Empty("a throughput log without readings"));
        }
        if summed.repeated > 0 {
            let count = summed.repeated;
            remark(input, &format!("{count} readings repeat an earlier time and are left out"));
        }
        let mut guard = self.known();
        let known = match &mut *guard {
            Some(known) => known,
            unknown => unknown.insert(load(&self.study).map_err(|error| Failure::store(&self.study, error))?),
        };
        let mut rows = Rows::default();
        let (mut dropped, sources) = (Vec::new(), summed.by_source.len());
        for (source, minutes) in summed.by_source {
            let named = facts.sources.get(source as usize).filter(|name| !name.is_empty());
            let name = named.cloned().unwrap_or_else(|| stem(input.name));
            if self.pattern.as_ref().is_some_and(|pattern| !matches(pattern, &name)) {
                dropped.push(name);
                continue;
            }
            add(&mut rows, &name, &minutes, known, input.name);
        }
        if !dropped.is_empty() {
            remark(input, &format!("not selected by --devices: {}", dropped.join(", ")));
            if dropped.len() == sources {
                return Ok(Outcome::Empty("a throughput log without a selected device"));
            }
        }
        Ok(if rows.is_empty() { Outcome::AlreadyThere } else { Outcome::Rows(rows) })
    }
}

/// A source without a name in the log is named after its file.
fn stem(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(file).to_string()
}

fn add(rows: &mut Rows, name: &str, minutes: &[(i64, Minute)], known: &mut Known, source: &str) {
    let new: Vec<&(i64, Minute)> = minutes
        .iter()
        .filter(|(minute, sums)| match known.get(&(name.to_string(), minute.div_euclid(HOUR))) {
            None => true,
            Some(&(last, observed)) => {
                *minute > last || *minute == last && observed + sums.observed_s <= MINUTE + SLACK_S
            }
        })
        .collect();
    let (Some((first, _)), Some((last, _))) = (new.first(), new.last()) else { return };
    // Two processes that add the same log at the same time get the same key.
    let stretch =
        JobKey::of(format!("devices\n{name}\n{first}\n{last}\n{}", new.len()).as_bytes()).to_string();
    for (minute, sums) in new {
        let entry = known.entry((name.to_string(), minute.div_euclid(HOUR))).or_insert((*minute, 0.0));
        if entry.0 < *minute {
            *entry = (*minute, 0.0);
        }
        entry.1 += sums.observed_s;
        rows.push(DeviceRow {
            row_key: &stretch,
            device: name,
            start_s: Some(*minute as f64 * MINUTE),
            seconds: Some(MINUTE),
            observed_s: Some(sums.observed_s),
            bytes_read: Some(sums.read),
            bytes_written: Some(sums.written),
            source,
        });
    }
}

marigraph_store::view! {
    /// Which time of a device is known.
    struct Observed<'a> of DeviceRow { device: &'a str, start_s: Option<f64>, observed_s: Option<f64> }
}

fn load(study: &std::path::Path) -> Result<Known, marigraph_store::Error> {
    let mut known = Known::new();
    Study::open(study)?.snapshot()?.read::<Observed>(|row| {
        let (Some(start), Some(observed)) = (row.start_s, row.observed_s) else { return };
        let minute = (start / MINUTE).round() as i64;
        let entry = known.entry((row.device.to_string(), minute.div_euclid(HOUR))).or_insert((minute, 0.0));
        if entry.0 < minute {
            *entry = (minute, 0.0);
        }
        if entry.0 == minute {
            entry.1 += observed;
        }
    })?;
    Ok(known)
}

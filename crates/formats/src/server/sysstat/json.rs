//! Reads `iostat -o JSON` and `sadf -j`: the same tree with different names.

use std::borrow::Cow;

use marigraph_model::{Direction, Problem, ProblemKind, Reading};
use serde_json::{Map, Value};

use super::super::json::{Piece, documents};
use super::super::moment::Clock;
use super::super::zone::Zone;
use super::runs::Runs;
use super::units::rate_column;
use super::{Device, Devices, show};
use crate::csv::row::Bad;
use crate::error::Error;

pub(in super::super) fn sniff(content: &[u8]) -> bool {
    let beginning = content.get(..content.len().min(4096)).unwrap_or(&[]).trim_ascii_start();
    beginning.starts_with(b"{") && memchr::memmem::find(beginning, b"\"sysstat\"").is_some()
}

pub(in super::super) fn read(
    content: &[u8],
    zone: &Zone,
    each: &mut dyn FnMut(Reading),
) -> Result<(Vec<String>, Vec<Problem>), Error> {
    let mut tree = Tree::new(zone);
    let mut cut = false;
    for document in documents(content) {
        cut |= !document.whole;
        let hosts = document.get("sysstat").and_then(|sysstat| sysstat.get("hosts"));
        for host in hosts.into_iter().flat_map(Piece::items) {
            tree.host(host, each);
        }
    }
    tree.finish(cut, each)
}

struct Tree<'z> {
    clock: Clock<'z>,
    /// Reports of `iostat`, whose lengths follow only from all of them.
    runs: Runs<'static>,
    devices: Devices,
    bad: Bad,
    reports: u64,
    stamps: u64,
}

impl<'z> Tree<'z> {
    fn new(zone: &'z Zone) -> Tree<'z> {
        Tree {
            clock: Clock::new(zone),
            runs: Runs::default(),
            devices: Devices::default(),
            bad: Bad::default(),
            reports: 0,
            stamps: 0,
        }
    }

    fn host(&mut self, host: Piece<'_>, each: &mut dyn FnMut(Reading)) {
        let name: String = host.get("nodename").and_then(Piece::value).unwrap_or_default();
        self.runs.begin();
        let statistics = host.get("statistics");
        for report in statistics.into_iter().flat_map(Piece::items).filter(|report| report.whole) {
            self.reports += 1;
            match report.value::<Map<String, Value>>() {
                Some(report) => self.report(&name, &report, each),
                None => self.bad.add(self.reports, "no report".to_string()),
            }
        }
    }

    fn report(&mut self, host: &str, report: &Map<String, Value>, each: &mut dyn FnMut(Reading)) {
        let mut devices = Vec::new();
        for disk in report.get("disk").and_then(Value::as_array).into_iter().flatten() {
            match device(disk) {
                Some(device) => devices.push(device),
                None => self.bad.add(self.reports, "a device without rates".to_string()),
            }
        }
        match report.get("timestamp") {
            Some(Value::String(stamp)) => {
                self.stamps += 1;
                self.runs.report(host, Cow::Owned(stamp.clone()), &devices);
            }
            Some(Value::Object(stamp)) => {
                self.stamps += 1;
                self.of_sadf(host, stamp, &devices, each);
            }
            _ => {}
        }
    }

    fn of_sadf(
        &mut self,
        host: &str,
        stamp: &Map<String, Value>,
        devices: &[Device],
        each: &mut dyn FnMut(Reading),
    ) {
        let text = |key: &str| stamp.get(key).and_then(Value::as_str).unwrap_or_default();
        let utc = stamp.get("utc").and_then(Value::as_i64) == Some(1);
        let moment = format!("{}T{}{}", text("date"), text("time"), if utc { "Z" } else { "" });
        let seconds = stamp.get("interval").and_then(Value::as_f64).filter(|seconds| *seconds > 0.0);
        match (self.clock.read_all(moment.as_bytes()), seconds) {
            (Some(end), Some(seconds)) => {
                let mut rates = Vec::new();
                self.devices.count(host, devices, &mut rates);
                show(&rates, end, seconds, each);
            }
            _ => self.bad.add(self.reports, "a report without a time or an interval".to_string()),
        }
    }

    fn finish(
        mut self,
        cut: bool,
        each: &mut dyn FnMut(Reading),
    ) -> Result<(Vec<String>, Vec<Problem>), Error> {
        if self.reports > 0 && self.stamps == 0 {
            let detail = "iostat output without times".to_string();
            return Err(Error::Lacking { detail, hint: "run iostat with -t -o JSON" });
        }
        let sadf = self.runs.is_empty();
        let (names, mut problems) = if sadf {
            let (names, left_out) = self.devices.finish();
            (names, left_out.into_iter().collect())
        } else {
            self.runs.finish(&mut self.clock, each)
        };
        problems.extend(self.bad.problem_of("report"));
        if cut {
            let message = format!("the JSON is truncated after {} complete reports", self.reports);
            problems.push(Problem::new(ProblemKind::Truncated, message));
        }
        Ok((names, problems))
    }
}

fn device(disk: &Value) -> Option<Device> {
    let fields = disk.as_object()?;
    let name = fields.get("disk_device").or_else(|| fields.get("disk-device"))?.as_str()?.to_string();
    let rate = |wanted: Direction| {
        // Kilobytes are more exact than sectors, which newer versions also print.
        let found = fields.iter().filter_map(|(key, value)| Some((rate_column(key)?, value)));
        let (_, unit, value) = found
            .filter(|((way, _), _)| *way == wanted)
            .map(|((way, unit), value)| (way, unit, value))
            .max_by(|one, other| one.1.total_cmp(&other.1))?;
        value.as_f64().map(|value| value * unit).filter(|bytes| *bytes >= 0.0 && bytes.is_finite())
    };
    Some(Device { name, read: rate(Direction::Read)?, write: rate(Direction::Write)? })
}

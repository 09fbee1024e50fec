//! Output of sysstat programs: `iostat` as text and JSON, `sadf` as `-d` and `-j`.
//!
//! All of them stamp rates at the end of their interval, and a report covers all devices of a host.

use std::collections::BTreeSet;

use marigraph_model::{Problem, ProblemKind, Reading};

use super::devices::counted;
use super::sources::Sources;

pub(super) mod iostat;
pub(super) mod json;
mod runs;
pub(super) mod sadf;
mod stamp;
mod units;

/// Rates of one device in a report, in bytes per second.
#[derive(Debug, Clone, PartialEq)]
struct Device {
    name: String,
    read: f64,
    write: f64,
}

/// Index of a device name, and rates of reads and writes.
type Rates = (u32, f64, f64);

#[derive(Debug, Default)]
struct Devices {
    sources: Sources,
    left_out: BTreeSet<String>,
}

impl Devices {
    fn count(&mut self, host: &str, devices: &[Device], rates: &mut Vec<Rates>) {
        let names: Vec<&str> = devices.iter().map(|device| device.name.as_str()).collect();
        for (device, counts) in devices.iter().zip(counted(&names)) {
            if counts {
                let number = self.sources.number(host.as_bytes(), device.name.as_bytes());
                rates.push((number, device.read, device.write));
            } else if !self.left_out.contains(&device.name) {
                self.left_out.insert(device.name.clone());
            }
        }
    }

    fn finish(self) -> (Vec<String>, Option<Problem>) {
        let few: Vec<&str> = self.left_out.iter().take(5).map(String::as_str).collect();
        let more = if self.left_out.len() > few.len() { ", ..." } else { "" };
        let message = format!(
            "{} devices are left out: the disks below them count their bytes ({}{more})",
            self.left_out.len(),
            few.join(", ")
        );
        let problem = (!few.is_empty()).then(|| Problem::new(ProblemKind::NotRecorded, message));
        (self.sources.into_names(), problem)
    }
}

fn show(rates: &[Rates], end: f64, seconds: f64, each: &mut dyn FnMut(Reading)) {
    for &(source, read, write) in rates {
        each(Reading { source, start: end - seconds, seconds, read, write });
    }
}

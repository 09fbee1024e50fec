//! Logs of servers and schedulers: throughput over time ([`read_throughput`]) and jobs
//! ([`read_jobs`]).
//!
//! Both take content (see [`crate::unpack`]) of any known format and recognise it. A format is one
//! module here (`sniff` and `read`) and one line in [`THROUGHPUT`] or [`JOBS`]. Times without a
//! zone are in the given [`Zone`].

use marigraph_model::{BatchJob, Problem, Reading};

use crate::error::Error;

use sysstat::{iostat, json as sysstat_json, sadf};

mod devices;
mod fields;
mod job_table;
mod jobs;
mod json;
mod moment;
pub mod monitor;
mod number;
mod prometheus;
mod rates;
mod sacct_json;
mod sources;
mod spacing;
mod swf;
mod sysstat;
mod zone;

pub use zone::{UnknownZone, Zone};

/// What a throughput log contains besides its readings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ThroughputFacts {
    pub format: &'static str,
    /// Indexed by [`Reading::source`]. Empty if the log names none.
    pub sources: Vec<String>,
    pub problems: Vec<Problem>,
}

type ReadThroughput = fn(&[u8], &Zone, &mut dyn FnMut(Reading)) -> Result<(Vec<String>, Vec<Problem>), Error>;

/// One format of throughput logs.
pub struct ThroughputFormat {
    pub name: &'static str,
    pub sniff: fn(&[u8]) -> bool,
    pub read: ReadThroughput,
}

/// The first that recognises the content reads it.
pub static THROUGHPUT: &[ThroughputFormat] = &[
    ThroughputFormat { name: "sysstat-json", sniff: sysstat_json::sniff, read: sysstat_json::read },
    ThroughputFormat { name: "prometheus", sniff: prometheus::sniff, read: prometheus::read },
    ThroughputFormat { name: "sadf", sniff: sadf::sniff, read: sadf::read },
    ThroughputFormat { name: "csv", sniff: rates::sniff, read: rates::read },
    ThroughputFormat { name: "iostat", sniff: iostat::sniff, read: iostat::read },
    ThroughputFormat { name: "monitor", sniff: monitor::sniff, read: monitor::read },
];

/// Readings of one source come in log order.
pub fn read_throughput(
    content: &[u8],
    zone: &Zone,
    each: &mut dyn FnMut(Reading),
) -> Result<ThroughputFacts, Error> {
    let content = without_mark(content);
    if content.is_empty() {
        return Err(Error::Empty);
    }
    let form = THROUGHPUT.iter().find(|form| (form.sniff)(content)).ok_or(Error::NoThroughput)?;
    let (sources, problems) = (form.read)(content, zone, each)?;
    Ok(ThroughputFacts { format: form.name, sources, problems })
}

pub fn is_throughput(content: &[u8]) -> bool {
    THROUGHPUT.iter().any(|form| (form.sniff)(without_mark(content)))
}

pub fn is_jobs(content: &[u8]) -> bool {
    JOBS.iter().any(|form| (form.sniff)(without_mark(content)))
}

/// Content of a job log.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JobLog {
    pub format: &'static str,
    /// In log order.
    pub jobs: Vec<BatchJob>,
    pub problems: Vec<Problem>,
}

type ReadJobs = fn(&[u8], &Zone) -> Result<(Vec<BatchJob>, Vec<Problem>), Error>;

/// One format of job logs.
pub struct JobFormat {
    pub name: &'static str,
    pub sniff: fn(&[u8]) -> bool,
    pub read: ReadJobs,
}

/// The first that recognises the content reads it.
pub static JOBS: &[JobFormat] = &[
    JobFormat { name: "sacct-json", sniff: sacct_json::sniff, read: sacct_json::read },
    JobFormat { name: "swf", sniff: swf::sniff, read: swf::read },
    JobFormat { name: "sacct", sniff: job_table::sniff_sacct, read: job_table::read },
    JobFormat { name: "csv", sniff: job_table::sniff, read: job_table::read },
];

/// No job ends before it starts.
pub fn read_jobs(content: &[u8], zone: &Zone) -> Result<JobLog, Error> {
    let content = without_mark(content);
    if content.is_empty() {
        return Err(Error::Empty);
    }
    let form = JOBS.iter().find(|form| (form.sniff)(content)).ok_or(Error::NoJobs)?;
    let (jobs, problems) = (form.read)(content, zone)?;
    Ok(JobLog { format: form.name, jobs, problems })
}

/// Parses a time as users write it: seconds since 1970, `2026-03-01`, or `2026-03-01T12:30:00` with
/// or without a zone.
pub fn read_moment(text: &str, zone: &Zone) -> Option<f64> {
    let text = text.trim();
    let mut clock = moment::Clock::new(zone);
    let at_midnight = || format!("{text}T00:00:00");
    clock.read_all(text.as_bytes()).or_else(|| clock.read_all(at_midnight().as_bytes()))
}

/// Removes the byte order mark that some programs write.
fn without_mark(content: &[u8]) -> &[u8] {
    content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content)
}

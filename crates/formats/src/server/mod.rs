//! What servers and schedulers log by themselves: throughput over time ([`read_throughput`]) and jobs
//! ([`read_jobs`]).
//!
//! Both take content (see [`crate::unpack`]) of any known form and recognise it. A form is one module here
//! (`sniff` and `read`) and one line in [`THROUGHPUT`] or [`JOBS`]. Times without a zone are those of a [`Zone`].

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

/// What a log of throughput tells beside its readings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ThroughputFacts {
    /// Name of the form.
    pub format: &'static str,
    /// Names of the sources, as [`Reading::source`] counts them. Empty where the log names none.
    pub sources: Vec<String>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// Streams the readings of a throughput log and gives the names of their sources with what was wrong.
type ReadThroughput = fn(&[u8], &Zone, &mut dyn FnMut(Reading)) -> Result<(Vec<String>, Vec<Problem>), Error>;

/// One form of throughput log.
pub struct ThroughputFormat {
    /// Its name.
    pub name: &'static str,
    /// Whether content begins like it.
    pub sniff: fn(&[u8]) -> bool,
    /// Reads content that does.
    pub read: ReadThroughput,
}

/// Every form of throughput log that can be read. The first that recognises the content reads it.
pub static THROUGHPUT: &[ThroughputFormat] = &[
    ThroughputFormat { name: "sysstat-json", sniff: sysstat_json::sniff, read: sysstat_json::read },
    ThroughputFormat { name: "prometheus", sniff: prometheus::sniff, read: prometheus::read },
    ThroughputFormat { name: "sadf", sniff: sadf::sniff, read: sadf::read },
    ThroughputFormat { name: "csv", sniff: rates::sniff, read: rates::read },
    ThroughputFormat { name: "iostat", sniff: iostat::sniff, read: iostat::read },
    ThroughputFormat { name: "monitor", sniff: monitor::sniff, read: monitor::read },
];

/// Shows every reading of a throughput log; those of one source in the order of the log.
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

/// Whether content begins like a throughput log of a known form.
pub fn is_throughput(content: &[u8]) -> bool {
    THROUGHPUT.iter().any(|form| (form.sniff)(without_mark(content)))
}

/// Whether content begins like a job log of a known form.
pub fn is_jobs(content: &[u8]) -> bool {
    JOBS.iter().any(|form| (form.sniff)(without_mark(content)))
}

/// What a job log tells.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JobLog {
    /// Name of the form.
    pub format: &'static str,
    /// The jobs, in the order of the log.
    pub jobs: Vec<BatchJob>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// The jobs of a log, and what was wrong.
type ReadJobs = fn(&[u8], &Zone) -> Result<(Vec<BatchJob>, Vec<Problem>), Error>;

/// One form of job log.
pub struct JobFormat {
    /// Its name.
    pub name: &'static str,
    /// Whether content begins like it.
    pub sniff: fn(&[u8]) -> bool,
    /// Reads content that does.
    pub read: ReadJobs,
}

/// Every form of job log that can be read. The first that recognises the content reads it.
pub static JOBS: &[JobFormat] = &[
    JobFormat { name: "sacct-json", sniff: sacct_json::sniff, read: sacct_json::read },
    JobFormat { name: "swf", sniff: swf::sniff, read: swf::read },
    JobFormat { name: "sacct", sniff: job_table::sniff_sacct, read: job_table::read },
    JobFormat { name: "csv", sniff: job_table::sniff, read: job_table::read },
];

/// Reads the jobs of a scheduler's log; none of them ends before it starts.
pub fn read_jobs(content: &[u8], zone: &Zone) -> Result<JobLog, Error> {
    let content = without_mark(content);
    if content.is_empty() {
        return Err(Error::Empty);
    }
    let form = JOBS.iter().find(|form| (form.sniff)(content)).ok_or(Error::NoJobs)?;
    let (jobs, problems) = (form.read)(content, zone)?;
    Ok(JobLog { format: form.name, jobs, problems })
}

/// A moment as users write it: seconds since 1970, `2026-03-01`, or `2026-03-01T12:30:00` with or without a zone.
pub fn read_moment(text: &str, zone: &Zone) -> Option<f64> {
    let text = text.trim();
    let mut clock = moment::Clock::new(zone);
    let at_midnight = || format!("{text}T00:00:00");
    clock.read_all(text.as_bytes()).or_else(|| clock.read_all(at_midnight().as_bytes()))
}

/// Without the byte order mark that some programs put first.
fn without_mark(content: &[u8]) -> &[u8] {
    content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content)
}

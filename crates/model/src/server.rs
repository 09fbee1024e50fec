//! Logs of a storage system and its scheduler: throughput of servers, and jobs.
//!
//! Nothing here was instrumented for one job: a [`Reading`] is the traffic of a device or a server,
//! whoever caused it, and a [`BatchJob`] is an entry of the scheduler's accounting.

/// Mean traffic of one source (a device, a target, a whole server) over one interval.
///
/// `start` is the beginning of the interval, whichever of its ends the log names. A period without
/// a reading was not observed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Index in the reader's list of names.
    pub source: u32,
    /// Seconds since the Unix epoch.
    pub start: f64,
    pub seconds: f64,
    /// Bytes per second.
    pub read: f64,
    /// Bytes per second.
    pub write: f64,
}

/// One job (never a job step) of a scheduler's log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchJob {
    /// The scheduler's id, with array index or component if it has one.
    pub id: String,
    /// The job's own numeric id, if the log has it: each task of an array has its own.
    pub number: Option<u64>,
    /// Login name, or what the log has in its place.
    pub user: String,
    /// Name of the job or of its executable.
    pub name: String,
    /// The account or project that pays.
    pub account: String,
    pub partition: String,
    /// As the log words it (`COMPLETED`, `TIMEOUT`, ...).
    pub state: String,
    pub nodes: Option<u64>,
    /// Processes or processors.
    pub processes: Option<u64>,
    /// Seconds since the Unix epoch.
    pub submit: Option<f64>,
    /// Seconds since the Unix epoch; `None` if it never began.
    pub start: Option<f64>,
    /// Seconds since the Unix epoch; `None` while it runs or if the log does not say.
    pub end: Option<f64>,
}

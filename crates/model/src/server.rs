//! What a storage system and its scheduler log by themselves: throughput of servers, and jobs.
//!
//! Nothing here was instrumented for one job: a [`Reading`] is the traffic of a device or a server,
//! whoever caused it, and a [`BatchJob`] is a line of the scheduler's accounting.

/// Mean traffic of one source (a device, a target, a whole server) over one interval.
///
/// `start` is the beginning of the interval in seconds since 1970, whatever moment the log names.
/// Rates are bytes per second. A stretch of time without a reading was not observed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Which source, as an index into the reader's list of names.
    pub source: u32,
    /// Beginning of the interval, seconds since 1970.
    pub start: f64,
    /// Length of the interval in seconds.
    pub seconds: f64,
    /// Bytes read per second.
    pub read: f64,
    /// Bytes written per second.
    pub write: f64,
}

/// One job (never a step of one) of a scheduler's log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchJob {
    /// The scheduler's name of the job, with array index or component where it has one.
    pub id: String,
    /// The number by which the job knows itself, where the log tells: tasks of an array have their own.
    pub number: Option<u64>,
    /// Login name, or whatever the log has in its place.
    pub user: String,
    /// Name of the job or of its executable.
    pub name: String,
    /// The account or project that pays.
    pub account: String,
    /// Queue or partition.
    pub partition: String,
    /// How it ended, as the log words it (`COMPLETED`, `TIMEOUT`, ...).
    pub state: String,
    /// Compute nodes, where told.
    pub nodes: Option<u64>,
    /// Processes or processors, where told.
    pub processes: Option<u64>,
    /// Moment of submission, seconds since 1970.
    pub submit: Option<f64>,
    /// Beginning, seconds since 1970; none where it never began.
    pub start: Option<f64>,
    /// End, seconds since 1970; none while it runs or where the log does not know.
    pub end: Option<f64>,
}

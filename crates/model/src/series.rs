//! Bytes over time, layouts of files, and job-wide summaries.

use crate::file::FileId;
use crate::job::Rank;
use crate::module::Module;
use crate::record::Scope;

/// Bytes read and written by one rank through one interface, in bins of equal width from the start
/// of the job.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    pub interface: Module,
    pub rank: Rank,
    /// Width of a bin in seconds.
    pub bin_s: f64,
    /// Bytes per bin.
    pub read: Vec<u64>,
    /// Bytes per bin.
    pub written: Vec<u64>,
}

impl Series {
    /// Maximum bins of a heat map, as in Darshan.
    pub const MAX_BINS: usize = 200;
    /// Initial width of a bin in seconds; it doubles as the run grows.
    pub const FIRST_BIN_S: f64 = 0.1;
}

/// How a file is laid out over storage targets (Lustre).
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    pub file: FileId,
    pub scope: Scope,
    /// In order of extent.
    pub components: Vec<Component>,
}

/// One component of a layout.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Component {
    /// In bytes.
    pub stripe_size: Option<i64>,
    /// Pattern bits: 0 raid0, 2 metadata target, 4 overstriped, 8 foreign.
    pub pattern: Option<i64>,
    pub flags: Option<i64>,
    pub extent_start: i64,
    /// `None` is the end of the file.
    pub extent_end: Option<i64>,
    pub mirror: Option<i64>,
    /// Pool of targets; empty if none.
    pub pool: String,
    /// One per stripe.
    pub targets: Vec<i64>,
}

/// MPI usage of the whole job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MpiSummary {
    pub sync_measured: bool,
    /// Variance over ranks of the time in MPI.
    pub time_variance: f64,
    /// Variance over ranks of the time in synchronisation.
    pub sync_variance: f64,
}

/// Location of the job on a Cray XC network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetworkSummary {
    pub blades: i64,
    pub chassis: i64,
    pub groups: i64,
    /// Of the nodes, as stored.
    pub memory_mode: i64,
    /// Of the nodes, as stored.
    pub cluster_mode: i64,
    pub app_id: u64,
}

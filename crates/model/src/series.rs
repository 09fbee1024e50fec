//! Bytes over time, and where files lie.

use crate::file::FileId;
use crate::job::Rank;
use crate::module::Module;
use crate::record::Scope;

/// Bytes read and written by one rank through one interface, in bins of equal width from the job's start.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Through which interface.
    pub interface: Module,
    /// Which process.
    pub rank: Rank,
    /// Width of a bin in seconds.
    pub bin_s: f64,
    /// Bytes read per bin.
    pub read: Vec<u64>,
    /// Bytes written per bin.
    pub written: Vec<u64>,
}

impl Series {
    /// Bins of a heat map at most, as in Darshan.
    pub const MAX_BINS: usize = 200;
    /// Seconds of a bin at first; they double as the run grows.
    pub const FIRST_BIN_S: f64 = 0.1;
}

/// How a file is laid out over storage targets (Lustre).
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// Which file.
    pub file: FileId,
    /// Whose record said so.
    pub scope: Scope,
    /// Its components in order of extent.
    pub components: Vec<Component>,
}

/// One component of a layout.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Component {
    /// Bytes per stripe.
    pub stripe_size: Option<i64>,
    /// Pattern bits: 0 raid0, 2 metadata target, 4 overstriped, 8 foreign.
    pub pattern: Option<i64>,
    /// Flag bits.
    pub flags: Option<i64>,
    /// First byte of the extent.
    pub extent_start: i64,
    /// End of the extent; `None` is the end of the file.
    pub extent_end: Option<i64>,
    /// Mirror.
    pub mirror: Option<i64>,
    /// Pool of targets; empty if none.
    pub pool: String,
    /// The storage targets, one per stripe.
    pub targets: Vec<i64>,
}

/// Facts about the MPI library's use by the whole job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MpiSummary {
    /// Whether synchronisation times were measured.
    pub sync_measured: bool,
    /// Variance over ranks of the time in MPI.
    pub time_variance: f64,
    /// Variance over ranks of the time in synchronisation.
    pub sync_variance: f64,
}

/// Where on a Cray XC network the job ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetworkSummary {
    /// Blades in use.
    pub blades: i64,
    /// Chassis in use.
    pub chassis: i64,
    /// Groups in use.
    pub groups: i64,
    /// Memory mode of the nodes, as stored.
    pub memory_mode: i64,
    /// Cluster mode of the nodes, as stored.
    pub cluster_mode: i64,
    /// The system's application id.
    pub app_id: u64,
}

//! Thresholds of the rules.

/// Values above which (or from which on) a rule reports.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    pub small_share: f64,
    /// Number of calls up to which size, order and collectives do not matter.
    pub few_calls: u64,
    pub tiny_share: f64,
    /// Accesses up to this share of a block are far below its size.
    pub block_part: f64,
    pub random_share: f64,
    pub unaligned_share: f64,
    pub seeks_per_access: f64,
    /// Share of bytes that were moved before.
    pub again_share: f64,
    /// Opens per file and rank.
    pub opens_per_file: f64,
    /// Share of I/O time in metadata calls.
    pub metadata_share: f64,
    /// Seconds in metadata calls of one record.
    pub metadata_s: f64,
    /// Bytes per process up to which one file each is too many.
    pub small_part: u64,
    /// Mean size in bytes up to which files are small.
    pub small_file: u64,
    pub many_files: u64,
    /// Share of the time on shared files lost to the slowest rank.
    pub lost_share: f64,
    /// Difference between the slowest and the fastest rank, as a share of all bytes or of all time.
    pub straggler_share: f64,
    /// Difference between most and least bytes, as a share of most.
    pub uneven_share: f64,
    /// Minimum number of processes.
    pub large_job: u64,
    /// Share of bytes moved by one process.
    pub one_rank_share: f64,
    pub independent_share: f64,
    /// Share of bytes through streams.
    pub stdio_share: f64,
    /// Difference between reads and writes, as a share of both.
    pub mix_share: f64,
    /// Size in bytes from which shared files should be striped.
    pub large_file: u64,
    /// Maximum bytes per second of a compute node.
    pub node_limit: f64,
    /// Minimum ratio of processes between compared jobs.
    pub scale_factor: f64,
    /// Slowdown per process from which an application does not scale.
    pub scale_loss: f64,
}

/// Drishti's values where it has the rule, otherwise values in use at computing centres.
pub const USUAL: Thresholds = Thresholds {
    small_share: 0.1,
    few_calls: 1000,
    tiny_share: 0.5,
    block_part: 1.0 / 16.0,
    random_share: 0.2,
    unaligned_share: 0.1,
    seeks_per_access: 0.9,
    again_share: 0.1,
    opens_per_file: 10.0,
    metadata_share: 0.3,
    metadata_s: 30.0,
    small_part: 64 << 20,
    small_file: 1 << 20,
    many_files: 1000,
    lost_share: 0.3,
    straggler_share: 0.15,
    uneven_share: 0.3,
    large_job: 64,
    one_rank_share: 0.9,
    independent_share: 0.5,
    stdio_share: 0.1,
    mix_share: 0.1,
    large_file: 1 << 30,
    // Two links of 100 Gbit/s.
    node_limit: 25e9,
    scale_factor: 4.0,
    scale_loss: 2.0,
};

//! The job and its mounts.

use crate::value::WallTime;

/// One process of the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(pub u32);

/// One run of a program.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Job {
    /// The scheduler's id, or the process id if there is no scheduler.
    pub id: i64,
    pub uid: i64,
    /// The command line.
    pub exe: String,
    pub nprocs: u64,
    /// Start of the first process.
    pub start: WallTime,
    /// End of the last process.
    pub end: WallTime,
    pub metadata: Vec<(String, String)>,
    /// In the order of the log.
    pub mounts: Vec<Mount>,
}

impl Job {
    /// 0 if the clock went back.
    pub fn runtime_s(&self) -> f64 {
        self.end.seconds_since(self.start).max(0.0)
    }
}

/// A mounted file system.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mount {
    pub path: String,
    /// `lustre`, `ext4`, ...
    pub fs_type: String,
}

/// Finds the file system of a path: the longest mount point that is a prefix of it.
#[derive(Debug, Clone)]
pub struct MountTable {
    /// Longest first; equal lengths keep the log's order.
    sorted: Vec<Mount>,
}

impl MountTable {
    pub fn new(mounts: &[Mount]) -> MountTable {
        let mut sorted = mounts.to_vec();
        sorted.sort_by_key(|mount| std::cmp::Reverse(mount.path.len()));
        MountTable { sorted }
    }

    pub fn mounts(&self) -> &[Mount] {
        &self.sorted
    }

    /// Index in [`Self::mounts`] of the file system that holds `path`.
    ///
    /// Any prefix matches, as in Darshan's own tools: `/home` also holds `/home2/x`.
    pub fn find(&self, path: &[u8]) -> Option<usize> {
        self.sorted.iter().position(|mount| path.starts_with(mount.path.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_prefix_wins_and_order_breaks_ties() {
        let mount = |path: &str, fs: &str| Mount { path: path.into(), fs_type: fs.into() };
        let table = MountTable::new(&[mount("/", "ext4"), mount("/lus", "a"), mount("/lus", "b")]);
        assert_eq!(table.find(b"/lus/x").map(|at| table.mounts()[at].fs_type.as_str()), Some("a"));
        assert_eq!(table.find(b"/etc/x").map(|at| table.mounts()[at].fs_type.as_str()), Some("ext4"));
        assert_eq!(table.find(b"<STDIN>"), None);
    }

    #[test]
    fn a_clock_that_went_back_gives_no_negative_runtime() {
        let job = Job { start: WallTime { seconds: 10, nanos: 0 }, ..Job::default() };
        assert_eq!(job.runtime_s(), 0.0);
    }
}

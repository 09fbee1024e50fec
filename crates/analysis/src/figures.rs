//! Derived figures of one module: estimated throughput, and files by kind of use.
//!
//! Definitions follow Darshan's own tools (format description, section 15).

use std::collections::HashMap;

use marigraph_model::{FileMap, MIB, Module, Record, Records, Scope, Sink};

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct RankTime {
    total: f64,
    meta: f64,
    data: f64,
}

/// Collects the input of the throughput estimate.
#[derive(Debug, Clone, Default)]
pub struct Throughput {
    bytes: i64,
    shared_s: f64,
    untimed: bool,
    by_rank: HashMap<u32, RankTime>,
}

/// A throughput estimate; assumes that shared files are accessed one after another.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Estimate {
    pub bytes: i64,
    /// The rank with the most time on its own files.
    pub slowest_rank: u32,
    /// Time of that rank on its own files.
    pub unique_s: f64,
    /// Metadata share of `unique_s`.
    pub unique_meta_s: f64,
    /// Read and write share of `unique_s`.
    pub unique_data_s: f64,
    /// Sum over shared files of the slowest rank's time.
    pub shared_s: f64,
    /// Whether a shared file moved bytes without a recorded time: then the rate is unknown.
    pub untimed: bool,
}

impl Estimate {
    pub fn seconds(&self) -> f64 {
        self.unique_s + self.shared_s
    }

    /// Zero if there was no time.
    pub fn mib_per_s(&self) -> f64 {
        let seconds = self.seconds();
        if seconds == 0.0 { 0.0 } else { self.bytes as f64 / MIB as f64 / seconds }
    }

    /// Zero if there was no time.
    pub fn bytes_per_s(&self) -> f64 {
        self.mib_per_s() * MIB as f64
    }
}

impl Throughput {
    pub fn add(&mut self, record: Record<'_>) {
        let roles = record.module.roles();
        let bytes = |role: Option<_>| role.and_then(|at| record.int(at).get()).unwrap_or(0);
        let seconds = |role: Option<_>| role.and_then(|at| record.float(at).get()).unwrap_or(0.0);
        self.bytes =
            self.bytes.saturating_add(bytes(roles.bytes_read)).saturating_add(bytes(roles.bytes_written));
        match record.scope {
            Scope::Shared => {
                let slowest = roles.rank_times.and_then(|(_, slowest)| record.float(slowest).get());
                self.untimed |= slowest.is_none()
                    && bytes(roles.bytes_read).saturating_add(bytes(roles.bytes_written)) > 0;
                self.shared_s += slowest.unwrap_or(0.0);
            }
            Scope::Rank(rank) => {
                let (meta, data) =
                    (seconds(roles.meta_time), seconds(roles.read_time) + seconds(roles.write_time));
                let of_rank = self.by_rank.entry(rank.0).or_default();
                of_rank.total += meta + seconds(roles.read_time) + seconds(roles.write_time);
                of_rank.meta += meta;
                of_rank.data += data;
            }
        }
    }

    pub fn estimate(&self) -> Estimate {
        let mut estimate = Estimate {
            bytes: self.bytes,
            shared_s: self.shared_s,
            untimed: self.untimed,
            ..Estimate::default()
        };
        let mut ranks: Vec<(&u32, &RankTime)> = self.by_rank.iter().collect();
        ranks.sort_by_key(|(rank, _)| **rank);
        for (&rank, time) in ranks {
            if time.total > estimate.unique_s {
                estimate.slowest_rank = rank;
                estimate.unique_s = time.total;
                estimate.unique_meta_s = time.meta;
                estimate.unique_data_s = time.data;
            }
        }
        estimate
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct FileUse {
    read: i64,
    written: i64,
    /// Highest offset, where the module records it.
    highest: Option<i64>,
    ranks: u64,
    shared: bool,
}

/// Counts files by kind of use.
#[derive(Debug, Clone, Default)]
pub struct FileKinds {
    files: FileMap<FileUse>,
}

/// Files of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FilesOfKind {
    pub files: i64,
    pub bytes: i64,
    /// Highest offset in any file; `None` if the module does not record it.
    pub highest: Option<i64>,
}

/// All kinds. A file without bytes is in none of `read_only`, `write_only` and `read_write`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kinds {
    /// Every file, including those only opened.
    pub total: FilesOfKind,
    pub read_only: FilesOfKind,
    pub write_only: FilesOfKind,
    pub read_write: FilesOfKind,
    pub unique: FilesOfKind,
    pub shared: FilesOfKind,
    /// Used by several processes, but not reduced to one record.
    pub part_shared: FilesOfKind,
}

impl FileKinds {
    pub fn add(&mut self, record: Record<'_>) {
        let roles = record.module.roles();
        let bytes = |role: Option<_>| role.and_then(|at| record.int(at).get()).unwrap_or(0);
        let file = self.files.entry(record.file).or_default();
        file.read = file.read.saturating_add(bytes(roles.bytes_read));
        file.written = file.written.saturating_add(bytes(roles.bytes_written));
        if let Some((read, written)) = roles.max_byte {
            let highest = bytes(Some(read)).max(bytes(Some(written)));
            file.highest = Some(file.highest.unwrap_or(0).max(highest));
        }
        match record.scope {
            Scope::Shared => file.shared = true,
            Scope::Rank(_) => file.ranks += 1,
        }
    }

    pub fn kinds(&self) -> Kinds {
        let mut kinds = Kinds::default();
        for file in self.files.values() {
            kinds.total.add(file);
            match (file.read > 0, file.written > 0) {
                (true, false) if file.written == 0 => kinds.read_only.add(file),
                (false, true) if file.read == 0 => kinds.write_only.add(file),
                (true, true) => kinds.read_write.add(file),
                _ => {}
            }
            match (file.shared, file.ranks) {
                (true, _) => kinds.shared.add(file),
                (false, 1) => kinds.unique.add(file),
                (false, _) => kinds.part_shared.add(file),
            }
        }
        kinds
    }
}

impl FilesOfKind {
    fn add(&mut self, file: &FileUse) {
        self.files += 1;
        self.bytes = self.bytes.saturating_add(file.read).saturating_add(file.written);
        self.highest = match (self.highest, file.highest) {
            (old, Some(new)) => Some(old.unwrap_or(0).max(new)),
            (_, None) => None,
        };
    }
}

/// Which figures to collect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wanted {
    pub total: bool,
    pub throughput: bool,
    pub files: bool,
}

/// Collects the figures of one module from a stream.
#[derive(Debug, Clone)]
pub struct Figures {
    module: Module,
    wanted: Wanted,
    pub total: crate::Aggregate,
    pub throughput: Throughput,
    pub files: FileKinds,
}

impl Figures {
    pub fn new(module: Module, wanted: Wanted) -> Figures {
        Figures {
            module,
            wanted,
            total: crate::Aggregate::new(module),
            throughput: Throughput::default(),
            files: FileKinds::default(),
        }
    }
}

impl Sink for Figures {
    fn records(&mut self, block: &Records) {
        if block.module() != self.module {
            return;
        }
        for record in block.iter() {
            if self.wanted.total {
                self.total.add(record, 1);
            }
            if self.wanted.throughput {
                self.throughput.add(record);
            }
            if self.wanted.files {
                self.files.add(record);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_model::counters::posix;
    use marigraph_model::{Count, Extra, FileId, Measure, Rank};

    fn sample() -> Records {
        let mut records = Records::new(Module::Posix);
        for (file, scope, read, written, seconds) in [
            (1, Scope::Rank(Rank(0)), 10, 0, 2.0),
            (2, Scope::Rank(Rank(1)), 0, 20, 5.0),
            (3, Scope::Rank(Rank(0)), 5, 5, 2.0),
            (3, Scope::Rank(Rank(1)), 5, 5, 1.0),
            (4, Scope::Shared, 0, 0, 1.5),
        ] {
            let mut ints = vec![Count::new(0); posix::INTS.len()];
            let mut floats = vec![Measure::new(0.0); posix::FLOATS.len()];
            ints[posix::BYTES_READ.at()] = Count::new(read);
            ints[posix::BYTES_WRITTEN.at()] = Count::new(written);
            ints[posix::MAX_BYTE_READ.at()] = Count::new(read * 2);
            floats[posix::F_META_TIME.at()] = Measure::new(seconds / 2.0);
            floats[posix::F_WRITE_TIME.at()] = Measure::new(seconds / 2.0);
            floats[posix::F_SLOWEST_RANK_TIME.at()] = Measure::new(seconds);
            records.push(FileId(file), scope, ints, floats, Extra::None);
        }
        records
    }

    #[test]
    fn figures_follow_their_definitions() {
        let wanted = Wanted { total: true, throughput: true, files: true };
        let mut figures = Figures::new(Module::Posix, wanted);
        figures.records(&sample());
        let estimate = figures.throughput.estimate();
        assert_eq!((estimate.bytes, estimate.slowest_rank), (50, 1));
        assert_eq!((estimate.unique_s, estimate.unique_meta_s, estimate.shared_s), (6.0, 3.0, 1.5));
        assert_eq!(estimate.seconds(), 7.5);
        let kinds = figures.files.kinds();
        let kind = |files, bytes, highest| FilesOfKind { files, bytes, highest: Some(highest) };
        assert_eq!(kinds.total, kind(4, 50, 20));
        assert_eq!(kinds.read_only, kind(1, 10, 20));
        assert_eq!(kinds.write_only, kind(1, 20, 0));
        assert_eq!(kinds.read_write, kind(1, 20, 10));
        assert_eq!(kinds.unique, kind(2, 30, 20));
        assert_eq!(kinds.shared, kind(1, 0, 0));
        assert_eq!(kinds.part_shared, kind(1, 20, 10));
        assert_eq!(figures.total.records(), 5);
    }

    #[test]
    fn a_shared_file_without_times_makes_the_rate_unknown() {
        let mut ints = vec![Count::new(0); posix::INTS.len()];
        ints[posix::BYTES_READ.at()] = Count::new(5);
        let mut records = Records::new(Module::Posix);
        records.push(FileId(1), Scope::Shared, ints, [], Extra::None);
        let mut throughput = Throughput::default();
        records.iter().for_each(|record| throughput.add(record));
        assert!(throughput.estimate().untimed);
    }

    #[test]
    fn nothing_gives_zero_not_nonsense() {
        let estimate = Throughput::default().estimate();
        assert_eq!((estimate.mib_per_s(), estimate.seconds()), (0.0, 0.0));
        assert_eq!(FileKinds::default().kinds(), Kinds::default());
    }
}

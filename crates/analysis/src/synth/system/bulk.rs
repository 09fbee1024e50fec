//! What a run does to its files: who, through which interface, how much and how fast.

/// The interfaces that a run's bytes pass, from the one it calls down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stack {
    /// POSIX alone.
    Posix,
    /// Streams alone.
    Stdio,
    /// MPI-IO above POSIX.
    MpiIo,
    /// HDF5 files and datasets above MPI-IO above POSIX.
    Hdf5,
    /// The same by a recorder that knows no datasets.
    Hdf5File,
    /// PnetCDF above MPI-IO above POSIX.
    Pnetcdf,
}

/// Interfaces by which bytes are counted, in the order of the letters `HNMSP`.
pub const INTERFACES: [(&str, &str); 5] =
    [("HDF5", "H"), ("MPI-IO", "M"), ("PnetCDF", "N"), ("STDIO", "S"), ("POSIX", "P")];

impl Stack {
    /// The one that the program calls: its bytes count here.
    pub fn top(self) -> &'static str {
        match self {
            Stack::Posix => "POSIX",
            Stack::Stdio => "STDIO",
            Stack::MpiIo => "MPI-IO",
            Stack::Hdf5 | Stack::Hdf5File => "HDF5",
            Stack::Pnetcdf => "PnetCDF",
        }
    }

    /// All that have an open.
    pub fn used(self) -> &'static [&'static str] {
        match self {
            Stack::Posix => &["POSIX"],
            Stack::Stdio => &["STDIO"],
            Stack::MpiIo => &["MPI-IO", "POSIX"],
            Stack::Hdf5 | Stack::Hdf5File => &["HDF5", "MPI-IO", "POSIX"],
            Stack::Pnetcdf => &["PnetCDF", "MPI-IO", "POSIX"],
        }
    }

    /// Whether its bytes end in POSIX.
    pub fn has_posix(self) -> bool {
        self != Stack::Stdio
    }
}

/// Which processes use which files. Large runs leave files to a few processes, as many real ones do; so logs stay small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// Every file is used by one process.
    Unique {
        /// Processes that have files.
        ranks: u32,
        /// Files of each.
        files: u32,
    },
    /// All processes use each file.
    Shared {
        /// Files.
        files: u32,
    },
    /// The same, but the log has a record of each process.
    Unreduced {
        /// Files.
        files: u32,
    },
    /// Every file is used by some processes.
    Partial {
        /// Processes that use a file, one each.
        ranks: u32,
        /// Files.
        files: u32,
    },
    /// All processes use each file through MPI-IO, and some of them do so through POSIX for the others.
    Collective {
        /// Files.
        files: u32,
        /// These processes.
        aggregators: u32,
    },
}

/// How the study names who uses a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// All processes.
    Shared,
    /// Some.
    Partial,
    /// One.
    Unique,
}

impl Class {
    /// As in the study.
    pub fn name(self) -> &'static str {
        match self {
            Class::Shared => "shared",
            Class::Partial => "partial",
            Class::Unique => "unique",
        }
    }
}

impl Sharing {
    /// No more processes than there are.
    pub fn within(self, nprocs: u32) -> Sharing {
        match self {
            Sharing::Unique { ranks, files } => Sharing::Unique { ranks: ranks.min(nprocs), files },
            Sharing::Collective { files, aggregators } => {
                Sharing::Collective { files, aggregators: aggregators.min(nprocs) }
            }
            other => other,
        }
    }

    /// How the study names it.
    pub fn class(self) -> Class {
        match self {
            Sharing::Unique { .. } => Class::Unique,
            Sharing::Partial { .. } => Class::Partial,
            Sharing::Shared { .. } | Sharing::Unreduced { .. } | Sharing::Collective { .. } => Class::Shared,
        }
    }

    /// Files.
    pub fn files(self) -> u32 {
        match self {
            Sharing::Unique { ranks, files } => ranks * files,
            Sharing::Shared { files } | Sharing::Unreduced { files } => files,
            Sharing::Partial { files, .. } | Sharing::Collective { files, .. } => files,
        }
    }

    /// Records at the lowest interface.
    pub fn records(self, nprocs: u32) -> u32 {
        match self {
            Sharing::Unique { ranks, files } => ranks * files,
            Sharing::Shared { files } => files,
            Sharing::Unreduced { files } => files * nprocs,
            Sharing::Partial { ranks, .. } => ranks,
            Sharing::Collective { files, aggregators } => files * aggregators,
        }
    }
}

/// Calls of one kind: all of one size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Calls {
    /// How many.
    pub count: u64,
    /// Bytes of each.
    pub size: u64,
}

impl Calls {
    /// About this many bytes in calls of this size; one smaller call if they do not fill it.
    pub fn of(bytes: f64, size: u64) -> Calls {
        if bytes < 1.0 {
            Calls::default()
        } else if bytes < size as f64 {
            Calls { count: 1, size: bytes as u64 }
        } else {
            Calls { count: (bytes / size as f64).round() as u64, size }
        }
    }

    /// All their bytes.
    pub fn bytes(self) -> u64 {
        self.count * self.size
    }
}

/// The I/O of a run, but for small streams beside it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bulk {
    /// Interfaces.
    pub stack: Stack,
    /// Who uses which file.
    pub sharing: Sharing,
    /// Records at the lowest interface; all are alike.
    pub records: u64,
    /// Reads of each record, and writes.
    pub reads: Calls,
    /// See `reads`.
    pub writes: Calls,
    /// Share of I/O time in metadata.
    pub metadata: f64,
    /// Share of accesses that are sequential, and that are aligned.
    pub order: [f64; 2],
    /// MiB/s per node.
    pub speed: f64,
    /// Seconds of I/O of the slowest process.
    pub slowest_s: f64,
}

/// Bytes of a MiB.
pub const MIB: f64 = marigraph_model::MIB as f64;

impl Bulk {
    /// Bytes read and written by all.
    pub fn bytes(&self) -> [u64; 2] {
        [self.reads.bytes() * self.records, self.writes.bytes() * self.records]
    }

    /// MiB moved by all.
    pub fn mib(&self) -> f64 {
        let [read, written] = self.bytes();
        (read + written) as f64 / MIB
    }

    /// Sequential reads and writes, and accesses not aligned, of one record.
    pub fn counted(&self) -> [u64; 3] {
        let share = |count: u64, share: f64| (count as f64 * share).floor() as u64;
        let all = self.reads.count + self.writes.count;
        let sequential = [self.reads.count, self.writes.count].map(|count| share(count, self.order[0]));
        // Where no access is sequential, the first one stands at the begin of the file, which is aligned.
        let begins = [self.reads.count, self.writes.count].into_iter().zip(sequential);
        let aligned = begins.filter(|&(count, sequential)| count > 0 && sequential == 0).count() as u64;
        [sequential[0], sequential[1], (all - share(all, self.order[1])).min(all - aligned)]
    }

    /// The pace at which the slowest process needs its time for these bytes.
    pub fn paced(mut self, speed: f64, nodes: u32) -> Bulk {
        self.speed = speed;
        self.slowest_s = self.mib() / (speed * f64::from(nodes));
        self
    }
}

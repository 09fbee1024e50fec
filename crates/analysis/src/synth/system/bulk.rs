//! What a run does to its files: ranks, interfaces, volume and speed.

/// The interfaces of a run, from the one it calls downwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stack {
    Posix,
    Stdio,
    MpiIo,
    /// HDF5 files and datasets above MPI-IO above POSIX.
    Hdf5,
    /// As `Hdf5`, logged by a recorder without a dataset module.
    Hdf5File,
    /// PnetCDF above MPI-IO above POSIX.
    Pnetcdf,
}

/// Interfaces by which bytes are counted, in the order in which their letters form a combination.
pub const INTERFACES: [(&str, &str); 5] =
    [("HDF5", "H"), ("MPI-IO", "M"), ("PnetCDF", "N"), ("STDIO", "S"), ("POSIX", "P")];

impl Stack {
    /// The interface that the program calls; its bytes count here.
    pub fn top(self) -> &'static str {
        match self {
            Stack::Posix => "POSIX",
            Stack::Stdio => "STDIO",
            Stack::MpiIo => "MPI-IO",
            Stack::Hdf5 | Stack::Hdf5File => "HDF5",
            Stack::Pnetcdf => "PnetCDF",
        }
    }

    /// All interfaces with an open.
    pub fn used(self) -> &'static [&'static str] {
        match self {
            Stack::Posix => &["POSIX"],
            Stack::Stdio => &["STDIO"],
            Stack::MpiIo => &["MPI-IO", "POSIX"],
            Stack::Hdf5 | Stack::Hdf5File => &["HDF5", "MPI-IO", "POSIX"],
            Stack::Pnetcdf => &["PnetCDF", "MPI-IO", "POSIX"],
        }
    }

    pub fn has_posix(self) -> bool {
        self != Stack::Stdio
    }
}

/// Which processes use which files. In large runs only a few processes have files, as in many real
/// runs; this keeps logs small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// Each file belongs to one process.
    Unique {
        ranks: u32,
        /// Per process.
        files: u32,
    },
    /// All processes use each file.
    Shared { files: u32 },
    /// As `Shared`, but the log has one record per process.
    Unreduced { files: u32 },
    /// Each file is used by some processes.
    Partial {
        /// Each process uses one file.
        ranks: u32,
        files: u32,
    },
    /// All processes use each file through MPI-IO; aggregators access it through POSIX.
    Collective { files: u32, aggregators: u32 },
}

/// The study's classes of file sharing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    Shared,
    Partial,
    Unique,
}

impl Class {
    pub fn name(self) -> &'static str {
        match self {
            Class::Shared => "shared",
            Class::Partial => "partial",
            Class::Unique => "unique",
        }
    }
}

impl Sharing {
    pub fn within(self, nprocs: u32) -> Sharing {
        match self {
            Sharing::Unique { ranks, files } => Sharing::Unique { ranks: ranks.min(nprocs), files },
            Sharing::Collective { files, aggregators } => {
                Sharing::Collective { files, aggregators: aggregators.min(nprocs) }
            }
            other => other,
        }
    }

    pub fn class(self) -> Class {
        match self {
            Sharing::Unique { .. } => Class::Unique,
            Sharing::Partial { .. } => Class::Partial,
            Sharing::Shared { .. } | Sharing::Unreduced { .. } | Sharing::Collective { .. } => Class::Shared,
        }
    }

    pub fn files(self) -> u32 {
        match self {
            Sharing::Unique { ranks, files } => ranks * files,
            Sharing::Shared { files } | Sharing::Unreduced { files } => files,
            Sharing::Partial { files, .. } | Sharing::Collective { files, .. } => files,
        }
    }

    /// At the lowest interface.
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

/// Calls of one kind and size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Calls {
    pub count: u64,
    pub size: u64,
}

impl Calls {
    /// About `bytes` in calls of `size`; one smaller call if they do not fill it.
    pub fn of(bytes: f64, size: u64) -> Calls {
        if bytes < 1.0 {
            Calls::default()
        } else if bytes < size as f64 {
            Calls { count: 1, size: bytes as u64 }
        } else {
            Calls { count: (bytes / size as f64).round() as u64, size }
        }
    }

    pub fn bytes(self) -> u64 {
        self.count * self.size
    }
}

/// The I/O of a run, without the small stream of process 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bulk {
    pub stack: Stack,
    pub sharing: Sharing,
    /// At the lowest interface; all are alike.
    pub records: u64,
    /// Per record.
    pub reads: Calls,
    pub writes: Calls,
    /// Share of the I/O time.
    pub metadata: f64,
    /// Shares of sequential and of aligned accesses.
    pub order: [f64; 2],
    /// MiB/s per node.
    pub speed: f64,
    /// I/O time of the slowest process.
    pub slowest_s: f64,
}

pub const MIB: f64 = marigraph_model::MIB as f64;

impl Bulk {
    /// Read and written by all processes.
    pub fn bytes(&self) -> [u64; 2] {
        [self.reads.bytes() * self.records, self.writes.bytes() * self.records]
    }

    pub fn mib(&self) -> f64 {
        let [read, written] = self.bytes();
        (read + written) as f64 / MIB
    }

    /// Per record: sequential reads, sequential writes, unaligned accesses.
    pub fn counted(&self) -> [u64; 3] {
        let share = |count: u64, share: f64| (count as f64 * share).floor() as u64;
        let all = self.reads.count + self.writes.count;
        let sequential = [self.reads.count, self.writes.count].map(|count| share(count, self.order[0]));
        // Where no access is sequential, the first one is at the start of the file, which is
        // aligned.
        let begins = [self.reads.count, self.writes.count].into_iter().zip(sequential);
        let aligned = begins.filter(|&(count, sequential)| count > 0 && sequential == 0).count() as u64;
        [sequential[0], sequential[1], (all - share(all, self.order[1])).min(all - aligned)]
    }

    pub fn paced(mut self, speed: f64, nodes: u32) -> Bulk {
        self.speed = speed;
        self.slowest_s = self.mib() / (speed * f64::from(nodes));
        self
    }
}

//! The modules of a log, and the role of each counter.

use crate::counters::{
    FloatDef, FloatIdx, IntDef, IntIdx, apmpi, apxc, bgq, daos, dfs, h5d, h5f, mdhim, mpiio, pnetcdf_file,
    pnetcdf_var, posix, stdio,
};

/// A source of measurements: an I/O interface, a file system or a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Module {
    Posix,
    MpiIo,
    /// HDF5 files.
    H5f,
    /// HDF5 datasets.
    H5d,
    PnetcdfFile,
    PnetcdfVar,
    /// Blue Gene/Q machine facts.
    Bgq,
    Lustre,
    Stdio,
    /// Every POSIX read and write.
    DxtPosix,
    /// Every MPI-IO read and write.
    DxtMpiio,
    /// MDHIM key-value store.
    Mdhim,
    /// Cray XC router counters.
    Apxc,
    /// MPI call statistics.
    Apmpi,
    /// Bytes over time per rank and interface.
    Heatmap,
    /// DAOS file system.
    Dfs,
    /// DAOS objects.
    Daos,
}

/// The counters with the same meaning in several modules. What a module lacks is `None` or empty.
#[derive(Debug, Clone, Copy, Default)]
pub struct Roles {
    /// Counts of read calls, disjoint.
    pub reads: &'static [IntIdx],
    /// Counts of write calls, disjoint.
    pub writes: &'static [IntIdx],
    /// Counts of opens, disjoint.
    pub opens: &'static [IntIdx],
    /// Counts of metadata calls other than opens, disjoint.
    pub other_metadata: &'static [IntIdx],
    pub bytes_read: Option<IntIdx>,
    pub bytes_written: Option<IntIdx>,
    /// Highest byte read, highest byte written.
    pub max_byte: Option<(IntIdx, IntIdx)>,
    /// First of ten bins of read sizes; the ten bins of write sizes follow.
    pub size_bins: Option<IntIdx>,
    pub access: Option<CommonSlots>,
    pub stride: Option<CommonSlots>,
    /// In seconds.
    pub read_time: Option<FloatIdx>,
    /// In seconds.
    pub write_time: Option<FloatIdx>,
    /// Seconds in metadata calls.
    pub meta_time: Option<FloatIdx>,
    /// Seconds of waiting for nonblocking requests.
    pub wait_time: Option<FloatIdx>,
    /// I/O seconds of the fastest and the slowest rank of a shared record.
    pub rank_times: Option<(FloatIdx, FloatIdx)>,
    /// Start of the first and end of the last read.
    pub read_span: Option<(FloatIdx, FloatIdx)>,
    /// Start of the first and end of the last write.
    pub write_span: Option<(FloatIdx, FloatIdx)>,
    /// Start of the first open and end of the last close.
    pub open_span: Option<(FloatIdx, FloatIdx)>,
}

/// Four common values and their four counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommonSlots {
    pub values: IntIdx,
    /// Distance between values; more than one where shapes lie between them.
    pub step: usize,
    /// The first count; counts are adjacent.
    pub counts: IntIdx,
}

impl CommonSlots {
    /// The same in every module.
    pub const COUNT: usize = 4;
}

impl Module {
    /// In the order in which logs store them.
    pub const ALL: [Module; 17] = [
        Module::Posix,
        Module::MpiIo,
        Module::H5f,
        Module::H5d,
        Module::PnetcdfFile,
        Module::PnetcdfVar,
        Module::Bgq,
        Module::Lustre,
        Module::Stdio,
        Module::DxtPosix,
        Module::DxtMpiio,
        Module::Mdhim,
        Module::Apxc,
        Module::Apmpi,
        Module::Heatmap,
        Module::Dfs,
        Module::Daos,
    ];

    /// Stacks of interfaces, the lowest first. A byte passes through every layer of a stack, so it
    /// is counted at the lowest one recorded. Stacks are independent of each other.
    pub const STACKS: [&[Module]; 3] = [
        &[Module::Posix, Module::MpiIo, Module::H5d, Module::PnetcdfVar, Module::PnetcdfFile],
        &[Module::Stdio],
        &[Module::Daos, Module::Dfs],
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Module::Posix => "POSIX",
            Module::MpiIo => "MPI-IO",
            Module::H5f => "H5F",
            Module::H5d => "H5D",
            Module::PnetcdfFile => "PNETCDF_FILE",
            Module::PnetcdfVar => "PNETCDF_VAR",
            Module::Bgq => "BG/Q",
            Module::Lustre => "LUSTRE",
            Module::Stdio => "STDIO",
            Module::DxtPosix => "DXT_POSIX",
            Module::DxtMpiio => "DXT_MPIIO",
            Module::Mdhim => "MDHIM",
            Module::Apxc => "APXC",
            Module::Apmpi => "APMPI",
            Module::Heatmap => "HEATMAP",
            Module::Dfs => "DFS",
            Module::Daos => "DAOS",
        }
    }

    /// Empty for modules whose data are not counters.
    pub fn ints(self) -> &'static [IntDef] {
        match self {
            Module::Posix => posix::INTS,
            Module::MpiIo => mpiio::INTS,
            Module::H5f => h5f::INTS,
            Module::H5d => h5d::INTS,
            Module::PnetcdfFile => pnetcdf_file::INTS,
            Module::PnetcdfVar => pnetcdf_var::INTS,
            Module::Bgq => bgq::INTS,
            Module::Stdio => stdio::INTS,
            Module::Mdhim => mdhim::INTS,
            Module::Apxc => &apxc::INTS,
            Module::Apmpi => &apmpi::INTS,
            Module::Dfs => dfs::INTS,
            Module::Daos => daos::INTS,
            Module::Lustre | Module::DxtPosix | Module::DxtMpiio | Module::Heatmap => &[],
        }
    }

    /// Empty for modules whose data are not counters.
    pub fn floats(self) -> &'static [FloatDef] {
        match self {
            Module::Posix => posix::FLOATS,
            Module::MpiIo => mpiio::FLOATS,
            Module::H5f => h5f::FLOATS,
            Module::H5d => h5d::FLOATS,
            Module::PnetcdfFile => pnetcdf_file::FLOATS,
            Module::PnetcdfVar => pnetcdf_var::FLOATS,
            Module::Bgq => bgq::FLOATS,
            Module::Stdio => stdio::FLOATS,
            Module::Mdhim => mdhim::FLOATS,
            Module::Apxc => apxc::FLOATS,
            Module::Apmpi => &apmpi::FLOATS,
            Module::Dfs => dfs::FLOATS,
            Module::Daos => daos::FLOATS,
            Module::Lustre | Module::DxtPosix | Module::DxtMpiio | Module::Heatmap => &[],
        }
    }

    /// Whether the module's data are single operations (Darshan's DXT, or a trace).
    pub const fn is_operations(self) -> bool {
        matches!(self, Module::DxtPosix | Module::DxtMpiio)
    }

    pub fn has_counters(self) -> bool {
        !self.ints().is_empty()
    }

    pub const fn roles(self) -> &'static Roles {
        crate::roles::of(self)
    }
}

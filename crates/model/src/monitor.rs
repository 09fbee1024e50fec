//! Counters of a storage server: disks, Lustre targets and the jobs that use them.
//!
//! Each counter is declared once, in the columns of its [`TargetKind`]; collection, storage and
//! display follow that table.

/// Kind of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TargetKind {
    Disk,
    Ost,
    Mdt,
    /// One job at one Lustre target.
    Job,
}

/// One counter of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetColumn {
    pub name: &'static str,
    /// A current level; all other counters count up from the start of the machine.
    pub gauge: bool,
    /// Unit and direction, if the counter counts bytes.
    pub bytes: Option<Moved>,
}

/// Bytes per unit of a column, by direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    Read(u64),
    Written(u64),
}

const fn count(name: &'static str) -> TargetColumn {
    TargetColumn { name, gauge: false, bytes: None }
}

const fn read(name: &'static str, unit: u64) -> TargetColumn {
    TargetColumn { name, gauge: false, bytes: Some(Moved::Read(unit)) }
}

const fn written(name: &'static str, unit: u64) -> TargetColumn {
    TargetColumn { name, gauge: false, bytes: Some(Moved::Written(unit)) }
}

/// Bytes of a sector in `/proc/diskstats`, regardless of the device.
pub const SECTOR: u64 = 512;

const DISK: &[TargetColumn] = &[
    count("reads"),
    read("sectors_read", SECTOR),
    count("ms_reading"),
    count("writes"),
    written("sectors_written", SECTOR),
    count("ms_writing"),
    TargetColumn { name: "in_flight", gauge: true, bytes: None },
    count("ms_busy"),
    count("ms_weighted"),
];

const OST: &[TargetColumn] =
    &[count("reads"), read("read_bytes", 1), count("writes"), written("write_bytes", 1)];

const MDT: &[TargetColumn] = &[
    count("open"),
    count("close"),
    count("mknod"),
    count("link"),
    count("unlink"),
    count("mkdir"),
    count("rmdir"),
    count("rename"),
    count("getattr"),
    count("setattr"),
    count("getxattr"),
    count("setxattr"),
    count("statfs"),
    count("sync"),
];

/// As for an OST, and all other requests.
const JOB: &[TargetColumn] =
    &[count("reads"), read("read_bytes", 1), count("writes"), written("write_bytes", 1), count("requests")];

impl TargetKind {
    pub const ALL: [TargetKind; 4] = [TargetKind::Disk, TargetKind::Ost, TargetKind::Mdt, TargetKind::Job];

    /// Only ever appended, because files refer to columns by index.
    pub const fn columns(self) -> &'static [TargetColumn] {
        match self {
            TargetKind::Disk => DISK,
            TargetKind::Ost => OST,
            TargetKind::Mdt => MDT,
            TargetKind::Job => JOB,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            TargetKind::Disk => "disk",
            TargetKind::Ost => "ost",
            TargetKind::Mdt => "mdt",
            TargetKind::Job => "job",
        }
    }
}

/// A source of counters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    pub kind: TargetKind,
    /// Device or target; for a job its target, a `/` and the job.
    pub name: String,
}

/// The counters of a target at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// Never reused while one observer runs.
    pub id: u64,
    pub target: Target,
    /// One value per column of the target's kind.
    pub values: Vec<u64>,
}

/// The counters of all targets at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Microseconds since the Unix epoch, by the wall clock, which can be set.
    pub wall_us: i64,
    /// Microseconds of the monotonic clock, which stops while the machine is suspended.
    pub steady_us: u64,
    /// By ascending `id`.
    pub observed: Vec<Observed>,
}

/// Why a period was not observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GapCause {
    NotRunning,
    ClockStep,
    Suspended,
    Late,
    NotWritten,
}

impl GapCause {
    /// Only ever appended, because files refer to them by index.
    pub const ALL: [GapCause; 5] = [
        GapCause::NotRunning,
        GapCause::ClockStep,
        GapCause::Suspended,
        GapCause::Late,
        GapCause::NotWritten,
    ];

    /// For programs.
    pub const fn name(self) -> &'static str {
        match self {
            GapCause::NotRunning => "not_running",
            GapCause::ClockStep => "clock_step",
            GapCause::Suspended => "suspended",
            GapCause::Late => "late",
            GapCause::NotWritten => "not_written",
        }
    }
}

/// A period that was not observed. If the clock was set back, it ends before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Last observation, in microseconds since the Unix epoch.
    pub from_us: i64,
    /// Next observation.
    pub to_us: i64,
    pub cause: GapCause,
}

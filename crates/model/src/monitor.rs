//! What a storage server counts by itself: disks, Lustre targets and the jobs that use them.
//!
//! A counter exists once: in the columns of its [`TargetKind`]. Who reads it from the machine, who keeps it and
//! who shows it follow that table.

/// What kind of thing counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TargetKind {
    /// A block device.
    Disk,
    /// A Lustre object storage target.
    Ost,
    /// A Lustre metadata target.
    Mdt,
    /// What one job did at one Lustre target.
    Job,
}

/// One number that is kept of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetColumn {
    /// Its name.
    pub name: &'static str,
    /// A level of this moment; all others count up from the start of the machine.
    pub gauge: bool,
    /// What one unit is in bytes, where bytes are counted.
    pub bytes: Option<Moved>,
}

/// Bytes in the unit of a column, and where they went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// Read, in units of this many bytes.
    Read(u64),
    /// Written, in units of this many bytes.
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

/// Bytes of a sector in `/proc/diskstats`, whatever the device says of itself.
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
    /// All of them.
    pub const ALL: [TargetKind; 4] = [TargetKind::Disk, TargetKind::Ost, TargetKind::Mdt, TargetKind::Job];

    /// The numbers that are kept, in order. They are only ever appended: files count on their places.
    pub const fn columns(self) -> &'static [TargetColumn] {
        match self {
            TargetKind::Disk => DISK,
            TargetKind::Ost => OST,
            TargetKind::Mdt => MDT,
            TargetKind::Job => JOB,
        }
    }

    /// The word for users.
    pub const fn name(self) -> &'static str {
        match self {
            TargetKind::Disk => "disk",
            TargetKind::Ost => "ost",
            TargetKind::Mdt => "mdt",
            TargetKind::Job => "job",
        }
    }
}

/// Something that counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// What it is.
    pub kind: TargetKind,
    /// Device or target; for a job its target, a `/` and the job.
    pub name: String,
}

/// What a target had counted at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// A number for it that is never used again while one observer runs.
    pub id: u64,
    /// Which one.
    pub target: Target,
    /// One value per column of its kind.
    pub values: Vec<u64>,
}

/// What all targets had counted at a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Microseconds since 1970 by the clock on the wall, which people set.
    pub wall_us: i64,
    /// Microseconds of a clock that nobody sets and that stands still while the machine does not run.
    pub steady_us: u64,
    /// The targets, by rising `id`.
    pub observed: Vec<Observed>,
}

/// Why a stretch of time was not observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GapCause {
    /// Nobody was observing.
    NotRunning,
    /// The clock on the wall was set.
    ClockStep,
    /// The machine was suspended.
    Suspended,
    /// The machine was too busy to look in time.
    Late,
    /// What was observed could not be written.
    NotWritten,
}

impl GapCause {
    /// All of them. They are only ever appended: files count on their places.
    pub const ALL: [GapCause; 5] = [
        GapCause::NotRunning,
        GapCause::ClockStep,
        GapCause::Suspended,
        GapCause::Late,
        GapCause::NotWritten,
    ];

    /// The word for programs.
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

/// A stretch of time that was not observed. Where the clock was set back it ends before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The last moment that was observed, microseconds since 1970.
    pub from_us: i64,
    /// The next one.
    pub to_us: i64,
    /// Why.
    pub cause: GapCause,
}

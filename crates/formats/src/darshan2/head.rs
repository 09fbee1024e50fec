//! The block at the start of a log: version, job, command line and mounts.

use marigraph_model::{Job, Mount, Problem, ProblemKind, WallTime};

use super::version::Version;
use crate::bytes::{Bytes, Order, until_nul};
use crate::error::Error;

/// Reveals the byte order of every log since 2.00.
const MAGIC: u64 = 6_567_223;
const VERSION_FIELD: usize = 8;
/// More processes than any machine of that time had.
const MAX_PROCESSES: u32 = 1 << 24;

/// What precedes the records.
pub struct Head {
    pub layout: Version,
    /// Version of the recording library; older than the layout if the log was converted.
    pub origin: Version,
    pub order: Order,
    pub job: Job,
    /// Device number of each mount of the job, in the same order.
    pub devices: Vec<i64>,
    pub size: usize,
}

/// Sizes of the parts of the block, in bytes.
struct Block {
    /// Numbers, followed by the metadata.
    numbers: usize,
    /// Metadata, followed by the command line.
    metadata: usize,
    size: usize,
}

impl Block {
    fn of(version: Version) -> Block {
        let (numbers, metadata, size) = match version {
            Version(1, _) => (28, 0, 1024),
            Version(_, 0) => (56, 0, 1024),
            Version(_, 1..=3) => (56, 64, 1024),
            _ => (56, 1024, 4096),
        };
        Block { numbers, metadata, size }
    }
}

pub fn sniff(content: &[u8]) -> bool {
    match content.get(..16) {
        Some([b'1', b'.', b'2', digit, 0, 0, 0, 0, ..]) => digit.is_ascii_digit(),
        Some([b'2', b'.', b'0', digit, 0, 0, 0, 0, magic @ ..]) => {
            digit.is_ascii_digit() && order_of(magic).is_some()
        }
        _ => false,
    }
}

fn order_of(magic: &[u8]) -> Option<Order> {
    [Order::Little, Order::Big].into_iter().find(|&order| Bytes::new(magic, order).u64(0) == MAGIC)
}

impl Head {
    /// Fails only if nothing else can be read without the block; all else is a problem.
    pub fn read(content: &[u8], problems: &mut Vec<Problem>) -> Result<Head, Error> {
        if content.is_empty() {
            return Err(Error::Empty);
        }
        let text = until_nul(content.get(..VERSION_FIELD).unwrap_or(content));
        let Some(layout) = Version::parse(text) else {
            let found = String::from_utf8_lossy(text).into_owned();
            return Err(if sniff(content) {
                Error::Version { format: "Darshan log", found }
            } else {
                Error::Unrecognised
            });
        };
        let block = Block::of(layout);
        let needed = block.numbers + block.metadata;
        if content.len() < needed {
            return Err(Error::ShortHeader { needed, found: content.len() });
        }
        if content.len() < block.size {
            let message = "the command line and the mounted file systems are truncated";
            problems.push(Problem::new(ProblemKind::Truncated, message).at("job"));
        }
        let order = order(content, layout)?;
        let bytes = Bytes::new(content, order);
        let mut job = if layout < Version(2, 0) { first_job(bytes) } else { job(bytes) };
        job.metadata = metadata(bytes.text(block.numbers, block.metadata));
        let end = content.len().min(block.size);
        let devices = read_text(content.get(needed..end).unwrap_or(&[]), &mut job, problems);
        if job.end < job.start {
            let message = "the job ends before it starts: its run time and rates are unknown";
            problems.push(Problem::new(ProblemKind::ClockWentBack, message).at("job"));
        }
        let origin = origin(&job, layout);
        Ok(Head { layout, origin, order, job, devices, size: block.size })
    }

    /// Path of the mount with this device number; the last one wins, as in Darshan's tools.
    pub fn mount(&self, device: i64) -> Option<&str> {
        let found = self.devices.iter().rposition(|&known| known == device)?;
        self.job.mounts.get(found).map(|mount| mount.path.as_str())
    }
}

/// The first generation has no magic number. All its logs that are readable elsewhere come from
/// Blue Gene/P, big-endian with 32-bit longs; others are refused rather than misread.
fn order(content: &[u8], layout: Version) -> Result<Order, Error> {
    if layout >= Version(2, 0) {
        return order_of(content.get(VERSION_FIELD..16).unwrap_or(&[])).ok_or(Error::Unrecognised);
    }
    let plausible = |order, at| (1..=MAX_PROCESSES).contains(&Bytes::new(content, order).u32(at));
    let elsewhere = plausible(Order::Little, 24) || plausible(Order::Little, 32);
    if !plausible(Order::Big, 24) && elsewhere {
        let found = format!("{}.{} of a little-endian machine", layout.0, layout.1);
        return Err(Error::Version { format: "Darshan log", found });
    }
    Ok(Order::Big)
}

fn first_job(bytes: Bytes<'_>) -> Job {
    let seconds = |at| i64::from(bytes.u32(at).cast_signed());
    Job {
        uid: i64::from(bytes.u32(12)),
        start: WallTime { seconds: seconds(16), nanos: 0 },
        end: last_instant(seconds(20)),
        nprocs: u64::try_from(seconds(24)).unwrap_or(0),
        ..Job::default()
    }
}

fn job(bytes: Bytes<'_>) -> Job {
    Job {
        uid: bytes.i64(16),
        start: WallTime { seconds: bytes.i64(24), nanos: 0 },
        end: last_instant(bytes.i64(32)),
        nprocs: u64::try_from(bytes.i64(40)).unwrap_or(0),
        id: bytes.i64(48),
        ..Job::default()
    }
}

/// Logs in whole seconds count their last second in full.
fn last_instant(seconds: i64) -> WallTime {
    WallTime { seconds, nanos: 999_999_999 }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Parses lines `key=value`; values may contain further equals signs.
fn metadata(text: &[u8]) -> Vec<(String, String)> {
    let pair = |line: &[u8]| {
        let mut parts = line.splitn(2, |&byte| byte == b'=');
        Some((lossy(parts.next()?), lossy(parts.next()?)))
    };
    text.split(|&byte| byte == b'\n').filter_map(pair).collect()
}

/// Parses the command line, then one line per mount. Returns the device of each mount.
fn read_text(field: &[u8], job: &mut Job, problems: &mut Vec<Problem>) -> Vec<i64> {
    let mut lines = until_nul(field).split(|&byte| byte == b'\n');
    job.exe = lossy(lines.next().unwrap_or(&[]));
    let lines: Vec<&[u8]> = lines.filter(|line| !line.is_empty()).collect();
    let (devices, mounts): (Vec<i64>, Vec<Mount>) = lines.iter().filter_map(|line| parse_mount(line)).unzip();
    if mounts.len() < lines.len() {
        let bad = lines.len() - mounts.len();
        let message =
            format!("mount entries that are not of the form device, type, path are left out ({bad})");
        problems.push(Problem::new(ProblemKind::BadText, message).at("job"));
    }
    job.mounts = mounts;
    devices
}

fn parse_mount(line: &[u8]) -> Option<(i64, Mount)> {
    let mut parts = line.splitn(3, |&byte| byte == b'\t');
    let device = std::str::from_utf8(parts.next()?).ok()?.parse().ok()?;
    let (fs_type, path) = (lossy(parts.next()?), lossy(parts.next()?));
    path.starts_with('/').then_some((device, Mount { path, fs_type }))
}

/// The version that recorded the log: Darshan's converter writes its own version and keeps the old
/// one as an annotation.
fn origin(job: &Job, layout: Version) -> Version {
    job.metadata
        .iter()
        .filter(|(key, _)| key == "prev_ver")
        .filter_map(|(_, value)| Version::parse(value.as_bytes()))
        .fold(layout, Version::min)
}

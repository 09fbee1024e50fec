//! The job region: user, command, times and mounts.

use marigraph_model::{Job, Mount, Problem, ProblemKind, WallTime};

use crate::bytes::{Bytes, Order, until_nul};

/// Bytes reserved for annotations.
const METADATA: usize = 1024;
/// Maximum size of a job region before compression.
const REGION: usize = 4096;
/// Maximum number of bytes read; more tolerant than the official bound.
pub const READ_AT_MOST: usize = 64 << 10;

/// The job as stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RawJob {
    pub uid: i64,
    /// Seconds.
    pub start: i64,
    /// 0 before format 3.41.
    pub start_nanos: i64,
    /// Seconds.
    pub end: i64,
    /// 0 before format 3.41.
    pub end_nanos: i64,
    pub nprocs: i64,
    pub id: i64,
    /// Lines `key=value`.
    pub metadata: Vec<u8>,
    pub exe: Vec<u8>,
    /// Pairs of type and path, in stored order.
    pub mounts: Vec<(Vec<u8>, Vec<u8>)>,
    /// Whether times are whole seconds (before 3.41): the job then ended within its last second.
    pub whole_seconds: bool,
}

impl RawJob {
    pub fn read(region: &[u8], order: Order, current: bool, problems: &mut Vec<Problem>) -> RawJob {
        let bytes = Bytes::new(region, order);
        let fields = if current { 7 } else { 5 };
        let fixed = fields * 8 + METADATA;
        if region.len() < fixed {
            problems
                .push(Problem::new(ProblemKind::Truncated, "the job description is incomplete").at("job"));
        }
        let mut numbers = [0i64; 7];
        let order_of_fields: &[usize] = if current { &[0, 1, 2, 3, 4, 5, 6] } else { &[0, 1, 3, 5, 6] };
        for (stored, &field) in order_of_fields.iter().enumerate() {
            numbers[field] = bytes.i64(stored * 8);
        }
        let [uid, start, start_nanos, end, end_nanos, nprocs, id] = numbers;
        let text = until_nul(region.get(fixed..).unwrap_or(&[]));
        let mut lines = text.split(|&byte| byte == b'\n');
        let exe = lines.next().unwrap_or(&[]).to_vec();
        let mut bad = 0;
        let mounts = lines.filter_map(|line| parse_mount(line, &mut bad)).collect();
        if bad > 0 {
            let message = format!("{bad} mount entries are not of the form type, path");
            problems.push(Problem::new(ProblemKind::BadText, message).at("job"));
        }
        RawJob {
            uid,
            start,
            start_nanos,
            end,
            end_nanos,
            nprocs,
            id,
            metadata: bytes.text(fields * 8, METADATA).to_vec(),
            exe,
            mounts,
            whole_seconds: !current,
        }
    }

    /// Seconds from start to end, as Darshan counts them.
    pub fn runtime(&self) -> f64 {
        if self.whole_seconds {
            self.end.wrapping_sub(self.start).wrapping_add(1) as f64
        } else {
            (self.end as f64 + self.end_nanos as f64 / 1e9)
                - (self.start as f64 + self.start_nanos as f64 / 1e9)
        }
    }

    pub fn annotations(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.metadata.split(|&byte| byte == b'\n').filter_map(|line| {
            let at = line.iter().position(|&byte| byte == b'=')?;
            Some((&line[..at], &line[at + 1..]))
        })
    }

    /// Mounts, longest path first, as Darshan's tools list and search them.
    pub fn sorted_mounts(&self) -> Vec<(&[u8], &[u8])> {
        let mut sorted: Vec<(&[u8], &[u8])> =
            self.mounts.iter().map(|(kind, path)| (&kind[..], &path[..])).collect();
        sorted.sort_by_key(|(_, path)| std::cmp::Reverse(path.len()));
        sorted
    }

    pub fn to_model(&self) -> Job {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        // A log in whole seconds counts its last second in full.
        let end_nanos = if self.whole_seconds { 999_999_999 } else { self.end_nanos };
        Job {
            id: self.id,
            uid: self.uid,
            exe: text(&self.exe),
            nprocs: u64::try_from(self.nprocs).unwrap_or(0),
            start: wall(self.start, self.start_nanos),
            end: wall(self.end, end_nanos),
            metadata: self.annotations().map(|(key, value)| (text(key), text(value))).collect(),
            mounts: self
                .mounts
                .iter()
                .map(|(kind, path)| Mount { path: text(path), fs_type: text(kind) })
                .collect(),
        }
    }

    pub fn from_model(job: &Job) -> RawJob {
        let mut metadata = Vec::new();
        for (key, value) in &job.metadata {
            metadata.extend_from_slice(format!("{key}={value}\n").as_bytes());
        }
        RawJob {
            uid: job.uid,
            start: job.start.seconds,
            start_nanos: i64::from(job.start.nanos),
            end: job.end.seconds,
            end_nanos: i64::from(job.end.nanos),
            nprocs: i64::try_from(job.nprocs).unwrap_or(i64::MAX),
            id: job.id,
            metadata,
            // Lines after the first are mounts.
            exe: job.exe.replace('\n', " ").into_bytes(),
            mounts: job
                .mounts
                .iter()
                .map(|m| (m.fs_type.clone().into_bytes(), m.path.clone().into_bytes()))
                .collect(),
            whole_seconds: false,
        }
    }

    /// Encodes the region in format 3.41, before compression. Reports what does not fit: the
    /// command line is cut and ends in the runtime's mark, surplus annotations and mounts are
    /// dropped.
    pub fn encode(&self, problems: &mut Vec<Problem>) -> Vec<u8> {
        const MARK: &[u8] = b"<TRUNCATED>";
        let end_nanos = if self.whole_seconds { 999_999_999 } else { self.end_nanos };
        let mut out = Vec::with_capacity(REGION);
        for number in [self.uid, self.start, self.start_nanos, self.end, end_nanos, self.nprocs, self.id] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        let mut left_out = 0;
        let metadata_end = out.len() + METADATA;
        for line in self.metadata.split_inclusive(|&byte| byte == b'\n') {
            if out.len() + line.len() < metadata_end {
                out.extend_from_slice(line);
            } else {
                left_out += 1;
            }
        }
        out.resize(metadata_end, 0);
        let room = REGION - out.len() - 1;
        if self.exe.len() > room {
            out.extend_from_slice(&self.exe[..room - MARK.len()]);
            out.extend_from_slice(MARK);
        } else {
            out.extend_from_slice(&self.exe);
        }
        for (kind, path) in &self.mounts {
            let entry = [b"\n", &kind[..], b"\t", path].concat();
            if out.len() + entry.len() < REGION {
                out.extend_from_slice(&entry);
            } else {
                left_out += 1;
            }
        }
        out.push(0);
        if left_out > 0 {
            let message =
                format!("{left_out} annotations or mounts do not fit into the log and are left out");
            problems.push(Problem::new(ProblemKind::NotRecorded, message).at("job"));
        }
        out
    }
}

fn wall(seconds: i64, nanos: i64) -> WallTime {
    let carry = nanos.div_euclid(1_000_000_000);
    WallTime {
        seconds: seconds.saturating_add(carry),
        nanos: u32::try_from(nanos.rem_euclid(1_000_000_000)).unwrap_or(0),
    }
}

fn parse_mount(line: &[u8], bad: &mut u64) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut words = line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    match (words.next(), words.next()) {
        (Some(kind), Some(path)) => Some((kind.to_vec(), path.to_vec())),
        (None, _) => None,
        _ => {
            *bad += 1;
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Job {
        Job {
            id: 42,
            uid: 1000,
            exe: "./app -n 4".into(),
            nprocs: 4,
            start: WallTime { seconds: 1_700_000_000, nanos: 5 },
            end: WallTime { seconds: 1_700_000_010, nanos: 250_000_000 },
            metadata: vec![("lib_ver".into(), "3.4.7".into()), ("h".into(), "a=b;c=d".into())],
            mounts: vec![Mount { path: "/lus".into(), fs_type: "lustre".into() }],
        }
    }

    #[test]
    fn a_job_survives_the_way_through_bytes() {
        let bytes = RawJob::from_model(&sample()).encode(&mut Vec::new());
        let mut problems = Vec::new();
        let job = RawJob::read(&bytes, Order::Little, true, &mut problems).to_model();
        assert_eq!((job, problems), (sample(), vec![]));
    }

    #[test]
    fn whole_seconds_keep_their_run_time_when_rewritten() {
        let old = RawJob { start: 100, end: 101, whole_seconds: true, ..RawJob::default() };
        assert_eq!(old.runtime(), 2.0);
        let mut problems = Vec::new();
        let new = RawJob::read(&old.encode(&mut Vec::new()), Order::Little, true, &mut problems);
        assert!((new.runtime() - 2.0).abs() < 1e-6);
        assert_eq!(new.to_model(), old.to_model());
    }

    #[test]
    fn a_long_command_line_is_cut_and_marked() {
        let long = RawJob {
            exe: vec![b'x'; 9000],
            mounts: vec![(b"nfs".to_vec(), b"/home".to_vec())],
            ..RawJob::default()
        };
        let mut problems = Vec::new();
        let bytes = long.encode(&mut problems);
        assert_eq!(problems.len(), 1, "the mount does not fit");
        assert_eq!(bytes.len(), REGION);
        let back = RawJob::read(&bytes, Order::Little, true, &mut Vec::new());
        assert!(back.exe.ends_with(b"<TRUNCATED>"));
    }

    #[test]
    fn short_regions_are_a_problem_not_a_panic() {
        for len in 0..1100 {
            let mut problems = Vec::new();
            RawJob::read(&vec![0xff; len], Order::Big, true, &mut problems).to_model();
            assert_eq!(problems.iter().any(|p| p.kind == ProblemKind::Truncated), len < 1080);
        }
    }
}

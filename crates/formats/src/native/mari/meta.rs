//! What a trace says about its job, as JSON.

use marigraph_model::{Job, Mount, Problem, WallTime};
use serde::{Deserialize, Serialize};

/// A moment of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Moment {
    /// Seconds since 1970, UTC.
    pub seconds: i64,
    /// Below 10^9.
    pub nanos: u32,
}

/// Ranks next to each other on one compute node.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HostRun {
    pub host: String,
    pub first: u32,
    pub count: u32,
}

/// A problem of the recording.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MetaProblem {
    /// See [`marigraph_model::ProblemKind::code`].
    pub code: String,
    pub message: String,
    pub place: String,
}

/// Describes the job. Unknown members of other versions are ignored, missing ones are empty.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Meta {
    /// Stored in the head of the file, not in its JSON.
    #[serde(skip_serializing)]
    pub ranks: u64,
    /// The scheduler's id, or a process id.
    pub job: i64,
    pub uid: i64,
    pub command: String,
    /// Start of the first process.
    pub start: Moment,
    /// End of the last process.
    pub end: Moment,
    pub hosts: Vec<HostRun>,
    /// Path and type.
    pub mounts: Vec<(String, String)>,
    pub notes: Vec<(String, String)>,
    /// Calls that were not recorded.
    pub lost: u64,
    pub problems: Vec<MetaProblem>,
    /// `recorded`, or `extrapolated` with how.
    pub provenance: String,
    /// Totals and performance, as computed by the writer.
    pub summary: serde_json::Value,
}

impl Meta {
    pub fn of_job(job: &Job) -> Meta {
        let moment = |time: WallTime| Moment { seconds: time.seconds, nanos: time.nanos };
        Meta {
            ranks: job.nprocs,
            job: job.id,
            uid: job.uid,
            command: job.exe.clone(),
            start: moment(job.start),
            end: moment(job.end),
            mounts: job.mounts.iter().map(|mount| (mount.path.clone(), mount.fs_type.clone())).collect(),
            notes: job.metadata.clone(),
            provenance: "recorded".to_string(),
            ..Meta::default()
        }
    }

    pub fn to_job(&self) -> Job {
        let time = |moment: Moment| WallTime { seconds: moment.seconds, nanos: moment.nanos };
        let mounts = self.mounts.iter().cloned().map(|(path, fs_type)| Mount { path, fs_type });
        Job {
            id: self.job,
            uid: self.uid,
            exe: self.command.clone(),
            nprocs: self.ranks,
            start: time(self.start),
            end: time(self.end),
            metadata: self.notes.clone(),
            mounts: mounts.collect(),
        }
    }

    pub fn problem(&mut self, problem: &Problem) {
        let (message, place) = (problem.message.clone(), problem.place.clone());
        self.problems.push(MetaProblem { code: problem.kind.code().to_string(), message, place });
    }

    pub fn host(&self, rank: u32) -> Option<&str> {
        let run = self.hosts.iter().find(|run| rank.checked_sub(run.first).is_some_and(|at| at < run.count));
        run.map(|run| run.host.as_str())
    }

    pub(super) fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub(super) fn from_json(text: &[u8]) -> Option<Meta> {
        serde_json::from_slice(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_comes_back() {
        let job = Job {
            id: 7,
            uid: -1,
            exe: "./a \"b\"".into(),
            nprocs: 4,
            start: WallTime { seconds: 1, nanos: 2 },
            end: WallTime { seconds: 3, nanos: 4 },
            metadata: vec![("k".into(), "v".into())],
            mounts: vec![Mount { path: "/".into(), fs_type: "ext4".into() }],
        };
        let mut meta = Meta::of_job(&job);
        meta.hosts.push(HostRun { host: "n1".into(), first: 2, count: 2 });
        let back = Meta { ranks: 4, ..Meta::from_json(&meta.to_json()).expect("reads") };
        assert_eq!((back.to_job(), &back), (job, &meta));
        assert_eq!((back.host(1), back.host(3), back.host(4)), (None, Some("n1"), None));
    }
}

//! Reads `sacct --json`, whose tree differs between versions, job by job, keeping only what is
//! needed.

use marigraph_model::{BatchJob, Problem, ProblemKind};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::jobs::Jobs;
use super::json::{Piece, documents};
use super::zone::Zone;
use crate::error::Error;

pub(super) fn sniff(content: &[u8]) -> bool {
    documents(content)
        .next()
        .and_then(|document| document.get("jobs"))
        .is_some_and(|jobs| jobs.text.starts_with(b"["))
}

/// Places are job counts, since lines are meaningless here.
pub(super) fn read(content: &[u8], _: &Zone) -> Result<(Vec<BatchJob>, Vec<Problem>), Error> {
    let (mut jobs, mut number, mut cut) = (Jobs::of("job"), 0, false);
    for document in documents(content) {
        cut |= !document.whole;
        let found = document.get("jobs");
        for piece in found.into_iter().flat_map(Piece::items).filter(|piece| piece.whole) {
            number += 1;
            match serde_json::from_slice::<Job>(piece.text) {
                Ok(job) if job.id().is_none() => {}
                Ok(job) => jobs.add(number, &job.cluster.clone(), job.into()),
                Err(error) => jobs.leave_out(number, error.to_string()),
            }
        }
    }
    let (jobs, mut problems) = jobs.finish();
    if cut {
        let message = format!("the JSON is truncated after {number} complete jobs");
        problems.push(Problem::new(ProblemKind::Truncated, message));
    }
    Ok((jobs, problems))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Job {
    job_id: Number,
    array: Array,
    het: Heterogeneous,
    #[serde(deserialize_with = "text")]
    user: String,
    #[serde(deserialize_with = "text")]
    name: String,
    #[serde(deserialize_with = "text")]
    account: String,
    #[serde(deserialize_with = "text")]
    partition: String,
    #[serde(deserialize_with = "text")]
    cluster: String,
    association: Association,
    state: State,
    time: Times,
    allocation_nodes: Number,
    tres: Resources,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Array {
    job_id: Number,
    task_id: Number,
    #[serde(deserialize_with = "text")]
    task: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Heterogeneous {
    job_id: Number,
    job_offset: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Association {
    #[serde(deserialize_with = "text")]
    user: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct State {
    current: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Times {
    submission: Number,
    start: Number,
    end: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Resources {
    allocated: Vec<Resource>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Resource {
    #[serde(rename = "type", deserialize_with = "text")]
    kind: String,
    count: Number,
}

/// A number; newer versions wrap it: `{"set": true, "infinite": false, "number": 4}`.
#[derive(Debug, Default, Clone, Copy)]
struct Number(Option<f64>);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let set = value.get("set").and_then(Value::as_bool) != Some(false)
            && value.get("infinite").and_then(Value::as_bool) != Some(true);
        let number = value.get("number").unwrap_or(&value).as_f64();
        Ok(Number(number.filter(|_| set)))
    }
}

fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(value.as_str().unwrap_or_default().to_string())
}

impl Number {
    fn positive(self) -> Option<f64> {
        self.0.filter(|number| *number > 0.0)
    }
}

impl Job {
    /// Its id as `sacct` prints it; `None` for pending array tasks.
    fn id(&self) -> Option<String> {
        if !self.array.task.is_empty()
            && self.time.start.positive().is_none()
            && self.array.task_id.0.is_none()
        {
            return None;
        }
        let own = self.job_id.0.unwrap_or(0.0);
        let id = match (self.array.job_id.positive(), self.array.task_id.0) {
            (Some(array), Some(task)) => format!("{array}_{task}"),
            _ => own.to_string(),
        };
        match (self.het.job_id.positive(), self.het.job_offset.0) {
            (Some(whole), Some(part)) => Some(format!("{whole}+{part}")),
            _ => Some(id),
        }
    }

    fn resource(&self, kind: &str) -> Option<f64> {
        self.tres.allocated.iter().find(|one| one.kind == kind).and_then(|one| one.count.positive())
    }
}

impl From<Job> for BatchJob {
    fn from(job: Job) -> BatchJob {
        let state = match &job.state.current {
            Value::String(state) => state.clone(),
            Value::Array(states) => states.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
            _ => String::new(),
        };
        let nodes = job.allocation_nodes.positive().or_else(|| job.resource("node"));
        BatchJob {
            id: job.id().unwrap_or_default(),
            number: job.job_id.positive().map(|number| number as u64),
            nodes: nodes.map(|nodes| nodes as u64),
            processes: job.resource("cpu").map(|count| count as u64),
            submit: job.time.submission.positive(),
            start: job.time.start.positive(),
            end: job.time.end.positive(),
            state,
            user: if job.user.is_empty() { job.association.user } else { job.user },
            name: job.name,
            account: job.account,
            partition: job.partition,
        }
    }
}

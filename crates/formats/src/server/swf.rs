//! Reads the Standard Workload Format: 18 numbers per job, `;` before comments, -1 for unknown
//! values.
//!
//! Times count from the start of the log, given by the comment `UnixStartTime`.

use marigraph_model::{BatchJob, Problem, ProblemKind};

use super::fields::lines;
use super::jobs::Jobs;
use super::zone::Zone;
use crate::error::Error;

const COUNT: usize = 18;
/// Bytes at the beginning in which the first job is expected, after comments.
const BEGINNING: usize = 1 << 16;

pub(super) fn sniff(content: &[u8]) -> bool {
    let beginning = &content[..content.len().min(BEGINNING)];
    let mut said = lines(beginning).map(|(_, line)| line.trim_ascii()).filter(|line| !line.is_empty());
    said.find(|line| !line.starts_with(b";")).is_some_and(|line| numbers(line).is_some())
}

pub(super) fn read(content: &[u8], _: &Zone) -> Result<(Vec<BatchJob>, Vec<Problem>), Error> {
    let (mut jobs, mut head) = (Jobs::of("line"), Head::default());
    for (number, line) in lines(content) {
        let line = line.trim_ascii();
        if let Some(comment) = line.strip_prefix(b";") {
            head.comment(&String::from_utf8_lossy(comment));
        } else if !line.is_empty() {
            match numbers(line) {
                Some(numbers) => head.job(&numbers).into_iter().for_each(|job| jobs.add(number, "", job)),
                None => jobs.leave_out(number, "it does not have 18 numbers".to_string()),
            }
        }
    }
    let (jobs, mut problems) = jobs.finish();
    if head.start.is_none() {
        let message = "no UnixStartTime comment: times count from 1970";
        problems.push(Problem::new(ProblemKind::NotRecorded, message));
    }
    Ok((jobs, problems))
}

fn numbers(line: &[u8]) -> Option<[f64; COUNT]> {
    let mut words = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
    let mut numbers = [0.0; COUNT];
    for number in &mut numbers {
        *number = words.next()?.parse().ok().filter(|number: &f64| number.is_finite())?;
    }
    words.next().is_none().then_some(numbers)
}

#[derive(Debug, Default)]
struct Head {
    start: Option<f64>,
    nodes: Option<f64>,
    processors: Option<f64>,
}

impl Head {
    fn comment(&mut self, text: &str) {
        let Some((key, value)) = text.split_once(':') else { return };
        let number = || {
            value
                .split_ascii_whitespace()
                .next()?
                .parse()
                .ok()
                .filter(|number: &f64| *number > 0.0 && number.is_finite())
        };
        match key.trim() {
            "UnixStartTime" => self.start = number().or(self.start),
            "MaxNodes" => self.nodes = number().or(self.nodes),
            "MaxProcs" => self.processors = number().or(self.processors),
            _ => {}
        }
    }

    /// The job of a line; `None` for a partial execution of a job that has its own line.
    fn job(&self, numbers: &[f64; COUNT]) -> Option<BatchJob> {
        let known = |at: usize| Some(numbers[at]).filter(|number| *number >= 0.0);
        let word = |at: usize| known(at).map(|number| number.to_string()).unwrap_or_default();
        let state = match numbers[10] as i64 {
            0 => "FAILED",
            1 => "COMPLETED",
            2..=4 => return None,
            5 => "CANCELLED",
            _ => "",
        };
        let submit = known(1).map(|seconds| seconds + self.start.unwrap_or(0.0));
        let start = submit.zip(known(2)).map(|(submit, waited)| submit + waited);
        let processes = known(4).or_else(|| known(7)).filter(|count| *count > 0.0);
        Some(BatchJob {
            id: word(0),
            number: known(0).map(|number| number as u64),
            user: word(11),
            name: word(13),
            account: word(12),
            partition: known(15).map_or_else(|| word(14), |_| word(15)),
            state: state.to_string(),
            nodes: processes.and_then(|count| self.nodes_of(count)),
            processes: processes.map(|count| count as u64),
            submit,
            start,
            end: start.zip(known(3)).map(|(start, ran)| start + ran),
        })
    }

    fn nodes_of(&self, processors: f64) -> Option<u64> {
        let per_node = self.processors? / self.nodes?;
        Some((processors / per_node.max(1.0)).ceil() as u64)
    }
}

//! Reads jobs from a table with a heading: `sacct -P` output, and CSV.
//!
//! Columns are identified by name. Rows of steps (`123.batch`, `123.0`) are skipped: the job's own
//! row has everything.

use marigraph_model::{BatchJob, Problem};

use super::fields::{first_line, lines, split};
use super::jobs::Jobs;
use super::moment::Clock;
use super::zone::Zone;
use crate::error::Error;

mod layout;
mod row;

use layout::{Column, Layout};
use row::Row;

pub(super) fn sniff_sacct(content: &[u8]) -> bool {
    first_line(content).is_some_and(|line| {
        without_heading(line) || in_columns(line) || Layout::heading(line).is_some_and(|layout| layout.sacct)
    })
}

pub(super) fn sniff(content: &[u8]) -> bool {
    first_line(content).is_some_and(|line| Layout::heading(line).is_some())
}

pub(super) fn read(content: &[u8], zone: &Zone) -> Result<(Vec<BatchJob>, Vec<Problem>), Error> {
    let mut layout = opening(first_line(content).unwrap_or_default())?;
    let (mut jobs, mut clock, mut fields) = (Jobs::of("line"), Clock::new(zone), Vec::new());
    for (number, line) in lines(content) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        split(line, &layout.separator, layout.quotes, &mut fields);
        let row = Row::new(&fields, &layout);
        let id = row.id();
        if is_step(&id) {
            continue;
        }
        if layout::names_id(&id) {
            if let Some(heading) = std::str::from_utf8(line).ok().and_then(Layout::heading) {
                layout = heading;
            }
            continue;
        }
        match row.job(&mut clock) {
            Ok(job) if job.start.is_none() && is_waiting_array(&job.id) => {}
            Ok(job) => jobs.add(number, &row.text(Column::Cluster), job),
            Err(detail) => jobs.leave_out(number, detail),
        }
    }
    Ok(jobs.finish())
}

fn opening(line: &str) -> Result<Layout, Error> {
    if in_columns(line) {
        let detail = "sacct output in columns, which truncates long names".to_string();
        return Err(Error::Lacking { detail, hint: "run sacct with -P (--parsable2)" });
    }
    match Layout::heading(line) {
        Some(layout) if layout.has(Column::Start) => Ok(layout),
        Some(_) => {
            Err(Error::Lacking { detail: "the job log has no column Start".to_string(), hint: COLUMNS })
        }
        None if without_heading(line) => {
            let detail = "sacct output without its header, which names the columns".to_string();
            Err(Error::Lacking { detail, hint: "run sacct without -n (--noheader)" })
        }
        None => Err(Error::NoJobs),
    }
}

const COLUMNS: &str = "run sacct with -P -o JobID,User,JobName,NNodes,State,Submit,Start,End";

fn without_heading(line: &str) -> bool {
    let mut fields = line.split('|');
    let id = fields.next().unwrap_or_default();
    id.starts_with(|c: char| c.is_ascii_digit()) && is_id(id) && fields.count() >= 3
}

fn in_columns(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    words.next().is_some_and(layout::names_id)
        && words.next().is_some()
        && !line.contains([',', '|', ';', '\t'])
}

fn is_id(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_+.[]-,%".contains(&byte))
}

fn is_step(id: &str) -> bool {
    id.rsplit_once('.').is_some_and(|(_, step)| {
        step.starts_with(|c: char| c.is_ascii_digit())
            || ["batch", "extern", "interactive", "TBD"].contains(&step)
    })
}

/// Whether an id is that of pending array tasks: `123_[5-9]`.
fn is_waiting_array(id: &str) -> bool {
    id.contains("_[")
}

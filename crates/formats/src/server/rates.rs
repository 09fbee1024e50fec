//! Reads rates from a table: `timestamp,write_bytes_per_s,read_bytes_per_s`, or other columns with
//! a heading.
//!
//! A time is the start of its row's interval. Three months of a two-second log are four million
//! rows, so the common line is parsed in one pass (`quick.rs`); all other lines take the slow path
//! (`row.rs`).

use marigraph_model::{Problem, ProblemKind, Reading};

use super::fields::first_line;
use super::moment::Clock;
use super::sources::Sources;
use super::spacing::{Spacing, usual};
use super::zone::Zone;
use crate::error::Error;

mod layout;
mod quick;
mod row;

use layout::Layout;
use row::{Row, each_row};

pub(super) fn sniff(content: &[u8]) -> bool {
    first_line(content).is_some_and(|line| Layout::of_first_line(line).is_some())
}

const LOOKED_AT: usize = 4096;

pub(super) fn read(
    content: &[u8],
    zone: &Zone,
    each: &mut dyn FnMut(Reading),
) -> Result<(Vec<String>, Vec<Problem>), Error> {
    let layout = first_line(content).and_then(Layout::of_first_line).ok_or(Error::NoThroughput)?;
    let mut spacing = Spacing::new(usual_distance(content, &layout, zone));
    let mut sources = Sources::default();
    let bad = each_row(content, layout, &mut Clock::new(zone), |row| {
        spacing.push(row.reading(&mut sources), each);
        true
    });
    let problems = [bad.problem(), without_length(spacing.finish(each))];
    Ok((sources.into_names(), problems.into_iter().flatten().collect()))
}

/// The usual spacing of rows: from the first rows if they suffice, else from all.
fn usual_distance(content: &[u8], layout: &Layout, zone: &Zone) -> Option<f64> {
    let look = |most: usize| {
        let (mut times, mut sources) = (Vec::new(), Sources::default());
        each_row(content, layout.clone(), &mut Clock::new(zone), |row: &Row<'_>| {
            times.push((row.source(&mut sources), row.time));
            times.len() < most
        });
        (times.len() < most, usual(times))
    };
    match look(LOOKED_AT) {
        (true, found) => found,
        (false, Some(found)) if found.certain => Some(found),
        _ => look(usize::MAX).1,
    }
    .map(|found| found.seconds)
}

pub(super) fn without_length(count: u64) -> Option<Problem> {
    let message = format!("{count} rows are left out: their interval is unknown");
    (count > 0).then(|| Problem::new(ProblemKind::BadRecord, message))
}

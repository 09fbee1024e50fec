//! Parses the rows of a table of jobs.

use std::borrow::Cow;

use marigraph_model::{BatchJob, MIB};

use super::super::moment::{Clock, Moments};
use super::super::number::{decimal, finite};
use super::super::zone::Zone;
use super::layout::{Column, Layout};

pub(super) struct Row<'r> {
    fields: &'r [Cow<'r, [u8]>],
    layout: &'r Layout,
    /// Fields that contain separators: their positions, and the number of surplus fields.
    broken: [(usize, usize); 2],
}

impl<'r> Row<'r> {
    /// If a row has too many fields, finds the one or two texts that contain separators, such that
    /// all times parse.
    pub fn new(fields: &'r [Cow<'r, [u8]>], layout: &'r Layout) -> Row<'r> {
        let surplus = fields.len().saturating_sub(layout.count);
        let plain = Row { fields, layout, broken: [(usize::MAX, 0); 2] };
        if surplus == 0 || surplus > MAX_SURPLUS {
            return plain;
        }
        // One text alone, or the most likely and another: more combinations are not worth the time.
        let alone = layout.free.iter().map(|&place| [(place, surplus), (place, 0)]);
        let first = layout.free.first().copied().unwrap_or(usize::MAX);
        let both = (1..surplus).flat_map(|second| {
            layout.free.iter().skip(1).map(move |&place| [(first, surplus - second), (place, second)])
        });
        let fits = |broken: [(usize, usize); 2]| {
            let row = Row { broken, ..plain };
            row.has_times().then_some(row)
        };
        alone.chain(both).find_map(fits).unwrap_or(plain)
    }

    fn has_times(&self) -> bool {
        let zone = Zone::utc();
        let mut clock = Clock::new(&zone);
        [Column::Submit, Column::Start, Column::End]
            .into_iter()
            .all(|column| self.moments(column, &mut clock).is_ok())
    }

    fn field(&self, column: Column) -> Option<Cow<'r, [u8]>> {
        let place = self.layout.place(column)?;
        let before = self.broken.iter().filter(|(broken, _)| *broken < place).map(|(_, surplus)| surplus);
        let from = place + before.sum::<usize>();
        let more: usize =
            self.broken.iter().filter(|(broken, _)| *broken == place).map(|(_, more)| more).sum();
        match self.fields.get(from..=from + more)? {
            [field] => Some(field.clone()),
            pieces => Some(Cow::Owned(pieces.join(&self.layout.separator[..]))),
        }
    }

    /// Empty if the field is missing.
    pub fn text(&self, column: Column) -> String {
        self.field(column).map(|field| String::from_utf8_lossy(&field).into_owned()).unwrap_or_default()
    }

    pub fn id(&self) -> Cow<'r, str> {
        let place = self.layout.place(Column::Id);
        let field = place.and_then(|place| self.fields.get(place));
        field.map(|field| String::from_utf8_lossy(field)).unwrap_or_default()
    }

    pub fn job(&self, clock: &mut Clock<'_>) -> Result<BatchJob, String> {
        if self.fields.len() < self.layout.count {
            return Err(format!("it ends after {} of {} fields", self.fields.len(), self.layout.count));
        }
        let submit = self.moments(Column::Submit, clock)?;
        let (start, end) = (self.moments(Column::Start, clock)?, self.moments(Column::End, clock)?);
        let (start, end) = run(start, end, self.elapsed(), self.has_ended());
        Ok(BatchJob {
            id: self.id().into_owned(),
            number: self.text(Column::Number).parse().ok().or_else(|| self.id().parse().ok()),
            user: self.text(Column::User),
            name: self.text(Column::Name),
            account: self.text(Column::Account),
            partition: self.text(Column::Partition),
            state: self.text(Column::State),
            nodes: self.nodes(),
            processes: self.count(Column::Tasks).or_else(|| self.count(Column::Processors)),
            submit: submit.map(|(early, _)| early),
            start,
            end,
        })
    }

    fn moments(&self, column: Column, clock: &mut Clock<'_>) -> Result<Option<Moments>, String> {
        let Some(field) = self.field(column) else { return Ok(None) };
        if field.is_empty() || UNKNOWN.iter().any(|word| field.eq_ignore_ascii_case(word.as_bytes())) {
            return Ok(None);
        }
        match clock.read_both(&field) {
            Some((moments, length)) if length == field.len() => Ok(Some(moments)),
            _ => Err(format!("no moment: {:?}", String::from_utf8_lossy(&field))),
        }
    }

    /// Run time in seconds.
    fn elapsed(&self) -> Option<f64> {
        let field = self.field(Column::Elapsed)?;
        if let Some(seconds) = finite(&field) {
            return Some(seconds).filter(|seconds| *seconds >= 0.0);
        }
        let text = std::str::from_utf8(&field).ok()?;
        let (days, time) = text.split_once('-').unwrap_or(("0", text));
        let parts =
            time.split(':').map(|part| part.parse::<f64>().ok().filter(|part| (0.0..1e9).contains(part)));
        let seconds = parts.into_iter().try_fold(0.0, |sum, part| Some(sum * 60.0 + part?))?;
        Some(days.parse::<u32>().ok().map(f64::from)? * 86_400.0 + seconds)
    }

    fn has_ended(&self) -> bool {
        let state = self.text(Column::State);
        !["RUNNING", "PENDING", "SUSPENDED", "REQUEUED", "RESIZING"]
            .iter()
            .any(|word| state.starts_with(word))
    }

    fn nodes(&self) -> Option<u64> {
        let of_resources = || {
            let resources = self.text(Column::Resources);
            let nodes = resources.split(',').find_map(|one| one.strip_prefix("node="));
            nodes.and_then(|nodes| count(nodes.as_bytes()))
        };
        self.count(Column::Nodes)
            .or_else(|| self.count(Column::AllocatedNodes))
            .or_else(of_resources)
            .or_else(|| self.count(Column::RequestedNodes))
    }

    fn count(&self, column: Column) -> Option<u64> {
        count(&self.field(column)?)
    }
}

/// Rows with more surplus fields are not repaired.
const MAX_SURPLUS: usize = 16;

/// Words for times that are unknown, or not known yet.
const UNKNOWN: &[&str] = &["Unknown", "None", "N/A", "NULL", "NaN", "0", "-1"];

/// Parses a count; as in Slurm, `K` is 1024.
fn count(text: &[u8]) -> Option<u64> {
    let (value, length) = decimal(text)?;
    let factor = match text.get(length..)? {
        b"" => 1.0,
        b"K" | b"k" => 1024.0,
        b"M" | b"m" => MIB as f64,
        _ => return None,
    };
    Some((value * factor).round() as u64)
}

/// Start and end of a run. In the hour that clocks show twice, the elapsed time decides between the
/// two; without it, the end must not precede the start.
fn run(
    start: Option<Moments>,
    end: Option<Moments>,
    elapsed: Option<f64>,
    has_ended: bool,
) -> (Option<f64>, Option<f64>) {
    let Some(start) = start else { return (None, end.map(|(early, _)| early)) };
    let Some(end) = end else {
        let end = elapsed.filter(|_| has_ended).map(|seconds| start.0 + seconds);
        return (Some(start.0), end);
    };
    let pairs = [(start.0, end.0), (start.1, end.1), (start.0, end.1), (start.1, end.0)];
    let as_long =
        |pair: &&(f64, f64)| elapsed.is_some_and(|seconds| (pair.1 - pair.0 - seconds).abs() <= 1.0);
    let found = pairs.iter().find(as_long).or_else(|| pairs.iter().find(|pair| pair.1 >= pair.0));
    let (start, end) = *found.unwrap_or(&pairs[0]);
    (Some(start), Some(end))
}

//! Parses the lines of a table of operations.

use std::borrow::Cow;

use marigraph_model::{Direction, Event, FileId, Module, Nanos, Problem, ProblemKind, Rank};

use super::quick::{direction, quick, seconds};

/// The last two may be missing.
pub(super) const COLUMNS: [&str; 7] = ["rank", "start", "end", "bytes", "op", "file", "offset"];
const NEEDED: usize = 5;

#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// Position of each of [`COLUMNS`].
    pub(super) places: [Option<usize>; 7],
    /// The column at each position, up to the last known one.
    pub(super) fields: Vec<Option<usize>>,
}

impl Layout {
    pub fn in_order() -> Layout {
        Layout::new([0, 1, 2, 3, 4, 5, 6].map(Some))
    }

    pub fn heading(line: &str) -> Option<Layout> {
        let names: Vec<String> =
            line.trim().split(',').map(|name| name.trim().to_ascii_lowercase()).collect();
        let places = COLUMNS.map(|column| names.iter().position(|name| name == column));
        places[..NEEDED].iter().all(Option::is_some).then(|| Layout::new(places))
    }

    pub(super) fn new(places: [Option<usize>; 7]) -> Layout {
        let count = places.iter().flatten().max().map_or(0, |last| last + 1);
        let column = |place| places.iter().position(|&at| at == Some(place));
        Layout { places, fields: (0..count).map(column).collect() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row<'l> {
    pub rank: u32,
    pub start: Nanos,
    pub end: Nanos,
    pub bytes: u64,
    pub op: Direction,
    pub file: Cow<'l, [u8]>,
    pub offset: Option<u64>,
}

impl Row<'_> {
    pub fn event(&self, file: FileId) -> Event {
        Event {
            interface: Module::Posix,
            direction: self.op,
            rank: Rank(self.rank),
            file,
            start: self.start,
            end: self.end,
            offset: self.offset,
            bytes: self.bytes,
            thread: None,
        }
    }
}

/// File ids, cached because consecutive lines often name the same file.
#[derive(Debug)]
pub(crate) struct Ids {
    name: Vec<u8>,
    id: FileId,
}

impl Default for Ids {
    fn default() -> Ids {
        Ids { name: Vec::new(), id: FileId::of_name(b"") }
    }
}

impl Ids {
    /// The id of a name, and whether the name differs from the last one.
    pub fn of(&mut self, name: &[u8]) -> (FileId, bool) {
        // Tables often have no names, and even comparing empty slices costs time.
        let empty = self.name.is_empty() && name.is_empty();
        let changed = !empty && self.name != name;
        if changed {
            self.name.clear();
            self.name.extend_from_slice(name);
            self.id = FileId::of_name(name);
        }
        (self.id, changed)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Bad {
    /// Number of the line after all lines so far, good and bad.
    pub next: u64,
    pub count: u64,
    pub first: Option<(u64, String)>,
}

/// Shows every operation of some whole lines, the first of which has the number `first`. A heading
/// among them, as in concatenated tables, sets the columns of the lines after it.
pub(crate) fn each(lines: &[u8], first: u64, layout: &mut Layout, mut show: impl FnMut(&Row<'_>)) -> Bad {
    let mut bad = Bad { next: first, ..Bad::default() };
    let mut rest = lines;
    while !rest.is_empty() {
        let number = bad.next;
        bad.next += 1;
        if let Some((row, length)) = quick(rest, layout) {
            show(&row);
            rest = &rest[length..];
            continue;
        }
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        match std::str::from_utf8(&rest[..end]) {
            Ok(text) if text.trim().is_empty() => {}
            Ok(text) => match parse(text, layout) {
                Ok(row) => show(&row),
                Err(detail) => match Layout::heading(text) {
                    Some(heading) => *layout = heading,
                    None => bad.add(number, detail),
                },
            },
            Err(_) => bad.add(number, "not text".to_string()),
        }
        rest = rest.get(end + 1..).unwrap_or(&[]);
    }
    bad
}

impl Bad {
    pub fn problem(self) -> Option<Problem> {
        self.problem_of("line")
    }

    /// The problem, with another word than "line".
    pub fn problem_of(self, what: &str) -> Option<Problem> {
        let (place, detail) = self.first?;
        let message = format!("{} {what}s are left out; the first: {detail}", self.count);
        Some(Problem::new(ProblemKind::BadLine, message).at(format!("{what} {place}")))
    }

    pub fn and(self, after: Bad) -> Bad {
        let first = self.first.or(after.first);
        Bad { next: after.next, count: self.count + after.count, first }
    }

    pub fn add(&mut self, line: u64, detail: String) {
        self.count += 1;
        self.first.get_or_insert((line, detail));
    }
}

pub(super) fn entire<T>(text: &str, read: impl Fn(&[u8]) -> Option<(T, usize)>) -> Option<T> {
    read(text.as_bytes()).filter(|&(_, length)| length == text.len()).map(|(value, _)| value)
}

pub(crate) fn parse<'l>(line: &'l str, layout: &Layout) -> Result<Row<'l>, String> {
    let fields = split(line.trim_end_matches('\r'));
    let field = |column: usize| layout.places[column].and_then(|at| fields.get(at));
    let needed = |column: usize| {
        field(column).map(|field| field.trim()).ok_or_else(|| format!("no {}", COLUMNS[column]))
    };
    let time = |column: usize| {
        let text = needed(column)?;
        if let Some(time) = entire(text, seconds) {
            return Ok(time);
        }
        let value: f64 = text.parse().map_err(|_| format!("{} {text:?} is not a number", COLUMNS[column]))?;
        let finite = value.is_finite().then(|| Nanos::from_job_seconds(value));
        finite.ok_or_else(|| format!("{} is not finite", COLUMNS[column]))
    };
    let whole = |column: usize| {
        let text = needed(column)?;
        text.parse::<u64>().map_err(|_| format!("{} {text:?} is not a whole number", COLUMNS[column]))
    };
    let rank = u32::try_from(whole(0)?).map_err(|_| "rank is too large".to_string())?;
    let (start, end) = (time(1)?, time(2)?);
    if end < start {
        return Err("the operation ends before it starts".to_string());
    }
    let word = needed(4)?;
    let op = entire(word, direction)
        .ok_or_else(|| format!("op {:?} is neither read nor write", word.to_ascii_lowercase()))?;
    let offset = field(6).filter(|text| !text.trim().is_empty()).map(|_| whole(6)).transpose()?;
    let file = match field(5).cloned().unwrap_or_default() {
        Cow::Borrowed(name) => Cow::Borrowed(name.as_bytes()),
        Cow::Owned(name) => Cow::Owned(name.into_bytes()),
    };
    Ok(Row { rank, start, end, bytes: whole(3)?, op, file, offset })
}

pub(super) fn split(line: &str) -> Vec<Cow<'_, str>> {
    if !line.contains('"') {
        return line.split(',').map(Into::into).collect();
    }
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                if let Some(field) = fields.last_mut() {
                    field.push('"');
                }
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            _ => {
                if let Some(field) = fields.last_mut() {
                    field.push(c);
                }
            }
        }
    }
    fields.into_iter().map(Into::into).collect()
}

//! Finds the columns of a table of rates.

use super::super::fields::{Quotes, separator_of, split};
use super::super::moment::Clock;
use super::super::number::rate;
use super::super::zone::Zone;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Time,
    Write,
    Read,
    /// The server, if devices have a separate column.
    Host,
    /// Anything else that the rate belongs to.
    Source,
    Seconds,
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub separator: u8,
    pub columns: Vec<Column>,
    pub lengths: bool,
}

/// Names of columns, without units. Those of [`UNITS`] may follow the names of rates.
const NAMES: &[(Column, &[&str])] = &[
    (
        Column::Time,
        &["timestamp", "time", "ts", "t", "epoch", "date", "datetime", "unixtime", "unix_time", "start"],
    ),
    (Column::Write, &["write", "writes", "written", "bytes_written", "write_rate", "wr"]),
    (Column::Read, &["read", "reads", "bytes_read", "read_rate", "rd"]),
    (Column::Host, &["server", "host", "hostname", "node", "instance", "oss"]),
    (
        Column::Source,
        &["source", "device", "dev", "target", "ost", "disk", "name", "controller", "partition"],
    ),
    (Column::Seconds, &["interval", "interval_s", "seconds", "dt"]),
];
const UNITS: &[&str] = &[
    "_bytes_per_s",
    "_bytes_per_sec",
    "_bytes_per_second",
    "_bytes/s",
    "_b_per_s",
    "_b/s",
    "_per_s",
    "/s",
    "",
];

impl Layout {
    /// The columns of a first line: by name, or values in their default order.
    pub fn of_first_line(line: &str) -> Option<Layout> {
        Layout::heading(line).or_else(|| Layout::in_order(line))
    }

    pub fn heading(line: &str) -> Option<Layout> {
        let line = line.trim_start_matches(['#', ' ']);
        let separator = separator_of(line.as_bytes());
        let mut names = Vec::new();
        split(line.as_bytes(), &[separator], Quotes::Enclose, &mut names);
        let columns: Vec<Column> = names.iter().map(|name| column(name)).collect();
        let once = |wanted: Column| columns.iter().filter(|column| **column == wanted).count();
        let kinds =
            [Column::Time, Column::Write, Column::Read, Column::Host, Column::Source, Column::Seconds];
        let clear = kinds.into_iter().all(|kind| once(kind) <= 1);
        let enough = once(Column::Time) == 1 && once(Column::Write) + once(Column::Read) > 0;
        (clear && enough).then_some(Layout { separator, lengths: once(Column::Seconds) == 1, columns })
    }

    /// The default order, for a line that begins with a time and rates.
    fn in_order(line: &str) -> Option<Layout> {
        let separator = separator_of(line.as_bytes());
        let mut values = Vec::new();
        split(line.as_bytes(), &[separator], Quotes::Enclose, &mut values);
        // A number before this century is not a time of a log.
        let moment = Clock::new(&Zone::utc()).read_all(values.first()?)?;
        let rates = values.iter().skip(1).all(|value| rate(value).is_some());
        let columns: Vec<Column> =
            [Column::Time, Column::Write, Column::Read].into_iter().take(values.len()).collect();
        let fits = moment >= 9e8 && rates && matches!(values.len(), 2 | 3);
        fits.then_some(Layout { separator, columns, lengths: false })
    }
}

fn column(name: &[u8]) -> Column {
    let name = String::from_utf8_lossy(name).trim().to_ascii_lowercase();
    let is = |column: Column, known: &str| match column {
        Column::Write | Column::Read => {
            UNITS.iter().any(|unit| name.strip_suffix(unit).is_some_and(|stem| stem == known))
        }
        _ => name == known,
    };
    let found = NAMES.iter().find(|(column, known)| known.iter().any(|known| is(*column, known)));
    found.map_or(Column::Other, |(column, _)| *column)
}

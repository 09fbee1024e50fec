//! Reads a table of rates per step under `read`, `write` or `both`, with the start of each step.

use marigraph_model::Direction;

use super::gather::Gather;

/// Seconds per step if the table has no times.
const STEP: f64 = 1.0;
/// A longer first line is not a heading.
const LONGEST_HEADING: usize = 1024;

#[derive(Debug, Clone, Default)]
struct Columns {
    time: Option<usize>,
    rates: Vec<(usize, Direction)>,
    directed: bool,
}

pub(super) fn sniff(content: &[u8]) -> bool {
    let beginning = &content[..content.len().min(LONGEST_HEADING)];
    beginning.split(|&byte| byte == b'\n').next().and_then(heading).is_some()
}

/// The columns, if the line names any, and nothing else but a time and a running number.
fn heading(line: &[u8]) -> Option<Columns> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let line = std::str::from_utf8(line).ok()?;
    let names: Vec<String> =
        line.split(',').map(|name| name.trim().trim_matches('"').to_ascii_lowercase()).collect();
    if !names.iter().all(|name| ["read", "write", "both", "timestamp", ""].contains(&name.as_str())) {
        return None;
    }
    let place = |wanted: &str| names.iter().position(|name| name == wanted);
    let directed = [("read", Direction::Read), ("write", Direction::Write)];
    let mut rates: Vec<(usize, Direction)> =
        directed.into_iter().filter_map(|(name, op)| Some((place(name)?, op))).collect();
    let directed = !rates.is_empty();
    if !directed {
        rates.push((place("both")?, Direction::Read));
    }
    Some(Columns { time: place("timestamp"), rates, directed })
}

pub(super) fn table(content: &[u8], gather: &mut Gather<'_>) {
    let mut lines = content.split(|&byte| byte == b'\n');
    let Some(columns) = lines.next().and_then(heading) else { return };
    gather.tally.undirected |= !columns.directed;
    let mut times = Vec::new();
    let mut rates = vec![Vec::new(); columns.rates.len()];
    for (number, line) in (2u64..).zip(lines).filter(|(_, line)| !line.trim_ascii().is_empty()) {
        let fields: Vec<&[u8]> = line.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).collect();
        let time = match columns.time {
            Some(at) => fields.get(at).and_then(|text| timestamp(text)),
            None => Some(times.len() as f64 * STEP),
        };
        let Some(time) = time else {
            gather.tally.bad(|| format!("line {number}"), || "no time of the expected form".into());
            continue;
        };
        times.push(time);
        for (column, &(at, _)) in rates.iter_mut().zip(&columns.rates) {
            column.push(fields.get(at).and_then(|text| number_of(text)).unwrap_or(f64::NAN));
        }
    }
    steps(&columns, times, rates, gather);
}

/// Gives the last step the length of the previous one, and counts time from the first.
fn steps(columns: &Columns, mut times: Vec<f64>, mut rates: Vec<Vec<f64>>, gather: &mut Gather<'_>) {
    let Some((&first, &last)) = times.first().zip(times.last()) else { return };
    let step = match times.len() {
        _ if columns.time.is_none() => STEP,
        0 | 1 => STEP,
        count => last - times[count - 2],
    };
    times.push(last + step);
    times.iter_mut().for_each(|time| *time -= first);
    for (column, &(_, op)) in rates.iter_mut().zip(&columns.rates) {
        column.push(0.0);
        gather.stepped(op, column, &times);
    }
}

fn number_of(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Parses `YYYY-mm-dd HH:MM:SS[.ffffff]` into seconds since 1970, or a plain number of seconds.
fn timestamp(text: &[u8]) -> Option<f64> {
    if let Some(seconds) = number_of(text) {
        return seconds.is_finite().then_some(seconds);
    }
    let text = std::str::from_utf8(text).ok()?.trim_matches('"');
    let (date, clock) = text.split_once([' ', 'T'])?;
    let mut date =
        date.splitn(3, '-').map(|part| part.parse::<i64>().ok().filter(|part| (0..100_000).contains(part)));
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let mut clock = clock.splitn(3, ':').map(|part| part.parse::<f64>().ok().filter(|part| part.is_finite()));
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    Some(days(year, month, day) as f64 * 86_400.0 + hour * 3600.0 + minute * 60.0 + second)
}

fn days(year: i64, month: i64, day: i64) -> i64 {
    // Counted from 1 March, so that leap days come last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_year = (153 * month + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_of_the_calendar() {
        assert_eq!(timestamp(b"1970-01-01 00:00:01.5"), Some(1.5));
        assert_eq!(timestamp(b"2000-02-29 12:00:00"), Some(951_825_600.0));
        assert_eq!(timestamp(b"17.25"), Some(17.25));
        for bad in [
            &b"nan"[..],
            b"2000-02",
            b"x-y-z 0:0:0",
            b"99999999999999-1-1 0:0:0",
            b"2000-01--9223372036854775808 0:0:0",
            b"",
        ] {
            assert_eq!(timestamp(bad), None);
        }
    }

    #[test]
    fn only_headings_of_rates_are_headings() {
        assert!(sniff(b"timestamp,read,write\n") && sniff(b",both\n1") && sniff(b"write"));
        assert!(!sniff(b"") && !sniff(b"timestamp\n") && !sniff(b"read,offset\n") && !sniff(b"1,2\n"));
    }
}

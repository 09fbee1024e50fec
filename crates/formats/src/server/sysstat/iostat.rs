//! Reads the text of `iostat -t`, with `-x` or `-d`, of all generations of sysstat; columns are
//! identified by name.

use std::borrow::Cow;
use std::collections::HashMap;

use marigraph_model::{Direction, Problem, Reading};

use super::super::fields::lines;
use super::super::moment::Clock;
use super::super::zone::Zone;
use super::Device;
use super::runs::Runs;
use super::stamp::is_stamp;
use super::units::{bytes, rate_column};
use crate::csv::row::Bad;
use crate::error::Error;

const BEGINNING: usize = 1 << 14;

/// Whether the content begins like the text of `iostat`, or of `sar`, which is refused with its own
/// message.
pub(in super::super) fn sniff(content: &[u8]) -> bool {
    let beginning = &content[..content.len().min(BEGINNING)];
    let headed = beginning.trim_ascii_start().starts_with(b"Linux ") && beginning.contains(&b'(');
    headed || lines(beginning).filter_map(|(_, line)| text(line)).any(|line| Table::heading(line).is_some())
}

fn text(line: &[u8]) -> Option<&str> {
    std::str::from_utf8(line).ok()
}

pub(in super::super) fn read(
    content: &[u8],
    zone: &Zone,
    each: &mut dyn FnMut(Reading),
) -> Result<(Vec<String>, Vec<Problem>), Error> {
    let mut reading = Reports::default();
    for (number, line) in lines(content) {
        match text(line) {
            Some(line) => reading.line(number, line),
            None => reading.bad.add(number, "not text".to_string()),
        }
    }
    reading.end_report();
    let Reports { runs, bad, lacks, .. } = reading;
    if let Some(error) = lacks.error() {
        return Err(error);
    }
    let (names, mut problems) = runs.finish(&mut Clock::new(zone), each);
    problems.extend(bad.problem());
    Ok((names, problems))
}

#[derive(Default)]
struct Reports<'a> {
    runs: Runs<'a>,
    host: &'a str,
    stamp: Option<&'a str>,
    table: Option<Table>,
    /// A name on its own line, before its values on the next.
    lone: Option<&'a str>,
    devices: Vec<Device>,
    /// Groups of devices (`-g`), on indented lines: they count if their devices are not shown
    /// (`-H`).
    groups: Vec<Device>,
    places: HashMap<&'a str, usize>,
    bad: Bad,
    lacks: Lacks,
}

#[derive(Default)]
struct Lacks {
    sar: bool,
    tables: bool,
    stamps: bool,
    reads: bool,
    writes: bool,
}

impl Lacks {
    fn error(&self) -> Option<Error> {
        let (detail, hint) = if self.sar && !self.tables {
            ("the text output of sar", "use sadf -d FILE -- -d, where sar -o wrote FILE")
        } else if !self.tables {
            ("iostat output without devices", "run iostat with -x -t INTERVAL")
        } else if !self.stamps {
            ("iostat output without times", "run iostat with -t")
        } else if !(self.reads && self.writes) {
            ("iostat output without separate reads and writes", "run iostat with -x -t, without -s")
        } else {
            return None;
        };
        Some(Error::Lacking { detail: detail.to_string(), hint })
    }
}

impl<'a> Reports<'a> {
    fn line(&mut self, number: u64, line: &'a str) {
        if line.trim().is_empty() {
            self.table = None;
        } else if let Some(table) = Table::heading(line) {
            self.lacks.tables = true;
            self.lacks.reads |= table.read.is_some();
            self.lacks.writes |= table.write.is_some();
            self.table = Some(table);
        } else if self.table.is_some() {
            self.device(number, line);
        } else if let Some(rest) = line.strip_prefix("Linux ") {
            self.end_report();
            self.stamp = None;
            self.runs.begin();
            self.host = rest.split_once('(').and_then(|(_, rest)| rest.split(')').next()).unwrap_or("");
        } else if is_stamp(line) {
            self.end_report();
            self.stamp = Some(line.trim());
            self.lacks.stamps = true;
        } else {
            self.lacks.sar |= line.split_ascii_whitespace().skip(1).take(2).any(|word| word == "DEV");
        }
    }

    fn device(&mut self, number: u64, line: &'a str) {
        let Some(table) = &self.table else { return };
        let mut words: Vec<&str> = line.split_ascii_whitespace().collect();
        if let [name] = words[..] {
            self.lone = Some(name);
            return;
        }
        let group = table.device == 0 && line.starts_with(' ') && self.lone.is_none();
        if let Some(name) = self.lone.take() {
            words.insert(table.device.min(words.len()), name);
        }
        if self.stamp.is_none() {
            return self.bad.add(number, "a device without a time before it".to_string());
        }
        match table.rates(&words) {
            Ok((name, Some(read), Some(write))) if group => {
                self.groups.push(Device { name: name.to_string(), read, write });
            }
            Ok((name, read, write)) => self.put(name, read, write),
            Err(detail) => self.bad.add(number, detail),
        }
    }

    /// A device may occur in several tables of a report, each for one direction.
    fn put(&mut self, name: &'a str, read: Option<f64>, write: Option<f64>) {
        let place = *self.places.entry(name).or_insert(self.devices.len());
        if place == self.devices.len() {
            self.devices.push(Device { name: name.to_string(), read: 0.0, write: 0.0 });
        }
        let device = &mut self.devices[place];
        device.read = read.unwrap_or(device.read);
        device.write = write.unwrap_or(device.write);
    }

    fn end_report(&mut self) {
        if let Some(stamp) = self.stamp.take() {
            let shown = if self.devices.is_empty() { &self.groups } else { &self.devices };
            self.runs.report(self.host, Cow::Borrowed(stamp), shown);
        }
        self.devices.clear();
        self.groups.clear();
        self.places.clear();
        self.table = None;
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Table {
    device: usize,
    /// Position and unit.
    read: Option<(usize, f64)>,
    write: Option<(usize, f64)>,
    count: usize,
}

impl Table {
    fn heading(line: &str) -> Option<Table> {
        if !line.contains('/') {
            return None;
        }
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let count = words.len();
        let is_device = |word: &str| word.trim_end_matches(':').eq_ignore_ascii_case("device");
        let place = |wanted: Direction| {
            let found = words.iter().enumerate().filter_map(|(at, word)| Some((at, rate_column(word)?)));
            found.into_iter().find(|(_, (way, _))| *way == wanted).map(|(at, (_, unit))| (at, unit))
        };
        let (read, write) = (place(Direction::Read), place(Direction::Write));
        let device = match words.iter().position(|word| is_device(word)) {
            Some(at) => at,
            // Another language: names come first, or last in human-readable output.
            None if words.contains(&"DEV") => return None,
            None if words.first()?.contains(['/', '%']) || *words.first()? == "tps" => count - 1,
            None => 0,
        };
        let known = words.iter().any(|word| is_device(word)) || read.is_some() || write.is_some();
        let wide = count >= 3 && words.iter().skip(1).any(|word| word.ends_with("/s"));
        (known && wide && !is_stamp(line)).then_some(Table { device, read, write, count })
    }

    fn rates<'l>(&self, words: &[&'l str]) -> Result<(&'l str, Option<f64>, Option<f64>), String> {
        if words.len() != self.count {
            return Err(format!("it has {} of {} columns", words.len(), self.count));
        }
        let value = |place: Option<(usize, f64)>| {
            let Some((at, unit)) = place else { return Ok(None) };
            bytes(words[at], unit).map(Some).ok_or_else(|| format!("no rate: {:?}", words[at]))
        };
        Ok((words[self.device], value(self.read)?, value(self.write)?))
    }
}

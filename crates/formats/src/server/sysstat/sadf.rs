//! Reads `sadf -d FILE -- -d`: fields separated by semicolons, under headings that begin with `#`.

use marigraph_model::{Direction, Problem, Reading};

use super::super::fields::{first_line, lines};
use super::super::moment::Clock;
use super::super::zone::Zone;
use super::units::rate_column;
use super::{Device, Devices, Rates, show};
use crate::csv::row::Bad;
use crate::error::Error;

pub(in super::super) fn sniff(content: &[u8]) -> bool {
    first_line(content).is_some_and(|line| {
        let restart = line.split(';').nth(3).is_some_and(|field| field.starts_with("LINUX-RESTART"));
        restart || line.trim_start_matches(['#', ' ']).starts_with("hostname;interval;timestamp")
    })
}

pub(in super::super) fn read(
    content: &[u8],
    zone: &Zone,
    each: &mut dyn FnMut(Reading),
) -> Result<(Vec<String>, Vec<Problem>), Error> {
    let mut reports = Reports::default();
    let (mut clock, mut table, mut tables) = (Clock::new(zone), None, 0);
    for (number, line) in lines(content) {
        let Ok(line) = std::str::from_utf8(line) else {
            reports.bad.add(number, "not text".to_string());
            continue;
        };
        if line.starts_with('#') {
            table = Table::heading(line);
            tables += usize::from(table.is_some());
        } else if let Some(table) = &table
            && !line.trim().is_empty()
        {
            reports.line(number, line, table, &mut clock, each);
        }
    }
    if tables == 0 {
        let detail = "sadf output without devices".to_string();
        return Err(Error::Lacking { detail, hint: "run sadf -d FILE -- -d" });
    }
    reports.end(each);
    let (names, left_out) = reports.devices.finish();
    Ok((names, left_out.into_iter().chain(reports.bad.problem()).collect()))
}

#[derive(Debug, Clone)]
struct Table {
    device: usize,
    read: (usize, f64),
    write: (usize, f64),
    count: usize,
    /// With `-h`, one line has all devices of a report.
    wide: bool,
}

/// Number of common columns: host, interval and time.
const COMMON: usize = 3;

impl Table {
    fn heading(line: &str) -> Option<Table> {
        let names: Vec<&str> =
            line.trim_start_matches(['#', ' ']).trim_end().split(';').skip(COMMON).collect();
        let wide = names.last().is_some_and(|name| name.ends_with("[...]"));
        let name = |name: &str| name.trim_end_matches("[...]").to_string();
        let place = |wanted: Direction| {
            names.iter().enumerate().find_map(|(at, text)| match rate_column(&name(text)) {
                Some((way, unit)) if way == wanted => Some((at, unit)),
                _ => None,
            })
        };
        let device = names.iter().position(|name| *name == "DEV")?;
        Some(Table {
            device,
            read: place(Direction::Read)?,
            write: place(Direction::Write)?,
            count: names.len(),
            wide,
        })
    }

    fn device(&self, fields: &[&str]) -> Result<Device, String> {
        if fields.len() != self.count {
            return Err(format!("it has {} of {} fields", fields.len() + COMMON, self.count + COMMON));
        }
        let rate = |(at, unit): (usize, f64)| {
            super::units::bytes(fields[at], unit).ok_or_else(|| format!("no rate: {:?}", fields[at]))
        };
        Ok(Device { name: fields[self.device].to_string(), read: rate(self.read)?, write: rate(self.write)? })
    }
}

/// Rows of the same host and time form one report.
#[derive(Debug, Default)]
struct Reports {
    devices: Devices,
    host: String,
    time: Option<(f64, f64)>,
    rows: Vec<Device>,
    rates: Vec<Rates>,
    bad: Bad,
}

impl Reports {
    fn line(
        &mut self,
        number: u64,
        line: &str,
        table: &Table,
        clock: &mut Clock<'_>,
        each: &mut dyn FnMut(Reading),
    ) {
        let fields: Vec<&str> = line.trim_end().split(';').collect();
        let [host, interval, time, rest @ ..] = &fields[..] else {
            return self.bad.add(number, "it has too few fields".to_string());
        };
        // The machine was restarted, or somebody left a comment.
        if *interval == "-1" || rest.first().is_some_and(|field| field.starts_with("LINUX-RESTART")) {
            return;
        }
        let seconds = interval.parse().ok().filter(|seconds: &f64| *seconds > 0.0 && seconds.is_finite());
        let (Some(seconds), Some(end)) = (seconds, clock.read_all(time.trim().as_bytes())) else {
            return self.bad.add(number, format!("no time or no interval: {time:?}, {interval:?}"));
        };
        if self.time != Some((end, seconds)) || self.host != *host {
            self.end(each);
            self.host = (*host).to_string();
            self.time = Some((end, seconds));
        }
        let size = if table.wide { table.count } else { rest.len().max(1) };
        for group in rest.chunks(size) {
            match table.device(group) {
                Ok(device) => self.rows.push(device),
                Err(detail) => self.bad.add(number, detail),
            }
        }
    }

    fn end(&mut self, each: &mut dyn FnMut(Reading)) {
        if let Some((end, seconds)) = self.time.take() {
            self.rates.clear();
            self.devices.count(&self.host, &self.rows, &mut self.rates);
            show(&self.rates, end, seconds, each);
        }
        self.rows.clear();
    }
}

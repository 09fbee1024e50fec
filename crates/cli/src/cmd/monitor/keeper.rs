//! Writes samples in order, with gaps between them, to one file per day.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use marigraph_formats::server::monitor::{Header, Writer, day};
use marigraph_model::{Gap, GapCause, Sample};
use marigraph_report::monitor::MonitorRun;
use marigraph_system::monitor::Log;
use marigraph_system::monitor::clock::{self, Between};

use super::start;
use crate::args::MonitorArgs;
use crate::error::{Failure, complain};

/// The monitor's file and state.
pub struct Keeper {
    root: PathBuf,
    name: String,
    log: Log,
    writer: Writer,
    interval_us: u64,
    day: Option<String>,
    /// The last written sample, by the wall clock and, in this run, by the steady clock.
    last: Option<(i64, Option<u64>)>,
    /// Uptime minus the steady clock.
    ahead_us: Option<i64>,
    failed: Option<io::Error>,
    run: MonitorRun,
}

impl Keeper {
    pub fn open(args: &MonitorArgs) -> Result<Keeper, Failure> {
        let (log, tail) = start::open(&args.output)?;
        let interval_us = (args.interval * 1e6).round() as u64;
        let first_line = |path: &str| {
            let text = fs::read_to_string(args.root.join(path)).unwrap_or_default();
            text.lines().next().unwrap_or_default().to_string()
        };
        let header = Header {
            interval_us,
            host: first_line("proc/sys/kernel/hostname"),
            boot: first_line("proc/sys/kernel/random/boot_id"),
        };
        let day = tail.map(|tail| day(tail.wall_us)).filter(|_| log.length() > 0);
        Ok(Keeper {
            root: args.root.clone(),
            name: args.output.display().to_string(),
            log,
            writer: Writer::new(header, clock::wall_us()),
            interval_us,
            day,
            last: tail.map(|tail| (tail.wall_us, None)),
            ahead_us: None,
            failed: None,
            run: MonitorRun::default(),
        })
    }

    pub fn interval_us(&self) -> u64 {
        self.interval_us
    }

    pub fn run(&self) -> &MonitorRun {
        &self.run
    }

    /// If writing fails, the next sample includes its counts.
    pub fn keep(&mut self, sample: &Sample) {
        let gap = self.gap(sample);
        match self.write(sample, gap) {
            Ok(bytes) => {
                if self.failed.take().is_some() {
                    complain(&format!("note: {}: writing again", self.name));
                }
                self.last = Some((sample.wall_us, Some(sample.steady_us)));
                if self.run.samples == 0 {
                    self.ahead_us = ahead(&self.root, sample.steady_us);
                }
                self.run.samples += 1;
                self.run.bytes += bytes;
                gap.into_iter().for_each(|gap| self.run.note(gap));
                let first = self.run.span_us.map_or(sample.wall_us, |(first, _)| first);
                self.run.span_us = Some((first, sample.wall_us));
            }
            Err(error) => {
                self.run.unwritten += 1;
                if self.failed.is_none() {
                    complain(&format!("warning: {}: cannot write: {error}; retrying", self.name));
                }
                self.failed = Some(error);
            }
        }
    }

    fn write(&mut self, sample: &Sample, gap: Option<Gap>) -> io::Result<u64> {
        self.log.settle()?;
        let today = day(sample.wall_us);
        if let Some(past) = self.day.as_ref().filter(|past| **past != today && self.log.length() > 0) {
            self.log.rotate(past)?;
        }
        let at_start = self.log.length() == 0;
        let record = self.writer.encode(sample, gap, at_start);
        let bytes = record.len() as u64;
        self.log.append(record)?;
        self.writer.commit(sample, at_start);
        self.day = Some(today);
        Ok(bytes)
    }

    fn gap(&mut self, sample: &Sample) -> Option<Gap> {
        let (from_us, steady_us) = self.last?;
        let of = |cause: GapCause| Some(Gap { from_us, to_us: sample.wall_us, cause });
        let Some(steady_us) = steady_us else { return of(GapCause::NotRunning) };
        if self.failed.is_some() {
            return of(GapCause::NotWritten);
        }
        let elapsed_us = sample.steady_us.saturating_sub(steady_us);
        let between = Between { from_us, to_us: sample.wall_us, elapsed_us, interval_us: self.interval_us };
        between.gap(|| self.slept(sample.steady_us))
    }

    fn slept(&mut self, steady_us: u64) -> Option<i64> {
        let ahead = ahead(&self.root, steady_us)?;
        let before = self.ahead_us.replace(ahead)?;
        Some(ahead.saturating_sub(before))
    }

    /// Returns why the last sample was not written, if so.
    pub fn finish(&mut self) -> Option<io::Error> {
        // If a file cannot be synced, everything is written nevertheless.
        let _ = self.log.sync();
        self.failed.take()
    }
}

fn ahead(root: &Path, steady_us: u64) -> Option<i64> {
    Some(clock::uptime_us(root)?.saturating_sub_unsigned(steady_us))
}

#[cfg(test)]
mod tests;

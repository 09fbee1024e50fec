//! From arrivals to predictions.

use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};

use marigraph_analysis::online::{Prediction, Published, Tracker, by_period};
use marigraph_analysis::period::{DirectionFilter, Rules};
use marigraph_formats::tmio::{Feed, Flush, Unit};
use marigraph_model::Event;
use marigraph_report::predict;
use marigraph_system::arrival::Arrival;
use marigraph_system::metrics::Metrics;

use crate::args::{MethodArg, PredictArgs, UnitArg};
use crate::error::{Failure, complain};
use crate::output;

/// An observed job.
pub struct Session {
    method: Method,
    direction: DirectionFilter,
    unit: Unit,
    sources: HashMap<u64, Source>,
    /// Start of the first request in the newest flush of the source that ended last.
    left_s: f64,
    out: Box<dyn Write>,
    json: bool,
    metrics: Option<Metrics>,
    predictions: u64,
    changes: u64,
}

enum Method {
    Auto(Box<Tracker>),
    Dft(Published),
}

impl Method {
    fn new(args: &PredictArgs) -> Method {
        let rules = Rules { tolerance: args.tolerance, autocorrelation: false, ..Rules::PUBLISHED };
        match args.method {
            MethodArg::Auto => Method::Auto(Box::new(Tracker::new(args.adapt))),
            MethodArg::Dft => Method::Dft(Published::new(args.adapt, rules, args.sampling)),
        }
    }

    fn add(&mut self, event: &Event) {
        match self {
            Method::Auto(tracker) => {
                let (start, end) = (event.start.as_job_seconds(), event.end.as_job_seconds());
                tracker.add(event.rank.0, start, end, event.bytes as f64);
            }
            Method::Dft(published) => published.add(event),
        }
    }

    fn flush(&mut self) -> Prediction {
        match self {
            Method::Auto(tracker) => tracker.flush(None, &mut by_period),
            Method::Dft(published) => published.flush(),
        }
    }

    fn restart(&mut self) {
        match self {
            Method::Auto(tracker) => tracker.restart(),
            Method::Dft(published) => published.restart(),
        }
    }
}

struct Source {
    feed: Feed,
    /// Start of the first request in the newest non-empty flush.
    begun_s: f64,
    told: Vec<String>,
}

impl Session {
    pub fn new(args: &PredictArgs, metrics: Option<Metrics>) -> Result<Session, Failure> {
        let mut session = Session {
            method: Method::new(args),
            direction: args.op.direction(),
            unit: if args.unit == Some(UnitArg::Megabytes) { Unit::Megabytes } else { Unit::Bytes },
            sources: HashMap::new(),
            left_s: f64::NEG_INFINITY,
            out: Box::new(output::stdout()),
            json: args.json || !io::stdout().is_terminal(),
            metrics,
            predictions: 0,
            changes: 0,
        };
        if !session.json {
            session.say(&predict::heading())?;
        }
        Ok(session)
    }

    pub fn take(&mut self, arrival: Arrival) -> Result<(), Failure> {
        match arrival {
            Arrival::Bytes { source, bytes } => {
                let flushes = self.source(source).feed.push(&bytes);
                self.flushed(source, flushes)
            }
            Arrival::Message { source, bytes } => {
                let flush = self.source(source).feed.message(&bytes);
                self.flushed(source, vec![flush])
            }
            Arrival::Restarted { source, why } => {
                complain(&format!("note: {why}; starting over"));
                self.source(source).feed.restart();
                self.start_over(source);
                Ok(())
            }
            Arrival::Closed { source } => self.close(source),
            Arrival::Remark(text) => {
                complain(&format!("warning: {text}"));
                Ok(())
            }
        }
    }

    pub fn finish(mut self) -> Result<(), Failure> {
        let sources: Vec<u64> = self.sources.keys().copied().collect();
        sources.into_iter().try_for_each(|source| self.close(source))
    }

    fn source(&mut self, number: u64) -> &mut Source {
        // A peer that connects when all others are gone continues where they ended, or is another
        // run.
        let begun_s = if self.sources.is_empty() { self.left_s } else { f64::NEG_INFINITY };
        let unit = self.unit;
        let fresh = || Source { feed: Feed::new(unit), begun_s, told: Vec::new() };
        self.sources.entry(number).or_insert_with(fresh)
    }

    fn close(&mut self, source: u64) -> Result<(), Failure> {
        let flushes = self.source(source).feed.finish();
        self.flushed(source, flushes)?;
        self.left_s = self.sources.remove(&source).map_or(self.left_s, |ended| ended.begun_s);
        Ok(())
    }

    fn flushed(&mut self, source: u64, flushes: Vec<Flush>) -> Result<(), Failure> {
        self.warn(source);
        for flush in flushes {
            self.notice_restart(source, &flush);
            for event in flush.events.iter().filter(|event| self.direction.takes(event.direction)) {
                self.method.add(&event);
            }
            let prediction = self.method.flush();
            self.tell(&prediction)?;
        }
        Ok(())
    }

    /// Reports each kind of problem once.
    fn warn(&mut self, source: u64) {
        let source = self.source(source);
        for problem in source.feed.problems() {
            let kind = format!("{:?}", problem.kind);
            if !source.told.contains(&kind) {
                complain(&format!("warning: {}", problem.message));
                source.told.push(kind);
            }
        }
    }

    /// A stream whose flush ends before the previous one began belongs to another run: some
    /// programs append to the output of the last run, and some connect again.
    fn notice_restart(&mut self, source: u64, flush: &Flush) {
        let times = || flush.events.iter().map(|event| (event.start, event.end));
        let (Some(start), Some(end)) =
            (times().map(|times| times.0).min(), times().map(|times| times.1).max())
        else {
            return;
        };
        let known = self.source(source).begun_s;
        if end.as_job_seconds() < known {
            complain(&"note: time went backwards; starting over");
            self.start_over(source);
        }
        self.source(source).begun_s = start.as_job_seconds();
    }

    fn start_over(&mut self, source: u64) {
        self.method.restart();
        self.source(source).begun_s = f64::NEG_INFINITY;
    }

    fn tell(&mut self, prediction: &Prediction) -> Result<(), Failure> {
        self.predictions += 1;
        self.changes += u64::from(prediction.change);
        if let Some(metrics) = &self.metrics {
            metrics.publish(&predict::metrics(prediction, self.predictions, self.changes));
        }
        let line = if self.json { predict::json_line(prediction) } else { predict::row(prediction) };
        self.say(&line)
    }

    fn say(&mut self, line: &str) -> Result<(), Failure> {
        let written = writeln!(self.out, "{line}").and_then(|()| self.out.flush());
        written.map_err(|error| Failure::write("standard output", error))
    }
}

//! Single operations, up to a number of them.

use marigraph_model::{Event, Events, FileId, Module, Nanos, Rank, Sink};

use super::Options;
use super::file::Moved;
use super::process::Process;

#[derive(Debug, Default)]
pub(super) struct Trail {
    pub(super) wanted: bool,
    pub(super) streams: bool,
    pub(super) events: Events,
    limit: usize,
    pub(super) cut: Vec<Module>,
}

impl Trail {
    pub(super) fn new(options: &Options) -> Trail {
        let (wanted, streams) = (options.trace, options.trace && options.streams);
        Trail { wanted, streams, limit: options.dxt_limit, ..Trail::default() }
    }

    fn push(&mut self, event: Event) {
        if self.events.len() < self.limit {
            self.events.push(event);
        } else if !self.cut.contains(&event.interface) {
            self.cut.push(event.interface);
        }
    }

    /// Hands on what there is, if it is `least` operations or more.
    pub(super) fn drain(&mut self, least: usize, sink: &mut dyn Sink) {
        if self.events.len() >= least.max(1) {
            sink.events(&self.events);
            self.events.clear();
        }
    }

    pub(super) fn merge(&mut self, other: &Trail) {
        other.events.iter().for_each(|event| self.push(event));
        let more: Vec<Module> =
            other.cut.iter().copied().filter(|module| !self.cut.contains(module)).collect();
        self.cut.extend(more);
    }
}

impl Process<'_> {
    /// Keeps an operation; `offset` is where it truly was.
    pub(super) fn trail(&mut self, interface: Module, file: Option<u32>, offset: Option<i64>, moved: &Moved) {
        let Some((file, _)): Option<(FileId, _)> = file.and_then(|file| self.files.get(file)) else { return };
        let rank: Rank = self.rank;
        self.counter.trail.push(Event {
            interface,
            direction: moved.way,
            rank,
            file,
            start: Nanos(moved.at.start),
            end: Nanos(moved.at.end),
            offset: offset.and_then(|offset| u64::try_from(offset).ok()),
            bytes: u64::try_from(moved.bytes).unwrap_or(0),
            thread: None,
        });
    }
}

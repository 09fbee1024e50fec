//! What readers of plain operations have in common.

use marigraph_model::{Event, Events, Job, Nanos, Sink, WallTime};

/// Hands operations to a sink in blocks.
pub(crate) struct Blocks<'s> {
    sink: &'s mut dyn Sink,
    block: Events,
    count: u64,
}

impl<'s> Blocks<'s> {
    pub(crate) fn new(sink: &'s mut dyn Sink) -> Blocks<'s> {
        Blocks { sink, block: Events::default(), count: 0 }
    }

    pub(crate) fn push(&mut self, event: Event) {
        self.block.push(event);
        self.count += 1;
        if self.block.len() >= Events::BLOCK {
            self.sink.events(&self.block);
            self.block.clear();
        }
    }

    /// Hands over the last ones; how many there were in all.
    pub(crate) fn finish(self) -> u64 {
        if !self.block.is_empty() {
            self.sink.events(&self.block);
        }
        self.count
    }
}

/// The job of a log that says no more of it: it starts at nought and ends with its last operation.
pub(crate) fn plain_job(ranks: u64, end: Nanos) -> Job {
    let nanos = end.0.max(0);
    let end = WallTime { seconds: nanos / 1_000_000_000, nanos: (nanos % 1_000_000_000) as u32 };
    Job { nprocs: ranks, end, ..Job::default() }
}

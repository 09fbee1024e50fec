//! What readers of plain operations have in common.

use marigraph_model::{Event, Events, Job, Nanos, Sink, WallTime};

/// Hands operations on in blocks.
pub(crate) struct Blocks<F: FnMut(&mut Events)> {
    take: F,
    block: Events,
    /// Operations that a block holds.
    most: usize,
    count: u64,
}

impl<F: FnMut(&mut Events)> Blocks<F> {
    /// Hands them to anything that may empty the block by taking it.
    pub(crate) fn to(take: F) -> Blocks<F> {
        Blocks::of(Events::BLOCK, take)
    }

    /// The same in smaller blocks.
    pub(crate) fn of(most: usize, take: F) -> Blocks<F> {
        Blocks { take, block: Events::default(), most, count: 0 }
    }

    pub(crate) fn push(&mut self, event: Event) {
        self.block.push(event);
        self.count += 1;
        if self.block.len() >= self.most {
            (self.take)(&mut self.block);
            self.block.clear();
        }
    }

    /// Hands over the last ones; how many there were in all.
    pub(crate) fn finish(mut self) -> u64 {
        if !self.block.is_empty() {
            (self.take)(&mut self.block);
        }
        self.count
    }
}

/// Hands operations to a sink.
pub(crate) fn blocks_for(sink: &mut dyn Sink) -> Blocks<impl FnMut(&mut Events) + '_> {
    Blocks::to(|block| sink.events(block))
}

/// The job of a log that says no more of it: it starts at nought and ends with its last operation.
pub(crate) fn plain_job(ranks: u64, end: Nanos) -> Job {
    let nanos = end.0.max(0);
    let end = WallTime { seconds: nanos / 1_000_000_000, nanos: (nanos % 1_000_000_000) as u32 };
    Job { nprocs: ranks, end, ..Job::default() }
}

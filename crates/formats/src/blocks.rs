//! Helpers shared by readers of plain operations.

use marigraph_model::{Event, Events, Job, Nanos, Sink, WallTime};

pub(crate) struct Blocks<F: FnMut(&mut Events)> {
    take: F,
    block: Events,
    most: usize,
    count: u64,
}

impl<F: FnMut(&mut Events)> Blocks<F> {
    /// Hands blocks to `take`, which may empty them.
    pub(crate) fn to(take: F) -> Blocks<F> {
        Blocks::of(Events::BLOCK, take)
    }

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

    pub(crate) fn finish(mut self) -> u64 {
        if !self.block.is_empty() {
            (self.take)(&mut self.block);
        }
        self.count
    }
}

pub(crate) fn blocks_for(sink: &mut dyn Sink) -> Blocks<impl FnMut(&mut Events) + '_> {
    Blocks::to(|block| sink.events(block))
}

/// A job for logs without job data: it starts at zero and ends with its last operation.
pub(crate) fn plain_job(ranks: u64, end: Nanos) -> Job {
    let nanos = end.0.max(0);
    let end = WallTime { seconds: nanos / 1_000_000_000, nanos: (nanos % 1_000_000_000) as u32 };
    Job { nprocs: ranks, end, ..Job::default() }
}

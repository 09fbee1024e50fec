//! Periods of single ranks.

use std::collections::BTreeMap;

use marigraph_model::{Events, Rank, Series, Sink, Trace};

use super::find::{Question, find};

/// Maximum number of ranks that are analysed; of more, evenly spaced ones.
pub const MAX_RANKS: usize = 1024;
/// Requests and bins that are held at a time, if they are more than those of one rank.
const MAX_HELD: u64 = 1 << 22;

/// The period of a rank's own I/O.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankPeriod {
    pub rank: u32,
    pub period_s: Option<f64>,
    pub confidence: f64,
}

/// Periods of ranks, ascending, and the number of all ranks with timed I/O.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RankPeriods {
    pub ranks: Vec<RankPeriod>,
    pub all: usize,
}

/// Finds the period of each rank by itself. Streams the log once to count, and again for each batch
/// of ranks whose I/O fits into memory together.
pub fn find_per_rank(
    question: &Question,
    runtime_s: &dyn Fn() -> f64,
    stream: &mut dyn FnMut(&mut dyn Sink),
) -> RankPeriods {
    let mut counts = Counts::default();
    stream(&mut counts);
    let all = counts.0.len();
    let step = all.div_ceil(MAX_RANKS).max(1);
    let mut chosen = counts.0.into_iter().step_by(step).peekable();
    let mut ranks = Vec::new();
    while chosen.peek().is_some() {
        let mut batch = Batch::default();
        let mut held = 0;
        while let Some((rank, count)) = chosen.next_if(|(_, count)| held == 0 || held + count <= MAX_HELD) {
            held += count;
            batch.0.insert(rank, Trace::default());
        }
        stream(&mut batch);
        for (rank, trace) in batch.0 {
            let found = find(question, runtime_s, &mut |sink| trace.stream(sink));
            let outcome = found.map(|found| found.outcome).unwrap_or_default();
            ranks.push(RankPeriod {
                rank: rank.0,
                period_s: outcome.period_s,
                confidence: outcome.confidence,
            });
        }
    }
    RankPeriods { ranks, all }
}

/// Requests and bins of each rank.
#[derive(Debug, Default)]
struct Counts(BTreeMap<Rank, u64>);

impl Sink for Counts {
    fn events(&mut self, block: &Events) {
        block.iter().for_each(|event| *self.0.entry(event.rank).or_default() += 1);
    }

    fn series(&mut self, series: &Series) {
        *self.0.entry(series.rank).or_default() += (series.read.len() + series.written.len()) as u64;
    }
}

/// The I/O of some ranks.
#[derive(Debug, Default)]
struct Batch(BTreeMap<Rank, Trace>);

impl Sink for Batch {
    fn events(&mut self, block: &Events) {
        for event in block.iter() {
            if let Some(trace) = self.0.get_mut(&event.rank) {
                trace.events.push(event);
            }
        }
    }

    fn series(&mut self, series: &Series) {
        if let Some(trace) = self.0.get_mut(&series.rank) {
            trace.series.push(series.clone());
        }
    }
}

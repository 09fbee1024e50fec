//! Operations, and how neighbours are merged.

use super::Thresholds;

/// Bytes that moved between two moments.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Operation {
    /// Seconds from the start of the run.
    pub start_s: f64,
    pub end_s: f64,
    /// Time in between during which bytes moved.
    pub active_s: f64,
    pub bytes: u64,
}

impl Operation {
    /// Creates an operation that is active all the time.
    pub fn new(start_s: f64, end_s: f64, bytes: u64) -> Operation {
        let end_s = end_s.max(start_s);
        Operation { start_s, end_s, active_s: end_s - start_s, bytes }
    }

    pub fn duration_s(&self) -> f64 {
        self.end_s - self.start_s
    }

    /// Absorbs an operation that does not begin earlier.
    fn absorb(&mut self, next: &Operation) {
        // Time in which both are active counts once.
        let twice = (self.end_s.min(next.end_s) - next.start_s).max(0.0);
        self.end_s = self.end_s.max(next.end_s);
        self.active_s = (self.active_s + next.active_s - twice.min(next.active_s)).min(self.duration_s());
        self.bytes = self.bytes.saturating_add(next.bytes);
    }
}

/// The order in which operations are merged; it does not depend on the order of arrival.
pub fn in_order(one: &Operation, other: &Operation) -> std::cmp::Ordering {
    (one.start_s.total_cmp(&other.start_s))
        .then(one.end_s.total_cmp(&other.end_s))
        .then(one.bytes.cmp(&other.bytes))
}

/// Merges sorted operations that overlap or lie closer than `gap_s`.
pub fn join_close(operations: &mut Vec<Operation>, gap_s: f64) {
    sweep(operations, |one, next| {
        let gap = next.start_s - one.end_s;
        gap <= 0.0 || gap < gap_s
    });
}

/// Merges operations that overlap, then near neighbours, until nothing changes.
pub fn merge(mut operations: Vec<Operation>, runtime_s: f64, thresholds: &Thresholds) -> Vec<Operation> {
    operations.sort_unstable_by(in_order);
    join_close(&mut operations, 0.0);
    loop {
        let before = operations.len();
        sweep(&mut operations, |one, next| {
            let longer = one.duration_s().max(next.duration_s());
            let gap = next.start_s - one.end_s;
            gap <= 0.0
                || gap < thresholds.gap_of_runtime * runtime_s
                || gap < thresholds.gap_of_neighbour * longer
        });
        if operations.len() == before {
            return operations;
        }
    }
}

fn sweep(operations: &mut Vec<Operation>, together: impl Fn(&Operation, &Operation) -> bool) {
    operations.dedup_by(|next, one| {
        let joined = together(one, next);
        if joined {
            one.absorb(next);
        }
        joined
    });
}

//! Operations of one direction from one source, in bounded memory.

use marigraph_model::FileId;

use super::family::Families;
use super::merge::{Operation, in_order, join_close};
use super::spread::Spread;

/// Maximum number of operations kept apart.
pub const MOST: usize = 1 << 17;

/// Operations, each with its file, or with its family where that is known.
#[derive(Debug, Clone, Default)]
pub struct Pile {
    entries: Vec<(u64, Operation)>,
    spread: Spread,
    bytes: u64,
    count: u64,
    folded: bool,
}

impl Pile {
    pub fn add(&mut self, key: u64, operation: Operation, runtime_s: f64) {
        self.spread.add(operation.start_s, operation.end_s, operation.bytes, runtime_s);
        self.bytes = self.bytes.saturating_add(operation.bytes);
        self.count += 1;
        if self.entries.len() >= MOST {
            self.fold(runtime_s);
        }
        self.entries.push((key, operation));
    }

    /// Makes room: joins close operations of one file or family, then of all. The first gap is far
    /// below the one that merging joins anyway.
    fn fold(&mut self, runtime_s: f64) {
        self.folded = true;
        let mut gap_s = runtime_s * 1e-5;
        loop {
            self.join(gap_s);
            if self.entries.len() <= MOST / 2 {
                return;
            }
            gap_s *= 4.0;
            // Hundreds of thousands of files with distant operations: only time is left to join by.
            if gap_s > runtime_s * 1e-3 {
                self.entries.iter_mut().for_each(|(key, _)| *key = 0);
            }
            if gap_s > runtime_s * 64.0 {
                return;
            }
        }
    }

    fn join(&mut self, gap_s: f64) {
        self.entries.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(in_order(&one.1, &other.1)));
        let mut joined = Vec::with_capacity(self.entries.len());
        for family in self.entries.chunk_by(|one, other| one.0 == other.0) {
            let mut operations: Vec<Operation> = family.iter().map(|entry| entry.1).collect();
            join_close(&mut operations, gap_s);
            joined.extend(operations.into_iter().map(|operation| (family[0].0, operation)));
        }
        self.entries = joined;
    }

    pub fn resolve(&mut self, families: &Families) {
        self.entries.iter_mut().for_each(|(key, _)| *key = families.find(FileId(*key)));
    }

    pub fn take(&mut self, other: Pile) {
        self.entries.extend(other.entries);
        self.spread.add_all(&other.spread);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.count += other.count;
        self.folded |= other.folded;
    }

    pub fn entries(&self) -> &[(u64, Operation)] {
        &self.entries
    }

    pub fn operations(&self) -> Vec<Operation> {
        self.entries.iter().map(|entry| entry.1).collect()
    }

    pub fn spread(&self) -> &Spread {
        &self.spread
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Number of operations added.
    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn folded(&self) -> bool {
        self.folded
    }
}

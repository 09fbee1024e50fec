//! The current targets, each with a unique number.

use std::collections::HashMap;

use marigraph_model::{Observed, Sample, Target, TargetKind};

/// Targets and their counters, by ascending number.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) sample: Sample,
    /// Index of a target in the sample.
    places: HashMap<Target, usize>,
    seen: Vec<bool>,
    next: u64,
    /// For lookups without allocation.
    key: Option<Target>,
}

impl Table {
    pub(super) fn begin(&mut self) {
        self.seen.iter_mut().for_each(|seen| *seen = false);
    }

    /// If a target appears twice, the first one counts.
    pub(super) fn set(&mut self, kind: TargetKind, name: &str, values: &[u64]) {
        let key = self.key.get_or_insert_with(|| Target { kind, name: String::new() });
        key.kind = kind;
        key.name.clear();
        key.name.push_str(name);
        match self.places.get(key) {
            Some(&at) => {
                let seen = self.seen.get_mut(at).map(|seen| std::mem::replace(seen, true));
                if let Some(row) = self.sample.observed.get_mut(at).filter(|_| seen == Some(false)) {
                    row.values.copy_from_slice(values);
                }
            }
            None => {
                let target = key.clone();
                self.places.insert(target.clone(), self.sample.observed.len());
                self.seen.push(true);
                self.sample.observed.push(Observed { id: self.next, target, values: values.to_vec() });
                self.next += 1;
            }
        }
    }

    /// Keeps all targets of a kind unchanged.
    pub(super) fn keep(&mut self, kind: TargetKind) {
        let rows = self.sample.observed.iter().zip(&mut self.seen);
        rows.filter(|(row, _)| row.target.kind == kind).for_each(|(_, seen)| *seen = true);
    }

    /// Ends a look: drops targets that were not seen.
    pub(super) fn end(&mut self) {
        if self.seen.iter().all(|&seen| seen) {
            return;
        }
        let mut seen = self.seen.iter();
        self.sample.observed.retain(|_| seen.next() == Some(&true));
        self.seen.retain(|&seen| seen);
        let rows = self.sample.observed.iter().enumerate();
        self.places = rows.map(|(at, row)| (row.target.clone(), at)).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(table: &mut Table, rows: &[(&str, u64)]) -> Vec<(u64, String, u64)> {
        table.begin();
        rows.iter().for_each(|(name, value)| table.set(TargetKind::Disk, name, &[*value]));
        table.end();
        table.sample.observed.iter().map(|row| (row.id, row.target.name.clone(), row.values[0])).collect()
    }

    #[test]
    fn numbers_are_not_used_again() {
        let mut table = Table::default();
        let row = |id, name: &str, value| (id, name.to_string(), value);
        assert_eq!(look(&mut table, &[("a", 1), ("b", 2), ("a", 9)]), [row(0, "a", 1), row(1, "b", 2)]);
        assert_eq!(look(&mut table, &[("b", 3)]), [row(1, "b", 3)]);
        table.begin();
        table.keep(TargetKind::Disk);
        table.end();
        assert_eq!(table.sample.observed.len(), 1);
        assert_eq!(look(&mut table, &[("a", 1), ("b", 3)]), [row(1, "b", 3), row(2, "a", 1)]);
    }
}

//! The distinct bytes of a file that were accessed, from single operations.

use std::collections::BTreeMap;

use marigraph_model::{Direction, Event, Events, FileId, Module};

/// Maximum number of unsorted ranges per file and direction.
const PENDING: usize = 4096;
/// Maximum number of ranges per file and direction; files in more pieces are given up.
const MAX_PIECES: usize = 1 << 16;

#[derive(Debug, Clone, Default)]
pub(super) struct Extents {
    touched: BTreeMap<(FileId, Direction), Touched>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Touched {
    pub(super) bytes: u64,
    /// Sum over all ranks.
    pub(super) seconds: f64,
    /// Disjoint, in order.
    pieces: Vec<(u64, u64)>,
    pending: Vec<(u64, u64)>,
    /// An operation had no offset, or there were too many pieces.
    unknown: bool,
}

impl Extents {
    pub(super) fn add(&mut self, block: &Events) {
        for event in block.iter().filter(|event| event.interface == Module::Posix && event.bytes > 0) {
            self.touched.entry((event.file, event.direction)).or_default().add(event);
        }
    }

    pub(super) fn of(&self, file: FileId, op: Direction) -> Option<&Touched> {
        self.touched.get(&(file, op))
    }

    pub(super) fn all(&self, op: Direction) -> impl Iterator<Item = (FileId, &Touched)> {
        self.touched.iter().filter(move |((_, of), _)| *of == op).map(|(&(file, _), touched)| (file, touched))
    }
}

impl Touched {
    fn add(&mut self, event: Event) {
        self.bytes = self.bytes.saturating_add(event.bytes);
        self.seconds += (event.end.as_job_seconds() - event.start.as_job_seconds()).max(0.0);
        let Some(start) = event.offset else {
            self.give_up();
            return;
        };
        if self.unknown {
            return;
        }
        let range = (start, start.saturating_add(event.bytes));
        match self.pending.last_mut() {
            // Most accesses continue where the last one ended.
            Some(last) if range.0 >= last.0 && range.0 <= last.1 => last.1 = last.1.max(range.1),
            _ => self.pending.push(range),
        }
        if self.pending.len() >= PENDING {
            self.pieces = joined(std::mem::take(&mut self.pieces), &mut self.pending);
            if self.pieces.len() > MAX_PIECES {
                self.give_up();
            }
        }
    }

    fn give_up(&mut self) {
        self.unknown = true;
        self.pieces = Vec::new();
        self.pending = Vec::new();
    }

    /// Number of distinct bytes, if all operations have offsets.
    pub(super) fn distinct(&self) -> Option<u64> {
        let pieces = joined(self.pieces.clone(), &mut self.pending.clone());
        (!self.unknown).then(|| pieces.iter().map(|(start, end)| end - start).sum())
    }
}

fn joined(mut pieces: Vec<(u64, u64)>, pending: &mut Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    pieces.append(pending);
    pieces.sort_unstable();
    let mut disjoint: Vec<(u64, u64)> = Vec::with_capacity(pieces.len().min(PENDING));
    for (start, end) in pieces {
        match disjoint.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => disjoint.push((start, end)),
        }
    }
    disjoint
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_model::{Nanos, Rank};

    fn events(ranges: &[(Option<u64>, u64)]) -> Events {
        let mut events = Events::default();
        for &(offset, bytes) in ranges {
            events.push(Event {
                interface: Module::Posix,
                direction: Direction::Read,
                rank: Rank(0),
                file: FileId(1),
                start: Nanos(0),
                end: Nanos(1_000_000_000),
                offset,
                bytes,
                thread: None,
            });
        }
        events
    }

    fn distinct(ranges: &[(Option<u64>, u64)]) -> Option<u64> {
        let mut extents = Extents::default();
        extents.add(&events(ranges));
        extents.of(FileId(1), Direction::Read)?.distinct()
    }

    #[test]
    fn bytes_count_once_however_often_they_are_touched() {
        assert_eq!(distinct(&[(Some(0), 10), (Some(10), 10), (Some(5), 10), (Some(0), 20)]), Some(20));
        assert_eq!(distinct(&[(Some(100), 10), (Some(0), 10), (Some(105), 10)]), Some(25));
        assert_eq!(distinct(&[(Some(0), 10), (None, 10)]), None, "one that does not tell where it was");
        assert_eq!(distinct(&[]), None);
    }

    #[test]
    fn many_pieces_are_sorted_in_as_they_come() {
        let scattered: Vec<(Option<u64>, u64)> =
            (0..20_000u64).map(|n| (Some(n * 7919 % 20_011 * 100), 60)).collect();
        let twice: Vec<_> = scattered.iter().chain(&scattered).copied().collect();
        assert_eq!(distinct(&twice), Some(20_000 * 60));
        let endless: Vec<(Option<u64>, u64)> = (0..200_000u64).rev().map(|n| (Some(n * 100), 60)).collect();
        assert_eq!(distinct(&endless), None, "in too many pieces to follow");
    }
}

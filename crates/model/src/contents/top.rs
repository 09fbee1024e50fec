//! The largest things seen.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The largest things by a number, with their names. Of equal ones the alphabetically first names
/// stay, so that the result does not depend on the order of arrival.
#[derive(Debug, Clone)]
pub struct Top {
    most: usize,
    heap: BinaryHeap<Reverse<(u64, Reverse<Vec<u8>>)>>,
}

impl Top {
    /// `most` is the number of things kept.
    pub fn new(most: usize) -> Top {
        Top { most, heap: BinaryHeap::new() }
    }

    /// Whether a thing of this size would be kept; saves building its name.
    #[inline]
    pub fn wants(&self, value: u64) -> bool {
        self.heap.len() < self.most || self.heap.peek().is_some_and(|least| value >= least.0.0)
    }

    pub fn add(&mut self, value: u64, name: Vec<u8>) {
        self.heap.push(Reverse((value, Reverse(name))));
        if self.heap.len() > self.most {
            self.heap.pop();
        }
    }

    pub fn merge(&mut self, other: Top) {
        self.most = self.most.max(other.most);
        for Reverse((value, Reverse(name))) in other.heap {
            self.add(value, name);
        }
    }

    /// Largest first.
    pub fn ordered(&self) -> Vec<(u64, Vec<u8>)> {
        let mut all: Vec<_> =
            self.heap.iter().map(|Reverse((value, Reverse(name)))| (*value, name.clone())).collect();
        all.sort_by(|one, two| two.0.cmp(&one.0).then_with(|| one.1.cmp(&two.1)));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::Top;

    #[test]
    fn the_largest_stay_whatever_the_order() {
        let names =
            |top: &Top| top.ordered().into_iter().map(|(value, name)| (value, name[0])).collect::<Vec<_>>();
        let things = [(3, b'a'), (9, b'b'), (1, b'c'), (9, b'd'), (3, b'e'), (2, b'f')];
        let mut forth = Top::new(3);
        things.iter().for_each(|&(value, name)| forth.add(value, vec![name]));
        let (mut back, mut other) = (Top::new(3), Top::new(3));
        things.iter().rev().take(3).for_each(|&(value, name)| back.add(value, vec![name]));
        things.iter().rev().skip(3).for_each(|&(value, name)| other.add(value, vec![name]));
        back.merge(other);
        assert_eq!(names(&forth), [(9, b'b'), (9, b'd'), (3, b'a')]);
        assert_eq!(names(&back), names(&forth));
        assert!(forth.wants(3) && !forth.wants(2));
    }
}

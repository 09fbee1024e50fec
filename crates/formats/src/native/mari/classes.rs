//! Classes of streams: the same units, on a list of ranks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use marigraph_wire::bytes::Reader;
use marigraph_wire::sequence::{Values, ValuesIter};

use super::extent::Extent;
use super::read::{Mari, Stream};
use super::units::read_ids;
use super::{STREAMS, StreamKey};

/// Streams of one process and thread ordinal that differ only in numbers.
#[derive(Debug)]
pub(super) struct Class {
    pub(super) process: u32,
    pub(super) thread: u32,
    pub(super) units: Vec<u32>,
    /// Ascending.
    pub(super) ranks: Values,
}

/// Also returns the number of streams.
pub(super) fn read_classes<'a>(
    mut reader: Reader<'a>,
    units: usize,
    read_ranks: impl Fn(&mut Reader<'a>) -> Option<Values>,
) -> Option<(u64, Vec<Class>)> {
    let count = reader.count()?;
    let mut classes: Vec<Class> = Vec::new();
    let mut sum = 0u64;
    for _ in 0..count {
        let process = u32::try_from(reader.varint()?).ok()?;
        let thread = u32::try_from(reader.varint()?).ok()?;
        let units = read_ids(&mut reader, units)?;
        let ranks = read_ranks(&mut reader)?;
        sum = sum.checked_add(ranks.len).filter(|&sum| ranks.len > 0 && sum <= STREAMS)?;
        let ascending = ranks.steps.iter().all(|node| node.len > 0 || node.value > 0);
        let extent = Extent::of(&ranks)?;
        let in_order = classes.last().is_none_or(|last| (last.process, last.thread) <= (process, thread));
        if !ascending || !in_order || extent.least < 0 || extent.most > i128::from(u32::MAX) {
            return None;
        }
        classes.push(Class { process, thread, units, ranks });
    }
    reader.rest().is_empty().then_some((sum, classes))
}

pub(super) fn listed(reader: &mut Reader<'_>) -> Option<Values> {
    let len = reader.varint().filter(|&len| len <= STREAMS)?;
    Values::read(reader, len)
}

/// Number of streams per unit.
pub(super) fn members(classes: &[Class], units: usize) -> Vec<u64> {
    let mut members = vec![0u64; units];
    for class in classes {
        for &unit in &class.units {
            if let Some(count) = members.get_mut(unit as usize) {
                *count = count.saturating_add(class.ranks.len);
            }
        }
    }
    members
}

/// The streams of a trace in order: by process, thread, rank.
pub struct Streams<'m> {
    mari: &'m Mari<'m>,
    /// First class after those being merged.
    next_class: usize,
    /// Next rank of each class being merged, and the class.
    heads: BinaryHeap<Reverse<(u32, usize)>>,
    /// First class being merged, and the remaining ranks of each.
    first_class: usize,
    ranks: Vec<ValuesIter<'m>>,
    /// Streams so far, in total and per unit.
    ordinal: usize,
    places: Vec<u64>,
}

impl<'m> Streams<'m> {
    pub(super) fn new(mari: &'m Mari<'m>) -> Streams<'m> {
        Streams {
            mari,
            next_class: 0,
            heads: BinaryHeap::new(),
            first_class: 0,
            ranks: Vec::new(),
            ordinal: 0,
            places: vec![0; mari.units.len()],
        }
    }

    /// Starts to merge all classes of the next process and thread.
    fn open_group(&mut self) -> Option<()> {
        let first = self.mari.classes.get(self.next_class)?;
        self.first_class = self.next_class;
        self.ranks.clear();
        for class in self.mari.classes.iter().skip(self.first_class) {
            if (class.process, class.thread) != (first.process, first.thread) {
                break;
            }
            let mut ranks = class.ranks.iter();
            if let Some(rank) = ranks.next() {
                self.heads.push(Reverse((rank as u32, self.next_class)));
            }
            self.ranks.push(ranks);
            self.next_class += 1;
        }
        Some(())
    }
}

impl<'m> Iterator for Streams<'m> {
    type Item = Stream<'m>;

    fn next(&mut self) -> Option<Stream<'m>> {
        if self.heads.is_empty() {
            self.open_group()?;
        }
        let Reverse((rank, at)) = self.heads.pop()?;
        if let Some(rank) = self.ranks.get_mut(at - self.first_class).and_then(Iterator::next) {
            self.heads.push(Reverse((rank as u32, at)));
        }
        let class = self.mari.classes.get(at)?;
        let mut places = Vec::with_capacity(class.units.len());
        for &unit in &class.units {
            let place = self.places.get_mut(unit as usize)?;
            places.push(*place);
            *place += 1;
        }
        let ordinal = self.ordinal;
        self.ordinal += 1;
        let key = StreamKey { process: class.process, thread: class.thread, rank };
        Some(Stream { mari: self.mari, key, class: at, ordinal, places })
    }
}

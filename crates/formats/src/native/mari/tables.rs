//! What all streams of a writer share: sites, shapes, templates, units.
//!
//! Here everything is numbered as it arrives; the file has numbers of its own, see [`super::layout`].

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use marigraph_wire::op::Op;

use super::StreamKey;
use super::bones::Numbers;
use super::shape::Site;
use super::times::Histogram;

/// A fast hash for small keys that no outsider chooses.
#[derive(Debug, Default)]
pub(super) struct Quick(u64);

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }
    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }
    fn write_u64(&mut self, value: u64) {
        let mixed = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}

pub(super) type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;

/// Numbers items from 0 in order of arrival.
#[derive(Debug)]
pub(super) struct Numbered<T> {
    ids: HashMap<T, u32>,
    pub(super) items: Vec<T>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered { ids: HashMap::new(), items: Vec::new() }
    }
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    pub(super) fn get<Q: Eq + Hash + ?Sized>(&self, item: &Q) -> Option<u32>
    where
        T: Borrow<Q>,
    {
        self.ids.get(item).copied()
    }

    /// Adds the item if it is new.
    pub(super) fn id<Q>(&mut self, item: &Q) -> u32
    where
        T: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = T> + ?Sized,
    {
        if let Some(id) = self.get(item) {
            return id;
        }
        let id = self.items.len() as u32;
        self.items.push(item.to_owned());
        self.ids.insert(item.to_owned(), id);
        id
    }
}

/// What streams can share: an order, or a shape with the forms of its sequences.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct UnitKey {
    /// `None` for an order.
    pub(super) shape: Option<u32>,
    /// For each argument that is a name: its templates, in order of first use.
    pub(super) templates: Vec<Vec<u32>>,
    pub(super) bones: Vec<u8>,
}

#[derive(Debug, Default)]
pub(super) struct Members {
    /// Numbers per member.
    pub(super) count: usize,
    /// Stream, and offset of its numbers in `bytes`; empty if `bytes` holds columns.
    pub(super) list: Vec<(StreamKey, usize)>,
    /// The numbers of one member after another, or columns as in the file.
    pub(super) bytes: Vec<u8>,
    pub(super) gaps: Histogram,
    pub(super) durations: Histogram,
}

#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) sites: Numbered<Site>,
    /// Operation, word and site.
    pub(super) shapes: Numbered<(Op, u64, u32)>,
    pub(super) templates: Numbered<Vec<u8>>,
    pub(super) units: Numbered<UnitKey>,
    pub(super) members: Vec<Members>,
    /// Units of each class.
    pub(super) classes: Numbered<Vec<u32>>,
}

impl Tables {
    /// Adds a member with its numbers; returns the number of the unit.
    pub(super) fn member(&mut self, unit: &UnitKey, stream: StreamKey, numbers: &Numbers) -> u32 {
        let id = self.units.id(unit);
        if self.members.len() <= id as usize {
            self.members.resize_with(id as usize + 1, Members::default);
        }
        if let Some(members) = self.members.get_mut(id as usize) {
            members.count = numbers.count;
            members.list.push((stream, members.bytes.len()));
            members.bytes.extend_from_slice(&numbers.bytes);
        }
        id
    }

    /// Adds a unit that only one class has, with columns as in the file.
    pub(super) fn own(&mut self, unit: UnitKey, columns: Vec<u8>) -> u32 {
        self.units.items.push(unit);
        self.members.push(Members { bytes: columns, ..Members::default() });
        self.members.len() as u32 - 1
    }

    pub(super) fn add_times(&mut self, unit: u32, gaps: &Histogram, durations: &Histogram) {
        if let Some(members) = self.members.get_mut(unit as usize) {
            members.gaps.merge(gaps);
            members.durations.merge(durations);
        }
    }
}

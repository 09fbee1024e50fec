//! Context of a process's calls: names, call sites, and what it inherits from the process it was
//! forked from. One pass over the part collects it.

use std::collections::HashMap;
use std::sync::Arc;

use marigraph_wire::op::Op;
use marigraph_wire::record::Record;

use super::maps::{Maps, Site};
use super::names::Assembler;
use super::part::{Part, is_name};
use marigraph_model::{NameId, Names, SiteId, Slot};

/// Limit on aliases followed, in case slots refer to each other in a cycle.
const ALIASES: usize = 64;

#[derive(Debug, Clone, Copy)]
enum Origin {
    /// By a call that names a file: id of the name, flags, operation.
    Named(NameId, i64, Op),
    Standard(i64),
    /// Of another slot of the process.
    Alias(Slot),
    Parent,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Held {
    path: Option<Vec<u8>>,
    flags: i64,
    op: Op,
}

/// Names, sites and inheritance of a process.
#[derive(Debug, Default)]
pub struct Book {
    names: HashMap<NameId, Vec<u8>>,
    parent: Option<Arc<Book>>,
    sites: Vec<Site>,
    site_of: HashMap<u64, SiteId>,
    maps: Maps,
    /// Kept only for processes with children.
    origins: HashMap<Slot, Origin>,
    /// Arguments of `Inherit` by slot: name, flags, operation that opened it.
    inherited: HashMap<Slot, [i64; 3]>,
    /// Larger than all ids in use.
    next_id: i64,
    /// Incomplete names.
    pub(super) broken: u64,
    /// Records in chunks that do not decode.
    pub(super) unreadable: u64,
    pub(super) unknown: u64,
    pub(super) calls: u64,
}

impl Names for Book {
    fn name(&self, id: NameId) -> Option<&[u8]> {
        self.names.get(&id).map(Vec::as_slice).or_else(|| self.parent.as_ref()?.name(id))
    }
}

impl Book {
    /// `heirs` says whether other processes were forked from this one.
    pub(super) fn read(part: &Part<'_>, parent: Option<Arc<Book>>, heirs: bool) -> Book {
        let next_id = parent.as_ref().map_or(1, |parent| parent.next_id);
        let maps = Maps::read(&part.maps);
        let mut book = Book { parent, maps, next_id, sites: vec![Site::default()], ..Book::default() };
        let mut assembler = Assembler::default();
        let mut inherited = Vec::new();
        book.unreadable = part.for_each_batch(|thread, batch| {
            for record in batch {
                if is_name(record) {
                    assembler
                        .piece(thread, record)
                        .into_iter()
                        .for_each(|(id, text)| book.add_name(id, text));
                } else {
                    book.add_call(record, heirs, &mut inherited);
                }
            }
        });
        book.broken = assembler.broken;
        inherited.iter().for_each(|&(slot, parents)| book.inherit(slot, parents));
        book
    }

    fn add_name(&mut self, id: NameId, text: Vec<u8>) {
        self.next_id = self.next_id.max(id.0.saturating_add(1));
        self.names.insert(id, text);
    }

    fn add_call(&mut self, record: &Record, heirs: bool, inherited: &mut Vec<(Slot, Slot)>) {
        let Some(op) = record.op() else {
            self.unknown += 1;
            return;
        };
        self.calls += u64::from(op.layer() != marigraph_wire::op::Layer::Note);
        self.add_site(record.site());
        let (own, other) = (Slot(record.slot), Slot(u32::try_from(record.a).unwrap_or(0)));
        if op == Op::Inherit {
            inherited.push((own, other));
        }
        if !heirs {
            return;
        }
        let (slot, origin) = match op {
            Op::Inherit => (own, Origin::Parent),
            Op::Standard => (own, Origin::Standard(record.a)),
            _ if op.names() == [true, false] => (own, Origin::Named(NameId(record.a), record.b, op)),
            _ => match op.alias(own, other) {
                Some((from, to)) => (to, Origin::Alias(from)),
                None => return,
            },
        };
        if slot != Slot::NONE {
            self.origins.insert(slot, origin);
        }
    }

    fn add_site(&mut self, address: u64) {
        if address == 0 || self.site_of.contains_key(&address) {
            return;
        }
        let parents = || self.parent.as_ref().filter(|_| self.maps.is_empty())?.maps.site(address);
        let index = match self.maps.site(address).or_else(parents) {
            Some(site) => {
                self.sites.push(site);
                SiteId(self.sites.len() as u32 - 1)
            }
            None => SiteId::UNKNOWN,
        };
        self.site_of.insert(address, index);
    }

    fn inherit(&mut self, slot: Slot, parents: Slot) {
        let held = self.parent.as_ref().and_then(|parent| parent.held(parents));
        let Some(Held { path, flags, op }) = held else { return };
        let name = path.map_or(NameId(-1), |path| self.id_of(path));
        self.inherited.insert(slot, [name.0, flags, i64::from(op as u16)]);
    }

    /// An id for a path. The parent's id may stand for another path in this process, so a path
    /// without an id here gets a new one.
    fn id_of(&mut self, path: Vec<u8>) -> NameId {
        let known = self.names.iter().filter(|(_, name)| **name == path).map(|(&id, _)| id).min();
        known.unwrap_or_else(|| {
            let id = NameId(self.next_id);
            self.add_name(id, path);
            id
        })
    }

    fn held(&self, mut slot: Slot) -> Option<Held> {
        for _ in 0..ALIASES {
            match *self.origins.get(&slot)? {
                Origin::Named(name, flags, op) => {
                    return Some(Held { path: self.name(name).map(<[u8]>::to_vec), flags, op });
                }
                Origin::Standard(which) => {
                    let path: &[u8] = match which {
                        0 => b"<STDIN>",
                        1 => b"<STDOUT>",
                        _ => b"<STDERR>",
                    };
                    return Some(Held { path: Some(path.to_vec()), flags: 0, op: Op::Standard });
                }
                Origin::Parent => {
                    let [name, flags, op] = *self.inherited.get(&slot)?;
                    let op = u16::try_from(op).ok().and_then(Op::from_code)?;
                    return Some(Held { path: self.name(NameId(name)).map(<[u8]>::to_vec), flags, op });
                }
                Origin::Alias(other) => slot = other,
            }
        }
        None
    }

    /// Call sites by [`Call::site`](marigraph_model::Call::site); the first is unknown.
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    pub(super) fn site(&self, address: u64) -> SiteId {
        self.site_of.get(&address).copied().unwrap_or_default()
    }

    pub(super) fn inherited(&self, slot: Slot) -> [i64; 3] {
        self.inherited.get(&slot).copied().unwrap_or([-1, 0, 0])
    }
}

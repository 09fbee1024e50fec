//! The sections of a file but for times: everything numbered in order of first use.

use std::collections::HashMap;

use marigraph_wire::bytes::{Reader, zigzag};
use marigraph_wire::sequence::{Bench, put_varint};

use super::StreamKey;
use super::column::{put_alone, put_columns};
use super::stream::Closed;
use super::tables::{Members, Tables};

/// New numbers for old, in order of first use.
#[derive(Debug, Default)]
pub(super) struct Renumber {
    new: HashMap<u32, u32>,
    /// Old numbers in the new order.
    pub(super) old: Vec<u32>,
}

impl Renumber {
    /// Makes sure that an old number has a new one; whether that is so only now.
    fn see(&mut self, old: u32) -> bool {
        let next = self.old.len() as u32;
        let fresh = *self.new.entry(old).or_insert(next) == next;
        if fresh {
            self.old.push(old);
        }
        fresh
    }

    fn get(&self, old: u32) -> u32 {
        self.new.get(&old).copied().unwrap_or(0)
    }
}

/// The numbers of the file: in order of first use when streams are gone through in order.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    sites: Renumber,
    shapes: Renumber,
    templates: Renumber,
    pub(super) units: Renumber,
    /// Process, thread, units and ranks of each class.
    classes: Vec<(StreamKey, Vec<u32>, Vec<i64>)>,
}

impl Numbering {
    pub(super) fn of(streams: &[Closed], tables: &Tables) -> Numbering {
        let mut all = Numbering::default();
        let mut known: HashMap<(u32, u32, u32), usize> = HashMap::new();
        for stream in streams {
            let StreamKey { process, thread, rank } = stream.key;
            let at = *known.entry((process, thread, stream.class)).or_insert_with(|| {
                let units = tables.classes.items.get(stream.class as usize).map_or(&[][..], Vec::as_slice);
                units.iter().for_each(|&unit| all.see_unit(unit, tables));
                let units = units.iter().map(|&unit| all.units.get(unit)).collect();
                all.classes.push((stream.key, units, Vec::new()));
                all.classes.len() - 1
            });
            if let Some(class) = all.classes.get_mut(at) {
                class.2.push(i64::from(rank));
            }
        }
        all
    }

    fn see_unit(&mut self, unit: u32, tables: &Tables) {
        if !self.units.see(unit) {
            return;
        }
        let Some(key) = tables.units.items.get(unit as usize) else { return };
        key.templates.iter().flatten().for_each(|&template| {
            self.templates.see(template);
        });
        let shape = key.shape.filter(|&shape| self.shapes.see(shape));
        if let Some(shape) = shape.and_then(|shape| tables.shapes.items.get(shape as usize)) {
            self.sites.see(shape.site);
        }
    }
}

/// Bytes a text shares at most with the one before: bounds what a short file can claim.
pub(super) const SHARED: usize = 255;

/// A list of texts, each with the length of what it shares with the one before.
pub(super) fn put_texts<'a>(texts: impl ExactSizeIterator<Item = &'a [u8]>, out: &mut Vec<u8>) {
    put_varint(out, texts.len() as u64);
    let mut last: &[u8] = &[];
    for text in texts {
        let shared = text.iter().zip(last).take(SHARED).take_while(|(a, b)| a == b).count();
        put_varint(out, shared as u64);
        put_varint(out, (text.len() - shared) as u64);
        out.extend_from_slice(text.get(shared..).unwrap_or(&[]));
        last = text;
    }
}

pub(super) fn strings(numbering: &Numbering, tables: &Tables) -> Vec<u8> {
    let mut out = Vec::new();
    let mut modules: Vec<&[u8]> = Vec::new();
    for site in numbering.sites.old.iter().filter_map(|&site| tables.sites.items.get(site as usize)) {
        if !modules.contains(&site.module.as_bytes()) {
            modules.push(site.module.as_bytes());
        }
    }
    put_texts(modules.into_iter(), &mut out);
    let texts: Vec<&[u8]> = numbering
        .templates
        .old
        .iter()
        .filter_map(|&template| tables.templates.items.get(template as usize).map(Vec::as_slice))
        .collect();
    put_texts(texts.into_iter(), &mut out);
    out
}

pub(super) fn shapes(numbering: &Numbering, tables: &Tables) -> Vec<u8> {
    let mut out = Vec::new();
    put_varint(&mut out, numbering.sites.old.len() as u64);
    let mut modules: Vec<&str> = Vec::new();
    let mut last = 0u64;
    for site in numbering.sites.old.iter().filter_map(|&site| tables.sites.items.get(site as usize)) {
        let at = modules.iter().position(|module| *module == site.module).unwrap_or(modules.len());
        if at == modules.len() {
            modules.push(&site.module);
        }
        put_varint(&mut out, at as u64);
        put_varint(&mut out, zigzag(site.offset.wrapping_sub(last) as i64));
        last = site.offset;
    }
    put_varint(&mut out, numbering.shapes.old.len() as u64);
    for shape in numbering.shapes.old.iter().filter_map(|&shape| tables.shapes.items.get(shape as usize)) {
        put_varint(&mut out, shape.op as u64);
        put_varint(&mut out, shape.word());
        put_varint(&mut out, u64::from(numbering.sites.get(shape.site)));
    }
    out
}

/// A list of numbers that mostly count up.
fn put_ids(ids: impl ExactSizeIterator<Item = u32>, out: &mut Vec<u8>) {
    put_varint(out, ids.len() as u64);
    let mut next = 0i64;
    for id in ids {
        put_varint(out, zigzag(i64::from(id) - next));
        next = i64::from(id) + 1;
    }
}

pub(super) fn units(numbering: &Numbering, tables: &mut Tables) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bench = Bench::new();
    put_varint(&mut out, numbering.units.old.len() as u64);
    for &unit in &numbering.units.old {
        let Some(key) = tables.units.items.get(unit as usize) else { continue };
        put_varint(&mut out, key.shape.map_or(0, |shape| u64::from(numbering.shapes.get(shape)) + 1));
        for list in &key.templates {
            put_ids(list.iter().map(|&template| numbering.templates.get(template)), &mut out);
        }
        out.extend_from_slice(&key.bones);
        if let Some(members) = tables.members.get_mut(unit as usize) {
            match members.list.len() {
                1 => put_alone(members.count, &members.bytes, &mut out),
                _ => put_columns(&columns(members), &mut bench, &mut out),
            }
        }
    }
    out
}

/// The numbers of all members in the order of streams, by column.
fn columns(members: &mut Members) -> Vec<Vec<i64>> {
    members.list.sort();
    let mut columns = vec![Vec::with_capacity(members.list.len()); members.count];
    for &(_, at) in &members.list {
        let mut reader = Reader::new(members.bytes.get(at..).unwrap_or(&[]));
        for column in &mut columns {
            column.push(reader.signed().unwrap_or(0));
        }
    }
    columns
}

pub(super) fn classes(numbering: &Numbering, streams: &[Closed]) -> Vec<u8> {
    let mut out = Vec::new();
    put_varint(&mut out, streams.len() as u64);
    put_varint(&mut out, numbering.classes.len() as u64);
    let mut bench = Bench::new();
    for (key, units, ranks) in &numbering.classes {
        put_varint(&mut out, u64::from(key.process));
        put_varint(&mut out, u64::from(key.thread));
        put_ids(units.iter().copied(), &mut out);
        put_varint(&mut out, ranks.len() as u64);
        bench.values(ranks.iter().copied()).write(&mut out);
    }
    out
}

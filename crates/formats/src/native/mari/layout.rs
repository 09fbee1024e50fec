//! The sections of a file but for times: everything numbered in order of first use.

use marigraph_model::folded::Column;
use marigraph_wire::bytes::{Reader, zigzag};
use marigraph_wire::sequence::{Bench, put_varint};

use super::column::{put_alone, put_columns};
use super::meta::Meta;
use super::ranks;
use super::section::{CLASSES, File, META, PROFILE, SHAPES, STRINGS, UNITS};
use super::shape::Site;
use super::tables::{Members, Numbered, Tables};

#[derive(Debug)]
pub(super) struct Class {
    pub(super) process: u32,
    pub(super) thread: u32,
    pub(super) units: Vec<u32>,
    /// Ascending.
    pub(super) ranks: Vec<u32>,
}

/// Maps numbers of the tables to those of the file, which follow first use in the order of classes.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    sites: Numbered<u32>,
    shapes: Numbered<u32>,
    templates: Numbered<u32>,
    pub(super) units: Numbered<u32>,
}

impl Numbering {
    pub(super) fn of(classes: &[Class], tables: &Tables) -> Numbering {
        let mut all = Numbering::default();
        classes.iter().flat_map(|class| &class.units).for_each(|&unit| all.see_unit(unit, tables));
        all
    }

    fn see_unit(&mut self, unit: u32, tables: &Tables) {
        if self.units.get(&unit).is_some() {
            return;
        }
        self.units.id(&unit);
        let Some(key) = tables.units.items.get(unit as usize) else { return };
        for template in key.templates.iter().flatten() {
            self.templates.id(template);
        }
        if let Some(shape) = key.shape {
            self.shapes.id(&shape);
            tables.shapes.items.get(shape as usize).map(|(_, _, site)| self.sites.id(site));
        }
    }
}

fn new(numbers: &Numbered<u32>, old: u32) -> u32 {
    numbers.get(&old).unwrap_or(0)
}

/// Everything but times.
pub(super) fn file(
    classes: &[Class],
    numbering: &Numbering,
    tables: &mut Tables,
    (meta, profile): (&Meta, &[u8]),
) -> File {
    let mut bench = Bench::new();
    let mut file = File::new(meta.ranks);
    file.section(META, &meta.to_json());
    if !profile.is_empty() {
        file.section(PROFILE, profile);
    }
    let sites: Vec<&Site> = items(&numbering.sites, &tables.sites).collect();
    let mut modules: Vec<&str> = Vec::new();
    for site in &sites {
        if !modules.contains(&site.module.as_str()) {
            modules.push(&site.module);
        }
    }
    file.section(STRINGS, &strings(&modules, numbering, tables));
    file.section(SHAPES, &shapes(&modules, &sites, numbering, tables));
    file.section(UNITS, &units(numbering, tables, meta.ranks, &mut bench));
    file.section(CLASSES, &put_classes(classes, numbering, meta.ranks, &mut bench));
    file
}

/// In the order of the file.
fn items<'t, T>(numbers: &'t Numbered<u32>, table: &'t Numbered<T>) -> impl Iterator<Item = &'t T> {
    numbers.items.iter().filter_map(|&old| table.items.get(old as usize))
}

/// Maximum length of a shared prefix: bounds what a short file can claim.
pub(super) const SHARED: usize = 255;

/// Omits the prefix that each text shares with the previous one.
fn put_texts<'a>(texts: impl ExactSizeIterator<Item = &'a [u8]>, out: &mut Vec<u8>) {
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

fn strings(modules: &[&str], numbering: &Numbering, tables: &Tables) -> Vec<u8> {
    let mut out = Vec::new();
    put_texts(modules.iter().map(|module| module.as_bytes()), &mut out);
    let templates: Vec<&Vec<u8>> = items(&numbering.templates, &tables.templates).collect();
    put_texts(templates.into_iter().map(Vec::as_slice), &mut out);
    out
}

fn shapes(modules: &[&str], sites: &[&Site], numbering: &Numbering, tables: &Tables) -> Vec<u8> {
    let mut out = Vec::new();
    put_varint(&mut out, sites.len() as u64);
    let mut last = 0u64;
    for site in sites {
        let module = modules.iter().position(|module| *module == site.module).unwrap_or(0);
        put_varint(&mut out, module as u64);
        put_varint(&mut out, zigzag(site.offset.wrapping_sub(last) as i64));
        last = site.offset;
    }
    put_varint(&mut out, numbering.shapes.items.len() as u64);
    for &(op, word, site) in items(&numbering.shapes, &tables.shapes) {
        put_varint(&mut out, op as u64);
        put_varint(&mut out, word);
        put_varint(&mut out, u64::from(new(&numbering.sites, site)));
    }
    out
}

/// Stores differences to counting up.
fn put_ids(ids: impl ExactSizeIterator<Item = u32>, out: &mut Vec<u8>) {
    put_varint(out, ids.len() as u64);
    let mut next = 0i64;
    for id in ids {
        put_varint(out, zigzag(i64::from(id) - next));
        next = i64::from(id) + 1;
    }
}

fn units(numbering: &Numbering, tables: &mut Tables, ranks: u64, bench: &mut Bench) -> Vec<u8> {
    let mut out = Vec::new();
    put_varint(&mut out, numbering.units.items.len() as u64);
    for &unit in &numbering.units.items {
        let Some(key) = tables.units.items.get(unit as usize) else { continue };
        put_varint(&mut out, key.shape.map_or(0, |shape| u64::from(new(&numbering.shapes, shape)) + 1));
        for list in &key.templates {
            put_ids(list.iter().map(|&template| new(&numbering.templates, template)), &mut out);
        }
        out.extend_from_slice(&key.bones);
        if let Some(members) = tables.members.get_mut(unit as usize) {
            match members.list.len() {
                0 => out.extend_from_slice(&members.bytes),
                1 => put_alone(members.count, &members.bytes, &mut out),
                len => put_columns(&columns(members), (len, ranks), true, bench, &mut out),
            }
        }
    }
    out
}

/// One per number, with the members in the order of streams.
fn columns(members: &mut Members) -> Vec<Column> {
    members.list.sort();
    let mut columns = vec![Vec::with_capacity(members.list.len()); members.count];
    for &(_, at) in &members.list {
        let mut reader = Reader::new(members.bytes.get(at..).unwrap_or(&[]));
        for column in &mut columns {
            column.push(reader.signed().unwrap_or(0));
        }
    }
    columns.into_iter().map(Column::of).collect()
}

fn put_classes(classes: &[Class], numbering: &Numbering, ranks: u64, bench: &mut Bench) -> Vec<u8> {
    let mut out = Vec::new();
    put_varint(&mut out, classes.len() as u64);
    for class in classes {
        put_varint(&mut out, u64::from(class.process));
        put_varint(&mut out, u64::from(class.thread));
        put_ids(class.units.iter().map(|&unit| new(&numbering.units, unit)), &mut out);
        ranks::put(&class.ranks, ranks, bench, &mut out);
    }
    out
}

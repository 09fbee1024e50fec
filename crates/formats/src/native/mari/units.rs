//! Reading what streams have in common: texts, shapes, units.

use marigraph_model::SiteId;
use marigraph_wire::bytes::Reader;
use marigraph_wire::op::Op;

use super::bones::{count_order, count_values};
use super::column::{Column, read_columns};
use super::layout::SHARED;
use super::path;
use super::section::Head;
use super::shape::{Shape, Site};

/// `numbers` is the count of numbers in the text.
#[derive(Debug)]
pub(super) struct Template {
    pub(super) text: Vec<u8>,
    pub(super) numbers: usize,
}

pub(super) fn read_strings(payload: &[u8]) -> Option<(Vec<String>, Vec<Template>)> {
    let mut reader = Reader::new(payload);
    let modules = read_texts(&mut reader)?;
    let modules = modules.into_iter().map(String::from_utf8).collect::<Result<_, _>>().ok()?;
    let templates = read_texts(&mut reader)?.into_iter();
    let templates =
        templates.map(|text| Some(Template { numbers: path::count(&text)?, text })).collect::<Option<_>>()?;
    reader.rest().is_empty().then_some((modules, templates))
}

fn read_texts(reader: &mut Reader<'_>) -> Option<Vec<Vec<u8>>> {
    let count = reader.count()?;
    let mut texts: Vec<Vec<u8>> = Vec::new();
    for _ in 0..count {
        let shared = usize::try_from(reader.varint()?).ok().filter(|&shared| shared <= SHARED)?;
        let len = reader.count()?;
        let mut text = texts.last().map_or(&[][..], Vec::as_slice).get(..shared)?.to_vec();
        text.extend_from_slice(reader.bytes(len)?);
        texts.push(text);
    }
    Some(texts)
}

/// Entry 0 of the sites is unknown.
pub(super) fn read_shapes(payload: &[u8], modules: &[String]) -> Option<(Vec<Site>, Vec<Shape>)> {
    let mut reader = Reader::new(payload);
    let mut sites = vec![Site::default()];
    let mut offset = 0u64;
    let count = reader.count()?;
    for _ in 0..count {
        let module = modules.get(usize::try_from(reader.varint()?).ok()?)?.clone();
        offset = offset.wrapping_add(reader.signed()? as u64);
        sites.push(Site { module, offset });
    }
    let mut shapes = Vec::new();
    for _ in 0..reader.count()? {
        let op = u16::try_from(reader.varint()?).ok().and_then(Op::from_code)?;
        let word = reader.varint()?;
        let site = usize::try_from(reader.varint()?).ok()?.checked_add(1)?;
        let known = *sites.get(site)? != Site::default();
        shapes.push(Shape::from_word(op, word, SiteId(if known { site as u32 } else { 0 }))?);
    }
    reader.rest().is_empty().then_some((sites, shapes))
}

#[derive(Debug)]
pub(super) struct UnitName {
    pub(super) argument: usize,
    pub(super) templates: Vec<u32>,
    /// Maximum over the templates.
    pub(super) numbers: usize,
}

/// Bones, and a column for each of their numbers.
#[derive(Debug)]
pub(super) struct Unit<'a> {
    /// `None` for an order.
    pub(super) shape: Option<Shape>,
    pub(super) names: Vec<UnitName>,
    pub(super) bones: &'a [u8],
    pub(super) columns: Vec<Column>,
}

impl Unit<'_> {
    pub(super) fn is_constant(&self) -> bool {
        self.columns.iter().all(Column::is_constant)
    }
}

/// Read before the classes, which refer to units by number.
pub(super) fn read_unit_count(payload: &[u8]) -> Option<usize> {
    Reader::new(payload).count()
}

/// `members` is the number of streams per unit.
pub(super) fn read_units<'a>(
    payload: &'a [u8],
    shapes: &[Shape],
    templates: &[Template],
    members: &[u64],
    head: Head,
) -> Option<Vec<Unit<'a>>> {
    let mut reader = Reader::new(payload);
    reader.count()?;
    let units = members.iter().map(|&members| read_unit(&mut reader, shapes, templates, (members, head)));
    let units = units.collect::<Option<Vec<_>>>()?;
    reader.rest().is_empty().then_some(units)
}

fn read_unit<'a>(
    reader: &mut Reader<'a>,
    shapes: &[Shape],
    templates: &[Template],
    (members, head): (u64, Head),
) -> Option<Unit<'a>> {
    let shape = match reader.varint()?.checked_sub(1) {
        Some(at) => Some(*shapes.get(usize::try_from(at).ok()?)?),
        None => None,
    };
    let mut names = Vec::new();
    for (argument, _) in shape.iter().flat_map(|shape| shape.named).enumerate().filter(|(_, named)| *named) {
        let ids = read_ids(reader, templates.len())?;
        let counts = ids.iter().filter_map(|&id| templates.get(id as usize)).map(|template| template.numbers);
        names.push(UnitName { argument, numbers: counts.max().unwrap_or(0), templates: ids });
    }
    let start = reader.rest();
    let numbers = match shape {
        None => count_order(reader)?,
        Some(_) => {
            let sequences = 6 + names.iter().map(|name| name.numbers).sum::<usize>();
            (0..sequences).try_fold(0u64, |sum, _| sum.checked_add(count_values(reader)?))?
        }
    };
    let bones = start.get(..start.len() - reader.rest().len())?;
    let columns = read_columns(reader, numbers, members, head)?;
    Some(Unit { shape, names, bones, columns })
}

/// Ids are below `limit`, stored as differences to counting up.
pub(super) fn read_ids(reader: &mut Reader<'_>, limit: usize) -> Option<Vec<u32>> {
    let count = reader.count()?;
    let mut next = 0i64;
    let mut ids = Vec::with_capacity(count);
    for _ in 0..count {
        let id = next.checked_add(reader.signed()?)?;
        ids.push(u32::try_from(id).ok().filter(|&id| (id as usize) < limit)?);
        next = id + 1;
    }
    Some(ids)
}

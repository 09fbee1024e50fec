//! Writing a trace from classes of streams whose numbers are known as columns: its cost does not grow with the
//! ranks but for columns that have no rule.

use std::collections::HashMap;

use marigraph_model::folded::{Branch, Class, Column, Piece, Series, Steps, Unit};
use marigraph_wire::bytes::zigzag;
use marigraph_wire::sequence::{Bench, put_varint};

use super::bones::{AFFINE, CONSTANT, COUNTED, LOOP, SINGLE, TOPS};
use super::column::put_draft_columns;
use super::layout::put_texts;
use super::meta::Meta;
use super::section::{CLASSES, File, META, SHAPES, STRINGS, TIMES, UNITS};
use super::times::Histogram;
use super::write::ESTIMATED;
use super::{path, ranks};

/// Texts and shapes by number.
#[derive(Default)]
struct Numbers {
    modules: Vec<String>,
    sites: Vec<(usize, u64)>,
    shapes: Vec<(u16, u64, usize)>,
    templates: Vec<Vec<u8>>,
    template_ids: HashMap<Vec<u8>, u32>,
}

impl Numbers {
    fn shape(&mut self, unit: &Unit) -> usize {
        let shape = &unit.shape;
        let module = place(&mut self.modules, shape.module.clone());
        let site = place(&mut self.sites, (module, shape.offset));
        place(&mut self.shapes, (shape.op as u16, shape.word, site))
    }

    fn template(&mut self, pieces: &[Piece]) -> u32 {
        let text = path::of_pieces(pieces);
        if let Some(&id) = self.template_ids.get(&text) {
            return id;
        }
        let id = self.templates.len() as u32;
        self.templates.push(text.clone());
        self.template_ids.insert(text, id);
        id
    }
}

/// The place of an item, which is appended if it is new.
fn place<T: PartialEq>(items: &mut Vec<T>, item: T) -> usize {
    items.iter().position(|known| *known == item).unwrap_or_else(|| {
        items.push(item);
        items.len() - 1
    })
}

/// The bytes of a trace of these classes, which are in order of process and thread.
pub fn write_classes(classes: &[Class], meta: &Meta) -> Vec<u8> {
    let mut numbers = Numbers::default();
    let mut bench = Bench::new();
    let (units, count) = units(classes, meta.ranks, &mut numbers, &mut bench);
    let mut file = File::begun(Some(meta.ranks));
    file.section(META, &meta.to_json_without_ranks());
    file.section(STRINGS, &strings(&numbers));
    file.section(SHAPES, &shapes(&numbers));
    let mut all = Vec::new();
    put_varint(&mut all, count);
    all.extend(units);
    file.section(UNITS, &all);
    file.section(CLASSES, &ranks(classes, meta.ranks, &mut bench));
    file.section(TIMES, &times(classes));
    file.finish()
}

fn strings(numbers: &Numbers) -> Vec<u8> {
    let mut out = Vec::new();
    put_texts(numbers.modules.iter().map(|module| module.as_bytes()), &mut out);
    put_texts(numbers.templates.iter().map(Vec::as_slice), &mut out);
    out
}

fn shapes(numbers: &Numbers) -> Vec<u8> {
    let mut out = Vec::new();
    put_varint(&mut out, numbers.sites.len() as u64);
    let mut last = 0u64;
    for &(module, offset) in &numbers.sites {
        put_varint(&mut out, module as u64);
        put_varint(&mut out, zigzag(offset.wrapping_sub(last) as i64));
        last = offset;
    }
    put_varint(&mut out, numbers.shapes.len() as u64);
    for &(op, word, site) in &numbers.shapes {
        put_varint(&mut out, u64::from(op));
        put_varint(&mut out, word);
        put_varint(&mut out, site as u64);
    }
    out
}

/// All units one after the other, of each class its order first, and how many.
fn units(classes: &[Class], ranks: u64, numbers: &mut Numbers, bench: &mut Bench) -> (Vec<u8>, u64) {
    let (mut out, mut count) = (Vec::new(), 0);
    for class in classes {
        let members = (class.ranks.len(), ranks);
        let (mut bones, mut columns) = (Vec::new(), Vec::new());
        put_varint(&mut bones, tops(&class.order) as u64);
        put_level(&class.order, true, &mut bones, &mut columns);
        out.push(0);
        out.extend(bones);
        put_draft_columns(&columns, members, bench, &mut out);
        for unit in &class.units {
            put_varint(&mut out, numbers.shape(unit) as u64 + 1);
            for name in &unit.names {
                put_varint(&mut out, name.templates.len() as u64);
                let mut next = 0i64;
                for template in &name.templates {
                    let id = i64::from(numbers.template(template));
                    put_varint(&mut out, zigzag(id - next));
                    next = id + 1;
                }
            }
            let (mut bones, mut columns) = (Vec::new(), Vec::new());
            unit.sequences.iter().for_each(|series| put_series(series, &mut bones, &mut columns));
            out.extend(bones);
            put_draft_columns(&columns, members, bench, &mut out);
        }
        count += 1 + class.units.len() as u64;
    }
    (out, count)
}

fn put_series<'a>(series: &'a Series, bones: &mut Vec<u8>, columns: &mut Vec<&'a Column>) {
    let second = u64::from(series.second.is_some());
    columns.push(&series.first);
    columns.extend(&series.second);
    match &series.steps {
        Steps::All(Column::Constant(0)) => put_varint(bones, CONSTANT << 1 | second),
        Steps::All(step) => {
            put_varint(bones, AFFINE << 1 | second);
            columns.push(step);
        }
        Steps::Nodes(nodes) => {
            put_varint(bones, (TOPS + tops(nodes) as u64) << 1 | second);
            put_level(nodes, false, bones, columns);
        }
    }
}

fn tops(nodes: &[Branch]) -> usize {
    let (mut at, mut count) = (0, 0);
    while let Some(node) = nodes.get(at) {
        at += 1 + node.len as usize;
        count += 1;
    }
    count
}

fn put_level<'a>(nodes: &'a [Branch], symbols: bool, bones: &mut Vec<u8>, columns: &mut Vec<&'a Column>) {
    let number = |column: &Column| column.at(0).unwrap_or(0) as u64;
    let mut rest = nodes;
    while let Some((head, after)) = rest.split_first() {
        let (body, behind) = after.split_at(after.len().min(head.len as usize));
        rest = behind;
        if head.len > 0 {
            put_varint(bones, number(&head.value) << 2 | LOOP);
            columns.push(&head.count);
            put_level(body, symbols, bones, columns);
            continue;
        }
        let single = head.count == Column::Constant(1);
        put_varint(bones, 1 << 2 | if single { SINGLE } else { COUNTED });
        if !single {
            columns.push(&head.count);
        }
        if symbols {
            put_varint(bones, number(&head.value));
        } else {
            columns.push(&head.value);
        }
    }
}

fn ranks(classes: &[Class], all: u64, bench: &mut Bench) -> Vec<u8> {
    let mut out = Vec::new();
    put_varint(&mut out, classes.len() as u64);
    let mut next = 0u64;
    for class in classes {
        put_varint(&mut out, u64::from(class.process));
        put_varint(&mut out, u64::from(class.thread));
        let count = 1 + class.units.len() as u64;
        put_varint(&mut out, count);
        // Units count up throughout; each list restarts at 0.
        put_varint(&mut out, zigzag(next as i64));
        (1..count).for_each(|_| put_varint(&mut out, 0));
        next += count;
        ranks::put(&class.ranks, all, bench, &mut out);
    }
    out
}

/// Of each class the first start, and of each unit's gaps and durations the mean alone.
fn times(classes: &[Class]) -> Vec<u8> {
    let mut out = vec![ESTIMATED];
    classes.iter().for_each(|class| put_varint(&mut out, zigzag(class.first_start)));
    for unit in classes.iter().flat_map(|class| &class.units) {
        Histogram::put_estimate(unit.times.0, &mut out);
        Histogram::put_estimate(unit.times.1, &mut out);
    }
    out
}

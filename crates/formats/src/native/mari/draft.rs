//! Writing a trace from classes of streams whose numbers are known as columns: its cost does not grow with the
//! ranks but for columns that have no rule.

use marigraph_model::folded::{self, Column, Series};
use marigraph_wire::bytes::zigzag;
use marigraph_wire::sequence::{Bench, put_varint};

use super::bones::{Steps, put_order, put_values};
use super::column::put_columns;
use super::layout::{self, Class, Numbering};
use super::meta::Meta;
use super::path;
use super::section::TIMES;
use super::shape::Site;
use super::tables::{Tables, UnitKey};
use super::times::Histogram;
use super::write::ESTIMATED;

/// `classes` are ordered by process and thread.
pub fn write_classes(classes: &[folded::Class], meta: &Meta) -> Vec<u8> {
    let mut tables = Tables::default();
    let mut bench = Bench::new();
    let units = |class: &folded::Class| Class {
        process: class.process,
        thread: class.thread,
        units: units(class, meta.ranks, &mut tables, &mut bench),
        ranks: class.ranks.clone(),
    };
    let placed: Vec<Class> = classes.iter().map(units).collect();
    let numbering = Numbering::of(&placed, &tables);
    let mut file = layout::file(&placed, &numbering, &mut tables, (meta, &[]));
    file.section(TIMES, &times(classes));
    file.finish()
}

/// The order comes first. Classes do not share units: the members of a unit are in the order of all
/// streams, so that columns of two classes would interleave.
fn units(class: &folded::Class, ranks: u64, tables: &mut Tables, bench: &mut Bench) -> Vec<u32> {
    let mut own = |unit: UnitKey, columns: Vec<&Column>, tables: &mut Tables| {
        let mut bytes = Vec::new();
        put_columns(columns, (class.ranks.len(), ranks), false, bench, &mut bytes);
        tables.own(unit, bytes)
    };
    let (mut bones, mut columns) = (Vec::new(), Vec::new());
    put_order(&class.order, &mut bones, &mut columns);
    let mut ids = vec![own(UnitKey { shape: None, templates: Vec::new(), bones }, columns, tables)];
    for unit in &class.units {
        let (mut bones, mut columns) = (Vec::new(), Vec::new());
        unit.sequences.iter().for_each(|series| put_series(series, &mut bones, &mut columns));
        let shape = Some(shape(&unit.shape, tables));
        let templates = unit.names.iter().map(|name| templates(name, tables)).collect();
        ids.push(own(UnitKey { shape, templates, bones }, columns, tables));
    }
    ids
}

fn shape(shape: &folded::Shape, tables: &mut Tables) -> u32 {
    let site = tables.sites.id(&Site { module: shape.module.clone(), offset: shape.offset });
    tables.shapes.id(&(shape.op, shape.word, site))
}

fn templates(name: &folded::Name, tables: &mut Tables) -> Vec<u32> {
    name.templates.iter().map(|pieces| tables.templates.id(path::of_pieces(pieces).as_slice())).collect()
}

fn put_series<'a>(series: &'a Series, bones: &mut Vec<u8>, columns: &mut Vec<&'a Column>) {
    let steps = match &series.steps {
        folded::Steps::All(Column::Constant(0)) => Steps::Zero,
        folded::Steps::All(step) => Steps::All(step),
        folded::Steps::Nodes(nodes) => Steps::Nodes(nodes),
    };
    put_values((&series.first, series.second.as_ref()), steps, bones, columns);
}

/// First start of each class; mean gap and duration of each unit.
fn times(classes: &[folded::Class]) -> Vec<u8> {
    let mut out = vec![ESTIMATED];
    classes.iter().for_each(|class| put_varint(&mut out, zigzag(class.first_start)));
    for unit in classes.iter().flat_map(|class| &class.units) {
        Histogram::put_estimate(unit.times.0, &mut out);
        Histogram::put_estimate(unit.times.1, &mut out);
    }
    out
}

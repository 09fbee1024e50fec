//! A segment of one thread's records as bytes: names, shapes, the order of shapes, the values of
//! each shape, times.
//!
//! A shape is the part of a call that the program text fixes: operation, depth, flags, call site.
//! The order of shapes is folded without the lengths of runs; those are values of their shape, so a
//! loop whose trip count varies still folds. Values follow per shape and field, folded by
//! differences: a call in a loop costs the same bytes however often the loop runs.

use alloc::vec::Vec;

use crate::bytes::{Reader, Writer, unzigzag, zigzag};
use crate::fold::{self, Node};
use crate::op::Op;
use crate::record::{NAME_BYTES, Record};
use crate::sequence::{Symbols, Values, read_nodes, write_symbols, write_values};
use crate::ticks;

/// Maximum records in a segment.
pub const RECORDS: usize = 4096;
/// Maximum shapes in a segment; one with more is stored plain.
pub const SHAPES: usize = 256;
const TABLE: usize = 2 * SHAPES;

/// The part of a call that the program text fixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Shape {
    pub op: u16,
    pub depth: u8,
    pub flags: u8,
    /// Return address.
    pub site: u64,
}

impl Shape {
    fn of(record: &Record) -> Shape {
        Shape { op: record.op, depth: record.depth, flags: record.flags, site: record.site() }
    }

    fn place(&self) -> usize {
        let word =
            self.site ^ u64::from(self.op) << 17 ^ u64::from(self.depth) << 50 ^ u64::from(self.flags) << 40;
        (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize % TABLE
    }
}

/// Values of a record besides its times.
pub const FIELDS: usize = 5;

fn field(record: &Record, at: usize) -> i64 {
    match at {
        0 => i64::from(record.slot),
        1 => record.a,
        2 => record.b,
        3 => record.c,
        _ => record.ret,
    }
}

/// Working memory of [`encode`], reused for one segment after another.
#[derive(Debug)]
pub struct Memory {
    fold: fold::Memory<RECORDS>,
    ticks: ticks::Memory,
    times: [u64; RECORDS],
    shape_of: [u16; RECORDS],
    /// Records by shape, in order.
    order: [u16; RECORDS],
    /// Lengths of runs, by shape.
    runs: [u16; RECORDS],
    shapes: [Shape; SHAPES],
    /// Per shape: records and runs; then where the next of each goes.
    counts: [(u16, u16); SHAPES],
    next: [(u16, u16); SHAPES],
    table: [u16; TABLE],
    used: usize,
}

impl Memory {
    pub const NEW: Memory = Memory {
        fold: fold::Memory::NEW,
        ticks: ticks::Memory::NEW,
        times: [0; RECORDS],
        shape_of: [0; RECORDS],
        order: [0; RECORDS],
        runs: [0; RECORDS],
        shapes: [Shape { op: 0, depth: 0, flags: 0, site: 0 }; SHAPES],
        counts: [(0, 0); SHAPES],
        next: [(0, 0); SHAPES],
        table: [0; TABLE],
        used: 0,
    };

    /// The index of a shape, added if new; `None` if there are too many.
    fn shape(&mut self, shape: Shape) -> Option<u16> {
        let mut place = shape.place();
        loop {
            let entry = self.table.get_mut(place)?;
            if *entry == 0 {
                *self.shapes.get_mut(self.used)? = shape;
                *self.counts.get_mut(self.used)? = (0, 0);
                self.used += 1;
                *entry = self.used as u16;
                return Some(*entry - 1);
            }
            if *self.shapes.get(usize::from(*entry) - 1)? == shape {
                return Some(*entry - 1);
            }
            place = (place + 1) % TABLE;
        }
    }

    /// Sorts the records that are calls by shape; returns their number.
    fn sort(&mut self, records: &[Record]) -> Option<usize> {
        self.used = 0;
        self.table.fill(0);
        let mut last = (Shape::default(), u16::MAX);
        let mut calls = 0;
        for record in records.iter().filter(|record| record.op != Op::Name as u16) {
            let shape = Shape::of(record);
            let begins = last.1 == u16::MAX || shape != last.0;
            if begins {
                last = (shape, self.shape(shape)?);
            }
            let count = self.counts.get_mut(usize::from(last.1))?;
            count.0 += 1;
            count.1 += u16::from(begins);
            *self.shape_of.get_mut(calls)? = last.1;
            calls += 1;
        }
        let mut sum = (0u16, 0u16);
        for (count, next) in self.counts.iter().zip(&mut self.next).take(self.used) {
            *next = sum;
            sum = (sum.0 + count.0, sum.1 + count.1);
        }
        self.distribute(records, calls)?;
        Some(calls)
    }

    fn distribute(&mut self, records: &[Record], calls: usize) -> Option<()> {
        let indices = records.iter().enumerate().filter(|(_, record)| record.op != Op::Name as u16);
        let mut last = u16::MAX;
        for ((index, _), &shape) in indices.zip(self.shape_of.iter().take(calls)) {
            let next = self.next.get_mut(usize::from(shape))?;
            *self.order.get_mut(usize::from(next.0))? = index as u16;
            next.0 += 1;
            if shape != last {
                next.1 += 1;
                *self.runs.get_mut(usize::from(next.1) - 1)? = 0;
            }
            *self.runs.get_mut(usize::from(next.1) - 1)? += 1;
            last = shape;
        }
        Some(())
    }
}

/// Writes at most [`RECORDS`] records; `None` if they have too many shapes.
pub fn encode(records: &[Record], memory: &mut Memory, out: &mut Writer<'_>) -> Option<()> {
    let records = records.get(..records.len().min(RECORDS))?;
    write_names(records, out);
    let calls = memory.sort(records)?;
    write_shapes(memory, out);
    let mut last = u16::MAX;
    let changes =
        memory.shape_of.iter().take(calls).filter(|&&shape| core::mem::replace(&mut last, shape) != shape);
    write_symbols(changes.map(|&shape| i64::from(shape)), memory.fold.folder(), out);
    let (mut first, mut first_run) = (0, 0);
    for &(count, runs) in memory.counts.iter().take(memory.used) {
        let (end, end_run) = (first + usize::from(count), first_run + usize::from(runs));
        let lengths = memory.runs.get(first_run..end_run)?;
        write_values(lengths.iter().map(|&length| i64::from(length)), memory.fold.folder(), out);
        let order = memory.order.get(first..end)?;
        for at in 0..FIELDS {
            let values = order.iter().filter_map(|&index| records.get(usize::from(index)));
            write_values(values.map(|record| field(record, at)), memory.fold.folder(), out);
        }
        (first, first_run) = (end, end_run);
    }
    write_times(records, memory, out);
    Some(())
}

fn is_name(record: &Record) -> bool {
    record.op == Op::Name as u16
}

fn write_names(records: &[Record], out: &mut Writer<'_>) {
    out.varint(records.iter().filter(|record| is_name(record)).count() as u64);
    for record in records.iter().filter(|record| is_name(record)) {
        out.varint(u64::from(record.slot));
        out.byte(record.depth);
        out.varint(record.start);
        let len = if record.depth > 0 {
            NAME_BYTES
        } else {
            // The last record holds the rest.
            record.start.checked_sub(1).map_or(0, |len| len as usize % NAME_BYTES + 1)
        };
        out.bytes(record.name_bytes().get(..len).unwrap_or(&[]));
    }
}

fn write_shapes(memory: &Memory, out: &mut Writer<'_>) {
    out.varint(memory.used as u64);
    for (shape, count) in memory.shapes.iter().zip(&memory.counts).take(memory.used) {
        out.varint(u64::from(shape.op));
        out.byte(shape.depth);
        out.byte(shape.flags);
        out.varint(shape.site);
        out.varint(u64::from(count.0));
        out.varint(u64::from(count.1));
    }
}

fn write_times(records: &[Record], memory: &mut Memory, out: &mut Writer<'_>) {
    let calls = || records.iter().filter(|record| !is_name(record));
    let Some(first) = calls().next().map(|record| record.start) else { return };
    out.varint(first);
    let mut last = first;
    let mut len = 0;
    for (record, time) in calls().zip(&mut memory.times) {
        *time = zigzag(record.start.wrapping_sub(last) as i64);
        last = record.end;
        len += 1;
    }
    ticks::encode(memory.times.get(..len).unwrap_or(&[]), &mut memory.ticks, out);
    for (record, time) in calls().zip(&mut memory.times) {
        *time = record.end.wrapping_sub(record.start);
    }
    ticks::encode(memory.times.get(..len).unwrap_or(&[]), &mut memory.ticks, out);
}

/// Reads what [`encode`] wrote: the records without their turns, names first.
pub fn decode(bytes: &[u8]) -> Option<Vec<Record>> {
    let mut reader = Reader::new(bytes);
    let mut records = read_names(&mut reader)?;
    let shapes = read_shapes(&mut reader)?;
    let calls: u64 = shapes.iter().map(|shape| shape.1).sum();
    let runs: u64 = shapes.iter().map(|shape| shape.2).sum();
    if calls > RECORDS as u64 || runs > calls {
        return None;
    }
    let symbols = read_nodes(&mut reader, runs)?;
    let columns = shapes.iter().map(|shape| Columns::read(&mut reader, shape)).collect::<Option<Vec<_>>>()?;
    let first = records.len();
    put_in_order(&symbols, &columns, calls, &mut records)?;
    read_times(&mut reader, records.get_mut(first..)?)?;
    reader.rest().is_empty().then_some(records)
}

fn read_names(reader: &mut Reader<'_>) -> Option<Vec<Record>> {
    let count = reader.count()?;
    if count > RECORDS {
        return None;
    }
    let mut records = Vec::with_capacity(count);
    for _ in 0..count {
        let slot = u32::try_from(reader.varint()?).ok()?;
        let depth = reader.byte()?;
        let start = reader.varint()?;
        let len = if depth > 0 {
            NAME_BYTES
        } else {
            start.checked_sub(1).map_or(0, |len| len as usize % NAME_BYTES + 1)
        };
        let mut record = Record { op: Op::Name as u16, slot, depth, start, ..Record::default() };
        record.set_name_bytes(reader.bytes(len)?);
        records.push(record);
    }
    Some(records)
}

fn read_shapes(reader: &mut Reader<'_>) -> Option<Vec<(Shape, u64, u64)>> {
    let count = reader.count()?;
    if count > SHAPES {
        return None;
    }
    (0..count)
        .map(|_| {
            let op = u16::try_from(reader.varint()?).ok()?;
            // Names come before the shapes; a name among the calls would be read back as something
            // else.
            if op == Op::Name as u16 {
                return None;
            }
            let (depth, flags) = (reader.byte()?, reader.byte()?);
            let shape = Shape { op, depth, flags, site: reader.varint()? };
            let (calls, runs) = (reader.varint()?, reader.varint()?);
            (calls <= RECORDS as u64 && runs <= calls).then_some((shape, calls, runs))
        })
        .collect()
}

struct Columns {
    shape: Shape,
    runs: Values,
    fields: [Values; FIELDS],
}

impl Columns {
    fn read(reader: &mut Reader<'_>, &(shape, calls, runs): &(Shape, u64, u64)) -> Option<Columns> {
        let runs = Values::read(reader, runs)?;
        let mut fields: [Values; FIELDS] = Default::default();
        for field in &mut fields {
            *field = Values::read(reader, calls)?;
        }
        Some(Columns { shape, runs, fields })
    }
}

fn put_in_order(symbols: &[Node], columns: &[Columns], calls: u64, records: &mut Vec<Record>) -> Option<()> {
    let mut iters: Vec<_> = columns
        .iter()
        .map(|all| (all.shape, all.runs.iter(), all.fields.each_ref().map(Values::iter)))
        .collect();
    let mut left = calls;
    for symbol in Symbols::new(symbols) {
        let (shape, runs, fields) = iters.get_mut(usize::try_from(symbol).ok()?)?;
        let length = u64::try_from(runs.next()?).ok()?;
        left = left.checked_sub(length)?;
        for _ in 0..length {
            let [slot, a, b, c, ret] = fields.each_mut().map(Iterator::next);
            records.push(Record {
                start: 0,
                end: 0,
                site_turn: Record::site_turn(shape.site, 0),
                op: shape.op,
                depth: shape.depth,
                flags: shape.flags,
                slot: u32::try_from(slot?).ok()?,
                a: a?,
                b: b?,
                c: c?,
                ret: ret?,
            });
        }
    }
    (left == 0).then_some(())
}

fn read_times(reader: &mut Reader<'_>, records: &mut [Record]) -> Option<()> {
    if records.is_empty() {
        return Some(());
    }
    let mut last = reader.varint()?;
    let mut gaps = Vec::new();
    ticks::decode(reader, records.len(), &mut gaps)?;
    let mut durations = Vec::new();
    ticks::decode(reader, records.len(), &mut durations)?;
    for ((record, gap), duration) in records.iter_mut().zip(gaps).zip(durations) {
        record.start = last.wrapping_add(unzigzag(gap) as u64);
        record.end = record.start.wrapping_add(duration);
        last = record.end;
    }
    Some(())
}

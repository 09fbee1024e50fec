//! Tests of files: written and read back, damaged, and written by others.

use std::fs::File;
use std::path::PathBuf;

use super::*;
use crate::tables::{Kind, table};
use crate::{Cell, Lack, view};

table! {
    things as THINGS, ThingRow<'a> = "Things.";
    name: Option<&'a str> = "Name.",
    count: u64 = "Count.",
    share: Option<f64> = "Share.",
    colour: Option<&'a str> = later "Colour.",
}

view! {
    struct Amount<'a> of ThingRow { count: u64, colour: Option<&'a str> }
}

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        Scratch(std::env::temp_dir().join(format!("marigraph-store-{name}-{}.parquet", std::process::id())))
    }

    fn create(&self) -> File {
        File::create(&self.0).expect("file")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn with_thing(number: u64, take: &mut dyn FnMut(ThingRow<'_>)) {
    let name = format!("name {}", number % 1000);
    let name = (!number.is_multiple_of(5)).then_some(name.as_str());
    let share = (!number.is_multiple_of(3)).then_some(number as f64 / 4.0);
    take(ThingRow { name, count: number, share, colour: None });
}

fn write(file: &Scratch, count: u64) {
    let mut writer = Writer::new(file.create(), &THINGS).expect("writer");
    let mut rows = Rows::default();
    for number in 0..count {
        with_thing(number, &mut |thing| {
            // NaN is missing.
            rows.push(ThingRow { share: thing.share.or(Some(f64::NAN)), ..thing });
        });
        if rows.len() == 100_000 {
            writer.take(&mut rows).expect("take");
        }
    }
    writer.take(&mut rows).expect("take");
    writer.finish().expect("finish");
}

fn write_other(file: &Scratch, columns: &[(&str, Kind)], cells: &[Cell<'_>]) {
    let mut columns = Columns::of(columns);
    let mut encoder = Encoder::new(file.create(), &columns).expect("encoder");
    columns.push(cells);
    encoder.take(&mut columns).expect("take");
    encoder.finish().expect("finish");
}

fn refused<V: View>(file: &Scratch) -> (&'static str, &'static str, Lack) {
    match read_file::<V>(&file.0, |_| {}).expect_err("refused") {
        Error::Column { path, table, column, what } => {
            assert_eq!(path, file.0);
            (table, column, what)
        }
        other => panic!("{other}"),
    }
}

#[test]
fn what_is_written_is_read() {
    let file = Scratch::new("written");
    // More than one row group.
    for count in [0, 1, 600_000] {
        write(&file, count);
        let mut number = 0;
        read_file::<ThingRow>(&file.0, |row| {
            with_thing(number, &mut |thing| assert_eq!(row, thing));
            number += 1;
        })
        .expect("read");
        assert_eq!((number, count_rows(&file.0, &THINGS).expect("count") as u64), (count, count));
    }
}

#[test]
fn a_column_that_a_reader_needs_is_asked_for_by_name() {
    let file = Scratch::new("needed");
    write_other(&file, &[("number", Kind::Int), ("share", Kind::Float)], &[Cell::Int(7), Cell::Float(0.5)]);
    assert_eq!(refused::<ThingRow>(&file), ("things", "name", Lack::Column));
    assert_eq!(refused::<Amount>(&file), ("things", "count", Lack::Column));
    let error = read_file::<Amount>(&file.0, |_| {}).expect_err("refused");
    let expected = format!("{}: the column count of things is missing", file.0.display());
    assert_eq!(error.to_string(), expected);
    assert!(error.hint().is_some_and(|hint| hint.contains("ingest the logs again")));
    write_other(&file, &[("count", Kind::Float)], &[Cell::Float(7.0)]);
    assert_eq!(refused::<Amount>(&file), ("things", "count", Lack::Kind));
    write_other(&file, &[("count", Kind::Int)], &[Cell::Null]);
    assert_eq!(refused::<Amount>(&file), ("things", "count", Lack::Value));
}

#[test]
fn a_column_that_came_later_is_missing_in_earlier_parts() {
    let file = Scratch::new("later");
    write_other(&file, &[("count", Kind::Int), ("unknown", Kind::Text)], &[Cell::Int(7), Cell::Text("x")]);
    let mut found = Vec::new();
    read_file::<Amount>(&file.0, |row| found.push((row.count, row.colour.map(String::from)))).expect("read");
    assert_eq!(found, [(7, None)]);
}

#[test]
fn a_damaged_file_is_an_error_and_no_panic() {
    let file = Scratch::new("damaged");
    write(&file, 1000);
    let whole = std::fs::read(&file.0).expect("read");
    for length in (0..whole.len()).step_by(101) {
        std::fs::write(&file.0, &whole[..length]).expect("cut");
        assert!(read_file::<ThingRow>(&file.0, |_| {}).is_err(), "{length}");
    }
    for at in (0..whole.len()).step_by(37) {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x55;
        std::fs::write(&file.0, &flipped).expect("flip");
        let _ = read_file::<ThingRow>(&file.0, |_| {});
    }
}

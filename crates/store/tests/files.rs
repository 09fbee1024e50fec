//! Parquet files: written, read back, and documented.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it skips

mod common;

use std::path::Path;

use common::Folder;
use marigraph_store::tables::{self, Table, float, int, text};
use marigraph_store::{Cell, Writer, read_file};

static THINGS: Table = Table {
    name: "things",
    about: "Things.",
    columns: &[text("name", "Name."), int("count", "Count."), float("share", "Share.")],
};
/// The same at a later time.
static MORE_THINGS: Table = Table {
    name: "things",
    about: "Things.",
    columns: &[int("count", "Count."), text("colour", "Colour."), text("name", "Name.")],
};

fn write(path: &Path, rows: i64) {
    let file = std::fs::File::create(path).expect("file");
    let mut writer = Writer::new(file, &THINGS).expect("writer");
    for number in 0..rows {
        let name = format!("name {}", number % 1000);
        let share = if number % 3 == 0 { f64::NAN } else { number as f64 / 4.0 };
        let name = if number % 5 == 0 { Cell::Null } else { name.as_str().into() };
        writer.rows().push(&[name, number.into(), share.into()]);
        writer.keep().expect("keep");
    }
    assert_eq!(writer.len(), rows as u64);
    writer.finish().expect("finish");
}

#[test]
fn what_is_written_is_read() {
    let folder = Folder::new("files");
    let path = folder.0.join("things.parquet");
    // More than one row group.
    for rows in [0, 1, 600_000] {
        write(&path, rows);
        let mut number = 0;
        read_file(&path, &THINGS, &|_| true, &mut |cells| {
            let name = format!("name {}", number % 1000);
            let expected_name = if number % 5 == 0 { Cell::Null } else { Cell::Text(&name) };
            let share = if number % 3 == 0 { Cell::Null } else { Cell::Float(number as f64 / 4.0) };
            assert_eq!(cells, [expected_name, Cell::Int(number), share]);
            number += 1;
        })
        .expect("read");
        assert_eq!(number, rows);
    }
}

#[test]
fn columns_are_found_by_name_and_may_be_missing() {
    let folder = Folder::new("columns");
    let path = folder.0.join("things.parquet");
    write(&path, 2);
    let mut last = String::new();
    read_file(&path, &MORE_THINGS, &|_| true, &mut |cells| last = format!("{cells:?}")).expect("read");
    assert_eq!(last, r#"[Int(1), Null, Text("name 1")]"#);
}

#[test]
fn a_damaged_file_is_an_error_and_no_panic() {
    let folder = Folder::new("damaged");
    let path = folder.0.join("things.parquet");
    write(&path, 1000);
    let whole = std::fs::read(&path).expect("read");
    for length in (0..whole.len()).step_by(101) {
        std::fs::write(&path, &whole[..length]).expect("cut");
        assert!(read_file(&path, &THINGS, &|_| true, &mut |_| {}).is_err(), "{length}");
    }
    for at in (0..whole.len()).step_by(37) {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x55;
        std::fs::write(&path, &flipped).expect("flip");
        let _ = read_file(&path, &THINGS, &|_| true, &mut |_| {});
    }
}

#[test]
fn the_page_of_tables_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tables.md");
    if std::env::var_os("MARIGRAPH_BLESS").is_some() {
        std::fs::write(&path, tables::page()).expect("bless");
    }
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(page, tables::page(), "{} (MARIGRAPH_BLESS=1 writes it)", path.display());
}

//! Output formats of an answer.

use std::io::{self, Write};

use marigraph_report::table::{Align, Table};
use marigraph_store::{Cell, Output};
use serde_json::{Map, Value};

/// One line per row.
pub struct Csv<'a>(pub &'a mut dyn Write);

impl Csv<'_> {
    fn line(&mut self, words: impl Iterator<Item = String>) -> io::Result<()> {
        let line = words.collect::<Vec<_>>().join(",");
        writeln!(self.0, "{line}")
    }
}

fn quoted(word: &str) -> String {
    if word.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", word.replace('"', "\"\""))
    } else {
        word.to_string()
    }
}

/// A missing value is empty.
fn plain(cell: &Cell<'_>) -> String {
    match cell {
        Cell::Null => String::new(),
        Cell::Int(value) => value.to_string(),
        Cell::Float(value) => value.to_string(),
        Cell::Text(text) => (*text).to_string(),
    }
}

impl Output for Csv<'_> {
    fn columns(&mut self, names: &[String]) -> io::Result<()> {
        self.line(names.iter().map(|name| quoted(name)))
    }
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        self.line(cells.iter().map(|cell| quoted(&plain(cell))))
    }
}

/// One array of objects.
pub struct Json<'a> {
    into: &'a mut dyn Write,
    names: Vec<String>,
    begun: bool,
}

impl<'a> Json<'a> {
    pub fn new(into: &'a mut dyn Write) -> Json<'a> {
        Json { into, names: Vec::new(), begun: false }
    }

    pub fn finish(self) -> io::Result<()> {
        self.into.write_all(if self.begun { b"\n]\n" } else { b"[]\n" })
    }
}

impl Output for Json<'_> {
    fn columns(&mut self, names: &[String]) -> io::Result<()> {
        self.names = names.to_vec();
        Ok(())
    }
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        let value = |cell: &Cell<'_>| match *cell {
            Cell::Null => Value::Null,
            Cell::Int(value) => value.into(),
            Cell::Float(value) => value.into(),
            Cell::Text(text) => text.into(),
        };
        let object: Map<String, Value> = self.names.iter().cloned().zip(cells.iter().map(value)).collect();
        self.into.write_all(if self.begun { b",\n" } else { b"[\n" })?;
        self.begun = true;
        write!(self.into, "{}", Value::Object(object))
    }
}

/// A text table.
#[derive(Default)]
pub struct Text {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
    words: Vec<bool>,
}

impl Text {
    pub fn render(&self, width: usize) -> String {
        let align = |&words: &bool| if words { Align::Left } else { Align::Right };
        let names = self.names.iter().map(String::as_str);
        let columns: Vec<(&str, Align)> = names.zip(self.words.iter().map(align)).collect();
        let mut table = Table::new(&columns);
        self.rows.iter().for_each(|row| table.row(row.iter().cloned()));
        table.render(width)
    }
}

impl Output for Text {
    fn columns(&mut self, names: &[String]) -> io::Result<()> {
        self.names = names.to_vec();
        self.words = vec![false; names.len()];
        Ok(())
    }
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        for (words, cell) in self.words.iter_mut().zip(cells) {
            *words |= matches!(cell, Cell::Text(_));
        }
        let shown = |cell: &Cell<'_>| match cell {
            Cell::Float(value) if value.abs() >= 0.001 && value.abs() < 1e15 => {
                let text = format!("{value:.3}");
                text.trim_end_matches('0').trim_end_matches('.').to_string()
            }
            // One row stays one line.
            other => plain(other).replace(['\n', '\r', '\t'], " "),
        };
        self.rows.push(cells.iter().map(shown).collect());
        Ok(())
    }
}

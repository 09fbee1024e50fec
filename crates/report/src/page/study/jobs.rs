//! Interfaces and file sharing by job size: figures 2 and 3.

use marigraph_analysis::asked::Interface;
use marigraph_analysis::study::{Choice, SizeBin, Study};

use crate::page::draw::frame::{self, Scale};
use crate::page::draw::plot::{self, Key, colour};
use crate::page::draw::svg::{rect, text};
use crate::units::{bytes, count, percent};

/// Width of the labels, of each of three panels, and of its totals.
const LEFT: f64 = 124.0;
const PANEL: f64 = 236.0;
const TOTALS: f64 = 78.0;
const GAP: f64 = 18.0;
const TOP: f64 = 46.0;
/// Height of a bar, and of a bar in a group.
const BAR: f64 = 18.0;
const THIN: f64 = 7.0;

/// One job size, split by runs, bytes read and bytes written.
struct Row {
    bin: SizeBin,
    runs: u64,
    parts: [Vec<u64>; 3],
}

pub fn interfaces(study: &Study, _: &Choice) -> String {
    let rows: Vec<Row> = study
        .interfaces
        .iter()
        .map(|bin| Row {
            bin: bin.bin,
            runs: bin.runs,
            parts: [bin.used.to_vec(), bin.read.to_vec(), bin.written.to_vec()],
        })
        .collect();
    let keys: Vec<Key> = Interface::ALL
        .iter()
        .enumerate()
        .map(|(at, interface)| (colour(at), interface.name().to_string()))
        .collect();
    let caption = "By number of processes. Left: share of runs that opened a file through an interface; a run may use several. Middle and right: bytes by the highest interface of a file (HDF5, PnetCDF, MPI-IO, POSIX; STDIO separately), as shares of all bytes at that size.";
    pictured("Interfaces by job size", "share of runs that use it", &rows, &keys, true, caption)
}

pub fn strategies(study: &Study, _: &Choice) -> String {
    let rows: Vec<Row> = study
        .strategies
        .iter()
        .map(|bin| Row {
            bin: bin.bin,
            runs: bin.runs,
            parts: [bin.strategy.to_vec(), bin.read.to_vec(), bin.written.to_vec()],
        })
        .collect();
    let words =
        ["files of one process", "files of some processes", "files of all processes", "no bytes moved"];
    let classes = [colour(0), colour(2), colour(1), "none".to_string()];
    let keys: Vec<Key> = classes.into_iter().zip(words.map(String::from)).collect();
    let caption = "By number of processes. Left: runs by the kind of file with most of their bytes. Middle and right: bytes by kind of file. With a single process every file belongs to one process.";
    pictured("File sharing by job size", "share of runs", &rows, &keys, false, caption)
}

/// Three panels. With `grouped`, parts of a row may overlap in the first panel and get a bar each.
fn pictured(name: &str, first: &str, rows: &[Row], keys: &[Key], grouped: bool, caption: &str) -> String {
    let used = |at: &usize| {
        rows.iter().flat_map(|row| &row.parts).any(|parts| parts.get(*at).is_some_and(|&n| n > 0))
    };
    let shown: Vec<usize> = (0..keys.len()).filter(used).collect();
    let step = if grouped { (THIN * shown.len() as f64 + 9.0).max(BAR + 8.0) } else { BAR + 8.0 };
    let height = TOP + step * rows.len() as f64;
    let mut out = text(LEFT - 10.0, TOP - 8.0, "axis", "end", "processes");
    for (at, words) in [first, "share of bytes read", "share of bytes written"].into_iter().enumerate() {
        out += &grid(left(at), words, height);
    }
    for (at, row) in rows.iter().enumerate() {
        let y = TOP + step * at as f64;
        let middle = y + step / 2.0;
        out += &text(LEFT - 10.0, middle + 4.0, "axis", "end", &size(row.bin));
        out += &if grouped {
            side_by_side(row, keys, &shown, y + (step - THIN * shown.len() as f64) / 2.0)
        } else {
            stacked(row, keys, 0, middle - BAR / 2.0)
        };
        out += &stacked(row, keys, 1, middle - BAR / 2.0);
        out += &stacked(row, keys, 2, middle - BAR / 2.0);
        let whole = |at: usize| bytes(row.parts[at].iter().map(|&part| part as f64).sum());
        for (at, words) in [format!("{} runs", count(row.runs)), whole(1), whole(2)].iter().enumerate() {
            out += &text(left(at) + PANEL + 6.0, middle + 4.0, "value", "start", words);
        }
    }
    let keys: Vec<Key> = shown.iter().map(|&at| keys[at].clone()).collect();
    plot::figure(name, height + 26.0, &out, &keys, caption)
}

fn left(panel: usize) -> f64 {
    LEFT + (PANEL + TOTALS + GAP) * panel as f64
}

fn grid(x: f64, words: &str, bottom: f64) -> String {
    let mut out = text(x, 14.0, "title", "start", words);
    let scale = Scale::linear([0.0, 1.0], [x, x + PANEL]);
    for (share, word) in crate::page::draw::ticks::shares() {
        let place = scale.at(share);
        out += &frame::line("grid", [place, TOP - 4.0], [place, bottom]);
        out += &text(place, bottom + 16.0, "axis", "middle", &word);
    }
    out
}

fn hint(row: &Row, panel: usize, name: &str, part: u64, share: f64) -> String {
    let amount =
        if panel == 0 { format!("{} of {} runs", count(part), count(row.runs)) } else { bytes(part as f64) };
    let what = ["", " read", " written"][panel];
    format!("{} processes, {name}: {amount}{what}, {}", size(row.bin), percent(share))
}

fn side_by_side(row: &Row, keys: &[Key], shown: &[usize], top: f64) -> String {
    let mut out = String::new();
    for (line, &at) in shown.iter().enumerate() {
        let part = row.parts[0].get(at).copied().unwrap_or(0);
        let share = part as f64 / row.runs.max(1) as f64;
        let width = if part > 0 { (share * PANEL).max(1.5) } else { 0.0 };
        let (class, name) = &keys[at];
        out += &rect(
            left(0),
            top + THIN * line as f64,
            width,
            THIN - 1.0,
            class,
            &hint(row, 0, name, part, share),
        );
    }
    out
}

fn stacked(row: &Row, keys: &[Key], panel: usize, y: f64) -> String {
    let parts = &row.parts[panel];
    let whole: f64 = parts.iter().map(|&part| part as f64).sum();
    let mut out = String::new();
    let mut x = left(panel);
    for ((class, name), &part) in keys.iter().zip(parts).filter(|(_, part)| **part > 0) {
        let share = part as f64 / whole;
        out += &rect(x, y, share * PANEL, BAR, class, &hint(row, panel, name, part, share));
        x += share * PANEL;
    }
    if parts.iter().all(|&part| part == 0) {
        out += &text(left(panel) + 4.0, y + BAR - 5.0, "axis", "start", "none");
    }
    out
}

fn size(bin: SizeBin) -> String {
    if bin.low == bin.high { count(bin.low) } else { format!("{} – {}", count(bin.low), count(bin.high)) }
}

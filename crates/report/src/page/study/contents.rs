//! Contents of file systems: figures 8 and 9, Table IV.

use marigraph_analysis::study::{
    Bin, Choice, FileAges, FileSizes, FileSystem, GrowthRow, GrowthTable, Study, most_popular,
};

use super::super::html::{self, Cell, TableColumn};
use super::cells::{UNKNOWN, bytes as byte_cell, number, share, tall, word};
use crate::page::draw::frame::Scale;
use crate::page::draw::plot::{self, Key, Plot, WIDTH};
use crate::page::draw::ticks::{self, day};
use crate::study::arrowed;
use crate::table::shorten;
use crate::units::{bytes, count, percent};

const LEFT: f64 = 74.0;
const TOP: f64 = 58.0;
const HEIGHT: f64 = 240.0;
const MIB: f64 = marigraph_model::MIB as f64;
type Amount = fn(&Bin) -> u64;

/// The age that the published study marks.
const DAYS: f64 = 64.0;

fn cumulative(bins: &[Bin], of: Amount) -> Vec<(f64, f64)> {
    let all: f64 = bins.iter().map(|bin| of(bin) as f64).sum();
    let mut sum = 0.0;
    let ends = bins.iter().map(|bin| {
        sum += of(bin) as f64;
        (end(bin), if all > 0.0 { sum / all } else { 0.0 })
    });
    let start = (!bins.is_empty()).then(|| (first(bins), 0.0));
    start.into_iter().chain(ends).collect()
}

/// The end of a bin; twice its start if it is open.
fn end(bin: &Bin) -> f64 {
    if bin.high == u64::MAX { 2.0 * bin.low.max(1) as f64 } else { bin.high.max(1) as f64 }
}

/// The start of the first bin on a logarithmic scale.
fn first(bins: &[Bin]) -> f64 {
    bins.first().map_or(1.0, |bin| if bin.low > 0 { bin.low as f64 } else { end(bin) / 2.0 })
}

fn last(bins: &[Bin]) -> f64 {
    bins.iter().map(end).fold(2.0, f64::max)
}

/// One picture or table per file system, each named if there are several.
fn each(study: &Study, drawn: fn(&FileSystem) -> Option<String>) -> String {
    let several = study.file_systems.len() > 1;
    let one = |system: &FileSystem| {
        let name = if several { html::note(&system.roots) } else { String::new() };
        drawn(system).map(|drawn| name + &drawn)
    };
    study.file_systems.iter().filter_map(one).collect()
}

pub fn sizes(study: &Study, _: &Choice) -> String {
    each(study, |one| Some(sizes_of(&one.sizes)))
}

fn sizes_of(sizes: &FileSizes) -> String {
    let (top, bottom) = (TOP - 28.0, TOP - 28.0 + HEIGHT);
    let plot = Plot {
        across: Scale::logarithmic([first(&sizes.bins), last(&sizes.bins)], [LEFT, WIDTH - 20.0]),
        up: Scale::linear([0.0, 1.0], [bottom, top]),
    };
    let mut keys: Vec<Key> = vec![("c0".into(), "files".into())];
    let side = "cumulative share of files, or of bytes";
    let mut out = plot.side(&ticks::shares(), side);
    out += &plot.foot(&ticks::powers_of_two(plot.across.values()), "size of a file (powers of two)");
    out += &plot.curve("c0", &cumulative(&sizes.bins, |bin| bin.count), "share of files");
    if let Some(without) = &sizes.without {
        let name = format!("files except those of {}", shorten(&without.project, 40));
        out += &plot.curve("c1 dashed", &cumulative(&without.bins, |bin| bin.count), &name);
        keys.push(("c1".into(), name));
    }
    out += &plot.curve("c3 dotted", &cumulative(&sizes.bins, |bin| bin.bytes), "share of bytes");
    keys.push(("c3".into(), "bytes of all files".into()));
    out += &plot.upright(
        "marked",
        MIB,
        &format!("below 1 MiB: {} of files", percent(sizes.below[0].files)),
        side,
    );
    plot::figure("Sizes of files", bottom + 46.0, &out, &keys, &sizes_told(sizes))
}

fn sizes_told(sizes: &FileSizes) -> String {
    let popular = |bins: &[Bin]| {
        let bin = most_popular(bins);
        bin.map_or(UNKNOWN.to_string(), |bin| {
            format!("{} to {}", bytes(bin.low as f64), bytes(bin.high as f64))
        })
    };
    let mut words = format!(
        "{} of {}: {} files, {}, the largest {}. Below 1 MiB: {} of files; below 2 MiB: {}; below 128 MiB: {} (bins that end there). The most common size is {}.",
        sizes.roots,
        day(sizes.taken_s),
        count(sizes.files),
        bytes(sizes.bytes as f64),
        bytes(sizes.largest as f64),
        percent(sizes.below[0].files),
        percent(sizes.below[1].files),
        percent(sizes.below[2].files),
        popular(&sizes.bins)
    );
    if let Some(without) = &sizes.without {
        words += &format!(
            " Without {}: {} of files below 1 MiB, most common size {}.",
            without.project,
            percent(without.below_1mib.files),
            popular(&without.bins)
        );
    }
    words
}

pub fn ages(study: &Study, _: &Choice) -> String {
    each(study, |one| Some(ages_of(&one.ages)))
}

fn ages_of(ages: &FileAges) -> String {
    let bottom = TOP + HEIGHT;
    let half = WIDTH / 2.0;
    let longest = last(&ages.access).max(last(&ages.modification));
    let shortest = first(&ages.access).min(first(&ages.modification));
    let mut out = String::new();
    let panels: [(&str, f64, Amount); 2] =
        [("By files", 0.0, |bin| bin.count), ("By bytes", half, |bin| bin.bytes)];
    for (name, x, of) in panels {
        let plot = Plot {
            across: Scale::logarithmic([shortest, longest], [x + LEFT, x + half - 20.0]),
            up: Scale::linear([0.0, 1.0], [bottom, TOP]),
        };
        out += &plot::title(x, name);
        let side = "cumulative share";
        out += &plot.side(&ticks::shares(), side);
        out += &plot.foot(&day_ticks([shortest, longest]), "days (powers of two)");
        out += &plot.curve("c0", &cumulative(&ages.access, of), "days since the last access");
        out += &plot.curve("c1 dashed", &cumulative(&ages.modification, of), "days since the last change");
        out += &plot.upright("marked", DAYS, "64 days", side);
    }
    let keys: Vec<Key> = vec![
        ("c0".into(), "since the last access".into()),
        ("c1".into(), "since the last modification".into()),
    ];
    plot::figure("Ages of files by files and by bytes", bottom + 46.0, &out, &keys, &ages_told(ages))
}

fn day_ticks([shortest, longest]: [f64; 2]) -> Vec<plot::Tick> {
    let powers = (0..=longest.log2().ceil() as i32).map(|power| 2f64.powi(power));
    powers
        .filter(|&days| days >= shortest && days <= longest)
        .map(|days| (days, count(days as u64)))
        .collect()
}

fn ages_told(ages: &FileAges) -> String {
    let within = |within: marigraph_analysis::study::Within| {
        format!("{} of files and {} of bytes", percent(within.files), percent(within.bytes))
    };
    format!(
        "On {}. Accessed within 32 days: {}; within 64 days: {}. Modified within 64 days: {}. Access times come from the file system: with relatime or noatime they are older than the true ones.",
        day(ages.taken_s),
        within(ages.accessed_32),
        within(ages.accessed_64),
        within(ages.modified_64)
    )
}

pub fn growth(study: &Study, _: &Choice) -> String {
    let alone: Vec<&str> =
        study.file_systems.iter().filter(|one| one.growth.is_none()).map(|one| one.roots.as_str()).collect();
    let told = format!("Only one snapshot, so no growth: {}.", alone.join("; "));
    let rest = if alone.is_empty() { String::new() } else { html::note(&told) };
    each(study, |one| one.growth.as_ref().map(growth_of)) + &rest
}

fn growth_of(growth: &GrowthTable) -> String {
    let columns = [
        TableColumn::Words("project"),
        TableColumn::Number("bytes before"),
        TableColumn::Number("after"),
        TableColumn::Number("change"),
        TableColumn::Number("share of new bytes"),
        TableColumn::Number("files before"),
        TableColumn::Number("after"),
        TableColumn::Number("change"),
        TableColumn::Number("share of new files"),
    ];
    let projects = growth.rows.iter().filter(|row| row.project.is_some());
    let rows: Vec<Vec<Cell>> = projects.map(line).collect();
    let note = format!(
        "From {} to {}. Share of new: the project's growth divided by total growth; it is negative for projects that shrank. Sorted by growth.",
        day(growth.taken_s.0),
        day(growth.taken_s.1)
    );
    totals(growth) + &tall(&html::sortable(&columns, &rows, "plain sortable")) + &html::note(&note)
}

fn changed((before, after): (u64, u64)) -> Cell {
    if before == 0 {
        return (if after > 0 { "new" } else { UNKNOWN }.to_string(), Some(after as f64));
    }
    let change = after as f64 / before as f64 - 1.0;
    (arrowed(change), Some(change))
}

fn line(row: &GrowthRow) -> Vec<Cell> {
    vec![
        word(row.project.as_deref().unwrap_or_default()),
        byte_cell(Some(row.bytes.0 as f64)),
        byte_cell(Some(row.bytes.1 as f64)),
        changed(row.bytes),
        share(Some(row.of_new.bytes)),
        number(row.files.0 as f64),
        number(row.files.1 as f64),
        changed(row.files),
        share(Some(row.of_new.files)),
    ]
}

fn totals(growth: &GrowthTable) -> String {
    let mut facts = Vec::new();
    if let Some(all) = growth.rows.first() {
        let told = |pair: (u64, u64), words: &dyn Fn(u64) -> String| {
            format!("{} → {}, {}", words(pair.0), words(pair.1), changed(pair).0.replace(' ', "\u{a0}"))
        };
        facts.push(("bytes, total", told(all.bytes, &|amount| bytes(amount as f64))));
        facts.push(("files, total", told(all.files, &count)));
    }
    facts.push(("time between", crate::units::seconds(growth.taken_s.1 - growth.taken_s.0)));
    let reached = |words: String, at: f64| format!("{words} on {}", day(at));
    let files = growth.files_limit.map(|(at, limit)| reached(count(limit as u64), at));
    let room = growth.bytes_limit.map(|(at, limit)| reached(bytes(limit), at));
    let never = || "unknown limit".to_string();
    facts.push(("files reach, extrapolated linearly", files.unwrap_or_else(never)));
    facts.push(("bytes reach, extrapolated linearly", room.unwrap_or_else(never)));
    html::facts(&facts)
}

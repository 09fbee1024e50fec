//! Contents and growth of a file system: the results behind `scan` and `scan-diff`.

use std::collections::BTreeMap;

use marigraph_analysis::growth::{Change, Full, Growth, Part};
use marigraph_model::contents::{By, HISTOGRAMS, Histogram, Share, Snapshot, Top, name_text};
use serde_json::{Map, Value, json};

use crate::table::{Align, Table};
use crate::units;

const ROWS: usize = 10;

/// Looks up the name of a user or group id.
pub type Names<'a> = &'a dyn Fn(u32) -> Option<String>;

pub fn json(snapshot: &Snapshot, users: Names<'_>, groups: Names<'_>) -> Value {
    let contents = &snapshot.contents;
    let [files, directories, links, others] = contents.kinds;
    let histograms: Map<String, Value> = HISTOGRAMS
        .iter()
        .zip(&contents.histograms)
        .map(|(name, one)| (name.to_string(), bins(one)))
        .collect();
    let statistics: Map<String, Value> = HISTOGRAMS
        .iter()
        .zip(&contents.histograms)
        .map(|(name, one)| {
            let least = (one.count() > 0).then_some(one.least);
            (
                name.to_string(),
                json!({ "count": one.count(), "min": least, "max": one.most, "mean": one.mean() }),
            )
        })
        .collect();
    let projects = contents.projects.iter().map(|(name, project)| {
        let mut told = share(&project.share);
        told["name"] = json!(name_text(name));
        told["sizes"] = bins(&project.sizes);
        told
    });
    json!({
        "roots": snapshot.roots.iter().map(|root| name_text(root)).collect::<Vec<_>>(),
        "host": snapshot.host,
        "begun": snapshot.begun,
        "ended": snapshot.ended,
        "totals": {
            "files": files, "directories": directories, "links": links, "others": others,
            "bytes": contents.bytes, "capacity_bytes": contents.capacity, "of_the_future": contents.future,
        },
        "file_system": {
            "bytes": snapshot.room.bytes, "free_bytes": snapshot.room.free_bytes,
            "files": snapshot.room.files, "free_files": snapshot.room.free_files,
        },
        "histograms": histograms,
        "statistics": statistics,
        "owners": people(&contents.owners, users),
        "groups": people(&contents.groups, groups),
        "projects": projects.collect::<Vec<_>>(),
        "largest_files": top(&contents.largest, "bytes"),
        "fullest_directories": top(&contents.fullest, "entries"),
        "heaviest_directories": top(&contents.heaviest, "bytes"),
        "skipped": contents.skipped,
        "errors": snapshot.trouble.iter().map(|(path, why)| json!({ "path": name_text(path), "message": why })).collect::<Vec<_>>(),
        "problems": problems(snapshot),
    })
}

/// What could not be scanned, as problems.
pub fn problems(snapshot: &Snapshot) -> Vec<Value> {
    let told = |(path, why): &(Vec<u8>, String)| json!({ "kind": "not_recorded", "message": why, "where": name_text(path) });
    snapshot.trouble.iter().map(told).collect()
}

fn bins(histogram: &Histogram) -> Value {
    histogram
        .bins()
        .map(|bin| json!({ "low": bin.low, "high": bin.high, "count": bin.count, "bytes": bin.bytes }))
        .collect()
}

fn share(share: &Share) -> Value {
    json!({ "files": share.files, "directories": share.directories, "bytes": share.bytes, "capacity_bytes": share.capacity })
}

fn people(shares: &BTreeMap<u32, Share>, names: Names<'_>) -> Vec<Value> {
    let told = |(&id, one): (&u32, &Share)| {
        let mut told = share(one);
        told["id"] = json!(id);
        told["name"] = json!(names(id));
        told
    };
    shares.iter().map(told).collect()
}

fn top(top: &Top, unit: &str) -> Vec<Value> {
    top.ordered().into_iter().map(|(value, name)| json!({ "path": name_text(&name), unit: value })).collect()
}

pub fn text(snapshot: &Snapshot, users: Names<'_>, width: usize) -> String {
    let contents = &snapshot.contents;
    let [files, directories, links, others] = contents.kinds;
    let took = snapshot.ended - snapshot.begun;
    let roots: Vec<String> = snapshot.roots.iter().map(|root| name_text(root)).collect();
    let mut out = format!(
        "scanned      {}, {} in {}\nfiles        {}\ndirectories  {}\nlinks        {}, others {}\nbytes        {}, {} on disk\n",
        roots.join(", "),
        units::moment(snapshot.begun as i64),
        units::seconds(took.max(0.0)),
        units::count(files),
        units::count(directories),
        units::count(links),
        units::count(others),
        units::bytes(contents.bytes as f64),
        units::bytes(contents.capacity as f64),
    );
    for (reason, count) in &contents.skipped {
        out += &format!("skipped      {} ({reason})\n", units::count(*count));
    }
    if files == 0 {
        return out;
    }
    let (old, old_bytes) = contents.by(By::AccessAge).below(32);
    out += &format!(
        "not read     {} of files for 32 days and more, {} of bytes\n\n",
        units::percent(1.0 - old),
        units::percent(1.0 - old_bytes)
    );
    out += &sizes(contents.by(By::Size), width);
    let name = |id: u32| users(id).unwrap_or_else(|| id.to_string());
    let owners = contents.owners.iter().map(|(&id, share)| (name(id), *share)).collect();
    out += &format!("\n{}", shares("owner", owners, width));
    let projects = contents.projects.iter().map(|(name, project)| {
        let name = if name.is_empty() { "(top)".to_string() } else { name_text(name) };
        (name, project.share)
    });
    out += &format!("\n{}", shares("project", projects.collect(), width));
    let mut table = Table::new(&[("largest files", Align::Right), ("", Align::Left)]);
    for (size, path) in contents.largest.ordered().into_iter().take(ROWS) {
        table.row([units::bytes(size as f64), name_text(&path)]);
    }
    out + &format!("\n{}", table.render(width))
}

fn sizes(histogram: &Histogram, width: usize) -> String {
    let columns = [
        ("size below", Align::Right),
        ("files", Align::Right),
        ("of files", Align::Right),
        ("bytes", Align::Right),
        ("of bytes", Align::Right),
    ];
    let mut table = Table::new(&columns);
    for bin in histogram.bins() {
        let (files, bytes) = histogram.below(bin.high);
        table.row([
            units::bytes(bin.high as f64),
            units::count(bin.count),
            units::percent(files),
            units::bytes(bin.bytes as f64),
            units::percent(bytes),
        ]);
    }
    table.render(width)
}

fn shares(heading: &str, mut shares: Vec<(String, Share)>, width: usize) -> String {
    shares.sort_by(|one, two| two.1.bytes.cmp(&one.1.bytes).then_with(|| one.0.cmp(&two.0)));
    let columns = [
        (heading, Align::Left),
        ("files", Align::Right),
        ("directories", Align::Right),
        ("bytes", Align::Right),
    ];
    let mut table = Table::new(&columns);
    let more = shares.len().saturating_sub(ROWS);
    for (name, share) in shares.into_iter().take(ROWS) {
        let directories = units::count(share.directories);
        table.row([name, units::count(share.files), directories, units::bytes(share.bytes as f64)]);
    }
    if more > 0 {
        table.row([format!("... {more} more (--json)")]);
    }
    table.render(width)
}

/// `problems` are those of the two snapshots.
pub fn growth_json(growth: &Growth, users: Names<'_>, groups: Names<'_>, problems: &[Value]) -> Value {
    let named = |parts: &[(u32, Part)], names: Names<'_>| {
        let told = |(id, one): &(u32, Part)| {
            let mut told = part(one);
            told["id"] = json!(id);
            told["name"] = json!(names(*id));
            told
        };
        parts.iter().map(told).collect::<Vec<_>>()
    };
    let projects = growth.projects.iter().map(|(name, one)| {
        let mut told = part(one);
        told["name"] = json!(name_text(name));
        told
    });
    let sizes = growth.sizes.iter().map(|(low, one)| json!({ "low": low, "files": change(one) }));
    json!({
        "seconds": growth.seconds,
        "totals": part(&growth.whole),
        "directories": change(&growth.directories),
        "projects": projects.collect::<Vec<_>>(),
        "owners": named(&growth.owners, users),
        "groups": named(&growth.groups, groups),
        "sizes": sizes.collect::<Vec<_>>(),
        "bytes_full_in_s": growth.bytes_full.map(in_seconds),
        "files_full_in_s": growth.files_full.map(in_seconds),
        "problems": problems,
    })
}

fn change(change: &Change) -> Value {
    json!({ "before": change.before, "after": change.after, "grown": change.grown(), "ratio": change.ratio() })
}

fn part(part: &Part) -> Value {
    json!({
        "files": change(&part.files),
        "bytes": change(&part.bytes),
        "share_of_new_files": part.share_of_new_files,
        "share_of_new_bytes": part.share_of_new_bytes,
    })
}

/// Seconds until a limit is reached; `None` if never.
fn in_seconds(full: Full) -> Option<f64> {
    match full {
        Full::In(seconds) => Some(seconds),
        Full::Now => Some(0.0),
        Full::Never => None,
    }
}

pub fn growth_text(growth: &Growth, users: Names<'_>, width: usize) -> String {
    let when = |full: &Option<Full>| match full {
        Some(Full::In(seconds)) => format!("in {} at this rate", units::seconds(*seconds)),
        Some(Full::Now) => "already".to_string(),
        Some(Full::Never) => "not filling up at this rate".to_string(),
        None => "unknown limit".to_string(),
    };
    let mut out = format!("between      {}\n", units::seconds(growth.seconds));
    out +=
        &format!("full         bytes: {}; files: {}\n\n", when(&growth.bytes_full), when(&growth.files_full));
    let columns = [
        ("", Align::Left),
        ("files", Align::Right),
        ("then", Align::Right),
        ("grown", Align::Right),
        ("of new files", Align::Right),
        ("bytes", Align::Right),
        ("then", Align::Right),
        ("grown", Align::Right),
        ("of new bytes", Align::Right),
    ];
    let mut table = Table::new(&columns);
    row(&mut table, "all".to_string(), &growth.whole);
    let project = |name: &[u8]| if name.is_empty() { "(top)".to_string() } else { name_text(name) };
    growth.projects.iter().take(ROWS).for_each(|(name, part)| row(&mut table, project(name), part));
    let name = |id: u32| users(id).unwrap_or_else(|| id.to_string());
    growth
        .owners
        .iter()
        .take(ROWS)
        .for_each(|(id, part)| row(&mut table, format!("user {}", name(*id)), part));
    out + &table.render(width)
}

fn row(table: &mut Table, name: String, part: &Part) {
    let percent = |share: Option<f64>| share.map(units::percent).unwrap_or_default();
    let count = |value: f64| units::count(value.max(0.0) as u64);
    table.row([
        name,
        count(part.files.before),
        count(part.files.after),
        percent(part.files.ratio()),
        percent(part.share_of_new_files),
        units::bytes(part.bytes.before),
        units::bytes(part.bytes.after),
        percent(part.bytes.ratio()),
        percent(part.share_of_new_bytes),
    ]);
}

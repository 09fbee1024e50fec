//! Reads snapshots and rejects those that contradict themselves.

use std::collections::BTreeMap;

use marigraph_model::contents::{
    Contents, HISTOGRAMS, Histogram, Project, Room, Share, Snapshot, Top, name_bytes,
};
use serde_json::Value;

use super::{FORMAT, Kept, VERSION};
use crate::error::Error;

const NAMED: usize = 10_000;

pub fn sniff(content: &[u8]) -> bool {
    let head = content.get(..4096.min(content.len())).unwrap_or(&[]);
    head.starts_with(b"{") && head.windows(FORMAT.len()).any(|part| part == FORMAT.as_bytes())
}

fn first_line(content: &[u8]) -> Option<Value> {
    let line = content.split(|&byte| byte == b'\n').next()?;
    serde_json::from_slice(line).ok()
}

pub fn read(content: &[u8]) -> Result<Kept, Error> {
    let damaged =
        |what: &str| Error::Lacking { detail: format!("damaged snapshot: {what}"), hint: "scan again" };
    let line = first_line(content).ok_or_else(|| damaged("its first line is truncated"))?;
    match line["version"].as_u64() {
        Some(VERSION) => {}
        Some(other) => return Err(Error::Version { format: "snapshot", found: other.to_string() }),
        None => return Err(damaged("no version")),
    }
    let snapshot = snapshot(&line).ok_or_else(|| damaged("numbers are missing or inconsistent"))?;
    let left = match line["complete"].as_bool() {
        Some(true) => None,
        _ => {
            let done = line["trees_done"].as_u64().and_then(|done| usize::try_from(done).ok()).unwrap_or(0);
            let lines = content.split(|&byte| byte == b'\n').skip(1);
            let mut paths: Vec<Vec<u8>> =
                lines.map(|line| name_bytes(&String::from_utf8_lossy(line))).collect();
            // The last line ends, too; an empty line before it is the tree itself.
            paths.pop();
            Some((done, paths))
        }
    };
    Ok(Kept { snapshot, left })
}

fn snapshot(line: &Value) -> Option<Snapshot> {
    let [bytes, free_bytes, files, free_files] = numbers(&line["room"])?;
    let roots = line["roots"].as_array()?.iter().map(|root| root.as_str().map(name_bytes));
    let trouble = line["trouble"].as_array()?.iter().take(NAMED);
    Some(Snapshot {
        roots: roots.collect::<Option<_>>()?,
        host: line["host"].as_str()?.to_string(),
        begun: line["begun"].as_f64()?,
        ended: line["ended"].as_f64()?,
        room: Room { bytes, free_bytes, files, free_files },
        contents: contents(line)?,
        trouble: trouble
            .map(|pair| Some((name_bytes(pair[0].as_str()?), pair[1].as_str()?.to_string())))
            .collect::<Option<_>>()?,
    })
}

fn contents(line: &Value) -> Option<Contents> {
    let mut contents = Contents::new(line["now"].as_i64()?, 0);
    contents.kinds = numbers(&line["kinds"])?;
    contents.bytes = line["bytes"].as_u64()?;
    contents.capacity = line["capacity"].as_u64()?;
    contents.future = line["future"].as_u64()?;
    // Ignore histograms of later versions; missing ones are empty.
    for (name, to) in HISTOGRAMS.iter().zip(&mut contents.histograms) {
        if let Some(from) = line["histograms"].get(name) {
            *to = histogram(from)?;
        }
    }
    contents.owners = shares(&line["owners"])?;
    contents.groups = shares(&line["groups"])?;
    for project in line["projects"].as_array()? {
        let [files, directories, bytes, capacity] = numbers(&project["share"])?;
        let share = Share { files, directories, bytes, capacity };
        let more = Project { share, sizes: histogram(&project["sizes"])? };
        contents.add_to_project(&name_bytes(project["name"].as_str()?), &more);
    }
    contents.largest = top(&line["largest"])?;
    contents.fullest = top(&line["fullest"])?;
    contents.heaviest = top(&line["heaviest"])?;
    for (reason, count) in line["skipped"].as_object()? {
        contents.skipped.insert(reason.clone(), count.as_u64()?);
    }
    let files = contents.kinds[0];
    let told = [&contents.histograms[0], &contents.histograms[1]];
    told.iter().all(|histogram| histogram.count() == files).then_some(contents)
}

fn numbers<const N: usize>(value: &Value) -> Option<[u64; N]> {
    let numbers: Option<Vec<u64>> = value.as_array()?.iter().map(Value::as_u64).collect();
    numbers?.try_into().ok()
}

fn shares(value: &Value) -> Option<BTreeMap<u32, Share>> {
    let share = |value: &Value| {
        let [id, files, directories, bytes, capacity] = numbers(value)?;
        Some((u32::try_from(id).ok()?, Share { files, directories, bytes, capacity }))
    };
    value.as_array()?.iter().map(share).collect()
}

fn histogram(value: &Value) -> Option<Histogram> {
    let mut histogram = Histogram::default();
    histogram.least = value["least"].as_u64()?;
    histogram.most = value["most"].as_u64()?;
    histogram.sum = value["sum"].as_str()?.parse().ok()?;
    for bin in value["bins"].as_array()? {
        let [low, count, bytes] = numbers(bin)?;
        histogram.restore(low, count, bytes).then_some(())?;
    }
    Some(histogram)
}

fn top(value: &Value) -> Option<Top> {
    let things = value.as_array()?;
    let mut top = Top::new(things.len().min(NAMED));
    for thing in things.iter().take(NAMED) {
        top.add(thing[0].as_u64()?, name_bytes(thing[1].as_str()?));
    }
    Some(top)
}

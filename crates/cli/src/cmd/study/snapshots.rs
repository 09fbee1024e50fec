//! Snapshots of file systems, put together from their numbers.

use std::collections::BTreeMap;

use marigraph_analysis::study::{Bin, ContentsFacts};
use marigraph_model::contents::{By, HISTOGRAMS};
use marigraph_store::tables::SNAPSHOTS;
use marigraph_store::{Error, Snapshot};

use super::load::{count, number, word};

/// All snapshots.
pub fn load(study: &Snapshot) -> Result<Vec<ContentsFacts>, Error> {
    let mut all: BTreeMap<String, ContentsFacts> = BTreeMap::new();
    let columns = ["row_key", "roots", "taken_s", "part", "name", "low", "high", "count", "bytes"];
    study.read(&SNAPSHOTS, &columns, &mut |cells| {
        let &[key, roots, taken, part, name, low, high, files, bytes] = cells else { return };
        if !all.contains_key(word(key)) {
            let (roots, taken_s) = (word(roots).to_string(), number(taken).unwrap_or(0.0));
            all.insert(word(key).to_string(), ContentsFacts { roots, taken_s, ..ContentsFacts::default() });
        }
        let Some(facts) = all.get_mut(word(key)) else { return };
        let (files, bytes) = (count(files).unwrap_or(0), count(bytes).unwrap_or(0));
        let bin =
            Bin { low: count(low).unwrap_or(0), high: count(high).unwrap_or(u64::MAX), count: files, bytes };
        add(facts, word(part), word(name), bin);
    })?;
    for facts in all.values_mut() {
        let histograms = [&mut facts.sizes, &mut facts.access_days, &mut facts.modification_days];
        histograms
            .into_iter()
            .chain(facts.project_sizes.values_mut())
            .for_each(|bins| bins.sort_by_key(|bin| bin.low));
    }
    Ok(all.into_values().collect())
}

fn add(facts: &mut ContentsFacts, part: &str, name: &str, bin: Bin) {
    let is = |by: By| part == HISTOGRAMS[by as usize];
    match part {
        "total" => (facts.files, facts.bytes) = (bin.count, bin.bytes),
        "room" if name == "all" => facts.room = Some((bin.count, bin.bytes)),
        "range" if name == HISTOGRAMS[By::Size as usize] => facts.largest = bin.high,
        "project" => {
            facts.projects.insert(name.to_string(), (bin.count, bin.bytes));
        }
        "project_size" => facts.project_sizes.entry(name.to_string()).or_default().push(bin),
        _ if is(By::Size) => facts.sizes.push(bin),
        _ if is(By::AccessAge) => facts.access_days.push(bin),
        _ if is(By::ModificationAge) => facts.modification_days.push(bin),
        _ => {}
    }
}

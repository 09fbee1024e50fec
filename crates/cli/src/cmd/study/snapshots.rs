//! Snapshots of file systems, assembled from their rows.

use std::collections::BTreeMap;

use marigraph_analysis::study::{Bin, ContentsFacts};
use marigraph_model::contents::{By, HISTOGRAMS};
use marigraph_store::tables::SnapshotRow;
use marigraph_store::{Error, Snapshot};

pub fn load(study: &Snapshot) -> Result<Vec<ContentsFacts>, Error> {
    let mut all: BTreeMap<String, ContentsFacts> = BTreeMap::new();
    study.read::<SnapshotRow>(|row| {
        if !all.contains_key(row.row_key) {
            let (roots, taken_s) = (row.roots.to_string(), row.taken_s.unwrap_or(0.0));
            all.insert(row.row_key.to_string(), ContentsFacts { roots, taken_s, ..ContentsFacts::default() });
        }
        let Some(facts) = all.get_mut(row.row_key) else { return };
        let bin = Bin {
            low: row.low.unwrap_or(0),
            high: row.high.unwrap_or(u64::MAX),
            count: row.count,
            bytes: row.bytes.unwrap_or(0),
        };
        add(facts, row.part, row.name.unwrap_or_default(), bin);
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

//! One log as a row of `traces.parquet`.

use std::path::Path;

use marigraph_analysis::category::{Direction, Label, Metadata, Periodic};
use marigraph_report::category::activities_json;
use marigraph_store::Cell;
use marigraph_store::tables::TRACES;

use crate::cmd::categorize::one::Examined;

/// The status of a log that has labels.
pub const VALID: &str = "valid";

/// Makes the row of a log.
pub fn with(path: &Path, examined: &Examined, take: impl FnOnce(&[Cell<'_>])) {
    let input = path.display().to_string();
    let (status, problem) = match &examined.found {
        Ok(_) => (VALID, None),
        Err(skip) => (skip.reason, Some(skip.message.as_str())),
    };
    let mut cells: Vec<Cell<'_>> = vec![input.as_str().into(), status.into(), problem.into()];
    let job = examined.job.as_ref();
    cells.extend_from_slice(&[
        job.map(|job| job.id).into(),
        job.map(|job| job.uid).into(),
        job.and_then(|job| job.exe.split_whitespace().next()).into(),
        job.map(|job| job.nprocs).into(),
        job.map(|job| job.start.since_1970()).into(),
        job.map(|job| job.runtime_s()).into(),
    ]);
    let Ok(categories) = &examined.found else {
        cells.resize(TRACES.columns.len(), Cell::Null);
        take(&cells);
        return;
    };
    let labels: Vec<&str> = categories.labels.iter().map(|labelled| labelled.label.name()).collect();
    let labels = labels.join(",");
    let activities =
        [&categories.read, &categories.write].map(|direction| activities_json(&direction.periodic));
    // Which run stands for its application is known when all are read.
    cells.extend_from_slice(&[
        i64::from(categories.incomplete).into(),
        Cell::Null,
        Cell::Null,
        labels.as_str().into(),
    ]);
    for (direction, activities) in [&categories.read, &categories.write].into_iter().zip(&activities) {
        push_direction(&mut cells, direction);
        cells.push(activities.as_deref().into());
    }
    push_metadata(&mut cells, &categories.metadata);
    for label in Label::ALL {
        let labelled = categories.labels.iter().find(|labelled| labelled.label == label);
        cells.push(labelled.map(|labelled| labelled.confidence).into());
    }
    take(&cells);
}

fn push_direction(cells: &mut Vec<Cell<'_>>, direction: &Direction) {
    cells.extend_from_slice(&[direction.evidence.name().into(), direction.bytes.into()]);
    cells.extend(direction.chunks.map(Cell::from));
    cells.extend_from_slice(&[direction.variation.into(), direction.mean_time.into()]);
    cells.extend(direction.quartiles.map_or([Cell::Null; 3], |quartiles| quartiles.map(Cell::from)));
    let main = direction.periodic.first();
    let value = |value: fn(&Periodic) -> f64| Cell::from(main.map(value));
    cells.extend_from_slice(&[
        main.map(|_| direction.found_in.name()).into(),
        value(|main| main.period_s),
        main.map(|main| main.count).into(),
        value(|main| main.bytes),
        value(|main| main.busy),
    ]);
}

fn push_metadata(cells: &mut Vec<Cell<'_>>, metadata: &Metadata) {
    cells.extend_from_slice(&[
        metadata.requests.into(),
        metadata.peak_per_s.into(),
        metadata.mean_per_s.into(),
        metadata.spikes.into(),
        metadata.plateaus.into(),
        i64::from(metadata.known).into(),
    ]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_label_has_its_column() {
        let columns = TRACES.columns.iter().rev().take(Label::ALL.len()).rev();
        for (label, column) in Label::ALL.into_iter().zip(columns) {
            assert_eq!((label.name(), label.meaning()), (column.name, column.about));
        }
    }
}

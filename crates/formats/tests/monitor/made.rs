//! Synthetic samples, their records, and the results of readers.

use std::collections::BTreeMap;

use marigraph_formats::server::monitor::{Header, Meaning, Walked, Writer, walk};
use marigraph_formats::server::{Zone, read_throughput};
use marigraph_model::{Observed, ProblemKind, Reading, Sample, Target, TargetKind};

pub const START: i64 = 1_700_000_000_000_000;
pub const SECOND: i64 = 1_000_000;

pub fn header() -> Header {
    Header { interval_us: 2_000_000, host: "oss1".to_string(), boot: "b".to_string() }
}

pub fn disk(id: u64, name: &str, read: u64, written: u64) -> Observed {
    let target = Target { kind: TargetKind::Disk, name: name.to_string() };
    Observed { id, target, values: vec![read / 8, read, read / 9, written / 8, written, 1, 0, read, written] }
}

pub fn sample(number: i64, observed: Vec<Observed>) -> Sample {
    Sample { wall_us: START + number * 2 * SECOND, steady_us: 77 + number as u64 * 2_000_000, observed }
}

pub fn plain(count: i64) -> Vec<Sample> {
    let look =
        |n: i64| sample(n, vec![disk(0, "sda", 1000 + 8 * n as u64, 16 * n as u64), disk(1, "sdb", 5, 5)]);
    (0..count).map(look).collect()
}

pub fn records(samples: &[Sample]) -> Vec<Vec<u8>> {
    let mut writer = Writer::new(header(), START);
    let record = |sample: &Sample| {
        let bytes = writer.encode(sample, None, false).to_vec();
        writer.commit(sample, false);
        bytes
    };
    samples.iter().map(record).collect()
}

/// Time of each look, and the totals of each target by name.
pub type Followed = Vec<(i64, BTreeMap<String, Vec<u64>>)>;

pub fn followed(content: &[u8]) -> (Followed, Walked) {
    let mut looks = Vec::new();
    let mut raw = Vec::new();
    let walked = walk(content, &mut |look| raw.push((look.wall_us, look.counts.to_vec())));
    let mut totals: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for (wall, counts) in raw {
        let mut seen = BTreeMap::new();
        for counted in counts {
            let target = &walked.targets[counted.source as usize];
            let columns = target.kind.columns();
            let total = totals.entry(counted.source).or_insert_with(|| vec![0; columns.len()]);
            for ((total, column), &value) in total.iter_mut().zip(columns).zip(&counted.values) {
                let keep = counted.meaning == Meaning::Growth && !column.gauge;
                *total = if keep { *total + value } else { value };
            }
            seen.insert(target.name.clone(), total.clone());
        }
        looks.push((wall, seen));
    }
    (looks, walked)
}

pub fn expected(samples: &[Sample]) -> Followed {
    let rows = |sample: &Sample| {
        sample.observed.iter().map(|row| (row.target.name.clone(), row.values.clone())).collect()
    };
    samples.iter().map(|sample| (sample.wall_us, rows(sample))).collect()
}

pub fn readings(content: &[u8]) -> (Vec<Reading>, Vec<String>, Vec<ProblemKind>) {
    let mut found = Vec::new();
    let facts = read_throughput(content, &Zone::utc(), &mut |reading| found.push(reading)).expect("reads");
    assert_eq!(facts.format, "monitor");
    (found, facts.sources, facts.problems.into_iter().map(|problem| problem.kind).collect())
}

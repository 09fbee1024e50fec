//! The monitor's file: what is written comes back, whatever happens to the bytes.

#![allow(clippy::expect_used, clippy::print_stderr)]

use std::collections::BTreeMap;

use marigraph_formats::server::monitor::{Header, Meaning, Walked, Writer, day, sniff, tail, walk};
use marigraph_formats::server::{Zone, read_throughput};
use marigraph_model::{Gap, GapCause, Observed, ProblemKind, Reading, Sample, Target, TargetKind};
use proptest::prelude::*;

const START: i64 = 1_700_000_000_000_000;
const SECOND: i64 = 1_000_000;

fn header() -> Header {
    Header { interval_us: 2_000_000, host: "oss1".to_string(), boot: "b".to_string() }
}

fn disk(id: u64, name: &str, read: u64, written: u64) -> Observed {
    let target = Target { kind: TargetKind::Disk, name: name.to_string() };
    Observed { id, target, values: vec![read / 8, read, read / 9, written / 8, written, 1, 0, read, written] }
}

fn sample(number: i64, observed: Vec<Observed>) -> Sample {
    Sample { wall_us: START + number * 2 * SECOND, steady_us: 77 + number as u64 * 2_000_000, observed }
}

/// Two disks of which the second does nothing, `count` looks.
fn plain(count: i64) -> Vec<Sample> {
    let look =
        |n: i64| sample(n, vec![disk(0, "sda", 1000 + 8 * n as u64, 16 * n as u64), disk(1, "sdb", 5, 5)]);
    (0..count).map(look).collect()
}

/// The records of some looks, one by one.
fn records(samples: &[Sample]) -> Vec<Vec<u8>> {
    let mut writer = Writer::new(header(), START);
    let record = |sample: &Sample| {
        let bytes = writer.encode(sample, None, false).to_vec();
        writer.commit(sample, false);
        bytes
    };
    samples.iter().map(record).collect()
}

/// When a look was, and the totals of each target by its name.
type Followed = Vec<(i64, BTreeMap<String, Vec<u64>>)>;

/// Every look of a file as moment and totals by name, followed from where they are known.
fn followed(content: &[u8]) -> (Followed, Walked) {
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

fn expected(samples: &[Sample]) -> Followed {
    let rows = |sample: &Sample| {
        sample.observed.iter().map(|row| (row.target.name.clone(), row.values.clone())).collect()
    };
    samples.iter().map(|sample| (sample.wall_us, rows(sample))).collect()
}

fn readings(content: &[u8]) -> (Vec<Reading>, Vec<String>, Vec<ProblemKind>) {
    let mut found = Vec::new();
    let facts = read_throughput(content, &Zone::utc(), &mut |reading| found.push(reading)).expect("reads");
    assert_eq!(facts.format, "monitor");
    (found, facts.sources, facts.problems.into_iter().map(|problem| problem.kind).collect())
}

#[test]
fn what_is_written_comes_back() {
    let samples = plain(50);
    let content = records(&samples).concat();
    let (looks, walked) = followed(&content);
    assert_eq!(looks, expected(&samples));
    assert_eq!((walked.looks, walked.header, walked.problems.len()), (50, header(), 0));
    let (found, sources, problems) = readings(&content);
    assert_eq!(
        (sources.as_slice(), problems.len()),
        (["oss1:sda".to_string(), "oss1:sdb".to_string()].as_slice(), 0)
    );
    assert_eq!(found.len(), 98);
    let first = Reading { source: 0, start: START as f64 / 1e6, seconds: 2.0, read: 2048.0, write: 4096.0 };
    assert_eq!(found[0], first);
    // One that did nothing was seen doing nothing.
    assert_eq!(found[1], Reading { source: 1, read: 0.0, write: 0.0, ..first });
}

#[test]
fn a_torn_tail_costs_the_record_that_was_in_flight() {
    let samples = plain(6);
    let records = records(&samples);
    let content = records.concat();
    let ends: Vec<usize> = records
        .iter()
        .scan(0, |end, record| {
            *end += record.len();
            Some(*end)
        })
        .collect();
    for cut in 0..=content.len() {
        let whole = ends.iter().filter(|&&end| end <= cut).count();
        let (looks, walked) = followed(&content[..cut]);
        assert_eq!(looks, expected(&samples[..whole]), "cut at {cut}");
        let torn = walked.problems.iter().any(|problem| problem.kind == ProblemKind::Truncated);
        assert_eq!(torn, cut > 0 && !ends.contains(&cut), "cut at {cut}");
        let end = tail(&content[..cut]).map(|tail| (tail.sound, tail.wall_us));
        assert_eq!(end, whole.checked_sub(1).map(|last| (ends[last], samples[last].wall_us)), "cut at {cut}");
    }
}

#[test]
fn a_flipped_bit_costs_the_record_it_hits() {
    let samples = plain(5);
    let records = records(&samples);
    let mut content = records.concat();
    let whole = readings(&content).0;
    let mut begin = 0;
    for (hit, record) in records.iter().enumerate() {
        for place in begin..begin + record.len() {
            content[place] ^= 1 << (place % 8);
            // The interval that ends with the record is lost; the first one begins none, but names are lost with it.
            if hit > 0 {
                let (found, _, problems) = readings(&content);
                let left: Vec<Reading> = whole
                    .iter()
                    .filter(|reading| reading.start != whole[2 * (hit - 1)].start)
                    .copied()
                    .collect();
                assert_eq!(found, left, "byte {place}");
                assert_eq!(problems.len(), 1, "byte {place}");
            } else {
                assert!(walk(&content, &mut |_| {}).looks >= 4);
            }
            content[place] ^= 1 << (place % 8);
        }
        begin += record.len();
    }
}

#[test]
fn names_that_are_told_later_count_for_what_stands_before() {
    // The first record is damaged; after an hour all is told once more.
    let samples = plain(2000);
    let mut content = records(&samples).concat();
    content[20] ^= 1;
    assert!(sniff(&content[..content.len()]));
    let (found, sources, problems) = readings(&content);
    assert_eq!(sources, ["oss1:sda", "oss1:sdb"]);
    assert_eq!(problems, [ProblemKind::Corrupt]);
    let of_sda = found.iter().filter(|reading| reading.source == 0);
    assert_eq!(of_sda.map(|reading| reading.read * 2.0).sum::<f64>(), 1999.0 * 8.0 * 512.0);
}

#[test]
fn files_of_a_rotation_stand_alone() {
    let samples = plain(9);
    let mut writer = Writer::new(header(), START);
    let mut files = [Vec::new(), Vec::new()];
    for (number, sample) in samples.iter().enumerate() {
        let file = &mut files[number / 5];
        let at_start = file.is_empty();
        file.extend_from_slice(writer.encode(sample, None, at_start));
        writer.commit(sample, at_start);
    }
    let (second, walked) = followed(&files[1]);
    // It begins with the last look of the first file, so that no interval is lost.
    assert_eq!((second, walked.looks), (expected(&samples[4..]), 4));
    let both = [readings(&files[0]).0, readings(&files[1]).0].concat();
    assert_eq!(both, readings(&records(&samples).concat()).0);
    // Files put together are a file.
    assert_eq!(followed(&files.concat()).0, expected(&samples));
}

#[test]
fn what_was_not_committed_is_in_the_next_record() {
    let samples = plain(4);
    let mut writer = Writer::new(header(), START);
    let mut content = Vec::new();
    for (number, sample) in samples.iter().enumerate() {
        let gap = Gap { from_us: samples[1].wall_us, to_us: sample.wall_us, cause: GapCause::NotWritten };
        let bytes = writer.encode(sample, (number == 3).then_some(gap), false).to_vec();
        if number != 2 {
            content.extend(bytes);
            writer.commit(sample, false);
        }
    }
    let (looks, walked) = followed(&content);
    assert_eq!(looks[2], expected(&samples)[3]);
    assert_eq!(walked.gaps.len(), 1);
    let (found, _, problems) = readings(&content);
    assert_eq!((found.len(), problems.as_slice()), (2, [ProblemKind::NotRecorded].as_slice()));
}

#[test]
fn wraps_go_on_resets_begin_anew_and_devices_come_and_go() {
    let mut wrapping = disk(0, "sda", 80, 80);
    wrapping.values[8] = u32::MAX.into();
    let mut wrapped = disk(0, "sda", 88, 80);
    wrapped.values[8] = 9;
    let looks = [
        sample(0, vec![wrapping]),
        sample(1, vec![wrapped.clone()]),
        sample(2, vec![disk(0, "sda", 8, 0)]),
        sample(3, vec![disk(0, "sda", 16, 0), disk(1, "sdb", 100, 100)]),
        sample(4, vec![disk(1, "sdb", 108, 100)]),
        sample(5, vec![disk(1, "sdb", 108, 100), disk(2, "sda", 500, 0)]),
        sample(6, vec![disk(1, "sdb", 108, 100), disk(2, "sda", 508, 0)]),
    ];
    let content = records(&looks).concat();
    let found = readings(&content).0;
    let short: Vec<(u32, f64, f64)> = found
        .iter()
        .map(|reading| (reading.source, reading.start - START as f64 / 1e6, reading.read))
        .collect();
    let one = 8.0 * 512.0 / 2.0;
    assert_eq!(
        short,
        [(0, 0.0, one), (0, 4.0, one), (1, 6.0, one), (1, 8.0, 0.0), (0, 10.0, one), (1, 10.0, 0.0)]
    );
    let mut weighted = 0;
    walk(&content, &mut |look| {
        weighted = weighted.max(if look.wall_us == looks[1].wall_us { look.counts[0].values[8] } else { 0 })
    });
    assert_eq!(weighted, 10);
}

#[test]
fn clocks_that_are_set_change_no_interval() {
    let mut samples = plain(3);
    samples[2].wall_us += 3600 * SECOND;
    let gap = Gap { from_us: samples[1].wall_us, to_us: samples[2].wall_us, cause: GapCause::ClockStep };
    let mut writer = Writer::new(header(), START);
    let mut content = Vec::new();
    for (sample, gap) in samples.iter().zip([None, None, Some(gap)]) {
        content.extend_from_slice(writer.encode(sample, gap, false));
        writer.commit(sample, false);
    }
    let found = readings(&content).0;
    assert_eq!(found[2].start - found[0].start, 3602.0);
    assert!(found.iter().all(|reading| reading.seconds == 2.0));
    assert_eq!(walk(&content, &mut |_| {}).gaps, [gap]);
}

#[test]
fn lustre_targets_stand_for_the_disks_below_them() {
    let of = |id, kind, name: &str, values: &[u64]| Observed {
        id,
        target: Target { kind, name: name.to_string() },
        values: values.to_vec(),
    };
    let look = |n: u64| {
        let mut rows =
            vec![disk(0, "sda", 8 * n, 8 * n), of(1, TargetKind::Ost, "fs-OST0", &[n, 100 * n, n, 10 * n])];
        rows.extend((n == 2).then(|| of(2, TargetKind::Job, "fs-OST0/17", &[1, 50, 0, 0, 0])));
        sample(n as i64, rows)
    };
    let content = records(&[look(0), look(1), look(2)]).concat();
    let (found, sources, _) = readings(&content);
    assert_eq!(sources, ["oss1:fs-OST0"]);
    assert_eq!(
        found.iter().map(|reading| (reading.source, reading.read, reading.write)).collect::<Vec<_>>(),
        [(0, 50.0, 5.0); 2]
    );
    // A job that appears has begun: what it counted is new.
    let mut job = None;
    let walked = walk(&content, &mut |look| job = look.counts.last().copied());
    let job = job.expect("counted");
    let last = look(2).observed;
    assert!(walked.targets.contains(&last[2].target));
    let shown = walk(&content, &mut |look| {
        for counted in look.counts.iter().filter(|counted| counted.values[1] == 50) {
            assert_eq!(counted.meaning, Meaning::Growth);
        }
    });
    assert_eq!((shown.looks, job.meaning), (3, Meaning::Growth));
}

#[test]
fn other_versions_and_other_files_are_told_apart() {
    assert!(!sniff(b"") && !sniff(b"timestamp,write_bytes_per_s,read_bytes_per_s\n"));
    assert_eq!(tail(b"nothing of ours"), None);
    assert_eq!(day(-1), "1969-12-31");
    assert_eq!(day(START), "2023-11-14");
}

#[test]
fn records_are_small() {
    // Thirty busy disks: all counters of each move at every look.
    let busy = |n: i64| {
        let rows = (0..30).map(|id| {
            let steps = n as u64 * (900 + id * 37);
            let target = Target { kind: TargetKind::Disk, name: format!("sd{id}") };
            let values = [1, 2048, 3, 1, 2048, 4, 0, 1, 7].map(|unit| steps * unit);
            Observed { id, target, values: values.to_vec() }
        });
        sample(n, rows.collect())
    };
    let samples: Vec<Sample> = (0..500).map(busy).collect();
    let bytes = records(&samples).concat().len() as f64;
    let per_device = bytes / 500.0 / 30.0;
    eprintln!("{per_device:.1} bytes per busy disk and look, {:.2} per value", per_device / 9.0);
    assert!(per_device / 9.0 < 4.0);
    let idle: Vec<Sample> = (0..500).map(|n| sample(n, busy(1).observed)).collect();
    let per_look = records(&idle).concat().len() as f64 / 500.0;
    eprintln!("{per_look:.1} bytes per look at 30 idle disks");
    assert!(per_look < 40.0);
}

/// Looks at up to four disks that come and go, count on, and begin anew.
fn histories() -> impl Strategy<Value = Vec<Sample>> {
    let row = (any::<bool>(), 0..4u32, proptest::array::uniform9(0..1u64 << 40));
    proptest::collection::vec(proptest::collection::vec(row, 4), 1..12).prop_map(|looks| {
        let mut totals = [[0u64; 9]; 4];
        let mut ids = [None; 4];
        let mut next = 0;
        let mut out = Vec::new();
        for (number, look) in looks.into_iter().enumerate() {
            let mut observed = Vec::new();
            for (at, (there, what, steps)) in look.into_iter().enumerate() {
                let same = |total: &mut u64, step: u64| match what {
                    0 => *total = step,
                    1 => {}
                    _ => *total += step >> 8,
                };
                totals[at].iter_mut().zip(steps).for_each(|(total, step)| same(total, step));
                if !there {
                    ids[at] = None;
                    continue;
                }
                let id = *ids[at].get_or_insert_with(|| {
                    next += 1;
                    next - 1
                });
                let target = Target { kind: TargetKind::Disk, name: format!("d{at}") };
                observed.push(Observed { id, target, values: totals[at].to_vec() });
            }
            observed.sort_by_key(|row| row.id);
            out.push(sample(number as i64, observed));
        }
        out
    })
}

proptest! {
    #[test]
    fn any_history_comes_back(samples in histories()) {
        let (looks, walked) = followed(&records(&samples).concat());
        // A counter that went down by little may have passed 2^32: then it goes on from there.
        let low = |looks: Followed| -> Followed {
            let of_row = |(name, values): (String, Vec<u64>)| {
                (name, values.into_iter().map(|value| value & 0xffff_ffff).collect())
            };
            looks.into_iter().map(|(wall, rows)| (wall, rows.into_iter().map(of_row).collect())).collect()
        };
        prop_assert_eq!(low(looks), low(expected(&samples)));
        prop_assert!(walked.problems.is_empty());
    }

    #[test]
    fn any_damage_is_survived(
        samples in histories(),
        hits in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<proptest::sample::Index>(),
    ) {
        let mut content = records(&samples).concat();
        for (place, byte) in hits {
            let place = place.index(content.len());
            content[place] = byte;
        }
        content.truncate(cut.index(content.len()));
        let (looks, _) = followed(&content);
        prop_assert!(looks.len() <= samples.len());
        let walls: Vec<i64> = samples.iter().map(|sample| sample.wall_us).collect();
        prop_assert!(looks.iter().all(|(wall, _)| walls.contains(wall)));
    }
}

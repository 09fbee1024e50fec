//! The monitor's file: what is written is read back, whatever happens to the bytes.

#![allow(clippy::expect_used, clippy::print_stderr)]

#[path = "monitor/damage.rs"]
mod damage;
#[path = "monitor/made.rs"]
mod made;

use made::*;
use marigraph_formats::server::monitor::{Meaning, Writer, day, sniff, tail, walk};
use marigraph_model::{Gap, GapCause, Observed, ProblemKind, Reading, Sample, Target, TargetKind};

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
    // An idle disk was observed to be idle.
    assert_eq!(found[1], Reading { source: 1, read: 0.0, write: 0.0, ..first });
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
    // The second file begins with the last look of the first, so that no interval is lost.
    assert_eq!((second, walked.looks), (expected(&samples[4..]), 4));
    let both = [readings(&files[0]).0, readings(&files[1]).0].concat();
    assert_eq!(both, readings(&records(&samples).concat()).0);
    // Concatenated files are a file.
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
fn wraps_continue_resets_restart_and_devices_come_and_go() {
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
    // A job that appears has just begun, so all it counted is new.
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
    // Thirty busy disks: all their counters change at every look.
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

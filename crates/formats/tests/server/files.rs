//! The committed logs, from which fuzzing starts as well.

use marigraph_analysis::synth::Random;
use marigraph_formats::server::{Zone, read_jobs, read_throughput};

fn content(name: &str) -> Vec<u8> {
    std::fs::read(format!("../../testdata/server/{name}")).expect(name)
}

#[test]
fn throughput() {
    let berlin = Zone::named("Europe/Berlin").expect("a zone");
    // Name, format, readings, bytes written, problems.
    let cases = [
        ("iostat.txt", "iostat", 2, 316_192.0 * 1024.0, 0),
        ("iostat.json", "sysstat-json", 2, 0.0, 0),
        ("sadf.txt", "sadf", 3, 346_884.0 * 1024.0, 0),
        ("sadf.json", "sysstat-json", 3, 346_884.0 * 1024.0, 0),
        ("prometheus.json", "prometheus", 3, 300.0 + 4096.0, 2),
        ("rates.csv", "csv", 9, 18_000_015.0, 1),
    ];
    for (name, form, count, written, problems) in cases {
        let mut readings = Vec::new();
        let facts =
            read_throughput(&content(name), &berlin, &mut |reading| readings.push(reading)).expect(name);
        assert_eq!(
            (facts.format, readings.len(), facts.problems.len()),
            (form, count, problems),
            "{name}: {facts:?}"
        );
        let bytes: f64 = readings.iter().map(|reading| reading.write * reading.seconds).sum();
        assert!(written == 0.0 || (bytes / written - 1.0).abs() < 1e-9, "{name}: {bytes} {readings:?}");
    }
}

/// A real log of a machine with one node: arrays, heterogeneous jobs that never ran, a requeued
/// job, and names that contain the separator.
const SLURM: &[&str] =
    &["1", "2", "3", "5", "7", "8", "12", "4_1", "4_2", "4_3", "16", "18", "15_1", "15_2", "15_3", "21"];

#[test]
fn jobs() {
    // Name, format, ids, problems.
    let cases: [(&str, &str, &[&str], usize); 6] = [
        ("jobs.sacct", "sacct", &["100", "101_4", "102", "103", "103"], 1),
        ("sacct-22.05.csv", "sacct", SLURM, 0),
        ("sacct-22.05.json", "sacct-json", &["18", "2", "8", "18"], 0),
        ("jobs.json", "sacct-json", &["7", "8_3"], 1),
        ("jobs.swf", "swf", &["1", "2"], 0),
        ("jobs.csv", "csv", &["1.pbs", "2.pbs"], 0),
    ];
    for (name, form, expected, problems) in cases {
        let log = read_jobs(&content(name), &Zone::utc()).expect(name);
        let ids: Vec<&str> = log.jobs.iter().map(|job| job.id.as_str()).collect();
        assert_eq!(
            (log.format, &ids[..], log.problems.len()),
            (form, expected, problems),
            "{name}: {:?}",
            log.problems
        );
    }
}

#[test]
fn flipped_and_cut_files_are_survived() {
    let (zone, mut random) = (Zone::named("Europe/Berlin").expect("a zone"), Random::new(6));
    for entry in std::fs::read_dir("../../testdata/server").expect("the folder") {
        let whole = std::fs::read(entry.expect("a file").path()).expect("a file");
        for _ in 0..500 {
            let mut broken = whole.clone();
            for _ in 0..=random.index(4) {
                let place = random.index(broken.len());
                broken[place] ^= (1 + random.index(255)) as u8;
            }
            broken.truncate(1 + random.index(broken.len() * 2));
            let _ = read_jobs(&broken, &zone);
            let _ = read_throughput(&broken, &zone, &mut |reading| {
                assert!(reading.seconds > 0.0 && reading.start.is_finite(), "{reading:?}");
                assert!(reading.read >= 0.0 && reading.write >= 0.0, "{reading:?}");
            });
        }
    }
}

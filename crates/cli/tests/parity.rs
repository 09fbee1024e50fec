//! `--total`, `--perf` and `--file` against the output of `darshan-parser`, on real logs.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it skips

mod common;

use std::io::Read;

use common::{data, run};

/// Counters that the reference gets wrong in some logs, with the reason; see also the errata in the
/// parity test of the formats.
const ERRATA: &[(&str, &[&str], &str)] = &[
    (
        "ppc64",
        &["total_POSIX_F_META_TIME", "total_POSIX_F_MAX_READ_TIME", "total_POSIX_F_MAX_WRITE_TIME"],
        "it leaves these three unswapped in big-endian logs with POSIX before version 4",
    ),
    (
        "ppc64",
        &["total_POSIX_MAX_READ_TIME_SIZE", "total_POSIX_MAX_WRITE_TIME_SIZE"],
        "it takes the size of the longest call from the misread times",
    ),
];

fn golden(name: &str, kind: &str) -> String {
    let path = data().expect("data").join("darshan/golden").join(format!("{name}.{kind}.txt.gz"));
    let packed = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut text).expect("gzip");
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn figures_are_those_of_darshan_parser() {
    let Some(folder) = data().map(|data| data.join("darshan")) else { return };
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).expect("logs") {
        let path = entry.expect("entry").path();
        if path.extension().is_none_or(|ending| ending != "darshan") {
            continue;
        }
        let name = path.file_stem().expect("name").to_string_lossy().into_owned();
        for kind in ["total", "perf", "file"] {
            let (code, ours, _) =
                run(&["show", "--darshan-parser", &format!("--{kind}"), &path.display().to_string()]);
            assert_eq!(code, 0, "{name}");
            compare(&name, kind, &ours, &golden(&name, kind));
            compared += 1;
        }
    }
    assert!(compared >= 120, "only {compared} texts compared");
}

fn compare(name: &str, kind: &str, ours: &str, golden: &str) {
    for (line, (mine, theirs)) in ours.lines().zip(golden.lines()).enumerate() {
        if mine == theirs {
            continue;
        }
        let counter = mine.split(':').next().unwrap_or("");
        let excused = ERRATA.iter().any(|(logs, counters, reason)| {
            name.contains(logs) && counters.contains(&counter) && !reason.is_empty()
        });
        assert!(excused, "{name} --{kind} line {}\n ours: {mine}\n reference: {theirs}", line + 1);
    }
    assert_eq!(ours.lines().count(), golden.lines().count(), "{name} --{kind}: number of lines");
}

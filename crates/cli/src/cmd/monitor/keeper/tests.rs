//! Tests of midnight, clocks and a full disk, without waiting for them.

#[path = "../../../../tests/common/folder.rs"]
mod folder;

use std::fs;

use clap::Parser;
use marigraph_formats::server::monitor::{Walked, walk};
use marigraph_model::{GapCause, Observed, Sample, Target, TargetKind};

use folder::Folder;

use super::Keeper;
use crate::args::{Args, Command};

/// Six seconds before midnight UTC.
const EVENING: i64 = 1_700_006_394_000_000;
const SECOND: i64 = 1_000_000;

impl Folder {
    fn keeper(&self) -> Keeper {
        let root = self.0.display().to_string();
        let words = ["marigraph", "monitor", "-o", &format!("{root}/log"), "--root", &root];
        match Args::try_parse_from(words).expect("arguments").command {
            Command::Monitor(args) => {
                Keeper::open(&args).map_err(|failure| failure.to_string()).expect("opens")
            }
            other => panic!("{other:?}"),
        }
    }

    fn uptime(&self, seconds: i64) {
        fs::create_dir_all(self.0.join("proc")).expect("folder");
        fs::write(self.0.join("proc/uptime"), format!("{seconds}.00 1.00\n")).expect("writes");
    }

    fn walked(&self, name: &str) -> (Walked, u64) {
        let mut grown = 0;
        let content = fs::read(self.0.join(name)).expect("reads");
        let walked = walk(&content, &mut |look| {
            let whole = look.counts.iter().filter(|_| look.elapsed_us > 0);
            grown += whole.map(|counted| counted.values[0]).sum::<u64>();
        });
        (walked, grown)
    }
}

/// A sample after some seconds by the steady clock, with the wall clock set to a moment.
fn look(wall_us: i64, seconds: i64) -> Sample {
    let target = Target { kind: TargetKind::Disk, name: "sda".to_string() };
    let values = vec![seconds.unsigned_abs(); 9];
    Sample {
        wall_us,
        steady_us: (seconds * SECOND).unsigned_abs(),
        observed: vec![Observed { id: 0, target, values }],
    }
}

#[test]
fn a_day_has_a_file() {
    let folder = Folder::new("midnight");
    let mut keeper = folder.keeper();
    (0..8).for_each(|n| keeper.keep(&look(EVENING + 2 * n * SECOND, 2 * n)));
    assert!(keeper.finish().is_none());
    let run = keeper.run();
    assert_eq!((run.samples, run.gap_count), (8, 0));
    let (evening, morning) = (folder.walked("log.2023-11-14"), folder.walked("log"));
    // The interval over midnight is in the second file.
    assert_eq!((evening.0.looks, evening.1, morning.0.looks, morning.1), (3, 4, 5, 10));
    assert!(evening.0.problems.is_empty() && morning.0.problems.is_empty());
    let bytes =
        ["log", "log.2023-11-14"].map(|name| fs::metadata(folder.0.join(name)).map_or(0, |file| file.len()));
    assert_eq!(run.bytes, bytes.iter().sum::<u64>());
}

#[test]
fn clocks_and_sleep_are_told_apart() {
    let folder = Folder::new("clock");
    folder.uptime(1000);
    let mut keeper = folder.keeper();
    keeper.keep(&look(EVENING - 9000 * SECOND, 0));
    keeper.keep(&look(EVENING - 8998 * SECOND, 2));
    // Set forward, set back, suspended, late.
    folder.uptime(1004);
    keeper.keep(&look(EVENING - 8000 * SECOND, 4));
    folder.uptime(1006);
    keeper.keep(&look(EVENING - 8996 * SECOND, 6));
    folder.uptime(1608);
    keeper.keep(&look(EVENING - 8394 * SECOND, 8));
    keeper.keep(&look(EVENING - 8384 * SECOND, 18));
    let run = keeper.run();
    let causes: Vec<GapCause> = run.gaps.iter().map(|gap| gap.cause).collect();
    assert_eq!(causes, [GapCause::ClockStep, GapCause::ClockStep, GapCause::Suspended, GapCause::Late]);
    let (walked, grown) = folder.walked("log");
    assert_eq!((&walked.gaps, grown), (&run.gaps, 18));
}

#[test]
fn who_comes_back_says_how_long_nobody_looked() {
    let folder = Folder::new("again");
    let mut first = folder.keeper();
    first.keep(&look(EVENING - 100 * SECOND, 0));
    drop(first);
    // The next run finds the file of a past day, and no other.
    let mut second = folder.keeper();
    second.keep(&look(EVENING + 100 * SECOND, 0));
    fs::remove_file(folder.0.join("log")).expect("removes");
    drop(second);
    let mut third = folder.keeper();
    third.keep(&look(EVENING + 200 * SECOND, 0));
    let gap = third.run().gaps[0];
    let expected = (EVENING - 100 * SECOND, EVENING + 200 * SECOND, GapCause::NotRunning);
    assert_eq!((gap.from_us, gap.to_us, gap.cause), expected);
}

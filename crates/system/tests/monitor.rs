//! A server's counters, read from a tree of files.

#![allow(clippy::expect_used, clippy::print_stderr)]

#[path = "../../cli/tests/common/folder.rs"]
mod folder;

use std::fs;
use std::path::{Path, PathBuf};

use folder::Folder;
use marigraph_model::{Sample, TargetKind};
use marigraph_system::monitor::{Choice, Log, Sampler};

fn tree() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/monitor/server")
}

fn choice(patterns: &[&str]) -> Choice {
    Choice { patterns: patterns.iter().map(|pattern| pattern.to_string()).collect(), all: false }
}

fn names(sample: &Sample, kind: TargetKind) -> Vec<&str> {
    let rows = sample.observed.iter().filter(|row| row.target.kind == kind);
    let mut names: Vec<&str> = rows.map(|row| row.target.name.as_str()).collect();
    names.sort_unstable();
    names
}

fn values<'a>(sample: &'a Sample, name: &str) -> &'a [u64] {
    let row = sample.observed.iter().find(|row| row.target.name == name);
    row.map_or(&[], |row| row.values.as_slice())
}

impl Folder {
    fn diskstats(&self, text: &str) {
        fs::create_dir_all(self.0.join("proc")).expect("folder");
        fs::write(self.0.join("proc/diskstats"), text).expect("writes");
    }
}

#[test]
fn disks_of_the_system_are_left_out_and_nothing_counts_twice() {
    let mut sampler = Sampler::new(&tree(), Choice::default());
    let sample = sampler.look().expect("reads").clone();
    assert_eq!(names(&sample, TargetKind::Disk), ["dm-1", "sdd"]);
    let told: Vec<String> =
        sampler.left_out().iter().map(|out| format!("{}: {}", out.name, out.why)).collect();
    assert_eq!(
        told,
        [
            "dm-0: holds /",
            "loop0: no disk",
            "sda: holds /",
            "sda1: holds /boot",
            "sda2: holds /",
            "sdb: a part of dm-1",
            "sdc: a part of dm-1",
            "sr0: no disk",
        ]
    );
    let dm =
        [1_599_223, 1_637_604_352, 3_203_230, 2_420_421, 2_478_511_104, 19_600_116, 5, 2_300_110, 22_803_346];
    assert_eq!(values(&sample, "dm-1"), dm);
}

#[test]
fn users_choose() {
    let mut some = Sampler::new(&tree(), choice(&["sd?", "dm-1"]));
    assert_eq!(names(some.look().expect("reads"), TargetKind::Disk), ["dm-1", "sda", "sdb", "sdc", "sdd"]);
    let mut all = Sampler::new(&tree(), Choice { all: true, ..Choice::default() });
    assert_eq!(names(all.look().expect("reads"), TargetKind::Disk).len(), 10);
    assert!(all.left_out().is_empty());
}

#[test]
fn lustre_is_read_in_all_its_forms() {
    let mut sampler = Sampler::new(&tree(), Choice::default());
    let sample = sampler.look().expect("reads");
    assert_eq!(names(sample, TargetKind::Ost), ["lustrefs-OST0000", "lustrefs-OST0002"]);
    // The first tree counts; an unused target has counted nothing.
    assert_eq!(values(sample, "lustrefs-OST0000"), [1, 1_048_576, 49_185_469, 51_473_433_403_392]);
    assert_eq!(values(sample, "lustrefs-OST0002"), [0; 4]);
    let requests = values(sample, "lustrefs-MDT0000");
    assert_eq!((requests[0], requests[10], requests[13]), (1_024_577_037, 6_145_349_681, 434_081));
    let jobs = ["lustrefs-MDT0000/testjob2", "lustrefs-OST0000/24", "lustrefs-OST0000/cluster-testjob1"];
    assert_eq!(names(sample, TargetKind::Job), jobs);
    assert_eq!(values(sample, jobs[0]), [0, 0, 0, 0, 50]);
    assert_eq!(values(sample, jobs[1]), [0, 0, 64_575, 215_147_593_728, 1]);
    assert_eq!(values(sample, jobs[2]), [1, 4096, 25, 26_214_400, 1]);
}

#[test]
fn machines_that_tell_little() {
    let folder = Folder::new("little");
    let mut sampler = Sampler::new(&folder.0, Choice::default());
    assert!(sampler.look().is_err());
    // Without /sys the names show which devices are partitions.
    let line = |name: &str| format!("8 0 {name} 1 2 3 4 5 6 7 8 9 10 11\n");
    folder.diskstats(&["sda", "sda1", "nvme0n1", "nvme0n1p2", "md0", "mmcblk0"].map(line).concat());
    let kept = names(sampler.look().expect("reads"), TargetKind::Disk).join(" ");
    assert_eq!(kept, "md0 mmcblk0 nvme0n1 sda");
    // A device that appears later is watched; one that disappears comes back under another id.
    folder.diskstats(&["sda", "sdb"].map(line).concat());
    assert_eq!(names(sampler.look().expect("reads"), TargetKind::Disk), ["sda", "sdb"]);
    folder.diskstats(&["sda", "sdb", "md0"].map(line).concat());
    let sample = sampler.look().expect("reads");
    let ids: Vec<u64> = sample.observed.iter().map(|row| row.id).collect();
    assert!(ids.is_sorted() && ids[0] < ids[1] && ids[2] > 3, "{ids:?}");
}

#[test]
fn many_jobs_are_looked_at_less_often_and_stay() {
    let folder = Folder::new("jobs");
    let target = folder.0.join("proc/fs/lustre/obdfilter/fs-OST0000");
    fs::create_dir_all(&target).expect("folder");
    fs::write(target.join("stats"), "write_bytes 5 samples [bytes] 1 1 5\n").expect("writes");
    let text = |count: u64| {
        let job =
            |n: u64| format!("- job_id: {n}\n  write_bytes: {{ samples: {n}, unit: bytes, sum: {n} }}\n");
        "job_stats:\n".to_string() + &(1..=count).map(job).collect::<String>()
    };
    fs::write(target.join("job_stats"), text(20_000)).expect("writes");
    let mut sampler = Sampler::new(&folder.0, Choice::default());
    let first = sampler.look().expect("reads").clone();
    assert_eq!(names(&first, TargetKind::Job).len(), 20_000);
    assert_eq!(values(&first, "fs-OST0000/777"), [0, 0, 777, 777, 0]);
    // The next look is too early for the jobs, but not for the target.
    fs::write(target.join("job_stats"), text(20_001)).expect("writes");
    fs::write(target.join("stats"), "write_bytes 6 samples [bytes] 1 1 6\n").expect("writes");
    let second = sampler.look().expect("reads");
    assert_eq!(names(second, TargetKind::Job).len(), 20_000);
    assert_eq!(values(second, "fs-OST0000"), [0, 0, 6, 6]);
}

#[test]
fn a_file_has_one_writer_and_survives_what_others_do() {
    let folder = Folder::new("log");
    let path = folder.0.join("log");
    let mut log = Log::open(&path).expect("opens");
    let taken = Log::open(&path).expect_err("taken");
    assert_eq!(taken.kind(), std::io::ErrorKind::WouldBlock);
    log.append(b"one").expect("writes");
    // What a failed write left is cut off before the next record.
    fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .and_then(|mut file| std::io::Write::write_all(&mut file, b"to"))
        .expect("writes");
    log.settle().expect("settles");
    log.append(b"two").expect("writes");
    assert_eq!(fs::read(&path).expect("reads"), b"onetwo");
    for (times, name) in ["log.2026-01-01", "log.2026-01-01.1"].into_iter().enumerate() {
        log.rotate("2026-01-01").expect("rotates");
        assert_eq!((log.length(), log.newest_past()), (0, Some(folder.0.join(name))));
        assert!(Log::open(&path).is_err(), "the new file is taken, too");
        log.append(&[b'0' + times as u8]).expect("writes");
    }
    // Moved away, or emptied, by another program.
    fs::rename(&path, folder.0.join("elsewhere")).expect("moves");
    log.settle().expect("settles");
    assert_eq!(log.length(), 0);
    log.append(b"new").expect("writes");
    fs::write(&path, b"").expect("empties");
    log.settle().expect("settles");
    log.append(b"newer").expect("writes");
    assert_eq!(fs::read(&path).expect("reads"), b"newer");
}

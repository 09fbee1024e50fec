//! Reads all counters of a machine.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use marigraph_model::{Sample, TargetKind};

use super::clock::Clock;
use super::devices::{Choice, Devices, LeftOut};
use super::table::Table;
use super::{diskstats, lustre};

/// Where Lustre shows its statistics, depending on its version.
const TREES: &[&str] = &["proc/fs/lustre", "sys/kernel/debug/lustre", "sys/fs/lustre"];
/// Folder of targets, and the file with their counters.
const TARGETS: &[(TargetKind, &str, &str)] =
    &[(TargetKind::Ost, "obdfilter", "stats"), (TargetKind::Mdt, "mdt", "md_stats")];

/// The pause between readings of jobs is this factor times their cost, at most [`SELDOM`]: there
/// may be thousands, but Lustre forgets a job ten minutes after its last request.
const SHARE: u32 = 2000;
const SELDOM: Duration = Duration::from_secs(60);

/// Reads counters below a folder that stands for `/`.
#[derive(Debug)]
pub struct Sampler {
    root: PathBuf,
    choice: Choice,
    clock: Clock,
    table: Table,
    /// Known devices; the reason if one is left out.
    devices: BTreeMap<String, Option<String>>,
    /// When jobs are read next, and how long that took at this look.
    jobs_due: Instant,
    jobs_cost: Duration,
    /// Buffers, kept to reuse their memory.
    text: Vec<u8>,
    name: String,
}

impl Sampler {
    pub fn new(root: &Path, choice: Choice) -> Sampler {
        Sampler {
            root: root.to_path_buf(),
            choice,
            clock: Clock::new(),
            table: Table::default(),
            devices: BTreeMap::new(),
            jobs_due: Instant::now(),
            jobs_cost: Duration::ZERO,
            text: Vec::new(),
            name: String::new(),
        }
    }

    /// Fails if there is neither a list of block devices nor a Lustre target.
    pub fn look(&mut self) -> io::Result<&Sample> {
        let disks = read(&self.root.join("proc/diskstats"), &mut self.text);
        (self.table.sample.wall_us, self.table.sample.steady_us) = self.clock.now();
        self.table.begin();
        if disks.is_ok() {
            self.disks();
        }
        let jobs = Instant::now() >= self.jobs_due;
        self.jobs_cost = Duration::ZERO;
        let any = TREES.iter().filter(|tree| self.lustre(tree, jobs)).count() > 0;
        if jobs {
            self.jobs_due = Instant::now() + (self.jobs_cost * SHARE).min(SELDOM);
        } else {
            self.table.keep(TargetKind::Job);
        }
        self.table.end();
        if any {
            return Ok(&self.table.sample);
        }
        disks.map(|()| &self.table.sample)
    }

    pub fn newest(&self) -> &Sample {
        &self.table.sample
    }

    pub fn left_out(&self) -> Vec<LeftOut> {
        let out = |(name, why): (&String, &Option<String>)| {
            why.as_ref().map(|why| LeftOut { name: name.clone(), why: why.clone() })
        };
        self.devices.iter().filter_map(out).collect()
    }

    fn disks(&mut self) {
        let text = String::from_utf8_lossy(&self.text);
        // How devices are stacked is examined when new ones appear, once for all of them.
        let mut built = None;
        for line in diskstats::lines(&text) {
            if !self.devices.contains_key(line.name) {
                let all = || diskstats::lines(&text).map(|line| (line.name, line.number));
                let built = built.get_or_insert_with(|| Devices::find(&self.root, all()));
                self.devices.insert(line.name.to_string(), built.why_not(line.name, &self.choice));
            }
            if self.devices.get(line.name) == Some(&None) {
                self.table.set(TargetKind::Disk, line.name, &line.values);
            }
        }
    }

    /// Reads a tree of Lustre; returns whether it has a target.
    fn lustre(&mut self, tree: &str, jobs: bool) -> bool {
        let mut any = false;
        for (kind, folder, file) in TARGETS {
            let Ok(targets) = fs::read_dir(self.root.join(tree).join(folder)) else { continue };
            for target in targets.flatten() {
                let name = target.file_name().to_string_lossy().into_owned();
                let path = target.path();
                if read(&path.join(file), &mut self.text).is_ok() {
                    any = true;
                    let values = lustre::target(*kind, &String::from_utf8_lossy(&self.text));
                    self.table.set(*kind, &name, &values);
                }
                if jobs {
                    self.jobs(&name, &path.join("job_stats"));
                }
            }
        }
        any
    }

    fn jobs(&mut self, target: &str, path: &Path) {
        let begun = Instant::now();
        let Ok(file) = File::open(path) else { return };
        let (table, name) = (&mut self.table, &mut self.name);
        let read = lustre::jobs(BufReader::with_capacity(1 << 16, file), |job, values| {
            name.clear();
            name.extend([target, "/", job]);
            table.set(TargetKind::Job, name, values);
        });
        if read.is_err() {
            // Jobs that were not read are not gone.
            table.keep(TargetKind::Job);
        }
        self.jobs_cost += begun.elapsed();
    }
}

fn read(path: &Path, into: &mut Vec<u8>) -> io::Result<()> {
    into.clear();
    File::open(path)?.read_to_end(into).map(drop)
}

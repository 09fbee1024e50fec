//! Looking at all counters of a machine.

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

/// Where Lustre shows its statistics, which depends on its version.
const TREES: &[&str] = &["proc/fs/lustre", "sys/kernel/debug/lustre", "sys/fs/lustre"];
/// What is read there: folder of targets, file of their own counters.
const TARGETS: &[(TargetKind, &str, &str)] =
    &[(TargetKind::Ost, "obdfilter", "stats"), (TargetKind::Mdt, "mdt", "md_stats")];

/// Where there are thousands of jobs they are looked at less often: reading them takes this share of the time at most,
/// but is done every [`SELDOM`], since Lustre forgets a job ten minutes after its last request.
const SHARE: u32 = 2000;
const SELDOM: Duration = Duration::from_secs(60);

/// Reads counters below a folder that stands for `/`.
#[derive(Debug)]
pub struct Sampler {
    root: PathBuf,
    choice: Choice,
    clock: Clock,
    table: Table,
    /// What was decided about each device, and why it is left out.
    devices: BTreeMap<String, Option<String>>,
    /// When jobs are looked at next, and how long that took at this look.
    jobs_due: Instant,
    jobs_cost: Duration,
    /// The text at hand; kept for its memory.
    text: Vec<u8>,
    name: String,
}

impl Sampler {
    /// Nothing has been looked at yet.
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

    /// Looks once. It is a failure if there is neither a list of block devices nor a target of Lustre.
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

    /// What was seen last.
    pub fn newest(&self) -> &Sample {
        &self.table.sample
    }

    /// The devices that are not watched, as far as they are known by now.
    pub fn left_out(&self) -> Vec<LeftOut> {
        let out = |(name, why): (&String, &Option<String>)| {
            why.as_ref().map(|why| LeftOut { name: name.clone(), why: why.clone() })
        };
        self.devices.iter().filter_map(out).collect()
    }

    fn disks(&mut self) {
        let text = String::from_utf8_lossy(&self.text);
        // How devices are built on each other is looked at when one appears, once for all that do.
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

    /// Whether there is a target in a tree of Lustre.
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
            // Those that were not read are not gone.
            table.keep(TargetKind::Job);
        }
        self.jobs_cost += begun.elapsed();
    }
}

fn read(path: &Path, into: &mut Vec<u8>) -> io::Result<()> {
    into.clear();
    File::open(path)?.read_to_end(into).map(drop)
}

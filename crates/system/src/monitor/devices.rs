//! Which block devices are watched. By default none that only the server's own system uses, and
//! none twice.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::pattern;

/// The user's choice of devices.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// If not empty, only devices that match; with `*` and `?`.
    pub patterns: Vec<String>,
    pub all: bool,
}

/// A device that is not watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    pub name: String,
    pub why: String,
}

/// Devices that are not disks: memory, loop files, removable media.
const NO_DISKS: &[&str] = &["loop", "ram", "zram", "sr", "fd"];
/// Mount points of the server's own system.
const LOCAL: &[&str] = &["/", "/boot", "/boot/efi", "/usr", "/var", "/home"];

#[derive(Debug, Default)]
pub(super) struct Devices {
    root: PathBuf,
    names: BTreeSet<String>,
    /// Why the system uses a device.
    local: BTreeMap<String, String>,
}

impl Devices {
    /// Examines devices, given with their numbers, below `root`, which stands for `/`.
    pub(super) fn find<'a>(root: &Path, devices: impl Iterator<Item = (&'a str, (u32, u32))>) -> Devices {
        let devices: Vec<(&str, (u32, u32))> = devices.collect();
        let numbers = devices.iter().map(|(name, number)| (*number, *name)).collect();
        let names = devices.iter().map(|(name, _)| name.to_string()).collect();
        let mut found = Devices { root: root.to_path_buf(), names, local: BTreeMap::new() };
        let mounts = fs::read_to_string(root.join("proc/self/mountinfo")).unwrap_or_default();
        for (device, point) in mounts.lines().filter_map(|line| mounted(line, &numbers)) {
            found.mark(&device, &format!("holds {point}"));
        }
        let swaps = fs::read_to_string(root.join("proc/swaps")).unwrap_or_default();
        for device in swaps.lines().filter_map(|line| line.strip_prefix("/dev/")?.split_whitespace().next()) {
            found.mark(&found.real_name(device), "holds swap");
        }
        found
    }

    pub(super) fn why_not(&self, name: &str, choice: &Choice) -> Option<String> {
        if !choice.patterns.is_empty() {
            let wanted = choice.patterns.iter().any(|pattern| pattern::matches(pattern, name));
            return (!wanted).then(|| "not asked for".to_string());
        }
        if choice.all {
            return None;
        }
        let number = name.trim_start_matches(|c: char| c.is_ascii_lowercase());
        if NO_DISKS.contains(&name.strip_suffix(number).unwrap_or(name)) {
            return Some("no disk".to_string());
        }
        let local = || self.local.get(name).cloned();
        let partition = || self.parent(name).map(|disk| format!("a partition of {disk}"));
        let holder = || self.holder(name).map(|above| format!("a part of {above}"));
        local().or_else(partition).or_else(holder)
    }

    fn mark(&mut self, name: &str, why: &str) {
        if self.local.contains_key(name) {
            return;
        }
        self.local.insert(name.to_string(), why.to_string());
        let below = list(&self.root.join("sys/class/block").join(name).join("slaves"));
        for lower in self.parent(name).into_iter().chain(below) {
            self.mark(&lower, why);
        }
    }

    /// The disk of a partition.
    fn parent(&self, name: &str) -> Option<String> {
        if self.root.join("sys/class/block").join(name).exists() {
            let on =
                |disk: &&String| self.root.join("sys/block").join(disk).join(name).join("partition").exists();
            return self.names.iter().find(on).cloned();
        }
        // Without sysfs: sda1 is on sda, nvme0n1p1 on nvme0n1.
        let disk = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let disk = disk
            .strip_suffix('p')
            .filter(|disk| disk.ends_with(|c: char| c.is_ascii_digit()))
            .unwrap_or(disk);
        (disk != name).then_some(disk).filter(|disk| self.names.contains(*disk)).map(String::from)
    }

    /// A device built on this one or on a partition of it, where the same traffic is counted.
    fn holder(&self, name: &str) -> Option<String> {
        let disk = self.root.join("sys/block").join(name);
        let parts = list(&disk).into_iter().filter(|part| disk.join(part).join("partition").exists());
        let folders = parts.map(|part| disk.join(part)).chain(std::iter::once(disk.clone()));
        folders.flat_map(|folder| list(&folder.join("holders"))).find(|above| self.names.contains(above))
    }

    /// Resolves links below `/dev`.
    fn real_name(&self, device: &str) -> String {
        let path = self.root.join("dev").join(device);
        let path = fs::canonicalize(&path).unwrap_or(path);
        path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }
}

/// Device and mount point of a line of `mountinfo`, if the system uses it.
fn mounted(line: &str, numbers: &BTreeMap<(u32, u32), &str>) -> Option<(String, String)> {
    let mut words = line.split(' ');
    let (major, minor) = words.nth(2)?.split_once(':')?;
    let point = words.nth(1).filter(|point| LOCAL.contains(point))?;
    let number = (major.parse().ok()?, minor.parse().ok()?);
    // Some file systems have numbers of their own; they name a device.
    let named = || line.split_once(" - ")?.1.split(' ').nth(1)?.strip_prefix("/dev/");
    let device = numbers.get(&number).copied().or_else(named)?;
    Some((device.to_string(), point.to_string()))
}

/// Sorted names in a folder; empty if it cannot be read.
fn list(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

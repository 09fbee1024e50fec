//! Contents of a file system: counts of everything found, by size, age, place and owner.
//!
//! [`Contents`] takes one [`Entry`] after another and keeps only sums, so its size does not depend
//! on the number of entries. [`Contents::merge`] joins what several threads, hosts or trees
//! counted.

mod histogram;
mod names;
mod top;

pub use histogram::{BINS, Bin, Histogram};
pub use names::{name_bytes, name_text};
pub use top::Top;

use std::collections::BTreeMap;

/// In seconds; ages are counted in days.
const DAY: i64 = 86_400;
/// Bytes of an allocated block, as the kernel counts them.
const BLOCK: u64 = 512;
/// Maximum number of projects; the rest is counted as one.
const PROJECTS: usize = 1 << 14;
pub const OTHER_PROJECTS: &[u8] = b"(others)";

/// Type of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryKind {
    File,
    Directory,
    Link,
    /// A socket, pipe or device.
    Other,
}

/// A file, directory or other thing found.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub kind: EntryKind,
    /// Apparent size in bytes.
    pub size: u64,
    /// Allocated blocks of 512 bytes.
    pub blocks: u64,
    /// Seconds since the Unix epoch: last access, modification and change of status.
    pub times: [i64; 3],
    pub uid: u32,
    pub gid: u32,
    pub links: u64,
    /// Directories between it and the scanned root.
    pub depth: u64,
    pub name_len: u64,
}

/// Contents of one directory without its subdirectories.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    pub entries: u64,
    /// Adds up to the project's totals.
    pub project: Project,
}

impl Listing {
    pub fn add(&mut self, entry: &Entry) {
        self.entries += 1;
        self.project.add(entry);
    }

    pub fn bytes(&self) -> u64 {
        self.project.share.bytes
    }
}

/// The properties that are counted. The order is that of [`HISTOGRAMS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum By {
    Size,
    /// Files by allocated bytes.
    Capacity,
    /// Files by allocated bytes beyond their size.
    Overhead,
    /// Files by bytes of their size that are not allocated.
    Saved,
    AccessAge,
    ModificationAge,
    ChangeAge,
    DirectoryEntries,
    /// Directories by bytes of the files in them.
    DirectoryBytes,
    /// All entries.
    Depth,
    /// All entries.
    NameLength,
    Links,
    /// Symbolic links.
    TargetLength,
}

pub const HISTOGRAMS: [&str; 13] = [
    "size",
    "capacity",
    "overhead",
    "saved",
    "access_age_days",
    "modification_age_days",
    "change_age_days",
    "directory_entries",
    "directory_bytes",
    "depth",
    "name_length",
    "links",
    "link_target_length",
];

const _: () = assert!(HISTOGRAMS.len() == By::TargetLength as usize + 1);

/// Totals of one owner, group or project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    pub files: u64,
    pub directories: u64,
    /// Apparent size of the files.
    pub bytes: u64,
    /// Allocated bytes of the files.
    pub capacity: u64,
}

impl Share {
    fn add_many(&mut self, entry: &Entry, count: u64) {
        match entry.kind {
            EntryKind::File => {
                self.files += count;
                self.bytes = self.bytes.saturating_add(entry.size.saturating_mul(count));
                let capacity = entry.blocks.saturating_mul(BLOCK);
                self.capacity = self.capacity.saturating_add(capacity.saturating_mul(count));
            }
            EntryKind::Directory => self.directories += count,
            EntryKind::Link | EntryKind::Other => {}
        }
    }

    pub fn merge(&mut self, other: &Share) {
        self.files = self.files.saturating_add(other.files);
        self.directories = self.directories.saturating_add(other.directories);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.capacity = self.capacity.saturating_add(other.capacity);
    }
}

/// Totals of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Project {
    pub share: Share,
    pub sizes: Histogram,
}

impl Project {
    pub fn add(&mut self, entry: &Entry) {
        self.add_many(entry, 1);
    }

    pub fn add_many(&mut self, entry: &Entry, count: u64) {
        self.share.add_many(entry, count);
        if entry.kind == EntryKind::File {
            self.sizes.add_many(entry.size, entry.size, count);
        }
    }

    pub fn merge(&mut self, other: &Project) {
        self.share.merge(&other.share);
        self.sizes.merge(&other.sizes);
    }
}

/// Everything that was counted.
#[derive(Debug, Clone)]
pub struct Contents {
    /// Ages refer to this time, in seconds since the Unix epoch.
    pub now: i64,
    /// Indexed by [`EntryKind`].
    pub kinds: [u64; 4],
    /// Apparent size of the files.
    pub bytes: u64,
    /// Allocated bytes of the files.
    pub capacity: u64,
    /// Files with a time after `now`; their age counts as 0.
    pub future: u64,
    /// Indexed by [`By`].
    pub histograms: Vec<Histogram>,
    /// By user id.
    pub owners: BTreeMap<u32, Share>,
    /// By group id.
    pub groups: BTreeMap<u32, Share>,
    /// By top-level directory.
    pub projects: BTreeMap<Vec<u8>, Box<Project>>,
    pub largest: Top,
    /// Directories with the most entries.
    pub fullest: Top,
    /// Directories with the most bytes.
    pub heaviest: Top,
    /// Entries not examined, by reason.
    pub skipped: BTreeMap<String, u64>,
}

impl Contents {
    /// `named` is the number of largest things to name.
    pub fn new(now: i64, named: usize) -> Contents {
        let top = || Top::new(named);
        Contents {
            now,
            kinds: [0; 4],
            bytes: 0,
            capacity: 0,
            future: 0,
            histograms: vec![Histogram::default(); HISTOGRAMS.len()],
            owners: BTreeMap::new(),
            groups: BTreeMap::new(),
            projects: BTreeMap::new(),
            largest: top(),
            fullest: top(),
            heaviest: top(),
            skipped: BTreeMap::new(),
        }
    }

    pub fn by(&self, by: By) -> &Histogram {
        &self.histograms[by as usize]
    }

    #[inline]
    pub fn count_many(&mut self, by: By, value: u64, weight: u64, count: u64) {
        self.histograms[by as usize].add_many(value, weight, count);
    }

    /// Does not add to a project; [`Contents::listed`] does that for a whole directory.
    pub fn add(&mut self, entry: &Entry) {
        self.add_many(entry, 1);
    }

    pub fn add_many(&mut self, entry: &Entry, count: u64) {
        self.kinds[entry.kind as usize] += count;
        let bytes = if entry.kind == EntryKind::File { entry.size } else { 0 };
        self.count_many(By::Depth, entry.depth, bytes, count);
        self.count_many(By::NameLength, entry.name_len, bytes, count);
        match entry.kind {
            EntryKind::File => self.add_files(entry, count),
            EntryKind::Link => self.count_many(By::TargetLength, entry.size, 0, count),
            EntryKind::Directory | EntryKind::Other => {}
        }
        self.owners.entry(entry.uid).or_default().add_many(entry, count);
        self.groups.entry(entry.gid).or_default().add_many(entry, count);
    }

    fn add_files(&mut self, entry: &Entry, count: u64) {
        let (size, capacity) = (entry.size, entry.blocks.saturating_mul(BLOCK));
        self.bytes = self.bytes.saturating_add(size.saturating_mul(count));
        self.capacity = self.capacity.saturating_add(capacity.saturating_mul(count));
        self.count_many(By::Size, size, size, count);
        self.count_many(By::Capacity, capacity, capacity, count);
        match capacity.checked_sub(size) {
            Some(over) => self.count_many(By::Overhead, over, over, count),
            None => self.count_many(By::Saved, size - capacity, size - capacity, count),
        }
        self.count_many(By::Links, entry.links, size, count);
        let ages = [By::AccessAge, By::ModificationAge, By::ChangeAge];
        for (by, time) in ages.into_iter().zip(entry.times) {
            let age = self.now.saturating_sub(time);
            self.count_many(by, u64::try_from(age / DAY).unwrap_or(0), size, count);
        }
        self.future += count * u64::from(entry.times.iter().any(|&time| time > self.now));
    }

    pub fn add_to_project(&mut self, name: &[u8], more: &Project) {
        let full = self.projects.len() >= PROJECTS && !self.projects.contains_key(name);
        let name = if full { OTHER_PROJECTS } else { name };
        match self.projects.get_mut(name) {
            Some(project) => project.merge(more),
            None => {
                self.projects.insert(name.to_vec(), Box::new(more.clone()));
            }
        }
    }

    pub fn listed(&mut self, listing: &Listing, project: &[u8]) {
        self.count_many(By::DirectoryEntries, listing.entries, listing.bytes(), 1);
        self.count_many(By::DirectoryBytes, listing.bytes(), listing.bytes(), 1);
        self.add_to_project(project, &listing.project);
    }

    pub fn skip(&mut self, reason: &str) {
        match self.skipped.get_mut(reason) {
            Some(count) => *count += 1,
            None => {
                self.skipped.insert(reason.to_string(), 1);
            }
        }
    }

    /// Ages stay relative to the `now` with which they were counted.
    pub fn merge(&mut self, other: Contents) {
        self.now = self.now.max(other.now);
        self.kinds.iter_mut().zip(other.kinds).for_each(|(own, other)| *own += other);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.capacity = self.capacity.saturating_add(other.capacity);
        self.future += other.future;
        self.histograms.iter_mut().zip(&other.histograms).for_each(|(own, other)| own.merge(other));
        for (own, other) in [(&mut self.owners, other.owners), (&mut self.groups, other.groups)] {
            other.into_iter().for_each(|(id, share)| own.entry(id).or_default().merge(&share));
        }
        for (name, theirs) in other.projects {
            self.add_to_project(&name, &theirs);
        }
        self.largest.merge(other.largest);
        self.fullest.merge(other.fullest);
        self.heaviest.merge(other.heaviest);
        for (reason, count) in other.skipped {
            *self.skipped.entry(reason).or_default() += count;
        }
    }

    pub fn entries(&self) -> u64 {
        self.kinds.iter().sum()
    }
}

/// Capacity of a file system.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Room {
    pub bytes: u64,
    pub free_bytes: u64,
    /// Inodes.
    pub files: u64,
    /// Free inodes.
    pub free_files: u64,
}

/// The contents of one or more trees at one time.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub roots: Vec<Vec<u8>>,
    /// The machine that scanned.
    pub host: String,
    /// Seconds since the Unix epoch.
    pub begun: f64,
    /// Seconds since the Unix epoch.
    pub ended: f64,
    /// Summed over the file systems.
    pub room: Room,
    pub contents: Contents,
    pub trouble: Vec<Trouble>,
}

/// A path that could not be read, and why.
pub type Trouble = (Vec<u8>, String);

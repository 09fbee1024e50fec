//! What a file system holds: counts of everything found, by size, age, place and owner.
//!
//! [`Contents`] takes one [`Entry`] after the other and keeps sums only, so that its size does not depend on how many
//! there are. Two of them become one by [`Contents::merge`]: trees, hosts and threads are counted apart and joined.

mod histogram;
mod names;
mod top;

pub use histogram::{BINS, Bin, Histogram};
pub use names::{name_bytes, name_text};
pub use top::Top;

use std::collections::BTreeMap;

/// Seconds of a day: ages are counted in days.
const DAY: i64 = 86_400;
/// Bytes of a block, as the kernel counts what is allocated.
const BLOCK: u64 = 512;
/// Maximum number of projects; the rest is counted as one.
const PROJECTS: usize = 1 << 14;
/// The name of what comes after them.
pub const OTHER_PROJECTS: &[u8] = b"(others)";

/// What something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryKind {
    /// A file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A socket, a pipe, a device.
    Other,
}

/// One thing that was found.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// What it is.
    pub kind: EntryKind,
    /// Bytes as told, and blocks of 512 bytes that it takes.
    pub size: u64,
    /// See `size`.
    pub blocks: u64,
    /// Seconds since 1970: last access, last change of content, last change of anything.
    pub times: [i64; 3],
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Names that it has.
    pub links: u64,
    /// Directories above it, below the one that was scanned.
    pub depth: u64,
    /// Bytes of its name.
    pub name_len: u64,
}

/// What is in one directory, what is in its directories not counted.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// Things in it.
    pub entries: u64,
    /// What these are to a project.
    pub project: Project,
}

impl Listing {
    /// One more thing in it.
    pub fn add(&mut self, entry: &Entry) {
        self.entries += 1;
        self.project.add(entry);
    }

    /// Bytes of the files in it.
    pub fn bytes(&self) -> u64 {
        self.project.share.bytes
    }
}

/// Counts of everything by one property. The order is that of [`HISTOGRAMS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum By {
    /// Files by size.
    Size,
    /// Files by what they take.
    Capacity,
    /// Files by what they take beyond their size, and by what they lack.
    Overhead,
    /// See `Overhead`.
    Saved,
    /// Files by days since their last access, change, change of anything.
    AccessAge,
    /// See `AccessAge`.
    ModificationAge,
    /// See `AccessAge`.
    ChangeAge,
    /// Directories by entries.
    DirectoryEntries,
    /// Directories by bytes of the files in them.
    DirectoryBytes,
    /// Everything by directories above it.
    Depth,
    /// Everything by length of its name.
    NameLength,
    /// Files by names that they have.
    Links,
    /// Symbolic links by length of what they say.
    TargetLength,
}

/// Names of the histograms, in the order of [`By`].
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

/// What one owner, group or project has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    /// Files.
    pub files: u64,
    /// Directories.
    pub directories: u64,
    /// Bytes of the files.
    pub bytes: u64,
    /// Bytes that the files take.
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

    /// All that another has.
    pub fn merge(&mut self, other: &Share) {
        self.files = self.files.saturating_add(other.files);
        self.directories = self.directories.saturating_add(other.directories);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.capacity = self.capacity.saturating_add(other.capacity);
    }
}

/// A project: its share, and its files by size.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Project {
    /// What it has.
    pub share: Share,
    /// Its files by size.
    pub sizes: Histogram,
}

impl Project {
    /// One more thing of it.
    pub fn add(&mut self, entry: &Entry) {
        self.add_many(entry, 1);
    }

    /// Adds identical things of it.
    pub fn add_many(&mut self, entry: &Entry, count: u64) {
        self.share.add_many(entry, count);
        if entry.kind == EntryKind::File {
            self.sizes.add_many(entry.size, entry.size, count);
        }
    }

    /// All that another has.
    pub fn merge(&mut self, other: &Project) {
        self.share.merge(&other.share);
        self.sizes.merge(&other.sizes);
    }
}

/// Everything that was counted.
#[derive(Debug, Clone)]
pub struct Contents {
    /// The moment that ages refer to, in seconds since 1970.
    pub now: i64,
    /// Files, directories, symbolic links, others.
    pub kinds: [u64; 4],
    /// Bytes of files, and bytes that they take.
    pub bytes: u64,
    /// See `bytes`.
    pub capacity: u64,
    /// Files of a time after `now`: they count as of age 0.
    pub future: u64,
    /// By [`By`].
    pub histograms: Vec<Histogram>,
    /// By owner, by group.
    pub owners: BTreeMap<u32, Share>,
    /// See `owners`.
    pub groups: BTreeMap<u32, Share>,
    /// By top-level directory.
    pub projects: BTreeMap<Vec<u8>, Box<Project>>,
    /// Largest files; directories of most entries, of most bytes.
    pub largest: Top,
    /// See `largest`.
    pub fullest: Top,
    /// See `largest`.
    pub heaviest: Top,
    /// What was not looked at, by reason.
    pub skipped: BTreeMap<String, u64>,
}

impl Contents {
    /// Nothing yet; ages refer to `now`, and this many of the largest things are named.
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

    /// One of the histograms.
    pub fn by(&self, by: By) -> &Histogram {
        &self.histograms[by as usize]
    }

    /// Adds things, each with this value of one property and this weight.
    #[inline]
    pub fn count_many(&mut self, by: By, value: u64, weight: u64, count: u64) {
        self.histograms[by as usize].add_many(value, weight, count);
    }

    /// One more thing. What it is to a project goes with the directory it is in, see [`Contents::listed`].
    pub fn add(&mut self, entry: &Entry) {
        self.add_many(entry, 1);
    }

    /// Adds identical things.
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

    /// What a project, by its name, has more.
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

    /// A directory has been read, which belongs to this project.
    pub fn listed(&mut self, listing: &Listing, project: &[u8]) {
        self.count_many(By::DirectoryEntries, listing.entries, listing.bytes(), 1);
        self.count_many(By::DirectoryBytes, listing.bytes(), listing.bytes(), 1);
        self.add_to_project(project, &listing.project);
    }

    /// Something was not looked at.
    pub fn skip(&mut self, reason: &str) {
        match self.skipped.get_mut(reason) {
            Some(count) => *count += 1,
            None => {
                self.skipped.insert(reason.to_string(), 1);
            }
        }
    }

    /// All that another counted. Ages keep the moment they were counted at.
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

    /// Everything that was found.
    pub fn entries(&self) -> u64 {
        self.kinds.iter().sum()
    }
}

/// How much a file system can hold, and how much of that is free.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Room {
    /// Bytes.
    pub bytes: u64,
    /// Bytes.
    pub free_bytes: u64,
    /// Files.
    pub files: u64,
    /// Files.
    pub free_files: u64,
}

/// The contents of one or more trees at a time.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The trees, as they were named.
    pub roots: Vec<Vec<u8>>,
    /// The machine that looked.
    pub host: String,
    /// When it began and ended, in seconds since 1970.
    pub begun: f64,
    /// See `begun`.
    pub ended: f64,
    /// What the file systems can hold.
    pub room: Room,
    /// What was found.
    pub contents: Contents,
    /// The first things that could not be read.
    pub trouble: Vec<Trouble>,
}

/// What could not be read, and why.
pub type Trouble = (Vec<u8>, String);

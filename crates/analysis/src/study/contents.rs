//! Contents of file systems: figures 8 and 9, Table IV.

use std::collections::BTreeMap;

use marigraph_model::MIB;
pub use marigraph_model::contents::Bin;

use super::Choice;

/// The number of files that the published study warns about; used where a file system reports no
/// limit.
const FILES_LIMIT: f64 = 1e9;

/// One snapshot of a file system.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContentsFacts {
    /// The scanned directory trees.
    pub roots: String,
    /// Seconds since 1970.
    pub taken_s: f64,
    pub files: u64,
    pub bytes: u64,
    /// Bytes of the largest file.
    pub largest: u64,
    /// The number of files and bytes that the file system can hold, where known.
    pub room: Option<(u64, u64)>,
    pub sizes: Vec<Bin>,
    pub access_days: Vec<Bin>,
    pub modification_days: Vec<Bin>,
    /// Number of files and bytes.
    pub projects: BTreeMap<String, (u64, u64)>,
    pub project_sizes: BTreeMap<String, Vec<Bin>>,
}

/// One file system: the trees that its snapshots scanned.
#[derive(Debug, Clone, PartialEq)]
pub struct FileSystem {
    pub roots: String,
    /// Figure 8.
    pub sizes: FileSizes,
    /// Figure 9.
    pub ages: FileAges,
    /// Table IV; `None` with fewer than two snapshots.
    pub growth: Option<GrowthTable>,
    /// Whether another file system holds its trees.
    pub inside: bool,
}

/// Returns every file system with a snapshot in the chosen period, most bytes first.
pub fn file_systems(snapshots: &[ContentsFacts], choice: &Choice) -> Vec<FileSystem> {
    let groups = by_roots(snapshots, choice);
    let roots: Vec<&str> = groups.iter().filter_map(|group| Some(group.last()?.roots.as_str())).collect();
    let within = |own: &str| roots.iter().any(|other| *other != own && is_inside(own, other));
    let one = |group: &Vec<&ContentsFacts>| {
        let newest = group.last()?;
        Some(FileSystem {
            roots: newest.roots.clone(),
            sizes: sizes(group, choice)?,
            ages: ages(group)?,
            growth: growth(group),
            inside: within(&newest.roots),
        })
    };
    groups.iter().filter_map(one).collect()
}

/// Whether every tree of one list is a tree of another or below one.
fn is_inside(own: &str, other: &str) -> bool {
    let below = |tree: &str, root: &str| {
        let root = root.trim_end_matches('/');
        tree.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    own.split(',').all(|tree| other.split(',').any(|root| below(tree, root)))
}

/// Returns the snapshots in the chosen period by their trees, each group oldest first; the group
/// with the most bytes in its newest snapshot comes first.
fn by_roots<'s>(snapshots: &'s [ContentsFacts], choice: &Choice) -> Vec<Vec<&'s ContentsFacts>> {
    let mut by_roots: BTreeMap<&str, Vec<&ContentsFacts>> = BTreeMap::new();
    for snapshot in snapshots.iter().filter(|snapshot| choice.takes(snapshot.taken_s)) {
        by_roots.entry(&snapshot.roots).or_default().push(snapshot);
    }
    let sorted = |mut group: Vec<&'s ContentsFacts>| {
        group.sort_by(|one, two| one.taken_s.total_cmp(&two.taken_s));
        group
    };
    let mut groups: Vec<Vec<&ContentsFacts>> = by_roots.into_values().map(sorted).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.last().map_or(0, |newest| newest.bytes)));
    groups
}

/// Shares of files and of bytes, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Within {
    pub files: f64,
    pub bytes: f64,
}

/// Counts bins that end at or before `limit`.
fn below(bins: &[Bin], limit: u64) -> Within {
    let sum = |of: fn(&Bin) -> u64, end: u64| -> f64 {
        bins.iter().filter(|bin| bin.high <= end).map(|bin| of(bin) as f64).sum()
    };
    let share = |of: fn(&Bin) -> u64| {
        let all = sum(of, u64::MAX);
        if all > 0.0 { sum(of, limit) / all } else { 0.0 }
    };
    Within { files: share(|bin| bin.count), bytes: share(|bin| bin.bytes) }
}

/// File sizes with one project left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Without {
    pub project: String,
    pub bins: Vec<Bin>,
    pub below_1mib: Within,
}

/// The distribution of file sizes in one snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct FileSizes {
    /// Seconds since 1970.
    pub taken_s: f64,
    pub roots: String,
    pub files: u64,
    pub bytes: u64,
    pub largest: u64,
    pub bins: Vec<Bin>,
    /// Below 1, 2 and 128 MiB.
    pub below: [Within; 3],
    /// The same without the chosen project, or else without the project with the most files.
    pub without: Option<Without>,
}

/// Computes the file sizes of the newest snapshot.
fn sizes(snapshots: &[&ContentsFacts], choice: &Choice) -> Option<FileSizes> {
    let newest = snapshots.last()?;
    let chosen = choice.project.as_ref().filter(|name| newest.project_sizes.contains_key(*name));
    let most_files = || newest.projects.iter().max_by_key(|(_, (files, _))| *files).map(|(name, _)| name);
    let without = chosen.or_else(most_files).and_then(|name| {
        let own = newest.project_sizes.get(name)?;
        let bins = less(&newest.sizes, own);
        Some(Without { project: name.clone(), below_1mib: below(&bins, MIB), bins })
    });
    Some(FileSizes {
        taken_s: newest.taken_s,
        roots: newest.roots.clone(),
        files: newest.files,
        bytes: newest.bytes,
        largest: newest.largest,
        below: [MIB, 2 * MIB, 128 * MIB].map(|limit| below(&newest.sizes, limit)),
        bins: newest.sizes.clone(),
        without,
    })
}

pub fn most_popular(bins: &[Bin]) -> Option<Bin> {
    bins.iter().copied().max_by_key(|bin| bin.count)
}

fn less(all: &[Bin], own: &[Bin]) -> Vec<Bin> {
    let rest = |bin: &Bin| {
        let own = own.iter().find(|own| own.low == bin.low);
        Bin {
            count: bin.count.saturating_sub(own.map_or(0, |own| own.count)),
            bytes: bin.bytes.saturating_sub(own.map_or(0, |own| own.bytes)),
            ..*bin
        }
    };
    all.iter().map(rest).filter(|bin| bin.count > 0).collect()
}

/// One row of the growth table.
#[derive(Debug, Clone, PartialEq)]
pub struct GrowthRow {
    /// `None` for the total.
    pub project: Option<String>,
    /// Before and after.
    pub bytes: (u64, u64),
    pub files: (u64, u64),
    /// Share of the new files and bytes.
    pub of_new: Within,
}

/// Growth between the oldest and the newest snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct GrowthTable {
    /// When the two snapshots were taken, seconds since 1970.
    pub taken_s: (f64, f64),
    /// The total, then the projects, largest share of the growth first.
    pub rows: Vec<GrowthRow>,
    /// When linear growth reaches the limit, in seconds since 1970, and the limit.
    pub files_limit: Option<(f64, f64)>,
    /// As `files_limit`, in bytes.
    pub bytes_limit: Option<(f64, f64)>,
}

/// `None` with fewer than two snapshots of the same trees.
fn growth(snapshots: &[&ContentsFacts]) -> Option<GrowthTable> {
    let (first, last) = (snapshots.first()?, snapshots.last()?);
    if first.taken_s >= last.taken_s {
        return None;
    }
    let grown = |(before, after): (u64, u64)| after as f64 - before as f64;
    let all = GrowthRow {
        project: None,
        bytes: (first.bytes, last.bytes),
        files: (first.files, last.files),
        of_new: Within { files: 1.0, bytes: 1.0 },
    };
    let share = |own: (u64, u64), whole: (u64, u64)| {
        if grown(whole) > 0.0 { grown(own) / grown(whole) } else { 0.0 }
    };
    let names: std::collections::BTreeSet<&String> =
        first.projects.keys().chain(last.projects.keys()).collect();
    let part = |name: &String| {
        let of = |snapshot: &ContentsFacts| snapshot.projects.get(name).copied().unwrap_or((0, 0));
        let (before, after) = (of(first), of(last));
        let (files, bytes) = ((before.0, after.0), (before.1, after.1));
        let of_new = Within { files: share(files, all.files), bytes: share(bytes, all.bytes) };
        GrowthRow { project: Some(name.clone()), bytes, files, of_new }
    };
    let mut projects: Vec<GrowthRow> = names.into_iter().map(part).collect();
    let weight = |row: &GrowthRow| row.of_new.files.max(row.of_new.bytes);
    projects.sort_by(|one, two| weight(two).total_cmp(&weight(one)));
    let seconds = last.taken_s - first.taken_s;
    let reached = |own: (u64, u64), limit: f64| {
        let left = limit - own.1 as f64;
        (grown(own) > 0.0 && left > 0.0).then(|| (last.taken_s + left / grown(own) * seconds, limit))
    };
    let (room_files, room_bytes) = last.room.map_or((0, 0), |room| room);
    let files_limit = if room_files > 0 { room_files as f64 } else { FILES_LIMIT };
    Some(GrowthTable {
        taken_s: (first.taken_s, last.taken_s),
        files_limit: reached(all.files, files_limit),
        bytes_limit: (room_bytes > 0).then(|| reached(all.bytes, room_bytes as f64)).flatten(),
        rows: std::iter::once(all).chain(projects).collect(),
    })
}

/// The distribution of file ages in one snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct FileAges {
    /// Seconds since 1970.
    pub taken_s: f64,
    /// By days since the last access.
    pub access: Vec<Bin>,
    /// By days since the last modification.
    pub modification: Vec<Bin>,
    pub accessed_32: Within,
    pub accessed_64: Within,
    pub modified_64: Within,
}

/// Computes the file ages of the newest snapshot.
fn ages(snapshots: &[&ContentsFacts]) -> Option<FileAges> {
    let newest = snapshots.last()?;
    Some(FileAges {
        taken_s: newest.taken_s,
        accessed_32: below(&newest.access_days, 32),
        accessed_64: below(&newest.access_days, 64),
        modified_64: below(&newest.modification_days, 64),
        access: newest.access_days.clone(),
        modification: newest.modification_days.clone(),
    })
}

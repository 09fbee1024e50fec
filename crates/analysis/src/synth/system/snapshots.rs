//! Snapshots of the file system before and after the study, and the truth about them.

use marigraph_model::contents::{By, Contents, Entry, EntryKind, Project, Room, Snapshot};

use super::holdings::{
    ACCESSED_32, ACCESSED_64, Class, Holding, KIB, LARGE, LARGEST, MIB, MODIFIED_64, Recent, holdings,
};
use super::{DAY, EPOCH, SystemPlan, projects};

/// Named files, as many as `scan` names.
const NAMED: usize = 20;
/// Capacity: 5.2 PiB, and number of files.
const ROOM: (u64, u64) = (5_854_679_515_581_645, 1_000_000_000);

/// Ages in days and their weights: used within 32 days, from then to 64, and before.
const YOUNG: &[(i64, f64)] = &[(0, 1.0), (1, 1.0), (3, 1.5), (6, 2.0), (12, 2.0), (24, 2.5)];
const MIDDLE: &[(i64, f64)] = &[(40, 1.0), (55, 1.0)];
const OLD: &[(i64, f64)] = &[(80, 3.0), (150, 2.5), (300, 2.5), (600, 1.5), (1200, 0.5)];

/// Totals of a project or of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HoldingTruth {
    /// Before and after.
    pub files: [u64; 2],
    pub bytes: [u64; 2],
}

/// The truth about the two snapshots.
#[derive(Debug, Clone, PartialEq)]
pub struct ContentsTruth {
    /// Seconds since 1970.
    pub taken: [i64; 2],
    pub total: HoldingTruth,
    /// The project with most files.
    pub one: HoldingTruth,
    /// Name of that project.
    pub project: String,
    pub largest: u64,
    /// Start and file count of the most frequent size class: of all files, and without the one
    /// project.
    pub popular: [(u64, u64); 2],
    /// Files below 1 MiB, 2 MiB and 128 MiB.
    pub below: [u64; 3],
    /// Files below 1 MiB without the one project.
    pub below_without: u64,
    /// Accessed within 32 days, within 64 days, modified within 64 days.
    pub recent: [Recent; 3],
    pub room: (u64, u64),
}

pub fn snapshots(plan: &SystemPlan) -> ([Snapshot; 2], ContentsTruth) {
    let taken = [EPOCH, EPOCH + i64::from(plan.days) * DAY];
    let snapshots = [false, true].map(|after| snapshot(&holdings(after), taken[usize::from(after)]));
    let told = [holdings(false), holdings(true)];
    let [one, others] = &told[1];
    let total = |of: fn(&Holding) -> u64| told.each_ref().map(|both| both.iter().map(of).sum());
    let truth = ContentsTruth {
        taken,
        total: HoldingTruth { files: total(|one| one.files), bytes: total(|one| one.bytes) },
        one: HoldingTruth {
            files: told.each_ref().map(|both| both[0].files),
            bytes: told.each_ref().map(|both| both[0].bytes),
        },
        project: projects::name(0),
        largest: LARGEST,
        popular: [
            (64 * KIB, one.of_class(64 * KIB) + others.of_class(64 * KIB)),
            (512 * KIB, others.of_class(512 * KIB)),
        ],
        below: [MIB, 2 * MIB, LARGE].map(|limit| one.below(limit) + others.below(limit)),
        below_without: others.below(MIB),
        recent: [ACCESSED_32, ACCESSED_64, MODIFIED_64],
        room: ROOM,
    };
    (snapshots, truth)
}

fn snapshot(holdings: &[Holding; 2], taken: i64) -> Snapshot {
    let mut contents = Contents::new(taken, NAMED);
    let classes: Vec<Vec<Class>> = holdings.iter().map(Holding::classes).collect();
    let recent = [ACCESSED_32, ACCESSED_64, MODIFIED_64].map(|share| by_size(&classes, share));
    for (holding, classes) in holdings.iter().zip(&classes) {
        add(&mut contents, holding, classes, &recent);
    }
    let (bytes, files) = ROOM;
    Snapshot {
        roots: vec![b"/gpfs".to_vec()],
        host: "login1".to_string(),
        begun: (taken - 1800) as f64,
        ended: taken as f64,
        room: Room {
            bytes,
            free_bytes: bytes - contents.bytes,
            files,
            free_files: files - contents.kinds[0],
        },
        contents,
        trouble: Vec::new(),
    }
}

/// Shares of small and of large files that together give the wanted shares of all files and bytes.
fn by_size(classes: &[Vec<Class>], share: Recent) -> [f64; 2] {
    let mut sums = [[0.0; 2]; 3];
    for &(size, count) in classes.iter().flatten() {
        // The one largest file is old, whatever the share.
        let sum = &mut sums[if size == LARGEST { 2 } else { usize::from(size >= LARGE) }];
        sum[0] += count as f64;
        sum[1] += size as f64 * count as f64;
    }
    let [files, bytes] = [(0, share.files), (1, share.bytes)]
        .map(|(of, share)| share * sums.iter().map(|sum| sum[of]).sum::<f64>());
    let [[small, small_bytes], [large, large_bytes], _] = sums;
    let divisor = small * large_bytes - large * small_bytes;
    let of_small = (files * large_bytes - large * bytes) / divisor;
    let of_large = (small * bytes - files * small_bytes) / divisor;
    [of_small, of_large].map(|share| share.clamp(0.0, 1.0))
}

/// Adds the files of a holding, split at once by project, access age and modification age.
fn add(contents: &mut Contents, holding: &Holding, classes: &[Class], recent: &[[f64; 2]; 3]) {
    let first = holding.projects.start;
    let of_projects: Vec<f64> =
        holding.projects.clone().map(|at| 1.0 / ((at - first) as f64 + 4.0)).collect();
    let mut kept: Vec<Project> = vec![Project::default(); of_projects.len()];
    for &(size, count) in classes {
        let [at_32, at_64, modified] = recent.map(|shares| shares[usize::from(size >= LARGE)]);
        let parts = [(YOUNG, at_32), (MIDDLE, at_64 - at_32), (OLD, 1.0 - at_64)];
        let accessed = cut(count, parts.iter().flat_map(|(ages, share)| aged(ages, *share)));
        let parts = [(YOUNG, modified / 2.0), (MIDDLE, modified / 2.0), (OLD, 1.0 - modified)];
        let written = cut(count, parts.iter().flat_map(|(ages, share)| aged(ages, *share)));
        let owned = cut(count, of_projects.iter().enumerate().map(|(at, &weight)| (at as i64, weight)));
        let mut from = 0;
        while from < count {
            let next = [&accessed, &written, &owned].map(|parts| part_at(parts, from));
            let until = next.iter().map(|(_, until)| *until).min().unwrap_or(count);
            let [access, change, project] = next.map(|(value, _)| value);
            let at = project as usize;
            let entry = entry(EntryKind::File, size, [access, change, change], first + at, contents.now);
            contents.add_many(&entry, until - from);
            kept[at].add_many(&entry, until - from);
            if contents.largest.wants(size) {
                let name = format!("{}/data/{size}.h5", projects::name(first + at));
                contents.largest.add(size, name.into_bytes());
            }
            from = until;
        }
    }
    for (at, project) in kept.iter_mut().enumerate() {
        add_folders(contents, project, first + at);
        contents.add_to_project(projects::name(first + at).as_bytes(), project);
    }
}

fn add_folders(contents: &mut Contents, project: &mut Project, number: usize) {
    let folders = project.share.files / 1000 + 1;
    let folder = entry(EntryKind::Directory, 4096, [100; 3], number, contents.now);
    contents.add_many(&folder, folders);
    project.add_many(&folder, folders);
    let (entries, bytes) = (project.share.files / folders, project.share.bytes / folders);
    contents.count_many(By::DirectoryEntries, entries, bytes, folders);
    contents.count_many(By::DirectoryBytes, bytes, bytes, folders);
}

fn entry(kind: EntryKind, size: u64, days: [i64; 3], project: usize, now: i64) -> Entry {
    Entry {
        kind,
        size,
        blocks: size.div_ceil(512),
        times: days.map(|days| now - days * DAY - 3600),
        uid: 10_000 + project as u32 * 3,
        gid: 20_000 + project as u32,
        links: 1,
        depth: 3,
        name_len: 12,
    }
}

/// Scales the weights so that they sum to `share`.
fn aged(ages: &'static [(i64, f64)], share: f64) -> impl Iterator<Item = (i64, f64)> {
    let sum: f64 = ages.iter().map(|(_, weight)| weight).sum();
    ages.iter().map(move |&(age, weight)| (age, weight / sum * share))
}

/// Divides `count` by weight; gives the end of each value's range.
fn cut(count: u64, weighted: impl Iterator<Item = (i64, f64)>) -> Vec<(i64, u64)> {
    let weighted: Vec<(i64, f64)> = weighted.collect();
    let sum: f64 = weighted.iter().map(|(_, weight)| weight).sum();
    let mut before = 0.0;
    let mut ends: Vec<(i64, u64)> = weighted
        .iter()
        .map(|&(value, weight)| {
            before += weight;
            (value, (count as f64 * before / sum).round() as u64)
        })
        .collect();
    if let Some(last) = ends.last_mut() {
        last.1 = count;
    }
    ends
}

/// The value at a position, and the end of its range.
fn part_at(parts: &[(i64, u64)], at: u64) -> (i64, u64) {
    let found = parts.iter().find(|(_, until)| *until > at);
    found.copied().unwrap_or((0, u64::MAX))
}

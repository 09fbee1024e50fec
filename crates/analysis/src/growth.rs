//! Growth between two snapshots of a file system: what grew, whose it is, and when it will be full.

use std::collections::BTreeSet;

use marigraph_model::contents::{Contents, Share, Snapshot};

/// A number before and after.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    pub before: f64,
    pub after: f64,
}

impl Change {
    pub fn grown(&self) -> f64 {
        self.after - self.before
    }

    /// Growth relative to the first snapshot; `None` if that was zero.
    pub fn ratio(&self) -> Option<f64> {
        (self.before != 0.0).then(|| self.grown() / self.before)
    }
}

/// Files and bytes of one part of a file system.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    pub files: Change,
    pub bytes: Change,
    /// `None` if the total did not grow.
    pub share_of_new_files: Option<f64>,
    pub share_of_new_bytes: Option<f64>,
}

/// When linear growth reaches a limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Full {
    /// Seconds after the second snapshot.
    In(f64),
    Now,
    Never,
}

/// The changes from one snapshot to another.
#[derive(Debug, Clone)]
pub struct Growth {
    /// Between the two snapshots.
    pub seconds: f64,
    pub whole: Part,
    pub directories: Change,
    /// Largest growth in bytes first.
    pub projects: Vec<(Vec<u8>, Part)>,
    pub owners: Vec<(u32, Part)>,
    pub groups: Vec<(u32, Part)>,
    /// Files by size: the lower end of a bin, and its files.
    pub sizes: Vec<(u64, Change)>,
    /// `None` if there is no limit.
    pub bytes_full: Option<Full>,
    pub files_full: Option<Full>,
}

/// Limits that override those of the file system.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    pub bytes: Option<u64>,
    pub files: Option<u64>,
}

pub fn growth(before: &Snapshot, after: &Snapshot, limits: Limits) -> Growth {
    let (one, two) = (&before.contents, &after.contents);
    let seconds = after.ended - before.ended;
    let change = |before: u64, after: u64| Change { before: before as f64, after: after as f64 };
    let (files, bytes) = (change(one.kinds[0], two.kinds[0]), change(one.bytes, two.bytes));
    let of = |before: Share, after: Share| {
        let (own_files, own_bytes) = (change(before.files, after.files), change(before.bytes, after.bytes));
        let share = |own: Change, all: Change| (all.grown() > 0.0).then(|| own.grown() / all.grown());
        Part {
            files: own_files,
            bytes: own_bytes,
            share_of_new_files: share(own_files, files),
            share_of_new_bytes: share(own_bytes, bytes),
        }
    };
    let whole =
        |contents: &Contents| Share { files: contents.kinds[0], bytes: contents.bytes, ..Share::default() };
    let project = |contents: &Contents, name: &Vec<u8>| contents.projects.get(name).map(|own| own.share);
    let projects = keys(one.projects.keys(), two.projects.keys());
    let parts = projects.into_iter().map(|name| {
        let part = of(project(one, &name).unwrap_or_default(), project(two, &name).unwrap_or_default());
        (name, part)
    });
    let people = |one: &std::collections::BTreeMap<u32, Share>,
                  two: &std::collections::BTreeMap<u32, Share>| {
        let share = |shares: &std::collections::BTreeMap<u32, Share>, id: u32| {
            shares.get(&id).copied().unwrap_or_default()
        };
        let ids = keys(one.keys(), two.keys());
        ordered(ids.into_iter().map(|id| (id, of(share(one, id), share(two, id)))).collect())
    };
    let bytes_limit = limits.bytes.or((after.room.bytes > 0).then_some(after.room.bytes));
    let files_limit = limits.files.or((after.room.files > 0).then_some(after.room.files));
    Growth {
        seconds,
        whole: of(whole(one), whole(two)),
        directories: change(one.kinds[1], two.kinds[1]),
        projects: ordered(parts.collect()),
        owners: people(&one.owners, &two.owners),
        groups: people(&one.groups, &two.groups),
        sizes: sizes(one, two),
        bytes_full: bytes_limit.map(|limit| full(bytes, limit, seconds)),
        files_full: files_limit.map(|limit| full(files, limit, seconds)),
    }
}

fn keys<'a, K: Ord + Clone + 'a>(
    one: impl Iterator<Item = &'a K>,
    two: impl Iterator<Item = &'a K>,
) -> BTreeSet<K> {
    one.chain(two).cloned().collect()
}

fn ordered<K>(mut parts: Vec<(K, Part)>) -> Vec<(K, Part)> {
    let grown = |part: &Part| (part.bytes.grown(), part.files.grown());
    parts.sort_by(|one, two| {
        let (one, two) = (grown(&one.1), grown(&two.1));
        two.0.total_cmp(&one.0).then(two.1.total_cmp(&one.1))
    });
    parts
}

fn sizes(one: &Contents, two: &Contents) -> Vec<(u64, Change)> {
    use marigraph_model::contents::By::Size;
    let lows: BTreeSet<u64> = one.by(Size).bins().chain(two.by(Size).bins()).map(|bin| bin.low).collect();
    let count = |contents: &Contents, low: u64| {
        contents.by(Size).bins().find(|bin| bin.low == low).map_or(0, |bin| bin.count) as f64
    };
    lows.into_iter().map(|low| (low, Change { before: count(one, low), after: count(two, low) })).collect()
}

/// Extrapolates linearly.
fn full(change: Change, limit: u64, seconds: f64) -> Full {
    let left = limit as f64 - change.after;
    if left <= 0.0 {
        Full::Now
    } else if change.grown() <= 0.0 || seconds <= 0.0 {
        Full::Never
    } else {
        Full::In(left / change.grown() * seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::{Full, Limits, growth};
    use marigraph_model::contents::{Contents, Entry, EntryKind, Listing, Room, Snapshot};

    fn snapshot(at: f64, a: u64, b: u64) -> Snapshot {
        let mut contents = Contents::new(at as i64, 0);
        for (project, count, uid) in [(&b"a"[..], a, 1), (b"b", b, 2)] {
            let mut listing = Listing::default();
            for _ in 0..count {
                let entry = Entry {
                    kind: EntryKind::File,
                    size: 1000,
                    blocks: 8,
                    times: [0; 3],
                    uid,
                    gid: 5,
                    links: 1,
                    depth: 2,
                    name_len: 3,
                };
                contents.add(&entry);
                listing.add(&entry);
            }
            contents.listed(&listing, project);
        }
        let room = Room { bytes: 100_000, ..Room::default() };
        Snapshot { roots: vec![], host: String::new(), begun: at, ended: at, room, contents, trouble: vec![] }
    }

    #[test]
    fn who_made_it_grow_is_told() {
        let growth = growth(&snapshot(0.0, 10, 10), &snapshot(86_400.0, 12, 18), Limits::default());
        assert_eq!((growth.whole.files.before, growth.whole.files.after), (20.0, 30.0));
        assert_eq!(growth.whole.bytes.ratio(), Some(0.5));
        assert_eq!(growth.projects[0].0, b"b");
        assert_eq!(growth.projects[0].1.share_of_new_files, Some(0.8));
        assert_eq!(growth.owners[0].0, 2);
        // 70,000 bytes are left, and a day adds 10,000.
        assert_eq!((growth.bytes_full, growth.files_full), (Some(Full::In(7.0 * 86_400.0)), None));
    }

    #[test]
    fn what_shrinks_is_never_full_and_what_is_full_is() {
        let (large, small) = (snapshot(0.0, 50, 50), snapshot(10.0, 1, 0));
        assert_eq!(growth(&large, &small, Limits::default()).bytes_full, Some(Full::Never));
        let limits = Limits { bytes: Some(500), files: Some(4) };
        let shrunk = growth(&large, &small, limits);
        assert_eq!((shrunk.bytes_full, shrunk.files_full), (Some(Full::Now), Some(Full::Never)));
        assert_eq!(shrunk.whole.share_of_new_files, None);
    }
}

//! A snapshot of a file system as rows of `snapshots`.

use marigraph_formats::snapshot;
use marigraph_model::contents::{HISTOGRAMS, Histogram, Share, Snapshot, name_text};
use marigraph_store::tables::SNAPSHOTS;
use marigraph_store::{Cell, Ingest, JobKey, Rows};

use super::Tables;
use crate::error::Failure;
use crate::input::Input;

/// Everything that it counts.
pub fn gather(input: &Input<'_>, ingest: &Ingest) -> Result<Option<Tables>, Failure> {
    let kept = snapshot::read(input.content).map_err(|error| input.refused(&error))?;
    if kept.left.is_some() {
        let hint = Some("marigraph scan --resume goes on with it".to_string());
        let message = "the scan was interrupted".to_string();
        return Err(Failure::Input { path: input.name.to_string(), message, hint });
    }
    let key = JobKey::of(input.content);
    if !ingest.claim(key) {
        return Ok(None);
    }
    let key = key.to_string();
    let roots: Vec<String> = kept.snapshot.roots.iter().map(|root| name_text(root)).collect();
    let mut table = Numbers {
        rows: Rows::new(&SNAPSHOTS),
        key: &key,
        roots: &roots.join(","),
        snapshot: &kept.snapshot,
        source: input.name,
    };
    table.totals();
    table.shares();
    table.histograms();
    table.tops();
    Ok(Some(vec![(&SNAPSHOTS, table.rows)]))
}

/// Rows of one snapshot.
struct Numbers<'a> {
    rows: Rows,
    key: &'a str,
    roots: &'a str,
    snapshot: &'a Snapshot,
    source: &'a str,
}

/// What a row tells beside the snapshot that it is of.
#[derive(Clone, Copy)]
struct Number<'a> {
    part: &'a str,
    name: Cell<'a>,
    bin: Option<(u64, u64)>,
    count: u64,
    bytes: Option<u64>,
    capacity: Option<u64>,
}

impl Numbers<'_> {
    fn push(&mut self, number: Number<'_>) {
        let Number { part, name, bin, count, bytes, capacity } = number;
        self.rows.push(&[
            self.key.into(),
            self.roots.into(),
            self.snapshot.host.as_str().into(),
            self.snapshot.ended.into(),
            part.into(),
            name,
            bin.map(|(low, _)| low).into(),
            bin.map(|(_, high)| high).into(),
            count.into(),
            bytes.into(),
            capacity.into(),
            self.source.into(),
        ]);
    }

    fn totals(&mut self) {
        let contents = &self.snapshot.contents;
        let plain = Number { part: "", name: Cell::Null, bin: None, count: 0, bytes: None, capacity: None };
        let (bytes, capacity) = (Some(contents.bytes), Some(contents.capacity));
        self.push(Number { part: "total", count: contents.kinds[0], bytes, capacity, ..plain });
        for (name, &count) in ["file", "directory", "link", "other"].iter().zip(&contents.kinds) {
            self.push(Number { part: "kind", name: (*name).into(), count, ..plain });
        }
        let room = self.snapshot.room;
        for (name, count, bytes) in
            [("all", room.files, room.bytes), ("free", room.free_files, room.free_bytes)]
        {
            self.push(Number { part: "room", name: name.into(), count, bytes: Some(bytes), ..plain });
        }
    }

    fn shares(&mut self) {
        let contents = &self.snapshot.contents;
        for (part, shares) in [("owner", &contents.owners), ("group", &contents.groups)] {
            for (id, share) in shares {
                self.share(part, &id.to_string(), share);
            }
        }
        for (name, project) in &contents.projects {
            let name = name_text(name);
            self.share("project", &name, &project.share);
            self.histogram("project_size", name.as_str().into(), &project.sizes);
        }
    }

    fn share(&mut self, part: &str, name: &str, share: &Share) {
        let (bytes, capacity) = (Some(share.bytes), Some(share.capacity));
        self.push(Number { part, name: name.into(), bin: None, count: share.files, bytes, capacity });
    }

    fn histograms(&mut self) {
        let snapshot = self.snapshot;
        for (name, histogram) in HISTOGRAMS.iter().zip(&snapshot.contents.histograms) {
            self.histogram(name, Cell::Null, histogram);
            let count = histogram.count();
            if count > 0 {
                let (range, bytes) = (Some((histogram.least, histogram.most)), Some(histogram.bytes()));
                self.push(Number {
                    part: "range",
                    name: (*name).into(),
                    bin: range,
                    count,
                    bytes,
                    capacity: None,
                });
            }
        }
    }

    /// The three lists of the largest things.
    fn tops(&mut self) {
        let contents = &self.snapshot.contents;
        let lists = [
            ("largest_file", &contents.largest, true),
            ("fullest_directory", &contents.fullest, false),
            ("heaviest_directory", &contents.heaviest, true),
        ];
        for (part, top, is_bytes) in lists {
            for (value, name) in top.ordered() {
                let name = name_text(&name);
                let (count, bytes) = if is_bytes { (1, Some(value)) } else { (value, None) };
                self.push(Number {
                    part,
                    name: name.as_str().into(),
                    bin: None,
                    count,
                    bytes,
                    capacity: None,
                });
            }
        }
    }

    fn histogram(&mut self, part: &str, name: Cell<'_>, histogram: &Histogram) {
        for bin in histogram.bins() {
            let (edges, bytes) = (Some((bin.low, bin.high)), Some(bin.bytes));
            self.push(Number { part, name, bin: edges, count: bin.count, bytes, capacity: None });
        }
    }
}

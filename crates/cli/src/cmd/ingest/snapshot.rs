//! A snapshot of a file system as rows of `snapshots`.

use marigraph_formats::snapshot;
use marigraph_model::contents::{HISTOGRAMS, Histogram, Share, Snapshot, name_text};
use marigraph_store::tables::SnapshotRow;
use marigraph_store::{Ingest, JobKey, Rows};

use crate::error::Failure;
use crate::input::Input;

pub fn gather(input: &Input<'_>, ingest: &Ingest) -> Result<Option<Rows>, Failure> {
    let kept = snapshot::read(input.content).map_err(|error| input.refused(&error))?;
    if kept.left.is_some() {
        let hint = Some("marigraph scan --resume continues it".to_string());
        let message = "the scan was interrupted".to_string();
        return Err(Failure::Input { path: input.name.to_string(), message, hint });
    }
    let key = JobKey::of(input.content);
    if !ingest.claim(key) {
        return Ok(None);
    }
    let key = key.to_string();
    let roots: Vec<String> = kept.snapshot.roots.iter().map(|root| name_text(root)).collect();
    let plain = SnapshotRow {
        row_key: &key,
        roots: &roots.join(","),
        host: &kept.snapshot.host,
        taken_s: Some(kept.snapshot.ended),
        source: input.name,
        ..SnapshotRow::default()
    };
    let mut numbers = Numbers { rows: Rows::default(), plain, snapshot: &kept.snapshot };
    numbers.totals();
    numbers.shares();
    numbers.histograms();
    numbers.tops();
    Ok(Some(numbers.rows))
}

struct Numbers<'a> {
    rows: Rows,
    plain: SnapshotRow<'a>,
    snapshot: &'a Snapshot,
}

impl Numbers<'_> {
    fn totals(&mut self) {
        let Numbers { rows, plain, snapshot } = self;
        let contents = &snapshot.contents;
        let (bytes, capacity) = (Some(contents.bytes), Some(contents.capacity));
        rows.push(SnapshotRow { part: "total", count: contents.kinds[0], bytes, capacity, ..*plain });
        for (name, &count) in ["file", "directory", "link", "other"].into_iter().zip(&contents.kinds) {
            rows.push(SnapshotRow { part: "kind", name: Some(name), count, ..*plain });
        }
        let room = snapshot.room;
        for (name, count, bytes) in
            [("all", room.files, room.bytes), ("free", room.free_files, room.free_bytes)]
        {
            rows.push(SnapshotRow { part: "room", name: Some(name), count, bytes: Some(bytes), ..*plain });
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
            self.histogram("project_size", Some(&name), &project.sizes);
        }
    }

    fn share(&mut self, part: &str, name: &str, share: &Share) {
        let (bytes, capacity) = (Some(share.bytes), Some(share.capacity));
        let name = Some(name);
        self.rows.push(SnapshotRow { part, name, count: share.files, bytes, capacity, ..self.plain });
    }

    fn histograms(&mut self) {
        for (name, histogram) in HISTOGRAMS.into_iter().zip(&self.snapshot.contents.histograms) {
            self.histogram(name, None, histogram);
            let count = histogram.count();
            if count > 0 {
                let (low, high) = (Some(histogram.least), Some(histogram.most));
                let (name, bytes) = (Some(name), Some(histogram.bytes()));
                self.rows.push(SnapshotRow { part: "range", name, low, high, count, bytes, ..self.plain });
            }
        }
    }

    fn tops(&mut self) {
        let contents = &self.snapshot.contents;
        let lists = [
            ("largest_file", &contents.largest, true),
            ("fullest_directory", &contents.fullest, false),
            ("heaviest_directory", &contents.heaviest, true),
        ];
        for (part, top, is_bytes) in lists {
            for (value, name) in top.ordered() {
                let (count, bytes) = if is_bytes { (1, Some(value)) } else { (value, None) };
                let name = Some(&*name_text(&name));
                self.rows.push(SnapshotRow { part, name, count, bytes, ..self.plain });
            }
        }
    }

    fn histogram(&mut self, part: &str, name: Option<&str>, histogram: &Histogram) {
        for bin in histogram.bins() {
            let (low, high, bytes) = (Some(bin.low), Some(bin.high), Some(bin.bytes));
            self.rows.push(SnapshotRow { part, name, low, high, count: bin.count, bytes, ..self.plain });
        }
    }
}

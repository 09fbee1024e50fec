//! Snapshots of file systems, as `marigraph scan` stores them: one line of JSON.
//!
//! An interrupted scan has more lines, each with a directory still to be read. Names may be any
//! bytes: those that are not plain text are written like `%FF`, and `%` itself as `%25`.

mod read;

pub use read::{read, sniff};

use marigraph_model::contents::{HISTOGRAMS, Histogram, Share, Snapshot, Top, name_text};
use serde_json::{Map, Value, json};

const FORMAT: &str = "marigraph-snapshot";
const VERSION: u64 = 1;

/// A snapshot, and what is left to do.
#[derive(Debug, Clone)]
pub struct Kept {
    pub snapshot: Snapshot,
    /// `None` if it is complete; else the number of finished trees, and unread directories of the
    /// next.
    pub left: Option<(usize, Vec<Vec<u8>>)>,
}

/// The first line: all of a complete snapshot. Directories of an interrupted one follow, see
/// [`pending_line`].
pub fn write(snapshot: &Snapshot, trees_done: Option<usize>) -> Vec<u8> {
    let contents = &snapshot.contents;
    let [files, directories, links, others] = contents.kinds;
    let shares = |shares: &std::collections::BTreeMap<u32, Share>| {
        shares
            .iter()
            .map(|(id, share)| json!([id, share.files, share.directories, share.bytes, share.capacity]))
            .collect::<Vec<_>>()
    };
    let histograms: Map<String, Value> = HISTOGRAMS
        .iter()
        .zip(&contents.histograms)
        .map(|(name, one)| (name.to_string(), histogram(one)))
        .collect();
    let projects = contents.projects.iter().map(|(name, project)| {
        let Share { files, directories, bytes, capacity } = project.share;
        json!({ "name": name_text(name), "share": [files, directories, bytes, capacity], "sizes": histogram(&project.sizes) })
    });
    let room = snapshot.room;
    let line = json!({
        "format": FORMAT,
        "version": VERSION,
        "complete": trees_done.is_none(),
        "trees_done": trees_done,
        "roots": snapshot.roots.iter().map(|root| name_text(root)).collect::<Vec<_>>(),
        "host": snapshot.host,
        "begun": snapshot.begun,
        "ended": snapshot.ended,
        "now": contents.now,
        "room": [room.bytes, room.free_bytes, room.files, room.free_files],
        "kinds": [files, directories, links, others],
        "bytes": contents.bytes,
        "capacity": contents.capacity,
        "future": contents.future,
        "histograms": histograms,
        "owners": shares(&contents.owners),
        "groups": shares(&contents.groups),
        "projects": projects.collect::<Vec<_>>(),
        "largest": top(&contents.largest),
        "fullest": top(&contents.fullest),
        "heaviest": top(&contents.heaviest),
        "skipped": contents.skipped,
        "trouble": snapshot.trouble.iter().map(|(path, why)| json!([name_text(path), why])).collect::<Vec<_>>(),
    });
    format!("{line}\n").into_bytes()
}

pub fn pending_line(path: &[u8]) -> String {
    format!("{}\n", name_text(path))
}

fn top(top: &Top) -> Value {
    top.ordered().into_iter().map(|(value, name)| json!([value, name_text(&name)])).collect()
}

fn histogram(histogram: &Histogram) -> Value {
    let bins: Vec<Value> = histogram.bins().map(|bin| json!([bin.low, bin.count, bin.bytes])).collect();
    json!({
        "least": histogram.least,
        "most": histogram.most,
        "sum": histogram.sum.to_string(),
        "bins": bins,
    })
}

#[cfg(test)]
mod tests;

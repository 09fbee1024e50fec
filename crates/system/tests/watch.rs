//! Watching parts that grow.

#![allow(clippy::expect_used)] // a test may stop

#[path = "../../formats/src/native/parts/made.rs"]
mod made;

use std::path::Path;

use made::Made;
use marigraph_system::parts::{list, remove};
use marigraph_system::watch::{New, Watch};

fn put(folder: &Path, made: &Made) {
    std::fs::write(folder.join(format!("{}.log", made.stem)), made.log()).expect("log");
    if let Some(live) = made.live() {
        std::fs::write(folder.join(format!("{}.live", made.stem)), live).expect("live");
    }
}

#[test]
fn each_record_is_handed_over_once() {
    let folder = std::env::temp_dir().join(format!("marigraph-watch-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("folder");
    let mut made = Made::new(4);
    let all = made.writes(1, "/x", 1_000_000, 600);
    let mut watch = Watch::new(&folder, &["old".to_string()]);
    std::fs::write(folder.join("old.log"), b"x").expect("old");
    let mut look = |used: bool| {
        let mut seen: Vec<(usize, u64, usize)> = Vec::new();
        watch
            .look(&mut |new: New| {
                let first = new.tails.first().map_or(0, |tail| tail.first);
                let records = new.tails.iter().map(|tail| tail.records.len()).sum();
                seen.push((new.log.len(), first, records));
                (if used { new.log.len() } else { 0 }, false)
            })
            .expect("looks");
        seen
    };
    assert_eq!(look(true), []);
    made.threads[0].1 = all[..200].to_vec();
    put(&folder, &made);
    let log = made.log().len();
    assert_eq!(look(false), [(log, 0, 200)]);
    assert_eq!(look(true), [(log, 0, 0)]);
    made.threads[0].1 = all[..450].to_vec();
    put(&folder, &made);
    assert_eq!(look(true), [(0, 200, 250)]);
    assert_eq!(look(true), [(0, 0, 0)]);
    let parts = list(&folder).expect("lists");
    assert_eq!(parts.len(), 2);
    remove(&parts, std::slice::from_ref(&folder)).expect("removes");
    assert!(!folder.exists());
}

//! Follows a file that grows, shrinks, disappears and reappears.

#![allow(clippy::expect_used, clippy::print_stderr)]

#[path = "../../cli/tests/common/folder.rs"]
mod folder;

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use folder::Folder;
use marigraph_system::arrival::{Arrival, Restart};
use marigraph_system::follow::Follow;

struct Place(Folder);

impl Place {
    fn new(name: &str) -> Place {
        Place(Folder::new(&format!("follow-{name}")))
    }
    fn file(&self) -> PathBuf {
        self.0.0.join("live.jsonl")
    }
    fn append(&self, text: &str) {
        let file = OpenOptions::new().append(true).create(true).open(self.file());
        file.expect("opens").write_all(text.as_bytes()).expect("writes");
    }
}

/// Everything available now.
fn all(follow: &mut Follow) -> Vec<Arrival> {
    std::iter::from_fn(|| follow.look().expect("looks")).collect()
}

fn bytes(text: &str) -> Arrival {
    Arrival::Bytes { source: 0, bytes: text.as_bytes().to_vec() }
}

fn restarted(why: Restart) -> Arrival {
    Arrival::Restarted { source: 0, why }
}

#[test]
fn a_file_is_waited_for_and_followed_in_pieces() {
    let place = Place::new("grows");
    let mut follow = Follow::new(&place.file());
    assert_eq!(all(&mut follow), []);
    place.append("half a li");
    assert_eq!(all(&mut follow), [bytes("half a li")]);
    assert_eq!(all(&mut follow), []);
    place.append("ne\nand");
    assert_eq!(all(&mut follow), [bytes("ne\nand")]);
    let large = "x".repeat(3 << 20);
    place.append(&large);
    let pieces = all(&mut follow);
    assert!(pieces.len() > 1);
    let length = |arrival: &Arrival| if let Arrival::Bytes { bytes, .. } = arrival { bytes.len() } else { 0 };
    assert_eq!(pieces.iter().map(length).sum::<usize>(), large.len());
}

#[test]
fn truncation_restarts_the_stream() {
    let place = Place::new("truncated");
    place.append("one\ntwo\n");
    let mut follow = Follow::new(&place.file());
    assert_eq!(all(&mut follow), [bytes("one\ntwo\n")]);
    File::create(place.file()).expect("truncates");
    assert_eq!(all(&mut follow), [restarted(Restart::Truncated)]);
    place.append("three\n");
    assert_eq!(all(&mut follow), [bytes("three\n")]);
}

#[test]
fn truncation_is_noticed_though_the_file_is_longer_already() {
    let place = Place::new("rewritten");
    place.append("one\n");
    let mut follow = Follow::new(&place.file());
    assert_eq!(all(&mut follow), [bytes("one\n")]);
    fs::write(place.file(), "two\nthree\n").expect("writes");
    assert_eq!(all(&mut follow), [restarted(Restart::Rewritten), bytes("two\nthree\n")]);
}

#[test]
fn a_file_of_the_same_name_takes_its_place() {
    let place = Place::new("replaced");
    place.append("one\n");
    let mut follow = Follow::new(&place.file());
    assert_eq!(all(&mut follow), [bytes("one\n")]);
    // What was appended to the old file is read before the new one.
    place.append("two\n");
    fs::rename(place.file(), place.0.0.join("old")).expect("renames");
    place.append("one\n");
    assert_eq!(all(&mut follow), [bytes("two\n"), restarted(Restart::Replaced), bytes("one\n")]);
}

#[test]
fn a_removed_file_may_come_again() {
    let place = Place::new("removed");
    place.append("one\n");
    let mut follow = Follow::new(&place.file());
    assert_eq!(all(&mut follow), [bytes("one\n")]);
    fs::remove_file(place.file()).expect("removes");
    assert_eq!(all(&mut follow), []);
    place.append("two\n");
    // The system may reuse the inode number, but not while the old file is held open.
    assert_eq!(all(&mut follow), [restarted(Restart::Replaced), bytes("two\n")]);
}

#[test]
fn waiting_ends_with_news_or_with_the_limit() {
    let place = Place::new("waits");
    let mut follow = Follow::new(&place.file());
    assert_eq!(follow.wait(Duration::from_millis(20)).expect("waits"), None);
    let file = place.file();
    let writer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        fs::write(file, "late\n").expect("writes");
    });
    let mut seen = None;
    while seen.is_none() {
        seen = follow.wait(Duration::from_secs(60)).expect("waits");
    }
    assert_eq!(seen, Some(bytes("late\n")));
    writer.join().expect("joins");
}

#[test]
fn a_folder_cannot_be_followed() {
    let place = Place::new("folder");
    assert!(Follow::new(&place.0.0).look().is_err());
}

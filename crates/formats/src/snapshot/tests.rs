use marigraph_model::contents::{Contents, Entry, EntryKind, Listing, Room, Snapshot};

use super::{pending_line, read, sniff, write};
use crate::error::Error;

fn snapshot() -> Snapshot {
    let mut contents = Contents::new(1_700_000_000, 3);
    let mut listing = Listing::default();
    for at in 0..50u64 {
        let kind =
            [EntryKind::File, EntryKind::File, EntryKind::Directory, EntryKind::Link, EntryKind::Other]
                [at as usize % 5];
        let times = [1_700_000_000 - at as i64 * 90_000, 1_600_000_000, 1_700_000_100];
        let entry = Entry {
            kind,
            size: at * at * 1000,
            blocks: at,
            times,
            uid: at as u32 % 3,
            gid: 7,
            links: 1 + at % 2,
            depth: at % 4,
            name_len: at,
        };
        contents.add(&entry);
        listing.add(&entry);
        if kind == EntryKind::File {
            contents.largest.add(entry.size, vec![b'f', b'/', at as u8 + 180]);
        }
    }
    contents.listed(&listing, b"a%b\xff\n");
    contents.skip("vanished");
    let trouble = vec![(b"x\xfe".to_vec(), "no".to_string())];
    let room = Room { bytes: 9, free_bytes: 8, files: 7, free_files: 6 };
    Snapshot {
        roots: vec![b"/data".to_vec()],
        host: "h".into(),
        begun: 1.5,
        ended: 2.5,
        room,
        contents,
        trouble,
    }
}

#[test]
fn what_is_written_is_read() {
    let bytes = write(&snapshot(), None);
    assert!(sniff(&bytes));
    let kept = read(&bytes).expect("reads");
    assert!(kept.left.is_none());
    assert_eq!(write(&kept.snapshot, None), bytes);
    let project = kept.snapshot.contents.projects.get(&b"a%b\xff\n"[..]).expect("the project");
    assert_eq!(project.share.files, 20);
    assert_eq!(kept.snapshot.contents.histograms, snapshot().contents.histograms);
}

#[test]
fn what_is_left_is_read_too() {
    let mut bytes = write(&snapshot(), Some(2));
    let left: [&[u8]; 3] = [b"", b"a/b\n%c", b"\xff\xfe"];
    left.iter().for_each(|path| bytes.extend(pending_line(path).into_bytes()));
    let (done, paths) = read(&bytes).expect("reads").left.expect("more to do");
    assert_eq!((done, paths), (2, left.iter().map(|path| path.to_vec()).collect()));
}

#[test]
fn damage_is_told() {
    let bytes = write(&snapshot(), None);
    for cut in 0..bytes.len() {
        assert!(read(&bytes[..cut]).is_err() || cut + 1 == bytes.len(), "cut at {cut}");
    }
    let text = String::from_utf8(bytes).expect("text");
    let newer = text.replace("\"version\":1", "\"version\":2");
    assert_eq!(
        read(newer.as_bytes()).err(),
        Some(Error::Version { format: "snapshot", found: "2".to_string() })
    );
    for (from, to) in [
        ("\"kinds\":[20", "\"kinds\":[21"),
        ("\"room\":[9", "\"room\":[-9"),
        ("\"bins\":[[", "\"bins\":[[3,1,1],["),
    ] {
        assert!(text.contains(from), "{from}");
        assert!(matches!(read(text.replacen(from, to, 1).as_bytes()), Err(Error::Lacking { .. })), "{from}");
    }
}

//! Broken and hostile logs: no panic, no hang, bounded work.
//!
//! Always runs on generated logs, and on real ones if they exist. `MARIGRAPH_STORM=1` flips 100,000
//! bytes per log instead of a few thousand.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it skips

mod common;

use std::io::Write;

use marigraph_analysis::count::complete_trace;
use marigraph_analysis::synth::{JobPlan, Made, Random, job};
use marigraph_formats::darshan::{Log, text, write};
use marigraph_formats::native::mari::Mari;
use marigraph_formats::{Error, Limits, open, snapshot, unpack};
use marigraph_model::Trace;
use marigraph_model::contents::{Contents, Project, Room, Snapshot};

const LIMITS: Limits = Limits { max_inflate: 64 << 20, read_ahead: true };

/// A small log with every kind of data that the writer knows.
fn generated(seed: u64) -> Vec<u8> {
    let plan = JobPlan { seed, ranks: 3, checkpoints: 1, interval_s: 5.0, result_files: 3 };
    let Made { mut trace, untraced, .. } = job(&plan);
    let mut few = Trace::default();
    trace.events.iter().take(40).for_each(|event| few.events.push(event));
    trace.events = few.events;
    complete_trace(&mut trace, &untraced, &mut |_, _, _| {});
    write(&trace).0
}

fn small_logs() -> Vec<(String, Vec<u8>)> {
    let mut logs = common::logs();
    logs.sort_by_key(|(_, bytes)| bytes.len());
    logs.truncate(5);
    let mut seed = 1;
    while logs.len() < 6 {
        logs.push((format!("generated {seed}"), generated(seed)));
        seed += 1;
    }
    logs
}

/// Reads everything in every way; only completion matters, not the result.
fn exercise(bytes: &[u8]) {
    let Ok((content, _)) = unpack(bytes, LIMITS) else { return };
    let Ok(reader) = open(&content, LIMITS) else { return };
    let trace = reader.to_trace();
    if let Ok(log) = Log::open(&content, LIMITS) {
        let mut sink = std::io::sink();
        text::base(&log, common::utc(1), &mut sink).expect("print");
        text::dxt(&log, common::utc(1), &mut sink).expect("print");
    }
    drop(trace);
}

#[test]
fn every_prefix_is_survived() {
    for (name, bytes) in small_logs() {
        let mut readable = 0;
        for end in 0..bytes.len() {
            exercise(&bytes[..end]);
            readable += usize::from(open(&bytes[..end], LIMITS).is_ok());
        }
        assert!(
            readable > 0 && readable < bytes.len(),
            "{name}: {readable} of {} prefixes open",
            bytes.len()
        );
    }
}

#[test]
fn flipped_bytes_are_survived() {
    let flips = if std::env::var_os("MARIGRAPH_STORM").is_some() { 100_000 } else { 2_000 };
    for (at, (name, bytes)) in small_logs().into_iter().enumerate() {
        let mut random = Random::new(at as u64);
        for _ in 0..flips {
            let mut broken = bytes.clone();
            // Headers decide most, so half of the flips hit them.
            let reach = if random.bits() & 1 == 0 { broken.len() } else { broken.len().min(1400) };
            let place = (random.bits() % reach as u64) as usize;
            broken[place] ^= (1 + random.bits() % 255) as u8;
            exercise(&broken);
        }
        eprintln!("{name}: {flips} flips survived");
    }
}

fn header(regions: &[(usize, u64, u64)], names: (u64, u64)) -> Vec<u8> {
    let mut bytes = vec![0; 1328];
    bytes[..4].copy_from_slice(b"3.41");
    bytes[8..16].copy_from_slice(&6_567_223u64.to_le_bytes());
    bytes[32..40].copy_from_slice(&names.0.to_le_bytes());
    bytes[40..48].copy_from_slice(&names.1.to_le_bytes());
    for &(id, offset, len) in regions {
        bytes[48 + id * 16..56 + id * 16].copy_from_slice(&offset.to_le_bytes());
        bytes[56 + id * 16..64 + id * 16].copy_from_slice(&len.to_le_bytes());
        bytes[1072 + id * 4..1076 + id * 4].copy_from_slice(&1u32.to_le_bytes());
    }
    bytes
}

fn zlib(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(data).expect("compress");
    encoder.finish().expect("compress")
}

fn problems(bytes: &[u8]) -> Vec<&'static str> {
    open(bytes, LIMITS).expect("open").to_trace().problems.iter().map(|problem| problem.kind.code()).collect()
}

#[test]
fn sizes_of_two_to_the_sixty_are_only_numbers() {
    let mut bytes =
        header(&[(1, 1 << 60, 1 << 60), (10, 1400, 1 << 60), (15, u64::MAX, u64::MAX)], (1 << 59, 1 << 60));
    bytes.extend(zlib(&[0; 1100]));
    exercise(&bytes);
    assert!(problems(&bytes).contains(&"truncated"));
}

#[test]
fn overlapping_regions_are_reported() {
    let mut bytes = header(&[(1, 1400, 500), (2, 1500, 500), (9, 0, 1328)], (1400, 100));
    bytes.resize(2100, 7);
    exercise(&bytes);
    assert!(problems(&bytes).contains(&"bad_record"));
}

#[test]
fn counts_inside_records_do_not_allocate() {
    // DXT with 2^60 segments, a heat map with 2^59 bins, a layout with 2^58 components.
    let mut dxt = vec![0u8; 104];
    dxt[88..96].copy_from_slice(&(1i64 << 60).to_le_bytes());
    let mut heat = vec![0u8; 48];
    heat[24..32].copy_from_slice(&(1i64 << 59).to_le_bytes());
    let mut lustre = vec![0u8; 64];
    lustre[48..56].copy_from_slice(&(1i64 << 58).to_le_bytes());
    for (id, record) in [(10, dxt), (15, heat), (8, lustre)] {
        let region = zlib(&record);
        let mut bytes = header(&[(id, 1328, region.len() as u64)], (0, 0));
        bytes.extend(region);
        exercise(&bytes);
        assert!(problems(&bytes).contains(&"truncated"), "module {id}");
    }
}

#[test]
fn bombs_are_cut_at_the_limit() {
    let bomb = zlib(&vec![0; 200 << 20]);
    for id in [1, 15] {
        let mut bytes = header(&[(id, 1328, bomb.len() as u64)], (0, 0));
        bytes.extend(&bomb);
        assert!(problems(&bytes).contains(&"inflate_limit"), "module {id}");
    }
    let mut names = header(&[], (1328, bomb.len() as u64));
    names.extend(&bomb);
    assert!(problems(&names).contains(&"inflate_limit"));
}

#[test]
fn hostile_snapshots_are_survived() {
    let mut contents = Contents::new(1_700_000_000, 3);
    for project in [b"one", b"two"] {
        contents.add_to_project(project, &Project::default());
    }
    contents.largest.add(7, b"one/file".to_vec());
    let snapshot = Snapshot {
        roots: vec![b"/data".to_vec()],
        host: "node".into(),
        begun: 1.0,
        ended: 2.0,
        room: Room::default(),
        contents,
        trouble: vec![(b"two".to_vec(), "refused".into())],
    };
    let bytes = snapshot::write(&snapshot, Some(1));
    assert!(snapshot::read(&bytes).is_ok());
    let mut random = Random::new(7);
    for end in 0..bytes.len() {
        let _ = snapshot::read(&bytes[..end]);
        let mut broken = bytes.clone();
        let at = random.index(bytes.len());
        broken[at] ^= 1 << random.index(8);
        let _ = snapshot::read(&broken);
    }
    // Two shares of one project, each at the maximum of its type.
    let text = String::from_utf8_lossy(&bytes).replace("two", "one");
    let full = text.replace("\"share\":[0,0,0,0]", &format!("\"share\":[{0},{0},{0},{0}]", u64::MAX));
    let kept = snapshot::read(full.as_bytes()).expect("reads");
    let project = kept.snapshot.contents.projects.get(&b"one"[..]).expect("the project");
    assert_eq!(project.share.files, u64::MAX);
}

#[test]
fn what_is_no_log_says_so() {
    let error = |bytes: &[u8]| open(bytes, LIMITS).err();
    assert_eq!(error(b""), Some(Error::Empty));
    assert_eq!(error(b"hello"), Some(Error::Unrecognised));
    assert_eq!(error(&[0; 2000]), Some(Error::Unfinished));
    assert_eq!(error(&header(&[], (0, 0))[..100]), Some(Error::ShortHeader { needed: 1328, found: 100 }));
    let mut future = header(&[], (0, 0));
    future[..4].copy_from_slice(b"3.30");
    assert_eq!(error(&future), Some(Error::Version { format: "Darshan log", found: "3.30".into() }));
    future[..4].copy_from_slice(b"3.99");
    assert!(open(&future, LIMITS).is_ok(), "newer minors have the layout of 3.41");
}

#[test]
fn an_unknown_version_names_its_format() {
    let told = |bytes: &[u8]| open(bytes, LIMITS).err().map(|error| error.to_string());
    let mut darshan = header(&[], (0, 0));
    darshan[..4].copy_from_slice(b"3.30");
    assert_eq!(told(&darshan).as_deref(), Some("Darshan log version \"3.30\" is not known"));
    darshan[..4].copy_from_slice(b"2.09");
    assert_eq!(told(&darshan).as_deref(), Some("Darshan log version \"2.09\" is not known"));
    let trace = "Marigraph trace version \"77\" is not known";
    assert_eq!(told(b"mgraphtr\x4d").as_deref(), Some(trace));
    assert_eq!(Mari::read(b"mgraphtr\x4d").err().map(|error| error.to_string()).as_deref(), Some(trace));
    let newer = snapshot::read(br#"{"format":"marigraph-snapshot","version":2}"#)
        .err()
        .map(|error| error.to_string());
    assert_eq!(newer.as_deref(), Some("snapshot version \"2\" is not known"));
}

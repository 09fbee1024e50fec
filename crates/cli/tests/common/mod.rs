//! Runs the built program, and compares with golden files.
#![allow(dead_code, unused_imports)] // each test uses its part

mod folder;

pub use folder::Folder;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn testdata(name: &str) -> PathBuf {
    root().join("testdata").join(name)
}

/// The folder of real logs, if it exists.
pub fn data() -> Option<PathBuf> {
    let folder =
        std::env::var_os("MARIGRAPH_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: no real logs at {} (set MARIGRAPH_DATA)", folder.display());
    None
}

/// The program, in UTC and without colour.
pub fn marigraph() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_marigraph"));
    command.env("TZ", "UTC").env("NO_COLOR", "1").env("COLUMNS", "120").current_dir(root());
    command
}

pub fn run(arguments: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = marigraph().args(arguments).output().expect("run");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

/// Runs a command with `--json`; it must succeed without warnings.
pub fn json_of(command: &str, arguments: &[&str]) -> Value {
    let (code, out, complaints) = run(&[&[command, "--json"], arguments].concat());
    assert_eq!((code, complaints.as_str()), (0, ""), "{command} {arguments:?}");
    serde_json::from_str(&out).expect("one JSON document")
}

/// Compares with `testdata/golden/NAME`; `MARIGRAPH_BLESS=1` writes it instead.
pub fn golden(name: &str, actual: &str) {
    let path = testdata("golden").join(name);
    if std::env::var_os("MARIGRAPH_BLESS").is_some() {
        std::fs::write(&path, actual).expect("bless");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!("{}: {error}; run with MARIGRAPH_BLESS=1 to write it", path.display())
    });
    for (line, (want, got)) in expected.lines().zip(actual.lines()).enumerate() {
        assert_eq!(want, got, "{}:{} (MARIGRAPH_BLESS=1 accepts the new text)", path.display(), line + 1);
    }
    assert_eq!(expected.lines().count(), actual.lines().count(), "{}: number of lines", path.display());
}

/// The page with the fields that programs rely on: the shared one, or our own.
pub fn contract() -> String {
    let shared = root().join("../shared/interface.md");
    let page = std::fs::read_to_string(shared)
        .or_else(|_| std::fs::read_to_string(root().join("docs/reference/json.md")));
    page.expect("the contract")
}

pub fn names_in(page: &str, heading: &str) -> Vec<String> {
    let section = page.split(heading).nth(1).expect("section").split("\n## ").next().expect("text");
    let quoted = section.split('`').skip(1).step_by(2);
    quoted.filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '_')).map(String::from).collect()
}

pub fn fields(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            into.insert(key.clone());
            fields(value, into);
        }),
        Value::Array(items) => items.iter().for_each(|item| fields(item, into)),
        _ => {}
    }
}

//! Effects stay at the edge: what the inner crates may not touch, and where `unsafe` is allowed.

use std::collections::BTreeSet;

use crate::finding::Finding;
use crate::rust_text::{code, find_words, line_of, test_modules, without_tests};
use crate::tree::Source;

const PURE: &[&str] =
    &["crates/model/src/", "crates/analysis/src/", "crates/formats/src/", "crates/report/src/"];

/// What pure crates may not name, and what to do instead.
const EFFECTS: &[(&str, &str)] = &[
    ("std::fs", FILES),
    ("std::net", "let the caller own the connection and pass bytes or values"),
    ("std::process", "return an error; only the program starts and ends processes"),
    ("std::env", "take a config value; only the program reads its environment"),
    ("Instant::now", CLOCK),
    ("SystemTime", CLOCK),
    ("thread::sleep", CLOCK),
    ("println!", PRINT),
    ("eprintln!", PRINT),
    ("print!", PRINT),
    ("eprint!", PRINT),
    ("dbg!", PRINT),
    ("io::stdin", FILES),
    ("io::stdout", PRINT),
    ("io::stderr", PRINT),
    ("thread_rng", SEED),
    ("rand::rng", SEED),
    ("rand::random", SEED),
    ("from_entropy", SEED),
    ("from_os_rng", SEED),
    ("OsRng", SEED),
    ("SysRng", SEED),
    ("getrandom", SEED),
    ("RandomState", SEED),
    ("fastrand::Rng::new", SEED),
];
const FILES: &str = "take bytes; files are opened in crates/cli";
const CLOCK: &str = "take the time as a value from the caller";
const PRINT: &str = "return the text or a Problem; crates/report words it, crates/cli prints it";
const SEED: &str = "take a seed and use a seeded generator";

/// Types that keep values between calls when a `static` holds them.
const STATE: &[&str] = &["Mutex", "RwLock", "Cell", "RefCell", "Atomic"];

/// Where a pure crate may keep state between calls, each with its reason.
const KEPT: &[(&str, &str)] =
    &[("crates/formats/src/whole.rs", "room to inflate into; no call sees what another left in it")];

/// Where `unsafe` is allowed, each with its reason.
const UNSAFE: &[(&str, &str)] = &[
    ("crates/recorder/", "interposes libc calls inside a foreign process"),
    ("crates/cli/src/input.rs", "maps input files into memory"),
    ("crates/store/src/sql/vtab.rs", "meets the C interface of SQLite's virtual tables"),
    ("crates/system/src/replay/", "performs recorded calls through the C library"),
    (
        "crates/system/src/scan/",
        "asks the system for what the standard library does not: getdents64, statx, openat2",
    ),
    ("crates/system/src/users.rs", "asks the C library for names of users and groups"),
    ("crates/system/src/signals.rs", "passes signals on to the recorded command"),
];

/// Modules of crates/analysis that use none of their siblings but those named here, so that each can be
/// read alone.
const ALONE: &[(&str, &[&str])] = &[("signal", &[]), ("sim", &[]), ("synth", &["count"])];

pub fn check(sources: &[Source]) -> Vec<Finding> {
    let rust: Vec<&Source> = sources.iter().filter(|source| source.is_rust()).collect();
    let tests = test_files(&rust);
    let mut findings = Vec::new();
    for source in rust {
        let code = code(&source.text);
        findings.extend(unsafe_code(&source.path, &code));
        if PURE.iter().any(|folder| source.path.starts_with(folder)) && !is_below(&source.path, &tests) {
            let code = without_tests(&code);
            findings.extend(effects(&source.path, &code));
            findings.extend(siblings(&source.path, &code));
            findings.extend(state(&source.path, &code));
        }
    }
    findings
}

/// Files (`x.rs`) and folders (`x/`) of modules declared `#[cfg(test)] mod x;`.
pub fn test_files(rust: &[&Source]) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    for source in rust {
        let (folder, name) = source.path.rsplit_once('/').unwrap_or((".", &source.path));
        let inner = match name {
            "lib.rs" | "main.rs" | "mod.rs" => folder.to_owned(),
            _ => source.path.trim_end_matches(".rs").to_owned(),
        };
        for module in test_modules(&code(&source.text)) {
            files.insert(format!("{inner}/{module}.rs"));
            files.insert(format!("{inner}/{module}/"));
        }
    }
    files
}

pub fn is_below(path: &str, places: &BTreeSet<String>) -> bool {
    places.iter().any(|place| path == place || (place.ends_with('/') && path.starts_with(place)))
}

fn effects(path: &str, code: &str) -> Vec<Finding> {
    let mut found = BTreeSet::new();
    for (name, todo) in EFFECTS {
        found.extend(find_words(code, name).into_iter().map(|at| (line_of(code, at), *name, *todo)));
        for (line, import) in imports(code) {
            if import == *name
                || import.starts_with(&format!("{name}::"))
                || import.ends_with(&format!("::{name}"))
            {
                found.insert((line, *name, *todo));
            }
        }
    }
    let finding = |(line, name, todo): (usize, &str, &str)| {
        Finding::new(path, line, format!("`{name}` in a crate without effects"), todo)
    };
    found.into_iter().map(finding).collect()
}

/// Globals that one call changes and another sees; not tables computed once (`LazyLock`).
fn state(path: &str, code: &str) -> Vec<Finding> {
    if KEPT.iter().any(|(place, _)| path == *place) {
        return Vec::new();
    }
    let changes = |at: &usize| {
        let declared = code[*at..].split(['=', ';']).next().unwrap_or_default();
        let is_lifetime = code[..*at].ends_with('\'');
        !is_lifetime
            && (declared.starts_with("static mut ") || STATE.iter().any(|name| declared.contains(name)))
    };
    let statics = find_words(code, "static").into_iter().filter(changes);
    let places = statics.chain(find_words(code, "thread_local!"));
    let todo = "let the caller own it and pass it, or list the file with its reason in xtask/src/purity.rs";
    places
        .map(|at| Finding::new(path, line_of(code, at), "global state in a crate without effects", todo))
        .collect()
}

/// Every path that a `use` imports, with groups expanded, and the line of the `use`.
pub fn imports(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for at in find_words(code, "use") {
        let Some(end) = code[at..].find(';') else { continue };
        let tree: String = code[at + 3..at + end].split_whitespace().collect::<Vec<_>>().join(" ");
        let mut paths = Vec::new();
        expand("", &tree, &mut paths);
        found.extend(paths.into_iter().map(|import| (line_of(code, at), import)));
    }
    found
}

/// Expands the groups of a use tree: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn expand(prefix: &str, tree: &str, paths: &mut Vec<String>) {
    let (head, group) = tree.split_once('{').unwrap_or((tree, ""));
    let head = head.split(" as ").next().unwrap_or(head).trim();
    let path = format!("{prefix}{head}");
    if group.is_empty() {
        paths.push(path.trim_end_matches("::self").to_owned());
        return;
    }
    let group = group.rsplit_once('}').map_or(group, |(inner, _)| inner);
    let (mut depth, mut from) = (0_usize, 0);
    for (at, byte) in group.bytes().chain([b',']).enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                if !group[from..at].trim().is_empty() {
                    expand(&path, group[from..at].trim(), paths);
                }
                from = at + 1;
            }
            _ => {}
        }
    }
}

/// Modules that stand alone name no other module of their crate.
fn siblings(path: &str, code: &str) -> Vec<Finding> {
    let Some(inside) = path.strip_prefix("crates/analysis/src/") else { return Vec::new() };
    let module = inside.split(['/', '.']).next().unwrap_or(inside);
    let Some((_, used)) = ALONE.iter().find(|(name, _)| *name == module) else { return Vec::new() };
    let own = |at: usize| {
        let rest = &code[at + "crate::".len()..];
        used.iter().chain([&module]).any(|name| find_words(rest, name).first() == Some(&0))
    };
    let mut places: Vec<usize> = find_words(code, "crate::").into_iter().filter(|at| !own(*at)).collect();
    // In the module's own file the parent is the crate.
    if inside == format!("{module}.rs") || inside == format!("{module}/mod.rs") {
        places.extend(find_words(code, "super::"));
    }
    let what = format!("analysis::{module} uses another module of its crate");
    let todo = "pass plain values instead, or move the code to the module that combines both";
    places.into_iter().map(|at| Finding::new(path, line_of(code, at), &what, todo)).collect()
}

fn unsafe_code(path: &str, code: &str) -> Vec<Finding> {
    if UNSAFE.iter().any(|(place, _)| path.starts_with(place)) {
        return Vec::new();
    }
    let todo = "write it in safe code, or list the file with its reason in xtask/src/purity.rs";
    let lines = find_words(code, "unsafe").into_iter().map(|at| line_of(code, at));
    lines.map(|line| Finding::new(path, line, "unsafe code", todo)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_at(path: &str, text: &str) -> Vec<(usize, String)> {
        let source = Source { path: path.to_owned(), text: text.to_owned() };
        check(&[source]).into_iter().map(|finding| (finding.line, finding.what)).collect()
    }

    #[test]
    fn effects_are_found_in_pure_crates_only() {
        for bad in [
            "std::fs::read(p)",
            "use std::{fs, io};",
            "use std::{\n  collections::{BTreeMap, BTreeSet},\n  net::TcpStream,\n};",
            "use std::env as e;",
            "let t = Instant::now();",
            "use std::time::{Duration, SystemTime};",
            "println!(\"x\")",
            "print!(\"x\")",
            "dbg!(x)",
            "use std::io::{self, stdout};",
            "std::thread::sleep(d)",
            "rand::rng()",
        ] {
            let found = check_at("crates/analysis/src/a.rs", bad);
            assert_eq!(found.len(), 1, "{bad}: {found:?}");
            assert_eq!(found[0].0, 1, "{bad}");
            assert!(check_at("crates/cli/src/a.rs", bad).is_empty(), "{bad}");
            assert!(check_at("crates/formats/tests/a.rs", bad).is_empty(), "{bad}");
            let tested = format!("#[cfg(test)]\nmod tests {{ fn f() {{ {bad} }} }}");
            assert!(check_at("crates/model/src/a.rs", &tested).is_empty(), "{bad}");
        }
    }

    #[test]
    fn plain_code_is_pure() {
        let good = "use std::io::{self, Read as _, Write};\nuse std::{fmt, io::Error};\nstd::thread::scope(|s| {});\n\
                    let rng = Rng::from_seed(7); // std::fs\nlet s = \"std::env println!\";\nwriteln!(out, \"\")?;\n";
        assert_eq!(check_at("crates/formats/src/a.rs", good), []);
    }

    #[test]
    fn global_state_is_found_in_pure_crates_only() {
        for bad in [
            "thread_local! { static ROOM: u8 = 0; }",
            "static LOCK: Mutex<u8> = Mutex::new(0);",
            "static LAZY: LazyLock<RwLock<u8>> = LazyLock::new(f);",
            "pub static COUNT: AtomicU64 = AtomicU64::new(0);",
            "static mut LAST: u8 = 0;",
        ] {
            assert_eq!(check_at("crates/report/src/a.rs", bad).len(), 1, "{bad}");
            assert!(check_at("crates/system/src/a.rs", bad).is_empty(), "{bad}");
            assert!(check_at("crates/formats/src/whole.rs", bad).is_empty(), "{bad}");
        }
        let good = "static TABLE: LazyLock<Vec<u8>> = LazyLock::new(f);\nstatic PLAN: OnceLock<u8> = OnceLock::new();\n\
                    fn f(lock: &'static Mutex<u8>) {}";
        assert_eq!(check_at("crates/model/src/a.rs", good), []);
    }

    #[test]
    fn test_modules_in_their_own_file_are_exempt() {
        let at = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
        let lib = at("crates/model/src/lib.rs", "#[cfg(test)]\nmod literal;\n");
        let literal = at("crates/model/src/literal.rs", "use std::fs;");
        assert!(check(&[lib, literal.clone()]).is_empty());
        assert_eq!(check(&[literal]).len(), 1);
    }

    #[test]
    fn unsafe_needs_a_listed_place() {
        let bad = "\nunsafe { x() }";
        assert_eq!(check_at("crates/report/src/a.rs", bad), [(2, "unsafe code".to_owned())]);
        assert!(check_at("crates/recorder/src/calls.rs", bad).is_empty());
        assert!(check_at("crates/cli/src/input.rs", bad).is_empty());
        assert!(check_at("crates/report/src/a.rs", "#![forbid(unsafe_code)] // unsafe").is_empty());
    }

    #[test]
    fn some_modules_stand_alone() {
        let bad = "use crate::period::find;";
        assert_eq!(check_at("crates/analysis/src/signal.rs", bad).len(), 1);
        assert_eq!(check_at("crates/analysis/src/sim/queue.rs", bad).len(), 1);
        assert_eq!(check_at("crates/analysis/src/signal.rs", "use super::period;").len(), 1);
        assert!(check_at("crates/analysis/src/sim/queue.rs", "use super::Job;").is_empty());
        assert!(check_at("crates/analysis/src/advice.rs", bad).is_empty());
        assert!(check_at("crates/analysis/src/synth/job.rs", "use crate::synth::rng::Rng;").is_empty());
        assert!(check_at("crates/analysis/src/synth/job.rs", "use crate::count::Usage;").is_empty());
    }
}

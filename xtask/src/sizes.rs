//! Files and functions stay short.

use crate::finding::Finding;
use crate::rust_text::{code, functions, test_items};
use crate::tree::Source;

/// Lines of a Rust file without its test module.
const FILE_WARNING: usize = 400;
const FILE_LIMIT: usize = 800;
const FUNCTION_LIMIT: usize = 100;

/// Files that may be longer: a path, or a folder ending in `/`, and the reason.
const LONG_FILES: &[(&str, &str)] = &[
    ("crates/wire/src/op.rs", "a table: one row per operation"),
    ("crates/model/src/counters/", "tables: one line per counter"),
    ("crates/formats/tests/", "tests: cases as data"),
    ("crates/analysis/tests/", "tests: cases as data"),
    ("crates/report/tests/", "tests: cases as data"),
    ("crates/cli/tests/", "tests: cases as data"),
];

/// Functions that may be longer: file, name and the reason.
const LONG_FUNCTIONS: &[(&str, &str, &str)] =
    &[("crates/recorder/src/posix/uring/syscall.rs", "hook", "a table: one arm per system call")];

pub fn check(source: &Source) -> Vec<Finding> {
    if !source.is_rust() {
        return Vec::new();
    }
    let path = source.path.as_str();
    let code = code(&source.text);
    let mut findings = Vec::new();
    let tests: usize = test_items(&code).into_iter().map(|item| code[item].matches('\n').count()).sum();
    let lines = code.lines().count() - tests;
    if lines > FILE_WARNING && !LONG_FILES.iter().any(|(place, _)| path.starts_with(place)) {
        let todo = "split it along its parts, or list it with a reason in xtask/src/sizes.rs";
        let finding = Finding::new(path, 1, format!("{lines} lines of code"), todo);
        findings.push(if lines > FILE_LIMIT { finding } else { finding.into_warning() });
    }
    for function in functions(&code) {
        let listed = |(file, name, _): &(&str, &str, &str)| *file == path && *name == function.name;
        if function.lines > FUNCTION_LIMIT && !LONG_FUNCTIONS.iter().any(listed) {
            let what = format!("the function {} has {} lines", function.name, function.lines);
            findings.push(Finding::new(path, function.line, what, "give its steps names of their own"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_at(path: &str, text: String) -> Vec<Finding> {
        check(&Source { path: path.to_owned(), text })
    }

    #[test]
    fn long_files_warn_then_fail() {
        let lines = |n: usize| "const A: u8 = 1;\n".repeat(n);
        assert!(check_at("a.rs", lines(400)).is_empty());
        assert!(check_at("a.txt", lines(900)).is_empty());
        assert!(check_at("crates/model/src/counters/posix.rs", lines(900)).is_empty());
        assert!(check_at("a.rs", lines(401))[0].warning);
        assert!(!check_at("a.rs", lines(801))[0].warning);
    }

    #[test]
    fn a_test_module_does_not_count() {
        let body = "const A: u8 = 1;\n".repeat(300);
        assert!(check_at("a.rs", format!("{body}#[cfg(test)]\nmod tests {{\n{body}}}\n")).is_empty());
    }

    #[test]
    fn long_functions_fail() {
        let of = |n: usize| format!("\nfn f() {{\n{}}}\n", "    g(\"}\"); // {\n".repeat(n - 2));
        assert!(check_at("a.rs", of(100)).is_empty());
        let found = check_at("a.rs", of(101));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].line, found[0].warning), (2, false));
        assert_eq!(found[0].what, "the function f has 101 lines");
    }
}

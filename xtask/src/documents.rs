//! The documents match the tree.

use crate::finding::Finding;
use crate::tree::Source;

/// Folders whose paths ARCHITECTURE.md may name only while they exist.
const FOLDERS: &[&str] = &["crates/", "docs/", "testdata/", "fuzz/", "xtask/", "bench/", "tests/"];

const FIRST_COMMANDS: &[&str] = &["make demo", "make test"];

/// Minimum number of documentation lines at the top of a library.
const LIB_DOC_LINES: usize = 5;

pub fn missing(path: &str) -> Finding {
    Finding::new(path, 1, "the file is missing", "write it")
}

/// Every member of the workspace is named, and every named path exists.
pub fn architecture(path: &str, text: &str, members: &[&str], exists: impl Fn(&str) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in members.iter().filter(|member| !text.contains(**member)) {
        let todo = "say what it holds and what it refuses to know";
        findings.push(Finding::new(path, 1, format!("{member} is not mentioned"), todo));
    }
    for (line, span) in code_spans(text) {
        let named = span.split([' ', ':']).next().unwrap_or(span);
        let pattern = named.contains(['*', '<', '{', '…']);
        if FOLDERS.iter().any(|folder| named.starts_with(folder)) && !pattern && !exists(named) {
            findings.push(Finding::new(path, line, format!("{named} does not exist"), "correct the path"));
        }
    }
    findings
}

/// Every field name that the contract fixes for `show` and `report` is explained in `path`.
pub fn json_names(path: &str, text: &str, contract: &str) -> Vec<Finding> {
    let explained: Vec<&str> = code_spans(text).into_iter().map(|(_, span)| span).collect();
    let mut names = contract_names(contract);
    names.retain(|name| !explained.contains(name));
    let todo = "add it in backticks with its meaning";
    names
        .into_iter()
        .map(|name| Finding::new(path, 1, format!("the field `{name}` is missing"), todo))
        .collect()
}

/// The names in backticks below the headings about `show` and `report --json`.
fn contract_names(contract: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut inside = false;
    for line in contract.lines() {
        if line.starts_with('#') {
            inside = line.contains("JSON of `show`") || line.contains("report --json");
        } else if inside {
            let spans = code_spans(line).into_iter().map(|(_, span)| span);
            names.extend(
                spans.filter(|span| {
                    span.bytes().all(|b| b.is_ascii_lowercase() || b"_0123456789".contains(&b))
                }),
            );
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

pub fn lib_doc(path: &str, text: &str) -> Option<Finding> {
    let lines = text.lines().take_while(|line| line.starts_with("//!")).count();
    let todo = "open with `//!`: what the crate is for, its types and how they meet, what it refuses to know";
    (lines < LIB_DOC_LINES)
        .then(|| Finding::new(path, 1, format!("{lines} lines of documentation at the top"), todo))
}

pub fn readme(path: &str, text: &str) -> Vec<Finding> {
    let absent = FIRST_COMMANDS.iter().filter(|command| !text.contains(**command));
    absent.map(|command| Finding::new(path, 1, format!("`{command}` is not shown"), "show it")).collect()
}

/// The text between single backticks outside fenced blocks, with its line.
fn code_spans(text: &str) -> Vec<(usize, &str)> {
    let mut spans = Vec::new();
    let mut fenced = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            let parts: Vec<&str> = line.split('`').collect();
            let closed = parts.len() - 1;
            let inside = parts.into_iter().enumerate().filter(|(at, _)| at % 2 == 1 && *at < closed);
            spans.extend(inside.map(|(_, part)| (number + 1, part)));
        }
    }
    spans
}

/// Public items that always need a doc comment. Functions, fields and variants need one only where
/// their names do not suffice.
const DOCUMENTED: &[&str] = &["struct", "enum", "trait", "type"];

pub fn undocumented(source: &Source) -> Vec<Finding> {
    let path = source.path.as_str();
    let in_library =
        path.starts_with("crates/") && path.contains("/src/") && !path.starts_with("crates/cli/");
    if !source.is_rust() || !in_library || path.ends_with("tests.rs") {
        return Vec::new();
    }
    let is_item = |line: &str| {
        let rest = line.strip_prefix("pub ").unwrap_or_default();
        DOCUMENTED.iter().any(|word| rest.strip_prefix(word).is_some_and(|rest| rest.starts_with(' ')))
    };
    let mut findings = Vec::new();
    let mut is_documented = false;
    for (index, line) in source.text.lines().enumerate() {
        if is_item(line) && !is_documented {
            let what = format!("`{}` has no doc comment", line.trim_end_matches(['{', ' ', '(']));
            findings.push(Finding::new(path, index + 1, what, "say in a sentence what it is"));
        }
        let is_attribute = line.starts_with(['#', ' ', ')']);
        is_documented = line.starts_with("///") || (is_documented && is_attribute);
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn architecture_names_members_and_only_what_exists() {
        let text =
            "`crates/a` holds a.\nSee `crates/a/src/lib.rs` and `crates/*/tests`.\n```\n`crates/gone`\n```\n";
        let exists = |path: &str| path.starts_with("crates/a");
        assert_eq!(architecture("A.md", text, &["crates/a"], exists), []);
        let bad = format!("{text}Then `crates/gone/x.rs: f` and `other/x`.\n");
        let found = architecture("A.md", &bad, &["crates/a", "crates/b"], exists);
        let found: Vec<String> = found.iter().map(Finding::to_string).collect();
        assert_eq!(
            found,
            [
                "A.md:1: crates/b is not mentioned: say what it holds and what it refuses to know",
                "A.md:6: crates/gone/x.rs does not exist: correct the path",
            ]
        );
    }

    #[test]
    fn public_types_say_what_they_are() {
        let text = "/// A page.\n#[derive(Debug)]\npub struct Page {\n    pub title: String,\n}\n\
                    pub enum Side {}\npub fn draw(page: &Page) {}\npub(crate) struct Cut;\n";
        let found = |path: &str| undocumented(&Source { path: path.to_owned(), text: text.to_owned() });
        let lines: Vec<String> = found("crates/a/src/page.rs").iter().map(Finding::to_string).collect();
        let expected = "crates/a/src/page.rs:6: `pub enum Side {}` has no doc comment: \
                        say in a sentence what it is";
        assert_eq!(lines, [expected]);
        assert!(found("crates/a/tests/page.rs").is_empty());
    }

    #[test]
    fn contract_fields_are_explained() {
        let contract = "# Page\n`nothing`\n## JSON of `show`\n`job` {`id`}; for `.mari` `trace`.\n\
                        `report --json`: `findings`\n## JSON of `period`\n`period_s`\n";
        assert_eq!(contract_names(contract), ["findings", "id", "job", "trace"]);
        assert_eq!(json_names("j.md", "`job` `id` `trace` and `findings`", contract), []);
        let found = json_names("j.md", "job `id` `trace` `findings`", contract);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].what, "the field `job` is missing");
    }

    #[test]
    fn libraries_open_with_a_page() {
        assert!(lib_doc("lib.rs", &"//! x\n".repeat(5)).is_none());
        assert!(lib_doc("lib.rs", &"//! x\n".repeat(4)).is_some());
        assert!(lib_doc("lib.rs", &format!("use x;\n{}", "//! x\n".repeat(9))).is_some());
    }

    #[test]
    fn readme_shows_how_to_start() {
        assert!(readme("README.md", "run `make demo`, then `make test`").is_empty());
        assert_eq!(readme("README.md", "run `make test`").len(), 1);
    }
}

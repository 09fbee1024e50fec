//! Nothing unfinished, nothing that works on one machine only.
//!
//! The patterns are written in pieces so that this file does not find itself.

use crate::finding::Finding;
use crate::rust_text::{find_words, line_of};
use crate::tree::Source;

const UNFINISHED: &[(&str, &str)] = &[
    (concat!("to", "do!("), "write the code"),
    (concat!("unim", "plemented!("), "write the code, or return an error"),
    (concat!("FIX", "ME"), "fix it, or say in plain words what holds today"),
    (concat!("XX", "X"), "fix it, or say in plain words what holds today"),
    (concat!("HA", "CK"), "do it properly, or explain why this is the proper way"),
    (concat!("#[ign", "ore"), "make the test run, or assert today's behaviour and say why it is wrong"),
];

/// Files that people write, not data and not third-party text.
const WRITTEN: &[&str] =
    &[".rs", ".toml", ".md", ".sh", ".py", ".mjs", ".js", ".css", ".html", "Makefile", ".ci/run"];
const FOREIGN: &[&str] = &[".min.js", ".min.css", "LICENSE-MIT", "LICENSE-APACHE"];

/// Folders too common to identify a machine.
const COMMON: &[&str] = &["", "/", "/tmp", "/var/tmp", "/home", "/opt", "/srv", "/mnt", "/usr/src"];

/// Absolute folders of this machine that no text file should name, each with a closing `/`.
pub fn machine_folders(root: &str, home: &str) -> Vec<String> {
    let parent = root.rsplit_once('/').map_or("", |(parent, _)| parent);
    let own = if COMMON.contains(&parent) { root } else { parent };
    let mut folders = vec![concat!("/ro", "ot").to_owned(), own.to_owned()];
    if home.starts_with("/home/") {
        folders.push(home.trim_end_matches('/').to_owned());
    }
    folders.sort();
    folders.dedup();
    folders.retain(|folder| !COMMON.contains(&folder.as_str()));
    folders.into_iter().map(|folder| folder + "/").collect()
}

pub fn check(source: &Source, machine: &[String]) -> Vec<Finding> {
    let (path, text) = (source.path.as_str(), source.text.as_str());
    let mut findings = Vec::new();
    let ends = |list: &[&str]| list.iter().any(|end| path.ends_with(end));
    if ends(FOREIGN) {
        return findings;
    }
    if ends(WRITTEN) {
        for (pattern, todo) in UNFINISHED {
            let lines = find_words(text, pattern).into_iter().map(|at| line_of(text, at));
            findings
                .extend(lines.map(|line| Finding::new(path, line, format!("left-over `{pattern}`"), *todo)));
        }
    }
    for folder in machine {
        for (at, _) in text.match_indices(folder.as_str()) {
            // Part of a longer or relative path: another folder of the same name.
            let longer = text[..at].ends_with(|c: char| c.is_alphanumeric() || "._-/~}".contains(c));
            if !longer {
                let what = format!("a path of this machine (`{folder}`)");
                findings.push(Finding::new(
                    path,
                    line_of(text, at),
                    what,
                    "use a path from the project's root",
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_at(path: &str, text: &str) -> Vec<Finding> {
        let machine = machine_folders("/data/alice/marigraph", "/home/alice");
        check(&Source { path: path.to_owned(), text: text.to_owned() }, &machine)
    }

    #[test]
    fn unfinished_work_is_found() {
        for (pattern, _) in UNFINISHED {
            let text = format!("fn f() {{\n    {pattern} x\n");
            let found = check_at("a.rs", &text);
            assert_eq!(found.len(), 1, "{pattern}");
            assert_eq!(found[0].line, 2, "{pattern}");
            assert!(check_at("testdata/a.txt", &text).is_empty(), "{pattern}");
        }
        assert!(check_at("a.sh", "mktemp x.XXXXXX # hacks, a todo list").is_empty());
    }

    #[test]
    fn machine_paths_are_found() {
        for bad in ["see /data/alice/notes", "\"/home/alice/x\"", concat!("cd /ro", "ot/x")] {
            assert_eq!(check_at("a.json", bad).len(), 1, "{bad}");
        }
        for good in ["\"/home/user/x\"", "/scratch/data/alice/x", "../data/alice/", "/data/alice2/x"] {
            assert!(check_at("a.json", good).is_empty(), "{good}");
        }
    }

    #[test]
    fn a_common_parent_is_not_a_pattern() {
        let folders = machine_folders("/tmp/marigraph", "/ro");
        assert_eq!(folders, [concat!("/ro", "ot/"), "/tmp/marigraph/"]);
    }
}

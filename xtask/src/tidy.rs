//! Reads the tree once, runs every check, prints the findings.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use crate::arrows::{self, Package};
use crate::finding::Finding;
use crate::tree::{self, Source};
use crate::{counters, documents, leftovers, operations, phrases, purity, sizes, stored};

/// The page that fixes command names and JSON fields, if it exists beside the project.
const CONTRACT: &str = "../shared/interface.md";

pub fn run(root: &Path) -> Result<bool, String> {
    let sources = tree::read(root).map_err(|error| format!("{}: {error}", root.display()))?;
    let packages = workspace(root)?;
    let contract = std::fs::read_to_string(root.join(CONTRACT)).ok();
    if contract.is_none() {
        println!("note: {CONTRACT} is not there; the JSON field names are not checked");
    }

    let home = std::env::var("HOME").unwrap_or_default();
    let machine = leftovers::machine_folders(&root.to_string_lossy(), &home);
    let mut findings = purity::check(&sources);
    findings.extend(operations::check(&sources));
    findings.extend(counters::check(&sources));
    for source in &sources {
        findings.extend(sizes::check(source));
        findings.extend(stored::check(source));
        findings.extend(leftovers::check(source, &machine));
        findings.extend(phrases::check(source));
        findings.extend(documents::undocumented(source));
        if is_library(&source.path) {
            findings.extend(documents::lib_doc(&source.path, &source.text));
        }
    }
    for package in &packages {
        findings.extend(arrows::check(package, text_of(&sources, &package.manifest).unwrap_or_default()));
    }
    findings.extend(documents_of(root, &sources, &packages, contract.as_deref()));
    Ok(print(findings, sources.len()))
}

pub fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn workspace(root: &Path) -> Result<Vec<Package>, String> {
    let output = Command::new(cargo())
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("cannot run cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let metadata =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    arrows::packages(&metadata, &root.to_string_lossy())
        .ok_or_else(|| "cargo metadata: a field is not where it was".to_owned())
}

fn is_library(path: &str) -> bool {
    path.strip_prefix("crates/")
        .and_then(|rest| rest.strip_suffix("/src/lib.rs"))
        .is_some_and(|name| !name.contains('/'))
}

fn text_of<'a>(sources: &'a [Source], path: &str) -> Option<&'a str> {
    sources.iter().find(|source| source.path == path).map(|source| source.text.as_str())
}

fn documents_of(
    root: &Path,
    sources: &[Source],
    packages: &[Package],
    contract: Option<&str>,
) -> Vec<Finding> {
    let with = |path: &'static str, check: &dyn Fn(&str, &str) -> Vec<Finding>| match text_of(sources, path) {
        Some(text) => check(path, text),
        None => vec![documents::missing(path)],
    };
    let members: Vec<&str> = packages.iter().map(Package::folder).collect();
    let exists = |path: &str| root.join(path).exists();
    let mut findings =
        with("ARCHITECTURE.md", &|path, text| documents::architecture(path, text, &members, exists));
    findings.extend(with("README.md", &documents::readme));
    findings.extend(with("docs/reference/json.md", &|path, text| {
        contract.map_or_else(Vec::new, |contract| documents::json_names(path, text, contract))
    }));
    findings
}

fn print(mut findings: Vec<Finding>, files: usize) -> bool {
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    let warnings = findings.iter().filter(|finding| finding.warning).count();
    let violations = findings.len() - warnings;
    println!("tidy: {files} files, {violations} violations, {warnings} warnings");
    violations == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_told_by_their_place() {
        assert!(is_library("crates/model/src/lib.rs"));
        assert!(!is_library("xtask/src/lib.rs"));
        assert!(!is_library("crates/model/fuzz/src/lib.rs"));
    }

    #[test]
    fn warnings_do_not_fail() {
        let finding = Finding::new("a.rs", 1, "long", "split");
        assert!(print(vec![finding.clone().into_warning()], 1));
        assert!(!print(vec![finding], 1));
    }
}

//! A copy of the last commit in which changes are tried, with its own target folder.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::draw::{Mutant, Share};
use super::state::Outcome;
use crate::tidy::cargo;

/// Which scripts use a crate, besides the tests of the program: the ones that look at its results most
/// directly come first.
const SCRIPTS: &[(&str, &[&str])] = &[
    (
        "analysis",
        &[
            "test_counters",
            "test_period",
            "test_categories",
            "test_corpus",
            "test_signature",
            "test_study",
            "test_advice",
            "test_summary",
            "test_metric",
            "test_extrapolate",
            "test_replay",
            "test_predict",
        ],
    ),
    ("cli", &["test_record", "test_store", "test_scan", "test_predict", "test_replay", "test_corpus"]),
    (
        "formats",
        &[
            "test_pydarshan",
            "test_darshan_parser",
            "test_server_logs",
            "test_predict",
            "test_scan",
            "test_record",
            "test_extrapolate",
        ],
    ),
    ("model", &["test_pydarshan", "test_counters", "test_record", "test_summary"]),
    ("recorder", &["test_programs", "test_record", "test_counters", "test_replay"]),
    ("report", &["test_study", "test_emit", "test_summary", "test_predict"]),
    ("store", &["test_store", "test_study"]),
    ("system", &["test_replay", "test_predict", "test_scan", "test_record"]),
    ("wire", &["test_record", "test_programs", "test_replay", "test_extrapolate"]),
];
/// A test that takes this many times as long as without the change hangs.
const PATIENCE: u32 = 5;
/// At least this long, for tests that take no time.
const MIN_LIMIT: Duration = Duration::from_secs(120);

pub struct Workshop {
    root: PathBuf,
    folder: PathBuf,
    /// How long commands took without a change, by their words.
    usual: RefCell<HashMap<String, Duration>>,
}

impl Workshop {
    /// Puts the last commit into `target/mutation/tree`.
    pub fn open(root: &Path) -> Result<Workshop, String> {
        let folder = root.join("target/mutation/tree");
        let shop = Workshop { root: root.to_owned(), folder, usual: RefCell::default() };
        let text = shop.folder.to_string_lossy().into_owned();
        if !shop.folder.exists() {
            git(root, &["worktree", "prune"])?;
            git(root, &["worktree", "add", "--force", "--detach", &text, "HEAD"])?;
        }
        let commit = git(root, &["rev-parse", "HEAD"])?;
        git(&shop.folder, &["reset", "-q", "--hard", &commit])?;
        for beside in [".venv", "tests/browser/node_modules"] {
            let (from, to) = (root.join(beside), shop.folder.join(beside));
            if from.exists() && !to.exists() {
                std::os::unix::fs::symlink(&from, &to)
                    .map_err(|error| format!("{}: {error}", to.display()))?;
            }
        }
        Ok(shop)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn commit(&self) -> Result<String, String> {
        git(&self.folder, &["rev-parse", "HEAD"])
    }

    /// Makes a change, lets everybody look for it, and takes it back.
    pub fn attempt(&self, share: &Share, mutant: &Mutant) -> Result<Outcome, String> {
        let tests = ["test", "--quiet", "--package", &package(&share.name)];
        let program = ["test", "--quiet", "--package", "marigraph"];
        let build = ["build", "--quiet", "--workspace"];
        // What fails without a change says nothing about it.
        self.must_pass("cargo", &tests)?;
        let path = self.folder.join(&mutant.path);
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let changed =
            mutant.change.applied(&text).ok_or_else(|| format!("{} is another text", mutant.path))?;
        let put = |text: &str| fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()));
        put(&changed)?;
        let mut outcome = Outcome::Survived;
        if !self.passes("cargo", &[&tests[..], &["--no-run"]].concat())? {
            outcome = Outcome::NotBuilt;
        } else if !self.passes("cargo", &tests)? {
            outcome = Outcome::Tests;
        } else {
            put(&text)?;
            self.must_pass("cargo", &program)?;
            put(&changed)?;
            if !self.passes("cargo", &program)? {
                outcome = Outcome::Program;
            } else if let Some(script) = self.script_that_fails(share, &build, &put, &text, &changed)? {
                outcome = Outcome::Script(script);
            }
        }
        put(&text)?;
        Ok(outcome)
    }

    fn script_that_fails(
        &self,
        share: &Share,
        build: &[&str],
        put: &dyn Fn(&str) -> Result<(), String>,
        text: &str,
        changed: &str,
    ) -> Result<Option<String>, String> {
        let names = SCRIPTS.iter().find(|(name, _)| *name == share.name).map_or(&[][..], |(_, names)| names);
        let python = self.folder.join(".venv/bin/python").to_string_lossy().into_owned();
        let paths: Vec<String> = names.iter().map(|name| format!("tests/interop/{name}.py")).collect();
        let known = |path: &String| self.usual.borrow().contains_key(path.as_str());
        if !paths.iter().all(known) {
            put(text)?;
            self.must_pass("cargo", build)?;
            for path in &paths {
                let begun = Instant::now();
                // One that fails without a change is left out.
                if self.finishes(&python, &[path.as_str()], MIN_LIMIT * 10)? == Some(true) {
                    self.usual.borrow_mut().insert(path.clone(), begun.elapsed());
                }
            }
            put(changed)?;
        }
        self.passes("cargo", build)?;
        for path in paths.iter().filter(|path| known(path)) {
            let limit =
                self.usual.borrow().get(path.as_str()).copied().unwrap_or(MIN_LIMIT) * PATIENCE + MIN_LIMIT;
            if self.finishes(&python, &[path.as_str()], limit)? != Some(true) {
                return Ok(Some(path.clone()));
            }
        }
        Ok(None)
    }

    /// Runs a command on the unchanged tree, once, and keeps how long it took.
    fn must_pass(&self, program: &str, words: &[&str]) -> Result<(), String> {
        let key = words.join(" ");
        if self.usual.borrow().contains_key(&key) {
            return Ok(());
        }
        let begun = Instant::now();
        if self.finishes(program, words, Duration::MAX)? != Some(true) {
            return Err(format!("{program} {key} fails without any change"));
        }
        self.usual.borrow_mut().insert(key, begun.elapsed());
        Ok(())
    }

    fn passes(&self, program: &str, words: &[&str]) -> Result<bool, String> {
        let usual = self.usual.borrow().get(&words.join(" ")).copied().unwrap_or(MIN_LIMIT * 5);
        Ok(self.finishes(program, words, usual * PATIENCE + MIN_LIMIT)? == Some(true))
    }

    /// Whether a command succeeds; `None` if it takes too long, and is ended with all it started.
    fn finishes(&self, program: &str, words: &[&str], limit: Duration) -> Result<Option<bool>, String> {
        let target = self.root.join("target/mutation/target");
        let program = if program == "cargo" { cargo() } else { program.into() };
        let mut command = Command::new(program);
        command
            .args(words)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.env("CARGO_TARGET_DIR", &target).env("MARIGRAPH", target.join("debug/marigraph"));
        let data = self.root.join("../shared/data");
        if std::env::var_os("MARIGRAPH_DATA").is_none() && data.exists() {
            command.env("MARIGRAPH_DATA", data);
        }
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let begun = Instant::now();
        loop {
            if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
                return Ok(Some(status.success()));
            }
            if begun.elapsed() > limit {
                end(&mut child);
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

/// Ends a process and its group.
fn end(child: &mut Child) {
    let _ = Command::new("kill").args(["-9", "--", &format!("-{}", child.id())]).status();
    let _ = child.wait();
}

fn package(name: &str) -> String {
    if name == "cli" { "marigraph".to_owned() } else { format!("marigraph-{name}") }
}

fn git(folder: &Path, words: &[&str]) -> Result<String, String> {
    let done = Command::new("git").args(words).current_dir(folder).output();
    let done = done.map_err(|error| format!("cannot run git: {error}"))?;
    if !done.status.success() {
        return Err(format!("git {}: {}", words.join(" "), String::from_utf8_lossy(&done.stderr).trim()));
    }
    Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crate_has_scripts_that_are_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for folder in fs::read_dir(root.join("crates")).expect("crates") {
            let name = folder.expect("an entry").file_name().to_string_lossy().into_owned();
            assert!(SCRIPTS.iter().any(|(known, _)| *known == name), "{name}");
        }
        for script in SCRIPTS.iter().flat_map(|(_, names)| *names) {
            assert!(root.join(format!("tests/interop/{script}.py")).exists(), "{script}");
        }
    }
}

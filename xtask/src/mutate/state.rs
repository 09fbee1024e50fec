//! What was tried so far, in a file that the next run reads.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::draw::{Mutant, Share};

/// Who noticed a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It does not compile, which does not count.
    NotBuilt,
    Tests,
    Program,
    Script(String),
    Survived,
}

impl Outcome {
    pub fn sentence(&self) -> String {
        match self {
            Outcome::NotBuilt => "does not compile".to_owned(),
            Outcome::Tests => "caught by the crate's tests".to_owned(),
            Outcome::Program => "caught by the program's tests".to_owned(),
            Outcome::Script(name) => format!("caught by {name}"),
            Outcome::Survived => "SURVIVED".to_owned(),
        }
    }

    fn word(&self) -> &str {
        match self {
            Outcome::NotBuilt => "not built",
            Outcome::Tests => "tests",
            Outcome::Program => "program",
            Outcome::Script(name) => name,
            Outcome::Survived => "survived",
        }
    }

    fn of(word: &str) -> Outcome {
        match word {
            "not built" => Outcome::NotBuilt,
            "tests" => Outcome::Tests,
            "program" => Outcome::Program,
            "survived" => Outcome::Survived,
            name => Outcome::Script(name.to_owned()),
        }
    }
}

/// One change in a line of text.
pub fn sentence(share: &Share, mutant: &Mutant) -> String {
    let now = if mutant.change.now.is_empty() { "nothing" } else { mutant.change.now.trim() };
    format!("{}: {}:{}: {} -> {now}", share.name, mutant.path, mutant.line, mutant.change.was.trim())
}

pub struct State {
    path: PathBuf,
    commit: String,
    /// Crate, place in its order, what became of it.
    tried: Vec<(String, usize, Outcome)>,
}

impl State {
    /// Continues what the last run with the same commit, seed and count left, or begins with the first change.
    pub fn open(root: &Path, commit: &str, seed: u64, count: usize) -> Result<State, String> {
        let folder = root.join("check-out");
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let path = folder.join(format!("mutation-{seed}-{count}.json"));
        let kept: Value =
            fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        let tried = if kept["commit"] == commit { read(&kept["tried"]) } else { Vec::new() };
        Ok(State { path, commit: commit.to_owned(), tried })
    }

    pub fn commit(&self) -> &str {
        &self.commit
    }

    /// The next change to try in a crate; `None` when enough were, or none is left.
    pub fn next(&self, share: &Share) -> Option<usize> {
        let next = self.of(share).count();
        (self.counted(share).count() < share.count && next < share.order.len()).then_some(next)
    }

    pub fn add(&mut self, share: &Share, at: usize, outcome: Outcome) -> Result<(), String> {
        self.tried.push((share.name.clone(), at, outcome));
        let tried: Vec<Value> =
            self.tried.iter().map(|(name, at, outcome)| json!([name, at, outcome.word()])).collect();
        let text = json!({"commit": self.commit, "tried": tried}).to_string();
        fs::write(&self.path, text).map_err(|error| format!("{}: {error}", self.path.display()))
    }

    /// What was tried in a crate and compiled.
    pub fn counted<'a>(&'a self, share: &'a Share) -> impl Iterator<Item = (String, &'a Outcome)> {
        let built = self.of(share).filter(|(_, outcome)| **outcome != Outcome::NotBuilt);
        built.map(|(mutant, outcome)| (sentence(share, mutant), outcome))
    }

    fn of<'a>(&'a self, share: &'a Share) -> impl Iterator<Item = (&'a Mutant, &'a Outcome)> {
        let own = self.tried.iter().filter(|(name, ..)| *name == share.name);
        own.filter_map(|(_, at, outcome)| Some((share.order.get(*at)?, outcome)))
    }
}

fn read(tried: &Value) -> Vec<(String, usize, Outcome)> {
    let one = |value: &Value| {
        Some((value[0].as_str()?.to_owned(), value[1].as_u64()? as usize, Outcome::of(value[2].as_str()?)))
    };
    tried.as_array().map(|all| all.iter().filter_map(one).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::places::Change;
    use super::*;

    fn share() -> Share {
        let change = Change { at: 0, was: " < ".to_owned(), now: " <= ".to_owned() };
        let order = (1..9).map(|line| Mutant { path: "a.rs".to_owned(), line, change: change.clone() });
        Share { name: "a".to_owned(), count: 2, order: order.collect() }
    }

    #[test]
    fn a_run_is_continued_on_the_same_commit_only() {
        let root = std::env::temp_dir().join(format!("marigraph-mutation-{}", std::process::id()));
        let share = share();
        let mut state = State::open(&root, "c1", 7, 2).expect("a folder");
        for outcome in [Outcome::NotBuilt, Outcome::Script("x.py".to_owned())] {
            let next = state.next(&share).expect("more to try");
            state.add(&share, next, outcome).expect("written");
        }
        let mut again = State::open(&root, "c1", 7, 2).expect("a folder");
        assert_eq!(again.next(&share), Some(2));
        again.add(&share, 2, Outcome::Survived).expect("written");
        assert_eq!(again.next(&share), None, "two that compile were tried");
        let found: Vec<_> = again.counted(&share).map(|(text, outcome)| (text, outcome.sentence())).collect();
        assert_eq!(found[0], ("a: a.rs:2: < -> <=".to_owned(), "caught by x.py".to_owned()));
        assert_eq!(found[1].1, "SURVIVED");
        assert_eq!(State::open(&root, "c2", 7, 2).expect("a folder").next(&share), Some(0));
        let _ = fs::remove_dir_all(root);
    }
}

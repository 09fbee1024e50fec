//! The project's text files, without those that git ignores.

use std::path::Path;
use std::{fs, io};

/// A file of the project: its path from the root, with `/`, and its text.
#[derive(Clone, Debug)]
pub struct Source {
    pub path: String,
    pub text: String,
}

impl Source {
    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }
}

pub fn read(root: &Path) -> io::Result<Vec<Source>> {
    let ignored = Ignored::parse(&fs::read_to_string(root.join(".gitignore")).unwrap_or_default());
    let mut sources = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let path = format!("{folder}{}", entry.file_name().to_string_lossy());
            if ignored.contains(&path) {
                continue;
            }
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push(path + "/");
            } else if kind.is_file() {
                let text = String::from_utf8(fs::read(entry.path())?);
                sources.extend(text.ok().map(|text| Source { path, text }));
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(sources)
}

/// The patterns of a `.gitignore`, as far as ours needs: `/path`, `name`, `*.suffix`.
struct Ignored(Vec<String>);

impl Ignored {
    fn parse(text: &str) -> Self {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let given = lines.map(|line| line.trim_end_matches('/').to_owned());
        // Never ours, whatever the file says.
        Self([".git", "node_modules", "__pycache__"].map(str::to_owned).into_iter().chain(given).collect())
    }

    fn contains(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.0.iter().any(|pattern| match pattern.strip_prefix('*') {
            Some(suffix) => name.ends_with(suffix),
            None if pattern.contains('/') => path == pattern.trim_start_matches('/'),
            None => name == pattern,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignores_what_git_ignores() {
        let ignored = Ignored::parse("# made\n/target\n.venv/\n*.log\n/fuzz/corpus\n");
        for path in ["target", "a/.venv", "x/y.log", "fuzz/corpus", ".git", "tests/browser/node_modules"] {
            assert!(ignored.contains(path), "{path}");
        }
        for path in ["crates/target", "fuzz/fuzz_targets", "log.rs", ".gitignore", ".github"] {
            assert!(!ignored.contains(path), "{path}");
        }
    }
}

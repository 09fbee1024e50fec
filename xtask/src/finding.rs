//! What a check reports.

use std::fmt;

/// One broken rule at one place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    pub path: String,
    pub line: usize,
    /// A warning is printed but does not fail the run.
    pub warning: bool,
    pub what: String,
    pub todo: String,
}

impl Finding {
    pub fn new(path: &str, line: usize, what: impl Into<String>, todo: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, warning: false, what: what.into(), todo: todo.into() }
    }

    pub fn into_warning(self) -> Self {
        Self { warning: true, ..self }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.warning { "warning: " } else { "" };
        write!(f, "{}:{}: {kind}{}: {}", self.path, self.line, self.what, self.todo)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_as_place_fault_remedy() {
        let finding = Finding::new("a.rs", 3, "too long", "split it");
        assert_eq!(finding.to_string(), "a.rs:3: too long: split it");
        assert_eq!(finding.into_warning().to_string(), "a.rs:3: warning: too long: split it");
    }
}

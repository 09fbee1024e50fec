//! Rows of the store are structs: code that fills or reads a table names its columns, and the
//! compiler checks them.

use crate::finding::Finding;
use crate::purity::imports;
use crate::rust_text::{code, find_words, line_of};
use crate::tree::Source;

/// Where columns have positions instead of names: the store itself, and the command whose columns
/// are the user's own.
const BY_PLACE: &[&str] = &["crates/store/", "crates/cli/src/cmd/sql/"];
/// What the store offers only for answers of queries.
const ANSWERS: &[&str] = &["marigraph_store::Cell", "marigraph_store::Output", "marigraph_store::query"];

pub fn check(source: &Source) -> Vec<Finding> {
    if !source.is_rust() || BY_PLACE.iter().any(|place| source.path.starts_with(place)) {
        return Vec::new();
    }
    let code = code(&source.text);
    let mut lines: Vec<usize> = ANSWERS
        .iter()
        .flat_map(|name| find_words(&code, name).into_iter().map(|at| line_of(&code, at)))
        .chain(
            imports(&code)
                .into_iter()
                .filter(|(_, path)| ANSWERS.contains(&path.as_str()))
                .map(|(line, _)| line),
        )
        .collect();
    lines.sort_unstable();
    lines.dedup();
    let todo = "push a row of marigraph_store::tables, or read one or a view! of it";
    let finding = |line| Finding::new(&source.path, line, "cells of a table by position", todo);
    lines.into_iter().map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stay_in_the_store_and_in_the_command_sql() {
        for bad in [
            "use marigraph_store::{Cell, Rows};",
            "use marigraph_store::query;",
            "impl marigraph_store::Output for Mine {}",
        ] {
            let found = |path: &str| check(&Source { path: path.to_owned(), text: bad.to_owned() }).len();
            assert_eq!(found("crates/cli/src/cmd/study/runs.rs"), 1, "{bad}");
            assert_eq!(
                (found("crates/cli/src/cmd/sql/forms.rs"), found("crates/store/tests/sql.rs")),
                (0, 0)
            );
        }
        let good = "use std::cell::Cell;\nuse marigraph_store::{Rows, view};";
        assert!(check(&Source { path: "crates/cli/src/a.rs".to_owned(), text: good.to_owned() }).is_empty());
    }
}

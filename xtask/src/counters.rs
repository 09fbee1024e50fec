//! Darshan's counters are counted in one place, `crates/analysis/src/count/`.
//!
//! Whoever gives a counter a value by its name, or sorts sizes into classes, counts a second time.

use std::collections::BTreeSet;

use crate::finding::Finding;
use crate::purity::{imports, is_below, test_files};
use crate::rust_text::{code, find_words, is_word, line_of, without_tests};
use crate::tree::Source;

/// Who may give counters values, each with the reason.
const ALLOWED: &[(&str, &str)] = &[
    ("crates/analysis/src/count/", "the one counter"),
    ("crates/analysis/src/aggregate.rs", "reduces records of ranks"),
    ("crates/analysis/src/common.rs", "reduces common values"),
    ("crates/analysis/src/synth/corpus/corruption.rs", "breaks records that were counted"),
    ("crates/analysis/src/synth/dress.rs", "adds to counted records what operations do not tell"),
    ("crates/analysis/src/synth/system/truth.rs", "says from the plan what should be counted"),
    ("crates/formats/src/darshan", "reads and writes counters as they are stored"),
    ("crates/model/src/", "the tables of counters and classes"),
];
/// Tables of counters, and how macros name them.
const TABLES: &[&str] = &[
    "posix::",
    "stdio::",
    "mpiio::",
    "h5f::",
    "h5d::",
    "pnetcdf_file::",
    "pnetcdf_var::",
    "module::",
    "table::",
];
const CLASSES: &str = "marigraph_model::size_bin";

pub fn check(sources: &[Source]) -> Vec<Finding> {
    let rust: Vec<&Source> = sources.iter().filter(|source| source.is_rust()).collect();
    let tests = test_files(&rust);
    let is_product = |source: &&&Source| {
        source.path.contains("/src/")
            && !ALLOWED.iter().any(|(place, _)| source.path.starts_with(place))
            && !is_below(&source.path, &tests)
    };
    rust.iter().filter(is_product).flat_map(|source| second_counts(source)).collect()
}

fn second_counts(source: &Source) -> Vec<Finding> {
    let code = without_tests(&code(&source.text));
    let places = assigned(&code).chain(given(&code)).chain(listed(&code)).map(|at| line_of(&code, at));
    let classes = imports(&code).into_iter().filter(|(_, path)| path == CLASSES).map(|(line, _)| line);
    let lines: BTreeSet<usize> = places.chain(classes).collect();
    let todo = "tell analysis::count what happened, and let it count";
    let finding = |line| Finding::new(&source.path, line, "a counter is given a value", todo);
    lines.into_iter().map(finding).collect()
}

/// `cells[idx.at()] = value`.
fn assigned(code: &str) -> impl Iterator<Item = usize> {
    code.match_indices(".at()]").map(|(at, _)| at).filter(|at| {
        let mut rest = code[at + ".at()]".len()..].trim_start().chars();
        match (rest.next(), rest.next()) {
            (Some('='), next) => !matches!(next, Some('=' | '>')),
            (Some('+' | '-'), next) => next == Some('='),
            _ => false,
        }
    })
}

/// `row.set(table::NAME, value)` and `row.stamps((table::NAME, ..), value)`.
fn given(code: &str) -> impl Iterator<Item = usize> {
    counters(code)
        .filter(|&(at, end)| {
            let before = code[..at].trim_end_matches('$').trim_end();
            let Some(call) = before.strip_suffix('(') else { return false };
            let call = call.trim_end().trim_end_matches('(').trim_end();
            let method = call.trim_end_matches(|c: char| c.is_ascii() && is_word(c as u8));
            method.len() < call.len() && method.ends_with('.') && code[end..].trim_start().starts_with(',')
        })
        .map(|(at, _)| at)
}

/// `for (idx, value) in [(table::NAME, ..), ..] { row.set(idx, value) }`.
fn listed(code: &str) -> impl Iterator<Item = usize> {
    find_words(code, "for").into_iter().filter(|&at| {
        let Some((pair, rest)) = code[at..].strip_prefix("for (").and_then(|rest| rest.split_once(") in "))
        else {
            return false;
        };
        let is_pair =
            pair.split(", ").count() == 2 && pair.bytes().all(|byte| is_word(byte) || b", ".contains(&byte));
        let Some(set) = rest.find(&format!("({pair})")).filter(|_| is_pair) else { return false };
        let called = rest[..set].trim_end_matches(|c: char| c.is_ascii() && is_word(c as u8));
        called.ends_with('.') && counters(&rest[..set]).next().is_some()
    })
}

/// Begin and end of every `table::NAME`, with what is called on it.
fn counters(code: &str) -> impl Iterator<Item = (usize, usize)> {
    let places: BTreeSet<usize> = TABLES.iter().flat_map(|table| find_words(code, table)).collect();
    places.into_iter().filter_map(|at| {
        let start = at + code[at..].find("::")? + 2;
        let name =
            code[start..].find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))?;
        let end = start + name;
        let plus = code[end..].strip_prefix(".plus(").and_then(|rest| rest.find(')')).map_or(0, |at| at + 7);
        (name > 1).then_some((at, end + plus))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<usize> {
        let source = Source { path: path.to_owned(), text: text.to_owned() };
        check(&[source]).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn formulas_of_old_are_found() {
        for bad in [
            "row.set(posix::OPENS, opens(file));",
            "row.put(mpiio::F_META_TIME, 1.0);",
            "row.stamps((stdio::F_OPEN_START_TIMESTAMP, stdio::F_OPEN_END_TIMESTAMP), open);",
            "$row.set($module::BYTES_READ, read);",
            "row.int(posix::SIZE_READ_0_100.plus(3), 1);",
            "row.ints[posix::MMAPS.at()] = Count::MISSING;",
            "self.floats[idx.at()] += more;",
            "for (idx, value) in [\n    (posix::READS, reads),\n] {\n    row.set(idx, value);\n}",
            "use marigraph_model::{Count, size_bin};",
        ] {
            assert_eq!(found("crates/analysis/src/synth/row.rs", bad), [1], "{bad}");
            assert!(found("crates/analysis/src/count/file.rs", bad).is_empty(), "{bad}");
            assert!(found("crates/analysis/tests/one.rs", bad).is_empty(), "{bad}");
        }
    }

    #[test]
    fn readers_of_counters_are_not() {
        for good in [
            "let reads = record.int(posix::READS).amount();",
            "if row.ints[posix::READS.at()] == Count::new(1) {}",
            "for (sum, idx) in [(&mut sums.reads, posix::READS)] { bump(sum, record.int(idx)); }",
            "let span = (posix::F_OPEN_START_TIMESTAMP, posix::F_OPEN_END_TIMESTAMP);",
            "use crate::study::size_bin;",
            "#[cfg(test)]\nmod tests {\n    fn a() { ints[posix::READS.at()] = Count::new(1); }\n}",
            "// row.set(posix::OPENS, 1);",
        ] {
            assert!(found("crates/analysis/src/usage.rs", good).is_empty(), "{good}");
        }
    }
}

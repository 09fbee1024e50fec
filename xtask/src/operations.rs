//! The properties of operations are declared once, in the table of `crates/wire/src/op.rs`.
//!
//! A pattern that joins three or more operations with a common trait (all read, all are collective,
//! ...) declares that trait again.

use std::collections::BTreeMap;

use crate::finding::Finding;
use crate::rust_text::{code, line_of};
use crate::tree::Source;

const TABLE: &str = "crates/wire/src/op.rs";

/// Maximum number of operations with a common trait in one pattern.
const JOINED: usize = 2;

pub fn check(sources: &[Source]) -> Vec<Finding> {
    let Some(table) = sources.iter().find(|source| source.path == TABLE) else { return Vec::new() };
    let rows: BTreeMap<&str, &str> = table.text.lines().filter_map(row).collect();
    let is_other = |source: &&Source| {
        // What a test expects is independent.
        source.is_rust() && source.path != TABLE && !source.path.contains("/tests/")
    };
    let others = sources.iter().filter(is_other);
    others.flat_map(|source| second_homes(source, &rows)).collect()
}

/// Name and traits of a row: `Layer Name = code, "text"(roles) traits;`.
fn row(line: &str) -> Option<(&str, &str)> {
    let (head, traits) = line.trim().strip_suffix(';')?.rsplit_once(')')?;
    let mut words = head.split_whitespace().skip(1);
    let name = words.next()?;
    (words.next() == Some("=")).then_some((name, traits))
}

fn second_homes(source: &Source, rows: &BTreeMap<&str, &str>) -> Vec<Finding> {
    let code = code(&source.text);
    let mut findings = Vec::new();
    let mut at = 0;
    for piece in
        code.split_inclusive(|c: char| !(c.is_alphanumeric() || c.is_whitespace() || "_:|".contains(c)))
    {
        let mut shared: BTreeMap<&str, usize> = BTreeMap::new();
        let words = piece.split('|').filter(|_| piece.contains('|')).flat_map(str::split_whitespace);
        for name in words.filter_map(|path| path.rsplit("::").next()) {
            let traits = rows.get(name).into_iter().flat_map(|traits| traits.split_whitespace());
            traits.for_each(|one| *shared.entry(one).or_default() += 1);
        }
        let most = shared.into_iter().max_by_key(|(_, count)| *count);
        if let Some((one, _)) = most.filter(|(_, count)| *count > JOINED) {
            let line = line_of(&code, at + piece.len() - piece.trim_start().len());
            let what = format!("a list of operations that share `{one}`");
            findings.push(Finding::new(&source.path, line, what, format!("ask the operation, see {TABLE}")));
        }
        at += piece.len();
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = r#"
    /// Reads at the position: `b` bytes asked.
    Posix Read = 13, "read"(-, Bytes) Reads;
    Posix Pread = 15, "pread"(Offset, Bytes) Reads;
    Posix Preadv = 19, "preadv"(Offset, Bytes, Count) Reads;
    Posix Pwrite = 16, "pwrite"(Offset, Bytes) Writes;
    Posix Stat = 40, "stat"(Name, -, KindFound);
    Mpi FileReadAll = 225, "MPI_File_read_all"(-, Bytes, Datatype) Reads Meets;
    Mpi FileSync = 216, "MPI_File_sync"() Meets;
    Mpi Barrier = 202, "MPI_Barrier"(-, -, Communicator) NoSlot Meets;
"#;

    fn found(text: &str) -> Vec<(usize, String)> {
        let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
        let found = check(&[source(TABLE, ROWS), source("a.rs", text)]);
        found.into_iter().map(|finding| (finding.line, finding.what)).collect()
    }

    #[test]
    fn lists_of_old_are_found() {
        let direction = "match op {\n    Read | Pread | Preadv | FileReadAll => Some(Direction::Read),\n}";
        let access =
            "match call.op {\n    _ => 1,\n    Op::Pread | Op::Preadv | Op::Read if call.ret > 0 => 2,\n}";
        let collective = "matches!(\n    op,\n    Barrier\n        | FileReadAll\n        | FileSync\n)";
        for (text, line, one) in [(direction, 2, "Reads"), (access, 3, "Reads"), (collective, 3, "Meets")] {
            let what = format!("a list of operations that share `{one}`");
            assert_eq!(found(text), [(line, what)], "{text}");
        }
    }

    #[test]
    fn dispatch_is_not() {
        for text in [
            "match op { Op::Read | Op::Pread => a(), Op::Preadv | Op::Pwrite => b(), _ => c() }",
            "let reads = [Op::Read, Op::Pread, Op::Preadv];",
            "matches!(op, Op::Read | Op::Pwrite | Op::Stat | Op::Barrier)",
            "// Read | Pread | Preadv",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }
}

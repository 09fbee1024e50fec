//! Phrases of a private dialect that must not come back, and lines of documents that are too long.
//!
//! The phrases are written in pieces so that this file does not find itself.

use crate::finding::Finding;
use crate::rust_text::{code, find_words, line_of};
use crate::tree::Source;

/// Phrases in documents, comments and literals, in lower case, each with its replacement.
const PHRASES: &[(&str, &str)] = &[
    (concat!("is to", "ld"), "say who reports or prints it, or what is flagged"),
    (concat!("are to", "ld"), "say who reports or prints them, or what is flagged"),
    (concat!("to", "ld apart"), "write distinguished or separated"),
    (concat!("an", "ew"), "write again, or a verb such as restart or rebuild"),
    (concat!("made", "-up"), "write synthetic"),
    (concat!("how-many", "-eth"), "write ordinal, and where it starts"),
    (concat!("gone on", " with"), "write resume or continue"),
    (concat!("so", " many"), "name the number"),
    (concat!(", who", " does"), "name the subject"),
    (concat!(": who", " does"), "name the subject"),
    (concat!("is no", " question"), "say what is allowed"),
    (concat!("is no", " moment"), "say that it cannot be read as a time"),
    (concat!("keep it", " so"), "say that no change is needed"),
    (concat!("goes on", " so"), "write at this rate"),
    (concat!("middle of", " runs"), "write median"),
    (concat!("fore", "told"), "write predicted"),
];

const PREFIXES: &[(&str, &str)] =
    &[(concat!("MO", "ST_"), "MAX_"), (concat!("FEW", "EST"), "MIN"), (concat!("LE", "AST"), "MIN")];

/// Maximum width of a line of a document; tables and code may be wider.
const WIDTH: usize = 100;

/// Generated from declarations, whose sentences are not wrapped.
const GENERATED: &[&str] = &["docs/reference/tables.md"];

pub fn check(source: &Source) -> Vec<Finding> {
    if source.is_rust() {
        rust(source)
    } else if is_document(&source.path) {
        let mut findings = spoken(&source.path, &source.text.to_lowercase());
        if !GENERATED.contains(&source.path.as_str()) {
            findings.extend(long_lines(&source.path, &source.text));
        }
        findings
    } else {
        Vec::new()
    }
}

fn is_document(path: &str) -> bool {
    path.ends_with(".md") && (!path.contains('/') || path.starts_with("docs/"))
}

fn spoken(path: &str, text: &str) -> Vec<Finding> {
    let found = |(phrase, instead): &(&str, &str)| {
        let at = find_words(text, phrase).into_iter();
        at.map(|at| Finding::new(path, line_of(text, at), format!("the phrase `{phrase}`"), *instead))
            .collect::<Vec<_>>()
    };
    PHRASES.iter().flat_map(found).collect()
}

fn rust(source: &Source) -> Vec<Finding> {
    let code = code(&source.text);
    let blanked = |(text, code): (u8, u8)| if code == text && text != b'\n' { b' ' } else { text };
    let words: Vec<u8> = source.text.bytes().zip(code.bytes()).map(blanked).collect();
    let mut findings = spoken(&source.path, &String::from_utf8_lossy(&words).to_ascii_lowercase());
    for (prefix, instead) in PREFIXES {
        let starts = |at: usize| code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        for (at, _) in code.match_indices(prefix).filter(|(at, _)| !starts(*at)) {
            let line = line_of(&source.text, at);
            findings.push(Finding::new(&source.path, line, format!("a name in {prefix}"), *instead));
        }
    }
    findings
}

fn long_lines(path: &str, text: &str) -> Vec<Finding> {
    let mut fenced = false;
    let mut findings = Vec::new();
    for (number, line) in text.lines().enumerate() {
        fenced ^= line.trim_start().starts_with("```");
        let free = fenced || line.starts_with(['|', '!']) || line.starts_with("    ");
        if !free && line.chars().count() > WIDTH {
            findings.push(Finding::new(path, number + 1, "a long line", format!("wrap it at {WIDTH}")));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<usize> {
        let source = Source { path: path.to_owned(), text: text.to_owned() };
        check(&source).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn every_phrase_is_found_in_documents_comments_and_literals() {
        for (phrase, _) in PHRASES {
            assert_eq!(found("docs/a.md", &format!("x\nIt {phrase} here")), [2], "{phrase}");
            assert_eq!(found("a.rs", &format!("/// It {phrase} x\nfn f() {{}}\n")), [1], "{phrase}");
            assert_eq!(found("a.rs", &format!("let a = \"It {} x\";\n", phrase.to_uppercase())), [1]);
            assert!(found("testdata/a.md", phrase).is_empty());
        }
    }

    #[test]
    fn code_is_not_prose_and_parts_of_words_are_not_phrases() {
        assert!(found("a.rs", concat!("let an", "ew = 1;\n")).is_empty());
        assert!(found("a.md", concat!("an", "ewer")).is_empty());
    }

    #[test]
    fn names_begin_with_max_and_min() {
        assert_eq!(found("a.rs", concat!("const MO", "ST_ROWS: u8 = 1;\n")), [1]);
        assert!(found("a.rs", concat!("const AL", "MOST_ALL: u8 = 1;\n")).is_empty());
    }

    #[test]
    fn documents_are_wrapped_but_tables_and_code_are_free() {
        let long = "x ".repeat(60);
        assert_eq!(found("README.md", &format!("{long}\n|{long}\n```\n{long}\n```\n")), [1]);
    }
}

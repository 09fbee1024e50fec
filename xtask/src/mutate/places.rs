//! Where a source can be changed so that it still looks like a program: one small change per place.

use crate::rust_text::{code, is_word, line_of, without_tests};

/// A change of one place of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub at: usize,
    pub was: String,
    pub now: String,
}

impl Change {
    /// The text with the change made; `None` if the text is another one.
    pub fn applied(&self, text: &str) -> Option<String> {
        let rest = text.get(self.at..)?.strip_prefix(self.was.as_str())?;
        Some(format!("{}{}{rest}", &text[..self.at], self.now))
    }
}

/// Operators between blanks, as rustfmt sets them, and calls; what does not compile is drawn again.
const SWAPS: &[(&str, &str)] = &[
    (" < ", " <= "),
    (" <= ", " < "),
    (" > ", " >= "),
    (" >= ", " > "),
    (" == ", " != "),
    (" != ", " == "),
    (" && ", " || "),
    (" || ", " && "),
    (" + ", " - "),
    (" - ", " + "),
    (" * ", " / "),
    (" / ", " * "),
    (" % ", " * "),
    (" += ", " -= "),
    (" -= ", " += "),
    (" << ", " >> "),
    (" >> ", " << "),
    (" & ", " | "),
    (" | ", " & "),
    ("..=", ".."),
    (".min(", ".max("),
    (".max(", ".min("),
    (".any(", ".all("),
    (".all(", ".any("),
    (".is_some()", ".is_none()"),
    (".is_none()", ".is_some()"),
];

/// All changes by line of the product; lines of tests, comments and attributes have none.
pub fn changes(text: &str) -> Vec<(usize, Vec<Change>)> {
    let product = without_tests(&code(text));
    let mut begin = 0;
    let mut out = Vec::new();
    for line in product.split_inclusive('\n') {
        let found = of_line(text, begin, line.trim_end_matches('\n'));
        if !found.is_empty() {
            out.push((line_of(text, begin), found));
        }
        begin += line.len();
    }
    out
}

/// Lines of the product with code on them.
pub fn lines(text: &str) -> usize {
    without_tests(&code(text)).lines().filter(|line| !line.trim().is_empty()).count()
}

fn of_line(text: &str, begin: usize, line: &str) -> Vec<Change> {
    let words = line.trim_start();
    if ["#[", "#!", "use ", "pub use ", "mod ", "pub mod "].iter().any(|start| words.starts_with(start)) {
        return Vec::new();
    }
    let swap = |at: usize, was: &str, now: String| Change { at: begin + at, was: was.to_owned(), now };
    let mut out = Vec::new();
    for (was, now) in SWAPS {
        out.extend(line.match_indices(was).map(|(at, _)| swap(at, was, (*now).to_owned())));
    }
    out.extend(literals(line).map(|(at, was, now)| swap(at, was, now)));
    out.extend(condition(line).map(|(at, was)| swap(at, was, format!("!({was})"))));
    out.extend(statement(line).map(|(at, was)| {
        let whole = &text[begin + at..begin + at + was.len()];
        Change { at: begin + at, was: whole.to_owned(), now: String::new() }
    }));
    // A condition may hold a literal, which is blank in `line`.
    out.iter_mut().filter(|change| change.now.starts_with("!(")).for_each(|change| {
        text[change.at..change.at + change.was.len()].clone_into(&mut change.was);
        change.now = format!("!({})", change.was);
    });
    out
}

/// Whole numbers become one more, truth values the other.
fn literals(line: &str) -> impl Iterator<Item = (usize, &str, String)> {
    let bytes = line.as_bytes();
    let starts = (0..bytes.len())
        .filter(|&at| is_word(bytes[at]) && !at.checked_sub(1).is_some_and(|before| is_word(bytes[before])));
    starts.filter_map(move |at| {
        let length = bytes[at..].iter().position(|byte| !is_word(*byte)).unwrap_or(bytes.len() - at);
        let word = &line[at..at + length];
        let digits = word.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'_').count();
        // `x.0` and the fraction of `1.5` are no numbers of their own.
        let of_another = at > 0 && bytes[at - 1] == b'.' && !line[..at].ends_with("..");
        match word {
            "true" => Some((at, word, "false".to_owned())),
            "false" => Some((at, word, "true".to_owned())),
            _ if digits == 0 || of_another || word.starts_with("0x") || word.starts_with("0b") => None,
            _ => {
                let number: u64 = word[..digits].replace('_', "").parse().ok()?;
                Some((at, word, format!("{}{}", number.checked_add(1)?, &word[digits..])))
            }
        }
    })
}

/// The condition of an `if` or a `while` that stands whole on a line.
fn condition(line: &str) -> Option<(usize, &str)> {
    let start = ["} else if ", "if ", "while "].iter().find_map(|word| {
        let at = line.len() - line.trim_start().len();
        line[at..].starts_with(word).then_some(at + word.len())
    })?;
    let condition = line[start..].strip_suffix(" {")?;
    (!condition.starts_with("let ") && !condition.contains(" let ")).then_some((start, condition))
}

/// A statement that stands whole on a line and gives nothing a name.
fn statement(line: &str) -> Option<(usize, &str)> {
    let at = line.len() - line.trim_start().len();
    let words = &line[at..];
    let kept = ["let ", "const ", "static ", "type ", "pub ", "return", "fn ", "extern ", "unsafe ", "impl "];
    let balanced = words.matches('(').count() == words.matches(')').count()
        && words.matches('{').count() == words.matches('}').count();
    let calls = words.contains('(') || words.contains(" = ") || words.contains("= ");
    let fine =
        words.ends_with(';') && calls && balanced && !kept.iter().any(|start| words.starts_with(start));
    (fine && words.as_bytes().first().is_some_and(|byte| is_word(*byte) || *byte == b'*'))
        .then_some((at, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> Vec<String> {
        let all = changes(text).into_iter().flat_map(|(_, found)| found);
        all.filter_map(|change| change.applied(text)).collect()
    }

    #[test]
    fn operators_numbers_and_conditions_change() {
        assert_eq!(made("if a < b {"), ["if a <= b {", "if !(a < b) {"]);
        assert_eq!(made("let x = 1_000.5 + y.0;"), ["let x = 1_000.5 - y.0;", "let x = 1001.5 + y.0;"]);
        assert_eq!(made("} else if says(\"a < b\") {"), ["} else if !(says(\"a < b\")) {"]);
        assert_eq!(made("let known = true;"), ["let known = false;"]);
        assert_eq!(made("for at in 2..=n {"), ["for at in 2..n {", "for at in 3..=n {"]);
    }

    #[test]
    fn statements_are_dropped_whole() {
        assert_eq!(made("    out.push(\"x;\");"), ["    "]);
        assert_eq!(made("self.seen |= more;"), [""]);
        assert!(made("return Err(x);").is_empty());
        assert!(made("    out.push(").is_empty());
    }

    #[test]
    fn nothing_of_tests_attributes_and_types_changes() {
        for text in [
            "#[cfg(test)]\nmod tests {\n    fn a() { b(1 + 2); }\n}",
            "#[allow(dead_code = 1)]",
            "// a < b",
            "fn f(x: &[u8], y: Option<u64>) -> Vec<u32> {",
            "if let Some(x) = y {",
        ] {
            assert!(made(text).is_empty(), "{text}: {:?}", made(text));
        }
        assert_eq!(lines("// a\n\nfn a() {\n}\n#[cfg(test)]\nmod tests {}\n"), 2);
    }

    #[test]
    fn another_text_is_not_changed() {
        let change = Change { at: 2, was: " < ".to_owned(), now: " > ".to_owned() };
        assert_eq!(change.applied("ab < c").as_deref(), Some("ab > c"));
        assert_eq!(change.applied("abc < d"), None);
        assert_eq!(change.applied(""), None);
    }
}

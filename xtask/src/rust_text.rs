//! Just enough of Rust's lexical rules to search code without matching text.
//!
//! [`code`] blanks comments and the contents of literals, byte for byte, so that line numbers and
//! brace counting stay right; everything else here works on its result.

use std::ops::Range;

/// `text` with comments and the contents of string and character literals replaced by spaces.
pub fn code(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let (end, blank) = token(bytes, at);
        if blank {
            out[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        }
        at = end;
    }
    // Blanks replace whole literals and comments, so no character is cut.
    String::from_utf8_lossy(&out).into_owned()
}

/// The end of the token at `at`, and whether it is a comment or a literal.
fn token(bytes: &[u8], at: usize) -> (usize, bool) {
    let rest = &bytes[at..];
    match rest[0] {
        b'/' if rest.starts_with(b"//") => {
            (at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()), true)
        }
        b'/' if rest.starts_with(b"/*") => (at + block_comment(rest), true),
        b'"' => (at + quoted(rest, b'"'), true),
        b'\'' => match character(rest) {
            Some(length) => (at + length, true),
            None => (at + 1, false),
        },
        byte if is_word(byte) => {
            let length = rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len());
            match &rest[..length] {
                b"r" | b"br" | b"cr" => match raw_string(&rest[length..]) {
                    Some(raw) => (at + length + raw, true),
                    None => (at + length, false),
                },
                _ => (at + length, false),
            }
        }
        _ => (at + 1, false),
    }
}

fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of a character literal; `None` for a lifetime or a label.
fn character(rest: &[u8]) -> Option<usize> {
    match rest.get(1)? {
        b'\\' => Some(quoted(rest, b'\'')),
        first => {
            let width = match first {
                0..0x80 => 1,
                0x80..0xe0 => 2,
                0xe0..0xf0 => 3,
                _ => 4,
            };
            (rest.get(1 + width) == Some(&b'\'')).then_some(width + 2)
        }
    }
}

/// The length of `#*"…"#*` after its prefix; `None` for a raw identifier.
fn raw_string(rest: &[u8]) -> Option<usize> {
    let hashes = rest.iter().take_while(|byte| **byte == b'#').count();
    if rest.get(hashes) != Some(&b'"') {
        return None;
    }
    let body = &rest[hashes + 1..];
    let closes = |at: &usize| body[*at] == b'"' && body[at + 1..].iter().take(hashes).eq(&rest[..hashes]);
    Some((0..body.len()).find(closes).map_or(rest.len(), |at| hashes + 1 + at + 1 + hashes))
}

pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

pub fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// Offsets of `needle` in `text`; an end that is a word character must be at a word boundary.
pub fn find_words(text: &str, needle: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let joined = |edge: Option<&u8>, beyond: Option<&u8>| {
        edge.is_some_and(|byte| is_word(*byte)) && beyond.is_some_and(|byte| is_word(*byte))
    };
    let needle_bytes = needle.as_bytes();
    text.match_indices(needle)
        .map(|(at, _)| at)
        .filter(|at| {
            let before = at.checked_sub(1).and_then(|at| bytes.get(at));
            !joined(needle_bytes.first(), before)
                && !joined(needle_bytes.last(), bytes.get(at + needle.len()))
        })
        .collect()
}

/// The end of the item that starts at `at`: after its closing brace or its semicolon.
fn item_end(code: &str, at: usize) -> usize {
    let mut depth = 0_i32;
    for (offset, byte) in code.as_bytes()[at..].iter().enumerate() {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b'}' => {
                depth -= 1;
                if depth <= 0 {
                    let end = at + offset + 1;
                    return end + usize::from(code[end..].starts_with(';'));
                }
            }
            b';' if depth == 0 => return at + offset + 1,
            _ => {}
        }
    }
    code.len()
}

const TEST_ONLY: &str = "#[cfg(test)]";

pub fn test_items(code: &str) -> Vec<Range<usize>> {
    let mut items: Vec<Range<usize>> = Vec::new();
    for (at, _) in code.match_indices(TEST_ONLY) {
        if items.last().is_none_or(|item| item.end <= at) {
            items.push(at..item_end(code, at + TEST_ONLY.len()));
        }
    }
    items
}

pub fn without_tests(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut from = 0;
    for item in test_items(code) {
        out.push_str(&code[from..item.start]);
        out.extend(code[item.clone()].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        from = item.end;
    }
    out + &code[from..]
}

/// Names of test-only modules in files of their own (`#[cfg(test)] mod x;`).
pub fn test_modules(code: &str) -> Vec<&str> {
    let names = test_items(code).into_iter().filter_map(|item| {
        let item = code[item].strip_prefix(TEST_ONLY)?.strip_suffix(';')?;
        item.split_whitespace().skip_while(|word| *word != "mod").nth(1)
    });
    names.collect()
}

/// A function with a body, with its lines from `fn` to the closing brace.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub line: usize,
    pub lines: usize,
}

pub fn functions(code: &str) -> Vec<Function> {
    let mut found = Vec::new();
    for at in find_words(code, "fn") {
        let rest = code[at + 2..].trim_start();
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let end = item_end(code, at);
        if !name.is_empty() && code[at..end].ends_with('}') {
            let lines = code[at..end].matches('\n').count() + 1;
            found.push(Function { name, line: line_of(code, at), lines });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let code = code(text);
        assert_eq!(code.len(), text.len(), "{text}");
        let squeezed: Vec<&str> = code.split_whitespace().collect();
        assert_eq!(squeezed.join(" "), expected, "{text}");
    }

    #[test]
    fn comments_and_literals_are_blanked() {
        check("a // b { \n c", "a c");
        check("a /* b /* c */ d */ e", "a e");
        check(r#"a("x \" { y") b"#, "a( ) b");
        check(r##"a(r#"x " { y"#) b"##, "a( ) b");
        check(r#"a(br"\") b"#, "a( ) b");
        check(r#"a(b"\\") b"#, "a(b ) b");
        check("a('{') b('\\'') c('é') d", "a( ) b( ) c( ) d");
        check(
            "fn f<'a>(x: &'a str) { 'l: loop { break 'l } }",
            "fn f<'a>(x: &'a str) { 'l: loop { break 'l } }",
        );
        check("r#fn + bar\"x\"", "r#fn + bar");
        check("a \"never closed { \n", "a");
    }

    #[test]
    fn words_have_edges() {
        assert_eq!(find_words("unsafe_code unsafe {", "unsafe"), [12]);
        assert_eq!(find_words("eprint!() pprint!() print!()", "print!"), [20]);
        assert_eq!(find_words("x::std::fs::read my_std::fs", "std::fs"), [3]);
    }

    #[test]
    fn test_items_are_found_whatever_their_form() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests { fn b() { {} } }\nfn c() {}\n\
                    #[cfg(test)]\nuse x::{y, z};\nfn d() {}\n";
        let left = without_tests(&code(text));
        assert_eq!(left.split_whitespace().collect::<Vec<_>>().join(" "), "fn a() {} fn c() {} fn d() {}");
        assert_eq!(left.lines().count(), text.lines().count());
        assert_eq!(
            test_modules("#[cfg(test)]\npub mod literal;\n#[cfg(test)]\nmod tests {}\nmod x;"),
            ["literal"]
        );
    }

    #[test]
    fn functions_are_measured() {
        let text = "trait T { fn no_body(&self) -> [u8; 4]; }\nfn f<T: Fn() -> u8>(\n  x: T,\n) {\n  \
                    let c = '}';\n  let p: fn(u8) = g;\n}\n";
        let found = functions(&code(text));
        assert_eq!(found, [Function { name: "f".to_owned(), line: 2, lines: 6 }]);
    }
}

//! Incremental JSON: values are located in the text without being stored, so that a log of any size
//! is read element by element, and a truncated one up to its last whole element.

use serde::de::DeserializeOwned;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    pub text: &'a [u8],
    pub whole: bool,
}

/// The concatenated values of a text: logs are often joined.
pub(super) fn documents(content: &[u8]) -> Items<'_> {
    Items { rest: content }
}

impl<'a> Piece<'a> {
    pub fn items(self) -> Items<'a> {
        Items { rest: self.text.strip_prefix(b"[").unwrap_or(&[]) }
    }

    /// The keys of an object, with escapes as written, and their values.
    pub fn fields(self) -> impl Iterator<Item = (&'a [u8], Piece<'a>)> {
        let mut items = Items { rest: self.text.strip_prefix(b"{").unwrap_or(&[]) };
        std::iter::from_fn(move || {
            let key = items.next()?.text.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
            items.rest = items.rest.trim_ascii_start().strip_prefix(b":")?;
            Some((key, items.next()?))
        })
    }

    pub fn get(self, key: &str) -> Option<Piece<'a>> {
        self.fields().find(|(name, _)| *name == key.as_bytes()).map(|(_, value)| value)
    }

    pub fn value<T: DeserializeOwned>(self) -> Option<T> {
        if self.whole { serde_json::from_slice(self.text).ok() } else { None }
    }
}

/// Values separated by commas or blanks, up to a closing bracket or the end.
#[derive(Debug, Clone)]
pub(super) struct Items<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Items<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let between = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
        let from = self.rest.iter().position(|byte| !between(byte))?;
        let text = &self.rest[from..];
        let (length, whole) = extent(text);
        if length == 0 {
            self.rest = &[];
            return None;
        }
        self.rest = &text[length..];
        Some(Piece { text: &text[..length], whole })
    }
}

fn extent(text: &[u8]) -> (usize, bool) {
    match text.first() {
        Some(b'"') => string(text),
        Some(b'{' | b'[') => container(text),
        _ => {
            let ends = |byte: &u8| byte.is_ascii_whitespace() || b",]}:".contains(byte);
            // A number at the very end may be incomplete.
            text.iter().position(ends).map_or((text.len(), false), |length| (length, true))
        }
    }
}

fn string(text: &[u8]) -> (usize, bool) {
    let mut at = 1;
    while let Some(found) = text.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        if text[at + found] == b'"' {
            return (at + found + 1, true);
        }
        at += found + 2;
    }
    (text.len(), false)
}

fn container(text: &[u8]) -> (usize, bool) {
    let (mut depth, mut at) = (0u64, 0);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return (at + 1, true);
                }
            }
            b'"' => {
                at += string(&text[at..]).0;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    (text.len(), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(text: &str) -> Piece<'_> {
        documents(text.as_bytes()).next().expect("a value")
    }

    #[test]
    fn pieces_are_found() {
        let text = r#" {"a": [1, "x]\"", {"b": [2]}], "c\"": {"d": null}, "e": 1.5} "#;
        let keys: Vec<&[u8]> = root(text).fields().map(|(key, _)| key).collect();
        assert_eq!(keys, [&b"a"[..], b"c\\\"", b"e"]);
        let items: Vec<&[u8]> =
            root(text).get("a").expect("an array").items().map(|item| item.text).collect();
        assert_eq!(items, [&b"1"[..], b"\"x]\\\"\"", b"{\"b\": [2]}"]);
        assert_eq!(root(text).get("e").and_then(Piece::value::<f64>), Some(1.5));
        assert_eq!(documents(b"{} [] 1 ").count(), 3);
    }

    #[test]
    fn what_is_cut_off_is_told() {
        let text = r#"{"a": [[1, 2], [3, 4], [5"#;
        let array = root(text).get("a").expect("an array");
        assert!(!root(text).whole && !array.whole);
        let whole: Vec<bool> = array.items().map(|item| item.whole).collect();
        assert_eq!(whole, [true, true, false]);
        for cut in
            ["", "{", "[", "{\"a", "{\"a\"", "{\"a\":", "[1", "]", "}", "{]", "[}", "\"\\", ":", "{\"a\" 1}"]
        {
            if let Some(piece) = documents(cut.as_bytes()).next() {
                assert!(piece.fields().count() + piece.items().count() <= 1, "{cut}");
            }
        }
    }
}

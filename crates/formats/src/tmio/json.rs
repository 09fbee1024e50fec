//! JSON as tools write rates, including non-numbers (`NaN`, `inf`).

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Number(f64),
    /// An array; elements that are not numbers are NaN.
    Numbers(Vec<f64>),
    Text(String),
    /// In document order.
    Object(Vec<(String, Node)>),
    Other,
}

impl Node {
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.fields().iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    pub fn fields(&self) -> &[(String, Node)] {
        match self {
            Node::Object(fields) => fields,
            _ => &[],
        }
    }

    /// The numbers of an array; empty for any other value.
    pub fn numbers(&self) -> &[f64] {
        match self {
            Node::Numbers(numbers) => numbers,
            _ => &[],
        }
    }

    /// The numbers of the first of these keys that has any.
    pub fn column(&self, keys: &[&str]) -> &[f64] {
        let columns = keys.iter().filter_map(|key| self.get(key)).map(Node::numbers);
        columns.into_iter().find(|column| !column.is_empty()).unwrap_or(&[])
    }

    /// 0 if the key is missing or not a count.
    pub fn count(&self, key: &str) -> u64 {
        match self.get(key) {
            Some(&Node::Number(number)) => number as u64,
            _ => 0,
        }
    }

    /// Empty if the key is missing.
    pub fn text(&self, key: &str) -> &str {
        match self.get(key) {
            Some(Node::Text(text)) => text,
            _ => "",
        }
    }
}

#[derive(Debug)]
pub(super) struct NoJson {
    /// It only ends too early.
    pub cut: bool,
    pub detail: String,
}

pub(super) fn parse(text: &[u8]) -> Result<Node, NoJson> {
    let failed = match serde_json::from_slice(text) {
        Ok(node) => return Ok(node),
        Err(error) => error,
    };
    if !failed.is_eof()
        && let Ok(node) = serde_json::from_slice(&without_words(text))
    {
        return Ok(node);
    }
    Err(NoJson { cut: failed.is_eof() || at_end(text, &failed), detail: failed.to_string() })
}

/// Whether only the last byte is wrong, such as where a number ends after its point.
fn at_end(text: &[u8], error: &serde_json::Error) -> bool {
    let mut lines = text.split(|&byte| byte == b'\n');
    let last = lines.next_back().map_or(0, <[u8]>::len);
    error.line() == lines.count() + 1 && error.column() >= last
}

/// Replaces words that strict JSON does not know (`NaN`, `-inf`, `Infinity`) with `null`.
fn without_words(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 64);
    let mut rest = text;
    while let Some(&byte) = rest.first() {
        let signed = usize::from(byte == b'-' || byte == b'+');
        let length = match byte {
            b'"' => string_length(rest),
            _ if rest.get(signed).is_some_and(u8::is_ascii_alphabetic) => {
                signed + run(&rest[signed..], |byte| byte.is_ascii_alphanumeric())
            }
            // Numbers keep the letters of their exponents.
            _ => run(rest, |byte| byte.is_ascii_alphanumeric() || b".+-".contains(&byte)).max(1),
        };
        let (piece, after) = rest.split_at(length);
        let unknown = piece[signed.min(piece.len())..].first().is_some_and(u8::is_ascii_alphabetic)
            && ![&b"true"[..], b"false", b"null"].contains(&piece);
        out.extend_from_slice(if unknown { b"null" } else { piece });
        rest = after;
    }
    out
}

fn run(bytes: &[u8], kind: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|&byte| !kind(byte)).unwrap_or(bytes.len())
}

/// Length of the string that begins here, including its quotes.
fn string_length(text: &[u8]) -> usize {
    let mut escaped = false;
    let end = text.iter().skip(1).position(|&byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |at| at + 2)
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_bool<E>(self, _: bool) -> Result<Node, E> {
        Ok(Node::Other)
    }
    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Other)
    }
    fn visit_i64<E>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Number(number as f64))
    }
    fn visit_u64<E>(self, number: u64) -> Result<Node, E> {
        Ok(Node::Number(number as f64))
    }
    fn visit_f64<E>(self, number: f64) -> Result<Node, E> {
        Ok(Node::Number(number))
    }
    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_string()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut numbers = Vec::new();
        while let Some(Number(number)) = items.next_element()? {
            numbers.push(number);
        }
        Ok(Node::Numbers(numbers))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut fields: Vec<(String, Node)> = Vec::new();
        let mut phases = false;
        while let Some(key) = items.next_key::<String>()? {
            // Single calls are not needed if phases of ranks precede them, as they do.
            if phases && (key.ends_with("_ind") || key.contains("_ind_")) {
                items.next_value::<IgnoredAny>()?;
                continue;
            }
            let node: Node = items.next_value()?;
            phases |= key == "t_rank_s" && !node.numbers().is_empty();
            fields.push((key, node));
        }
        Ok(Node::Object(fields))
    }
}

/// An array element: NaN if it is not a number.
struct Number(f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

struct NumberVisitor;

impl<'de> Visitor<'de> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }
    fn visit_bool<E>(self, _: bool) -> Result<Number, E> {
        Ok(Number(f64::NAN))
    }
    fn visit_unit<E>(self) -> Result<Number, E> {
        Ok(Number(f64::NAN))
    }
    fn visit_i64<E>(self, number: i64) -> Result<Number, E> {
        Ok(Number(number as f64))
    }
    fn visit_u64<E>(self, number: u64) -> Result<Number, E> {
        Ok(Number(number as f64))
    }
    fn visit_f64<E>(self, number: f64) -> Result<Number, E> {
        Ok(Number(number))
    }
    fn visit_str<E>(self, _: &str) -> Result<Number, E> {
        Ok(Number(f64::NAN))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Number, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Number(f64::NAN))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut items: A) -> Result<Number, A::Error> {
        while items.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Number(f64::NAN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_no_json_are_no_numbers() {
        let node = parse(
            br#"{"NaN": [1.5e-3, NaN, -nan, -Infinity, 2, null], "a\"NaN": "inf", "t": true, "x": nan}"#,
        )
        .expect("lenient");
        let numbers = node.column(&["NaN"]);
        assert_eq!((numbers.len(), numbers[0], numbers[4]), (6, 1.5e-3, 2.0));
        assert!([1, 2, 3, 5].iter().all(|&at: &usize| numbers[at].is_nan()));
        assert_eq!((node.text("a\"NaN"), node.get("x")), ("inf", Some(&Node::Other)));
    }

    #[test]
    fn single_calls_are_left_out_after_phases_alone() {
        let node =
            parse(br#"{"b_ind": [1], "t_rank_s": [2], "t_ind_s": [3], "t_ind": 4, "b": 5}"#).expect("JSON");
        assert_eq!(node.fields().iter().map(|(key, _)| key).collect::<Vec<_>>(), ["b_ind", "t_rank_s", "b"]);
        // However many there are, none is compared with all before it.
        let calls: Vec<String> = (0..200_000).map(|at| format!(r#""{at}_ind": 0"#)).collect();
        let node = parse(format!("{{{}}}", calls.join(",")).as_bytes()).expect("JSON");
        assert_eq!(node.fields().len(), calls.len());
    }

    #[test]
    fn what_only_ends_early_is_told_from_what_is_wrong() {
        for cut in [r#"{"b": [1, 2"#, r#"{"b": [1, 2."#, "{\n\"b\": [1,\n2.", r#"{"b"#] {
            assert!(parse(cut.as_bytes()).is_err_and(|error| error.cut), "{cut}");
        }
        assert!(parse(br#"{"b" [1, 2]}"#).is_err_and(|error| !error.cut));
        assert!(parse("[".repeat(100_000).as_bytes()).is_err());
        let mixed = parse(br#"[1, "a", [2], {"b": 3}, 4]"#).expect("an array");
        assert_eq!((mixed.numbers().len(), mixed.numbers()[4]), (5, 4.0));
    }
}

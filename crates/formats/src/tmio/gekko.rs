//! Requests of GekkoFS clients: sizes or rates, starts and ends in microseconds.
//!
//! Three encodings hold the same fields: JSON, lines of `name: value`, and nine consecutive values.
//! Times are in microseconds, as their names say: the sizes in such files agree with that, not with
//! the factor of 10^-3 that FTIO applies.

use std::collections::{BTreeMap, BTreeSet};

use marigraph_model::{Direction, MIB, Module};

use super::gather::{Amounts, Entries, Gather, Ranks};
use super::json::{self, Node};
use super::msgpack::{Cursor, Value};

/// In the order of the nine values.
const FIELDS: [&str; 9] = [
    "flush_t",
    "hostname",
    "pid",
    "io_type",
    "start_t_micro",
    "end_t_micro",
    "req_size",
    "total_iops",
    "total_bytes",
];

pub(super) const VALUES: usize = FIELDS.len();

pub(super) fn is_object(node: &Node) -> bool {
    node.get("start_t_micro").is_some()
}

pub(super) fn object(node: &Node, gather: &mut Gather<'_>) {
    gather.interface = Module::Posix;
    let seconds = |key| node.column(&[key]).iter().map(|time| time * 1e-6).collect::<Vec<_>>();
    let (starts, ends) = (seconds("start_t_micro"), seconds("end_t_micro"));
    let op = match node.text("io_type") {
        "" => {
            gather.tally.undirected = true;
            Direction::Read
        }
        kind if kind.starts_with(['w', 'W']) => Direction::Write,
        _ => Direction::Read,
    };
    let sizes = node.column(&["req_size"]);
    let given = node.fields().iter().filter(|(key, _)| key.starts_with("avg_thr"));
    let rates: Vec<f64> =
        given.flat_map(|(_, rates)| rates.numbers()).map(|rate| rate * MIB as f64).collect();
    let amounts = if sizes.is_empty() { Amounts::Rates(&rates) } else { Amounts::Volumes(sizes) };
    gather.ranked(op, Entries { amounts, starts: &starts, ends: &ends }, Ranks { count: 1, most: 0 });
}

pub(super) fn is_text(content: &[u8]) -> bool {
    let beginning = String::from_utf8_lossy(&content[..content.len().min(4096)]);
    let known = |name: &str| FIELDS.contains(&name) || name.starts_with("avg_thr");
    beginning
        .lines()
        .find(|line| !line.trim().is_empty())
        .is_some_and(|line| line.split_once(':').is_some_and(|(name, _)| known(name.trim())))
}

/// Takes the requests of lines of `name: value`. A repeated name begins the next set.
pub(super) fn text(content: &[u8], gather: &mut Gather<'_>) {
    let (mut fields, mut known) = (Vec::new(), BTreeSet::new());
    for (number, line) in (1u64..).zip(content.split(|&byte| byte == b'\n')) {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let parsed = split(line).and_then(|(name, value)| {
            let value = json::parse(&without_leading_zeros(value)).map_err(|error| error.detail)?;
            Ok((name, value))
        });
        match parsed {
            Ok((name, value)) => {
                if !known.insert(name.clone()) {
                    object(&Node::Object(std::mem::take(&mut fields)), gather);
                    known = BTreeSet::from([name.clone()]);
                }
                fields.push((name, value));
            }
            Err(detail) => gather.tally.bad(|| format!("line {number}"), || detail),
        }
    }
    object(&Node::Object(fields), gather);
}

fn split(line: &[u8]) -> Result<(String, &[u8]), String> {
    let colon = line.iter().position(|&byte| byte == b':').ok_or("no colon")?;
    let name = String::from_utf8_lossy(line[..colon].trim_ascii()).into_owned();
    Ok((name, &line[colon + 1..]))
}

/// JSON does not allow `0500`.
fn without_leading_zeros(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len());
    for (at, &byte) in value.iter().enumerate() {
        let begins = out.last().is_none_or(|last: &u8| !last.is_ascii_digit() && *last != b'.');
        let goes_on = value.get(at + 1).is_some_and(u8::is_ascii_digit);
        if !(byte == b'0' && begins && goes_on) {
            out.push(byte);
        }
    }
    out
}

/// Takes the requests of nine consecutive values, bare or each as a map of one key.
pub(super) fn values(bytes: &[u8], gather: &mut Gather<'_>) -> Option<()> {
    let mut cursor = Cursor::new(bytes);
    let mut fields = BTreeMap::new();
    for field in FIELDS {
        let mut name = field.to_string();
        let mut value = cursor.value().ok()?;
        if let Value::Map(1) = value {
            name = cursor.text()?;
            value = cursor.value().ok()?;
        }
        let node = match value {
            Value::Array(count) => Node::Numbers(cursor.numbers(count)?),
            Value::Map(_) => return None,
            Value::Text(text) => Node::Text(String::from_utf8_lossy(text).into_owned()),
            other => other.number().map_or(Node::Other, Node::Number),
        };
        fields.insert(name, node);
    }
    let node = Node::Object(fields.into_iter().collect());
    is_object(&node).then(|| object(&node, gather))
}

#[cfg(test)]
mod tests {
    use marigraph_model::Event;

    use super::super::gather::Unit;
    use super::super::tally::Tally;
    use super::*;

    #[test]
    fn lines_of_many_names_take_no_longer_each() {
        let mut content = String::from("start_t_micro: [1]\nend_t_micro: [2]\nreq_size: [7]\n");
        (0..200_000).for_each(|name| content += &format!("{name}:1\n"));
        content += "req_size: [8]\nstart_t_micro: [3]\nend_t_micro: [4]\n";
        let (mut sizes, mut tally) = (Vec::new(), Tally::default());
        let mut emit = |event: Event| sizes.push(event.bytes);
        text(content.as_bytes(), &mut Gather::new(&mut tally, Unit::Bytes, &mut emit));
        assert_eq!((sizes, tally.bad), (vec![7, 8], 0));
    }

    #[test]
    fn leading_zeros_go_and_others_stay() {
        let cleaned = without_leading_zeros(b" [0500,0000, 10500,0.05,1.005,0,0]");
        assert_eq!(cleaned, b" [500,0, 10500,0.05,1.005,0,0]");
    }
}

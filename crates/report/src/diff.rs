//! The differences between two traces: the result behind `diff`.

use std::collections::BTreeMap;

use marigraph_analysis::compare::{Comparison, Difference, DifferenceKind, Paths, Side, StreamId};
use marigraph_model::{Call, NameId, Names, Problem};
use serde_json::{Value, json};

use crate::show::problems_json;

/// A comparison, with the paths that its calls name.
#[derive(Debug)]
pub struct Compared<'a> {
    pub comparison: &'a Comparison,
    pub paths: &'a Paths,
    /// Of both traces.
    pub problems: &'a [Problem],
}

/// Process, thread, call and kind of a difference.
type Place = (u32, u32, u64, String);

const SHOWN: usize = 20;

impl Compared<'_> {
    pub fn json(&self) -> Value {
        let found = &self.comparison.differences;
        json!({
            "same": found.is_empty(),
            "calls": self.comparison.calls,
            "differences": found.iter().map(|difference| self.difference_json(difference)).collect::<Vec<_>>(),
            "problems": problems_json(self.problems),
        })
    }

    fn difference_json(&self, difference: &Difference) -> Value {
        let StreamId { rank, process, thread } = difference.stream;
        let (kind, op, what, a, b) = match &difference.kind {
            DifferenceKind::OnlyIn(side) => {
                ("stream", None, None, Some(*side == Side::A), Some(*side == Side::B))
            }
            DifferenceKind::Extra(_, _, call) => ("calls", Some(call.op.name()), None, None, None),
            DifferenceKind::Value(what, call, _) => ("value", Some(call.op.name()), Some(*what), None, None),
        };
        let (a, b) = match &difference.kind {
            DifferenceKind::OnlyIn(_) => (json!(a), json!(b)),
            DifferenceKind::Extra(side, count, _) => {
                let of = |one: Side| if *side == one { *count } else { 0 };
                (json!(of(Side::A)), json!(of(Side::B)))
            }
            DifferenceKind::Value(what, one, other) => {
                (json!(self.value(what, one, other)), json!(self.value(what, other, one)))
            }
        };
        json!({
            "rank": rank, "process": process, "thread": thread, "call": difference.call,
            "kind": kind, "op": op, "what": what, "a": a, "b": b, "message": self.told(difference),
        })
    }

    /// Lists the first differences; ranks that share one are listed together.
    pub fn text(&self) -> String {
        let found = &self.comparison.differences;
        if found.is_empty() {
            return format!("the same: {} calls\n", self.comparison.calls);
        }
        let mut ranks: BTreeMap<Place, (String, Vec<u32>)> = BTreeMap::new();
        for difference in found {
            let StreamId { rank, process, thread } = difference.stream;
            let key = (process, thread, difference.call, sort(&difference.kind));
            ranks.entry(key).or_insert_with(|| (self.told(difference), Vec::new())).1.push(rank);
        }
        let mut text = String::new();
        for ((process, thread, call, _), (told, ranks)) in ranks.iter().take(SHOWN) {
            let listed = listed(ranks);
            let process = if *process > 0 { format!(", process {process}") } else { String::new() };
            let thread = if *thread > 0 { format!(", thread {thread}") } else { String::new() };
            let first = if ranks.len() > 1 { format!(" (on rank {})", ranks[0]) } else { String::new() };
            text += &format!("{listed}{process}{thread}, call {}: {told}{first}\n", call + 1);
        }
        if ranks.len() > SHOWN {
            text += &format!("and {} more\n", ranks.len() - SHOWN);
        }
        text
    }

    fn told(&self, difference: &Difference) -> String {
        match &difference.kind {
            DifferenceKind::OnlyIn(side) => format!("only {} has this stream", name(*side)),
            DifferenceKind::Extra(side, count, first) => {
                let calls = if *count == 1 { "call".to_string() } else { format!("{count} calls") };
                format!("only {} has {calls}: {}", name(*side), self.call(first))
            }
            DifferenceKind::Value(what, a, b) => {
                let (of_a, of_b) = (self.value(what, a, b), self.value(what, b, a));
                format!("{}: {what} {of_a} in A, {of_b} in B", self.call(a))
            }
        }
    }

    fn call(&self, call: &Call) -> String {
        match call.names().next() {
            Some(id) => format!("{}({:?})", call.op.name(), self.path(id)),
            None => call.op.name().to_string(),
        }
    }

    fn path(&self, id: NameId) -> String {
        self.paths.name(id).map_or_else(|| "?".to_string(), |path| String::from_utf8_lossy(path).into_owned())
    }

    fn value(&self, what: &str, call: &Call, other: &Call) -> String {
        if what == "return value" {
            return call.ret.to_string();
        }
        if what == "open file" {
            return call.slot.0.to_string();
        }
        let at = (0..3).find(|&at| call.args[at] != other.args[at]).unwrap_or(0);
        // Names come before other arguments.
        call.names().nth(at).map_or_else(|| call.args[at].to_string(), |id| format!("{:?}", self.path(id)))
    }
}

/// The key by which differences of several ranks are reported once: everything but numbers and
/// names.
fn sort(kind: &DifferenceKind) -> String {
    match kind {
        DifferenceKind::OnlyIn(side) => format!("0 {side:?}"),
        DifferenceKind::Extra(side, count, first) => format!("1 {side:?} {count} {}", first.op.name()),
        DifferenceKind::Value(what, call, _) => format!("2 {what} {}", call.op.name()),
    }
}

fn name(side: Side) -> &'static str {
    match side {
        Side::A => "A",
        Side::B => "B",
    }
}

fn listed(ranks: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &rank in ranks {
        match runs.last_mut().filter(|run| rank <= run.1 + 1) {
            Some(run) => run.1 = rank,
            None => runs.push((rank, rank)),
        }
    }
    let run = |&(from, to): &(u32, u32)| if from == to { from.to_string() } else { format!("{from}-{to}") };
    let word = if ranks.len() == 1 { "rank" } else { "ranks" };
    format!("{word} {}", runs.iter().map(run).collect::<Vec<_>>().join(","))
}

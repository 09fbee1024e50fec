//! A folded sequence that can be entered anywhere.

use marigraph_wire::fold::Node;
use marigraph_wire::sequence::Values;

#[derive(Debug, Clone)]
pub(super) struct Folded {
    first: i64,
    nodes: Vec<Node>,
    /// Number and sum of the steps in one turn of each node.
    spans: Vec<(u64, i64)>,
    /// For each top: number and sum of the steps before it, and its node.
    tops: Vec<(u64, i64, usize)>,
}

impl Folded {
    pub(super) fn new(values: Values) -> Option<Folded> {
        let nodes = values.steps;
        let mut spans = vec![(0, 0); nodes.len()];
        let mut tops = Vec::new();
        let (mut at, mut before, mut sum) = (0, 0u64, 0i64);
        while let Some(node) = nodes.get(at) {
            tops.push((before, sum, at));
            let (len, total) = span(&nodes, at, &mut spans)?;
            before = before.checked_add(len.checked_mul(node.count)?)?;
            sum = sum.wrapping_add(total.wrapping_mul(node.count as i64));
            at += 1 + node.len as usize;
        }
        Some(Folded { first: values.first, nodes, spans, tops })
    }

    pub(super) fn at(&self, member: u64) -> Option<i64> {
        let after = self.tops.partition_point(|top| top.0 <= member);
        let Some(at) = after.checked_sub(1) else { return Some(self.first) };
        let &(before, sum, node) = self.tops.get(at)?;
        let rest = self.walk(node, self.nodes.len(), member - before)?;
        Some(self.first.wrapping_add(sum).wrapping_add(rest))
    }

    /// Sum of the first `steps` steps from node `at` on.
    fn walk(&self, mut at: usize, end: usize, mut steps: u64) -> Option<i64> {
        let mut sum = 0i64;
        while steps > 0 && at < end {
            let node = self.nodes.get(at)?;
            let &(len, total) = self.spans.get(at)?;
            let turns = (steps / len.max(1)).min(node.count);
            sum = sum.wrapping_add(total.wrapping_mul(turns as i64));
            steps -= turns * len;
            let next = at + 1 + node.len as usize;
            if turns < node.count && node.len > 0 {
                return Some(sum.wrapping_add(self.walk(at + 1, next, steps)?));
            }
            at = next;
        }
        Some(sum)
    }
}

/// Fills in the spans of a node and of its body; returns that of the node.
fn span(nodes: &[Node], at: usize, spans: &mut [(u64, i64)]) -> Option<(u64, i64)> {
    let node = nodes.get(at)?;
    let mut found = (1, node.value);
    if node.len > 0 {
        found = (0, 0);
        let end = at + 1 + node.len as usize;
        let mut inner = at + 1;
        while inner < end {
            let body = nodes.get(inner)?;
            let (len, total) = span(nodes, inner, spans)?;
            found.0 = len.checked_mul(body.count)?.checked_add(found.0)?;
            found.1 = total.wrapping_mul(body.count as i64).wrapping_add(found.1);
            inner += 1 + body.len as usize;
        }
    }
    *spans.get_mut(at)? = found;
    Some(found)
}

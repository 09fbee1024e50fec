//! Numbers of calls as C expressions.

use std::collections::{BTreeMap, BTreeSet};

use marigraph_analysis::emit::{Branch, Column, Rows, Series, Steps, Value};

use super::text::number;

#[derive(Debug, Default)]
pub(super) struct Used {
    /// Whether it uses the index of its member.
    pub(super) member: bool,
    pub(super) series: BTreeSet<usize>,
    pub(super) counters: BTreeSet<usize>,
    /// Irregular numbers, each with the number of its table.
    pub(super) tables: BTreeMap<Vec<i64>, usize>,
}

/// The variable of a loop at this depth.
pub(super) fn counter(level: usize) -> String {
    match ["i", "j", "k", "l"].get(level) {
        Some(name) => (*name).to_string(),
        None => format!("i{level}"),
    }
}

#[derive(Debug)]
pub(super) struct Words {
    pub(super) routine: usize,
    pub(super) member: &'static str,
    pub(super) used: Used,
}

impl Words {
    pub(super) fn column(&mut self, column: &Column) -> String {
        match column {
            Column::Constant(value) => number(*value),
            Column::Affine(first, step) => {
                self.used.member = true;
                let times = product(*step, self.member);
                if *first == 0 { times } else { format!("{} + {times}", number(*first)) }
            }
            Column::Values(values) => {
                self.used.member = true;
                if let Some(rows) = Rows::of(values) {
                    return self.rows(rows);
                }
                let new = self.used.tables.len();
                let table = *self.used.tables.entry(values.clone()).or_insert(new);
                format!("r{}_c{table}[{}]", self.routine, self.member)
            }
        }
    }

    fn rows(&self, Rows { first, within, across, len }: Rows) -> String {
        let member = self.member;
        let parts = [(within, format!("({member} % {len})")), (across, format!("({member} / {len})"))];
        let parts = parts.iter().filter(|(by, _)| *by != 0).map(|(by, what)| product(*by, what));
        let first = (first != 0).then(|| number(first));
        first.into_iter().chain(parts).collect::<Vec<_>>().join(" + ")
    }

    /// A column times a counter; `None` where the column is always zero.
    fn turns(&mut self, step: &Column, counter: &str) -> Option<String> {
        match step {
            Column::Constant(0) => None,
            Column::Constant(step) => Some(product(*step, counter)),
            _ => match self.column(step) {
                sum if sum.contains('+') => Some(format!("({sum}) * {counter}")),
                one => Some(format!("{one} * {counter}")),
            },
        }
    }

    pub(super) fn value(&mut self, value: &Value, unit: usize) -> String {
        let (first, more) = match value {
            Value::Next(at) => {
                self.used.series.insert(*at);
                return format!("next(&v{at})");
            }
            Value::Affine(first, steps) => {
                let more = steps.iter().enumerate();
                (first, more.filter_map(|(level, step)| self.turns(step, &counter(level))).collect())
            }
            Value::Counted(first, step) => {
                self.used.counters.insert(unit);
                (first, self.turns(step, &format!("n{unit}")).into_iter().collect::<Vec<_>>())
            }
        };
        if *first == Column::Constant(0) && !more.is_empty() {
            return more.join(" + ");
        }
        let first = self.column(first);
        std::iter::once(first).chain(more).collect::<Vec<_>>().join(" + ")
    }

    /// Declares a sequence at the top of the routine.
    pub(super) fn series(&mut self, at: usize, series: &Series) -> String {
        let (first, nodes) = (self.column(&series.first), nodes(series));
        let by_member = nodes.iter().any(is_irregular);
        let mut text = format!("\tstruct series v{at} = {{ .value = {first}");
        if let Some(second) = &series.second {
            text += &format!(", .second = 1, .step = {}", self.column(second));
        }
        if by_member || nodes.iter().any(|node| !is_constant(node)) {
            self.used.member = true;
            text += &format!(", .m = {}", self.member);
        }
        let (len, table) = (nodes.len(), format!("r{}_v{at}", self.routine));
        let member = self.member;
        let table = if by_member { format!("{table} + {member} * {len}") } else { table };
        text + &format!(", .node = {table}, .nodes = {len} }};\n")
    }

    /// The table of a sequence; one per member where its numbers are irregular.
    pub(super) fn table(&self, at: usize, series: &Series, members: usize) -> String {
        let nodes = nodes(series);
        let irregular = nodes.iter().any(is_irregular);
        let mut rows = Vec::new();
        for member in 0..if irregular { members } else { 1 } {
            rows.extend(nodes.iter().map(|node| row(node, irregular.then_some(member))));
        }
        let head = format!("static const struct node r{}_v{at}[] = {{\n", self.routine);
        let lines: Vec<String> = rows.chunks(4).map(|row| format!("\t{},\n", row.join(", "))).collect();
        head + &lines.concat() + "};\n\n"
    }
}

fn product(by: i64, what: &str) -> String {
    if by == 1 { what.to_string() } else { format!("{} * {what}", number(by)) }
}

/// The steps of a sequence as nodes. A constant step becomes one endless node.
fn nodes(series: &Series) -> Vec<Branch> {
    match &series.steps {
        Steps::Nodes(nodes) => nodes.clone(),
        Steps::All(step) => vec![Branch { value: step.clone(), count: Column::Constant(i64::MAX), len: 0 }],
    }
}

fn is_irregular(node: &Branch) -> bool {
    matches!(node.value, Column::Values(_)) || matches!(node.count, Column::Values(_))
}

fn is_constant(node: &Branch) -> bool {
    matches!((&node.value, &node.count), (Column::Constant(_), Column::Constant(_)))
}

fn row(node: &Branch, member: Option<usize>) -> String {
    let pair = |column: &Column| match (member, column) {
        (Some(member), _) => (column.at(member).unwrap_or(0), 0),
        (None, Column::Affine(first, step)) => (*first, *step),
        (None, column) => (column.at(0).unwrap_or(0), 0),
    };
    let ((value, by), (count, times)) = (pair(&node.value), pair(&node.count));
    let value = if node.len > 0 { 0 } else { value };
    format!("{{{}, {}, {}, {}, {}}}", number(value), number(by), number(count), number(times), node.len)
}

pub(super) fn depth(series: &Series) -> usize {
    let nodes = nodes(series);
    let mut ends: Vec<usize> = Vec::new();
    let mut deepest = 0;
    for (at, node) in nodes.iter().enumerate() {
        ends.retain(|&end| at < end);
        if node.len > 0 {
            ends.push(at + 1 + node.len as usize);
            deepest = deepest.max(ends.len());
        }
    }
    deepest
}

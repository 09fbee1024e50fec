//! Recognises the queries that can be answered from columns.

use super::token::{Token, What, tokens};
use crate::scan::filter::{Filter, Op, Value};
use crate::tables::{Kind, Table};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Count,
    Sum,
    Min,
    Max,
    Avg,
}

/// A function of a column; without a column it counts rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Aggregate {
    pub function: Function,
    pub column: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    Group(usize),
    Aggregate(usize),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plan {
    pub table: &'static Table,
    pub names: Vec<String>,
    pub items: Vec<Item>,
    pub aggregates: Vec<Aggregate>,
    pub filters: Vec<Filter>,
    pub groups: Vec<usize>,
    /// Columns of the answer to sort by, and whether descending.
    pub order: Vec<(usize, bool)>,
    pub limit: Option<usize>,
    pub offset: usize,
}

impl Plan {
    pub fn columns(&self) -> Vec<usize> {
        let aggregated = self.aggregates.iter().filter_map(|aggregate| aggregate.column);
        self.groups.iter().copied().chain(aggregated).collect()
    }
}

/// A column of the answer before the group-by columns are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Raw {
    Column(usize),
    Aggregate(Aggregate),
}

pub(super) fn parse(sql: &str) -> Option<Plan> {
    let tokens = tokens(sql)?;
    let table = table_of(&tokens)?;
    let mut reader = Reader { sql, tokens: &tokens, at: 0, table };
    reader.word("select")?;
    let raw = reader.list(Reader::item)?;
    reader.word("from")?;
    reader.name()?;
    let filters = reader.filters()?;
    let groups = reader.groups(&raw)?;
    let order = reader.order(&raw)?;
    let (limit, offset) = reader.limit()?;
    reader.sign(";");
    if reader.at < tokens.len() {
        return None;
    }
    let mut plan = Plan {
        table,
        names: Vec::new(),
        items: Vec::new(),
        aggregates: Vec::new(),
        filters,
        groups,
        order,
        limit,
        offset,
    };
    for (raw, name, _) in raw {
        plan.items.push(match raw {
            // A column outside of `group by` has one of several values: SQLite has rules for which.
            Raw::Column(column) => Item::Group(plan.groups.iter().position(|&group| group == column)?),
            Raw::Aggregate(aggregate) => {
                plan.aggregates.push(aggregate);
                Item::Aggregate(plan.aggregates.len() - 1)
            }
        });
        plan.names.push(name);
    }
    (!plan.aggregates.is_empty() || !plan.groups.is_empty()).then_some(plan)
}

fn table_of(tokens: &[Token<'_>]) -> Option<&'static Table> {
    let is_from =
        |token: &Token<'_>| matches!(token.what, What::Word(word) if word.eq_ignore_ascii_case("from"));
    let from = tokens.iter().position(is_from)?;
    match tokens.get(from + 1)?.what {
        What::Word(name) => Table::named(name),
        _ => None,
    }
}

struct Reader<'a> {
    sql: &'a str,
    tokens: &'a [Token<'a>],
    at: usize,
    table: &'static Table,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a What<'a>> {
        self.tokens.get(self.at).map(|token| &token.what)
    }

    fn word(&mut self, wanted: &str) -> Option<()> {
        let Some(What::Word(word)) = self.peek() else { return None };
        word.eq_ignore_ascii_case(wanted).then(|| self.at += 1)
    }

    fn sign(&mut self, wanted: &str) -> bool {
        let is_next = matches!(self.peek(), Some(What::Sign(sign)) if *sign == wanted);
        self.at += usize::from(is_next);
        is_next
    }

    fn name(&mut self) -> Option<&'a str> {
        let Some(What::Word(word)) = self.peek() else { return None };
        self.at += 1;
        Some(word)
    }

    fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut all = vec![one(self)?];
        while self.sign(",") {
            all.push(one(self)?);
        }
        Some(all)
    }

    fn column(&mut self) -> Option<usize> {
        let name = self.name()?;
        self.table.column(name)
    }

    /// A column or an aggregate, its name in the answer, and whether the query gives the name.
    fn item(&mut self) -> Option<(Raw, String, bool)> {
        let from = self.tokens.get(self.at)?.from;
        let raw = self.expression()?;
        let to = self.tokens.get(self.at - 1)?.to;
        let named = self.word("as").is_some();
        match self.peek() {
            Some(What::Word(word)) if named || !word.eq_ignore_ascii_case("from") => {
                self.at += 1;
                Some((raw, (*word).to_string(), true))
            }
            _ if named => None,
            // SQLite names a column as declared, and an expression by its text.
            _ => Some(match raw {
                Raw::Column(column) => (raw, self.table.columns[column].name.to_string(), false),
                Raw::Aggregate(_) => (raw, self.sql[from..to].to_string(), false),
            }),
        }
    }

    fn expression(&mut self) -> Option<Raw> {
        let name = self.name()?;
        if !self.sign("(") {
            return self.table.column(name).map(Raw::Column);
        }
        let function = match name.to_ascii_lowercase().as_str() {
            "count" => Function::Count,
            "sum" => Function::Sum,
            "min" => Function::Min,
            "max" => Function::Max,
            "avg" => Function::Avg,
            _ => return None,
        };
        let column = if function == Function::Count && self.sign("*") { None } else { Some(self.column()?) };
        let adds = matches!(function, Function::Sum | Function::Avg);
        if adds && column.is_some_and(|column| self.table.columns[column].kind == Kind::Text) {
            return None;
        }
        self.sign(")").then_some(Raw::Aggregate(Aggregate { function, column }))
    }

    fn filters(&mut self) -> Option<Vec<Filter>> {
        let mut filters = Vec::new();
        if self.word("where").is_some() {
            filters.push(self.filter()?);
            while self.word("and").is_some() {
                filters.push(self.filter()?);
            }
        }
        Some(filters)
    }

    fn filter(&mut self) -> Option<Filter> {
        let column = self.column()?;
        let Some(What::Sign(sign)) = self.peek() else { return None };
        self.at += 1;
        let op = match *sign {
            "=" | "==" => Op::Equal,
            "<>" | "!=" => Op::Unequal,
            "<" => Op::Less,
            "<=" => Op::AtMost,
            ">" => Op::More,
            ">=" => Op::AtLeast,
            _ => return None,
        };
        let minus = self.sign("-");
        let value = match self.peek()? {
            What::Int(value) => Value::Int(if minus { -value } else { *value }),
            What::Float(value) => Value::Float(if minus { -value } else { *value }),
            What::Text(text) if !minus => Value::Text(text.clone()),
            _ => return None,
        };
        self.at += 1;
        Filter::is_plain(self.table, column, &value).then_some(Filter { column, op, value })
    }

    fn groups(&mut self, raw: &[(Raw, String, bool)]) -> Option<Vec<usize>> {
        if self.word("group").is_none() {
            return Some(Vec::new());
        }
        self.word("by")?;
        let mut groups = Vec::new();
        for column in self.list(|reader| match reader.ordinal(raw.len()).map(|at| raw[at].0) {
            Some(Raw::Column(column)) => Some(column),
            Some(Raw::Aggregate(_)) => None,
            None => reader.column(),
        })? {
            if !groups.contains(&column) {
                groups.push(column);
            }
        }
        Some(groups)
    }

    fn ordinal(&mut self, columns: usize) -> Option<usize> {
        let Some(What::Int(number)) = self.peek() else { return None };
        let at = usize::try_from(*number).ok()?.checked_sub(1).filter(|&at| at < columns)?;
        self.at += 1;
        Some(at)
    }

    fn order(&mut self, raw: &[(Raw, String, bool)]) -> Option<Vec<(usize, bool)>> {
        if self.word("order").is_none() {
            return Some(Vec::new());
        }
        self.word("by")?;
        self.list(|reader| {
            let item = reader.ordinal(raw.len()).or_else(|| reader.ordered(raw))?;
            let down = reader.word("desc").is_some();
            if !down {
                let _ = reader.word("asc");
            }
            Some((item, down))
        })
    }

    /// A column of the answer, by alias or by expression.
    fn ordered(&mut self, raw: &[(Raw, String, bool)]) -> Option<usize> {
        if let Some(What::Word(word)) = self.peek() {
            let is_it = |(_, name, given): &(Raw, String, bool)| *given && name.eq_ignore_ascii_case(word);
            if let Some(at) = raw.iter().position(is_it) {
                self.at += 1;
                return Some(at);
            }
        }
        let expression = self.expression()?;
        raw.iter().position(|(raw, _, _)| *raw == expression)
    }

    fn limit(&mut self) -> Option<(Option<usize>, usize)> {
        if self.word("limit").is_none() {
            return Some((None, 0));
        }
        let limit = self.count()?;
        let offset = if self.word("offset").is_some() { self.count()? } else { 0 };
        Some((Some(limit), offset))
    }

    fn count(&mut self) -> Option<usize> {
        let Some(What::Int(number)) = self.peek() else { return None };
        self.at += 1;
        usize::try_from(*number).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_shape_is_recognised() {
        let sql = "select exe, count(*), sum(bytes_written) from jobs group by exe order by 3 desc limit 10";
        let plan = parse(sql).expect("common");
        assert_eq!(plan.names, ["exe", "count(*)", "sum(bytes_written)"]);
        assert_eq!(plan.items, [Item::Group(0), Item::Aggregate(0), Item::Aggregate(1)]);
        assert_eq!((plan.order, plan.limit, plan.offset), (vec![(2, true)], Some(10), 0));
        let plan = parse(
            "SELECT Count(*) AS n, uid FROM jobs WHERE exe = 'a' AND runtime_s >= -1 GROUP BY 2 ORDER BY n;",
        );
        let plan = plan.expect("common");
        assert_eq!(
            (plan.names, plan.filters.len(), plan.order),
            (vec!["n".into(), "uid".into()], 2, vec![(0, false)])
        );
    }

    #[test]
    fn the_rest_is_left_to_sqlite() {
        for sql in [
            "select * from jobs",
            "select exe from jobs",
            "select exe, count(*) from jobs",
            "select exe, sum(exe) from jobs group by exe",
            "select count(distinct exe) from jobs",
            "select count(*) from jobs, files",
            "select count(*) from nothing",
            "select count(*) from jobs where exe = 1",
            "select count(*) from jobs where uid = '1'",
            "select count(*) from jobs where uid = 1 or uid = 2",
            "select exe, count(*) from jobs group by exe having count(*) > 1",
            "select count(*) + 1 from jobs",
            "select max(uid, nprocs) from jobs",
            "select count(*) from jobs limit -1",
            "select exe, count(*) from jobs group by exe order by uid",
            "select exe, count(*) from jobs group by 2",
            "select jobs.exe, count(*) from jobs group by 1",
            "select count(*) from jobs union select 1",
        ] {
            assert_eq!(parse(sql), None, "{sql}");
        }
    }
}

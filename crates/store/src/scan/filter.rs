//! Simple comparisons with the statistics of a row group and with its rows.

use std::cmp::Ordering;
use std::collections::HashSet;

use arrow_array::Array;
use parquet::file::statistics::Statistics;

use super::block::{Block, Column, Texts};
use crate::tables::{Kind, Table};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
}

impl Op {
    fn holds(self, order: Ordering) -> bool {
        match self {
            Op::Equal => order.is_eq(),
            Op::Unequal => order.is_ne(),
            Op::Less => order.is_lt(),
            Op::AtMost => order.is_le(),
            Op::More => order.is_gt(),
            Op::AtLeast => order.is_ge(),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Int(i64),
    Float(f64),
    Text(String),
}

/// `column op value`. A missing value passes no filter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Filter {
    pub column: usize,
    pub op: Op,
    pub value: Value,
}

pub(crate) enum Range {
    Ints(i64, i64),
    Floats(f64, f64),
    /// Long words are truncated: these are bounds.
    Texts(Vec<u8>, Vec<u8>),
}

impl Range {
    pub fn of(statistics: &Statistics) -> Option<Range> {
        match statistics {
            Statistics::Int64(ends) => Some(Range::Ints(*ends.min_opt()?, *ends.max_opt()?)),
            Statistics::Double(ends) => Some(Range::Floats(*ends.min_opt()?, *ends.max_opt()?)),
            Statistics::ByteArray(ends) => {
                Some(Range::Texts(ends.min_opt()?.data().to_vec(), ends.max_opt()?.data().to_vec()))
            }
            _ => None,
        }
    }
}

impl Filter {
    /// Whether column and value compare without conversion.
    pub fn is_plain(table: &Table, column: usize, value: &Value) -> bool {
        matches!(
            (table.columns[column].kind, value),
            (Kind::Int | Kind::Float, Value::Int(_) | Value::Float(_)) | (Kind::Text, Value::Text(_))
        )
    }

    pub fn may_match(&self, range: &Range) -> bool {
        let ends = match (range, &self.value) {
            (Range::Ints(low, high), value) => compare_int(*low, value).zip(compare_int(*high, value)),
            (Range::Floats(low, high), value) => compare_float(*low, value).zip(compare_float(*high, value)),
            (Range::Texts(low, high), Value::Text(text)) => {
                Some((low.as_slice().cmp(text.as_bytes()), high.as_slice().cmp(text.as_bytes())))
            }
            _ => None,
        };
        let Some((low, high)) = ends else { return true };
        match self.op {
            Op::Equal => low.is_le() && high.is_ge(),
            Op::Unequal => true,
            Op::Less => low.is_lt(),
            Op::AtMost => low.is_le(),
            Op::More => high.is_gt(),
            Op::AtLeast => high.is_ge(),
        }
    }

    fn keep(&self, block: &Block, rows: &mut Vec<u32>) {
        let passes = |order: Option<Ordering>| order.is_some_and(|order| self.op.holds(order));
        match &block.columns[self.column] {
            Column::Absent => rows.clear(),
            Column::Ints(ints) => rows.retain(|&row| {
                let row = row as usize;
                ints.is_valid(row) && passes(compare_int(ints.value(row), &self.value))
            }),
            Column::Floats(floats) => rows.retain(|&row| {
                let row = row as usize;
                floats.is_valid(row) && passes(compare_float(floats.value(row), &self.value))
            }),
            Column::Texts(texts) => keep_words(texts, rows, |word| match &self.value {
                Value::Text(value) => self.op.holds(word.as_bytes().cmp(value.as_bytes())),
                _ => false,
            }),
        }
    }
}

/// Retains rows whose word passes; each distinct word is tested once.
fn keep_words(texts: &Texts, rows: &mut Vec<u32>, passes: impl Fn(&str) -> bool) {
    let passing: Vec<bool> =
        (0..texts.words.len()).map(|code| texts.word(code).is_some_and(&passes)).collect();
    rows.retain(|&row| texts.code(row as usize).is_some_and(|code| passing.get(code) == Some(&true)));
}

fn compare_int(value: i64, with: &Value) -> Option<Ordering> {
    match with {
        Value::Int(other) => Some(value.cmp(other)),
        Value::Float(other) => int_with_float(value, *other),
        Value::Text(_) => None,
    }
}

fn compare_float(value: f64, with: &Value) -> Option<Ordering> {
    match with {
        Value::Int(other) => int_with_float(*other, value).map(Ordering::reverse),
        Value::Float(other) => value.partial_cmp(other),
        Value::Text(_) => None,
    }
}

/// Compares exactly, without rounding a large integer.
fn int_with_float(int: i64, float: f64) -> Option<Ordering> {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if float.is_nan() {
        None
    } else if float >= BEYOND {
        Some(Ordering::Less)
    } else if float < -BEYOND {
        Some(Ordering::Greater)
    } else {
        let whole = float.trunc();
        Some(int.cmp(&(whole as i64)).then(0.0_f64.partial_cmp(&(float - whole))?))
    }
}

/// The rows of a block that pass all filters and are not hidden; `None` if all do.
pub(crate) fn select(
    block: &Block,
    filters: &[Filter],
    hidden: Option<&HashSet<String>>,
) -> Option<Vec<u32>> {
    if filters.is_empty() && hidden.is_none() {
        return None;
    }
    let mut rows: Vec<u32> = (0..u32::try_from(block.len).unwrap_or(u32::MAX)).collect();
    if let (Some(hidden), Some(Column::Texts(keys))) = (hidden, block.columns.first()) {
        keep_words(keys, &mut rows, |key| !hidden.contains(key));
    }
    filters.iter().for_each(|filter| filter.keep(block, &mut rows));
    Some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_and_others_compare_exactly() {
        let big = (1_i64 << 53) + 1;
        assert_eq!(int_with_float(big, (1_i64 << 53) as f64), Some(Ordering::Greater));
        assert_eq!(int_with_float(i64::MAX, 9.3e18), Some(Ordering::Less));
        assert_eq!(int_with_float(i64::MIN, -9.3e18), Some(Ordering::Greater));
        assert_eq!(int_with_float(-1, -1.5), Some(Ordering::Greater));
        assert_eq!(int_with_float(1, 1.0), Some(Ordering::Equal));
        assert_eq!(int_with_float(1, f64::NAN), None);
    }

    #[test]
    fn a_range_rules_out_only_what_cannot_be() {
        let filter = |op, value| Filter { column: 0, op, value: Value::Int(value) };
        let range = Range::Ints(10, 20);
        for (op, value, may) in [
            (Op::Equal, 9, false),
            (Op::Equal, 20, true),
            (Op::Less, 10, false),
            (Op::AtMost, 10, true),
            (Op::More, 20, false),
            (Op::AtLeast, 20, true),
            (Op::Unequal, 15, true),
        ] {
            assert_eq!(filter(op, value).may_match(&range), may, "{op:?} {value}");
        }
    }
}

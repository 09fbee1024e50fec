//! Finds numbers in names that the given sizes say too little about.

use marigraph_model::folded::{Branch, Column, Name, Sequence, Series, Steps, Template, place};

use super::Verdict;
use super::padded::{least, smallest, widths};

/// Findings about the names of an event: verdict, model, and reason. `seen` gives all sequences of
/// a place, `series` their form at the target size.
pub fn doubts<'a>(
    names: &[Name],
    seen: impl Fn(usize) -> Vec<&'a Sequence>,
    series: &[Series],
    members: usize,
) -> Vec<(Verdict, String, String)> {
    let mut found = Vec::new();
    for name in names {
        let first = place(names, name.argument) + 1;
        let Some(series) = series.get(first..first + name.numbers) else { continue };
        if is_unproven(series) {
            let why = "it could be the rank divided by a number above the largest size seen".to_string();
            found.push((Verdict::Assumed, "0".to_string(), why));
        }
        for (number, series) in series.iter().enumerate() {
            if let Some(digits) = shorter(name, number, &seen(first + number), series, members) {
                let why = format!("all numbers seen had {digits} digits or more, and now some are shorter");
                found.push((Verdict::Ambiguous, format!("%d or %0{digits}d"), why));
            }
        }
    }
    found
}

/// Whether a number is zero on all ranks, next to one that varies by rank: it may be the rank
/// divided by more ranks than were seen.
fn is_unproven(numbers: &[Series]) -> bool {
    let zero =
        |one: &Series| one.first == Column::Constant(0) && one.steps == Steps::All(Column::Constant(0));
    let told = numbers.iter().any(|one| !matches!(one.first, Column::Constant(_)));
    told && numbers.iter().any(zero)
}

/// For a number printed without padding, the minimum number of digits seen, if it now has fewer.
fn shorter(name: &Name, number: usize, seen: &[&Sequence], series: &Series, members: usize) -> Option<u8> {
    let plain = |template: &Template| widths(template).nth(number) == Some(0);
    if !name.templates.iter().any(plain) {
        return None;
    }
    let least = seen.iter().map(|sequence| least(sequence)).min()?;
    let digits = least.checked_ilog10().map_or(1, |log| log as u8 + 1);
    let fewer = || lowest(series, members).is_none_or(|lowest| lowest < i128::from(smallest(digits)));
    (digits > 1 && fewer()).then_some(digits)
}

fn lowest(series: &Series, members: usize) -> Option<i128> {
    let first = ends(&series.first, members).0;
    match (&series.second, &series.steps) {
        (None, Steps::All(step)) if ends(step, members).0 >= 0 => Some(first),
        (None, Steps::Nodes(nodes)) => Some(first + descent(nodes, members)?.1),
        _ => None,
    }
}

/// The minimum sum of the steps, and the lowest point on the way.
fn descent(nodes: &[Branch], members: usize) -> Option<(i128, i128)> {
    let (mut sum, mut low) = (0i128, 0i128);
    let mut rest = nodes;
    while let Some((head, after)) = rest.split_first() {
        let (body, behind) = after.split_at(after.len().min(head.len as usize));
        rest = behind;
        let (total, within) = match head.len {
            0 => (ends(&head.value, members).0, ends(&head.value, members).0.min(0)),
            _ => descent(body, members)?,
        };
        let (fewest, most) = ends(&head.count, members);
        let last = if total < 0 { total.checked_mul(most - 1)? } else { 0 };
        low = low.min(sum.checked_add(last)?.checked_add(within)?);
        sum = sum.checked_add(total.checked_mul(if total < 0 { most } else { fewest })?)?;
    }
    Some((sum, low))
}

fn ends(column: &Column, members: usize) -> (i128, i128) {
    let numbers = match column {
        Column::Values(values) => values.clone(),
        other => [0, members.saturating_sub(1)].into_iter().filter_map(|at| other.at(at)).collect(),
    };
    let wide = |value: Option<&i64>| i128::from(value.copied().unwrap_or(0));
    (wide(numbers.iter().min()), wide(numbers.iter().max()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_have_a_bottom() {
        let node = |value: i64, count: i64, len: u32| Branch {
            value: Column::Constant(value),
            count: Column::Constant(count),
            len,
        };
        let series = |steps: Vec<Branch>| Series {
            first: Column::Affine(30, 2),
            second: None,
            steps: Steps::Nodes(steps),
        };
        assert_eq!(lowest(&series(vec![node(1, 5, 0)]), 4), Some(30));
        assert_eq!(lowest(&series(vec![node(-1, 5, 0), node(7, 1, 0)]), 4), Some(25));
        assert_eq!(lowest(&series(vec![node(2, 3, 2), node(-5, 2, 0), node(4, 1, 0)]), 4), Some(8));
        let falling =
            Series { first: Column::Affine(30, -2), second: None, steps: Steps::All(Column::Constant(0)) };
        assert_eq!(lowest(&falling, 4), Some(24));
    }
}

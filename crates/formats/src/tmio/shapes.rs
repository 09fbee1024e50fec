//! The shapes in which JSON holds rates: TMIO's modes, and derived ones.

use marigraph_model::Direction;

use super::gather::{Amounts, Entries, Gather, Ranks};
use super::gekko;
use super::json::Node;

/// Modes of I/O that happened. Their twins `*_async_b` (the required bandwidth) are not I/O.
const MODES: [(&str, Direction); 6] = [
    ("read_sync", Direction::Read),
    ("read_async_t", Direction::Read),
    ("read_async", Direction::Read),
    ("write_async_t", Direction::Write),
    ("write_async", Direction::Write),
    ("write_sync", Direction::Write),
];

pub(super) fn is_mode(key: &str) -> bool {
    key == TIMES || MODES.iter().any(|(name, _)| key == *name) || REQUIRED.contains(&key)
}

pub(super) const TIMES: &str = "io_time";
const REQUIRED: [&str; 2] = ["read_async_b", "write_async_b"];

/// Returns `false` if the shape is unknown.
pub(super) fn take(node: &Node, gather: &mut Gather<'_>) -> bool {
    if node.fields().iter().any(|(key, _)| is_mode(key)) {
        modes(node, gather);
        return true;
    }
    if gekko::is_object(node) {
        gekko::object(node, gather);
        return true;
    }
    let directions = [("read", Direction::Read), ("write", Direction::Write)];
    let found = directions.map(|(key, op)| node.get(key).is_some_and(|body| mode(body, op, gather)));
    if found.contains(&true) {
        return true;
    }
    let found = mode(node, Direction::Read, gather)
        || bandwidth(node, node, Direction::Read, gather)
        || guessed(node, gather);
    gather.tally.undirected |= found;
    found
}

fn modes(node: &Node, gather: &mut Gather<'_>) {
    for (name, op) in MODES {
        // An async mode without the suffix counts only if the one with it is missing.
        let twin = name.ends_with("_async") && node.get(&format!("{name}_t")).is_some();
        if let Some(body) = node.get(name).filter(|_| !twin)
            && !mode(body, op, gather)
        {
            gather.tally.untimed += u64::from(body.get("bandwidth").is_some_and(has_rates));
        }
    }
}

fn mode(body: &Node, op: Direction, gather: &mut Gather<'_>) -> bool {
    gather.tally.ranks = gather.tally.ranks.max(body.count("number_of_ranks"));
    body.get("bandwidth").is_some_and(|columns| bandwidth(body, columns, op, gather))
}

fn has_rates(columns: &Node) -> bool {
    columns.fields().iter().any(|(key, node)| key.starts_with('b') && !node.numbers().is_empty())
}

/// Takes columns of rates and times: phases of ranks, else single calls, else the application's
/// steps.
fn bandwidth(body: &Node, columns: &Node, op: Direction, gather: &mut Gather<'_>) -> bool {
    let count = body.count("number_of_ranks");
    let levels = [
        (&["b_rank_avr", "b_rank_sum"][..], "t_rank_s", "t_rank_e", "max_io_phases_per_rank"),
        (&["b_ind"], "t_ind_s", "t_ind_e", "max_io_ops_per_rank"),
    ];
    for (rates, start, end, most) in levels {
        let (rates, starts) = (columns.column(rates), columns.column(&[start]));
        if !rates.is_empty() && !starts.is_empty() {
            let entries = Entries { amounts: Amounts::Rates(rates), starts, ends: columns.column(&[end]) };
            gather.ranked(op, entries, Ranks { count, most: body.count(most) });
            return true;
        }
    }
    let rates = columns.column(&["b_overlap_avr", "b_overlap_sum", "b_overlap"]);
    let times = columns.column(&["t_overlap"]);
    gather.stepped(op, rates, times);
    !rates.is_empty() && !times.is_empty()
}

/// Takes one column of rates and one of times as steps; one of rates and two of times as phases.
fn guessed(node: &Node, gather: &mut Gather<'_>) -> bool {
    let columns = |initial: char| {
        let named = node.fields().iter().filter(move |(key, _)| key.starts_with(initial));
        named.filter(|(_, column)| !column.numbers().is_empty()).collect::<Vec<_>>()
    };
    let (rates, times) = (columns('b'), columns('t'));
    match (&rates[..], &times[..]) {
        ([(_, rates)], [(_, times)]) => gather.stepped(Direction::Read, rates.numbers(), times.numbers()),
        ([(_, rates)], [(one, first), (other, second)]) => {
            let (starts, ends) = match (one.ends_with('s'), other.ends_with('s')) {
                (true, false) => (first, second),
                (false, true) => (second, first),
                _ => return false,
            };
            let (starts, ends) = (starts.numbers(), ends.numbers());
            let entries = Entries { amounts: Amounts::Rates(rates.numbers()), starts, ends };
            gather.ranked(Direction::Read, entries, Ranks { count: node.count("ranks"), most: 0 });
        }
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use marigraph_model::Problem;

    use super::super::gather::Unit;
    use super::super::json::parse;
    use super::super::tally::Tally;
    use super::*;

    /// Rank, start and end in milliseconds, bytes and direction.
    type Brief = (u32, i64, i64, u64, Direction);

    fn read(text: &str) -> (bool, Vec<Brief>, Vec<Problem>) {
        let (mut events, mut tally) = (Vec::new(), Tally::default());
        let mut emit = |event| events.push(event);
        let mut gather = Gather::new(&mut tally, Unit::Bytes, &mut emit);
        let known = take(&parse(text.as_bytes()).expect("JSON"), &mut gather);
        let ms = 1_000_000;
        let brief = events.iter().map(|e| (e.rank.0, e.start.0 / ms, e.end.0 / ms, e.bytes, e.direction));
        (known, brief.collect(), tally.problems())
    }

    #[test]
    fn every_shape_of_custom_json() {
        let phases = vec![(0, 1000, 2000, 50_000, Direction::Read), (0, 3000, 3500, 30_000, Direction::Read)];
        let steps = vec![
            (0, 1000, 2000, 50_000, Direction::Read),
            (0, 3000, 3500, 30_000, Direction::Read),
            (0, 1000, 1000, 0, Direction::Read),
            (0, 4000, 4000, 0, Direction::Read),
        ];
        let rank = r#""b_rank_avr": [50000, 60000], "t_rank_s": [1, 3], "t_rank_e": [2, 3.5]"#;
        let ind = rank.replace("_rank", "_ind").replace("_avr", "");
        let overlap = r#""b_overlap_avr": [50000, 0, 60000, -1e-9, 0], "t_overlap": [1, 2, 3, 3.5, 4]"#;
        let cases = [
            (format!(r#"{{"read_sync": {{"bandwidth": {{{rank}}}}}}}"#), &phases),
            (format!(r#"{{"read_async": {{"bandwidth": {{{ind}}}}}}}"#), &phases),
            (format!(r#"{{"read_sync": {{"bandwidth": {{{rank}, {overlap}, {ind}}}}}}}"#), &phases),
            (format!(r#"{{"read": {{"bandwidth": {{{overlap}}}}}}}"#), &steps),
            (format!(r#"{{"bandwidth": {{{rank}}}}}"#), &phases),
            (format!(r#"{{{rank}}}"#), &phases),
            (format!("{{{}}}", overlap.replace("_avr", "")), &steps),
            (format!("{{{}}}", overlap.replace("_overlap_avr", "w").replace("_overlap", "ime")), &steps),
            (format!("{{{}}}", rank.replace("_rank_avr", "").replace("_rank_", "")), &phases),
        ];
        for (text, expected) in cases {
            let (known, requests, _) = read(&text);
            assert!(known, "{text}");
            assert_eq!(&requests, expected, "{text}");
        }
    }

    #[test]
    fn what_would_have_sufficed_is_no_io() {
        let body = |rate| {
            format!(r#"{{"bandwidth": {{"b_rank_avr": [{rate}], "t_rank_s": [0], "t_rank_e": [1]}}}}"#)
        };
        let text = format!(
            r#"{{"write_async_t": {}, "write_async_b": {}, "write_async": {}}}"#,
            body(20_000),
            body(7),
            body(8)
        );
        assert_eq!(read(&text).1, [(0, 0, 1000, 20_000, Direction::Write)]);
    }

    #[test]
    fn rates_without_times_and_unknown_objects_are_told() {
        let (known, requests, problems) = read(r#"{"write_sync": {"bandwidth": {"b": [1, 2]}}}"#);
        assert!(known && requests.is_empty());
        assert_eq!(problems[0].kind.code(), "not_recorded");
        for text in [r#"{"a": 1}"#, "3", "[]", r#"{"b": [1], "t1": [1], "t2": [1]}"#, r#"{"b": [1]}"#] {
            assert!(!read(text).0, "{text}");
        }
    }
}

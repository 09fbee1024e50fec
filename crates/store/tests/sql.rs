//! Queries: the fast path, the general path and a full scan give the same result.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it skips

mod common;

use std::sync::OnceLock;

use common::{Folder, ask, rows};
use marigraph_store::tables::{FileRow, JobRow};
use marigraph_store::{Ingest, Rows};
use proptest::prelude::*;

/// Three commits of 500 jobs, with missing values, few and many distinct values, large and odd
/// numbers.
fn study() -> &'static Folder {
    static STUDY: OnceLock<Folder> = OnceLock::new();
    STUDY.get_or_init(|| {
        let folder = Folder::new("sql");
        for batch in 0..3_i64 {
            let ingest = Ingest::begin(&folder.0).expect("begin");
            let mut rows = Rows::default();
            for number in batch * 500..batch * 500 + 500 {
                let key = format!("{number:032x}");
                let exe = format!("exe{}", number * number % 11);
                rows.push(JobRow {
                    job_key: &key,
                    job_id: number,
                    uid: number % 5 - 2,
                    nnodes: (number % 7 != 0).then_some(number as u64 % 5),
                    exe: (number % 13 != 0).then_some(&exe),
                    command: &format!("{exe} --run {number}"),
                    runtime_s: (number % 6 != 0).then_some((number * 37 % 101) as f64 / 8.0 - 3.0),
                    bytes_written: (number as u64 * 7919 % 1000) << 40,
                    ..JobRow::default()
                });
                let path = format!("/d{}/f", number % 3);
                rows.push(FileRow { job_key: &key, path: &path, ..FileRow::default() });
            }
            ingest.add(&mut rows).expect("rows");
            ingest.commit().expect("commit");
        }
        folder
    })
}

#[test]
fn the_question_of_every_centre() {
    let found = rows(
        &study().0,
        "select exe, count(*), sum(bytes_written) from jobs group by exe order by 3 desc limit 10",
    );
    let general = rows(
        &study().0,
        "select * from (select exe, count(*), sum(bytes_written) from jobs group by exe order by 3 desc limit 10)",
    );
    assert_eq!(found, general);
    assert_eq!(found.len(), 7, "{found:?}");
    assert_eq!(found[0], "'exe5'|251|138868318588108800");
}

#[test]
fn nothing_is_one_row_without_groups_and_none_with() {
    let none = "from jobs where job_id < 0";
    assert_eq!(rows(&study().0, &format!("select count(*), sum(uid), min(exe) {none}")), ["0|null|null"]);
    assert!(rows(&study().0, &format!("select exe, count(*) {none} group by exe")).is_empty());
}

#[test]
fn joins_and_repeated_tables() {
    let join = "select path, count(*), sum(jobs.bytes_written) from jobs join files using (job_key) group by path order by 1";
    let found = rows(&study().0, join);
    assert_eq!(found.len(), 3);
    assert!(found[0].starts_with("'/d0/f'|500|"), "{found:?}");
    let same = "select count(*) from jobs a join jobs b on a.job_key = b.job_key where a.uid = 1";
    assert_eq!(rows(&study().0, same), rows(&study().0, "select count(*) from jobs where uid = 1"));
    assert_eq!(rows(&study().0, "select count(*) from jobs, (select 1)"), ["1500"]);
    let both = "select count(*) from jobs union all select count(*) from files";
    assert_eq!(rows(&study().0, both), ["1500", "1500"]);
}

#[test]
fn comparisons_follow_the_rules_of_sqlite() {
    for (query, count) in [
        ("select count(*) from jobs where job_id = '77'", "1"),
        ("select count(*) from jobs where exe = 'EXE1' collate nocase", "252"),
        ("select count(*) from jobs where job_id > 1499.5", "0"),
        ("select count(*) from jobs where job_id >= 1498.5", "1"),
        ("select count(*) from jobs where exe is null", "116"),
        ("select count(*) from jobs where exe = null", "0"),
        ("select count(*) from jobs where command like '%run 77'", "1"),
    ] {
        assert_eq!(rows(&study().0, query), [count], "{query}");
    }
}

#[test]
fn names_that_are_not_there_are_answered_with_those_that_are() {
    let table = ask(&study().0, "select * from job").expect_err("no such table");
    assert_eq!(
        table,
        "no such table: job\nhint: the tables are jobs, files, counters, operations, phases, categories, interfaces, \
         sharing, findings, sources, invalid, joblog, devices, snapshots, signatures"
    );
    let column = ask(&study().0, "select colour from phases").expect_err("no such column");
    assert_eq!(
        column,
        "no such column: colour\nhint: phases has the columns job_key, job_id, phase, start_s, end_s, bytes"
    );
    for change in ["delete from jobs", "attach 'x' as y", "create table x (y)", "pragma user_version = 1", ""]
    {
        assert!(ask(&study().0, change).is_err(), "{change}");
    }
    let overflow = "select sum(bytes_written * 1000) from jobs";
    assert!(ask(&study().0, overflow).expect_err("too large").contains("integer overflow"));
}

/// A comparison, and the same in a form that cannot be pushed down.
fn comparison() -> impl Strategy<Value = (String, String)> {
    let op = prop::sample::select(vec!["=", "<", "<=", ">", ">=", "<>"]);
    let value = prop_oneof![
        (Just("job_id"), (-10_i64..1600).prop_map(|value| value.to_string())),
        (Just("nnodes"), (-1_i64..6).prop_map(|value| value.to_string())),
        (Just("uid"), (-3_i64..4).prop_map(|value| value.to_string())),
        (Just("runtime_s"), (-40_i64..90).prop_map(|value| format!("{:.3}", value as f64 / 8.0))),
        (Just("runtime_s"), (-4_i64..9).prop_map(|value| value.to_string())),
        (Just("job_id"), (-4_i64..1600).prop_map(|value| format!("{value}.5"))),
        (Just("exe"), (0_i64..12).prop_map(|value| format!("'exe{value}'"))),
        (Just("bytes_written"), (0_i64..1000).prop_map(|value| (value << 40).to_string())),
    ];
    (op, value).prop_map(|(op, (column, value))| {
        // A plus sign makes the column an expression, without its type affinity.
        (format!("{column} {op} {value}"), format!("+{column} {op} {value}"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn pushing_down_changes_nothing(comparisons in prop::collection::vec(comparison(), 1..4)) {
        let all = |one: fn(&(String, String)) -> &String| {
            comparisons.iter().map(one).cloned().collect::<Vec<_>>().join(" and ")
        };
        let columns = "job_id, exe, runtime_s, command";
        let pushed = rows(&study().0, &format!("select {columns} from jobs where {}", all(|pair| &pair.0)));
        let scanned = rows(&study().0, &format!("select {columns} from jobs where {}", all(|pair| &pair.1)));
        prop_assert_eq!(pushed, scanned);
    }

    #[test]
    fn the_quick_way_is_the_general_way(
        groups in prop::sample::subsequence(vec!["exe", "uid", "nnodes", "runtime_s", "bytes_written", "period_s"], 0..4),
        functions in prop::collection::vec(
            (
                prop::sample::select(vec!["count", "sum", "min", "max", "avg"]),
                prop::sample::select(vec!["uid", "nnodes", "runtime_s", "job_id", "period_s"]),
            ),
            0..3,
        ),
        words in prop::sample::subsequence(vec!["min(exe)", "max(command)", "count(exe)", "count(*)"], 1..3),
        comparisons in prop::collection::vec(comparison(), 0..3),
        down in any::<bool>(),
        limit in prop::option::of((0_usize..20, 0_usize..5)),
    ) {
        let functions = functions.iter().map(|(function, column)| format!("{function}({column})"));
        let words = words.into_iter().map(String::from);
        let items: Vec<String> = groups.iter().map(ToString::to_string).chain(functions).chain(words).collect();
        let mut sql = format!("select {} from jobs", items.join(", "));
        for (at, (comparison, _)) in comparisons.iter().enumerate() {
            sql.push_str(&format!(" {} {comparison}", if at == 0 { "where" } else { "and" }));
        }
        if !groups.is_empty() {
            // Sorted by everything, so that there is only one right result.
            let every: Vec<String> = (1..=items.len()).map(|at| at.to_string()).collect();
            let last = if down { " desc" } else { "" };
            sql.push_str(&format!(" group by {} order by {}{last}", groups.join(", "), every.join(", ")));
        }
        if let Some((limit, offset)) = limit {
            sql.push_str(&format!(" limit {limit} offset {offset}"));
        }
        let quick = ask(&study().0, &sql).expect("quick");
        // SQLite ignores a comment, but the fast path does not accept it.
        let general = ask(&study().0, &format!("{sql} --")).expect("general");
        prop_assert_eq!(quick, general, "{}", sql);
    }
}

#[test]
fn threads_read_one_part_at_once() {
    const ROWS: u64 = 900_000; // four row groups
    let folder = Folder::new("threads");
    let ingest = Ingest::begin(&folder.0).expect("begin");
    let mut files = Rows::default();
    for number in 0..ROWS {
        let path = format!("/p{}", number % 5003);
        let bytes_written = (number * 104_729) % 1_000_007;
        files.push(FileRow { path: &path, bytes_written, ..FileRow::default() });
    }
    ingest.add(&mut files).expect("files");
    ingest.commit().expect("commit");
    let total: u64 = (0..ROWS).map(|number| (number * 104_729) % 1_000_007).sum();
    for _ in 0..20 {
        let found = rows(&folder.0, "select count(*), sum(bytes_written), max(path) from files");
        assert_eq!(found, [format!("{ROWS}|{total}|'/p999'")]);
    }
}

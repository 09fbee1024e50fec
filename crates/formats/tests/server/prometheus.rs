//! Answers of Prometheus to range queries.

use marigraph_formats::Error;
use marigraph_formats::server::{Zone, read_throughput};

use super::{brief, problem, readings};

fn answer(series: &[(&str, &str)]) -> String {
    let one = |(metric, values): &(&str, &str)| format!(r#"{{"metric":{{{metric}}},"values":[{values}]}}"#);
    let all: Vec<String> = series.iter().map(one).collect();
    format!(r#"{{"status":"success","data":{{"resultType":"matrix","result":[{}]}}}}"#, all.join(","))
}

const T: f64 = 1_767_571_200.0;

#[test]
fn counters_become_rates_and_are_summed_by_source() {
    let text = answer(&[
        (
            r#""__name__":"node_disk_written_bytes_total","instance":"oss1:9100","device":"sda""#,
            r#"[1767571200,"100"],[1767571215,"250"],[1767571230,"10"],[1767571245,"160"],[1767571305,"200"],[1767571320,"215"]"#,
        ),
        (
            r#""__name__":"node_disk_read_bytes_total","instance":"oss1:9100","device":"sda""#,
            r#"[1767571200,"0"],[1767571215,"1.5e1"],[1767571230,"30"],[1767571245,"NaN"]"#,
        ),
        (
            r#""__name__":"node_disk_read_bytes_total","instance":"oss1:9100","device":"dm-0""#,
            r#"[1767571200,"0"],[1767571215,"15"]"#,
        ),
    ]);
    let (found, facts) = readings(&text);
    let expected = [
        (T, 15.0, 10.0, 1.0),
        // The counter of writes restarted here.
        (T + 15.0, 15.0, 0.0, 1.0),
        (T + 30.0, 15.0, 10.0, 0.0),
        // What came in the minute without samples is unknown.
        (T + 105.0, 15.0, 1.0, 0.0),
    ];
    assert_eq!(brief(&found), expected);
    assert_eq!((facts.format, facts.sources), ("prometheus", vec!["oss1:9100:sda".to_string()]));
    assert_eq!(facts.problems.len(), 2, "{:?}", facts.problems);
    assert!(facts.problems[1].message.contains(r#"no sample: [1767571245,"NaN"]"#));
}

#[test]
fn rates_are_told_at_the_end_of_their_interval() {
    let text = answer(&[
        (
            r#""direction":"write","target":"scratch-OST0000""#,
            r#"[1767571200.5,"1"],[1767571205.5,"2"],[1767571210.5,"3"],[1767571240.5,"4"]"#,
        ),
        (r#""direction":"read","target":"scratch-OST0000""#, r#"[1767571200.5,"10"],[1767571205.5,"20"]"#),
        (
            r#""__name__":"lustre:write_bytes:rate5m","target":"scratch-OST0001""#,
            r#"[1767571200,"7"],[1767571205,"7"]"#,
        ),
    ]);
    let (found, facts) = readings(&text);
    let expected = [
        (T - 4.5, 5.0, 1.0, 10.0),
        (T + 0.5, 5.0, 2.0, 20.0),
        (T + 5.5, 5.0, 3.0, 0.0),
        (T + 35.5, 5.0, 4.0, 0.0),
        (T - 5.0, 5.0, 7.0, 0.0),
        (T, 5.0, 7.0, 0.0),
    ];
    assert_eq!(brief(&found), expected);
    assert_eq!((facts.sources.len(), facts.problems.len()), (2, 0));
}

#[test]
fn only_bytes_count_and_only_once() {
    let values = r#"[1767571200,"0"],[1767571205,"50"]"#;
    let text = answer(&[
        (r#""__name__":"lustre_write_bytes_total","target":"o""#, values),
        (r#""__name__":"lustre_job_write_bytes_total","target":"o","jobid":"7""#, values),
        (r#""__name__":"node_disk_writes_completed_total","device":"sda""#, values),
        (r#""__name__":"node_disk_write_time_seconds_total","device":"sda""#, values),
    ]);
    let (found, facts) = readings(&text);
    assert_eq!((brief(&found), facts.problems.len()), (vec![(T, 5.0, 10.0, 0.0)], 2), "{facts:?}");
    // Jobs alone are summed.
    let jobs: Vec<String> = ["7", "8"]
        .map(|job| format!(r#""__name__":"lustre_job_write_bytes_total","target":"o","jobid":"{job}""#))
        .into();
    let (found, facts) = readings(&answer(&[(&jobs[0], values), (&jobs[1], values)]));
    assert_eq!((brief(&found), facts.problems.len()), (vec![(T, 5.0, 20.0, 0.0)], 0));
}

#[test]
fn a_series_without_direction_counts_as_written() {
    let (found, facts) = readings(&answer(&[("", r#"[1767571200,"1"],[1767571205,"2"]"#)]));
    assert_eq!((brief(&found)[0], facts.sources.len()), ((T - 5.0, 5.0, 1.0, 0.0), 1));
    assert!(problem(&facts).1.contains("count as written"));
}

#[test]
fn a_cut_answer_gives_all_whole_samples() {
    let text = answer(&[(r#""__name__":"write""#, r#"[1767571200,"1"],[1767571205,"2"],[1767571210,"3"]"#)]);
    let at = text.rfind("[1767571210").expect("a sample");
    for end in at..text.len() {
        let (found, facts) = readings(&text[..end]);
        assert_eq!(found.len(), if end >= at + 16 { 3 } else { 2 }, "{}", &text[..end]);
        assert_eq!(facts.problems[0].kind.code(), "truncated");
    }
    for end in 0..text.len() {
        let _ = read_throughput(&text.as_bytes()[..end], &Zone::utc(), &mut |_| {});
    }
}

#[test]
fn other_answers_are_refused() {
    let refused = |text: &str| match read_throughput(text.as_bytes(), &Zone::utc(), &mut |_| {}) {
        Err(Error::Lacking { detail, hint }) => format!("{detail}; {hint}"),
        other => panic!("{other:?}"),
    };
    let error = r#"{"status":"error","errorType":"bad_data","error":"parse error"}"#;
    assert!(refused(error).contains("parse error"));
    let instant =
        r#"{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"2"]}]}}"#;
    assert!(refused(instant).contains("query_range"));
    assert!(readings(&answer(&[])).0.is_empty());
}

//! Job logs.

use marigraph_formats::Error;
use marigraph_formats::server::{JobLog, Zone, read_jobs};
use marigraph_model::BatchJob;

fn log_in(content: &str, zone: &str) -> JobLog {
    let log = read_jobs(content.as_bytes(), &Zone::named(zone).expect("a zone"));
    let log = log.unwrap_or_else(|error| panic!("{error}: {content}"));
    for job in &log.jobs {
        assert!(job.start.zip(job.end).is_none_or(|(start, end)| start <= end), "{job:?}");
    }
    log
}

fn log(content: &str) -> JobLog {
    log_in(content, "UTC")
}

/// Id, nodes, start and end.
type Brief<'l> = (&'l str, Option<u64>, Option<f64>, Option<f64>);

fn brief(log: &JobLog) -> Vec<Brief<'_>> {
    log.jobs.iter().map(|job| (job.id.as_str(), job.nodes, job.start, job.end)).collect()
}

const HEADING: &str =
    "JobID|JobName|User|Account|Partition|State|Submit|Start|End|Elapsed|NNodes|NCPUS|NTasks\n";

fn sample() -> String {
    format!(
        "{HEADING}7|ior|u1|p1|batch|COMPLETED|2026-01-05T00:00:00|2026-01-05T00:01:00|2026-01-05T00:02:00|00:01:00|16|256|\n\
        7.batch|batch||p1||COMPLETED|2026-01-05T00:01:00|2026-01-05T00:01:00|2026-01-05T00:02:00|00:01:00|1|16|1\n\
        7.extern|extern||p1||COMPLETED|2026-01-05T00:01:00|2026-01-05T00:01:00|2026-01-05T00:02:00|00:01:00|16|256|16\n\
        7.0|ior||p1||COMPLETED|2026-01-05T00:01:01|2026-01-05T00:01:01|2026-01-05T00:02:00|00:00:59|16|256|256\n"
    )
}

#[test]
fn steps_are_passed_over() {
    let log = log(&sample());
    let job = BatchJob {
        id: "7".into(),
        number: Some(7),
        user: "u1".into(),
        name: "ior".into(),
        account: "p1".into(),
        partition: "batch".into(),
        state: "COMPLETED".into(),
        nodes: Some(16),
        processes: Some(256),
        submit: Some(1_767_571_200.0),
        start: Some(1_767_571_260.0),
        end: Some(1_767_571_320.0),
    };
    assert_eq!((log.format, log.jobs, log.problems), ("sacct", vec![job], Vec::new()));
}

#[test]
fn separators_and_trailing_ones_are_found() {
    let expected = log(&sample()).jobs;
    for separator in ["|", ",", ";", "\t", "^", "::", "~"] {
        let text = sample().replace('|', separator);
        assert_eq!(log(&text).jobs, expected, "{separator}");
        let trailing = text.replace('\n', &format!("{separator}\n"));
        assert_eq!(log(&trailing).jobs, expected, "trailing {separator}");
        assert_eq!(log(&text.replace('\n', "\r\n")).jobs, expected, "{separator}");
    }
    assert_eq!(log(&format!("{}{}", sample(), sample())).jobs, expected);
}

#[test]
fn ids_of_all_kinds() {
    let text = "JobID|NNodes|Start|End|State\n\
        10_4|1|2026-01-05T00:00:00|2026-01-05T00:01:00|COMPLETED\n\
        10_[5-9]|1|Unknown|Unknown|PENDING\n\
        11+0|2|2026-01-05T00:00:00|2026-01-05T00:01:00|COMPLETED\n\
        11+0.batch|1|2026-01-05T00:00:00|2026-01-05T00:01:00|COMPLETED\n\
        11+1|1.50K|2026-01-05T00:00:00|2026-01-05T00:01:30|COMPLETED\n\
        12|1|2026-01-05T00:00:00|2026-01-05T00:01:00|NODE_FAIL\n\
        12|1|2026-01-05T00:10:00|2026-01-05T00:11:00|COMPLETED\n\
        12|1|2026-01-05T00:10:00|2026-01-05T00:11:00|COMPLETED\n\
        13|2K|2026-01-05T00:00:00|Unknown|RUNNING\n\
        14||None|2026-01-05T00:00:00|CANCELLED by 1234\n\
        15|1|2026-01-05T00:02:00|2026-01-05T00:01:00|FAILED\n";
    let log = log(text);
    let at = |second: f64| Some(1_767_571_200.0 + second);
    let expected = [
        ("10_4", Some(1), at(0.0), at(60.0)),
        ("11", Some(1538), at(0.0), at(90.0)),
        ("12", Some(1), at(0.0), at(60.0)),
        ("12", Some(1), at(600.0), at(660.0)),
        ("13", Some(2048), at(0.0), None),
        ("14", None, None, at(0.0)),
    ];
    assert_eq!(brief(&log), expected);
    assert_eq!(log.jobs[5].state, "CANCELLED by 1234");
    assert_eq!((log.problems.len(), log.problems[0].place.as_str()), (1, "line 12"));
    assert!(log.problems[0].message.contains("job 15 ends before it starts"));
}

#[test]
fn jobs_have_ids() {
    let log = log("JobID|User|Start|End\n+1|u|1767571200|1767571260\n|u|1767571200|1767571260\n");
    assert_eq!(
        (log.jobs.len(), log.jobs[0].id.as_str(), log.problems[0].place.as_str()),
        (1, "+1", "line 3")
    );
    let swf = self::log("; UnixStartTime: 5\n-1 10 5 60 6 -1 -1 6 -1 -1 1 3 1 7 2 -1 -1 -1\n");
    assert!(swf.jobs.is_empty() && swf.problems[0].message.contains("no id"));
    let endless =
        self::log("; UnixStartTime: 1e999\n1 1e308 1e308 1e308 6 -1 -1 6 -1 -1 1 3 1 7 2 -1 -1 -1\n");
    assert!(endless.jobs.is_empty() && endless.problems[0].message.contains("out of range"));
}

#[test]
fn overlapping_logs_hold_a_job_once() {
    let text = "JobID|Cluster|Start|End|State\n\
        1|a|2026-01-05T00:00:00|Unknown|RUNNING\n\
        1|b|2026-01-05T00:00:00|2026-01-05T00:00:05|COMPLETED\n\
        JobID|Cluster|State|Start|End\n\
        1|a|COMPLETED|2026-01-05T00:00:00|2026-01-05T00:01:00\n";
    let log = log(text);
    assert_eq!(brief(&log).len(), 2);
    assert_eq!((log.jobs[0].end, log.jobs[0].state.as_str()), (Some(1_767_571_260.0), "COMPLETED"));
}

#[test]
fn times_are_those_of_a_zone_or_tell_their_own() {
    let one = |zone: &str, start: &str, end: &str, elapsed: &str| {
        let text = format!("JobID|User|Start|End|Elapsed\n1|u|{start}|{end}|{elapsed}\n");
        let log = log_in(&text, zone);
        (log.jobs[0].start, log.jobs[0].end)
    };
    let expected = (Some(1_767_571_200.0), Some(1_767_571_260.5));
    assert_eq!(one("+01:00", "2026-01-05T01:00:00", "2026-01-05T01:01:00.5", ""), expected);
    assert_eq!(one("America/New_York", "1767571200", "1767571260.5", ""), expected);
    assert_eq!(one("UTC", "2026-01-05T01:00:00+01:00", "2026-01-05T00:01:00.5Z", ""), expected);
    // Clocks are set back at 03:00: half past two occurs twice.
    let berlin = |start: &str, end: &str, elapsed: &str| {
        let (start, end) = one("Europe/Berlin", start, end, elapsed);
        end.zip(start).map(|(end, start)| end - start)
    };
    assert_eq!(berlin("2026-10-25T02:50:00", "2026-10-25T02:10:00", ""), Some(1200.0));
    assert_eq!(berlin("2026-10-25T02:10:00", "2026-10-25T02:20:00", "01:10:00"), Some(4200.0));
    assert_eq!(berlin("2026-10-25T02:10:00", "2026-10-25T02:20:00", "600"), Some(600.0));
    // Without an end, the elapsed time gives it.
    let text = "JobID|User|Start|Elapsed|State\n1|u|1767571200|1-00:00:01|COMPLETED\n2|u|1767571200|00:00:01|RUNNING\n";
    let log = log(text);
    assert_eq!((log.jobs[0].end, log.jobs[1].end), (Some(1_767_571_200.0 + 86_401.0), None));
}

#[test]
fn names_may_hold_the_separator() {
    let text = "JobID|JobName|Start|End|WorkDir|User\n\
        1|a|b|c|2026-01-05T00:00:00|2026-01-05T00:01:00|/w|u\n\
        2|a|2026-01-05T00:00:00|2026-01-05T00:01:00|/w|x|u\n\
        3|a|2026-01-05T00:00:00\n";
    let log = log(text);
    let found: Vec<(&str, &str)> =
        log.jobs.iter().map(|job| (job.name.as_str(), job.user.as_str())).collect();
    assert_eq!(found, [("a|b|c", "u"), ("a", "u")]);
    assert!(log.problems[0].message.contains("it ends after 3 of 6 fields"), "{:?}", log.problems);
    let text = "JobID,JobName,User,Start,End,Elapsed,AllocTRES,Cluster\n\
        3,comma,`q`,root,2026-11-16T15:35:24,2026-11-16T15:35:28,00:00:04,billing=1,cpu=1,mem=1M,node=5,c\n";
    let both = self::log(text);
    assert_eq!(
        (both.jobs[0].name.as_str(), both.jobs[0].user.as_str(), both.jobs[0].nodes),
        ("comma,`q`", "root", Some(5))
    );
    assert_eq!(both.jobs[0].end, Some(1_794_843_328.0));
}

#[test]
fn csv_by_common_names() {
    let text = "start_time,end_time,job_id,username,job_name,num_nodes,queue,project\n\
        1767571200,1767571260,5.pbs,ann,\"a, b\",4,q,p\n2026-01-05 00:00:00,2026-01-05 00:01:00,6.pbs,bob,c,x,q,p\n";
    let log = log(text);
    assert_eq!(log.format, "csv");
    let at = |second: f64| Some(1_767_571_200.0 + second);
    assert_eq!(brief(&log), [("5.pbs", Some(4), at(0.0), at(60.0)), ("6.pbs", None, at(0.0), at(60.0))]);
    assert_eq!((log.jobs[0].name.as_str(), log.jobs[0].partition.as_str()), ("a, b", "q"));
}

#[test]
fn what_lacks_something_says_how_to_get_it() {
    let refused = |text: &str| read_jobs(text.as_bytes(), &Zone::utc()).expect_err("no log");
    let cases = [
        ("7|ior|u1|COMPLETED|2026-01-05T00:00:00\n", "without its header", "-n"),
        ("JobID           JobName  Partition\n------------ ---------- ----------\n", "in columns", "-P"),
        ("JobID|User|JobName|NNodes\n7|u|n|1\n", "no column Start", "JobID,User"),
    ];
    for (text, words, hint) in cases {
        let error = refused(text);
        assert!(
            error.to_string().contains(words) && error.hint().is_some_and(|found| found.contains(hint)),
            "{error}"
        );
    }
    for text in ["hello", "a,b,c\n", "{}", "[1]", "1 2 3\n", "timestamp,write\n1,2\n"] {
        assert_eq!(refused(text), Error::NoJobs, "{text}");
    }
    assert_eq!(refused(""), Error::Empty);
}

#[test]
fn the_shared_logs_are_read_whole() {
    let folder = std::env::var("MARIGRAPH_DATA").unwrap_or_else(|_| "../../../shared/data".to_string());
    for name in ["default", "contention"] {
        let path = format!("{folder}/server/{name}/jobs.sacct");
        let Ok(text) = std::fs::read_to_string(&path) else {
            eprintln!("SKIPPED: {path} is not there");
            continue;
        };
        let ids = text.lines().skip(1).filter_map(|line| line.split('|').next());
        let whole = ids.filter(|id| !id.contains('.')).count();
        let log = log(&text);
        assert_eq!((log.jobs.len(), log.problems.len()), (whole, 0), "{path}");
        assert!(
            log.jobs.iter().all(|job| job.start.is_some() && job.nodes.is_some() && !job.user.is_empty())
        );
    }
}

#[test]
fn swf_counts_from_its_beginning() {
    let text = "; Version: 2.2\n; UnixStartTime: 1767571200\n;MaxNodes: 128\n; MaxProcs: 512 (4 each)\n\n\
        1 10 5 60 6 -1 -1 6 -1 -1 1 3 1 7 2 -1 -1 -1\n\
        2 20 -1 -1 -1 -1 -1 8 -1 -1 5 3 1 -1 2 1 -1 -1\n\
        3 20 0 9 4 -1 -1 8 -1 -1 2 3 1 -1 2 1 -1 -1\n\
        4 20 0 9 4\n";
    let log = log(text);
    let at = |second: f64| Some(1_767_571_200.0 + second);
    assert_eq!(
        (log.format, brief(&log)),
        ("swf", vec![("1", Some(2), at(15.0), at(75.0)), ("2", Some(2), None, None)])
    );
    let first = &log.jobs[0];
    assert_eq!((first.user.as_str(), first.name.as_str(), first.partition.as_str()), ("3", "7", "2"));
    assert_eq!((first.processes, first.submit, log.jobs[1].state.as_str()), (Some(6), at(10.0), "CANCELLED"));
    assert_eq!(log.problems[0].place, "line 9");
    let bare = text.replace("UnixStartTime", "Unknown");
    assert!(self::log(&bare).problems.iter().any(|problem| problem.kind.code() == "not_recorded"));
}

/// Two jobs as Slurm 21.08 and 24.05 write them, shortened.
fn json() -> String {
    let old = r#"{"account": "p1", "allocation_nodes": 4, "array": {"job_id": 0, "limits": {}, "task": null, "task_id": null},
        "association": {"account": "p1", "cluster": "c", "user": "ann"}, "cluster": "c", "het": {"job_id": 0, "job_offset": null},
        "job_id": 7, "name": "ior", "nodes": "n[1-4]", "partition": "batch", "state": {"current": "COMPLETED", "reason": "None"},
        "steps": [{"time": {"start": 1}}], "time": {"elapsed": 60, "end": 1767571320, "start": 1767571260, "submission": 1767571200}, "user": "ann",
        "tres": {"allocated": [{"type": "cpu", "name": "", "id": 1, "count": 256}]}}"#;
    let new = r#"{"account": "p1", "allocation_nodes": 1, "array": {"job_id": 8, "task": "", "task_id": {"set": true, "infinite": false, "number": 3}},
        "cluster": "c", "het": {"job_id": 0, "job_offset": {"set": false, "infinite": false, "number": 0}}, "job_id": 11, "name": "ior",
        "partition": "batch", "state": {"current": ["RUNNING"], "reason": "None"}, "time": {"end": 0, "start": 1767571260, "submission": 1767571200}, "user": "bob"}"#;
    let waiting = r#"{"array": {"job_id": 9, "task": "5-9", "task_id": {"set": false, "number": 0}}, "job_id": 9, "time": {"start": 0}}"#;
    let part = |offset: u32| {
        format!(
            r#"{{"allocation_nodes": {}, "het": {{"job_id": 20, "job_offset": {{"set": true, "number": {offset}}}}}, "job_id": 2{offset}, "time": {{"start": 1767571260, "end": 1767571270}}}}"#,
            offset + 1
        )
    };
    format!(
        r#"{{"meta": {{"plugins": {{}}}}, "jobs": [{old}, {new}, {waiting}, {}, {}], "errors": []}}"#,
        part(0),
        part(1)
    )
}

#[test]
fn json_of_sacct() {
    let log = log(&json());
    let at = |second: f64| Some(1_767_571_200.0 + second);
    let expected = [
        ("7", Some(4), at(60.0), at(120.0)),
        ("8_3", Some(1), at(60.0), None),
        ("20", Some(3), at(60.0), at(70.0)),
    ];
    assert_eq!((log.format, brief(&log), log.problems.len()), ("sacct-json", expected.to_vec(), 0));
    assert_eq!(
        (log.jobs[0].user.as_str(), log.jobs[0].processes, log.jobs[1].state.as_str()),
        ("ann", Some(256), "RUNNING")
    );
    let text = json();
    let cut = self::log(&text[..text.rfind("{\"allocation_nodes\"").expect("a job") + 30]);
    assert_eq!((cut.jobs.len(), cut.problems[0].kind.code()), (3, "truncated"));
    let odd = self::log(&text.replace("\"time\": {\"elapsed\"", "\"time\": 5, \"x\": {\"elapsed\""));
    assert_eq!((odd.jobs.len(), odd.problems[0].place.as_str()), (2, "job 1"));
}

#[test]
fn every_beginning_is_survived() {
    let swf = "; UnixStartTime: 5\n1 10 5 60 6 -1 -1 6 -1 -1 1 3 1 7 2 -1 -1 -1\n".to_string();
    for text in [sample(), json(), swf] {
        for end in 0..text.len() {
            let _ = read_jobs(&text.as_bytes()[..end], &Zone::utc());
        }
    }
}

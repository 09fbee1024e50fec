//! Output of `iostat` and `sadf`. The texts of sysstat 12.6 are real, shortened; older ones follow
//! its manuals.

use marigraph_formats::Error;
use marigraph_formats::server::{Zone, read_throughput};

use super::{brief, problem, readings, readings_in};

/// Three reports, the first of which covers the time since boot.
const EXTENDED: &str = "Linux 6.18.44 (oss1) \t11/16/26 \t_x86_64_\t(2 CPU)\n\n\
11/16/26 15:04:09\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n          55.08   13.20    6.59    0.17    0.19   24.78\n\n\
Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util\n\
sda             76.73    993.28     2.70   3.40    1.59    12.95   35.74   4486.40    41.86  53.94    2.72   125.51    0.22   1.15\n\n\n\
11/16/26 15:04:11\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n          43.50    0.00    7.00    0.00    0.00   49.50\n\n\
Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util\n\
sda              0.00      1.00     0.00   0.00    0.00     0.00    0.00      2.50     0.00   0.00    0.00     0.00    0.00   0.00\n\
sdb              0.00      3.00     0.00   0.00    0.00     0.00    0.00      4.00     0.00   0.00    0.00     0.00    0.00   0.00\n\n\n\
11/16/26 15:04:13\n\
Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util\n\
sda              0.00      5.00     0.00   0.00    0.00     0.00    0.00      6.00     0.00   0.00    0.00     0.00    0.00   0.00\n\n\n";

/// 2026-11-16T15:04:09
const FIRST: f64 = 1_794_841_449.0;

#[test]
fn reports_tell_what_came_before_them() {
    let (found, facts) = readings(EXTENDED);
    let expected =
        [(FIRST, 2.0, 2560.0, 1024.0), (FIRST, 2.0, 4096.0, 3072.0), (FIRST + 2.0, 2.0, 6144.0, 5120.0)];
    assert_eq!(brief(&found), expected);
    assert_eq!((facts.format, facts.problems.len()), ("iostat", 0));
    assert_eq!(facts.sources, ["oss1:sda", "oss1:sdb"]);
    assert_eq!([0, 1, 0].to_vec(), found.iter().map(|reading| reading.source).collect::<Vec<_>>());
    let (found, _) = readings_in(EXTENDED, "-05:00");
    assert_eq!(found[0].start, FIRST + 5.0 * 3600.0);
}

#[test]
fn times_of_other_languages_give_the_same() {
    let expected = brief(&readings(EXTENDED).0);
    let day = |from: &str, to: &str| EXTENDED.replace(from, to);
    let forms = [
        day("11/16/26 15:04:", "2026-11-16T15:04:")
            .replace(":09\n", ":09+0000\n")
            .replace(":11\n", ":11+0000\n")
            .replace(":13\n", ":13+0000\n"),
        day("11/16/26 15:04:", "16.11.2026 15:04:").replace("1.00 ", "1,00 ").replace("2.50 ", "2,50 "),
        day("11/16/26 15:04:", "11/16/2026 03:04:")
            .replace(":09\n", ":09 PM\n")
            .replace(":11\n", ":11 PM\n")
            .replace(":13\n", ":13 PM\n"),
        day("Device ", "Gerät  "),
        day("Device ", "Device:"),
        day("\n", "\r\n"),
    ];
    for form in forms {
        let (found, facts) = readings(&form);
        assert_eq!((brief(&found), facts.problems.len()), (expected.clone(), 0), "{form}");
    }
}

#[test]
fn all_generations_of_columns() {
    let text = |heading: &str, row: &str| {
        let report = |time: &str| format!("11/16/26 15:04:{time}\n{heading}\n{row}\n\n");
        format!("Linux 2.6 (h) \t11/16/26\n\n{}{}", report("09"), report("11"))
    };
    let cases = [
        (
            "Device:         rrqm/s   wrqm/s     r/s     w/s   rsec/s   wsec/s avgrq-sz avgqu-sz   await  svctm  %util",
            "sda 0 0 0 0 8.00 16.00 0 0 0 0 0",
        ),
        (
            "Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util",
            "sda 0 0 0 0 4.00 8.00 0 0 0 0 0 0 0",
        ),
        (
            "Device:         rrqm/s   wrqm/s     r/s     w/s    rMB/s    wMB/s avgrq-sz avgqu-sz   await  svctm  %util",
            "sda 0 0 0 0 0.00390625 0.0078125 0 0 0 0 0",
        ),
        ("Device:            tps   Blk_read/s   Blk_wrtn/s   Blk_read   Blk_wrtn", "sda 0 8.00 16.00 1 1"),
        (
            "Device             tps    kB_read/s    kB_wrtn/s    kB_dscd/s    kB_read    kB_wrtn    kB_dscd",
            "sda 0 4.00 8.00 0 0 0 0",
        ),
        (
            "     tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn Device",
            "  0.00      4.0k         8.0k       0.0k       0.0k sda",
        ),
        (
            "     r/s     rkB/s   rrqm/s  %rrqm Device\n 0.00 4.0k 0.00 0.0% sda\n\n     w/s     wkB/s   wrqm/s  %wrqm Device",
            " 0.00 8192B 0.00 0.0% sda",
        ),
        (
            "Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn",
            "a-very-long-name\n               0.00 4.00 8.00 0 0",
        ),
    ];
    for (heading, row) in cases {
        let (found, facts) = readings(&text(heading, row));
        assert_eq!(
            (brief(&found), facts.problems),
            (vec![(FIRST, 2.0, 8192.0, 4096.0)], Vec::new()),
            "{heading}"
        );
    }
}

#[test]
fn every_run_begins_with_a_report_that_is_none() {
    let later = EXTENDED.replace(" 15:04", " 18:04");
    let (found, _) = readings(&format!("{EXTENDED}{later}"));
    assert_eq!(found.len(), 6);
    assert_eq!((found[3].start, found[3].seconds), (FIRST + 3.0 * 3600.0, 2.0));
    let once = EXTENDED.split_once("\n\n\n").expect("reports").0;
    let (found, facts) = readings(once);
    assert!(found.is_empty() && problem(&facts).1.contains("needs an interval"));
    // A log without its beginning starts with a report like any other.
    let tail = EXTENDED.split_once("\n\n\n").expect("reports").1;
    let (found, _) = readings(tail);
    assert_eq!((found.len(), found[0].start, found[0].seconds), (3, FIRST, 2.0));
}

#[test]
fn bytes_count_once() {
    let disk = EXTENDED.lines().rfind(|line| line.starts_with("sda")).expect("a row");
    let more = ["sda1", "dm-0", "md127"].map(|name| disk.replacen("sda", name, 1)).join("\n");
    let text = EXTENDED.replace(disk, &format!("{disk}\n{more}"));
    let (found, facts) = readings(&text);
    assert_eq!(brief(&found), brief(&readings(EXTENDED).0));
    assert!(problem(&facts).1.starts_with("3 devices are left out"), "{:?}", facts.problems);
    // Sums of groups (iostat -g) count only if their devices are not shown (-H).
    let group = disk.replacen("sda", " ALL", 1);
    let grouped = EXTENDED.replace(disk, &format!("{disk}\n{group}"));
    assert_eq!(brief(&readings(&grouped).0), brief(&readings(EXTENDED).0));
    let (found, facts) = readings(&EXTENDED.replace("\nsda", "\n ALL").replace("\nsdb", "\n OLD"));
    assert_eq!((found.len(), facts.sources), (3, vec!["oss1:ALL".to_string(), "oss1:OLD".to_string()]));
    let (found, facts) = readings(&EXTENDED.replace("sda", "dm-0").replace("sdb", "dm-1"));
    assert_eq!((found.len(), facts.problems.len()), (3, 0));
}

#[test]
fn torn_and_odd_rows_are_counted() {
    let text = EXTENDED.replace("      3.00 ", "     -nan ");
    let cut = text.trim_end().rsplit_once("   ").expect("columns").0;
    let (found, facts) = readings(cut);
    assert_eq!(found.len(), 1);
    assert_eq!(problem(&facts), ("line 17", "2 lines are left out; the first: no rate: \"-nan\""));
    for end in 0..EXTENDED.len() {
        let _ = read_throughput(&EXTENDED.as_bytes()[..end], &Zone::utc(), &mut |_| {});
    }
}

#[test]
fn what_lacks_something_says_how_to_get_it() {
    let refused = |text: &str| match read_throughput(text.as_bytes(), &Zone::utc(), &mut |_| {}) {
        Err(Error::Lacking { detail, hint }) => format!("{detail}; {hint}"),
        other => panic!("{other:?}"),
    };
    let untimed: String =
        EXTENDED.lines().filter(|line| !line.starts_with("11/")).map(|line| format!("{line}\n")).collect();
    assert!(refused(&untimed).contains("without times; run iostat with -t"));
    assert!(refused("Linux 6.1 (h) \t11/16/26\n\navg-cpu:  %user\n 1.0\n").contains("without devices"));
    let short = "Linux 6.1 (h) \t11/16/26\n\n11/16/26 15:04:15\nDevice             tps    kB_read/s     kB_w+d/s    kB_read     kB_w+d\nvda             157.27       993.19      8971.12   60452345  546043196\n";
    assert!(refused(short).contains("separate reads and writes"));
    let sar = "Linux 6.1 (h) \t11/16/26 \t_x86_64_\t(2 CPU)\n\n15:04:12          DEV       tps     rkB/s     wkB/s\n15:04:13          vda      9.00     28.00    704.00\n";
    assert!(refused(sar).contains("sadf -d FILE -- -d"));
    let processors =
        "# hostname;interval;timestamp;CPU;%user;%nice\nvm;1;2026-11-16 15:04:13 UTC;-1;40.70;0.00\n";
    assert!(refused(processors).contains("sadf -d FILE -- -d"));
    let untimed = r#"{"sysstat": {"hosts": [{"nodename": "vm", "statistics": [{"disk": []}]}]}}"#;
    assert!(refused(untimed).contains("-t -o JSON"));
}

#[test]
fn json_of_iostat() {
    let report = |second: u32, read: &str, write: &str| {
        format!(
            r#"{{"timestamp": "11/16/26 15:04:{second:02}", "avg-cpu": {{"user": 1.0}}, "disk": [
            {{"disk_device": "sda", "r/s": 1, "rkB/s": {read}, "wkB/s": {write}, "util": 1.15}},
            {{"disk_device": "dm-0", "r/s": 1, "kB_read/s": 9.0, "kB_wrtn/s": 9.0, "util": 1.15}}]}}"#
        )
    };
    let reports = [report(9, "1e9", "1e9"), report(11, "1.00", "2.50"), report(13, "5", "6")].join(",\n");
    let text = format!(r#"{{"sysstat": {{"hosts": [{{"nodename": "oss1", "statistics": [{reports}]}}]}}}}"#);
    let expected = [(FIRST, 2.0, 2560.0, 1024.0), (FIRST + 2.0, 2.0, 6144.0, 5120.0)];
    let (found, facts) = readings(&text);
    assert_eq!((brief(&found), facts.format), (expected.to_vec(), "sysstat-json"));
    assert_eq!(facts.sources, ["oss1:sda"]);
    assert!(problem(&facts).1.contains("dm-0"));
    // Cut anywhere, all complete reports are read.
    let last = text.rfind("{\"timestamp\"").expect("a report");
    for end in [last + 1, last + 50, text.len() - 6, text.len() - 2] {
        let (found, facts) = readings(&text[..end]);
        let whole = if end > text.len() - 6 { 2 } else { 1 };
        assert_eq!(found.len(), whole, "{}", &text[..end]);
        let told =
            facts.problems.iter().find(|problem| problem.kind.code() == "truncated").expect("a problem");
        assert_eq!(told.message, format!("the JSON is truncated after {} complete reports", whole + 1));
    }
    assert_eq!(readings(&format!("{text}\n{text}")).0.len(), 4);
}

#[test]
fn lines_of_sadf() {
    let text = "# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util\n\
        vm;2;2026-11-16 15:04:11 UTC;vda;9.00;1.00;2.50;704.00;159.56;0.00;0.11;0.00\n\
        vm;2;2026-11-16 15:04:11 UTC;vda1;9.00;1.00;2.50;704.00;159.56;0.00;0.11;0.00\n\
        vm;-1;2026-11-16 15:04:12 UTC;LINUX-RESTART\t(2 CPU)\n\
        # hostname;interval;timestamp;DEV;tps;rd_sec/s;wr_sec/s;avgrq-sz;avgqu-sz;await;svctm;%util\n\
        vm;2;2026-11-16 15:04:13 UTC;vda;0;10;12;0;0;0;0;0\n\
        vm;2;2026-11-16 15:04:15 UTC;vda;0;10;x;0;0;0;0;0\nvm;2;2026-";
    let expected = vec![(FIRST, 2.0, 2560.0, 1024.0), (FIRST + 2.0, 2.0, 6144.0, 5120.0)];
    let (found, facts) = readings(text);
    assert_eq!(
        (brief(&found), facts.format, facts.sources),
        (expected.clone(), "sadf", vec!["vm:vda".to_string()])
    );
    assert_eq!(facts.problems.len(), 2, "{:?}", facts.problems);
    assert_eq!(
        (facts.problems[1].place.as_str(), facts.problems[1].message.split(';').next()),
        ("line 7", Some("2 lines are left out"))
    );
    let local = text.replace(" UTC", "");
    assert_eq!(readings_in(&local, "+01:00").0[0].start, FIRST - 3600.0);
    let epoch = text.replace("2026-11-16 15:04:11 UTC", "1794841451");
    assert_eq!(brief(&readings(&epoch).0), expected);
    let wide = "# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s[...]\n\
        vm;2;2026-11-16 15:04:11 UTC;vda;9;1;2.5;vdb;1;3;4\n";
    assert_eq!(brief(&readings(wide).0), [(FIRST, 2.0, 2560.0, 1024.0), (FIRST, 2.0, 4096.0, 3072.0)]);
}

#[test]
fn json_of_sadf() {
    let report = |second: u32, utc: u8| {
        format!(
            r#"{{"timestamp": {{"date": "2026-11-16", "time": "15:04:{second}", "utc": {utc}, "interval": 2}}, "disk": [
            {{"disk-device": "vda", "tps": 9.00, "rd_sec": 2.00, "wr_sec": 5.00, "rkB": 1.00, "wkB": 2.50, "util-percent": 0.00}}]}}"#
        )
    };
    let text = |utc: u8| {
        let reports = [report(11, utc), report(13, utc), report(99, utc)].join(",");
        format!(
            r#"{{"sysstat": {{"hosts": [{{"nodename": "vm", "statistics": [{reports}], "restarts": []}}]}}}}"#
        )
    };
    let (found, facts) = readings(&text(1));
    assert_eq!(brief(&found), [(FIRST, 2.0, 2560.0, 1024.0), (FIRST + 2.0, 2.0, 2560.0, 1024.0)]);
    assert_eq!(problem(&facts).0, "report 3");
    assert_eq!(readings_in(&text(0), "+01:00").0[0].start, FIRST - 3600.0);
    let old = text(1).replace("\"rkB\": 1.00, \"wkB\": 2.50, ", "");
    assert_eq!(brief(&readings(&old).0)[0], (FIRST, 2.0, 2560.0, 1024.0));
}

//! Throughput as CSV.

use marigraph_formats::Error;
use marigraph_formats::server::{Zone, read_throughput};
use proptest::prelude::*;

use super::{brief, problem, readings, readings_in};

const HEADING: &str = "timestamp,write_bytes_per_s,read_bytes_per_s\n";

#[test]
fn rows_last_until_the_next() {
    let (found, facts) =
        readings(&format!("{HEADING}1767571200,100,1\n1767571202,200,2\n1767571204,300,3\n"));
    let start = 1_767_571_200.0;
    let expected = [(start, 2.0, 100.0, 1.0), (start + 2.0, 2.0, 200.0, 2.0), (start + 4.0, 2.0, 300.0, 3.0)];
    assert_eq!(brief(&found), expected);
    assert_eq!(
        (facts.format, facts.sources.as_slice(), facts.problems.len()),
        ("csv", &[String::new()][..], 0)
    );
}

#[test]
fn columns_have_many_names_orders_and_separators() {
    let plain = brief(&readings("1767571200,100,1\n1767571202,200,2\n").0);
    let forms = [
        "read,time,write\n1,1767571200,100\n2,1767571202,200\n",
        "\u{feff}# ts;write_bytes/s;read_bytes/s\r\n1767571200;100;1\r\n1767571202;200;2\r\n",
        "date\tread_bytes_per_sec\tcomment\tbytes_written\n2026-01-05T00:00:00Z\t1\tx\t100\n2026-01-05 00:00:02\t2\t\t200\n",
        "\"timestamp\",\"write\",\"read\"\n\"1767571200\", 1e2 ,1.0\n1767571202.0,200.,2\n",
        "timestamp,write,read\n1767571200000,100,1\n1767571202000,200,2",
        "\n\n1767571200,100,1\n\n1767571202,200,2\n# the end\n",
        "\ttime\twrite\tread\tnote\n0\t1767571200\t100\t1\t\n1\t1767571202\t200\t 2\t\n",
        "timestamp,write,read\n1767571200,100,1\nread,write,time\n2,200,1767571202\n",
    ];
    for form in forms {
        let (found, facts) = readings(form);
        assert_eq!((brief(&found), facts.problems), (plain.clone(), Vec::new()), "{form}");
    }
    let (found, _) = readings("timestamp,write\n1767571200,100\n1767571202,200\n");
    assert_eq!(found[1].read, 0.0);
    let (found, _) =
        readings_in("time,write\n2026-07-05T02:00:00,1\n2026-07-05T02:00:02,1\n", "Europe/Berlin");
    assert_eq!(found[0].start, 1_783_209_600.0);
}

#[test]
fn sources_and_lengths_may_have_columns() {
    let text = "timestamp,server,device,interval_s,write,read\n\
        1767571200,oss1,sda,2,1,0\n1767571200,oss2,sda,2,2,0\n1767571230,oss1,sda,5,3,0\n1767571202,oss1,\"s,b\",2,4,0\n";
    let (found, facts) = readings(text);
    assert_eq!(facts.sources, ["oss1:sda", "oss2:sda", "oss1:s,b"]);
    let mut order: Vec<(u32, f64, f64)> =
        found.iter().map(|one| (one.source, one.seconds, one.write)).collect();
    order.sort_by(|a, b| a.2.total_cmp(&b.2));
    assert_eq!(order, [(0, 2.0, 1.0), (1, 2.0, 2.0), (0, 5.0, 3.0), (2, 2.0, 4.0)]);
}

#[test]
fn gaps_are_not_filled() {
    let mut text = HEADING.to_string();
    for second in [0, 2, 4, 6, 100, 102, 105, 107] {
        text.push_str(&format!("{},1,1\n", 1_767_571_200 + second));
    }
    let lengths: Vec<f64> = readings(&text).0.iter().map(|reading| reading.seconds).collect();
    assert_eq!(lengths, [2.0, 2.0, 2.0, 2.0, 2.0, 3.0, 2.0, 2.0]);
}

#[test]
fn unsorted_and_repeated_rows_pass_with_a_sensible_length() {
    // Scrambled times: 61051 is coprime to the number of rows. The first rows alone look far apart.
    let count = 100_000u64;
    let mut text = HEADING.to_string();
    for row in 0..count {
        text.push_str(&format!("{},1,1\n", 1_767_571_200 + 2 * (row * 61_051 % count)));
    }
    text.push_str(&text.lines().last().map(|line| format!("{line}\n")).expect("a line"));
    let (found, facts) = readings(&text);
    assert_eq!((found.len() as u64, facts.problems.len()), (count + 1, 0));
    assert!(found.iter().all(|reading| reading.seconds == 2.0));
}

#[test]
fn rows_that_are_none_are_counted() {
    let bad =
        ["nan,1,1", "1767571202,NaN,1", "1767571202,-5,1", "1767571202,1,", "1767571202,1,x", "1767571202"];
    let text = format!("{HEADING}1767571200,1,1\n{}\n1767571202,1,1\n17675712", bad.join("\n"));
    let (found, facts) = readings(&text);
    assert_eq!(found.len(), 2);
    let (place, words) = problem(&facts);
    assert_eq!(place, "line 3");
    assert!(words.starts_with("7 lines are left out; the first: no moment: \"nan\""), "{words}");
    let (found, facts) = readings(&format!("{HEADING}1767571200,1,1\n"));
    assert!(found.is_empty() && problem(&facts).1.contains("interval is unknown"));
    let nothing: Vec<_> = readings(HEADING).0;
    assert!(nothing.is_empty());
}

#[test]
fn other_texts_are_no_throughput() {
    let refused = |text: &[u8]| read_throughput(text, &Zone::utc(), &mut |_| {}).expect_err("no log");
    for text in ["hello", "0,0,1,5,read\n", "1,2,3\n", "rank,start,end,bytes,op\n", "{}", "[]", "\n"] {
        assert_eq!(refused(text.as_bytes()), Error::NoThroughput, "{text}");
    }
    assert_eq!(refused(b""), Error::Empty);
    assert_eq!(refused(&[0xff; 100]), Error::NoThroughput);
    assert!(Error::NoThroughput.hint().is_some_and(|hint| hint.contains("iostat")));
}

#[test]
fn the_shared_logs_are_read_whole() {
    let folder = std::env::var("MARIGRAPH_DATA").unwrap_or_else(|_| "../../../shared/data".to_string());
    for name in ["default", "contention"] {
        let path = format!("{folder}/server/{name}/throughput.csv.gz");
        let Ok(packed) = std::fs::read(&path) else {
            eprintln!("SKIPPED: {path} is not there");
            continue;
        };
        let (content, damage) = marigraph_formats::unpack(&packed, Default::default()).expect("gzip");
        let text = std::str::from_utf8(&content).expect("text");
        let (found, facts) = readings(text);
        let lines = text.lines().skip(1);
        let volume: f64 = lines.clone().filter_map(|line| line.split(',').nth(1)?.parse::<f64>().ok()).sum();
        assert_eq!((found.len(), facts.problems.len(), damage), (lines.count(), 0, None));
        let sum: f64 = found.iter().map(|reading| reading.write).sum();
        assert!((sum / volume - 1.0).abs() < 1e-12 && found.iter().all(|reading| reading.seconds == 2.0));
    }
}

fn rows() -> impl Strategy<Value = Vec<(u64, f64, f64, u8)>> {
    let row = (1u64..2_000_000, 0.0..1e12f64, 0.0..1e12f64, 0u8..3);
    prop::collection::vec(row, 1..60)
}

proptest! {
    #[test]
    fn what_is_written_is_read(rows in rows(), named in any::<bool>(), iso in any::<bool>()) {
        let mut text = if named { "time,write,read,device\n" } else { "time,write,read\n" }.to_string();
        for &(second, write, read, device) in &rows {
            let moment = 1_767_571_200 + second;
            let civil = marigraph_model::Civil::from_seconds(moment as i64);
            let time = if iso {
                format!("{}-{:02}-{:02}T{:02}:{:02}:{:02}", civil.year, civil.month, civil.day, civil.hour, civil.minute, civil.second)
            } else { moment.to_string() };
            let device = if named { format!(",d{device}") } else { String::new() };
            text.push_str(&format!("{time},{write},{read}{device}\n"));
        }
        let (found, facts) = readings(&text);
        let expected = |device: &str| -> Vec<(f64, f64, f64)> {
            let own = rows.iter().filter(|row| !named || device == format!("d{}", row.3));
            own.map(|row| ((1_767_571_200 + row.0) as f64, row.1, row.2)).collect()
        };
        let one_time = rows.iter().all(|row| row.0 == rows[0].0) || (named && found.is_empty());
        for (number, name) in facts.sources.iter().enumerate() {
            let own = found.iter().filter(|reading| reading.source as usize == number);
            let own: Vec<_> = own.map(|reading| (reading.start, reading.write, reading.read)).collect();
            prop_assert_eq!(own, if one_time { Vec::new() } else { expected(name) });
        }
        prop_assert_eq!(facts.problems.len(), usize::from(one_time));
    }
}

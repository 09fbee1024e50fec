//! Counters of the monitor as metrics, and the summary of a run as text and JSON.

use std::fmt::Write as _;

use marigraph_model::{Gap, Observed, Sample, TargetKind};
use serde_json::json;

use crate::units::{bytes, count, moment, seconds, tidy};

/// Maximum number of gaps listed; all are counted.
const LISTED: usize = 100;

/// The summary of a monitor run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MonitorRun {
    pub samples: u64,
    /// Samples that could not be written. The next one written includes their counts.
    pub unwritten: u64,
    /// First and last sample, in microseconds since 1970.
    pub span_us: Option<(i64, i64)>,
    pub bytes: u64,
    /// Intervals that were not observed, at most the first hundred.
    pub gaps: Vec<Gap>,
    pub gap_count: u64,
}

impl MonitorRun {
    pub fn note(&mut self, gap: Gap) {
        self.gap_count += 1;
        if self.gaps.len() < LISTED {
            self.gaps.push(gap);
        }
    }

    fn seconds(&self) -> f64 {
        self.span_us.map_or(0.0, |(from, to)| to.saturating_sub(from) as f64 / 1e6)
    }
}

/// Name, help text, and factor from the counter's unit to the metric's.
type Metric = (&'static str, &'static str, f64);

/// In the order of the columns; the names are those of node_exporter.
const DISK: [Metric; 9] = [
    ("node_disk_reads_completed_total", "Reads completed.", 1.0),
    ("node_disk_read_bytes_total", "Bytes read.", 512.0),
    ("node_disk_read_time_seconds_total", "Seconds spent by all reads.", 1e-3),
    ("node_disk_writes_completed_total", "Writes completed.", 1.0),
    ("node_disk_written_bytes_total", "Bytes written.", 512.0),
    ("node_disk_write_time_seconds_total", "Seconds spent by all writes.", 1e-3),
    ("node_disk_io_now", "Requests in flight.", 1.0),
    ("node_disk_io_time_seconds_total", "Seconds with requests in flight.", 1e-3),
    ("node_disk_io_time_weighted_seconds_total", "The same, weighted by the number of requests.", 1e-3),
];

const OST: [Metric; 4] = [
    ("marigraph_monitor_ost_reads_total", "Reads of an object storage target.", 1.0),
    ("marigraph_monitor_ost_read_bytes_total", "Bytes read from it.", 1.0),
    ("marigraph_monitor_ost_writes_total", "Writes to it.", 1.0),
    ("marigraph_monitor_ost_write_bytes_total", "Bytes written to it.", 1.0),
];

const JOB: [Metric; 5] = [
    ("marigraph_monitor_job_reads_total", "Reads of a job at a target.", 1.0),
    ("marigraph_monitor_job_read_bytes_total", "Bytes it read there.", 1.0),
    ("marigraph_monitor_job_writes_total", "Writes of a job at a target.", 1.0),
    ("marigraph_monitor_job_write_bytes_total", "Bytes it wrote there.", 1.0),
    ("marigraph_monitor_job_requests_total", "Its other requests there.", 1.0),
];

const MDT: Metric = ("marigraph_monitor_mdt_requests_total", "Requests at a metadata target.", 1.0);

/// The newest sample and the run's counters in Prometheus text format.
pub fn metrics(sample: &Sample, run: &MonitorRun) -> String {
    let mut out = String::new();
    let of = |kind: TargetKind| {
        let rows = sample.observed.iter().filter(|row| row.target.kind == kind);
        rows.collect::<Vec<&Observed>>()
    };
    let plain = |label: &'static str| move |row: &Observed| label_of(label, &row.target.name);
    columns(&mut out, &DISK, &of(TargetKind::Disk), plain("device"));
    columns(&mut out, &OST, &of(TargetKind::Ost), plain("target"));
    requests(&mut out, &of(TargetKind::Mdt));
    columns(&mut out, &JOB, &of(TargetKind::Job), |row| {
        let (target, job) = row.target.name.split_once('/').unwrap_or((&row.target.name, ""));
        format!("{},{}", label_of("target", target), label_of("job", job))
    });
    own(&mut out, sample, run);
    out
}

fn label_of(label: &str, value: &str) -> String {
    let escaped = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("{label}=\"{escaped}\"")
}

fn heading(out: &mut String, name: &str, help: &str) {
    let kind = if name.ends_with("_total") { "counter" } else { "gauge" };
    // Writing into a text cannot fail.
    let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
}

fn columns(out: &mut String, metrics: &[Metric], rows: &[&Observed], labels: impl Fn(&Observed) -> String) {
    let labels: Vec<String> = rows.iter().map(|row| labels(row)).collect();
    for (at, (name, help, unit)) in metrics.iter().enumerate().filter(|_| !rows.is_empty()) {
        heading(out, name, help);
        for (row, labels) in rows.iter().zip(&labels) {
            let value = row.values.get(at).copied().unwrap_or(0) as f64 * unit;
            let _ = writeln!(out, "{name}{{{labels}}} {value}");
        }
    }
}

fn requests(out: &mut String, rows: &[&Observed]) {
    let (name, help, _) = MDT;
    if !rows.is_empty() {
        heading(out, name, help);
    }
    for row in rows {
        let target = label_of("target", &row.target.name);
        for (column, value) in TargetKind::Mdt.columns().iter().zip(&row.values) {
            let _ = writeln!(out, "{name}{{{target},operation=\"{}\"}} {value}", column.name);
        }
    }
}

fn own(out: &mut String, sample: &Sample, run: &MonitorRun) {
    let mut put = |name: &str, help: &str, value: f64| {
        heading(out, name, help);
        let _ = writeln!(out, "{name} {value}");
    };
    put("marigraph_monitor_samples_total", "Samples written.", run.samples as f64);
    put("marigraph_monitor_unwritten_total", "Samples that could not be written.", run.unwritten as f64);
    put("marigraph_monitor_gaps_total", "Gaps: time spans that were not observed.", run.gap_count as f64);
    put("marigraph_monitor_bytes_total", "Bytes written to the file.", run.bytes as f64);
    put(
        "marigraph_monitor_sample_timestamp_seconds",
        "Time of the newest sample, in seconds since 1970.",
        sample.wall_us as f64 / 1e6,
    );
}

fn counts(sample: &Sample) -> [(TargetKind, usize); 4] {
    TargetKind::ALL.map(|kind| (kind, sample.observed.iter().filter(|row| row.target.kind == kind).count()))
}

pub fn json(output: &str, sample: &Sample, run: &MonitorRun) -> String {
    let of_1970 = |us: i64| tidy(us as f64 / 1e6);
    let gap = |gap: &Gap| json!({ "from": of_1970(gap.from_us), "to": of_1970(gap.to_us), "cause": gap.cause.name() });
    let named = sample.observed.iter().filter(|row| row.target.kind != TargetKind::Job);
    let jobs = counts(sample).into_iter().find(|(kind, _)| *kind == TargetKind::Job);
    json!({
        "output": output,
        "samples": run.samples,
        "unwritten": run.unwritten,
        "seconds": tidy(run.seconds()),
        "bytes": run.bytes,
        "devices": named
            .map(|row| json!({ "name": row.target.name, "kind": row.target.kind.name() }))
            .collect::<Vec<_>>(),
        "jobs": jobs.map_or(0, |(_, jobs)| jobs),
        "gap_count": run.gap_count,
        "gaps": run.gaps.iter().map(gap).collect::<Vec<_>>(),
    })
    .to_string()
}

pub fn text(output: &str, sample: &Sample, run: &MonitorRun) -> String {
    let mut out = format!("file      {output}, {} written\n", bytes(run.bytes as f64));
    let _ = writeln!(out, "samples   {} in {}", count(run.samples), seconds(run.seconds()));
    let kinds = counts(sample).into_iter().filter(|(_, number)| *number > 0);
    let kinds: Vec<String> =
        kinds.map(|(kind, number)| format!("{} {}", count(number as u64), kind.name())).collect();
    let _ =
        writeln!(out, "targets   {}", if kinds.is_empty() { "none".to_string() } else { kinds.join(", ") });
    if run.unwritten > 0 {
        let _ = writeln!(out, "unwritten {}", count(run.unwritten));
    }
    let _ = writeln!(out, "gaps      {}", count(run.gap_count));
    for gap in &run.gaps {
        let length = gap.to_us.saturating_sub(gap.from_us) as f64 / 1e6;
        let from = moment(gap.from_us.div_euclid(1_000_000));
        let _ = writeln!(out, "          {from} UTC  {}  {}", seconds(length), gap.cause.name());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_model::{GapCause, Target};

    fn sample() -> Sample {
        let row = |id: u64, kind: TargetKind, name: &str| Observed {
            id,
            target: Target { kind, name: name.to_string() },
            values: (1..=kind.columns().len() as u64).collect(),
        };
        let observed = vec![
            row(0, TargetKind::Disk, "sdb"),
            row(1, TargetKind::Ost, "fs-OST0000"),
            row(2, TargetKind::Mdt, "fs-MDT0000"),
            row(3, TargetKind::Job, "fs-OST0000/a \"b\""),
        ];
        Sample { wall_us: 1_700_000_000_500_000, steady_us: 1, observed }
    }

    fn run() -> MonitorRun {
        let mut run =
            MonitorRun { samples: 2, bytes: 300, span_us: Some((0, 2_000_000)), ..MonitorRun::default() };
        run.note(Gap { from_us: 0, to_us: 1_500_000, cause: GapCause::Late });
        run
    }

    #[test]
    fn metrics_have_the_names_of_node_exporter() {
        let text = metrics(&sample(), &run());
        for line in [
            "# TYPE node_disk_read_bytes_total counter\nnode_disk_read_bytes_total{device=\"sdb\"} 1024\n",
            "# TYPE node_disk_io_now gauge\nnode_disk_io_now{device=\"sdb\"} 7\n",
            "node_disk_write_time_seconds_total{device=\"sdb\"} 0.006\n",
            "marigraph_monitor_ost_write_bytes_total{target=\"fs-OST0000\"} 4\n",
            "marigraph_monitor_mdt_requests_total{target=\"fs-MDT0000\",operation=\"sync\"} 14\n",
            "marigraph_monitor_job_read_bytes_total{target=\"fs-OST0000\",job=\"a \\\"b\\\"\"} 2\n",
            "marigraph_monitor_sample_timestamp_seconds 1700000000.5\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert_eq!(DISK.len(), TargetKind::Disk.columns().len());
        assert_eq!(OST.len(), TargetKind::Ost.columns().len());
        assert_eq!(JOB.len(), TargetKind::Job.columns().len());
        assert!(!metrics(&Sample::default(), &run()).contains("node_disk"));
    }

    #[test]
    fn a_run_as_json_and_text() {
        assert_eq!(
            json("log", &Sample { observed: sample().observed[..1].to_vec(), ..sample() }, &run()),
            "{\"output\":\"log\",\"samples\":2,\"unwritten\":0,\"seconds\":2.0,\"bytes\":300,\
             \"devices\":[{\"name\":\"sdb\",\"kind\":\"disk\"}],\"jobs\":0,\"gap_count\":1,\
             \"gaps\":[{\"from\":0.0,\"to\":1.5,\"cause\":\"late\"}]}"
        );
        let text = text("log", &sample(), &run());
        assert!(text.contains("targets   1 disk, 1 ost, 1 mdt, 1 job\n"), "{text}");
        assert!(text.ends_with("gaps      1\n          1970-01-01 00:00:00 UTC  1.50 s  late\n"), "{text}");
    }
}

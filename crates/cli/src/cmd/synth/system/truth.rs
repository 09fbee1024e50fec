//! The parameters of a system, in the structure of `marigraph study --json`.

use std::collections::BTreeMap;

use marigraph_analysis::synth::system::{
    ContentsTruth, DAY, HoldingTruth, IDLE_ROWS, JobTruth, MEANS, Minutes, ProjectTruth, SizeBin, System,
    quartiles,
};
use serde_json::{Map, Value, json};

pub fn truth(made: &System) -> Value {
    let jobs = &made.truth;
    let mut all = Map::new();
    let batch_jobs: u64 = jobs.projects.iter().map(|project| project.jobs[1]).sum();
    all.insert(
        "study".to_string(),
        json!({
            "runs": jobs.runs,
            "batch_jobs": batch_jobs,
            "matched_runs": jobs.runs - jobs.strangers,
            "unmatched_runs": jobs.strangers,
        }),
    );
    all.extend(applications(jobs));
    all.extend(devices(&made.minutes));
    all.extend(contents(&made.contents));
    Value::Object(all)
}

fn applications(jobs: &JobTruth) -> Vec<(String, Value)> {
    let named = |name: &str, value: Value| (name.to_string(), value);
    let large: Vec<&ProjectTruth> =
        jobs.projects.iter().filter(|project| !project.large.speeds.is_empty()).collect();
    let top = jobs.projects.iter().take(10).map(|project| {
        json!({ "project": project.name, "bytes_read": project.bytes[0], "bytes_written": project.bytes[1] })
    });
    vec![
        named("Fig 2", json!({ "bins": jobs.bins.iter().map(interfaces).collect::<Vec<_>>() })),
        named("Fig 3", json!({ "bins": jobs.bins.iter().map(strategies).collect::<Vec<_>>() })),
        named("Fig 4", json!({ "projects": top.collect::<Vec<_>>() })),
        named("Table II", coverage(jobs)),
        named("Fig 5", json!({ "zero_file_runs": jobs.without_files })),
        named(
            "Fig 10",
            json!({ "projects": large.iter().map(|project| accesses(project)).collect::<Vec<_>>() }),
        ),
        named(
            "Fig 11",
            json!({ "projects": large.iter().map(|project| box_plot(project)).collect::<Vec<_>>() }),
        ),
        named(
            "Table V",
            json!({ "rows": large.iter().map(|project| characteristics(project)).collect::<Vec<_>>() }),
        ),
        named("Table VII", by_nodes(&large)),
    ]
}

fn shares<'a>(parts: impl Iterator<Item = (&'a &'static str, u64)>, whole: u64) -> Value {
    let parts = parts.filter(|(_, part)| *part > 0);
    parts
        .map(|(name, part)| (name.to_string(), json!(part as f64 / whole as f64)))
        .collect::<Map<_, _>>()
        .into()
}

fn direction<'a>(
    parts: &'a BTreeMap<&'static str, [u64; 2]>,
    at: usize,
) -> impl Iterator<Item = (&'a &'static str, u64)> {
    parts.iter().map(move |(name, bytes)| (name, bytes[at]))
}

fn interfaces(bin: &SizeBin) -> Value {
    by_size(bin, "runs_using", &bin.using, &bin.through)
}

fn strategies(bin: &SizeBin) -> Value {
    by_size(bin, "runs_by", &bin.strategies, &bin.classes)
}

fn by_size(
    bin: &SizeBin,
    word: &str,
    runs: &BTreeMap<&'static str, u64>,
    bytes: &BTreeMap<&'static str, [u64; 2]>,
) -> Value {
    json!({
        "low": bin.low,
        "high": bin.high,
        "runs": bin.runs,
        (word): shares(runs.iter().map(|(name, runs)| (name, *runs)), bin.runs),
        "bytes_read": bin.bytes[0],
        "bytes_written": bin.bytes[1],
        "read_share": shares(direction(bytes, 0), bin.bytes[0]),
        "written_share": shares(direction(bytes, 1), bin.bytes[1]),
    })
}

fn coverage(jobs: &JobTruth) -> Value {
    let row = |project: &ProjectTruth| {
        json!({
            "project": project.name,
            "jobs_instrumented": project.jobs[0],
            "jobs": project.jobs[1],
            "core_hours_instrumented": project.core_hours[0],
            "core_hours": project.core_hours[1],
            "apis": project.apis,
        })
    };
    let all = &jobs.projects;
    let jobs = [0, 1].map(|at| all.iter().map(|project| project.jobs[at]).sum::<u64>());
    let hours = [0, 1].map(|at| all.iter().map(|project| project.core_hours[at]).sum::<f64>());
    json!({
        // Projects without bytes have no meaningful order.
        "rows": all.iter().filter(|project| project.bytes != [0, 0]).map(row).collect::<Vec<_>>(),
        "total": {
            "jobs_instrumented": jobs[0],
            "jobs": jobs[1],
            "core_hours_instrumented": hours[0],
            "core_hours": hours[1],
            "projects_instrumented": all.iter().filter(|project| project.jobs[0] > 0).count(),
            "projects": all.len(),
            "job_share": jobs[0] as f64 / jobs[1] as f64,
            "core_hour_share": hours[0] / hours[1],
        },
    })
}

fn accesses(project: &ProjectTruth) -> Value {
    let [read, write] = project.large.access;
    json!({ "project": project.name, "read": read, "write": write })
}

fn box_plot(project: &ProjectTruth) -> Value {
    let speeds = &project.large.speeds;
    let [min, q1, median, q3, max] = quartiles(speeds).unwrap_or_default();
    json!({ "project": project.name, "runs": speeds.len(), "min": min, "q1": q1, "median": median, "q3": q3, "max": max })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn characteristics(project: &ProjectTruth) -> Value {
    let speeds = &project.large.speeds;
    let mut row = Map::new();
    row.insert("project".to_string(), json!(project.name));
    row.insert("runs".to_string(), json!(speeds.len()));
    row.insert("mib_per_s_per_node".to_string(), json!(mean(speeds)));
    let known = MEANS.iter().zip(project.large.means).filter_map(|(name, value)| Some((name, value?)));
    row.extend(known.map(|(name, value)| (name.to_string(), json!(value))));
    Value::Object(row)
}

fn by_nodes(projects: &[&ProjectTruth]) -> Value {
    let sizes = |project: &ProjectTruth| {
        let mut sizes: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for (nodes, speed) in project.large.nodes.iter().zip(&project.large.speeds) {
            sizes.entry(*nodes).or_default().push(*speed);
        }
        sizes
    };
    // With a tie, the first project, which moves most bytes.
    let most = projects.iter().rev().max_by_key(|project| sizes(project).len());
    let rows = most.map_or_else(BTreeMap::new, |project| sizes(project)).into_iter().map(|(nodes, speeds)| {
        json!({ "nodes": nodes, "runs": speeds.len(), "mib_per_s_per_node": mean(&speeds) })
    });
    json!({ "project": most.map(|project| &project.name), "rows": rows.collect::<Vec<_>>() })
}

fn devices(minutes: &Minutes) -> Vec<(String, Value)> {
    let intervals = minutes.rates.len() as u64;
    let observed = intervals as f64 * 60.0;
    let (bytes, per_day) = (minutes.mean * observed, minutes.mean * DAY as f64);
    let read = minutes.read_share;
    let figure = json!({
        "interval_s": 60,
        "intervals": intervals,
        "observed_s": observed,
        "peak_read": minutes.peaks[0],
        "peak_write": minutes.peaks[1],
        "bytes_read": bytes * read,
        "bytes_written": bytes * (1.0 - read),
        "read_share": read,
        "bytes_read_per_day": per_day * read,
        "bytes_written_per_day": per_day * (1.0 - read),
        "gaps": [{ "from": minutes.gap.0, "to": minutes.gap.1 }],
    });
    let cumulative = json!({
        "intervals": intervals,
        "mean": minutes.mean,
        "peak": minutes.peaks[2],
        "share_below_third": 1.0 - minutes.high as f64 / intervals as f64,
    });
    [("Fig 6", figure), ("Fig 7", cumulative), ("Table III", idle(minutes, intervals))]
        .map(|(name, value)| (name.to_string(), value))
        .to_vec()
}

fn idle(minutes: &Minutes, intervals: u64) -> Value {
    let share = |part: u64| part as f64 / intervals as f64;
    let rows = minutes.idle.iter().zip(&IDLE_ROWS).map(|(&(count, spent), &(low, high, ..))| {
        let high = (high <= 60).then_some(high);
        json!({ "low": low, "high": high, "count": count, "minutes": spent, "share": share(spent) })
    });
    json!({
        "peak": minutes.peaks[2],
        "threshold": 0.05 * minutes.peaks[2],
        "observed_minutes": intervals,
        "rows": rows.collect::<Vec<_>>(),
        "idle_share": share(minutes.idle.iter().map(|(_, spent)| spent).sum()),
        "strict_idle_intervals": minutes.silent,
        "strict_idle_share": share(minutes.silent),
        "longest_minutes": minutes.longest,
    })
}

fn contents(truth: &ContentsTruth) -> Vec<(String, Value)> {
    let (files, without) = (truth.total.files[1], truth.total.files[1] - truth.one.files[1]);
    let share = |part: u64, whole: u64| part as f64 / whole as f64;
    let popular = |(low, count): (u64, u64)| json!({ "low": low, "high": low * 2, "count": count });
    let sizes = json!({
        "files": files,
        "bytes": truth.total.bytes[1],
        "largest": truth.largest,
        "most_popular": popular(truth.popular[0]),
        "share_below_1mib": share(truth.below[0], files),
        "share_below_2mib": share(truth.below[1], files),
        "share_below_128mib": share(truth.below[2], files),
        "without": {
            "project": truth.project,
            "files": without,
            "most_popular": popular(truth.popular[1]),
            "share_below_1mib": share(truth.below_without, without),
        },
    });
    let [in_32, in_64, modified] = truth.recent.map(|one| json!({ "files": one.files, "bytes": one.bytes }));
    let ages = json!({ "accessed_32_days": in_32, "accessed_64_days": in_64, "modified_64_days": modified });
    [("Fig 8", sizes), ("Table IV", growth(truth)), ("Fig 9", ages)]
        .map(|(name, value)| (name.to_string(), value))
        .to_vec()
}

fn growth(truth: &ContentsTruth) -> Value {
    let grown = |[before, after]: [u64; 2]| after as f64 - before as f64;
    let row = |name: &str, held: &HoldingTruth| {
        json!({
            "name": name,
            "bytes_before": held.bytes[0],
            "bytes_after": held.bytes[1],
            "bytes_change": grown(held.bytes) / held.bytes[0] as f64,
            "files_before": held.files[0],
            "files_after": held.files[1],
            "files_change": grown(held.files) / held.files[0] as f64,
            "share_of_new_files": grown(held.files) / grown(truth.total.files),
            "share_of_new_bytes": grown(held.bytes) / grown(truth.total.bytes),
        })
    };
    let [before, after] = truth.taken;
    let reached = |held: [u64; 2], limit: u64| {
        after as f64 + (limit as f64 - held[1] as f64) / grown(held) * (after - before) as f64
    };
    json!({
        "before": before,
        "after": after,
        "rows": [row("total", &truth.total), row(&truth.project, &truth.one)],
        "files_limit_at": reached(truth.total.files, truth.room.1),
        "bytes_limit_at": reached(truth.total.bytes, truth.room.0),
    })
}

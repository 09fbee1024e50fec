//! Numbers about storage devices.

use marigraph_analysis::minutes::MINUTE;
use marigraph_analysis::study::Study;
use serde_json::{Value, json};

use super::share;

const DAY_S: f64 = 86_400.0;

pub fn timeline(study: &Study) -> Value {
    let Some(timeline) = &study.timeline else { return Value::Null };
    let per_day = |bytes: f64| share(bytes * DAY_S, timeline.observed_s);
    let days = timeline.days.iter().map(|day| {
        json!({ "day": day.start_s, "bytes_read": day.read, "bytes_written": day.written, "observed_s": day.observed_s })
    });
    let series = timeline
        .points
        .iter()
        .map(|point| json!([point.start_s, point.read.0, point.read.1, point.written.0, point.written.1]));
    let gaps = timeline.gaps.iter().map(|(from, to)| json!({ "from": from, "to": to }));
    let annotations = timeline
        .annotations
        .iter()
        .map(|one| json!({ "from": one.from_s, "to": one.to_s, "text": one.text }));
    json!({
        "interval_s": MINUTE,
        "intervals": timeline.intervals,
        "observed_s": timeline.observed_s,
        "coverage": share(timeline.observed_s, timeline.span_s.1 - timeline.span_s.0),
        "peak_read": timeline.peak_read,
        "peak_write": timeline.peak_written,
        "bytes_read": timeline.read,
        "bytes_written": timeline.written,
        "read_share": share(timeline.read, timeline.read + timeline.written),
        "bytes_read_per_day": per_day(timeline.read),
        "bytes_written_per_day": per_day(timeline.written),
        "gaps": gaps.collect::<Vec<_>>(),
        "days": days.collect::<Vec<_>>(),
        "series_s": timeline.point_s,
        "series": series.collect::<Vec<_>>(),
        "annotations": annotations.collect::<Vec<_>>(),
    })
}

pub fn burstiness(study: &Study) -> Value {
    let Some(known) = &study.burstiness else { return Value::Null };
    json!({
        "intervals": known.intervals,
        "mean": known.mean,
        "peak": known.peak,
        "share_below_third": known.below_third,
        "cdf": known.cdf.iter().map(|(rate, share)| json!([rate, share])).collect::<Vec<_>>(),
    })
}

pub fn idle(study: &Study) -> Value {
    let Some(idle) = &study.idle else { return Value::Null };
    let of_all = |minutes: u64| share(minutes as f64, idle.observed as f64);
    let rows = idle.rows.iter().map(|row| {
        json!({ "low": row.low, "high": row.high, "count": row.count, "minutes": row.minutes, "share": of_all(row.minutes) })
    });
    json!({
        "peak": idle.peak,
        "threshold": idle.threshold,
        "observed_minutes": idle.observed,
        "rows": rows.collect::<Vec<_>>(),
        "idle_share": of_all(idle.rows.iter().map(|row| row.minutes).sum()),
        "strict_idle_intervals": idle.strict,
        "strict_idle_share": of_all(idle.strict),
        "longest_minutes": idle.longest,
    })
}

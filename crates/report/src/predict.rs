//! Predictions for a running job: the results behind `predict`, as lines and as metrics.

use std::fmt::Write as _;

use marigraph_analysis::online::{Interval, Prediction};
use serde_json::{Value, json};

use crate::units::{bytes, percent, seconds, tidy};

/// One prediction as JSON, without a newline.
pub fn json_line(prediction: &Prediction) -> String {
    let next = prediction.next;
    let interval = |interval: &Interval| {
        json!({
            "low_hz": figures(interval.low_hz),
            "high_hz": figures(interval.high_hz),
            "probability": tidy(interval.probability),
        })
    };
    json!({
        "t_s": tidy(prediction.t_s),
        "period_s": prediction.period_s.map(tidy),
        "confidence": tidy(prediction.confidence),
        "next_start_s": next.map(|next| tidy(next.start_s)),
        "next_interval_s": next.map(|next| [tidy(next.low_s), tidy(next.high_s)]),
        "intervals": prediction.intervals.iter().map(interval).collect::<Vec<Value>>(),
        "window_s": prediction.window_s.map(tidy),
        "bytes_per_period": prediction.bytes_per_period.map(f64::round),
        "change": prediction.change,
    })
    .to_string()
}

/// Rounds to nine significant digits: frequencies of long periods are small.
fn figures(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10_f64.powf(8.0 - value.abs().log10().floor());
    if scale.is_finite() { (value * scale).round() / scale } else { value }
}

pub fn heading() -> String {
    columns(["time", "period", "sure", "next phase", "earliest", "latest", "per phase", ""])
}

/// One prediction as a line of text. Future times are relative to now.
pub fn row(prediction: &Prediction) -> String {
    let ahead = |moment: f64| format!("in {}", seconds((moment - prediction.t_s).max(0.0)));
    let [next, low, high] = match prediction.next {
        Some(next) => [ahead(next.start_s), ahead(next.low_s), ahead(next.high_s)],
        None => [(); 3].map(|()| "-".to_string()),
    };
    let known = |text: Option<String>| text.unwrap_or_else(|| "-".to_string());
    columns([
        &seconds(prediction.t_s),
        &known(prediction.period_s.map(seconds)),
        &known(prediction.period_s.map(|_| percent(prediction.confidence))),
        &next,
        &low,
        &high,
        &known(prediction.bytes_per_period.map(bytes)),
        if prediction.change { "changed" } else { "" },
    ])
}

/// Lines are printed one by one, so widths are fixed; they nearly always suffice.
fn columns(cells: [&str; 8]) -> String {
    const WIDTHS: [usize; 8] = [13, 11, 7, 16, 16, 16, 10, 0];
    let padded = cells.iter().zip(WIDTHS).map(|(cell, width)| {
        let pad = width.saturating_sub(cell.chars().count());
        format!("{}{cell}", " ".repeat(pad))
    });
    padded.collect::<Vec<_>>().join("  ").trim_end().to_string()
}

/// The newest of `count` predictions, `changes` of which noticed a change, in Prometheus text
/// format. Unknown values are left out.
pub fn metrics(prediction: &Prediction, count: u64, changes: u64) -> String {
    let mut out = String::new();
    let mut put = |name: &str, kind: &str, help: &str, value: Option<f64>| {
        let Some(value) = value.filter(|value| value.is_finite()) else { return };
        // Writing into a text cannot fail.
        let _ = write!(
            out,
            "# HELP marigraph_{name} {help}\n# TYPE marigraph_{name} {kind}\nmarigraph_{name} {value}\n"
        );
    };
    let next = prediction.next;
    put(
        "trace_seconds",
        "gauge",
        "Time of the newest prediction, in seconds of trace time.",
        Some(prediction.t_s),
    );
    put("period_seconds", "gauge", "Seconds from one I/O phase to the next.", prediction.period_s);
    put("period_confidence", "gauge", "Probability that the period is right.", Some(prediction.confidence));
    put(
        "next_start_seconds",
        "gauge",
        "Start of the next I/O phase, in seconds of trace time.",
        next.map(|next| next.start_s),
    );
    put("next_earliest_seconds", "gauge", "Lower end of its 90 % interval.", next.map(|next| next.low_s));
    put("next_latest_seconds", "gauge", "Upper end of its 90 % interval.", next.map(|next| next.high_s));
    put("bytes_per_period", "gauge", "Bytes that a phase moves.", prediction.bytes_per_period);
    put("predictions_total", "counter", "Predictions so far.", Some(count as f64));
    put("changes_total", "counter", "Changes of behaviour so far.", Some(changes as f64));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_analysis::online::Next;

    fn prediction() -> Prediction {
        Prediction {
            t_s: 303.000_000_1,
            period_s: Some(30.0),
            confidence: 0.953,
            next: Some(Next { start_s: 330.0, low_s: 329.5, high_s: 331.0 }),
            intervals: vec![Interval { low_hz: 1.0 / 31.0, high_hz: 1.0 / 30.0, probability: 0.9 }],
            window_s: [210.0, 303.0],
            bytes_per_period: Some(1_073_741_824.2),
            change: false,
        }
    }

    #[test]
    fn json_has_the_names_of_the_contract() {
        assert_eq!(
            json_line(&prediction()),
            "{\"t_s\":303.0,\"period_s\":30.0,\"confidence\":0.953,\"next_start_s\":330.0,\
             \"next_interval_s\":[329.5,331.0],\"intervals\":[{\"low_hz\":0.0322580645,\
             \"high_hz\":0.0333333333,\"probability\":0.9}],\"window_s\":[210.0,303.0],\
             \"bytes_per_period\":1073741824.0,\"change\":false}"
        );
        assert_eq!(
            json_line(&Prediction::default()),
            "{\"t_s\":0.0,\"period_s\":null,\"confidence\":0.0,\"next_start_s\":null,\
             \"next_interval_s\":null,\"intervals\":[],\"window_s\":[0.0,0.0],\
             \"bytes_per_period\":null,\"change\":false}"
        );
    }

    #[test]
    fn people_get_columns() {
        let changed = Prediction { change: true, ..prediction() };
        let lines = [heading(), row(&Prediction::default()), row(&changed)].join("\n");
        let expected = "         time       period     sure        next phase          earliest            latest   per phase
          0 s            -        -                 -                 -                 -           -
    5 min 3 s       30.0 s   95.3 %         in 27.0 s         in 26.5 s         in 28.0 s    1.00 GiB  changed";
        assert_eq!(lines, expected);
    }

    #[test]
    fn metrics_leave_out_what_is_unknown() {
        let text = metrics(&prediction(), 12, 1);
        assert!(text.contains("# TYPE marigraph_period_seconds gauge\nmarigraph_period_seconds 30\n"));
        assert!(text.contains("\nmarigraph_next_latest_seconds 331\n"));
        assert!(text.ends_with("# TYPE marigraph_changes_total counter\nmarigraph_changes_total 1\n"));
        assert_eq!(text.matches("# HELP ").count(), 9);
        let empty = metrics(&Prediction::default(), 1, 0);
        assert!(!empty.contains("period_seconds") && !empty.contains("next_"));
        assert!(empty.contains("marigraph_period_confidence 0\n"));
    }
}

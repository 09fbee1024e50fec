//! The published method against answers of the independent `tests/interop/ftio_oracle.py`. Each
//! file of `testdata/period` holds a trace, its options and the expected result.
#![allow(clippy::expect_used, clippy::print_stderr)]

use std::path::Path;

use marigraph_analysis::period::{Extent, Finder, Finders, Outcome, Rules, Samples, dft};
use marigraph_model::{Direction, Event, FileId, Module, Nanos, Rank, Trace};
use serde_json::{Value, json};

/// Relative tolerance; numbers below it in magnitude may differ by its square.
const CLOSE: f64 = 1e-6;

fn trace(requests: &Value) -> Trace {
    let mut trace = Trace::default();
    for request in requests.as_array().expect("a list") {
        trace.events.push(Event {
            interface: Module::Posix,
            direction: if request[3] == "read" { Direction::Read } else { Direction::Write },
            rank: Rank(0),
            file: FileId(1),
            start: Nanos(request[0].as_i64().expect("nanoseconds")),
            end: Nanos(request[1].as_i64().expect("nanoseconds")),
            offset: None,
            bytes: request[2].as_u64().expect("bytes"),
            thread: None,
        });
    }
    trace
}

fn analyse(case: &Value) -> Outcome {
    let (trace, options) = (trace(&case["requests"]), &case["options"]);
    let wanted = |_: Module, op: Direction| match options["op"].as_str() {
        Some("read") => op == Direction::Read,
        Some("write") => op == Direction::Write,
        _ => true,
    };
    let mut extent = Extent::new(wanted);
    trace.stream(&mut extent);
    let (evidence, span) = extent.span().expect("some I/O");
    let edge = |at: usize| options["window"][at].as_f64().map(Nanos::from_job_seconds);
    let window = [edge(0).unwrap_or(span.first), edge(1).unwrap_or(span.last)];
    let sampling_hz = options["sampling"].as_f64().expect("a rate");
    let mut samples = Samples::new(evidence, window, sampling_hz, wanted);
    trace.stream(&mut samples);
    let named = options["outliers"].as_array().expect("finders").iter();
    let finder = |name: &Value| Finder::named(name.as_str().expect("a name")).expect("a finder");
    let rules = Rules {
        finders: named.fold(Finders::NONE, |all, name| all.and(finder(name))),
        tolerance: options["tolerance"].as_f64().expect("a tolerance"),
        autocorrelation: options["autocorrelation"] == true,
        as_ftio: options["as_ftio"] == true,
    };
    dft::follow(&samples.finish(), &rules)
}

fn fields(outcome: &Outcome) -> Value {
    let candidates: Vec<Value> = outcome
        .candidates
        .iter()
        .map(|one| json!({"period_s": one.period_s, "power": one.power, "z": one.z, "confidence": one.confidence}))
        .collect();
    let repeats = match outcome.autocorrelation {
        Some((period_s, confidence)) => json!({"period_s": period_s, "confidence": confidence}),
        None => json!({"period_s": null, "confidence": 0.0}),
    };
    json!({
        "period_s": outcome.period_s,
        "frequency_hz": outcome.period_s.map(|period| 1.0 / period),
        "confidence": outcome.confidence,
        "method": "dft",
        "candidates": candidates,
        "autocorrelation": repeats,
        "dft_confidence": outcome.dft_confidence,
        "refined_confidence": outcome.refined_confidence,
        "sigma_vol": outcome.metrics.sigma_vol,
        "sigma_time": outcome.metrics.sigma_time,
        "periodicity_score": outcome.metrics.periodicity_score,
        "r_io": outcome.metrics.r_io,
        "b_io": outcome.metrics.b_io,
        "bytes_per_period": outcome.metrics.bytes_per_period,
        "sampling_hz": outcome.sampling_hz,
        "samples": outcome.samples,
        "window_s": outcome.window_s,
        "abstraction_error": outcome.abstraction_error,
        "phases": outcome.phases.len(),
    })
}

fn differences(expected: &Value, found: &Value, path: &str, out: &mut Vec<String>) {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) if expected.len() == found.len() => {
            for (key, value) in expected {
                differences(value, found.get(key).unwrap_or(&Value::Null), &format!("{path}.{key}"), out);
            }
        }
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            for (at, (value, other)) in expected.iter().zip(found).enumerate() {
                differences(value, other, &format!("{path}[{at}]"), out);
            }
        }
        (Value::Number(one), Value::Number(other)) => {
            let (one, other) = (one.as_f64().expect("a number"), other.as_f64().expect("a number"));
            if (one - other).abs() > CLOSE * one.abs().max(other.abs()).max(CLOSE) {
                out.push(format!("{path}: {one} expected, {other} found"));
            }
        }
        _ if expected == found => {}
        _ => out.push(format!("{path}: {expected} expected, {found} found")),
    }
}

#[test]
fn every_field_is_as_the_oracle_has_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/period");
    let mut wrong = Vec::new();
    let mut cases = 0;
    for entry in std::fs::read_dir(folder).expect("testdata/period") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("text");
        let case: Value = serde_json::from_str(&text).expect("JSON");
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        differences(&case["expected"], &fields(&analyse(&case)), &name, &mut wrong);
        cases += 1;
    }
    assert!(cases >= 20, "only {cases} cases in testdata/period");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

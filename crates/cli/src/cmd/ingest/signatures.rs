//! What `marigraph signature --json` tells, as rows of `signatures`.

use marigraph_store::tables::SIGNATURES;
use marigraph_store::{Ingest, JobKey, Rows};
use serde_json::{Value, json};

use super::{Tables, remark};
use crate::error::Failure;
use crate::input::Input;

/// Points of a signature that are kept: more than a picture has room for.
const POINTS: usize = 500;

/// Whether the first line is a signature.
pub fn sniff(content: &[u8]) -> bool {
    let line = content.split(|&byte| byte == b'\n').next().unwrap_or(&[]);
    line.starts_with(b"{") && parse(line).is_some()
}

fn parse(line: &[u8]) -> Option<Value> {
    let document: Value = serde_json::from_slice(line).ok()?;
    let is_one = document["app"].is_string() && document["bursts"].is_array() && document["write"].is_array();
    is_one.then_some(document)
}

/// A row per line.
pub fn gather(input: &Input<'_>, ingest: &Ingest) -> Result<Option<Tables>, Failure> {
    let mut rows = Rows::new(&SIGNATURES);
    let mut bad = 0_u64;
    let lines = input.content.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    for line in lines {
        let Some(document) = parse(line) else {
            bad += 1;
            continue;
        };
        let key = JobKey::of(line);
        if ingest.claim(key) {
            add(&mut rows, &key.to_string(), &document, input.name);
        }
    }
    if bad > 0 {
        remark(input, &format!("{bad} lines are no signatures and are left out"));
    }
    Ok((!rows.is_empty()).then(|| vec![(&SIGNATURES, rows)]))
}

fn add(rows: &mut Rows, key: &str, document: &Value, source: &str) {
    let rates = |name: &str| -> Vec<f64> {
        document[name].as_array().map_or_else(Vec::new, |all| all.iter().filter_map(Value::as_f64).collect())
    };
    let interval = document["interval_s"].as_f64().unwrap_or(1.0);
    let (read, written) = (rates("read"), rates("write"));
    let bytes = |rates: &[f64]| rates.iter().sum::<f64>() * interval;
    // Both with the same step.
    let width = read.len().max(written.len()).div_ceil(POINTS).max(1);
    let thinned = |rates: &[f64]| {
        let mean = |values: &[f64]| (values.iter().sum::<f64>() / values.len() as f64).round();
        json!(rates.chunks(width).map(mean).collect::<Vec<f64>>()).to_string()
    };
    rows.push(&[
        key.into(),
        document["app"].as_str().into(),
        document["user"].as_str().into(),
        document["nodes"].as_u64().into(),
        document["partition"].as_str().into(),
        document["samples"].as_u64().into(),
        document["duration_s"].as_f64().into(),
        bytes(&read).into(),
        bytes(&written).into(),
        document["bursts"].as_array().map(|bursts| bursts.len() as u64).into(),
        document["period_s"].as_f64().into(),
        document["confidence"].as_f64().into(),
        (interval * width as f64).into(),
        thinned(&read).as_str().into(),
        thinned(&written).as_str().into(),
        source.into(),
    ]);
}

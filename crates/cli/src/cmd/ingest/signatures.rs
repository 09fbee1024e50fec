//! The output of `marigraph signature --json` as rows of `signatures`.

use marigraph_store::tables::SignatureRow;
use marigraph_store::{Ingest, JobKey, Rows};
use serde_json::{Value, json};

use super::remark;
use crate::error::Failure;
use crate::input::Input;

/// Maximum number of points kept per signature, more than a picture can show.
const POINTS: usize = 500;

pub fn sniff(content: &[u8]) -> bool {
    let line = content.split(|&byte| byte == b'\n').next().unwrap_or(&[]);
    line.starts_with(b"{") && parse(line).is_some()
}

fn parse(line: &[u8]) -> Option<Value> {
    let document: Value = serde_json::from_slice(line).ok()?;
    let is_one = document["app"].is_string() && document["bursts"].is_array() && document["write"].is_array();
    is_one.then_some(document)
}

pub fn gather(input: &Input<'_>, ingest: &Ingest) -> Result<Option<Rows>, Failure> {
    let mut rows = Rows::default();
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
        remark(input, &format!("{bad} lines are not signatures and are left out"));
    }
    Ok((!rows.is_empty()).then_some(rows))
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
    rows.push(SignatureRow {
        row_key: key,
        app: document["app"].as_str(),
        user: document["user"].as_str(),
        nodes: document["nodes"].as_u64(),
        storage: document["partition"].as_str(),
        runs: document["samples"].as_u64(),
        duration_s: document["duration_s"].as_f64(),
        bytes_read: Some(bytes(&read)),
        bytes_written: Some(bytes(&written)),
        bursts: document["bursts"].as_array().map(|bursts| bursts.len() as u64),
        period_s: document["period_s"].as_f64(),
        confidence: document["confidence"].as_f64(),
        step_s: Some(interval * width as f64),
        read_rates: &thinned(&read),
        write_rates: &thinned(&written),
        source,
    });
}

//! Scaling of an application with nodes, for `signature`.

use marigraph_analysis::signature::{Scales, Scaling};
use serde_json::{Value, json};

use crate::table::{Align, Table};
use crate::units;

pub fn json(scaling: &Scaling) -> Value {
    let points = scaling.points.iter().map(|point| {
        json!({
            "nodes": point.nodes,
            "runs": point.runs,
            "bytes": point.bytes.round(),
            "burst_s": units::tidy(point.burst_s),
            "peak": point.peak.round(),
        })
    });
    json!({
        "scales": name(scaling.scales),
        "points": points.collect::<Vec<_>>(),
        "exponents": {
            "bytes": units::tidy(scaling.bytes),
            "burst_s": units::tidy(scaling.burst_s),
            "peak": units::tidy(scaling.peak),
        },
    })
}

fn name(scales: Scales) -> &'static str {
    match scales {
        Scales::Weak => "weak",
        Scales::Strong => "strong",
        Scales::Neither => "neither",
    }
}

pub fn told(scaling: &Scaling) -> String {
    let volume = match scaling.scales {
        Scales::Weak => "weak scaling: the volume grows with the nodes",
        Scales::Strong => "strong scaling: the volume does not depend on the nodes",
        Scales::Neither => "neither weak nor strong scaling",
    };
    format!(
        "{volume} (exponent of nodes {:.2}); exponent of burst length {:.2}, of peak {:.2}",
        scaling.bytes, scaling.burst_s, scaling.peak
    )
}

pub(crate) const HEADS: [&str; 5] = ["nodes", "runs", "bytes in bursts", "length of a burst", "peak"];

pub(crate) fn rows(scaling: &Scaling) -> Vec<Vec<String>> {
    let row = |point: &marigraph_analysis::signature::Point| {
        vec![
            units::count(point.nodes),
            units::count(point.runs as u64),
            units::bytes(point.bytes),
            units::seconds(point.burst_s),
            units::rate(point.peak),
        ]
    };
    scaling.points.iter().map(row).collect()
}

pub fn text(scaling: &Scaling, width: usize) -> String {
    let mut table = Table::new(&HEADS.map(|head| (head, Align::Right)));
    for row in rows(scaling) {
        table.row(row);
    }
    format!("\n{} of {}: {}\n{}", scaling.app, scaling.user, told(scaling), table.render(width))
}

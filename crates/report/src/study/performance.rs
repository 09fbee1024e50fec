//! Numbers of the study of projects.

use marigraph_analysis::study::Study;
use serde_json::{Value, json};

pub fn sizes(study: &Study) -> Value {
    let projects =
        study.performance.sizes.iter().map(
            |project| json!({ "project": project.project, "read": project.read, "write": project.write }),
        );
    json!({ "runs": study.performance.runs, "projects": projects.collect::<Vec<_>>() })
}

pub fn boxes(study: &Study) -> Value {
    let projects = study.performance.boxes.iter().map(|one| {
        let five = one.five;
        json!({
            "project": one.project,
            "runs": one.runs,
            "min": five.min,
            "q1": five.q1,
            "median": five.median,
            "q3": five.q3,
            "max": five.max,
        })
    });
    let beyond = study.performance.beyond.iter().map(
        |(job, project, value)| json!({ "job_id": job, "project": project, "mib_per_s_per_node": value }),
    );
    json!({
        "quartiles": "linear interpolation (type 7)",
        "projects": projects.collect::<Vec<_>>(),
        "above_limit": beyond.collect::<Vec<_>>(),
    })
}

pub fn characteristics(study: &Study) -> Value {
    let rows = study.performance.characteristics.iter().map(|row| {
        json!({
            "project": row.project,
            "runs": row.runs,
            "mib_per_s_per_node": row.per_node,
            "metadata_share": row.metadata_share,
            "files_per_process": row.files_per_process,
            "files_written_per_process": row.written_per_process,
            "creates_per_process": row.made_per_process,
            "sequential_share": row.sequential,
            "aligned_share": row.aligned,
            "mib_per_process": row.mib_per_process,
            "io_share_of_runtime": row.io_share,
        })
    });
    json!({ "rows": rows.collect::<Vec<_>>() })
}

pub fn by_run(study: &Study) -> Value {
    let Some((project, runs)) = &study.performance.by_run else { return Value::Null };
    let rows = runs.iter().map(|run| {
        json!({
            "job_id": run.job_id,
            "exe": run.exe,
            "processes": run.processes,
            "mib_per_s_per_node": run.per_node,
            "metadata_share": run.metadata_share,
            "common_access_bytes": run.common_access,
        })
    });
    json!({ "project": project, "rows": rows.collect::<Vec<_>>() })
}

pub fn by_nodes(study: &Study) -> Value {
    let Some((project, sizes)) = &study.performance.by_nodes else { return Value::Null };
    let rows = sizes.iter().map(|row| {
        json!({
            "nodes": row.nodes,
            "runs": row.runs,
            "mib_per_s_per_node": row.per_node,
            "mib_per_process": row.mib_per_process,
        })
    });
    json!({ "project": project, "rows": rows.collect::<Vec<_>>() })
}

//! The scheduler's log.

use std::fmt::Write as _;

use marigraph_analysis::synth::system::{BatchRow, project_name};

use super::super::sacct::{elapsed, moment};

/// In the format of `sacct -P`.
pub fn sacct(rows: &[BatchRow]) -> String {
    let mut text = "JobID|JobIDRaw|JobName|User|Account|Partition|State|ExitCode|Submit|Start|End|Elapsed|ElapsedRaw|NNodes|AllocCPUS|NTasks\n".to_string();
    for row in rows {
        let account = project_name(row.project);
        let id = match row.array {
            Some((array, task)) => format!("{array}_{task}"),
            None if row.state == "PENDING" => format!("{}_[5-9]", row.id),
            None => row.id.to_string(),
        };
        let seconds = row.start.zip(row.end).map_or(0, |(start, end)| (end - start).unsigned_abs());
        let times = format!(
            "{}|{}|{}|{}|{seconds}",
            moment(row.submit),
            row.start.map_or_else(|| "Unknown".to_string(), moment),
            row.end.map_or_else(|| "Unknown".to_string(), moment),
            elapsed(seconds)
        );
        let code = if row.state == "FAILED" { "1:0" } else { "0:0" };
        let (nodes, cpus, state) = (counted(row.nodes), row.cpus(), row.state);
        let name = account.to_lowercase();
        // Writing into a string cannot fail.
        let _ = writeln!(
            text,
            "{id}|{}|{name}|{}|{account}|prod|{state}|{code}|{times}|{nodes}|{cpus}|",
            row.id, row.user
        );
        if row.steps {
            for (step, nodes, cpus, tasks) in
                [("batch", "1", 4, 1), ("extern", &nodes[..], cpus, row.nodes), ("0", &nodes[..], cpus, cpus)]
            {
                let _ = writeln!(
                    text,
                    "{id}.{step}|{}.{step}|{step}||{account}||{state}|{code}|{times}|{nodes}|{cpus}|{tasks}",
                    row.id
                );
            }
        }
    }
    text
}

/// Slurm writes 2048 nodes as 2K.
fn counted(nodes: u32) -> String {
    if nodes >= 1024 && nodes.is_multiple_of(1024) { format!("{}K", nodes / 1024) } else { nodes.to_string() }
}

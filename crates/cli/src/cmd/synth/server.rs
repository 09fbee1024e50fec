//! `marigraph synth server`: logs of servers and a scheduler for applications with known
//! signatures.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;

use marigraph_analysis::synth::server::{
    CAPACITY, Chosen, EPOCH, Kind, Known, Law, Server, ServerPlan, SyntheticRun, server,
};
use marigraph_model::BatchJob;
use serde_json::{Value, json};

use super::sacct::{elapsed, moment};
use crate::args::SynthServerArgs;
use crate::error::Failure;
use crate::output::{self, AtomicFile};

/// Gaps in a log of drawn applications; those of the study were always without.
const GAPS: u16 = 3;

pub fn run(args: &SynthServerArgs) -> Result<(), Failure> {
    let applications = chosen(&args.kind);
    let usual_gaps = if applications == Chosen::Paper { 0 } else { GAPS };
    let plan = ServerPlan {
        seed: args.seed,
        applications,
        law: Law::ALL.into_iter().find(|law| law.name() == args.law),
        days: args.days,
        runs: args.runs.into(),
        restarts: args.restarts.into(),
        noise: args.noise,
        jitter: args.jitter,
        contention: args.contention,
        gaps: args.gaps.unwrap_or(usual_gaps).into(),
        interval_s: args.interval.into(),
    };
    let made = server(&plan);
    let failed = |error| Failure::write(&args.output.display().to_string(), error);
    fs::create_dir_all(&args.output).map_err(failed)?;
    let path = args.output.join("throughput.csv");
    let mut log = AtomicFile::create(&path)?;
    let unwritten = |error| Failure::write(&path.display().to_string(), error);
    writeln!(log, "timestamp,write_bytes_per_s,read_bytes_per_s").map_err(unwritten)?;
    for line in &made.lines {
        writeln!(log, "{},{},{}", line.time, line.write, line.read).map_err(unwritten)?;
    }
    log.finish()?;
    output::write_file(&args.output.join("jobs.sacct"), sacct(&made.jobs).as_bytes())?;
    output::write_file(&args.output.join("truth.json"), format!("{}\n", truth(&plan, &made)).as_bytes())
}

fn chosen(name: &str) -> Chosen {
    let drawn = Kind::ALL.into_iter().find(|kind| kind.name() == name).map(Chosen::Only);
    drawn.unwrap_or(if name == "paper" { Chosen::Paper } else { Chosen::Mixed })
}

/// In the format of `sacct -P`, with one step per job.
fn sacct(jobs: &[BatchJob]) -> String {
    let mut text = "JobID|JobName|User|Account|Partition|State|ExitCode|Submit|Start|End|Elapsed|ElapsedRaw|NNodes|NCPUS|NTasks\n".to_string();
    for job in jobs {
        let (start, end) = (job.start.unwrap_or(0.0), job.end.unwrap_or(0.0));
        let (nodes, processes) = (job.nodes.unwrap_or(1), job.processes.unwrap_or(1));
        let seconds = (end - start) as u64;
        let elapsed = format!("{}|{seconds}", elapsed(seconds));
        let times = format!(
            "{}|{}|{}",
            moment(job.submit.unwrap_or(start) as i64),
            moment(start as i64),
            moment(end as i64)
        );
        // Writing into a string cannot fail.
        let _ = writeln!(
            text,
            "{id}|{}|{}|{account}|{}|{state}|0:0|{times}|{elapsed}|{nodes}|{processes}|\n\
             {id}.batch|batch||{account}||{state}|0:0|{times}|{elapsed}|1|16|1",
            job.name,
            job.user,
            job.partition,
            id = job.id,
            account = job.account,
            state = job.state
        );
    }
    text
}

fn truth(plan: &ServerPlan, made: &Server) -> Value {
    let applications: serde_json::Map<String, Value> =
        made.applications.iter().map(|known| (known.application.key.clone(), described(known))).collect();
    json!({
        "seed": plan.seed,
        "days": plan.days,
        "noise": plan.noise,
        "jitter": plan.jitter,
        "contention": plan.contention,
        "epoch": EPOCH,
        "capacity": CAPACITY,
        "apps": applications,
    })
}

fn described(Known { application, tempo, kind, law, runs }: &Known) -> Value {
    let mut read = application.read.clone();
    read.resize(application.write.len(), 0.0);
    let bursts = application.bursts.iter();
    json!({
        "user": application.user,
        "job": application.job,
        "nodes": application.nodes,
        "kind": kind.map_or("paper", Kind::name),
        "law": law.name(),
        "tempo": tempo.name(),
        "dt": 1,
        "write_bytes_per_s": application.write,
        "read_bytes_per_s": read,
        "bursts": bursts.map(|burst| json!({ "start_s": burst.start_s, "duration_s": burst.duration_s, "bytes": burst.bytes })).collect::<Vec<_>>(),
        "runs": runs.iter().map(run_json).collect::<Vec<_>>(),
    })
}

fn run_json(run: &SyntheticRun) -> Value {
    let bursts = run.bursts.iter();
    json!({
        "jobid": run.job.to_string(),
        "kind": if run.restart { "restart" } else { "normal" },
        "start": run.start,
        "end": run.end,
        "bursts": bursts.map(|burst| json!({ "t_start": burst.start, "t_end": burst.end, "bytes": burst.bytes })).collect::<Vec<_>>(),
    })
}

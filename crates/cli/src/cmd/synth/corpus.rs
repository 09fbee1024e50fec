//! `marigraph synth corpus`: a folder of synthetic logs with known categories.

use std::fs;
use std::io::Write;
use std::path::Path;

use marigraph_analysis::synth::corpus::truth::{Direction, Doubt, Verdict};
use marigraph_analysis::synth::{CorpusLog, CorpusPlan, LogTruth, corpus_log};
use marigraph_formats::darshan;
use serde_json::{Value, json};

use crate::args::SynthCorpusArgs;
use crate::error::Failure;
use crate::output::{self, AtomicFile};
use crate::parallel;
use crate::progress::Progress;

/// Maximum number of logs per folder: few enough for any file system.
const IN_FOLDER: u64 = 1000;
const BATCH: u64 = 1024;

pub fn run(args: &SynthCorpusArgs) -> Result<(), Failure> {
    let plan = CorpusPlan {
        seed: args.seed,
        logs: args.logs,
        corrupt: args.corrupt,
        records_only: args.evidence == "records",
    };
    start(&args.made.output, args.logs)?;
    let path = args.made.output.join("truth.jsonl");
    let mut truth = AtomicFile::create(&path)?;
    let mut progress = Progress::new(args.logs, args.made.quiet);
    for first in (0..args.logs).step_by(BATCH as usize) {
        let batch: Vec<u64> = (first..args.logs.min(first + BATCH)).collect();
        let mut done = |_| progress.add(1);
        let work = |number: &u64| make(&plan, *number, &args.made.output);
        for line in parallel::map(&batch, parallel::threads(args.made.threads), &mut done, &work) {
            truth
                .write_all(line?.as_bytes())
                .map_err(|error| Failure::write(&path.display().to_string(), error))?;
        }
    }
    truth.finish()
}

fn start(folder: &Path, logs: u64) -> Result<(), Failure> {
    super::start(folder)?;
    for number in 0..logs.div_ceil(IN_FOLDER) {
        let part = folder.join(format!("{number:05}"));
        fs::create_dir_all(&part).map_err(|error| Failure::write(&part.display().to_string(), error))?;
    }
    Ok(())
}

fn make(plan: &CorpusPlan, number: u64, folder: &Path) -> Result<String, Failure> {
    let CorpusLog { trace, truth } = corpus_log(plan, number);
    let (mut log, _) = darshan::write(&trace);
    if let Some(corruption) = truth.corruption {
        corruption.spoil_bytes(&mut log, truth.seed);
    }
    let name = format!("{:05}/{number:08}.darshan", number / IN_FOLDER);
    output::write_file(&folder.join(&name), &log)?;
    Ok(format!("{}\n", described(&name, &truth)))
}

fn described(log: &str, truth: &LogTruth) -> Value {
    let [reading, writing, edge] = truth.kind;
    json!({
        "log": log,
        "seed": truth.seed,
        "kind": format!("{reading}/{writing}"),
        "load": truth.load,
        "drawn_near": edge,
        "evidence": truth.evidence,
        "valid": truth.corruption.is_none_or(|corruption| corruption.is_kept()),
        "corruption": truth.corruption.map(|corruption| corruption.name()),
        "happened": truth.happened.labels,
        "shown": truth.shown.labels,
        "near_threshold": !(truth.happened.doubts.is_empty() && truth.shown.doubts.is_empty()),
        "clear": truth.is_clear(),
        "doubts": { "happened": doubts(&truth.happened), "shown": doubts(&truth.shown) },
        "group": { "user": truth.user, "exe": truth.exe },
        "values": { "happened": values(&truth.happened), "shown": values(&truth.shown) },
    })
}

fn doubts(verdict: &Verdict) -> Value {
    let each =
        |doubt: &Doubt| json!({ "label": doubt.label, "threshold": doubt.threshold, "moved": doubt.moved });
    verdict.doubts.iter().map(each).collect()
}

fn values(verdict: &Verdict) -> Value {
    let direction = |direction: &Direction| {
        let periodic = direction.periodic.iter().map(|rhythm| {
            json!({ "period_s": rhythm.period_s, "count": rhythm.count, "bytes": rhythm.bytes, "busy": rhythm.busy })
        });
        json!({
            "bytes": direction.bytes,
            "chunks": direction.chunks,
            "periodic": periodic.collect::<Vec<Value>>(),
        })
    };
    let requests = &verdict.metadata;
    json!({
        "read": direction(&verdict.read),
        "write": direction(&verdict.write),
        "metadata": {
            "requests": requests.total,
            "peak_per_s": requests.peak_per_s,
            "mean_per_s": requests.mean_per_s,
            "spikes": requests.spikes,
        },
    })
}

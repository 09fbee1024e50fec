//! `marigraph synth trace`: timed requests with known phases.

use std::io::{self, Write};

use marigraph_analysis::synth::{self, Request, TracePlan, TraceTruth};
use marigraph_formats::csv;
use marigraph_formats::tmio::{self, Moved};
use marigraph_model::{Direction, Event, Events, FileId, FileTable, Module, Nanos, Rank, Sink};
use serde_json::{Value, json};

use super::phases;
use crate::args::SynthTraceArgs;
use crate::error::Failure;
use crate::output::AtomicFile;

/// Maximum number of requests, which fit into the memory of a small machine.
const MAX_REQUESTS: f64 = 2e7;

pub fn run(args: &SynthTraceArgs) -> Result<(), Failure> {
    let ending = args.output.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    let is_table = ending == "csv";
    if !is_table && ending != "jsonl" {
        let name = args.output.display();
        let message =
            format!("{name}: cannot write {ending:?} files\nhint: use the extension .csv or .jsonl");
        return Err(Failure::Usage(message));
    }
    let plan = plan(args)?;
    let phases = phases::read(&args.phases)?;
    let longest = phases.iter().map(Vec::len).max().unwrap_or(0);
    if longest as f64 * f64::from(plan.iterations) > MAX_REQUESTS {
        return Err(too_many("choose fewer --iterations, or shorter phases"));
    }
    let (mut requests, truth) =
        if phases.is_empty() { synth::trace(&plan) } else { synth::recorded(&plan, &phases) };
    if args.no_ranks {
        requests.iter_mut().for_each(|request| request.rank = 0);
    }
    let mut out = AtomicFile::create(&args.output)?;
    let written = if is_table { table(&mut out, &requests) } else { flushes(&mut out, &requests, &truth) };
    written.map_err(|error| Failure::write(&args.output.display().to_string(), error))?;
    out.finish()?;
    let mut told = described(&plan, &requests, &truth);
    if !phases.is_empty() {
        told["kind"] = json!("recorded");
        told["phases"] = json!(args.phases);
    }
    super::write_truth(&args.output, &told)
}

fn plan(args: &SynthTraceArgs) -> Result<TracePlan, Failure> {
    let drawn = TracePlan::new(args.kind, args.seed);
    let plan = TracePlan {
        iterations: args.iterations.unwrap_or(drawn.iterations),
        ranks: args.ranks.unwrap_or(drawn.ranks),
        cpu_s: args.cpu.unwrap_or(drawn.cpu_s),
        cpu_sigma: args.sigma.unwrap_or(drawn.cpu_sigma),
        phi_s: args.phi.unwrap_or(drawn.phi_s),
        io_s: args.io.unwrap_or(drawn.io_s),
        rank_bytes: args.volume.unwrap_or(drawn.rank_bytes),
        request_bytes: args.request.unwrap_or(drawn.request_bytes),
        noise_bytes_per_s: args.noise.unwrap_or(drawn.noise_bytes_per_s),
        ..drawn
    };
    if !(1e-6..=1e6).contains(&plan.io_s) || plan.cpu_s > 1e6 || plan.phi_s > 1e6 {
        let message = "--io must lie between 0.000001 and 1000000 seconds, --cpu and --phi below that";
        return Err(Failure::Usage(message.to_string()));
    }
    if plan.requests() > MAX_REQUESTS {
        return Err(too_many("choose a larger --request, or fewer --ranks or --iterations"));
    }
    Ok(plan)
}

fn too_many(hint: &str) -> Failure {
    Failure::Usage(format!("a trace of more than 20 million requests does not fit into memory\nhint: {hint}"))
}

fn table(out: &mut dyn Write, requests: &[Request]) -> io::Result<()> {
    let mut files = FileTable::default();
    let [input, output] = ["/lus/project/input.h5", "/lus/project/run/output.h5"].map(|name| {
        let id = FileId::of_name(name.as_bytes());
        files.insert(id, name.as_bytes());
        id
    });
    let mut writer = csv::Writer::new(out, &files, Module::Posix);
    let mut block = Events::default();
    for requests in requests.chunks(Events::BLOCK) {
        block.clear();
        requests
            .iter()
            .for_each(|request| block.push(event(request, if request.write { output } else { input })));
        writer.events(&block);
    }
    writer.failure.map_or(Ok(()), Err)
}

/// TMIO's lines of an application that flushes after each iteration, and the rest at its end.
fn flushes(out: &mut dyn Write, requests: &[Request], truth: &TraceTruth) -> io::Result<()> {
    let flush_of = |request: &Request| truth.ends_s.partition_point(|&end_s| end_s < request.end_s);
    let mut by_flush: Vec<&Request> = requests.iter().collect();
    by_flush.sort_by_key(|request| flush_of(request));
    for flush in by_flush.chunk_by(|a, b| flush_of(a) == flush_of(b)) {
        let mut moved = Moved::default();
        for request in flush {
            let Event { rank, direction: op, start, end, bytes, .. } = event(request, FileId(0));
            moved.add(tmio::Request { rank, op, start, end, bytes });
        }
        out.write_all(moved.lines().as_bytes())?;
    }
    Ok(())
}

fn event(request: &Request, file: FileId) -> Event {
    Event {
        interface: Module::Posix,
        direction: if request.write { Direction::Write } else { Direction::Read },
        rank: Rank(request.rank),
        file,
        start: Nanos::from_job_seconds(request.start_s),
        end: Nanos::from_job_seconds(request.end_s),
        offset: None,
        bytes: request.bytes,
        thread: None,
    }
}

fn described(plan: &TracePlan, requests: &[Request], truth: &TraceTruth) -> Value {
    let segments = truth.segments.iter().map(
        |segment| json!({ "from_s": segment.from_s, "to_s": segment.to_s, "period_s": segment.period_s }),
    );
    json!({
        "kind": truth.kind.name(),
        "period_s": truth.period_s,
        "starts_s": truth.starts_s,
        "ends_s": truth.ends_s,
        "duration_s": truth.duration_s,
        "segments": segments.collect::<Vec<Value>>(),
        "activities_s": truth.activities,
        "first_iteration_end_s": truth.first_iteration_end_s,
        "last_iteration_start_s": truth.last_iteration_start_s,
        "requests": requests.len(),
        "bytes": requests.iter().map(|request| request.bytes).sum::<u64>(),
        "plan": {
            "seed": plan.seed,
            "iterations": plan.iterations,
            "ranks": plan.ranks,
            "cpu_s": plan.cpu_s,
            "cpu_sigma": plan.cpu_sigma,
            "phi_s": plan.phi_s,
            "io_s": plan.io_s,
            "rank_bytes": plan.rank_bytes,
            "request_bytes": plan.request_bytes,
            "noise_bytes_per_s": plan.noise_bytes_per_s,
        },
    })
}

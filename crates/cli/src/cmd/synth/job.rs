//! `marigraph synth job`: the log of a synthetic job.

use marigraph_analysis::count::complete_trace;
use marigraph_analysis::synth::{self, JobPlan, Made, Random};
use marigraph_formats::darshan;
use serde_json::json;

use crate::args::SynthJobArgs;
use crate::error::{Failure, complain};
use crate::output;

pub fn run(args: &SynthJobArgs) -> Result<(), Failure> {
    if !(args.interval.is_finite() && (1.0..=1e6).contains(&args.interval)) {
        return Err(Failure::Usage("--interval must lie between 1 and 1000000 seconds".to_string()));
    }
    if u64::from(args.ranks) * u64::from(args.checkpoints) > 500_000 {
        let message = "a job with more than 500,000 processes x checkpoints does not fit into memory";
        return Err(Failure::Usage(message.to_string()));
    }
    let Made { mut trace, untraced, truth } = synth::job(&JobPlan {
        seed: args.seed,
        ranks: args.ranks,
        checkpoints: args.checkpoints,
        interval_s: args.interval,
        result_files: args.files,
    });
    let mut random = Random::new(args.seed);
    complete_trace(&mut trace, &untraced, &mut |module, ints, floats| {
        synth::dress(module, &mut random, ints, floats)
    });
    let name = args.output.display().to_string();
    let (log, problems) = darshan::write(&trace);
    problems.iter().for_each(|problem| complain(&format!("warning: {name}: {}", problem.message)));
    output::write_file(&args.output, &log)?;
    let truth = json!({
        "read_bytes": truth.read_bytes,
        "write_bytes": truth.written_bytes,
        "reads": truth.reads,
        "writes": truth.writes,
        "files": truth.files,
        "period_s": truth.period_s,
    });
    super::write_truth(&args.output, &truth)
}

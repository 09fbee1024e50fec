//! `marigraph replay --emit c`: a trace as a stand-alone program.

use marigraph_analysis::emit::Builder;
use marigraph_analysis::replay::{Means, Plan, Planner};
use marigraph_formats::native::mari::Mari;
use marigraph_report::emit::{About, c};

use super::{LOOKED_AT, STREAMS, load, refused, survey, too_long};
use crate::args::ReplayArgs;
use crate::error::{self, Failure};
use crate::{input, output};

pub(super) fn run(args: &ReplayArgs) -> Result<(), Failure> {
    let bytes = input::load(&args.trace)?;
    let mari = Mari::read(&bytes)
        .map_err(|error| Failure::format(&args.trace.display().to_string(), &error.into()))?;
    let (totals, damage) = mari.totals();
    damage.map_or(Ok(()), |error| Err(refused(args, &error)))?;
    let calls = totals.calls;
    if calls > LOOKED_AT {
        let message = format!("the trace has {calls} calls; the limit is {LOOKED_AT}");
        return Err(too_long(args, message));
    }
    let plan = planned(args, &mari)?;
    let mut builder = Builder::default();
    for stream in mari.skeletons() {
        builder.add(stream.map_err(|error| refused(args, &error))?);
    }
    let program = builder.finish(&plan).map_err(|error| refused(args, &error))?;
    let left_out: u64 = program.left_out.values().sum();
    if left_out > 0 {
        let names: Vec<&str> = program.left_out.keys().copied().collect();
        error::complain(&format!("{left_out} calls are not in the program: {}", names.join(", ")));
    }
    let trace = args.trace.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = c(&program, &About { trace, command: mari.meta().command.clone() });
    match &args.output {
        Some(path) => output::write_file(path, text.as_bytes()),
        None => output::print(&text),
    }
}

/// What must exist before. The threads of a large trace are examined one after another instead of
/// in the order of times; then a file may be created in advance although a later rank creates it.
fn planned(args: &ReplayArgs, mari: &Mari<'_>) -> Result<Plan, Failure> {
    if mari.stream_count() <= STREAMS {
        let streams = load(args, mari, &|_| true)?;
        return Ok(survey::survey(&streams, Means::Mpi).map_err(|error| refused(args, &error))?.plan);
    }
    let mut planner = Planner::default();
    for (stream, process) in mari.streams().zip(0..) {
        let loaded = stream.load().map_err(|error| refused(args, &error))?;
        let looked = survey::look(&[loaded], Means::Mpi, &mut planner, process);
        looked.map_err(|error| refused(args, &error))?;
    }
    Ok(planner.finish())
}

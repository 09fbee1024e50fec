//! `marigraph convert`: between formats, and from many logs to one.

use std::path::Path;

use marigraph_analysis::combine;
use marigraph_analysis::profile::complete;
use marigraph_formats::darshan::{self, Log};
use marigraph_formats::{Limits, csv};
use marigraph_model::{Events, Module, Problem, Trace};

use crate::args::{ConvertArgs, InterfaceArg};
use crate::error::{Failure, complain};
use crate::output::{self, AtomicFile};
use crate::{input, many};

/// Converts logs.
pub fn run(args: &ConvertArgs) -> Result<(), Failure> {
    let ending = args.output.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    match ending {
        "darshan" => to_darshan(args),
        "csv" => to_csv(args),
        _ => Err(Failure::Usage(format!(
            "{}: cannot write the form {ending:?}\nhint: end the name in .darshan or .csv",
            args.output.display()
        ))),
    }
}

fn limits(args: &ConvertArgs) -> Limits {
    Limits { max_inflate: args.read.max_inflate }
}

fn to_darshan(args: &ConvertArgs) -> Result<(), Failure> {
    if let [only] = input::find(&args.read.logs).paths.as_slice()
        && let Some(result) = rewritten(only, args)
    {
        return result;
    }
    let mut traces: Vec<Trace> = Vec::new();
    many::for_each(&args.read, &|path| read(path, args), &mut |_, trace| {
        traces.push(trace);
        Ok(())
    })?;
    let name = args.output.display().to_string();
    if traces.is_empty() {
        return Err(Failure::Input { path: name, message: "no input could be read".to_string(), hint: None });
    }
    let trace = if traces.len() == 1 { traces.swap_remove(0) } else { combine(&traces) };
    let log = darshan::write(&trace).map_err(|error| Failure::format(&name, &error))?;
    output::write_file(&args.output, &log)
}

/// A single Darshan log is rewritten field by field; `None` if the input is of another kind.
fn rewritten(path: &Path, args: &ConvertArgs) -> Option<Result<(), Failure>> {
    let name = path.display().to_string();
    let file = match input::load(path) {
        Ok(file) => file,
        Err(failure) => return Some(Err(failure)),
    };
    let content = match marigraph_formats::unpack(&file, limits(args)) {
        Ok(content) => content,
        Err(error) => return Some(Err(Failure::format(&name, &error))),
    };
    if !darshan::sniff(&content) {
        return None;
    }
    let log = Log::open(&content, limits(args)).and_then(|log| darshan::rewrite(&log));
    Some(log.map_err(|error| Failure::format(&name, &error)).and_then(|(bytes, problems)| {
        warn(&name, &problems);
        output::write_file(&args.output, &bytes)
    }))
}

/// Reads a log whole. A log of operations alone gets the counters and heat maps that follow from them.
fn read(path: &Path, args: &ConvertArgs) -> Result<Trace, Failure> {
    let name = path.display().to_string();
    let refused = |error: marigraph_formats::Error| Failure::format(&name, &error);
    let file = input::load(path)?;
    let content = marigraph_formats::unpack(&file, limits(args)).map_err(refused)?;
    let mut trace = marigraph_formats::open(&content, limits(args)).map_err(refused)?.to_trace();
    warn(&name, &trace.problems);
    if trace.records.is_empty() && !trace.events.is_empty() {
        complete(&mut trace, &Events::default(), &mut |_, _, _| {});
    }
    Ok(trace)
}

fn warn(name: &str, problems: &[Problem]) {
    problems.iter().for_each(|problem| complain(&format!("warning: {name}: {}", problem.message)));
}

fn to_csv(args: &ConvertArgs) -> Result<(), Failure> {
    let inputs = input::find(&args.read.logs);
    let [path] = inputs.paths.as_slice() else {
        let message = "several inputs can only be combined into a .darshan log";
        return Err(Failure::Usage(message.to_string()));
    };
    let name = path.display().to_string();
    let refused = |error: marigraph_formats::Error| Failure::format(&name, &error);
    let file = input::load(path)?;
    let content = marigraph_formats::unpack(&file, limits(args)).map_err(refused)?;
    let reader = marigraph_formats::open(&content, limits(args)).map_err(refused)?;
    let (names, _) = reader.names();
    let has = |module: Module| reader.modules().iter().any(|info| info.module == module);
    let interface = match args.interface {
        Some(InterfaceArg::Posix) => Module::Posix,
        Some(InterfaceArg::Mpiio) => Module::MpiIo,
        None if has(Module::DxtPosix) || !has(Module::DxtMpiio) => Module::Posix,
        None => Module::MpiIo,
    };
    let mut out = AtomicFile::create(&args.output)?;
    let mut writer = csv::Writer::new(&mut out, &names, interface);
    let traced = |module: Module| matches!(module, Module::DxtPosix | Module::DxtMpiio);
    let streamed = reader.stream(&traced, &mut writer);
    let csv::Writer { written, left_out, failure, .. } = writer;
    if let Some(error) = failure {
        return Err(Failure::write(&args.output.display().to_string(), error));
    }
    warn(&name, &reader.open_problems());
    warn(&name, &streamed.problems);
    if written == 0 {
        return Err(refused(marigraph_formats::Error::NothingToWrite { what: "traced operations" }));
    }
    if left_out > 0 {
        complain(&format!(
            "note: {name}: {left_out} operations of the other interface are left out (choose with --interface)"
        ));
    }
    out.finish()
}

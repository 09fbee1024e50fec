//! `marigraph convert`: between formats, and many logs into one.

use std::path::Path;

use marigraph_analysis::combine;
use marigraph_formats::csv;
use marigraph_formats::darshan::{self, Log};
use marigraph_model::{Module, Problem, Trace};

use crate::args::{ConvertArgs, InterfaceArg};
use crate::error::{Failure, complain};
use crate::input::{self, Input};
use crate::many;
use crate::output::{self, AtomicFile};

pub fn run(args: &ConvertArgs) -> Result<(), Failure> {
    let ending = args.output.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    match ending {
        "darshan" => to_darshan(args),
        "csv" => to_csv(args),
        _ => Err(Failure::Usage(format!(
            "{}: cannot write {ending:?} files\nhint: use the extension .darshan or .csv",
            args.output.display()
        ))),
    }
}

enum Part {
    /// A log of Darshan 3, rewritten field by field; only if it is the only input.
    Rewritten(Vec<u8>),
    /// Anything else, and every part of a combination.
    Read(Box<Trace>),
}

fn to_darshan(args: &ConvertArgs) -> Result<(), Failure> {
    let inputs = input::find(&args.read.logs);
    let alone = inputs.paths.len() == 1;
    let mut parts: Vec<Part> = Vec::new();
    many::for_each(&args.read, inputs, &|path| read(path, args, alone), &mut |_, part| {
        parts.push(part);
        Ok(())
    })?;
    let mut traces: Vec<Trace> = Vec::new();
    for part in parts {
        match part {
            Part::Rewritten(log) => return output::write_file(&args.output, &log),
            Part::Read(trace) => traces.push(*trace),
        }
    }
    let name = args.output.display().to_string();
    let trace = match traces.len() {
        0 => {
            return Err(Failure::Input {
                path: name,
                message: "no input could be read".to_string(),
                hint: None,
            });
        }
        1 => traces.swap_remove(0),
        _ => {
            let whole = combine(&traces);
            let known = traces.iter().flat_map(|trace| &trace.problems).count();
            warn(&name, whole.problems.get(known..).unwrap_or(&[]));
            whole
        }
    };
    let (log, problems) = darshan::write(&trace);
    warn(&name, &problems);
    output::write_file(&args.output, &log)
}

fn read(path: &Path, args: &ConvertArgs, alone: bool) -> Result<Part, Failure> {
    input::with_input(path, &args.read, |input| {
        warn(input.name, input.damage.as_slice());
        if alone && darshan::sniff(input.content) {
            let log = Log::open(input.content, input.limits).map_err(|error| input.refused(&error))?;
            let (bytes, problems) = darshan::rewrite(&log);
            warn(input.name, &problems);
            return Ok(Part::Rewritten(bytes));
        }
        let trace = input.reader()?.to_trace();
        warn(input.name, &trace.problems);
        if alone && trace.records.is_empty() && trace.events.is_empty() && trace.series.is_empty() {
            let nothing = marigraph_formats::Error::NothingToWrite { what: "records or operations" };
            return Err(input.refused(&nothing));
        }
        Ok(Part::Read(Box::new(trace)))
    })
}

fn warn(name: &str, problems: &[Problem]) {
    problems.iter().for_each(|problem| complain(&format!("warning: {name}: {}", problem.message)));
}

fn to_csv(args: &ConvertArgs) -> Result<(), Failure> {
    let inputs = input::find(&args.read.logs);
    if inputs.paths.is_empty() {
        let path = args.output.display().to_string();
        return Err(Failure::Input { path, message: "there is no input".to_string(), hint: None });
    }
    let [path] = inputs.paths.as_slice() else {
        let message = "several inputs can only be combined into a .darshan log";
        return Err(Failure::Usage(message.to_string()));
    };
    input::with_input(path, &args.read, |input| table(&input, args))
}

fn table(input: &Input<'_>, args: &ConvertArgs) -> Result<(), Failure> {
    let reader = input.reader()?;
    let (names, name_problems) = reader.names();
    let has = |module: Module| reader.modules().iter().any(|info| info.module == module);
    let interface = match args.interface {
        Some(InterfaceArg::Posix) => Module::Posix,
        Some(InterfaceArg::Mpiio) => Module::MpiIo,
        Some(InterfaceArg::Stdio) => Module::Stdio,
        None if has(Module::DxtPosix) || !has(Module::DxtMpiio) => Module::Posix,
        None => Module::MpiIo,
    };
    let mut out = AtomicFile::create(&args.output)?;
    let mut writer = csv::Writer::new(&mut out, &names, interface);
    let streamed = reader.stream(&Module::is_operations, &mut writer);
    let csv::Writer { written, left_out, failure, .. } = writer;
    if let Some(error) = failure {
        return Err(Failure::write(&args.output.display().to_string(), error));
    }
    for problems in [input.damage.as_slice(), &reader.open_problems(), &name_problems, &streamed.problems] {
        warn(input.name, problems);
    }
    if written == 0 {
        let nothing = marigraph_formats::Error::NothingToWrite { what: "traced operations" };
        return Err(input.refused(&nothing));
    }
    if left_out > 0 {
        let advice = "are left out (select with --interface)";
        complain(&format!("note: {}: {left_out} operations of other interfaces {advice}", input.name));
    }
    out.finish()
}

//! `marigraph show`: the contents of a log.

use std::io::Write;
use std::path::Path;

use marigraph_analysis::examine::{Examination, Opened, Questions, examine};
use marigraph_analysis::figures::{Figures, Wanted};
use marigraph_formats::Limits;
use marigraph_formats::darshan::{self, Log, text};
use marigraph_formats::native::mari;
use marigraph_model::{Module, ModuleInfo, Problem, ProblemKind, Reader, Sink};
use marigraph_report::show::{LogLine, ModuleLine, Shown, many_text};
use marigraph_report::twin;

use crate::args::{ReadArgs, ShowArgs};
use crate::error::{Failure, complain};
use crate::input::{self, Input, Inputs};
use crate::{many, output, parallel};

pub fn run(args: &ShowArgs) -> Result<(), Failure> {
    input::all_exist(&args.read.logs)?;
    let inputs = input::find(&args.read.logs);
    if args.darshan_parser || args.dxt {
        return twins(args, inputs);
    }
    if args.tree {
        return many::for_each(&args.read, inputs, &|path| tree(path, &args.read), &mut |_, text| {
            output::stdout()
                .write_all(text.as_bytes())
                .map_err(|error| Failure::write("standard output", error))
        });
    }
    let several = inputs.many;
    // Rendered by the reading thread: what waits for its turn is small.
    let look = |path: &Path| {
        let shown = summarize(path, &args.read, args.nodes)?;
        Ok(match (args.json, several) {
            (true, _) => Rendered::Text(format!("{}\n", shown.json())),
            (false, true) => Rendered::Line(Box::new(shown.line())),
            (false, false) => Rendered::Text(shown.text(output::width())),
        })
    };
    let mut lines: Vec<LogLine> = Vec::new();
    let mut out = output::stdout();
    let failed = |error| Failure::write("standard output", error);
    let result = many::for_each(&args.read, inputs, &look, &mut |_, rendered| match rendered {
        Rendered::Text(text) => out.write_all(text.as_bytes()).map_err(failed),
        Rendered::Line(line) => {
            lines.push(*line);
            Ok(())
        }
    });
    if !lines.is_empty() {
        write!(out, "{}", many_text(&lines, output::width())).map_err(failed)?;
    }
    out.flush().map_err(failed)?;
    result
}

fn tree(path: &Path, args: &ReadArgs) -> Result<String, Failure> {
    input::with_input(path, args, |input| {
        if !mari::sniff(input.content) {
            return Err(Failure::trace(input.name, &"only traces (.mari) have a call tree"));
        }
        let trace =
            mari::Mari::read(input.content).map_err(|error| Failure::format(input.name, &error.into()))?;
        Ok(mari::text(&trace))
    })
}

enum Rendered {
    Text(String),
    Line(Box<LogLine>),
}

/// Ignores the content of a log.
pub struct Nothing;

impl Sink for Nothing {}

fn summarize(path: &Path, args: &ReadArgs, nodes: Option<u64>) -> Result<Shown, Failure> {
    input::with_input(path, args, |input| {
        let reader = input.reader()?;
        let log = Opened::of(reader.as_ref(), input.damage);
        let found = examine(reader.as_ref(), &log, &Questions::default(), &mut Nothing);
        Ok(describe(reader.as_ref(), input.name, nodes, &log, &found))
    })
}

pub fn describe(
    reader: &dyn Reader,
    name: &str,
    nodes: Option<u64>,
    log: &Opened,
    found: &Examination,
) -> Shown {
    // A trace has its operations folded; they are shown separately, see `Shown::trace`.
    let folded = reader.trace_facts().is_some();
    let listed = |info: &&ModuleInfo| !folded || !info.module.is_operations();
    let modules = log.modules.iter().filter(listed).map(|info| ModuleLine {
        module: info.module,
        version: info.version,
        records: found.records.get(&info.module).copied().unwrap_or(0),
        partial: info.partial,
    });
    Shown {
        input: name.to_string(),
        format: reader.format().to_string(),
        version: reader.version(),
        nnodes: nodes.or(found.usage.nodes(log.job.nprocs)),
        job: log.job.clone(),
        modules: modules.collect(),
        files: found.files.count(),
        trace: reader.trace_facts(),
        usage: found.usage.clone(),
        problems: found.problems.clone(),
    }
}

/// Prints the output of Darshan's own tools.
fn twins(args: &ShowArgs, inputs: Inputs) -> Result<(), Failure> {
    let zone = jiff::tz::TimeZone::system();
    let offset = |seconds: i64| {
        let moment = jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        i64::from(zone.to_offset(moment).seconds())
    };
    let options = text::Options { offset: &offset, threads: 1 };
    let mut skipped = many::Skipped::new(inputs.many, inputs.unreadable);
    let mut out = output::stdout();
    // One after another: the text of one log may be larger than memory.
    for path in &inputs.paths {
        if let Err(failure) =
            input::with_input(path, &args.read, |input| twin(&input, args, options, &mut out))
        {
            skipped.add(failure)?;
        }
    }
    out.flush().map_err(|error| Failure::write("standard output", error))?;
    skipped.finish(&args.read)
}

fn twin(
    input: &Input<'_>,
    args: &ShowArgs,
    options: text::Options<'_>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if !darshan::sniff(input.content) && input.reader().is_ok() {
        return Err(Failure::Input {
            path: input.name.to_string(),
            message: "not a Darshan 3 log: Darshan's tools have no text for it".to_string(),
            hint: Some("use show without this option, or convert it to a .darshan log first".to_string()),
        });
    }
    // Adding up is cheaper than passing blocks between threads.
    let limits = Limits { read_ahead: false, ..input.limits };
    let log = Log::open(input.content, limits).map_err(|error| input.refused(&error))?;
    // Querying the number of cores costs more than a small log does.
    let threads =
        if input.content.len() < text::THREADED_FROM { 1 } else { parallel::threads(args.read.threads) };
    let options = text::Options { threads, ..options };
    let wanted = Wanted { total: args.total, throughput: args.perf, files: args.file };
    let printed = if args.dxt {
        text::dxt(&log, options, out)
    } else if wanted == Wanted::default() {
        text::base(&log, options, out)
    } else {
        let mut problems: Vec<Problem> = Vec::new();
        text::figures(&log, options, out, &mut |module, version, out| {
            problems.extend(figures(&log, module, version, wanted, out));
        })
        .map(|()| problems)
    };
    let problems = printed.map_err(|error| Failure::write("standard output", error))?;
    let damage = input.damage.iter().chain(log.problems()).chain(&problems);
    // The text itself names incomplete modules.
    let unsaid = damage.filter(|problem| problem.kind != ProblemKind::Partial);
    unsaid.for_each(|problem| complain(&format!("warning: {}: {}", input.name, problem.message)));
    Ok(())
}

fn figures(log: &Log<'_>, module: Module, version: u32, wanted: Wanted, out: &mut Vec<u8>) -> Vec<Problem> {
    let mut figures = Figures::new(module, wanted);
    let streamed = log.stream(&|wanted| wanted == module, &mut figures);
    let mut lines = String::new();
    if wanted.total {
        text::description(module, version, out);
        twin::total(module, &figures.total, &mut lines);
    }
    if wanted.files {
        twin::files(&figures.files.kinds(), &mut lines);
    }
    if wanted.throughput {
        twin::performance(&figures.throughput.estimate(), &mut lines);
    }
    out.extend_from_slice(lines.as_bytes());
    streamed.problems
}

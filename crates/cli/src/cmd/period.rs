//! `marigraph period`: the period of a job's I/O.

use std::io::Write;
use std::path::Path;

use marigraph_analysis::period::{Method, Question, Rules, Sampling, find, find_per_rank, is_timed};
use marigraph_formats::tmio;
use marigraph_model::{Reader, Sink};
use marigraph_report::page::{PeriodPart, period_page, period_part, period_svg};
use marigraph_report::period::{PeriodLine, Periods, many_text};

use crate::args::{MethodArg, PeriodArgs, SamplingArg, UnitArg};
use crate::error::Failure;
use crate::input::{self, Input};
use crate::{many, output};

pub fn run(args: &PeriodArgs) -> Result<(), Failure> {
    let inputs = input::find(&args.read.logs);
    let several = inputs.many;
    let form = form_of_plot(args, several)?;
    if args.method == MethodArg::Auto
        && args.rules() != (Rules { tolerance: args.tolerance, ..Rules::PUBLISHED })
    {
        let message = "--outliers, --as-ftio and --no-autocorrelation belong to the published method\nhint: add --method dft";
        return Err(Failure::Usage(message.to_string()));
    }
    let look = |path: &Path| {
        let periods = look_at(path, args)?;
        let drawn = form.map(|form| match form {
            Form::Svg => Drawn::Svg(period_svg(&periods)),
            Form::Html => Drawn::Part(period_part(&periods)),
        });
        Ok(Rendered { said: say(&periods, args, several), drawn })
    };
    let (mut lines, mut drawn): (Vec<PeriodLine>, Vec<Drawn>) = (Vec::new(), Vec::new());
    let mut out = output::stdout();
    let failed = |error| Failure::write("standard output", error);
    let result = many::for_each(&args.read, inputs, &look, &mut |_, rendered: Rendered| {
        drawn.extend(rendered.drawn);
        match rendered.said {
            Said::Text(text) => out.write_all(text.as_bytes()).map_err(failed),
            Said::Line(line) => {
                lines.push(line);
                Ok(())
            }
        }
    });
    if !lines.is_empty() {
        write!(out, "{}", many_text(&lines, output::width())).map_err(failed)?;
    }
    out.flush().map_err(failed)?;
    write_plot(args, drawn)?;
    result
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Svg,
    Html,
}

struct Rendered {
    said: Said,
    drawn: Option<Drawn>,
}

enum Drawn {
    Svg(String),
    Part(PeriodPart),
}

enum Said {
    Text(String),
    Line(PeriodLine),
}

fn say(periods: &Periods, args: &PeriodArgs, several: bool) -> Said {
    match (args.json, several) {
        (true, _) => Said::Text(format!("{}\n", periods.json())),
        (false, true) => Said::Line(periods.line()),
        (false, false) => Said::Text(periods.text(output::width())),
    }
}

fn form_of_plot(args: &PeriodArgs, several: bool) -> Result<Option<Form>, Failure> {
    let Some(path) = &args.plot else { return Ok(None) };
    let ending = output::ending(path);
    match ending.as_str() {
        "html" | "htm" => Ok(Some(Form::Html)),
        "svg" if several => Err(Failure::Usage(format!(
            "{}: an SVG file holds the plot of one log\nhint: use the extension .html for one page with all logs",
            path.display()
        ))),
        "svg" => Ok(Some(Form::Svg)),
        _ => Err(Failure::Usage(format!(
            "{}: cannot write {ending:?} files\nhint: use the extension .svg or .html",
            path.display()
        ))),
    }
}

/// Without results nothing is written: the failure says it all.
fn write_plot(args: &PeriodArgs, drawn: Vec<Drawn>) -> Result<(), Failure> {
    let Some(path) = args.plot.as_ref().filter(|_| !drawn.is_empty()) else { return Ok(()) };
    let mut parts = Vec::new();
    for drawn in drawn {
        match drawn {
            Drawn::Svg(svg) => return output::write_file(path, svg.as_bytes()),
            Drawn::Part(part) => parts.push(part),
        }
    }
    output::write_file(path, period_page(&parts).as_bytes())
}

fn question(args: &PeriodArgs) -> Question {
    let sampling = match args.sampling {
        Some(SamplingArg::Hertz(hertz)) => Sampling::Hertz(hertz),
        Some(SamplingArg::Auto) => Sampling::EveryChange,
        None => Sampling::Usual,
    };
    Question {
        direction: args.op.direction(),
        window: args.window,
        skip_first_phase: args.skip_first_phase,
        method: match args.method {
            MethodArg::Auto => Method::Auto,
            MethodArg::Dft => Method::Dft { sampling, rules: args.rules() },
        },
    }
}

fn look_at(path: &Path, args: &PeriodArgs) -> Result<Periods, Failure> {
    input::with_input(path, &args.read, |input| {
        let reader = reader(&input, args)?;
        let question = question(args);
        let mut problems = Vec::new();
        let found = find(&question, &|| reader.job().runtime_s(), &mut |sink| {
            problems = reader.stream(&is_timed, sink).problems;
        });
        let found = found.ok_or_else(|| untimed(&input))?;
        let all = input.damage.clone().into_iter().chain(reader.open_problems()).chain(problems);
        let ranks = args.per_rank.then(|| {
            let mut stream = |sink: &mut dyn Sink| drop(reader.stream(&is_timed, sink));
            find_per_rank(&question, &|| reader.job().runtime_s(), &mut stream)
        });
        Ok(Periods { ranks, ..Periods::new(input.name, &question, found, all.collect()) })
    })
}

/// A TMIO log is read in the user's unit, since the log does not name it.
fn reader<'a>(input: &Input<'a>, args: &PeriodArgs) -> Result<Box<dyn Reader + 'a>, Failure> {
    let reader = input.reader()?;
    match args.unit {
        Some(UnitArg::Megabytes) if tmio::sniff(input.content) => {
            let log = tmio::Log::open(input.content, tmio::Unit::Megabytes);
            Ok(log.map_or(reader, |log| Box::new(log)))
        }
        _ => Ok(reader),
    }
}

fn untimed(input: &Input<'_>) -> Failure {
    Failure::Input {
        path: input.name.to_string(),
        message: "the log has no times: no operations (DXT) and no heat map".to_string(),
        hint: Some(
            "record operations: set DXT_ENABLE_IO_TRACE=1 for Darshan, or use marigraph record --trace"
                .to_string(),
        ),
    }
}

//! `marigraph report`: what could be better, and one self-contained page.

use std::io::Write;
use std::path::Path;

use marigraph_analysis::advice::scaling::{ComparedRun, across_jobs};
use marigraph_analysis::advice::{self, Facts, Survey, Thresholds as Limits, USUAL};
use marigraph_analysis::category::{Collector, Families, Thresholds};
use marigraph_analysis::files::Files;
use marigraph_analysis::timeline::Timeline;
use marigraph_analysis::usage::JobUsage;
use marigraph_model::{Both, FileTable, Layout, MIB, MountTable, Reader, Sink};
use marigraph_report::findings::{self, Worded};
use marigraph_report::page::{JobPage, Logs, job_page, logs_page};
use marigraph_report::period::Periods;
use marigraph_report::show::{LogLine, Shown, problems_json};
use serde_json::json;

use super::categorize::Opened;
use super::rhythm::{self, Rhythm};
use super::show::{Summary, describe, summarize_with};
use crate::args::ReportArgs;
use crate::error::Failure;
use crate::input::{self, Input};
use crate::{many, output};

/// Tells what could be better about one log or many, and writes a page.
pub fn run(args: &ReportArgs) -> Result<(), Failure> {
    let inputs = input::find(&args.read.logs);
    let several = inputs.many;
    let look = |path: &Path| if several { brief(path, args) } else { report(path, args) };
    let (mut logs, mut runs) = (Logs::default(), Vec::new());
    let mut out = output::stdout();
    let failed = |error| Failure::write("standard output", error);
    let result = many::for_each(&args.read, inputs, &look, &mut |_, told: Told| {
        write!(out, "{}", told.printed).map_err(failed)?;
        write_page(args, told.page.as_deref())?;
        logs.tally.add(&told.worded);
        logs.lines.push(told.line);
        runs.push(told.run);
        Ok(())
    });
    result?;
    for (at, finding) in across_jobs(&runs, &limits(args)) {
        let worded = findings::word(&finding, &FileTable::default());
        write!(out, "{}", printed_across(args, &logs.lines[at], &worded)).map_err(failed)?;
        let line = &logs.lines[at];
        logs.across.push((line.program.clone(), line.runtime_s, worded));
    }
    out.flush().map_err(failed)?;
    write_page(args, several.then(|| logs_page(&logs)).as_deref())
}

/// Writes a page if there is one and somebody wants it.
fn write_page(args: &ReportArgs, page: Option<&str>) -> Result<(), Failure> {
    match (&args.output, page) {
        (Some(path), Some(page)) => output::write_file(path, page.as_bytes()),
        _ => Ok(()),
    }
}

/// What is made of one log.
struct Told {
    line: LogLine,
    worded: Vec<Worded>,
    run: Option<ComparedRun>,
    /// What is printed of it.
    printed: String,
    page: Option<String>,
}

impl Told {
    fn new(args: &ReportArgs, shown: &Shown, files: &Files, survey: &Survey, names: &FileTable) -> Told {
        let facts = Facts { job: &shown.job, usage: &shown.usage, files, survey, nodes: shown.nnodes };
        let worded: Vec<Worded> =
            advice::advise(&facts).iter().map(|finding| findings::word(finding, names)).collect();
        let printed = printed(args, shown, &worded);
        Told { line: shown.line(), worded, run: ComparedRun::of(&facts), printed, page: None }
    }
}

fn printed(args: &ReportArgs, shown: &Shown, worded: &[Worded]) -> String {
    if args.json {
        let problems = problems_json(&shown.problems);
        let found = findings::json(worded);
        return format!("{}\n", json!({ "input": shown.input, "findings": found, "problems": problems }));
    }
    if args.output.is_some() {
        return String::new();
    }
    findings::text(&shown.heading(), shown.job.runtime_s(), worded)
}

/// What several jobs of an application say together, told of the largest of them.
fn printed_across(args: &ReportArgs, line: &LogLine, worded: &Worded) -> String {
    let found = std::slice::from_ref(worded);
    if args.json {
        let (application, input) = (&line.program, &line.input);
        let findings = findings::json(found);
        return format!(
            "{}\n",
            json!({ "input": input, "application": application, "findings": findings, "problems": [] })
        );
    }
    if args.output.is_some() {
        return String::new();
    }
    findings::text(&format!("\n{}: all jobs together", line.program), line.runtime_s, found)
}

fn limits(args: &ReportArgs) -> Limits {
    let node_limit = args.node_limit.map_or(USUAL.node_limit, |mib| mib * MIB as f64);
    Limits { node_limit, ..USUAL }
}

/// Layouts, as many as a page can use.
#[derive(Default)]
struct Layouts(Vec<Layout>);

impl Sink for Layouts {
    fn layout(&mut self, layout: &Layout) {
        if self.0.len() < 100_000 {
            self.0.push(layout.clone());
        }
    }
}

/// One of many logs: its sums and findings.
fn brief(path: &Path, args: &ReportArgs) -> Result<Told, Failure> {
    let mut survey = Survey::new(limits(args));
    let Summary { shown, files, names } = summarize_with(path, &args.read, args.nodes, &mut survey)?;
    Ok(Told::new(args, &shown, &files, &survey, &names))
}

fn report(path: &Path, args: &ReportArgs) -> Result<Told, Failure> {
    input::with_input(path, &args.read, |input| {
        let reader = input.reader()?;
        Ok(analyse(reader.as_ref(), &input, args))
    })
}

fn analyse(reader: &dyn Reader, input: &Input<'_>, args: &ReportArgs) -> Told {
    let page_wanted = args.output.is_some();
    let job = reader.job();
    let (mut usage, mut files) = (JobUsage::default(), Files::default());
    let (mut survey, mut layouts) = (Survey::new(limits(args)), Layouts::default());
    let mut timeline = Timeline::new(job.runtime_s(), job.nprocs);
    let mut rhythm = Rhythm::new(page_wanted);
    let (names, name_problems) = reader.names();
    let mut collector =
        Collector::new(&job, &Thresholds::default()).with_pictures().with_families(Families::of(&names));
    let streamed = reader.stream(
        &|_| true,
        &mut Both(
            &mut Both(&mut Both(&mut usage, &mut collector), &mut Both(&mut rhythm, &mut files)),
            &mut Both(&mut timeline, &mut Both(&mut survey, &mut layouts)),
        ),
    );
    let mut shown = describe(reader, input.name, args.nodes, usage, &streamed.records);
    shown.files = files.count();
    shown.problems.splice(0..0, input.damage.clone());
    shown.problems.extend(name_problems);
    shown.problems.extend(streamed.problems);
    let told = Told::new(args, &shown, &files, &survey, &names);
    if !page_wanted {
        return told;
    }
    let mounts = MountTable::new(&job.mounts);
    let found = rhythm.answer();
    let periods = found.map(|found| Periods::new(input.name, &rhythm::QUESTION, found, Vec::new()));
    let categories = Opened::new(reader).conclude(collector, &shown.problems, &Thresholds::default());
    let page = JobPage {
        shown: &shown,
        names: &names,
        mounts: &mounts,
        files: &files,
        timeline: &timeline,
        periods: periods.as_ref(),
        layouts: &layouts.0,
        categories: categories.as_ref().map_err(|reason| *reason),
        findings: &told.worded,
    };
    Told { page: Some(job_page(&page)), ..told }
}

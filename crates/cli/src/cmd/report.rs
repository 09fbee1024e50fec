//! `marigraph report`: one self-contained page.

use std::path::Path;

use marigraph_analysis::advice::{self, Facts, Stripes, USUAL};
use marigraph_analysis::category::{Collector, Families, Thresholds};
use marigraph_analysis::files::Files;
use marigraph_analysis::timeline::Timeline;
use marigraph_analysis::usage::JobUsage;
use marigraph_formats::Reader;
use marigraph_model::{Both, Layout, MountTable, Sink};
use marigraph_report::findings::{self, Worded};
use marigraph_report::page::{JobPage, job_page, logs_page};
use marigraph_report::period::Periods;
use marigraph_report::show::{LogLine, problems_json};
use serde_json::{Value, json};

use super::categorize::Opened;
use super::rhythm::{self, Rhythm};
use super::show::{describe, summarize};
use crate::args::ReportArgs;
use crate::error::Failure;
use crate::input::{self, Input};
use crate::{many, output};

/// Writes a page about one log or many.
pub fn run(args: &ReportArgs) -> Result<(), Failure> {
    let several = input::find(&args.read.logs).many;
    let mut lines: Vec<LogLine> = Vec::new();
    let mut documents = String::new();
    if several && !args.json {
        many::for_each(&args.read, &|path| summarize(path, &args.read, args.nodes), &mut |_, shown| {
            lines.push(shown.line());
            Ok(())
        })?;
    } else {
        let page_wanted = !several && args.output.is_some();
        many::for_each(&args.read, &|path| report(path, args, page_wanted), &mut |_, report| {
            lines.push(report.line);
            documents.push_str(&format!("{}\n", report.findings));
            write_page(args, report.page.as_deref())
        })?;
    }
    write_page(args, several.then(|| logs_page(&lines)).as_deref())?;
    if args.json { output::print(&documents) } else { Ok(()) }
}

/// Writes a page if there is one and somebody wants it.
fn write_page(args: &ReportArgs, page: Option<&str>) -> Result<(), Failure> {
    match (&args.output, page) {
        (Some(path), Some(page)) => output::write_file(path, page.as_bytes()),
        _ => Ok(()),
    }
}

/// What is made of one log.
struct Report {
    line: LogLine,
    findings: Value,
    page: Option<String>,
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

fn report(path: &Path, args: &ReportArgs, page_wanted: bool) -> Result<Report, Failure> {
    input::with_input(path, &args.read, |input| {
        let reader = input.reader()?;
        Ok(analyse(reader.as_ref(), &input, args, page_wanted))
    })
}

fn analyse(reader: &dyn Reader, input: &Input<'_>, args: &ReportArgs, page_wanted: bool) -> Report {
    let job = reader.job();
    let (mut usage, mut files) = (JobUsage::default(), Files::default());
    let (mut stripes, mut layouts) = (Stripes::default(), Layouts::default());
    let mut timeline = Timeline::new(job.runtime_s(), job.nprocs);
    let mut rhythm = Rhythm::new(page_wanted);
    let (names, name_problems) = reader.names();
    let mut collector =
        Collector::new(&job, &Thresholds::default()).with_pictures().with_families(Families::of(&names));
    let streamed = super::stream_all(
        reader,
        &mut Both(
            &mut Both(&mut Both(&mut usage, &mut collector), &mut Both(&mut rhythm, &mut files)),
            &mut Both(&mut timeline, &mut Both(&mut stripes, &mut layouts)),
        ),
    );
    let facts = Facts { job: &job, usage: &usage, files: &files, stripes: &stripes };
    let worded: Vec<Worded> = advice::advise(&facts, &USUAL).iter().map(findings::word).collect();
    let mut shown = describe(reader, input.name, args.nodes, usage, &streamed.records);
    shown.files = files.count();
    shown.problems.splice(0..0, input.damage.clone());
    shown.problems.extend(name_problems);
    shown.problems.extend(streamed.problems);
    let problems = problems_json(&shown.problems);
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
        findings: &worded,
    };
    Report {
        line: shown.line(),
        findings: json!({ "input": input.name, "findings": findings::json(&worded), "problems": problems }),
        page: page_wanted.then(|| job_page(&page)),
    }
}

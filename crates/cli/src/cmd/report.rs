//! `marigraph report`: one self-contained page.

use std::path::Path;

use marigraph_analysis::advice::{self, Facts, Stripes, USUAL};
use marigraph_analysis::files::Files;
use marigraph_analysis::timeline::Timeline;
use marigraph_analysis::usage::JobUsage;
use marigraph_formats::{Limits, Reader};
use marigraph_model::{Both, Layout, MountTable, Sink};
use marigraph_report::findings::{self, Worded};
use marigraph_report::page::{JobPage, job_page, logs_page};
use marigraph_report::show::{LogLine, problems_json};
use serde_json::json;

use super::show::{describe, summarize};
use crate::args::ReportArgs;
use crate::error::Failure;
use crate::{input, many, output};

/// Writes a page about one log or many.
pub fn run(args: &ReportArgs) -> Result<(), Failure> {
    let inputs = input::find(&args.read.logs);
    if !inputs.many {
        return one(&args.read.logs[0], args);
    }
    let mut lines: Vec<LogLine> = Vec::new();
    many::for_each(&args.read, &|path| summarize(path, &args.read, args.nodes), &mut |_, shown| {
        lines.push(shown.line());
        Ok(())
    })?;
    if args.json {
        return Err(Failure::Usage(
            "findings are told of one log at a time: give --json a single log".to_string(),
        ));
    }
    write_page(args, &logs_page(&lines))
}

fn write_page(args: &ReportArgs, page: &str) -> Result<(), Failure> {
    match &args.output {
        Some(path) => output::write_file(path, page.as_bytes()),
        None => Ok(()),
    }
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

fn one(path: &Path, args: &ReportArgs) -> Result<(), Failure> {
    let name = path.display().to_string();
    let refused = |error: marigraph_formats::Error| Failure::format(&name, &error);
    let limits = Limits { max_inflate: args.read.max_inflate };
    let file = input::load(path)?;
    let content = marigraph_formats::unpack(&file, limits).map_err(refused)?;
    let reader = marigraph_formats::open(&content, limits).map_err(refused)?;
    report(reader.as_ref(), &name, args)
}

fn report(reader: &dyn Reader, name: &str, args: &ReportArgs) -> Result<(), Failure> {
    let job = reader.job();
    let (mut usage, mut files) = (JobUsage::default(), Files::default());
    let (mut stripes, mut layouts) = (Stripes::default(), Layouts::default());
    let mut timeline = Timeline::new(job.runtime_s(), job.nprocs);
    let streamed = super::stream_all(
        reader,
        &mut Both(
            &mut Both(&mut usage, &mut files),
            &mut Both(&mut timeline, &mut Both(&mut stripes, &mut layouts)),
        ),
    );
    let (names, name_problems) = reader.names();
    let facts = Facts { job: &job, usage: &usage, files: &files, stripes: &stripes };
    let worded: Vec<Worded> = advice::advise(&facts, &USUAL).iter().map(findings::word).collect();
    let mut shown = describe(reader, name, args.nodes, usage, &streamed.records);
    shown.files = files.count();
    shown.problems.extend(name_problems);
    shown.problems.extend(streamed.problems);
    if args.json {
        let problems = problems_json(&shown.problems);
        let document = json!({ "input": name, "findings": findings::json(&worded), "problems": problems });
        output::print(&format!("{document}\n"))?;
    }
    let mounts = MountTable::new(&job.mounts);
    write_page(
        args,
        &job_page(&JobPage {
            shown: &shown,
            names: &names,
            mounts: &mounts,
            files: &files,
            timeline: &timeline,
            layouts: &layouts.0,
            findings: &worded,
        }),
    )
}

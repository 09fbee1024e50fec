//! `marigraph report`: findings, and a self-contained page.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use marigraph_analysis::advice::scaling::{ComparedRun, across_jobs};
use marigraph_analysis::advice::{self, Facts, Thresholds as Limits, USUAL};
use marigraph_analysis::examine::{Examination, Opened, QUESTION, Questions, examine};
use marigraph_analysis::valid::Invalid;
use marigraph_model::{FileTable, MIB, MountTable};
use marigraph_report::findings::{self, Worded};
use marigraph_report::page::{JobPage, Logs, job_page, logs_page};
use marigraph_report::period::Periods;
use marigraph_report::show::{LogLine, Shown, problems_json};
use serde_json::json;

use super::show::{Nothing, describe};
use crate::args::ReportArgs;
use crate::error::{Failure, complain};
use crate::runs::one_per_run;
use crate::{input, many, output};

pub fn run(args: &ReportArgs) -> Result<(), Failure> {
    input::all_exist(&args.read.logs)?;
    let mut inputs = input::find(&args.read.logs);
    let several = inputs.many;
    one_per_run(&args.read, &mut inputs);
    let mut invalid: BTreeMap<&str, usize> = BTreeMap::new();
    let look = |path: &Path| look(path, args, several);
    let (mut logs, mut runs) = (Logs::default(), Vec::new());
    let mut out = output::stdout();
    let failed = |error| Failure::write("standard output", error);
    let result = many::for_each(&args.read, inputs, &look, &mut |_, told: Told| {
        write!(out, "{}", told.printed).map_err(failed)?;
        write_page(args, told.page.as_deref())?;
        if let Some(reason) = told.invalid.filter(|_| several) {
            *invalid.entry(reason.code()).or_default() += 1;
            return Ok(());
        }
        logs.tally.add(&told.worded);
        logs.lines.push(told.line);
        runs.push(told.run);
        Ok(())
    });
    result?;
    for (reason, count) in invalid {
        complain(&format!("left out {count} of the summary: {reason}"));
    }
    for (at, finding) in across_jobs(&runs, &limits(args)) {
        let worded = findings::word(&finding, &FileTable::default());
        write!(out, "{}", printed_across(args, &logs.lines[at], &worded)).map_err(failed)?;
        let line = &logs.lines[at];
        logs.across.push((line.program.clone(), line.runtime_s, worded));
    }
    out.flush().map_err(failed)?;
    write_page(args, several.then(|| logs_page(&logs)).as_deref())
}

fn write_page(args: &ReportArgs, page: Option<&str>) -> Result<(), Failure> {
    match (&args.output, page) {
        (Some(path), Some(page)) => output::write_file(path, page.as_bytes()),
        _ => Ok(()),
    }
}

struct Told {
    line: LogLine,
    worded: Vec<Worded>,
    run: Option<ComparedRun>,
    printed: String,
    page: Option<String>,
    /// Why the log cannot be trusted.
    invalid: Option<Invalid>,
}

impl Told {
    fn new(args: &ReportArgs, shown: &Shown, found: &Examination, names: &FileTable) -> Told {
        let (job, usage, files, nodes) = (&shown.job, &shown.usage, &found.files, shown.nnodes);
        let facts = found.survey.as_ref().map(|survey| Facts { job, usage, files, survey, nodes });
        let advice = facts.as_ref().map(advice::advise).unwrap_or_default();
        let worded: Vec<Worded> = advice.iter().map(|finding| findings::word(finding, names)).collect();
        let printed = printed(args, shown, &worded);
        Told {
            line: shown.line(),
            worded,
            run: facts.as_ref().and_then(ComparedRun::of),
            printed,
            page: None,
            invalid: found.categories.as_ref().and_then(|found| found.as_ref().err().copied()),
        }
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

fn look(path: &Path, args: &ReportArgs, several: bool) -> Result<Told, Failure> {
    input::with_input(path, &args.read, |input| {
        let reader = input.reader()?;
        let log = Opened::of(reader.as_ref(), input.damage);
        let page = args.output.is_some() && !several;
        let (advice, unfold) = (Some(limits(args)), if several { 0 } else { u64::MAX });
        let questions = Questions { advice, rhythm: page, category: page || several, pictures: page, unfold };
        let found = examine(reader.as_ref(), &log, &questions, &mut Nothing);
        let shown = describe(reader.as_ref(), input.name, args.nodes, &log, &found);
        let told = Told::new(args, &shown, &found, &log.names);
        let page = page_of(&shown, &log, found, &told.worded);
        Ok(Told { page, ..told })
    })
}

/// `None` if its data was not collected.
fn page_of(shown: &Shown, log: &Opened, found: Examination, findings: &[Worded]) -> Option<String> {
    let Examination { files, timeline, layouts, rhythm, categories, .. } = found;
    let periods = rhythm.map(|found| Periods::new(&shown.input, &QUESTION, found, Vec::new()));
    Some(job_page(&JobPage {
        shown,
        names: &log.names,
        mounts: &MountTable::new(&log.job.mounts),
        files: &files,
        timeline: &timeline?,
        periods: periods.as_ref(),
        layouts: &layouts,
        categories: categories?.as_ref().map_err(|reason| *reason),
        findings,
    }))
}

//! `marigraph study`: a report on a whole system.

mod annotations;
mod devices;
mod load;
mod runs;
mod snapshots;

use marigraph_analysis::study::{Choice, study};
use marigraph_formats::server::{UnknownZone, Zone, read_moment};
use marigraph_report::page::study_page;
use marigraph_report::study::{json, text};
use marigraph_store::Study;

use crate::args::StudyArgs;
use crate::error::Failure;
use crate::output;

pub fn run(args: &StudyArgs) -> Result<(), Failure> {
    let zone = Zone::named(&args.tz)
        .map_err(|error| Failure::Usage(format!("{error}\nhint: {}", UnknownZone::HINT)))?;
    let choice = choice(args, &zone)?;
    let failed = |error| super::sql::refused(&args.study, error);
    let snapshot = Study::open(&args.study).and_then(|study| study.snapshot()).map_err(failed)?;
    let mut system = load::system(&snapshot).map_err(failed)?;
    if let Some(path) = &args.annotations {
        system.annotations = annotations::read(path, &zone)?;
    }
    if let Some(project) = &args.project
        && !system.batch.iter().any(|job| job.project == *project)
    {
        return Err(unknown_project(args, project, &system));
    }
    let found = study(&system, &choice);
    if let Some(path) = &args.output {
        output::write_file(path, study_page(&found, &choice).as_bytes())?;
    }
    match (args.json, &args.output) {
        (true, _) => output::print(&format!("{}\n", json(&found, &choice))),
        (false, None) => output::print(&text(&found, &choice, output::width())),
        (false, Some(_)) => Ok(()),
    }
}

fn choice(args: &StudyArgs, zone: &Zone) -> Result<Choice, Failure> {
    let moment = |flag: &str, text: &Option<String>| {
        let read = |text: &String| {
            read_moment(text, zone).ok_or_else(|| {
                let hint = "hint: use 2026-03-01, 2026-03-01T12:00:00 or seconds since 1970";
                Failure::Usage(format!("{flag}: cannot read {text:?} as a time\n{hint}"))
            })
        };
        text.as_ref().map(read).transpose()
    };
    let (from_s, to_s) = (moment("--from", &args.from)?, moment("--to", &args.to)?);
    if from_s.zip(to_s).is_some_and(|(from, to)| from >= to) {
        return Err(Failure::Usage("--from must be before --to".to_string()));
    }
    Ok(Choice {
        from_s,
        to_s,
        project: args.project.clone(),
        min_procs: args.min_procs,
        min_bytes: args.min_bytes,
        node_limit: args.node_limit,
    })
}

fn unknown_project(args: &StudyArgs, name: &str, system: &marigraph_analysis::study::System) -> Failure {
    let known: std::collections::BTreeSet<&str> =
        system.batch.iter().map(|job| job.project.as_str()).collect();
    let some: Vec<&str> = known.into_iter().filter(|name| !name.is_empty()).take(10).collect();
    let hint = if some.is_empty() {
        "projects come from the scheduler log: marigraph ingest jobs.txt --into STUDY".to_string()
    } else {
        format!("projects in the study include {}", some.join(", "))
    };
    let path = args.study.display().to_string();
    Failure::Input { path, message: format!("no job belongs to the project {name:?}"), hint: Some(hint) }
}

//! The categories of one log.

use std::path::Path;

use marigraph_analysis::category::{Categories, Collector, Facts, Families, Thresholds, categorize};
use marigraph_analysis::examine;
use marigraph_analysis::run::{Detail, Run};
use marigraph_analysis::usage::JobUsage;
use marigraph_analysis::valid::Invalid;
use marigraph_model::{All, Job, Module, Problem, Reader};

use crate::args::ReadArgs;
use crate::error::Failure;
use crate::input;

/// Why a log has no categories, and problems in reading it.
#[derive(Debug)]
pub struct Refused {
    pub reason: Invalid,
    pub problems: Vec<Problem>,
    job: Box<Job>,
}

impl Refused {
    fn detail(&self) -> Option<&str> {
        let first = self.problems.first().filter(|_| self.reason == Invalid::Truncated);
        first.map(|problem| problem.message.as_str())
    }

    fn into_examined(self) -> Examined {
        let message = self.detail().unwrap_or(self.reason.meaning()).to_string();
        let found = Err(Skip { reason: self.reason.code(), message });
        Examined { job: Some(*self.job), run: None, detail: None, found }
    }

    pub fn into_failure(self, input: &str) -> Failure {
        // Details in parentheses differ between logs; the rest can be counted.
        let detail = self.detail().map_or_else(String::new, |detail| format!(" ({detail})"));
        Failure::Input {
            path: input.to_string(),
            message: format!("inconsistent log: {}: {}{detail}", self.reason.code(), self.reason.meaning()),
            hint: Some(
                "marigraph show prints what can be read; copy the log again if it was truncated".to_string(),
            ),
        }
    }
}

/// A log that was read.
pub struct Examined {
    /// `None` if the log could not be opened.
    pub job: Option<Job>,
    /// The identity of its run.
    pub run: Option<String>,
    pub detail: Option<Detail>,
    pub found: Result<Categories, Skip>,
}

/// Why one log of many is skipped.
pub struct Skip {
    /// Machine-readable.
    pub reason: &'static str,
    pub message: String,
}

impl From<marigraph_formats::Error> for Skip {
    fn from(error: marigraph_formats::Error) -> Skip {
        Skip { reason: error.code(), message: error.to_string() }
    }
}

/// Errors are part of the answer.
pub fn examine(path: &Path, args: &ReadArgs, thresholds: &Thresholds) -> Examined {
    let nothing = |skip: Skip| Examined { job: None, run: None, detail: None, found: Err(skip) };
    let file = match input::load(path) {
        Ok(file) => file,
        Err(failure) => return nothing(Skip { reason: "unreadable", message: failure.message() }),
    };
    let examined = input::with_content(path, &file, args, |input| {
        let reader = match input.open() {
            Ok(reader) => reader,
            Err(error) => return nothing(error.into()),
        };
        match categories(reader.as_ref(), input.damage.clone(), thresholds) {
            Ok(Categorizable { job, categories, run, detail, .. }) => {
                Examined { job: Some(job), run, detail: Some(detail), found: Ok(categories) }
            }
            Err(refused) => refused.into_examined(),
        }
    });
    examined.unwrap_or_else(|error| nothing(error.into()))
}

/// Whether a log can be read and trusted.
pub fn is_sound(path: &Path, args: &ReadArgs) -> bool {
    examine(path, args, &Thresholds::default()).found.is_ok()
}

/// MPI-IO is needed only for single operations, if there are no others.
fn is_needed(module: Module) -> bool {
    module.is_operations() || matches!(module, Module::Posix | Module::Stdio | Module::Heatmap)
}

/// What a sound log says.
pub struct Categorizable {
    pub job: Job,
    pub categories: Categories,
    pub problems: Vec<Problem>,
    /// The identity of its run.
    pub run: Option<String>,
    pub detail: Detail,
}

pub fn categories(
    reader: &dyn Reader,
    damage: Option<Problem>,
    thresholds: &Thresholds,
) -> Result<Categorizable, Refused> {
    let (job, modules) = (reader.job(), reader.modules());
    let mut collector = Collector::new(&job, thresholds);
    // Among very many operations only families can be distinguished, so these must be known before.
    let traced = modules.iter().any(|info| info.module.is_operations());
    if traced {
        let (families, _) = families(reader);
        collector = collector.with_families(families);
    }
    let run = Run::of(&job);
    let mut usage = run.as_ref().is_some_and(Run::needs_totals).then(JobUsage::default);
    let streamed = reader.stream(&is_needed, &mut All(&mut [&mut collector, &mut usage]));
    let mut problems: Vec<Problem> = damage.into_iter().chain(reader.open_problems()).collect();
    problems.extend(streamed.problems);
    if collector.wants_families(thresholds) {
        let (families, more) = families(reader);
        problems.extend(more);
        collector.set_families(families);
    }
    let facts = Facts { job: &job, modules: &modules, problems: &problems, traced: examine::traced(reader) };
    match categorize(collector, &facts, thresholds) {
        Ok(categories) => {
            let totals = usage.map(|usage| usage.totals()).unwrap_or_default();
            let run = run.map(|run| run.identity(&totals));
            let detail = Detail::of(&modules, reader.trace_facts().is_some());
            Ok(Categorizable { job, categories, problems, run, detail })
        }
        Err(reason) => Err(Refused { reason, problems, job: Box::new(job) }),
    }
}

fn families(reader: &dyn Reader) -> (Families, Vec<Problem>) {
    let mut families = Families::default();
    let problems = reader.each_name(&mut |id, name| families.add(id, name));
    (families.sorted(), problems)
}

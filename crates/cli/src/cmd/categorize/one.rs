//! The categories of one opened log.

use marigraph_analysis::category::{
    Categories, Collector, Evidence, Facts, Families, Invalid, Thresholds, categorize,
};
use marigraph_formats::Reader;
use marigraph_model::{Module, ModuleInfo, Problem};

use crate::error::Failure;

/// Why a log has no categories, and what was found wrong in reading it.
#[derive(Debug)]
pub struct Refused {
    /// Why.
    pub reason: Invalid,
    /// Trouble.
    pub problems: Vec<Problem>,
}

impl Refused {
    /// The failure to say so.
    pub fn into_failure(self, input: &str) -> Failure {
        let detail = self.problems.first().filter(|_| self.reason == Invalid::Truncated);
        Failure::Input {
            path: input.to_string(),
            message: format!("not to be trusted: {}: {}", self.reason.code(), self.reason.meaning()),
            hint: detail.map(|problem| problem.message.clone()),
        }
    }
}

/// Modules that tell what is needed. Of MPI-IO only single operations are, where there are no others.
fn is_needed(module: Module) -> bool {
    matches!(module, Module::Posix | Module::Stdio | Module::DxtPosix | Module::DxtMpiio | Module::Heatmap)
}

/// The categories of a log, with trouble found in reading it.
pub fn categories(
    reader: &dyn Reader,
    damage: Option<Problem>,
    thresholds: &Thresholds,
) -> Result<(Categories, Vec<Problem>), Refused> {
    let (job, modules) = (reader.job(), reader.modules());
    let mut collector = Collector::new(&job, thresholds);
    // Of very many operations only families can be kept apart, so these must be known before.
    let traced = modules.iter().any(is_traced);
    if traced {
        collector = collector.with_families(Families::of(&reader.names().0));
    }
    let streamed = reader.stream(&is_needed, &mut collector);
    let mut problems: Vec<Problem> = damage.into_iter().chain(reader.open_problems()).collect();
    problems.extend(streamed.problems);
    if collector.wants_families() {
        let (names, more) = reader.names();
        problems.extend(more);
        collector.set_families(Families::of(&names));
    }
    match conclude(reader, collector, &problems, thresholds) {
        Ok(categories) => Ok((categories, problems)),
        Err(reason) => Err(Refused { reason, problems }),
    }
}

/// The categories of what was collected from a log.
pub fn conclude(
    reader: &dyn Reader,
    collected: Collector,
    problems: &[Problem],
    thresholds: &Thresholds,
) -> Result<Categories, Invalid> {
    let (job, modules) = (reader.job(), reader.modules());
    let traced = if reader.format() == "darshan" { Evidence::Dxt } else { Evidence::Trace };
    let facts = Facts { job: &job, modules: &modules, problems, traced };
    categorize(collected, &facts, thresholds)
}

fn is_traced(info: &ModuleInfo) -> bool {
    matches!(info.module, Module::DxtPosix | Module::DxtMpiio)
}

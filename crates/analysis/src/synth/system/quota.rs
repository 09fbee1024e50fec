//! Jobs and core-hours of each project.

use super::SystemPlan;
use super::projects::{CORE_HOURS, FULL, HIGHLIGHTED, INSTRUMENTED, JOBS, PROJECTS};

/// Jobs and core-hours of a project.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quota {
    /// Jobs with logs, and all.
    pub jobs: [u64; 2],
    /// Core-hours of jobs with logs, and of all.
    pub core_hours: [f64; 2],
}

/// Its few jobs all differ, so none is left out.
const WHOLE: &str = "CombustionPhysics";

/// Quotas of all projects, the highlighted ones first.
pub fn quotas(plan: &SystemPlan) -> Vec<Quota> {
    let size = plan.jobs as f64 / FULL;
    let covered = size * plan.logs_share / 0.27;
    let instrumented = (plan.logs_share * plan.jobs as f64).round();
    let mut quotas: Vec<Quota> = HIGHLIGHTED
        .iter()
        .map(|project| {
            let least = if project.name == WHOLE { project.jobs } else { [1.0, 2.0] };
            let all = (project.jobs[1] * plan.jobs as f64 / JOBS).round().max(least[1]);
            let own = (project.jobs[0] * instrumented / INSTRUMENTED).round().clamp(least[0], all);
            Quota {
                jobs: [own as u64, all as u64],
                core_hours: hours(project.core_hours[0] * covered, project.core_hours[1] * size),
            }
        })
        .collect();
    let sum = |of: fn(&Quota) -> u64| quotas.iter().map(of).sum::<u64>();
    let (all, own) = (sum(|quota| quota.jobs[1]), sum(|quota| quota.jobs[0]));
    let weights: Vec<f64> = (0..PROJECTS[0] - HIGHLIGHTED.len()).map(|at| 1.0 / (at as f64 + 3.0)).collect();
    let with_logs = &weights[..PROJECTS[1] - HIGHLIGHTED.len()];
    let jobs = spread(plan.jobs.saturating_sub(all), &weights);
    let logged = spread((instrumented as u64).saturating_sub(own), with_logs);
    let published = |at: usize| HIGHLIGHTED.iter().map(|project| project.core_hours[1 - at]).sum::<f64>();
    let left = [(CORE_HOURS[0] - published(0)) * size, (CORE_HOURS[1] - published(1)) * covered];
    let part = |counts: &[u64], at: usize| {
        counts.get(at).map_or(0.0, |&count| count as f64 / counts.iter().sum::<u64>().max(1) as f64)
    };
    quotas.extend(jobs.iter().enumerate().map(|(at, &count)| Quota {
        jobs: [logged.get(at).map_or(0, |&own| own.min(count)), count],
        core_hours: hours(left[1] * part(&logged, at), left[0] * part(&jobs, at)),
    }));
    quotas
}

/// Converts millions; limits the hours with logs to all hours.
fn hours(own: f64, all: f64) -> [f64; 2] {
    [own.min(all) * 1e6, all * 1e6]
}

/// Splits a number by weight into parts of at least 1, with the same sum where possible.
pub fn spread(total: u64, weights: &[f64]) -> Vec<u64> {
    let (sum, mut before, mut given) = (weights.iter().sum::<f64>().max(f64::MIN_POSITIVE), 0.0, 0);
    let rest = total.saturating_sub(weights.len() as u64);
    weights
        .iter()
        .map(|weight| {
            before += weight;
            let until = (rest as f64 * before / sum).round() as u64;
            let part = until - given;
            given = until;
            part + 1
        })
        .collect()
}

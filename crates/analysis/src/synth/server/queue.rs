//! The scheduler's log.

use marigraph_model::BatchJob;

use super::EPOCH;
use super::application::Application;
use super::run::SyntheticRun;
use crate::synth::random::Random;

const NAMES: [&str; 10] =
    ["nek5000", "lmp", "chimera", "vasp_std", "cesm.exe", "python", "gtc", "namd2", "xgc", "postproc"];
const STATES: [&str; 4] = ["COMPLETED", "CANCELLED", "TIMEOUT", "FAILED"];
const OTHERS: f64 = 60.0;

/// All jobs in order of start: runs of the known applications, and others that rarely repeat.
pub(super) fn jobs<'a>(
    known: impl Iterator<Item = (&'a Application, &'a Vec<SyntheticRun>)>,
    seconds: usize,
    random: &mut Random,
) -> Vec<BatchJob> {
    let mut jobs = Vec::new();
    for (application, run) in known.flat_map(|(one, runs)| runs.iter().map(move |run| (one, run))) {
        jobs.push(job(run.job, &application.user, &application.job, application.nodes, (run.start, run.end)));
    }
    for number in 0..(seconds as f64 / 86_400.0 * OTHERS) as u64 {
        let user = format!("u{}", 400 + random.index(70));
        let name = NAMES[random.index(NAMES.len())];
        let start = EPOCH + (random.unit() * seconds as f64).floor();
        let end = start + random.between_log(60.0, 1_500.0).floor() * random.lognormal(1.0).ceil();
        let mut other = job(1_400_000 + 64 * number, &user, name, 1 << random.index(11), (start, end));
        other.state = STATES[if random.chance(0.74) { 0 } else { 1 + random.index(3) }].to_string();
        jobs.push(other);
    }
    jobs.sort_by(|one, other| {
        one.start.partial_cmp(&other.start).unwrap_or(std::cmp::Ordering::Equal).then(one.id.cmp(&other.id))
    });
    jobs
}

fn job(id: u64, user: &str, name: &str, nodes: u64, (start, end): (f64, f64)) -> BatchJob {
    BatchJob {
        id: id.to_string(),
        number: Some(id),
        user: user.to_string(),
        name: name.to_string(),
        account: format!("proj_{}", user.trim_start_matches('u')),
        partition: "batch".to_string(),
        state: "COMPLETED".to_string(),
        nodes: Some(nodes),
        processes: Some(nodes * 16),
        submit: Some(start - 600.0),
        start: Some(start),
        end: Some(end),
    }
}

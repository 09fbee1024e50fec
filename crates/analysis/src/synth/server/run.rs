//! One run of an application among all others.

use super::application::Application;
use super::load::Load;
use super::{CAPACITY, EPOCH, ServerPlan};
use crate::synth::random::Random;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Normal,
    Restart,
}

/// A burst of a run, in seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunBurst {
    pub start: f64,
    pub end: f64,
    pub bytes: f64,
}

/// A run of an application.
#[derive(Debug, Clone, PartialEq)]
pub struct SyntheticRun {
    pub job: u64,
    pub restart: bool,
    /// Seconds since 1970.
    pub start: f64,
    pub end: f64,
    pub bursts: Vec<RunBurst>,
}

/// Slowdown of a burst per share of the capacity that others take.
const SLOWED: f64 = 0.8;
/// Variation of the time between bursts, as a share of it.
const VARIES: f64 = 0.008;
/// Remaining seconds of a burst that count as done.
const BARELY: f64 = 0.05;

/// Runs an application from second `begin` of the log and adds its traffic there.
pub(super) fn perform(
    application: &Application,
    (job, begin, kind): (u64, usize, Kind),
    plan: &ServerPlan,
    load: &mut Load,
    random: &mut Random,
) -> SyntheticRun {
    let count = application.bursts.len();
    let first = if kind == Kind::Restart { (count * 2).div_ceil(5).min(count - 1) } else { 0 };
    let mut now = begin;
    let mut before = first
        .checked_sub(1)
        .and_then(|at| application.bursts.get(at))
        .map_or(0, |burst| burst.start_s + burst.duration_s);
    for (at, &bytes) in application.read.iter().enumerate() {
        load.add_read(begin + at, bytes);
    }
    let mut bursts = Vec::new();
    for burst in &application.bursts[first..] {
        now += waited(burst.start_s - before, plan, random);
        let profile = &application.write[burst.start_s..burst.start_s + burst.duration_s];
        let end = write(profile, now, plan.contention, load);
        bursts.push(RunBurst { start: EPOCH + now as f64, end: EPOCH + end as f64, bytes: burst.bytes });
        (now, before) = (end, burst.start_s + burst.duration_s);
    }
    now += waited(application.write.len() - before, plan, random);
    let restart = kind == Kind::Restart;
    SyntheticRun { job, restart, start: EPOCH + begin as f64, end: EPOCH + now as f64, bursts }
}

/// Seconds of computing, never fewer than without jitter.
fn waited(seconds: usize, plan: &ServerPlan, random: &mut Random) -> usize {
    let more = seconds as f64 * VARIES * plan.jitter * random.normal(0.0, 1.0).abs();
    seconds + more as usize
}

/// Writes a burst from a second on and returns the second at which it ends. Contention, by readers
/// and writers alike, stretches the same bytes over more time; computing continues with the next
/// whole second.
fn write(profile: &[f64], begin: usize, contention: f64, load: &mut Load) -> usize {
    let clean = profile.len() as f64;
    // Completed seconds of the clean burst.
    let (mut done, mut now) = (0.0, begin);
    while done < clean - BARELY {
        let slowdown = 1.0 + contention * SLOWED * load.others(now) / CAPACITY;
        let next = done + 1.0 / slowdown;
        let next = if next > clean - BARELY { clean } else { next };
        load.add_write(now, between(profile, done, next));
        (done, now) = (next, now + 1);
    }
    now
}

fn between(profile: &[f64], from: f64, to: f64) -> f64 {
    let share = |at: usize| (to.min(at as f64 + 1.0) - from.max(at as f64)).max(0.0);
    let (first, last) = (from as usize, (to.ceil() as usize).min(profile.len()));
    (first..last).map(|at| profile[at] * share(at)).sum()
}

//! One run of an application among all others.

use super::application::Application;
use super::load::Load;
use super::{CAPACITY, EPOCH, ServerPlan};
use crate::synth::random::Random;

/// Whether a run begins at the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Normal,
    Restart,
}

/// A burst as it was in a run, in seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunBurst {
    /// When it began.
    pub start: f64,
    /// When it ended.
    pub end: f64,
    /// Bytes written.
    pub bytes: f64,
}

/// One run.
#[derive(Debug, Clone, PartialEq)]
pub struct SyntheticRun {
    /// The scheduler's number.
    pub job: u64,
    /// Whether it began from a checkpoint.
    pub restart: bool,
    /// Seconds since 1970.
    pub start: f64,
    /// Seconds since 1970.
    pub end: f64,
    /// What it wrote.
    pub bursts: Vec<RunBurst>,
}

/// How much others slow a burst down, per share of the capacity that they take.
const SLOWED: f64 = 0.8;
/// How far the time between bursts varies, as a share of it.
const VARIES: f64 = 0.008;
/// What is left of a burst that is as good as done, in seconds.
const BARELY: f64 = 0.05;

/// Runs an application from a second of the log on, and leaves its traffic there.
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

/// Seconds that computing takes: never less than alone.
fn waited(seconds: usize, plan: &ServerPlan, random: &mut Random) -> usize {
    let more = seconds as f64 * VARIES * plan.jitter * random.normal(0.0, 1.0).abs();
    seconds + more as usize
}

/// Writes a burst from a second on; the second at which it is done. Who is slowed down by others, readers and
/// writers alike, goes through the same bytes in more time; computing goes on with the next whole second.
fn write(profile: &[f64], begin: usize, contention: f64, load: &mut Load) -> usize {
    let clean = profile.len() as f64;
    // Seconds of the clean burst that are done.
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

/// Bytes of a profile between two moments of it.
fn between(profile: &[f64], from: f64, to: f64) -> f64 {
    let share = |at: usize| (to.min(at as f64 + 1.0) - from.max(at as f64)).max(0.0);
    let (first, last) = (from as usize, (to.ceil() as usize).min(profile.len()));
    (first..last).map(|at| profile[at] * share(at)).sum()
}

//! One run of an application among all others.

use super::EPOCH;
use super::application::{Application, CleanBurst};
use super::law::{Storage, Writer};
use super::load::Load;
use crate::synth::random::Random;

/// A burst of a run, in seconds since 1970: from when the program writes until it continues.
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

/// Variation of the time between bursts, as a share of it.
pub(super) const VARIES: f64 = 0.008;
/// The mean of the absolute value of a normal variable, in deviations.
pub(super) const MEAN_OF_HALF_NORMAL: f64 = 0.797_884_560_802_865_4;

/// How long computing takes between bursts: never less than planned.
pub(super) enum Pace<'a> {
    /// Each time is drawn; bursts and computing last whole seconds.
    Whole(f64, &'a mut Random),
    /// Each time is drawn; only bursts begin with whole seconds, and what is left counts for the
    /// next.
    Drawn(f64, &'a mut Random),
    /// As on average, if this is the variation.
    Mean(f64),
}

impl Pace<'_> {
    /// The second at which a wait from `now` ends; `left` is what remains of a second, which may be
    /// less than nothing after a burst that ended within one.
    fn wait(&mut self, now: usize, seconds: usize, left: &mut f64) -> usize {
        let clean = seconds as f64;
        let exact = match self {
            Pace::Whole(jitter, random) => {
                let more = clean * VARIES * *jitter * random.normal(0.0, 1.0).abs();
                *left = 0.0;
                return now + seconds + more as usize;
            }
            Pace::Drawn(jitter, random) => clean * (1.0 + VARIES * *jitter * random.normal(0.0, 1.0).abs()),
            Pace::Mean(jitter) => clean * (1.0 + VARIES * *jitter * MEAN_OF_HALF_NORMAL),
        };
        let until = (exact + *left).max(0.0);
        *left = until.fract();
        now + until as usize
    }
}

/// Runs an application from second `begin` and burst `first` on, and adds its writes to the load.
/// Returns the last second and the bursts.
pub(super) fn perform(
    application: &Application,
    storage: &Storage,
    (begin, first): (usize, usize),
    pace: &mut Pace<'_>,
    load: &mut Load,
) -> (usize, Vec<RunBurst>) {
    let mut now = begin;
    let end_of = |burst: &CleanBurst| burst.start_s + burst.duration_s;
    let mut before = first.checked_sub(1).and_then(|at| application.bursts.get(at)).map_or(0, end_of);
    let mut writer = Writer::new(storage, begin, load);
    let (mut bursts, mut left) = (Vec::new(), 0.0);
    for burst in &application.bursts[first..] {
        now = pace.wait(now, burst.start_s - before, &mut left);
        let (end, rest) = writer.write(&application.write[burst.start_s..end_of(burst)], now);
        left -= rest;
        bursts.push(RunBurst { start: EPOCH + now as f64, end: EPOCH + end as f64, bytes: burst.bytes });
        (now, before) = (end, end_of(burst));
    }
    now = pace.wait(now, application.write.len() - before, &mut left);
    (writer.finish(now), bursts)
}

/// The burst from which a restart continues.
pub(super) fn checkpoint(application: &Application) -> usize {
    let count = application.bursts.len();
    (count * 2).div_ceil(5).min(count.saturating_sub(1))
}

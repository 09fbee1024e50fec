//! Finds the period of a log, from its best evidence and by the requested method.

use marigraph_model::{All, Direction, Module, Nanos, Sink};

use super::activity::DirectionFilter;
use super::changes::Changes;
use super::dft::{self, Rules};
use super::evidence::{Activities, Level, Seen, Survey};
use super::metrics;
use super::outcome::Outcome;
use super::samples::{Extent, Samples, Span};
use crate::timeline::Evidence;

/// Default samples per second of the published method.
pub(crate) const USUAL_HZ: f64 = 10.0;
/// Maximum number of samples by default: five days at the usual rate. A few bytes of a log can
/// claim any time span.
pub(crate) const MAX_UNASKED: f64 = 4_194_304.0;

/// Sampling rate of the published method.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Sampling {
    /// Heat maps once per bin, operations ten times a second, less for runs of many days.
    #[default]
    Usual,
    /// Finely enough to miss no change, as far as memory allows.
    EveryChange,
    Hertz(f64),
}

/// The method of finding a period.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// Our own method.
    Auto,
    /// The published method.
    Dft { sampling: Sampling, rules: Rules },
}

/// What to find, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Question {
    pub direction: DirectionFilter,
    /// Part of the run to analyse, in seconds from its start; sides may be infinite.
    pub window: Option<[f64; 2]>,
    pub skip_first_phase: bool,
    pub method: Method,
}

/// The outcome and the evidence behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub evidence: Evidence,
    pub seen: Seen,
    pub outcome: Outcome,
}

pub fn is_timed(module: Module) -> bool {
    module.is_operations() || module == Module::Heatmap
}

/// Finds the period of a log. `runtime_s` is called only where the run time matters, since some
/// logs must be read whole for it. `stream` sends the timed contents of the log to a sink; it is
/// called once, by the published method two or three times, and as often again to leave out the
/// first phase. `None` if the log does not record when bytes moved.
pub fn find(
    question: &Question,
    runtime_s: &dyn Fn() -> f64,
    stream: &mut dyn FnMut(&mut dyn Sink),
) -> Option<Found> {
    let found = match question.method {
        Method::Auto => {
            let mut survey = Survey::default();
            let mut activities = Activities::new(question.direction, question.window);
            stream(&mut All(&mut [&mut survey, &mut activities]));
            answer(question, &survey, activities)
        }
        Method::Dft { sampling, rules } => published(question, runtime_s, sampling, &rules, stream),
    }?;
    let second = second_phase(&found.outcome).filter(|_| question.skip_first_phase);
    let Some(from) = second else { return Some(found) };
    let to = question.window.map_or(f64::INFINITY, |window| window[1]);
    let rest = Question { window: Some([from, to]), skip_first_phase: false, ..*question };
    find(&rest, runtime_s, stream)
}

/// The period by our own method, after a log was streamed into both `survey` and `activities`.
pub fn answer(question: &Question, survey: &Survey, activities: Activities) -> Option<Found> {
    let (evidence, level, seen) = survey.best(question.direction)?;
    let outcome = activities.take(evidence, level).analyse();
    Some(Found { evidence, seen: seen.clone(), outcome })
}

fn published(
    question: &Question,
    runtime_s: &dyn Fn() -> f64,
    sampling: Sampling,
    rules: &Rules,
    stream: &mut dyn FnMut(&mut dyn Sink),
) -> Option<Found> {
    let direction = question.direction;
    let wanted =
        |level: Level| move |module: Module, op: Direction| Level::of(module) == level && direction.takes(op);
    let extent = |level: Level| Extent::new(wanted(level));
    let (mut system, mut mpi, mut other) = (extent(Level::System), extent(Level::Mpi), extent(Level::Other));
    let mut survey = Survey::default();
    stream(&mut All(&mut [&mut survey, &mut system, &mut mpi, &mut other]));
    let (evidence, level, seen) = survey.best(direction)?;
    let extent = match level {
        Level::System => system,
        Level::Mpi => mpi,
        Level::Other => other,
    };
    let found = |outcome: Outcome| Some(Found { evidence, seen: seen.clone(), outcome });
    let span = extent.span().filter(|(kind, _)| *kind == evidence);
    let Some(window) = span.and_then(|(_, span)| part(question, &span, runtime_s)) else {
        return found(nothing(question));
    };
    let usual = if evidence == Evidence::Heatmap { extent.bins_per_second() } else { None };
    let length_s = window[1].as_job_seconds() - window[0].as_job_seconds();
    let most = MAX_UNASKED / length_s;
    let hertz = match sampling {
        Sampling::Hertz(hertz) => hertz,
        Sampling::EveryChange if evidence == Evidence::Trace => {
            let mut changes = Changes::new(wanted(level));
            stream(&mut changes);
            changes.sampling_hz().unwrap_or(most).min(most)
        }
        _ => usual.unwrap_or(USUAL_HZ).min(most),
    };
    let mut samples = Samples::new(evidence, window, hertz, wanted(level));
    stream(&mut samples);
    found(dft::follow(&samples.finish(), rules))
}

fn nothing(question: &Question) -> Outcome {
    let finite = |bound: f64| if bound.is_finite() { bound } else { 0.0 };
    Outcome { window_s: question.window.unwrap_or_default().map(finite), ..Outcome::default() }
}

/// The part of the run to analyse: by default from first to last request, and never beyond the run,
/// since silence costs samples.
fn part(question: &Question, span: &Span, runtime_s: &dyn Fn() -> f64) -> Option<[Nanos; 2]> {
    let Some([from, to]) = question.window else {
        return (span.first < span.last).then_some([span.first, span.last]);
    };
    let run = [span.first.min(Nanos(0)), span.last.max(Nanos::from_job_seconds(runtime_s()))];
    let bound = |bound: f64, otherwise: Nanos| {
        if bound.is_finite() { Nanos::from_job_seconds(bound).clamp(run[0], run[1]) } else { otherwise }
    };
    let [from, to] = [bound(from, span.first), bound(to, span.last)];
    (from < to).then_some([from, to])
}

/// Start of the second phase, by the signal: a first phase unlike the others is in no list of
/// phases. Anything that starts within half a period of the first phase belongs to it: a rate that
/// fluctuates around its mean splits a phase into several runs.
fn second_phase(outcome: &Outcome) -> Option<f64> {
    let phases = metrics::phases(&outcome.picture.signal, outcome.sampling_hz, outcome.window_s[0]);
    let first = phases.first()?;
    let end = outcome.period_s.map_or(first.end_s, |period| first.end_s.max(first.start_s + period / 2.0));
    phases.iter().map(|phase| phase.start_s).find(|start| *start >= end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_model::{Event, Events, FileId, Rank, Trace};

    /// Writes of one second every ten, and one long read before them.
    fn trace(writes: i64) -> Trace {
        let mut events = Events::default();
        let mut push = |op, start: i64, end: i64| {
            events.push(Event {
                interface: Module::Posix,
                direction: op,
                rank: Rank(0),
                file: FileId(1),
                start: Nanos(start * 1_000_000_000),
                end: Nanos(end * 1_000_000_000),
                offset: None,
                bytes: 1000,
                thread: None,
            });
        };
        push(Direction::Read, 0, 4);
        (1..=writes).for_each(|n| push(Direction::Write, 10 * n, 10 * n + 1));
        Trace { events, ..Trace::default() }
    }

    fn ask(trace: &Trace, question: &Question) -> Option<Outcome> {
        find(question, &|| 0.0, &mut |sink| trace.stream(sink)).map(|found| found.outcome)
    }

    const DFT: Question = Question {
        direction: DirectionFilter::Both,
        window: None,
        skip_first_phase: false,
        method: Method::Dft { sampling: Sampling::Usual, rules: Rules::PUBLISHED },
    };

    #[test]
    fn the_published_method_samples_what_is_asked_for() {
        let trace = trace(8);
        let writes = Question { direction: DirectionFilter::Write, ..DFT };
        let outcome = ask(&trace, &writes).expect("found");
        assert_eq!((outcome.window_s, outcome.samples, outcome.sampling_hz), ([10.0, 81.0], 710, 10.0));
        let part =
            ask(&trace, &Question { window: Some([f64::NEG_INFINITY, 50.0]), ..writes }).expect("found");
        assert_eq!(part.window_s, [10.0, 50.0]);
        let beyond = ask(&trace, &Question { window: Some([-1e12, 1e12]), ..writes }).expect("found");
        assert_eq!(beyond.window_s, [0.0, 81.0], "no samples outside of the run");
        for (sampling, samples) in [(Sampling::Hertz(2.0), 142), (Sampling::EveryChange, 142)] {
            let method = Method::Dft { sampling, rules: Rules::PUBLISHED };
            assert_eq!(ask(&trace, &Question { method, ..writes }).expect("found").samples, samples);
        }
    }

    #[test]
    fn a_log_that_claims_centuries_costs_no_memory() {
        let mut claims = trace(3);
        let late = claims.events.get(1).map(|event| Event {
            start: Nanos(9_000_000_000_000_000_000),
            end: Nanos(9_000_000_001_000_000_000),
            ..event
        });
        late.into_iter().for_each(|event| claims.events.push(event));
        let outcome = ask(&claims, &DFT).expect("found");
        assert!(outcome.samples <= MAX_UNASKED as usize, "{}", outcome.samples);
        assert!(outcome.sampling_hz < 0.01);
    }

    #[test]
    fn the_first_phase_can_be_left_out() {
        for method in [DFT.method, Method::Auto] {
            let question = Question { skip_first_phase: true, method, ..DFT };
            let outcome = ask(&trace(8), &question).expect("found");
            let [from, to] = outcome.window_s;
            assert!((from - 10.0).abs() < 0.1 && to == 81.0, "{method:?}: {from} to {to}");
        }
    }

    #[test]
    fn nothing_to_look_at_is_no_failure() {
        assert!(ask(&Trace::default(), &DFT).is_none(), "no evidence at all");
        for method in [DFT.method, Method::Auto] {
            let reads =
                Question { direction: DirectionFilter::Read, window: Some([50.0, 60.0]), method, ..DFT };
            let outcome = ask(&trace(8), &reads).expect("there is evidence");
            assert_eq!((outcome.period_s, outcome.phases.len()), (None, 0));
            assert_eq!(outcome.window_s, [50.0, 60.0]);
        }
        let mut silent = trace(0);
        silent.events.clear();
        assert!(ask(&silent, &DFT).is_none());
    }
}

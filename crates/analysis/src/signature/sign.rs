//! Mines the signature of one application from its runs.

use super::application::{Application, ApplicationRun, Group, Unusable};
use super::bursts::{Burst, burst_of, period, stretches};
use super::confidence::{Evidence, confidence};
use super::sample::Sample;
use super::score::pearson;
use super::{auto, dtw, iosi};
use crate::quantile;

/// The algorithm that mines signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Auto,
    /// The published method.
    Iosi,
    /// The baseline of the published study.
    Dtw,
}

/// Options of [`sign`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    pub method: Method,
    pub knobs: iosi::Knobs,
    pub min_samples: usize,
    /// Whether to cut all runs to the length of the shortest.
    pub partial: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { method: Method::Auto, knobs: iosi::Knobs::default(), min_samples: 3, partial: false }
    }
}

/// A run that was left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Dropped {
    pub job: String,
    pub why: Unusable,
    /// Write traffic during the run, where the throughput log has it.
    pub sample: Option<Sample>,
}

/// A run that was used.
#[derive(Debug, Clone, PartialEq)]
pub struct Used {
    pub run: ApplicationRun,
    /// Write traffic during the run.
    pub sample: Sample,
    /// Where the bursts of the signature lie, in seconds from its start; only with
    /// [`Method::Auto`].
    pub placed: Vec<(f64, f64)>,
}

/// The traffic that an application causes alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    pub application: Application,
    pub used: Vec<Used>,
    pub dropped: Vec<Dropped>,
    /// Bytes per second, one value per second.
    pub write: Vec<f64>,
    pub read: Vec<f64>,
    /// Write bursts.
    pub bursts: Vec<Burst>,
    /// Mean distance between bursts, where it is regular.
    pub period_s: Option<f64>,
    /// Probability that the correlation coefficient with the truth is at least
    /// [`RIGHT`](super::confidence::RIGHT); `None` if no burst was found, or in one run only,
    /// and with [`Method::Dtw`].
    pub confidence: Option<f64>,
    /// What the confidence rests on.
    pub evidence: Option<Evidence>,
}

impl Signature {
    /// Drops the samples, which only plots need: over thousands of applications they take much
    /// memory.
    pub fn without_samples(mut self) -> Signature {
        for used in &mut self.used {
            (used.sample.rates, used.sample.mended) = (Vec::new(), Vec::new());
        }
        self.dropped.iter_mut().for_each(|dropped| dropped.sample = None);
        self
    }

    pub fn bytes(&self) -> f64 {
        self.write.iter().chain(&self.read).sum()
    }
}

/// Too few runs to mine.
#[derive(Debug, Clone, PartialEq)]
pub struct TooFew {
    pub usable: usize,
    pub needed: usize,
    pub dropped: Vec<Dropped>,
}

/// A run and its server traffic: written, read.
type Taken = (ApplicationRun, [Sample; 2]);

/// One signature per set of similar runs. `samples` returns the server traffic during a run.
pub fn sign(
    group: &Group,
    samples: &dyn Fn(&ApplicationRun) -> Result<[Sample; 2], Unusable>,
    options: &Options,
) -> Result<Vec<Signature>, TooFew> {
    let (mut taken, mut dropped): (Vec<Taken>, Vec<Dropped>) = (Vec::new(), Vec::new());
    for run in &group.runs {
        match samples(run) {
            Ok(samples) => taken.push((run.clone(), samples)),
            Err(why) => dropped.push(Dropped { job: run.job.clone(), why, sample: None }),
        }
    }
    let needed = options.min_samples.max(1);
    if taken.len() < needed {
        return Err(TooFew { usable: taken.len(), needed, dropped });
    }
    if options.partial {
        shorten(&mut taken);
    }
    let sets =
        if options.method == Method::Auto { by_length(taken) } else { like_the_others(taken, options) };
    let mut signatures: Vec<Signature> = Vec::new();
    let most = sets.first().map_or(0, Vec::len);
    for (place, set) in sets.into_iter().enumerate() {
        // The first set is the largest; smaller ones may be another configuration.
        let enough = if options.method == Method::Auto { set.len() >= needed } else { place == 0 };
        if !enough {
            dropped.extend(set.into_iter().map(|run| left_out(run, Unusable::UnlikeTheOthers)));
            continue;
        }
        signatures.push(mined(&group.application, set, options));
    }
    match signatures.first_mut() {
        Some(first) => first.dropped.extend(dropped),
        None => return Err(TooFew { usable: most, needed, dropped }),
    }
    Ok(signatures)
}

fn left_out((run, [sample, _]): Taken, why: Unusable) -> Dropped {
    Dropped { job: run.job, why, sample: Some(sample) }
}

/// Runs of one configuration have similar durations: delays rarely add more than a tenth.
const LONGER: f64 = 1.1;

/// Splits the runs into sets of similar duration, largest first.
fn by_length(mut taken: Vec<Taken>) -> Vec<Vec<Taken>> {
    taken.sort_by(|one, other| one.1[0].duration_s.total_cmp(&other.1[0].duration_s));
    let mut sets: Vec<Vec<Taken>> = Vec::new();
    for run in taken {
        let length = run.1[0].duration_s;
        let like = |set: &&mut Vec<Taken>| {
            set.last().is_some_and(|last| length <= last.1[0].duration_s * LONGER + 10.0)
        };
        match sets.last_mut().filter(like) {
            Some(set) => set.push(run),
            None => sets.push(vec![run]),
        }
    }
    sets.sort_by_key(|set| std::cmp::Reverse(set.len()));
    for set in &mut sets {
        set.sort_by(|one, other| one.0.start.total_cmp(&other.0.start));
    }
    sets
}

/// Splits the runs into those that the published method keeps and the rest.
fn like_the_others(taken: Vec<Taken>, options: &Options) -> Vec<Vec<Taken>> {
    if !options.knobs.preprocess {
        return vec![taken];
    }
    let written: Vec<Sample> = taken.iter().map(|(_, samples)| samples[0].clone()).collect();
    let kept = iosi::kept(&written);
    let (like, unlike): (Vec<_>, Vec<_>) = taken.into_iter().zip(kept).partition(|(_, kept)| *kept);
    [like, unlike].map(|set| set.into_iter().map(|(run, _)| run).collect()).into()
}

fn shorten(taken: &mut [Taken]) {
    let shortest = taken.iter().map(|(_, samples)| samples[0].duration_s).fold(f64::INFINITY, f64::min);
    for sample in taken.iter_mut().flat_map(|(_, samples)| samples) {
        let intervals = ((sample.offset_s + shortest) / sample.interval_s).ceil() as usize;
        sample.rates.truncate(intervals);
        sample.duration_s = shortest;
    }
}

fn mined(application: &Application, set: Vec<Taken>, options: &Options) -> Signature {
    let side =
        |side: usize| -> Vec<Sample> { set.iter().map(|(_, samples)| samples[side].clone()).collect() };
    let (write, read) = (side(0), side(1));
    let mut dropped = Vec::new();
    let (rates, bursts, placed, read, doubt) = match options.method {
        Method::Auto => {
            let found = auto::mine(&write, &read);
            let unlike = (0..set.len()).filter(|run| !found.bursts.is_empty() && !found.fits.contains(run));
            dropped.extend(unlike.map(|run| left_out(set[run].clone(), Unusable::DoesNotFit)));
            let bursts = found.bursts.iter().map(|burst| burst_of(burst, &found.rates)).collect::<Vec<_>>();
            (found.rates, bursts, found.placed, auto::mine(&read, &write).rates, Some(found.doubt))
        }
        Method::Iosi => {
            let found = iosi::mine(&write, &options.knobs);
            let bursts = stretches(&found.rates, &found.crests);
            let halves = likeness_of_halves(&write, |half| iosi::mine(half, &options.knobs).rates);
            (found.rates, bursts, Vec::new(), iosi::mine(&read, &options.knobs).rates, Some(only(halves)))
        }
        Method::Dtw => {
            let mine = |samples: &[Sample]| dtw::mine(&iosi::prepared(samples, options.knobs.preprocess));
            let rates = mine(&write);
            let bursts = stretches(&rates, &[]);
            (rates, bursts, Vec::new(), mine(&read), None)
        }
    };
    let interval_s = write.first().map_or(1.0, |sample| sample.interval_s);
    let evidence = doubt.and_then(|doubt| evidence(&bursts, set.len(), doubt, interval_s));
    let used = set.into_iter().enumerate().map(|(at, (run, [sample, _]))| Used {
        run,
        sample,
        placed: placed.get(at).cloned().unwrap_or_default(),
    });
    let used =
        used.filter(|used| !dropped.iter().any(|dropped: &Dropped| dropped.job == used.run.job)).collect();
    Signature {
        application: application.clone(),
        used,
        dropped,
        write: rates,
        read,
        period_s: period(&bursts),
        bursts,
        confidence: evidence.and_then(|evidence| confidence(options.method, &evidence)),
        evidence,
    }
}

/// What is known of a method that does not look at delays.
fn only(halves: f64) -> auto::Doubt {
    auto::Doubt { halves, delays: 1.0, pace: 1.0, spread: 0.0 }
}

/// How like each other the signatures of every second sample and of the others are.
fn likeness_of_halves(samples: &[Sample], mine: impl Fn(&[Sample]) -> Vec<f64>) -> f64 {
    let half = |first: usize| -> Vec<Sample> { samples.iter().skip(first).step_by(2).cloned().collect() };
    let (mut one, mut other) = (mine(&half(0)), mine(&half(1)));
    let len = one.len().max(other.len());
    one.resize(len, 0.0);
    other.resize(len, 0.0);
    pearson(&one, &other)
}

fn evidence(bursts: &[Burst], runs: usize, doubt: auto::Doubt, interval_s: f64) -> Option<Evidence> {
    let support: usize = bursts.iter().map(|burst| burst.support).sum();
    let mut lengths: Vec<f64> = bursts.iter().map(|burst| burst.end_s - burst.start_s).collect();
    let auto::Doubt { halves, delays, pace, spread } = doubt;
    (!bursts.is_empty() && runs > 1).then(|| Evidence {
        runs,
        support: support as f64 / (bursts.len() * runs) as f64,
        halves,
        delays,
        pace,
        spread,
        length: quantile::between(&mut lengths, 0.5) / interval_s,
    })
}

//! Computes the trace of a scale that was never run from traces of a few small scales.
//!
//! Traces of all sizes must have the same structure: the same calls in the same loops, on sets of
//! ranks that follow a rule. Every number in them (offsets, counts, numbers in names, loop counts)
//! is then modelled over rank and size in exact arithmetic. A model fits all observations or is
//! rejected; nothing is guessed.
//!
//! | step | where |
//! |---|---|
//! | what belongs to the program | [`prepare`] |
//! | how numbers in names are printed | [`padded`], [`names`] |
//! | streams that do the same, at all sizes | [`classes`] |
//! | which ranks these are at the other size | [`ranks`] |
//! | sequences as numbers | [`lift`] |
//! | what parts reveal about each other | [`known`] |
//! | numbers over ranks and sizes | [`number`], by [`fit`] as a [`model`], from [`forms`] (with [`split`]) and [`sizes`] (with [`terms`], [`rounded`]) |
//! | numbers that follow from others | [`derived`] |
//! | the class as a whole | [`modelled`] |
//! | models supplied by the user | [`UserModel`], [`supplied`] |
//! | times, which are estimates | [`times`] |

mod classes;
mod derived;
mod fit;
mod forms;
mod known;
mod lift;
mod model;
mod modelled;
mod names;
mod number;
mod padded;
mod prepare;
mod ranks;
mod ratio;
mod rounded;
mod sizes;
mod split;
mod supplied;
mod terms;
mod times;
mod user;
mod words;

pub use user::{UserModel, Wrong};

use classes::Group;
use marigraph_model::folded::{Class, Stream};
use marigraph_wire::sequence::Bench;
use number::Target;

/// A trace split into streams.
#[derive(Debug, Clone)]
pub struct Input {
    /// Of the job.
    pub ranks: u32,
    pub streams: Vec<Stream>,
}

/// How far a part of the result can be trusted, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// One model fits, and the other sizes predict each size.
    Exact,
    /// A model fits, but the given sizes cannot prove it.
    Assumed,
    /// Two models fit that differ at the target size.
    Ambiguous,
    Refused,
}

/// What was found about one number of one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detail {
    pub event: String,
    pub parameter: String,
    pub verdict: Verdict,
    /// The model; both if ambiguous, the nearest if refused.
    pub model: String,
    pub why: String,
}

/// Number of events by verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub exact: u64,
    pub assumed: u64,
    pub ambiguous: u64,
    pub refused: u64,
}

/// A trace of another size, without ambiguous and refused events.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    pub classes: Vec<Class>,
    /// Details of numbers that are not exact, or that vary.
    pub details: Vec<Detail>,
    pub counts: Counts,
}

impl Outcome {
    pub fn verdict(&self) -> Verdict {
        match self.counts {
            Counts { refused: 1.., .. } => Verdict::Refused,
            Counts { ambiguous: 1.., .. } => Verdict::Ambiguous,
            Counts { assumed: 1.., .. } => Verdict::Assumed,
            _ => Verdict::Exact,
        }
    }

    fn count(&mut self, verdict: Verdict) {
        let counts = &mut self.counts;
        *match verdict {
            Verdict::Exact => &mut counts.exact,
            Verdict::Assumed => &mut counts.assumed,
            Verdict::Ambiguous => &mut counts.ambiguous,
            Verdict::Refused => &mut counts.refused,
        } += 1;
    }
}

/// Why no trace of another size can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Impossible {
    /// Number of different sizes, fewer than three.
    TooFewSizes(usize),
    /// A stream of the job with this many ranks has too many runs.
    TooLong(u32),
    /// Ranks of one size do what no rank of another does: size, ranks, the difference, other size.
    Structure(u32, Vec<u32>, String, u32),
    /// Sets of ranks that do the same follow no rule: what they do, and the sets by size.
    Ranks(String, Vec<(u64, Vec<u32>)>),
    /// A model of the user contradicts the observations: the model, and where.
    Contradicted(String, String),
    /// A loop count follows no model: which, and why.
    Loops(String, String),
}

const SIZES: usize = 3;

pub fn extrapolate(inputs: &[Input], target: u32, models: &[UserModel]) -> Result<Outcome, Impossible> {
    let mut sizes: Vec<u32> = inputs.iter().map(|input| input.ranks).collect();
    sizes.sort_unstable();
    sizes.dedup();
    if sizes.len() < SIZES {
        return Err(Impossible::TooFewSizes(sizes.len()));
    }
    let mut bench = Bench::new();
    let mut prepared: Vec<Input> = Vec::new();
    for input in inputs {
        let streams = input.streams.iter().map(|stream| prepare::prepared(stream, &mut bench));
        let streams = streams.collect::<Option<Vec<_>>>().ok_or(Impossible::TooLong(input.ranks))?;
        prepared.push(Input { ranks: input.ranks, streams });
    }
    prepared.sort_by_key(|input| input.ranks);
    padded::unify(&mut prepared, &mut bench);
    let groups = classes::groups(&prepared)?;
    let sets = classes::sets(&groups, target)?;
    let mut outcome = Outcome::default();
    let present: Vec<(&Group<'_>, &[u32])> = groups
        .iter()
        .zip(&sets)
        .filter(|(_, set)| !set.is_empty())
        .map(|(group, set)| (group, &set[..]))
        .collect();
    for (&(group, ranks), known) in present.iter().zip(known::known(&present, target)) {
        let unseen = group.unseen(ranks, target);
        let goal = Target { ranks: target, members: ranks, models, known: &known, unseen: unseen.as_ref() };
        let class = modelled::class(group, &goal, &mut outcome, &mut bench)?;
        outcome.classes.push(class);
    }
    Ok(outcome)
}

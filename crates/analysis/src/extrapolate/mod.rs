//! Traces at a scale that was never run, computed from traces of a few small ones.
//!
//! Traces of all sizes must have the same structure: the same calls in the same loops, on sets of ranks that
//! follow a rule. Every number in them (offsets, counts, numbers in names, loop counts) is then modelled over
//! rank and size, in exact arithmetic: a model fits all of it or is none. Nothing is guessed.
//!
//! | step | where |
//! |---|---|
//! | what belongs to the program | [`prepare`] |
//! | how numbers in names are printed | [`padded`], [`names`] |
//! | streams that do the same, at all sizes | [`classes`] |
//! | which ranks these are at the other size | [`ranks`] |
//! | sequences as numbers | [`lift`] |
//! | what they say about each other | [`known`] |
//! | numbers over ranks and sizes | [`number`], by [`fit`] as a [`model`], from [`forms`] (with [`split`]) and [`sizes`] (with [`terms`], [`rounded`]) |
//! | numbers that follow from others | [`derived`] |
//! | all of it together | [`modelled`] |
//! | what the user knows | [`UserModel`], [`supplied`] |
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

/// A trace taken apart.
#[derive(Debug, Clone)]
pub struct Input {
    /// Ranks of the job.
    pub ranks: u32,
    /// Its streams.
    pub streams: Vec<Stream>,
}

/// How far a part of the result can be trusted, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// One model fits, and each size is predicted by the others.
    Exact,
    /// It fits, but the sizes at hand cannot prove it.
    Assumed,
    /// Two models fit that differ at the size that is wanted.
    Ambiguous,
    /// No model fits.
    Refused,
}

/// What is said of one number of one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detail {
    /// The call, and on which ranks.
    pub event: String,
    /// Which of its numbers.
    pub parameter: String,
    /// How good.
    pub verdict: Verdict,
    /// The model; of two, both; of none, the nearest.
    pub model: String,
    /// Why it is not exact.
    pub why: String,
}

/// Events by verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Exact ones.
    pub exact: u64,
    /// Assumed ones.
    pub assumed: u64,
    /// Ambiguous ones.
    pub ambiguous: u64,
    /// Refused ones.
    pub refused: u64,
}

/// A trace of another size. Events that are ambiguous or refused are not in it.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// What the streams do.
    pub classes: Vec<Class>,
    /// Of numbers that are not exact, or that vary.
    pub details: Vec<Detail>,
    /// How many events there are of each kind.
    pub counts: Counts,
}

impl Outcome {
    /// The worst verdict.
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

/// Why there is no trace of another size at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Impossible {
    /// Fewer than three different sizes.
    TooFewSizes(usize),
    /// A stream has too many runs to be gone through.
    TooLong(u32),
    /// Ranks of some sizes do what no rank of another does: size, ranks, what they begin with.
    Structure(u32, Vec<u32>, String, u32),
    /// Sets of ranks that do the same follow no rule: what they do, and the sets by size.
    Ranks(String, Vec<(u64, Vec<u32>)>),
    /// A model of the user contradicts what was seen: the model, and where.
    Contradicted(String, String),
    /// How often a loop turns follows no model: which, and why.
    Loops(String, String),
}

/// Sizes that are needed.
const SIZES: usize = 3;

/// The trace for this number of ranks.
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

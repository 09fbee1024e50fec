//! Turns a trace into a stand-alone program that makes the same calls.
//!
//! | question | where |
//! |---|---|
//! | which threads run the same routine | [`gather`] |
//! | in which order calls come, and which are made inside others | [`order`] |
//! | which calls are made at all | [`select`] |
//! | how numbers follow from loops and ranks | [`numbers`], [`value`], [`rows`] |
//! | names of files | [`names`], [`files`] |
//!
//! Nothing is unrolled: a routine has the loops of the trace, so its length depends neither on
//! iterations nor on ranks. A call made inside another one is left to the outer call, unless that
//! one is not made itself. MPI calls are made as they are; HDF5 and PnetCDF calls are replaced by
//! the calls they made.

mod files;
mod gather;
mod names;
mod numbers;
mod order;
mod routine;
mod rows;
mod select;
mod value;

pub use files::{Files, Range};
pub use marigraph_model::folded::{Branch, Column, Series, Steps};
pub use marigraph_wire::op::{Effect, Layer, Op, Role};
pub use names::Piece;
pub use rows::Rows;
pub use value::Value;

use std::collections::BTreeMap;
use std::fmt;

use gather::{Gathering, Group};
use marigraph_model::folded::Stream;

use crate::replay::Plan;

/// A program that makes the calls of a trace.
#[derive(Debug)]
pub struct Program {
    pub ranks: u32,
    /// Per rank.
    pub processes: u32,
    /// Maximum per process.
    pub threads: u32,
    /// `None` if the trace has no MPI calls.
    pub mpi: Option<Mpi>,
    pub routines: Vec<Routine>,
    pub files: Vec<Files>,
    pub left_out: BTreeMap<&'static str, u64>,
}

/// How a program initializes MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mpi {
    /// Whether to use `MPI_Init_thread`.
    pub threads: bool,
    /// The process of each rank that uses MPI.
    pub process: u32,
}

/// What a set of threads does.
#[derive(Debug)]
pub struct Routine {
    pub process: u32,
    pub thread: u32,
    /// Ascending; columns have one number per rank.
    pub ranks: Vec<u32>,
    /// Start in nanoseconds after the first routine.
    pub start: i64,
    pub body: Vec<Item>,
    /// Sequences whose values are consumed one by one.
    pub series: Vec<Series>,
}

/// A step of a routine.
#[derive(Debug)]
pub enum Item {
    Loop(Column, Vec<Item>),
    /// A call, or several in a row at the same place.
    Call(Box<Call>),
    /// Idle time in nanoseconds.
    Pause(i64),
}

/// A call of a routine.
#[derive(Debug)]
pub struct Call {
    pub op: Op,
    /// Kind of call within the routine; counted values count calls of one kind.
    pub unit: usize,
    /// Repetitions in a row; acts as the innermost loop.
    pub runs: Value,
    /// Nanoseconds before each repetition.
    pub pause: i64,
    pub slot: Value,
    pub args: [Value; 3],
    /// Expected return value, and whether the second argument is added to it.
    pub ret: (Value, bool),
    pub names: [Option<Named>; 2],
    /// Further arguments, and their unit.
    pub more: Option<([Value; 3], usize)>,
}

/// A file name of a call.
#[derive(Debug)]
pub struct Named {
    /// Templates of the name; `None` where no file can have it.
    pub templates: Vec<Option<Vec<Piece>>>,
    /// Index into `templates`.
    pub which: Value,
    pub numbers: Vec<Value>,
}

/// Why no program can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// The order of calls does not repeat.
    TooLong,
    /// It is unclear which calls of this name the further arguments belong to.
    Further(&'static str),
    Nothing,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::TooLong => {
                write!(
                    f,
                    "its calls repeat too little: the program would have more than {} places",
                    order::PLACES
                )
            }
            Refused::Further(call) => write!(f, "only some calls of {call} have further arguments"),
            Refused::Nothing => write!(f, "no call of it can be made by a program"),
        }
    }
}

/// Builds a program from the streams of a trace.
#[derive(Debug, Default)]
pub struct Builder {
    gathering: Gathering,
}

impl Builder {
    /// Streams of one process and thread must come in the order of ranks.
    pub fn add(&mut self, stream: Stream) {
        self.gathering.add(stream);
    }

    pub fn finish(self, plan: &Plan) -> Result<Program, Refused> {
        let groups = self.gathering.finish();
        let mpi = mpi(&groups);
        let most = |of: &dyn Fn(&Group) -> u32| groups.iter().map(of).max().unwrap_or(0);
        let (processes, threads) = (most(&|group| group.process) + 1, most(&|group| group.thread) + 1);
        let ranks = most(&|group| group.ranks.last().copied().unwrap_or(0)) + 1;
        let first = groups.iter().map(|group| group.start).min().unwrap_or(0);
        let mut left_out = BTreeMap::new();
        let mut routines = Vec::new();
        let mut places = 0;
        for group in &groups {
            let order = order::Order::of(&group.order, group.units.len()).ok_or(Refused::TooLong)?;
            places += order.units.len();
            if places > order::PLACES {
                return Err(Refused::TooLong);
            }
            let standard = select::standard(&groups, group);
            let chosen = select::chosen(group, &order, &standard)?;
            for (unit, _) in
                group.units.iter().zip(&chosen.units).filter(|(_, role)| **role == select::Role::LeftOut)
            {
                *left_out.entry(unit.shape.op.name()).or_insert(0) += unit.calls;
            }
            let start = group.start.saturating_sub(first);
            routines.push(routine::routine(group, &order, &chosen, start, threads > 1));
        }
        if routines.iter().all(|routine| routine.body.is_empty()) && mpi.is_none() {
            return Err(Refused::Nothing);
        }
        Ok(Program { ranks, processes, threads, mpi, routines, files: files::listed(plan), left_out })
    }
}

fn mpi(groups: &[Group]) -> Option<Mpi> {
    let has = |group: &&Group| group.units.iter().any(|unit| unit.shape.op.layer() == Layer::Mpi);
    let group = groups.iter().find(has)?;
    let with_threads = |group: &Group| {
        let begins = group.units.iter().find(|unit| unit.shape.op == Op::Init);
        begins.is_some_and(|unit| unit.sequences.get(2).is_some_and(|a| a.first.at(0) == Some(1)))
    };
    Some(Mpi { threads: groups.iter().any(with_threads), process: group.process })
}

//! A trace as a program: what a stand-alone program does that makes the same calls.
//!
//! | question | where |
//! |---|---|
//! | which threads run the same routine | [`gather`] |
//! | in which order calls come, and which are made inside others | [`order`] |
//! | which calls are made at all | [`select`] |
//! | how numbers follow from loops and ranks | [`numbers`], [`value`], [`rows`] |
//! | names of files | [`names`], [`files`] |
//!
//! Nothing is unfolded: a routine has the loops that the trace has, so its length depends neither on iterations nor on
//! ranks. A call that another one made inside is left to that one, unless the outer one is not made itself. Calls
//! of MPI are made as they are; those of HDF5 and PnetCDF are not, but what they called is.

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
    /// Ranks; processes that are started.
    pub ranks: u32,
    /// Processes of a rank.
    pub processes: u32,
    /// Threads of a process, at most.
    pub threads: u32,
    /// How MPI is part of it.
    pub mpi: Option<Mpi>,
    /// What threads do.
    pub routines: Vec<Routine>,
    /// What must be there before, and what the program makes.
    pub files: Vec<Files>,
    /// Calls that are not made, by name.
    pub left_out: BTreeMap<&'static str, u64>,
}

/// How a program begins MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mpi {
    /// With threads.
    pub threads: bool,
    /// In which process of a rank.
    pub process: u32,
}

/// What some threads do.
#[derive(Debug)]
pub struct Routine {
    /// Which process of a rank.
    pub process: u32,
    /// Which thread of the process.
    pub thread: u32,
    /// Their ranks, ascending; columns have a number for each.
    pub ranks: Vec<u32>,
    /// When they begin, in nanoseconds after the first of all.
    pub start: i64,
    /// What they do.
    pub body: Vec<Item>,
    /// Sequences whose values are taken one by one.
    pub series: Vec<Series>,
}

/// A step of a routine.
#[derive(Debug)]
pub enum Item {
    /// Repeats its body this many times.
    Loop(Column, Vec<Item>),
    /// A call, or several of the same place one after the other.
    Call(Box<Call>),
    /// Nanoseconds in which nothing is done.
    Pause(i64),
}

/// A call.
#[derive(Debug)]
pub struct Call {
    /// What is called.
    pub op: Op,
    /// Which of the routine's kinds of calls: numbers that count calls count those of one kind.
    pub unit: usize,
    /// How many times in a row; the last of the loops around it.
    pub runs: Value,
    /// Nanoseconds before each.
    pub pause: i64,
    /// Which open file.
    pub slot: Value,
    /// Arguments.
    pub args: [Value; 3],
    /// What it is to return; if so, added to the second argument.
    pub ret: (Value, bool),
    /// Names among the arguments.
    pub names: [Option<Named>; 2],
    /// Further arguments, and which kind they are.
    pub more: Option<([Value; 3], usize)>,
}

/// A name of a call.
#[derive(Debug)]
pub struct Named {
    /// The templates it may have; nothing where no file can be called so.
    pub templates: Vec<Option<Vec<Piece>>>,
    /// Which of them.
    pub which: Value,
    /// Its numbers.
    pub numbers: Vec<Value>,
}

/// Why there is no program.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// The order of calls does not repeat itself.
    TooLong,
    /// It cannot be told which call further arguments belong to.
    Further(&'static str),
    /// There is nothing to do.
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

/// Takes in a trace.
#[derive(Debug, Default)]
pub struct Builder {
    gathering: Gathering,
}

impl Builder {
    /// The next stream. Those of one process and thread come in the order of ranks.
    pub fn add(&mut self, stream: Stream) {
        self.gathering.add(stream);
    }

    /// The program, for files that a plan names.
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

/// Whether the trace has calls of MPI, and how it begins.
fn mpi(groups: &[Group]) -> Option<Mpi> {
    let has = |group: &&Group| group.units.iter().any(|unit| unit.shape.op.layer() == Layer::Mpi);
    let group = groups.iter().find(has)?;
    let with_threads = |group: &Group| {
        let begins = group.units.iter().find(|unit| unit.shape.op == Op::Init);
        begins.is_some_and(|unit| unit.sequences.get(2).is_some_and(|a| a.first.at(0) == Some(1)))
    };
    Some(Mpi { threads: groups.iter().any(with_threads), process: group.process })
}

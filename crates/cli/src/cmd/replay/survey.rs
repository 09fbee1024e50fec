//! A pass over all calls of a trace in the order of their times, before a replay begins.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use marigraph_analysis::replay::{Action, Means, PATHS, Plan, PlanError, Planner, Role, Screen, meeting};
use marigraph_formats::native::mari::Loaded;
use marigraph_model::{Call, Slot};
use marigraph_wire::op::{Layer, Op};

use super::steps::Steps;

/// Facts about a whole trace.
pub struct Survey {
    pub plan: Plan,
    /// First start and last end, in nanoseconds, without MPI's initialization.
    pub origin: i64,
    pub end: i64,
    pub meetings: u64,
    pub ranks: BTreeSet<u32>,
    pub all_make_communicators: bool,
    /// Whether all ranks make the same collective calls: otherwise some would wait forever.
    pub all_go_together: bool,
    /// Calls of MPI-IO, and whether the trace has the calls inside any of them.
    pub mpi_calls: u64,
    pub shows_inside: bool,
}

struct Cursor<'l> {
    steps: Steps<'l>,
    /// What is performed, and what reveals required files whether performed or not.
    screen: Screen,
    telling: Screen,
    rank: u32,
    /// Number of the process, and whether this is the thread with the barriers.
    process: u32,
    main: bool,
}

#[derive(Default, Clone, Copy)]
struct Counted {
    meetings: u64,
    communicators: u64,
    /// A hash of its collective calls with all ranks.
    together: u64,
}

impl Counted {
    fn add(&mut self, op: Op, role: Role, more: &[[i64; 3]]) {
        self.meetings += u64::from(role == Role::Meet);
        if role == Role::Together {
            self.together = self.together.wrapping_mul(0x100_0000_01b3) ^ op as u64;
        }
        let of_world = more.first().is_some_and(|more| more[2] == 1);
        self.communicators += u64::from(op == Op::Comm && of_world);
    }
}

struct Tally {
    ranks: BTreeMap<u32, Counted>,
    origin: i64,
    end: i64,
    mpi_calls: u64,
    shows_inside: bool,
}

impl Tally {
    fn new(cursors: &[Cursor<'_>]) -> Tally {
        let ranks = cursors.iter().map(|cursor| (cursor.rank, Counted::default())).collect();
        Tally { ranks, origin: i64::MAX, end: i64::MIN, mpi_calls: 0, shows_inside: false }
    }

    fn add(&mut self, cursor: &Cursor<'_>, call: &Call, role: Role) {
        let (start, end) = meeting(call);
        self.origin = self.origin.min(start);
        if matches!(role, Role::Perform | Role::Together | Role::Meet) {
            self.end = self.end.max(end);
        }
        self.mpi_calls += u64::from(call.op.layer() == Layer::Mpi && call.slot != Slot::NONE);
        self.shows_inside |= call.depth > 0 && call.op.layer() == Layer::Posix;
        if let Some(counted) = self.ranks.get_mut(&cursor.rank).filter(|_| cursor.main) {
            counted.add(call.op, role, cursor.steps.more());
        }
    }

    fn survey(self) -> Survey {
        let usual = self.ranks.values().next().copied().unwrap_or_default();
        let (origin, end) = if self.end < self.origin { (0, 0) } else { (self.origin, self.end) };
        let all = |alike: fn(&Counted, &Counted) -> bool| self.ranks.values().all(|one| alike(one, &usual));
        Survey {
            plan: Plan::default(),
            origin,
            end,
            meetings: self.ranks.values().map(|counted| counted.meetings).min().unwrap_or(0),
            all_make_communicators: all(|one, usual| one.communicators == usual.communicators),
            all_go_together: all(|one, usual| one.together == usual.together),
            mpi_calls: self.mpi_calls,
            shows_inside: self.shows_inside,
            ranks: self.ranks.into_keys().collect(),
        }
    }
}

pub fn action<'a>(call: Call, steps: &'a Steps<'_>) -> Action<'a> {
    let mut ids = call.names();
    let names = [ids.next(), ids.next()].map(|id| steps.name(id?));
    Action { call, names, more: steps.more() }
}

pub fn survey(streams: &[Loaded<'_>], means: Means) -> Result<Survey, PlanError> {
    let mut planner = Planner::default();
    let survey = look(streams, means, &mut planner, 0)?;
    Ok(Survey { plan: planner.finish(), ..survey })
}

/// The same with a plan that others continue. Processes are numbered from `first` on.
pub fn look(
    streams: &[Loaded<'_>],
    means: Means,
    planner: &mut Planner,
    first: u32,
) -> Result<Survey, PlanError> {
    let mut cursors = cursors(streams, means, first);
    let mut tally = Tally::new(&cursors);
    let all = cursors.iter().enumerate();
    let mut heap: BinaryHeap<_> =
        all.filter_map(|(at, cursor)| Some(Reverse((cursor.steps.next_start()?, at)))).collect();
    while let Some(Reverse((_, at))) = heap.pop() {
        let Some(cursor) = cursors.get_mut(at) else { break };
        let Some(call) = cursor.steps.step() else { continue };
        // Names are numbered in order of appearance; all of them are kept in memory.
        if call.names().next().is_some_and(|id| id.0 > PATHS as i64) {
            return Err(PlanError::TooManyPaths);
        }
        let inside = means == Means::Mpi && cursor.steps.is_inside_mpi(&call);
        let role = cursor.screen.role(&call, inside);
        if cursor.tells(&call, role) {
            planner.add(cursor.process, &action(call, &cursor.steps))?;
        }
        tally.add(cursor, &call, role);
        heap.extend(cursor.steps.next_start().map(|time| Reverse((time, at))));
    }
    Ok(tally.survey())
}

impl Cursor<'_> {
    fn tells(&mut self, call: &Call, role: Role) -> bool {
        let system = self.telling.role(call, false) == Role::Perform;
        system || call.op.layer() == Layer::Mpi && matches!(role, Role::Perform | Role::Together)
    }
}

fn cursors<'l>(streams: &'l [Loaded<'_>], means: Means, first: u32) -> Vec<Cursor<'l>> {
    let mut processes: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let ranks: BTreeSet<u32> = streams.iter().map(|stream| stream.key().rank).collect();
    let ranks = ranks.len() as u32;
    let mut cursor = |loaded: &'l Loaded<'_>| {
        let key = loaded.key();
        let new = first.wrapping_add(processes.len() as u32);
        let process = *processes.entry((key.rank, key.process)).or_insert(new);
        Cursor {
            steps: Steps::new(loaded),
            screen: Screen::new(ranks, means),
            telling: Screen::new(ranks, Means::System),
            rank: key.rank,
            process,
            main: key.process == 0 && key.thread == 0,
        }
    };
    streams.iter().map(&mut cursor).collect()
}

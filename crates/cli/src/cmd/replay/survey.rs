//! All calls of a trace in the order of their times: what a replay needs to know before it begins.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use marigraph_analysis::replay::{Action, PATHS, Plan, PlanError, Planner, Role, Screen, meeting};
use marigraph_formats::native::call::{Call, Names};
use marigraph_formats::native::mari::{Calls, Loaded};

/// What is known of a whole trace.
pub struct Survey {
    pub plan: Plan,
    /// First start and last end, in nanoseconds.
    pub origin: i64,
    pub end: i64,
    /// How often all ranks meet.
    pub meetings: u64,
    pub ranks: BTreeSet<u32>,
}

/// One stream on its way.
struct Cursor<'l> {
    calls: Calls<'l>,
    next: Option<Call>,
    screen: Screen,
    rank: u32,
    /// Number of the process, and whether this is the thread in which ranks meet.
    process: u32,
    main: bool,
}

/// The call with its names.
pub fn action<'a>(call: &Call, calls: &'a Calls<'_>) -> Action<'a> {
    let named = call.op.names();
    let name = |at: usize| if named[at] { calls.name(call.args[at]) } else { None };
    let times = (call.start.0, call.end.0);
    Action { op: call.op, slot: call.slot, args: call.args, ret: call.ret, times, names: [name(0), name(1)] }
}

/// A call that is not performed here as one that does the same to files, if it does something to them.
pub type AsPosix = dyn for<'a> Fn(&Action<'a>) -> Option<Action<'a>>;

/// Goes through all calls once.
pub fn survey(streams: &[Loaded<'_>], as_posix: &AsPosix) -> Result<Survey, PlanError> {
    let mut planner = Planner::default();
    let survey = look(streams, as_posix, &mut planner, 0)?;
    Ok(Survey { plan: planner.finish(), ..survey })
}

/// The same without a plan, which others go on with. Processes are numbered from `first` on.
pub fn look(
    streams: &[Loaded<'_>],
    as_posix: &AsPosix,
    planner: &mut Planner,
    first: u32,
) -> Result<Survey, PlanError> {
    let mut cursors = cursors(streams, first);
    let mut met: BTreeMap<u32, u64> = cursors.iter().map(|cursor| (cursor.rank, 0)).collect();
    let (mut origin, mut end) = (i64::MAX, i64::MIN);
    let time = |cursor: &Cursor<'_>| cursor.next.map(|call| call.start.0);
    let all = cursors.iter().enumerate();
    let mut heap: BinaryHeap<_> = all.filter_map(|(at, cursor)| Some(Reverse((time(cursor)?, at)))).collect();
    while let Some(Reverse((start, at))) = heap.pop() {
        let Some(cursor) = cursors.get_mut(at) else { break };
        let Some(call) = cursor.next.take() else { continue };
        origin = origin.min(start);
        // Names are numbered as they come; all of them are kept in mind, wherever they lie below the root.
        if call.op.names()[0] && call.args[0] > PATHS as i64 {
            return Err(PlanError::TooManyPaths);
        }
        let role = cursor.screen.role(call.op, call.slot, call.args, call.ret);
        if role == Role::Perform {
            planner.add(cursor.process, &action(&call, &cursor.calls))?;
        }
        if let Some(action) = as_posix(&action(&call, &cursor.calls)) {
            planner.add(cursor.process, &action)?;
        }
        if matches!(role, Role::Perform | Role::Meet) {
            end = end.max(meeting(call.op, (start, call.end.0)).1);
        }
        if let Some(met) = met.get_mut(&cursor.rank).filter(|_| role == Role::Meet && cursor.main) {
            *met += 1;
        }
        cursor.next = cursor.calls.next();
        heap.extend(time(cursor).map(|time| Reverse((time, at))));
    }
    let meetings = met.values().min().copied().unwrap_or(0);
    let (origin, end) = if end < origin { (0, 0) } else { (origin, end) };
    Ok(Survey { plan: Plan::default(), origin, end, meetings, ranks: met.into_keys().collect() })
}

fn cursors<'l>(streams: &'l [Loaded<'_>], first: u32) -> Vec<Cursor<'l>> {
    let mut processes: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let ranks: BTreeSet<u32> = streams.iter().map(|stream| stream.key().rank).collect();
    let ranks = ranks.len() as u32;
    let mut cursor = |loaded: &'l Loaded<'_>| {
        let key = loaded.key();
        let new = first.wrapping_add(processes.len() as u32);
        let process = *processes.entry((key.rank, key.process)).or_insert(new);
        let mut calls = loaded.calls();
        let next = calls.next();
        let main = key.process == 0 && key.thread == 0;
        Cursor { calls, next, screen: Screen::new(ranks), rank: key.rank, process, main }
    };
    streams.iter().map(&mut cursor).collect()
}

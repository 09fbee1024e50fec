//! A thread that performs its calls, each when it is due.

use std::sync::atomic::Ordering::Relaxed;

use marigraph_analysis::replay::{Action, Clock, Drift, Moved, Schedule, moved};
use marigraph_wire::op::{Layer, Op};

use super::buffer::Buffer;
use super::files::Files;
use super::guard::{self, Done};
use super::mpi::{Mpi, Scene};
use super::root::Root;
use super::shared::{Counters, Shared};
use super::{descriptor, names, streams, wait};

/// State shared by all threads of a process.
#[derive(Debug)]
pub struct Session {
    pub root: Root,
    pub shared: Shared,
    pub schedule: Schedule,
    /// Divisor of pauses.
    pub speed: f64,
    /// `None` if MPI calls are not performed.
    pub mpi: Option<Mpi>,
}

/// A call whose result differs from the trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Errors are negative, here and in `got`.
    pub expected: i64,
    pub got: i64,
    /// The path below the root.
    pub path: Vec<u8>,
}

/// Performs the calls of one thread.
#[derive(Debug)]
pub struct Player<'s> {
    session: &'s Session,
    files: &'s Files,
    clock: Clock,
    drift: Drift,
    buffer: Buffer,
    epoch: i64,
    spin: bool,
    met: u64,
    /// When the last call returned.
    free: i64,
    calls: u64,
    left_out: u64,
    not_tried: u64,
    moved: Moved,
}

impl<'s> Player<'s> {
    /// Waits until all threads are ready and the replay begins.
    pub fn new(session: &'s Session, files: &'s Files) -> Player<'s> {
        wait::exact_sleeps();
        let counters = session.shared.counters();
        let mut player = Player {
            session,
            files,
            clock: Clock::new(session.schedule, session.speed, counters.origin.load(Relaxed)),
            drift: Drift::default(),
            buffer: Buffer::new(),
            epoch: 0,
            spin: counters.spin.load(Relaxed) != 0,
            met: 0,
            free: 0,
            calls: 0,
            left_out: 0,
            not_tried: 0,
            moved: Moved::default(),
        };
        player.begin();
        player
    }

    fn counters(&self) -> &'s Counters {
        self.session.shared.counters()
    }

    fn begin(&mut self) {
        let counters = self.counters();
        counters.ready.fetch_add(1, Relaxed);
        while counters.epoch.load(Relaxed) == 0 && !counters.stopped() {
            wait::until(wait::now().saturating_add(1_000_000), false, || counters.stopped());
        }
        self.epoch = counters.epoch.load(Relaxed);
        wait::until(self.epoch, self.spin, || counters.stopped());
    }

    pub fn stopped(&self) -> bool {
        self.counters().stopped()
    }

    fn now(&self) -> i64 {
        wait::now().saturating_sub(self.epoch)
    }

    fn wait(&mut self, start: i64) {
        if self.session.schedule == Schedule::Fast {
            return;
        }
        let due = self.clock.due(start);
        let counters = self.counters();
        wait::until(due.saturating_add(self.epoch), self.spin, || counters.stopped());
        self.drift.add(due, self.free, self.now());
    }

    /// Performs a call when it is due; returns the difference from the trace, if any.
    pub fn perform(&mut self, action: &Action<'_>) -> Option<Mismatch> {
        self.wait(action.call.start.0);
        let began = self.now();
        let done = self.call(action);
        self.free = self.now();
        self.clock.returned(self.free - began, action.call.end.0);
        self.judge(action, done)
    }

    /// The same for a collective call, in which ranks wait for each other.
    pub fn perform_together(&mut self, action: &Action<'_>) -> Option<Mismatch> {
        self.wait(action.call.start.0);
        let done = self.call(action);
        self.free = self.now();
        self.clock.met(self.free, action.call.end.0);
        self.judge(action, done)
    }

    fn judge(&mut self, action: &Action<'_>, done: Done) -> Option<Mismatch> {
        let result = match done {
            Done::Returned(result) => result,
            Done::LeftOut => {
                self.left_out += 1;
                return None;
            }
            Done::NotTried => {
                self.not_tried += 1;
                return None;
            }
        };
        // The description of a type is not a call of the program.
        self.calls += u64::from(action.call.op != Op::Type);
        let got = result.unwrap_or_else(|error| -i64::from(error.raw_os_error().unwrap_or(libc::EIO)));
        let moved = moved(&action.call, got);
        self.moved.read += moved.read;
        self.moved.written += moved.written;
        if got == action.call.ret {
            return None;
        }
        let path = match action.names[0].and_then(marigraph_analysis::replay::below) {
            Some(path) => path,
            None => self.files.path(action.call.slot),
        };
        if self.is_full(action.call.op, got) {
            self.counters().full.store(1, Relaxed);
            self.counters().stop.store(1, Relaxed);
        }
        Some(Mismatch { expected: action.call.ret, got, path })
    }

    /// Whether a call failed because the file system is full. MPI seldom reports it, or only writes
    /// less, so the file system is queried.
    fn is_full(&self, op: Op, got: i64) -> bool {
        if op.layer() == Layer::Mpi {
            return self.session.root.is_full();
        }
        [libc::ENOSPC, libc::EDQUOT].contains(&i32::try_from(-got).unwrap_or(0))
    }

    fn call(&mut self, action: &Action<'_>) -> Done {
        if action.call.op.layer() == Layer::Mpi {
            let counters = self.counters();
            let (root, files, buffer) = (&self.session.root, self.files, &mut self.buffer);
            let scene = Scene { root, files, buffer, stopped: &|| counters.stopped() };
            return self.session.mpi.as_ref().map_or(Done::LeftOut, |mpi| mpi.perform(action, scene));
        }
        if action.names[0].is_some() {
            let counters = self.counters();
            return names::perform(action, &self.session.root, self.files, &|| counters.stopped());
        }
        if let Some(done) = guard::spared_on_slot(&action.call, self.files) {
            return done;
        }
        if action.call.op.layer() == Layer::Stdio || action.call.op == Op::Fileno {
            return streams::perform(&action.call, self.files, &mut self.buffer).into();
        }
        descriptor::perform(&action.call, self.files, &mut self.buffer).into()
    }

    pub fn leave_out(&mut self) {
        self.left_out += 1;
    }

    /// A barrier of all ranks, from `start` to `end` in the trace.
    pub fn meet(&mut self, (start, end): (i64, i64)) {
        self.wait(start);
        let counters = self.counters();
        // A rank with more barriers than the others would wait forever.
        if self.met < counters.meetings.load(Relaxed) {
            counters.meet(counters.ranks.load(Relaxed));
        }
        self.met += 1;
        self.free = self.now();
        self.clock.met(self.free, end);
    }

    pub fn finish(self) {
        let counters = self.counters();
        counters.end.fetch_max(self.free, Relaxed);
        counters.calls.fetch_add(self.calls, Relaxed);
        counters.left_out.fetch_add(self.left_out, Relaxed);
        counters.not_tried.fetch_add(self.not_tried, Relaxed);
        counters.read.fetch_add(self.moved.read, Relaxed);
        counters.written.fetch_add(self.moved.written, Relaxed);
        counters.drift_max.fetch_max(self.drift.max, Relaxed);
        counters.drift_last.fetch_max(self.drift.last, Relaxed);
        for (shared, own) in counters.drift.iter().zip(self.drift.bins()) {
            shared.fetch_add(*own, Relaxed);
        }
    }
}

//! Determines what must exist before a replay, and what the trace creates.
//!
//! Calls come in time order over all threads. The first evidence about a path decides: what is
//! found without having been created existed before; what is created did not.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

use marigraph_model::{Call, Slot};
use marigraph_wire::op::{Effect, Layer, Op, Role};

use super::path::{below, parent};
use super::views::Views;
use super::{Action, changes, moved};

pub const PATHS: usize = 4_000_000;
const OPEN: usize = 1 << 20;

pub const ACCESS: i64 = 3;
pub const CREATE: i64 = 0o100;
pub const EXCLUSIVE: i64 = 0o200;
pub const TRUNCATE: i64 = 0o1000;
const DIRECTORY: i64 = 0o200_000;
const NOT_FOUND: i64 = -2;
const EXISTS: i64 = -17;

/// What is known about one path below the root.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Planned {
    pub folder: bool,
    pub before: bool,
    /// Required size in bytes at the start.
    pub size: i64,
    /// The trace creates, changes or removes it.
    pub changed: bool,
    /// End of the bytes written so far.
    written: i64,
    /// System calls on it were seen, which are more precise than MPI-IO calls.
    told: bool,
}

/// All paths of a trace.
#[derive(Debug, Default)]
pub struct Plan {
    /// By path below the root, so a folder precedes its contents.
    pub paths: BTreeMap<Vec<u8>, Planned>,
    /// Permissions or times of open files are changed, which needs no open for writing: no existing
    /// file is safe.
    pub changes_open_files: bool,
}

impl Plan {
    pub fn counts(&self) -> (u64, u64) {
        let folders = self.paths.values().filter(|planned| planned.folder).count();
        ((self.paths.len() - folders) as u64, folders as u64)
    }
}

/// Why a trace cannot be replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    TooManyPaths,
    TooManyOpen,
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::TooManyPaths => write!(f, "the trace names more than {PATHS} files"),
            PlanError::TooManyOpen => write!(f, "the trace has more than {OPEN} files open at once"),
        }
    }
}

#[derive(Debug, Clone)]
struct Opened {
    path: Vec<u8>,
    position: i64,
}

/// Builds a plan from the calls of all threads.
#[derive(Debug, Default)]
pub struct Planner {
    plan: Plan,
    /// By process and slot.
    open: HashMap<(u32, Slot), Opened>,
    views: Views,
    /// Paths that moved with their folder.
    carried: usize,
}

impl Planner {
    pub fn add(&mut self, process: u32, action: &Action<'_>) -> Result<(), PlanError> {
        let mut names = action.names.iter().map(|name| name.and_then(below));
        let (first, second) = (names.next().flatten(), names.next().flatten());
        match first {
            _ if action.call.op.layer() == Layer::Mpi => self.through_mpi(process, action, first),
            Some(path) => self.named(process, &action.call, path, second),
            None => self.on_slot(process, &action.call),
        }
        if self.open.len() > OPEN {
            return Err(PlanError::TooManyOpen);
        }
        if self.plan.paths.len().max(self.carried) > PATHS { Err(PlanError::TooManyPaths) } else { Ok(()) }
    }

    pub fn finish(self) -> Plan {
        self.plan
    }

    /// Adds an MPI-IO call. It only counts for files without system calls, which are more precise.
    fn through_mpi(&mut self, process: u32, action: &Action<'_>, path: Option<Vec<u8>>) {
        const MPI_CREATE: i64 = 1;
        const MPI_READ_ONLY: i64 = 2;
        let works = action.call.ret >= 0;
        let reach = self.views.reach(process, action);
        match (action.call.op, path) {
            (Op::FileOpen, Some(path)) => {
                let [_, mode, _] = action.call.args;
                if mode & MPI_CREATE != 0 {
                    self.made(path.clone(), false, false, action.call.ret);
                } else {
                    self.found(&path, false, works);
                }
                if mode & MPI_READ_ONLY == 0 {
                    self.change(&path);
                }
                if works {
                    self.open.insert((process, action.call.slot), Opened { path, position: 0 });
                }
            }
            (Op::FileDelete, Some(path)) => {
                self.found(&path, false, works);
                self.change(&path);
            }
            _ => {}
        }
        let Some((end, reads)) = reach else { return };
        let Some(opened) = self.open.get(&(process, action.call.slot)) else { return };
        let Some(planned) = self.plan.paths.get_mut(&opened.path).filter(|planned| !planned.told) else {
            return;
        };
        if !reads {
            planned.written = planned.written.max(end);
        } else if planned.before && end > planned.written {
            planned.size = planned.size.max(end);
        }
    }

    fn named(&mut self, process: u32, call: &Call, path: Vec<u8>, second: Option<Vec<u8>>) {
        let works = call.ret >= 0;
        match call.op {
            Op::Open | Op::Fopen => self.opened(process, call, path),
            Op::Mkdir => self.made(path, true, call.ret == EXISTS, call.ret),
            Op::Opendir => {
                self.found(&path, true, works);
                if works {
                    self.open.insert((process, call.slot), Opened { path, position: 0 });
                }
            }
            Op::Rename | Op::Link => {
                self.found(&path, false, works);
                self.change(&path);
                if let Some(to) = second {
                    if works && call.op == Op::Rename {
                        self.carry(&path, &to);
                    }
                    self.made(to, false, false, call.ret);
                }
            }
            Op::Truncate => {
                self.found(&path, false, works);
                self.change(&path);
                self.reach(&path, call.args[1]);
            }
            op if op.changes() => {
                self.found(&path, op == Op::Rmdir, works);
                self.change(&path);
            }
            _ => self.found(&path, looks_like_folder(call), works),
        }
    }

    fn opened(&mut self, process: u32, call: &Call, path: Vec<u8>) {
        let [_, flags, size] = call.args;
        let works = call.ret >= 0;
        let creates = flags & CREATE != 0;
        let exists = call.ret == EXISTS || (works && flags & EXCLUSIVE == 0 && size > 0);
        if creates {
            self.made(path.clone(), false, exists, call.ret);
        } else {
            self.found(&path, flags & DIRECTORY != 0, works);
        }
        // Even if it failed: it might work on a file that is there when the trace is replayed.
        if changes(call) {
            self.change(&path);
        }
        if let Some(planned) = self.plan.paths.get_mut(&path) {
            planned.told |= works;
            // A file that is truncated at once needs no size.
            if works && planned.before && planned.written == 0 && flags & TRUNCATE == 0 {
                planned.size = planned.size.max(size);
            }
        }
        if works && call.slot != Slot::NONE {
            self.open.insert((process, call.slot), Opened { path, position: 0 });
        }
    }

    fn on_slot(&mut self, process: u32, call: &Call) {
        let key = (process, call.slot);
        match call.op {
            Op::Fchmod | Op::Futime => self.plan.changes_open_files = true,
            Op::Lseek => self.moves_to(key, call.ret),
            Op::Fseek | Op::Fsetpos => self.moves_to(key, call.args[2]),
            Op::Rewind => self.moves_to(key, 0),
            Op::Ftruncate if call.ret >= 0 => self.transfer(key, Some(0), 0, call.args[1]),
            Op::Fallocate if call.ret >= 0 => {
                self.transfer(key, Some(call.args[0]), 0, call.args[1]);
            }
            op if op.effect() == Effect::Closes => {
                if call.ret >= 0 {
                    self.open.remove(&key);
                }
            }
            _ => {
                if let Some((from, to)) = call.alias() {
                    return self.alias((process, from), (process, to));
                }
                let at = call.arg(Role::Offset).filter(|&at| at >= 0);
                let moved = moved(call, call.ret);
                let (read, written) = (moved.read as i64, moved.written as i64);
                match call.other_slot() {
                    Some(other) => {
                        self.transfer(key, at, read, 0);
                        self.transfer((process, other), None, 0, written);
                    }
                    None => self.transfer(key, at, read, written),
                }
            }
        }
    }

    fn alias(&mut self, from: (u32, Slot), to: (u32, Slot)) {
        if let Some(opened) = self.open.get(&from).cloned() {
            self.open.insert(to, opened);
        }
    }

    fn moves_to(&mut self, key: (u32, Slot), position: i64) {
        if let Some(opened) = self.open.get_mut(&key).filter(|_| position >= 0) {
            opened.position = position;
        }
    }

    fn transfer(&mut self, key: (u32, Slot), offset: Option<i64>, read: i64, written: i64) {
        let Some(opened) = self.open.get_mut(&key) else { return };
        let start = offset.unwrap_or(opened.position);
        let end = start.saturating_add(read.max(written));
        if offset.is_none() {
            opened.position = end;
        }
        let Some(planned) = self.plan.paths.get_mut(&opened.path) else { return };
        if written > 0 {
            planned.written = planned.written.max(end);
            planned.changed = true;
        } else if read > 0 && planned.before && end > planned.written {
            planned.size = planned.size.max(end);
        }
    }

    fn reach(&mut self, path: &[u8], end: i64) {
        if let Some(planned) = self.plan.paths.get_mut(path) {
            planned.written = planned.written.max(end);
        }
    }

    /// What is in a folder moves with it, so that it is known what to remove at the end.
    fn carry(&mut self, from: &[u8], to: &[u8]) {
        let folder = [from, b"/"].concat();
        let inside =
            self.plan.paths.range(folder.clone()..).take_while(|(path, _)| path.starts_with(&folder));
        let room = PATHS.saturating_sub(self.carried).saturating_add(1);
        let moved: Vec<(Vec<u8>, bool)> = inside
            .take(room)
            .map(|(path, planned)| ([to, &path[from.len()..]].concat(), planned.folder))
            .collect();
        self.carried += moved.len();
        for (path, folder) in moved {
            let new = Planned { folder, changed: true, ..Planned::default() };
            self.plan.paths.entry(path).or_insert(new);
        }
    }

    fn change(&mut self, path: &[u8]) {
        self.plan.paths.entry(path.to_vec()).or_default().changed = true;
    }

    fn found(&mut self, path: &[u8], folder: bool, works: bool) {
        if works && !path.is_empty() && !self.plan.paths.contains_key(path) {
            self.folders_of(path);
            self.plan.paths.insert(path.to_vec(), Planned { folder, before: true, ..Planned::default() });
        }
    }

    fn made(&mut self, path: Vec<u8>, folder: bool, was_there: bool, ret: i64) {
        if ret != NOT_FOUND {
            self.folders_of(&path);
        }
        let new = Planned { folder, before: was_there, ..Planned::default() };
        let planned = self.plan.paths.entry(path).or_insert(new);
        // A successful mkdir proves that the folder did not exist, even if clock skew makes another
        // access look earlier.
        if folder && ret >= 0 && !planned.changed {
            planned.before = false;
        }
        planned.changed |= !(was_there && folder);
    }

    /// Notes that all folders above a path exist, unless the trace created them.
    fn folders_of(&mut self, path: &[u8]) {
        let mut path = path;
        while let Some(folder) = parent(path).filter(|folder| !folder.is_empty()) {
            match self.plan.paths.entry(folder.to_vec()) {
                Entry::Vacant(free) => {
                    free.insert(Planned { folder: true, before: true, ..Planned::default() });
                }
                Entry::Occupied(mut known) => {
                    // Not every call that finds a path knows what it is.
                    known.get_mut().folder = true;
                    break;
                }
            }
            path = folder;
        }
    }
}

fn looks_like_folder(call: &Call) -> bool {
    call.op == Op::Chdir || call.arg(Role::KindFound).is_some_and(|kind| kind & 0o170_000 == 0o040_000)
}

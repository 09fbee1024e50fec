//! Determines what must exist before a replay, and what the trace creates.
//!
//! Calls come in time order over all threads. The first evidence about a path decides: what is
//! found without having been created existed before; what is created did not.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

use marigraph_wire::op::{Effect, Layer, Op, Place, Role};

use super::path::{below, parent};
use super::views::Views;
use super::{Action, moved};

pub const PATHS: usize = 4_000_000;
const OPEN: usize = 1 << 20;

const ACCESS: i64 = 3;
const CREATE: i64 = 0o100;
const EXCLUSIVE: i64 = 0o200;
const TRUNCATE: i64 = 0o1000;
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
    open: HashMap<(u32, u32), Opened>,
    views: Views,
}

impl Planner {
    pub fn add(&mut self, process: u32, action: &Action<'_>) -> Result<(), PlanError> {
        let mut names = action.names.iter().map(|name| name.and_then(below));
        let (first, second) = (names.next().flatten(), names.next().flatten());
        match first {
            _ if action.op.layer() == Layer::Mpi => self.through_mpi(process, action, first),
            Some(path) => self.named(process, action, path, second),
            None => self.on_slot(process, action),
        }
        if self.open.len() > OPEN {
            return Err(PlanError::TooManyOpen);
        }
        if self.plan.paths.len() > PATHS { Err(PlanError::TooManyPaths) } else { Ok(()) }
    }

    pub fn finish(self) -> Plan {
        self.plan
    }

    /// Adds an MPI-IO call. It only counts for files without system calls, which are more precise.
    fn through_mpi(&mut self, process: u32, action: &Action<'_>, path: Option<Vec<u8>>) {
        const MPI_CREATE: i64 = 1;
        const MPI_READ_ONLY: i64 = 2;
        let works = action.ret >= 0;
        let reach = self.views.reach(process, action);
        match (action.op, path) {
            (Op::FileOpen, Some(path)) => {
                let [_, mode, _] = action.args;
                if mode & MPI_CREATE != 0 {
                    self.made(path.clone(), false, false, action.ret);
                } else {
                    self.found(&path, false, works);
                }
                if mode & MPI_READ_ONLY == 0 {
                    self.change(&path);
                }
                if works {
                    self.open.insert((process, action.slot), Opened { path, position: 0 });
                }
            }
            (Op::FileDelete, Some(path)) => {
                self.found(&path, false, works);
                self.change(&path);
            }
            _ => {}
        }
        let Some((end, reads)) = reach else { return };
        let Some(opened) = self.open.get(&(process, action.slot)) else { return };
        let Some(planned) = self.plan.paths.get_mut(&opened.path).filter(|planned| !planned.told) else {
            return;
        };
        if !reads {
            planned.written = planned.written.max(end);
        } else if planned.before && end > planned.written {
            planned.size = planned.size.max(end);
        }
    }

    fn named(&mut self, process: u32, action: &Action<'_>, path: Vec<u8>, second: Option<Vec<u8>>) {
        let works = action.ret >= 0;
        match action.op {
            Op::Open | Op::Fopen => self.opened(process, action, path),
            Op::Mkdir => self.made(path, true, action.ret == EXISTS, action.ret),
            Op::Opendir => {
                self.found(&path, true, works);
                if works {
                    self.open.insert((process, action.slot), Opened { path, position: 0 });
                }
            }
            Op::Rename | Op::Link => {
                self.found(&path, false, works);
                self.change(&path);
                if let Some(to) = second {
                    self.made(to, false, false, action.ret);
                }
            }
            Op::Truncate => {
                self.found(&path, false, works);
                self.change(&path);
                self.reach(&path, action.args[1]);
            }
            Op::Unlink | Op::Rmdir | Op::Chmod | Op::Utime => {
                self.found(&path, action.op == Op::Rmdir, works);
                self.change(&path);
            }
            _ => self.found(&path, looks_like_folder(action), works),
        }
    }

    fn opened(&mut self, process: u32, action: &Action<'_>, path: Vec<u8>) {
        let [_, flags, size] = action.args;
        let works = action.ret >= 0;
        let creates = flags & CREATE != 0;
        let exists = action.ret == EXISTS || (works && flags & EXCLUSIVE == 0 && size > 0);
        if creates {
            self.made(path.clone(), false, exists, action.ret);
        } else {
            self.found(&path, flags & DIRECTORY != 0, works);
        }
        if let Some(planned) = self.plan.paths.get_mut(&path) {
            planned.told |= works;
            // A file that is truncated at once needs no size.
            if works && planned.before && planned.written == 0 && flags & TRUNCATE == 0 {
                planned.size = planned.size.max(size);
            }
            planned.changed |= creates || flags & TRUNCATE != 0 || flags & ACCESS != 0;
        }
        if works && action.slot != 0 {
            self.open.insert((process, action.slot), Opened { path, position: 0 });
        }
    }

    fn on_slot(&mut self, process: u32, action: &Action<'_>) {
        let key = (process, action.slot);
        match action.op {
            Op::Fchmod | Op::Futime => self.plan.changes_open_files = true,
            Op::Lseek => self.moves_to(key, action.ret),
            Op::Fseek | Op::Fsetpos => self.moves_to(key, action.args[2]),
            Op::Rewind => self.moves_to(key, 0),
            Op::Ftruncate if action.ret >= 0 => self.transfer(key, Some(0), 0, action.args[1]),
            Op::Fallocate if action.ret >= 0 => {
                self.transfer(key, Some(action.args[0]), 0, action.args[1]);
            }
            op if op.effect() == Effect::Closes => {
                if action.ret >= 0 {
                    self.open.remove(&key);
                }
            }
            op => {
                if let Some((from, to)) = op.alias(key, (process, action.args[0] as u32)) {
                    return self.alias(from, to);
                }
                let at = (op.place() == Place::Offset).then_some(action.args[0]).filter(|&at| at >= 0);
                let moved = moved(op, action.args, action.ret);
                let (read, written) = (moved.read as i64, moved.written as i64);
                match op.other_slot().map(|at| (process, action.args[at] as u32)) {
                    Some(other) => {
                        self.transfer(key, at, read, 0);
                        self.transfer(other, None, 0, written);
                    }
                    None => self.transfer(key, at, read, written),
                }
            }
        }
    }

    fn alias(&mut self, from: (u32, u32), to: (u32, u32)) {
        if let Some(opened) = self.open.get(&from).cloned() {
            self.open.insert(to, opened);
        }
    }

    fn moves_to(&mut self, key: (u32, u32), position: i64) {
        if let Some(opened) = self.open.get_mut(&key).filter(|_| position >= 0) {
            opened.position = position;
        }
    }

    fn transfer(&mut self, key: (u32, u32), offset: Option<i64>, read: i64, written: i64) {
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

fn looks_like_folder(action: &Action<'_>) -> bool {
    let asks = action.op.roles()[2] == Role::KindFound;
    action.op == Op::Chdir || asks && action.args[2] & 0o170_000 == 0o040_000
}

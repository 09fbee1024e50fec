//! Which calls are not performed, so that a replay changes only what is its own.
//!
//! A call that failed in the trace could work here, on a file that the trace does not know. It is
//! tried only where it must fail again.

use std::io;

use marigraph_analysis::replay::{CREATE, EXCLUSIVE, changes};
use marigraph_model::Call;
use marigraph_wire::op::{Layer, Op, Role};

use super::files::Files;
use super::root::{Place, PlaceKind};

/// What became of a call.
#[derive(Debug)]
pub(super) enum Done {
    /// It cannot be performed, or would change the root itself.
    LeftOut,
    /// It failed in the trace and might work here.
    NotTried,
    Returned(io::Result<i64>),
}

impl From<Option<io::Result<i64>>> for Done {
    fn from(returned: Option<io::Result<i64>>) -> Done {
        returned.map_or(Done::LeftOut, Done::Returned)
    }
}

/// `None` if the call on an open file may be performed.
pub(super) fn spared_on_slot(call: &Call, files: &Files) -> Option<Done> {
    match call.op.changes() {
        true if call.ret < 0 => Some(Done::NotTried),
        true if files.path(call.slot).is_empty() => Some(Done::LeftOut),
        _ => None,
    }
}

/// `None` if the call on these places may be performed.
pub(super) fn spared(call: &Call, from: &Place, to: Option<&Place>) -> Option<Done> {
    if !changes(call) {
        return None;
    }
    if call.ret < 0 {
        return (!must_fail(call, from, to)).then_some(Done::NotTried);
    }
    if call.op.changes() && (from.is_root() || to.is_some_and(Place::is_root)) {
        return Some(Done::LeftOut);
    }
    let missing = from.missing.or(to.and_then(|to| to.missing));
    missing.map(|error| Done::Returned(Err(io::Error::from_raw_os_error(error))))
}

fn must_fail(call: &Call, from: &Place, to: Option<&Place>) -> bool {
    let is_there = |place: &Place| place.missing.is_none() && place.kind() != PlaceKind::Nothing;
    let is_missing = |place: &Place| place.missing.is_some();
    let flags = call.arg(Role::OpenFlags);
    let creates = call.op == Op::Mkdir
        || flags.is_some_and(|flags| flags & CREATE != 0)
        || call.arg(Role::MpiMode).is_some_and(|mode| mode & MPI_CREATE != 0);
    let nothing = is_missing(from) || to.is_some_and(is_missing) || !creates && !is_there(from);
    if call.op.layer() == Layer::Mpi {
        // Error classes differ between libraries.
        return nothing;
    }
    let exclusive = |flags: i64| flags & (CREATE | EXCLUSIVE) == CREATE | EXCLUSIVE;
    match i32::try_from(-call.ret).unwrap_or(0) {
        libc::ENOENT | libc::ENOTDIR => nothing,
        libc::EEXIST => match (call.op, to) {
            (Op::Mkdir, _) => is_there(from),
            (Op::Link, Some(to)) => is_there(to),
            (Op::Rename, Some(to)) => call.args[2] == i64::from(libc::RENAME_NOREPLACE) && is_there(to),
            _ => flags.is_some_and(exclusive) && is_there(from),
        },
        libc::EISDIR => from.kind() == PlaceKind::Folder && (flags.is_some() || is_plain_unlink(call)),
        _ => false,
    }
}

/// Not `remove`, which takes folders, too.
fn is_plain_unlink(call: &Call) -> bool {
    call.op == Op::Unlink && call.arg(Role::Flags) == Some(0)
}

const MPI_CREATE: i64 = 1;

//! Which calls move data, and when those that do not wait are done.

use std::collections::HashMap;

use marigraph_model::Direction;
use marigraph_wire::op::Op;

/// Which way a call moves data; `None` if it moves none, or both ways.
pub fn direction(op: Op) -> Option<Direction> {
    use Op::{
        AioRead, AioWrite, DatasetRead, DatasetWrite, Fgetc, Fgets, FileIread, FileIreadAll, FileIreadAt,
        FileIreadAtAll, FileIreadShared, FileIwrite, FileIwriteAll, FileIwriteAt, FileIwriteAtAll,
        FileIwriteShared, FileRead, FileReadAll, FileReadAllBegin, FileReadAt, FileReadAtAll,
        FileReadAtAllBegin, FileReadOrdered, FileReadOrderedBegin, FileReadShared, FileWrite, FileWriteAll,
        FileWriteAllBegin, FileWriteAt, FileWriteAtAll, FileWriteAtAllBegin, FileWriteOrdered,
        FileWriteOrderedBegin, FileWriteShared, Fprintf, Fputc, Fputs, Fread, Fscanf, Fwrite, Getline, NcGet,
        NcPut, Pread, Preadv, Pwrite, Pwritev, Read, Readv, UringRead, UringWrite, Write, Writev,
    };
    match op {
        Read | Pread | Readv | Preadv | Fread | Fgetc | Fgets | Fscanf | Getline | FileRead | FileReadAt
        | FileReadAll | FileReadAtAll | FileReadShared | FileReadOrdered | FileReadAllBegin
        | FileReadAtAllBegin | FileReadOrderedBegin | DatasetRead | NcGet | AioRead | UringRead
        | FileIread | FileIreadAt | FileIreadAll | FileIreadAtAll | FileIreadShared => Some(Direction::Read),
        Write
        | Pwrite
        | Writev
        | Pwritev
        | Fwrite
        | Fputc
        | Fputs
        | Fprintf
        | FileWrite
        | FileWriteAt
        | FileWriteAll
        | FileWriteAtAll
        | FileWriteShared
        | FileWriteOrdered
        | FileWriteAllBegin
        | FileWriteAtAllBegin
        | FileWriteOrderedBegin
        | DatasetWrite
        | NcPut
        | AioWrite
        | UringWrite
        | FileIwrite
        | FileIwriteAt
        | FileIwriteAll
        | FileIwriteAtAll
        | FileIwriteShared => Some(Direction::Write),
        _ => None,
    }
}

/// How a call of a direction ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// When it returns.
    Returns,
    /// When somebody takes the result of request `c`.
    Request,
    /// When somebody waits for the request in the `More` record after it.
    MoreRequest,
    /// At the end of the split collective of its slot.
    Split,
}

fn ending(op: Op) -> Ending {
    use Op::{
        AioRead, AioWrite, FileIread, FileIreadAll, FileIreadAt, FileIreadAtAll, FileIreadShared, FileIwrite,
        FileIwriteAll, FileIwriteAt, FileIwriteAtAll, FileIwriteShared, FileReadAllBegin, FileReadAtAllBegin,
        FileReadOrderedBegin, FileWriteAllBegin, FileWriteAtAllBegin, FileWriteOrderedBegin,
    };
    match op {
        AioRead | AioWrite => Ending::Request,
        FileIread | FileIreadAt | FileIreadAll | FileIreadAtAll | FileIreadShared | FileIwrite
        | FileIwriteAt | FileIwriteAll | FileIwriteAtAll | FileIwriteShared => Ending::MoreRequest,
        FileReadAllBegin
        | FileWriteAllBegin
        | FileReadAtAllBegin
        | FileWriteAtAllBegin
        | FileReadOrderedBegin
        | FileWriteOrderedBegin => Ending::Split,
        _ => Ending::Returns,
    }
}

/// A call as the stream of flows sees it; times are of any clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    pub(super) op: Op,
    pub(super) slot: u32,
    pub(super) args: [i64; 3],
    pub(super) ret: i64,
    pub(super) start: u64,
    pub(super) end: u64,
}

/// Data that moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flow {
    pub(super) direction: Direction,
    pub(super) bytes: u64,
    pub(super) start: u64,
    /// When it was known to be done.
    pub(super) end: u64,
    /// For calls that do not wait: when the program began to wait.
    pub(super) needed: Option<u64>,
}

/// What a request is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Aio(i64),
    Mpi(i64),
    Split(u32),
}

/// Requests under way at most; more are taken as done when they were made.
const REQUESTS: usize = 1 << 16;

/// Requests of a process that are under way.
#[derive(Debug, Default)]
pub(super) struct Requests {
    open: HashMap<Key, Flow>,
    /// A call whose request is in the next record of its thread.
    unnamed: HashMap<u32, Flow>,
}

impl Requests {
    /// Takes a call of an outermost layer; gives what is known to have moved by it.
    pub(super) fn take(&mut self, thread: u32, call: &Seen) -> Option<Flow> {
        match call.op {
            Op::More => {
                let flow = self.unnamed.remove(&thread)?;
                return self.begin(Key::Mpi(call.args[0]), flow);
            }
            Op::Wait => return self.finish(Key::Mpi(call.args[0]), call, None),
            Op::AioReturn => return self.finish(Key::Aio(call.args[2]), call, Some(call.ret)),
            Op::FileSplitEnd => return self.finish(Key::Split(call.slot), call, None),
            _ => {}
        }
        let direction = direction(call.op)?;
        let asked = call.args[1];
        let how = ending(call.op);
        let moved = if how == Ending::Returns && returns_bytes(call.op) { call.ret } else { asked };
        if call.ret < 0 || moved <= 0 {
            return None;
        }
        let ring = matches!(call.op, Op::UringRead | Op::UringWrite).then_some(call.end);
        let flow = Flow { direction, bytes: moved as u64, start: call.start, end: call.end, needed: ring };
        match how {
            Ending::Returns => Some(flow),
            Ending::Request => self.begin(Key::Aio(call.args[2]), flow),
            Ending::Split => self.begin(Key::Split(call.slot), flow),
            Ending::MoreRequest => self.unnamed.insert(thread, flow),
        }
    }

    fn begin(&mut self, key: Key, flow: Flow) -> Option<Flow> {
        if self.open.len() >= REQUESTS {
            return Some(flow);
        }
        self.open.insert(key, flow)
    }

    fn finish(&mut self, key: Key, call: &Seen, bytes: Option<i64>) -> Option<Flow> {
        let flow = self.open.remove(&key)?;
        let bytes = bytes.map_or(Some(flow.bytes), |bytes| u64::try_from(bytes).ok())?;
        Some(Flow { bytes, end: call.end, needed: Some(call.start), ..flow })
    }
}

/// Whether what a call returns is the number of bytes it moved.
fn returns_bytes(op: Op) -> bool {
    use marigraph_wire::op::Layer;
    matches!(op.layer(), Layer::Posix | Layer::Stdio)
}

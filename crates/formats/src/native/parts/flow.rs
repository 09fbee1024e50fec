//! Data that calls move, and when asynchronous calls complete.

use std::collections::HashMap;

use marigraph_model::Slot;
use marigraph_wire::op::{Direction, Ending, Layer, Op};

#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    pub(super) op: Op,
    pub(super) slot: Slot,
    pub(super) args: [i64; 3],
    pub(super) ret: i64,
    pub(super) start: u64,
    pub(super) end: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flow {
    pub(super) direction: Direction,
    pub(super) bytes: u64,
    pub(super) start: u64,
    /// When it was known to be complete.
    pub(super) end: u64,
    /// For asynchronous calls: when the program began to wait.
    pub(super) needed: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Aio(i64),
    Mpi(i64),
    Split(Slot),
}

/// Maximum pending requests; further ones count as complete when they were made.
const REQUESTS: usize = 1 << 16;

#[derive(Debug, Default)]
pub(super) struct Requests {
    open: HashMap<Key, Flow>,
    /// By thread, a call whose request is in the next record.
    unnamed: HashMap<u32, Flow>,
}

impl Requests {
    /// Takes a call at depth 0; returns the data that is now known to have moved.
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
        let direction = call.op.direction()?;
        let ending = call.op.ending();
        let moved = if returns_bytes(call.op) { call.ret } else { call.args[1] };
        if call.ret < 0 || moved <= 0 {
            return None;
        }
        let flow = Flow { direction, bytes: moved as u64, start: call.start, end: call.end, needed: None };
        match ending {
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

fn returns_bytes(op: Op) -> bool {
    matches!(op.layer(), Layer::Posix | Layer::Stdio) && op.ending() != Ending::Request
}

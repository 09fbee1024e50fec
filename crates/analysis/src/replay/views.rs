//! Estimates how far MPI-IO calls reach into files, for traces without the calls inside them.

use std::collections::HashMap;

use marigraph_model::{Call, Slot};
use marigraph_wire::op::{Op, Role};

use super::{Action, moved};

/// A datatype: bytes of data, and bytes that it spans.
#[derive(Debug, Clone, Copy)]
struct Type {
    size: i64,
    extent: i64,
}

const BYTE: Type = Type { size: 1, extent: 1 };

#[derive(Debug, Clone, Copy)]
struct View {
    start: i64,
    element: i64,
    pattern: Type,
    /// In bytes of data.
    position: i64,
}

impl View {
    const WHOLE: View = View { start: 0, element: 1, pattern: BYTE, position: 0 };

    /// File offset at which `data` bytes end, rounded up to a whole pattern.
    fn end(&self, data: i64) -> i64 {
        let Type { size, extent } = self.pattern;
        if size < 1 {
            return self.start;
        }
        let patterns = data.saturating_add(size - 1) / size;
        self.start.saturating_add(patterns.saturating_mul(extent))
    }
}

#[derive(Debug, Default)]
pub(super) struct Views {
    types: HashMap<(u32, i64), Type>,
    views: HashMap<(u32, Slot), View>,
}

impl Views {
    /// Tracks a call; returns how far a file must reach for it, and whether it reads.
    pub(super) fn reach(&mut self, process: u32, action: &Action<'_>) -> Option<(i64, bool)> {
        let call = &action.call;
        let ([a, b, c], key) = (call.args, (process, call.slot));
        match call.op {
            Op::Type => {
                let extent = action.more.first().map_or(b, |more| more[0]);
                self.types.insert((process, a), Type { size: b, extent });
                None
            }
            Op::FileOpen if call.ret >= 0 => {
                self.views.insert(key, View::WHOLE);
                None
            }
            Op::FileClose => {
                self.views.remove(&key);
                None
            }
            Op::FileSetView => {
                let known = |number: i64| self.types.get(&(process, number)).copied().unwrap_or(BYTE);
                let view = View { start: a, element: known(b).size, pattern: known(c), position: 0 };
                self.views.insert(key, view);
                None
            }
            Op::FileSeek => {
                let view = self.views.get_mut(&key).filter(|_| b < 2)?;
                let by = a.saturating_mul(view.element);
                view.position = if b == 0 { by } else { view.position.saturating_add(by) };
                None
            }
            Op::FileGetSize => Some((call.ret, true)),
            Op::FileSetSize | Op::FilePreallocate if call.ret >= 0 => Some((b, false)),
            _ => self.transfer(key, call),
        }
    }

    fn transfer(&mut self, key: (u32, Slot), call: &Call) -> Option<(i64, bool)> {
        let moved = moved(call, call.ret);
        let bytes = i64::try_from(moved.read.max(moved.written)).ok().filter(|&bytes| bytes > 0)?;
        let view = self.views.get_mut(&key)?;
        let start = match call.arg(Role::Offset) {
            Some(offset) => offset.saturating_mul(view.element),
            None => {
                let start = view.position;
                view.position = start.saturating_add(bytes);
                start
            }
        };
        Some((view.end(start.saturating_add(bytes)), moved.read > 0))
    }
}

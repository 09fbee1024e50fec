//! What a call has of the program text, and what its operation does with bytes.

use marigraph_model::{Call, SiteId};
use marigraph_wire::op::{Ending, Layer, Op};

/// A place in a program: never an address, which differs from process to process.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Site {
    pub module: String,
    /// In bytes, from the start of the module.
    pub offset: u64,
}

/// Failed calls have shapes of their own, so that the return values of the others are amounts. A
/// shape stores everything that the layout of its values depends on: a trace stays readable when
/// more is learnt about an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    pub(super) op: Op,
    pub(super) depth: u8,
    pub(super) flags: u8,
    pub(super) failed: bool,
    /// Whether the return value is stored as the difference to `b`, the amount requested.
    pub(super) less: bool,
    /// Whether `a` and `b` are names.
    pub(super) named: [bool; 2],
    /// Index in the table of sites; 0 unknown.
    pub(super) site: SiteId,
}

impl Shape {
    pub(super) fn of(call: &Call, site: SiteId) -> Shape {
        let failed = call.ret < 0;
        let less = !failed && (call.op.reads() || call.op.writes());
        Shape {
            op: call.op,
            depth: call.depth,
            flags: call.flags,
            failed,
            less,
            named: call.op.names(),
            site,
        }
    }

    /// Everything but operation and site.
    pub(super) fn word(&self) -> u64 {
        let bits = [self.failed, self.less, self.named[0], self.named[1]];
        let low = bits.iter().rev().fold(0, |word, &bit| word << 1 | u64::from(bit));
        u64::from(self.depth) << 12 | u64::from(self.flags) << 4 | low
    }

    pub(super) fn from_word(op: Op, word: u64, site: SiteId) -> Option<Shape> {
        let bit = |at: u32| word >> at & 1 == 1;
        let (depth, flags) = (u8::try_from(word >> 12).ok()?, (word >> 4) as u8);
        Some(Shape { op, depth, flags, failed: bit(0), less: bit(1), named: [bit(2), bit(3)], site })
    }

    /// (reads, writes); neither if the call failed.
    pub(super) fn transfers(&self) -> (bool, bool) {
        (!self.failed && self.op.reads(), !self.failed && self.op.writes())
    }

    /// Whether the amount requested counts as moved: in layers that return a status, and for calls
    /// that do not wait.
    pub(super) fn counts_asked(&self) -> bool {
        self.op.ending() != Ending::Returns || !matches!(self.op.layer(), Layer::Posix | Layer::Stdio)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        for named in [[false, true], [true, false]] {
            let (op, site) = (Op::Rename, SiteId(7));
            let shape = Shape { op, depth: 255, flags: 129, failed: false, less: true, named, site };
            assert_eq!(Shape::from_word(op, shape.word(), site), Some(shape));
        }
        assert_eq!(Shape::from_word(Op::Open, 1 << 20, SiteId::UNKNOWN), None);
    }
}

//! What a call has of the program text, and what its operation does with bytes.

use marigraph_model::Call;
use marigraph_wire::op::{Ending, Layer, Op};

/// A place in a program: never an address, which differs from process to process.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Site {
    /// Name of the program or library.
    pub module: String,
    /// Bytes from its start.
    pub offset: u64,
}

/// Shape of a call. Failed calls are shapes of their own: what the others return are then amounts.
///
/// What the layout of its values depends on is kept with it, so that a trace can be read whatever
/// is learnt about its operation later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    pub(super) op: Op,
    pub(super) depth: u8,
    pub(super) flags: u8,
    pub(super) failed: bool,
    /// Whether what it returned is kept as the difference to `b`, what was asked for.
    pub(super) less: bool,
    /// Which of `a` and `b` are names.
    pub(super) named: [bool; 2],
    /// Index into the table of sites; 0 unknown.
    pub(super) site: u32,
}

impl Shape {
    /// Of a call at a site.
    pub(super) fn of(call: &Call, site: u32) -> Shape {
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

    /// All but operation and site in one number.
    pub(super) fn word(&self) -> u64 {
        let bits = [self.failed, self.less, self.named[0], self.named[1]];
        let low = bits.iter().rev().fold(0, |word, &bit| word << 1 | u64::from(bit));
        u64::from(self.depth) << 12 | u64::from(self.flags) << 4 | low
    }

    /// From operation, [`Shape::word`] and site.
    pub(super) fn from_word(op: Op, word: u64, site: u32) -> Option<Shape> {
        let bit = |at: u32| word >> at & 1 == 1;
        let (depth, flags) = (u8::try_from(word >> 12).ok()?, (word >> 4) as u8);
        Some(Shape { op, depth, flags, failed: bit(0), less: bit(1), named: [bit(2), bit(3)], site })
    }

    /// Whether its bytes are read, whether they are written; neither if it failed.
    pub(super) fn transfers(&self) -> (bool, bool) {
        (!self.failed && self.op.reads(), !self.failed && self.op.writes())
    }

    /// Whether what was asked for counts as bytes moved: layers that return a status, and calls
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
            let shape =
                Shape { op: Op::Rename, depth: 255, flags: 129, failed: false, less: true, named, site: 7 };
            assert_eq!(Shape::from_word(Op::Rename, shape.word(), 7), Some(shape));
        }
        assert_eq!(Shape::from_word(Op::Open, 1 << 20, 0), None);
    }
}

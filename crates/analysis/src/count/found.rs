//! Sizes that files had when a job first opened them: what tells new files from overwritten ones.

use std::collections::BTreeMap;

use marigraph_model::{FileId, Nanos, Sink};
use marigraph_wire::op::Op;

use marigraph_model::{Call, Names};

/// The first open of each file, over all processes.
#[derive(Debug, Default)]
pub(super) struct FoundSizes {
    first: BTreeMap<FileId, (Nanos, u64)>,
}

impl FoundSizes {
    /// Takes notice of a call if it opens a file.
    pub fn note(&mut self, call: &Call, names: &dyn Names) {
        if !matches!(call.op, Op::Open | Op::Fopen) || call.slot == 0 {
            return;
        }
        let [name, _, size] = call.args;
        let (Some(path), Ok(size)) = (names.name(name), u64::try_from(size)) else { return };
        let found = (call.start, size);
        let first = self.first.entry(FileId::of_name(path)).or_insert(found);
        *first = (*first).min(found);
    }

    /// Hands on all sizes.
    pub fn give(&self, sink: &mut dyn Sink) {
        self.first.iter().for_each(|(&file, &(_, size))| sink.found_size(file, size));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_model::Trace;

    struct Paths;
    impl Names for Paths {
        fn name(&self, id: i64) -> Option<&[u8]> {
            [&b"/a"[..], b"/b"].get(usize::try_from(id).ok()?).copied()
        }
    }

    #[test]
    fn the_first_open_tells() {
        let open = |op, slot, start, args| Call {
            op,
            depth: 0,
            flags: 0,
            slot,
            args,
            ret: 0,
            start: Nanos(start),
            end: Nanos(start + 1),
            site: 0,
        };
        let mut found = FoundSizes::default();
        for call in [
            open(Op::Open, 1, 50, [0, 1, 700]),
            open(Op::Fopen, 2, 20, [0, 1, 0]),
            open(Op::Open, 3, 30, [1, 1, 9]),
            // Failed, unknown, not an open, without a name.
            open(Op::Open, 0, 1, [1, 1, 3]),
            open(Op::Open, 4, 2, [1, 1, -1]),
            open(Op::Read, 4, 3, [1, 1, 5]),
            open(Op::Open, 5, 4, [7, 1, 5]),
        ] {
            found.note(&call, &Paths);
        }
        let mut trace = Trace::default();
        found.give(&mut trace);
        let expected = BTreeMap::from([(FileId::of_name(b"/a"), 0), (FileId::of_name(b"/b"), 9)]);
        assert_eq!(trace.found_sizes, expected);
    }
}

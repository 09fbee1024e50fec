//! Sizes that files had when a job first opened them: what tells new files from overwritten ones.

use std::collections::BTreeMap;

use marigraph_model::{Call, FileId, Names, Nanos, Sink, Slot};
use marigraph_wire::op::{Op, Role};

/// The first open of each file, over all processes.
#[derive(Debug, Default)]
pub(super) struct FoundSizes {
    first: BTreeMap<FileId, (Nanos, u64)>,
}

impl FoundSizes {
    pub fn note(&mut self, call: &Call, names: &dyn Names) {
        if !matches!(call.op, Op::Open | Op::Fopen) || call.slot == Slot::NONE {
            return;
        }
        let path = call.names().next().and_then(|name| names.name(name));
        let size = call.arg(Role::SizeFound).and_then(|size| u64::try_from(size).ok());
        let Some((path, size)) = path.zip(size) else { return };
        let found = (call.start, size);
        let first = self.first.entry(FileId::of_name(path)).or_insert(found);
        *first = (*first).min(found);
    }

    pub fn give(&self, sink: &mut dyn Sink) {
        self.first.iter().for_each(|(&file, &(_, size))| sink.found_size(file, size));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_model::{NameId, SiteId, Trace};

    struct Paths;
    impl Names for Paths {
        fn name(&self, id: NameId) -> Option<&[u8]> {
            [&b"/a"[..], b"/b"].get(usize::try_from(id.0).ok()?).copied()
        }
    }

    #[test]
    fn the_first_open_tells() {
        let open = |op, slot, start, args| {
            let (slot, site, start, end) = (Slot(slot), SiteId::UNKNOWN, Nanos(start), Nanos(start + 1));
            Call { op, depth: 0, flags: 0, slot, args, ret: 0, start, end, site }
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

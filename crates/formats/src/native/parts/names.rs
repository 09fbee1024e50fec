//! Assembles names from the pieces of text in records, per thread.

use std::collections::HashMap;

use marigraph_model::NameId;
use marigraph_wire::record::{NAME_BYTES, Record};

#[derive(Debug, Default)]
struct Begun {
    id: u32,
    text: Vec<u8>,
    /// `depth` of the previous piece; that of the next is one less.
    left: u8,
}

#[derive(Debug, Default)]
pub(super) struct Assembler {
    begun: HashMap<u32, Begun>,
    /// Names with a missing piece.
    pub(super) broken: u64,
}

impl Assembler {
    pub(super) fn piece(&mut self, thread: u32, record: &Record) -> Option<(NameId, Vec<u8>)> {
        let begun = self.begun.entry(thread).or_default();
        let goes_on =
            !begun.text.is_empty() && begun.id == record.slot && begun.left == record.depth.wrapping_add(1);
        if !goes_on {
            self.broken += u64::from(!begun.text.is_empty());
            begun.text.clear();
            let pieces = (record.start.max(1) - 1) / NAME_BYTES as u64;
            if pieces != u64::from(record.depth) {
                self.broken += u64::from(record.depth == 0);
                return None;
            }
        }
        (begun.id, begun.left) = (record.slot, record.depth);
        begun.text.extend(record.name_bytes());
        if record.depth > 0 {
            return None;
        }
        begun.text.truncate(usize::try_from(record.start).unwrap_or(usize::MAX));
        Some((NameId(record.slot.into()), std::mem::take(&mut begun.text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::parts::made::name_records as pieces;

    #[test]
    fn pieces_become_names_also_when_threads_mix() {
        let long = b"/scratch/a/very/long/path/of/more/than/sixty/four/bytes/indeed/output.h5";
        let (mut a, b) = (pieces(7, long), pieces(8, b"/b"));
        let mut assembler = Assembler::default();
        let last = a.pop().expect("pieces");
        a.iter().for_each(|piece| assert_eq!(assembler.piece(0, piece), None));
        assert_eq!(assembler.piece(1, &b[0]), Some((NameId(8), b"/b".to_vec())));
        assert_eq!(assembler.piece(0, &last), Some((NameId(7), long.to_vec())));
        assert_eq!(assembler.broken, 0);
    }

    #[test]
    fn a_missing_piece_breaks_one_name() {
        let long = pieces(7, &[b'x'; 100]);
        let mut assembler = Assembler::default();
        assembler.piece(0, &long[0]);
        assert_eq!(assembler.piece(0, &long[2]), None);
        assert_eq!(assembler.piece(0, &long[3]), None);
        assert!(assembler.broken > 0);
        assert_eq!(assembler.piece(0, &pieces(9, b"/c")[0]), Some((NameId(9), b"/c".to_vec())));
    }
}

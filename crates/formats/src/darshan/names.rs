//! Record names with their ids.

use marigraph_model::{FileId, Problem, ProblemKind};

use crate::bytes::{Bytes, Order};
use crate::inflate::Window;

/// Maximum plausible length of a name. Paths end at 4096; datasets append theirs.
const LONGEST: usize = 32 << 10;

/// Receives ids with their names.
pub type Each<'a> = dyn FnMut(FileId, &[u8]) + 'a;

pub fn read(window: &mut Window<'_>, order: Order, counted: bool, each: &mut Each<'_>) -> Option<Problem> {
    loop {
        let next =
            if counted { counted_pair(window, order, each) } else { terminated_pair(window, order, each) };
        match next {
            Next::Name => {}
            Next::End => return None,
            Next::Broken => {
                let message = "a record name is truncated: later names are missing";
                return Some(Problem::new(ProblemKind::Truncated, message).at("record names"));
            }
        }
    }
}

enum Next {
    Name,
    End,
    Broken,
}

impl Next {
    fn end(window: &Window<'_>) -> Next {
        if window.left() == 0 { Next::End } else { Next::Broken }
    }
}

/// Format 3.00: id, length, bytes.
fn counted_pair(window: &mut Window<'_>, order: Order, each: &mut Each<'_>) -> Next {
    let Some(head) = window.take(12) else { return Next::end(window) };
    let bytes = Bytes::new(head, order);
    let (id, len) = (bytes.u64(0), bytes.u32(8) as usize);
    if len > LONGEST {
        return Next::Broken;
    }
    let Some(name) = window.take(len) else { return Next::Broken };
    each(FileId(id), name);
    Next::Name
}

/// Later formats: id, bytes, NUL.
fn terminated_pair(window: &mut Window<'_>, order: Order, each: &mut Each<'_>) -> Next {
    let Some(head) = window.take(8) else { return Next::end(window) };
    let id = Bytes::new(head, order).u64(0);
    let mut looked_at = 0;
    let mut look = 128;
    loop {
        let available = match window.peek(look) {
            Some(bytes) => bytes.len(),
            None => window.left(),
        };
        let bytes = window.peek(available).unwrap_or(&[]);
        if let Some(end) = bytes[looked_at.min(available)..].iter().position(|&byte| byte == 0) {
            let len = looked_at + end;
            each(FileId(id), &bytes[..len]);
            window.take(len + 1);
            return Next::Name;
        }
        if available < look || look > LONGEST {
            return Next::Broken;
        }
        looked_at = available;
        look *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inflate::{Compression, Limits};
    use marigraph_model::FileTable;

    fn read_bytes(bytes: &[u8], counted: bool) -> (FileTable, Vec<Problem>) {
        let mut table = FileTable::default();
        let mut window = Window::new(bytes, Compression::None, Limits::default());
        let problem = read(&mut window, Order::Little, counted, &mut |id, name| table.insert(id, name));
        (table, problem.into_iter().collect())
    }

    #[test]
    fn both_forms_of_names() {
        let long = "x".repeat(1000);
        let terminated = [
            &7u64.to_le_bytes()[..],
            b"/a\0",
            &8u64.to_le_bytes(),
            long.as_bytes(),
            b"\0",
            &9u64.to_le_bytes(),
            b"\0",
        ]
        .concat();
        let (table, problems) = read_bytes(&terminated, false);
        assert_eq!(table.name(FileId(7)), Some(&b"/a"[..]));
        assert_eq!(table.name(FileId(8)), Some(long.as_bytes()));
        assert_eq!(table.name(FileId(9)), Some(&b""[..]));
        assert!(problems.is_empty());
        let counted = [&7u64.to_le_bytes()[..], &2u32.to_le_bytes(), b"/a"].concat();
        assert_eq!(read_bytes(&counted, true).0.name(FileId(7)), Some(&b"/a"[..]));
    }

    #[test]
    fn a_cut_name_is_a_problem_and_the_others_stay() {
        let bytes = [&7u64.to_le_bytes()[..], b"/a\0", &8u64.to_le_bytes(), b"/b"].concat();
        let (table, problems) = read_bytes(&bytes, false);
        assert_eq!(table.len(), 1);
        assert_eq!(problems[0].kind, ProblemKind::Truncated);
        let (_, problems) =
            read_bytes(&[&7u64.to_le_bytes()[..], &u32::MAX.to_le_bytes(), b"/a"].concat(), true);
        assert_eq!(problems[0].kind, ProblemKind::Truncated);
    }
}

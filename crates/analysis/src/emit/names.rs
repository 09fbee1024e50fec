//! Names below the root, put together from text and numbers.

use marigraph_wire::skeleton::Name;

/// Begins what is not text in a template of `.mari`; doubled it is itself.
const MARK: u8 = 0;
/// After [`MARK`]: the name is not known.
const UNKNOWN: u8 = 0xff;
/// Longest text of a name that is written down.
const LONGEST: usize = 3072;

/// A part of a name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Piece {
    /// As it is.
    Text(Vec<u8>),
    /// A number, by its place among those of the name, with zeros before it up to a width.
    Number(usize, usize),
}

/// The pieces of a template below the root; nothing if no file can be called so. Numbers are digits: they make neither
/// slashes nor dots, so names can be cleaned before they are known.
pub(super) fn pieces(template: &[u8]) -> Option<Vec<Piece>> {
    if template.is_empty() || template.len() > LONGEST {
        return None;
    }
    let mut folders: Vec<Vec<Piece>> = vec![Vec::new()];
    let (mut numbers, mut rest) = (0, template);
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'/' {
            folders.push(Vec::new());
            continue;
        }
        let pieces = folders.last_mut()?;
        if byte == MARK {
            let (&kind, after) = rest.split_first()?;
            rest = after;
            // No name has the byte itself.
            if matches!(kind, MARK | UNKNOWN) {
                return None;
            }
            pieces.push(Piece::Number(numbers, usize::from(kind - 1)));
            numbers += 1;
            continue;
        }
        match pieces.last_mut() {
            Some(Piece::Text(text)) => text.push(byte),
            _ => pieces.push(Piece::Text(vec![byte])),
        }
    }
    Some(joined(cleaned(folders)))
}

/// As [`crate::replay::below`] does it.
fn cleaned(folders: Vec<Vec<Piece>>) -> Vec<Vec<Piece>> {
    let mut kept: Vec<Vec<Piece>> = Vec::new();
    for folder in folders {
        match folder.as_slice() {
            [] => {}
            [Piece::Text(text)] if text == b"." => {}
            [Piece::Text(text)] if text == b".." => {
                kept.pop();
            }
            _ => kept.push(folder),
        }
    }
    kept
}

fn joined(folders: Vec<Vec<Piece>>) -> Vec<Piece> {
    let mut all: Vec<Piece> = Vec::new();
    for (at, folder) in folders.into_iter().enumerate() {
        let slash = (at > 0).then(|| Piece::Text(vec![b'/']));
        for piece in slash.into_iter().chain(folder) {
            match (all.last_mut(), piece) {
                (Some(Piece::Text(text)), Piece::Text(more)) => text.extend(more),
                (_, piece) => all.push(piece),
            }
        }
    }
    all
}

/// Templates of a name; `None` where no file can be called so.
pub(super) fn templates(name: &Name) -> Vec<Option<Vec<Piece>>> {
    name.templates.iter().map(|template| pieces(template)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::below;

    /// With these numbers put in.
    fn printed(pieces: &[Piece], numbers: &[i64]) -> Vec<u8> {
        let print = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Number(at, width) => format!("{:0width$}", numbers[*at]).into_bytes(),
        };
        pieces.iter().flat_map(print).collect()
    }

    #[test]
    fn names_are_cleaned_as_a_replay_cleans_them() {
        for (template, path) in [
            ("/a/../b\0\x01/./c\0\x04", "/a/../b7/./c012"),
            ("../../x\0\x01/..\0\x01", "../../x7/..12"),
            ("/\0\x01/../../\0\x01//", "/7/../../12//"),
            ("/..", "/.."),
            ("/%n\"\n*/??/", "/%n\"\n*/??/"),
        ] {
            let found = pieces(template.as_bytes()).map(|pieces| printed(&pieces, &[7, 12]));
            assert_eq!(found, below(path.as_bytes()), "{path}");
        }
        for unusable in [&b""[..], b"a\0\0b", b"\0\xff", b"a\0"] {
            assert_eq!(pieces(unusable), None);
        }
    }
}

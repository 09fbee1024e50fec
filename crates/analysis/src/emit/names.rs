//! File names below the root, composed of text and numbers.

use marigraph_model::folded::{self, Name};

const LONGEST: usize = 3072;

/// A part of a name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Piece {
    Text(Vec<u8>),
    /// Index of the number in the name, and the width to which it is padded with zeros.
    Number(usize, usize),
}

/// The pieces of a template below the root, or `None` if no file can have such a name. Numbers
/// consist of digits, so they add neither slashes nor dots, and names can be normalized before the
/// numbers are known.
pub(super) fn pieces(template: &[folded::Piece]) -> Option<Vec<Piece>> {
    if template.is_empty() {
        return None;
    }
    let mut folders: Vec<Vec<Piece>> = vec![Vec::new()];
    let (mut numbers, mut len) = (0, 0);
    for piece in template {
        match piece {
            folded::Piece::Unknown => return None,
            folded::Piece::Number(width) => {
                folders.last_mut()?.push(Piece::Number(numbers, usize::from(*width)));
                numbers += 1;
            }
            folded::Piece::Text(text) => {
                len += text.len();
                // No file name contains this byte.
                if text.contains(&0) || len > LONGEST {
                    return None;
                }
                add_text(&mut folders, text);
            }
        }
    }
    Some(joined(cleaned(folders)))
}

/// Appends text to the last folder; each slash begins another.
fn add_text(folders: &mut Vec<Vec<Piece>>, text: &[u8]) {
    for (at, part) in text.split(|&byte| byte == b'/').enumerate() {
        if at > 0 {
            folders.push(Vec::new());
        }
        let Some(pieces) = folders.last_mut().filter(|_| !part.is_empty()) else { continue };
        match pieces.last_mut() {
            Some(Piece::Text(text)) => text.extend(part),
            _ => pieces.push(Piece::Text(part.to_vec())),
        }
    }
}

/// Normalizes as [`crate::replay::below`] does.
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

pub(super) fn templates(name: &Name) -> Vec<Option<Vec<Piece>>> {
    name.templates.iter().map(|template| pieces(template)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::below;

    fn printed(pieces: &[Piece], numbers: &[i64]) -> Vec<u8> {
        let print = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Number(at, width) => format!("{:0width$}", numbers[*at]).into_bytes(),
        };
        pieces.iter().flat_map(print).collect()
    }

    /// A template: `#` is a number, `@` one of three digits.
    fn template(text: &str) -> Vec<folded::Piece> {
        let texts = text.split_inclusive(['#', '@']);
        let pieces = texts.flat_map(|part| {
            let number = part.chars().last().and_then(|last| match last {
                '#' => Some(folded::Piece::Number(0)),
                '@' => Some(folded::Piece::Number(3)),
                _ => None,
            });
            let text = part.trim_end_matches(['#', '@']);
            let text = (!text.is_empty()).then(|| folded::Piece::Text(text.as_bytes().to_vec()));
            text.into_iter().chain(number)
        });
        pieces.collect()
    }

    #[test]
    fn names_are_cleaned_as_a_replay_cleans_them() {
        for (text, path) in [
            ("/a/../b#/./c@", "/a/../b7/./c012"),
            ("../../x#/..#", "../../x7/..12"),
            ("/#/../../#//", "/7/../../12//"),
            ("/..", "/.."),
            ("/%n\"\n*/??/", "/%n\"\n*/??/"),
        ] {
            let found = pieces(&template(text)).map(|pieces| printed(&pieces, &[7, 12]));
            assert_eq!(found, below(path.as_bytes()), "{path}");
        }
        for unusable in [vec![], vec![folded::Piece::Unknown], template("a\0b")] {
            assert_eq!(pieces(&unusable), None);
        }
    }
}

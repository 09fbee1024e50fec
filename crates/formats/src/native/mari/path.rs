//! Paths as templates: text, and numbers in it that vary from file to file.
//!
//! Every run of up to 18 digits becomes a number with its printed width, so that `out.00000007`
//! and `out.00000008` are one template and two numbers. A template is bytes: text as it is, with
//! [`MARK`] before a number's width plus one, and twice for itself.

use std::collections::HashMap;
use std::sync::Arc;

use marigraph_model::folded::{Piece, Template};

use marigraph_model::{NameId, Names};

/// Precedes everything that is not text.
const MARK: u8 = 0;
/// After [`MARK`]: the name is unknown.
const UNKNOWN: u8 = 0xff;
/// Maximum digits of a number, which then fits an `i64`.
const DIGITS: usize = 18;
/// Maximum numbers in a name; further digits are text.
const NUMBERS: usize = 16;

pub(super) fn split(path: Option<&[u8]>, template: &mut Vec<u8>, numbers: &mut Vec<i64>) {
    template.clear();
    numbers.clear();
    let Some(mut rest) = path else {
        template.extend([MARK, UNKNOWN]);
        return;
    };
    while let Some(&byte) = rest.first() {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = rest.iter().take_while(|&&byte| byte != MARK && !byte.is_ascii_digit()).count();
        let (part, after) = rest.split_at(digits.max(text).max(1));
        rest = after;
        if (1..=DIGITS).contains(&digits) && numbers.len() < NUMBERS {
            let value = part.iter().fold(0, |value, byte| value * 10 + i64::from(byte - b'0'));
            let width = if byte == b'0' && digits > 1 { digits as u8 } else { 0 };
            template.extend([MARK, width + 1]);
            numbers.push(value);
        } else {
            template.extend_from_slice(part);
            if byte == MARK {
                template.push(MARK);
            }
        }
    }
}

/// `None` if the template is malformed.
pub(super) fn count(template: &[u8]) -> Option<usize> {
    let mut numbers = 0;
    let mut rest = template;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == MARK {
            let (&kind, after) = rest.split_first()?;
            rest = after;
            match kind {
                MARK => {}
                UNKNOWN if template.len() == 2 => {}
                1..=19 => numbers += 1,
                _ => return None,
            }
        }
    }
    (numbers <= NUMBERS).then_some(numbers)
}

pub(super) fn pieces(template: &[u8]) -> Template {
    let (mut pieces, mut text) = (Vec::new(), Vec::new());
    let mut rest = template;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let kind = rest.first().copied().filter(|_| byte == MARK);
        rest = if kind.is_some() { rest.get(1..).unwrap_or(&[]) } else { rest };
        let piece = match kind {
            None | Some(MARK) => {
                text.push(byte);
                continue;
            }
            Some(UNKNOWN) => Piece::Unknown,
            Some(width) => Piece::Number(width - 1),
        };
        if !text.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut text)));
        }
        pieces.push(piece);
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    pieces
}

/// The inverse of [`pieces`].
pub(super) fn of_pieces(pieces: &[Piece]) -> Vec<u8> {
    let mut template = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Unknown => template.extend([MARK, UNKNOWN]),
            Piece::Number(width) => template.extend([MARK, width + 1]),
            Piece::Text(text) => {
                for &byte in text {
                    template.extend(std::iter::repeat_n(byte, if byte == MARK { 2 } else { 1 }));
                }
            }
        }
    }
    template
}

/// Whether a template with fixed widths also prints what another does, if some numbers are large
/// enough: `0999` has width 4, and so has `1000`. Returns the places and minima of those numbers.
pub(super) fn widened(fixed: &[u8], natural: &[u8]) -> Option<Vec<(usize, i64)>> {
    let mut least = Vec::new();
    let (mut place, mut marked) = (0, false);
    if fixed.len() != natural.len() {
        return None;
    }
    for (&fixed, &natural) in fixed.iter().zip(natural) {
        match (marked, fixed, natural) {
            (true, 3..=19, 1) => least.push((place, 10i64.pow(u32::from(fixed) - 2))),
            _ if fixed != natural => return None,
            _ => {}
        }
        place += usize::from(marked && natural != MARK);
        marked = !marked && natural == MARK;
    }
    Some(least)
}

/// Returns `false` if the name is unknown.
pub(super) fn join(template: &[u8], numbers: &[i64], out: &mut Vec<u8>) -> bool {
    out.clear();
    let mut numbers = numbers.iter();
    let mut rest = template;
    while let Some(at) = rest.iter().position(|&byte| byte == MARK) {
        let (text, marked) = rest.split_at(at);
        out.extend_from_slice(text);
        let Some(&[_, kind]) = marked.first_chunk::<2>() else { return true };
        rest = marked.get(2..).unwrap_or(&[]);
        match kind {
            UNKNOWN => return false,
            MARK => out.push(MARK),
            _ => {
                let value = numbers.next().copied().unwrap_or(0);
                put_number(value.max(0), usize::from(kind - 1), out);
            }
        }
    }
    out.extend_from_slice(rest);
    true
}

fn put_number(mut value: i64, width: usize, out: &mut Vec<u8>) {
    let start = out.len();
    loop {
        out.push(b'0' + (value % 10) as u8);
        value /= 10;
        if value == 0 {
            break;
        }
    }
    let width = start + width;
    out.resize(out.len().max(width), b'0');
    if let Some(digits) = out.get_mut(start..) {
        digits.reverse();
    }
}

/// Shows numbers as `%d` and `%08d`.
pub(super) fn display(template: &[u8]) -> String {
    let mut text = Vec::new();
    let mut rest = template;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == MARK {
            let kind = rest.first().copied().unwrap_or(UNKNOWN);
            rest = rest.get(1..).unwrap_or(&[]);
            match kind {
                MARK => text.push(MARK),
                UNKNOWN => text.extend_from_slice(b"?"),
                1 => text.extend_from_slice(b"%d"),
                width => text.extend_from_slice(format!("%0{}d", width - 1).as_bytes()),
            }
        } else {
            text.push(byte);
        }
    }
    String::from_utf8_lossy(&text).escape_debug().to_string()
}

/// Distinct paths by number; 0 is an unknown name.
#[derive(Debug, Default)]
pub struct NameTable {
    ids: HashMap<Arc<[u8]>, NameId>,
    names: Vec<Arc<[u8]>>,
}

impl NameTable {
    pub fn id(&mut self, path: &[u8]) -> NameId {
        if let Some(&id) = self.ids.get(path) {
            return id;
        }
        let path: Arc<[u8]> = path.into();
        self.names.push(path.clone());
        let id = NameId(self.names.len() as i64);
        self.ids.insert(path, id);
        id
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

impl Names for NameTable {
    fn name(&self, id: NameId) -> Option<&[u8]> {
        let at = usize::try_from(id.0).ok()?.checked_sub(1)?;
        self.names.get(at).map(|name| &**name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(path: &[u8]) -> (Vec<u8>, Vec<i64>) {
        let (mut template, mut numbers, mut out) = (Vec::new(), Vec::new(), Vec::new());
        split(Some(path), &mut template, &mut numbers);
        assert_eq!(count(&template), Some(numbers.len()));
        assert!(join(&template, &numbers, &mut out));
        assert_eq!(out, path);
        assert_eq!(of_pieces(&pieces(&template)), template);
        (template, numbers)
    }

    #[test]
    fn paths_come_back_byte_for_byte() {
        assert_eq!(round(b"/s/out.00000007"), (b"/s/out.\0\x09".to_vec(), vec![7]));
        assert_eq!(round(b"a10b0c00"), (b"a\0\x01b\0\x01c\0\x03".to_vec(), vec![10, 0, 0]));
        let paths: [&[u8]; 6] = [
            b"",
            b"\0",
            b"\xff\xfe9\0\x001",
            b"1234567890123456789",
            b"000000000000000000",
            b"0123456789012345678x",
        ];
        paths.into_iter().for_each(|path| drop(round(path)));
        round("1.".repeat(40).as_bytes());
    }

    #[test]
    fn templates_have_pieces() {
        let text = |text: &[u8]| Piece::Text(text.to_vec());
        let found = pieces(&round(b"a\0b07/9").0);
        assert_eq!(found, [text(b"a\0b"), Piece::Number(2), text(b"/"), Piece::Number(0)]);
        assert_eq!(of_pieces(&pieces(&[MARK, UNKNOWN])), [MARK, UNKNOWN]);
    }

    #[test]
    fn fixed_widths_print_greater_numbers() {
        let template = |path: &[u8]| round(path).0;
        let fixed = template(b"a5.0999.x7");
        assert_eq!(widened(&fixed, &template(b"a5.1000.x7")), Some(vec![(1, 1000)]));
        assert_eq!(widened(&fixed, &template(b"a5.1000.y7")), None);
        assert_eq!(widened(&template(b"a5.1000.x7"), &fixed), None);
        let mut out = Vec::new();
        join(&fixed, &[5, 12345, 7], &mut out);
        assert_eq!(out, b"a5.12345.x7");
    }

    #[test]
    fn unknown_names_stay_unknown() {
        let (mut template, mut numbers) = (Vec::new(), Vec::new());
        split(None, &mut template, &mut numbers);
        assert_eq!(count(&template), Some(0));
        assert!(!join(&template, &numbers, &mut Vec::new()));
        assert_eq!(count(b"\0"), None);
        assert_eq!(count(b"\0\x20"), None);
    }
}

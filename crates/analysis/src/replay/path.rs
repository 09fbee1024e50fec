//! Where a recorded path lies below the root.

/// Longest name of a file.
const NAME: usize = 255;
/// Longest path below the root: with the root before it, it must still be one that the system takes.
const PATH: usize = 3072;

/// A path relative to the root, of plain names alone: `/a/./b/../c` becomes `a/c`, and what would climb out stays
/// at the root. The root itself is empty. `None` for what no file can be called.
pub fn below(path: &[u8]) -> Option<Vec<u8>> {
    if path.is_empty() || path.contains(&0) {
        return None;
    }
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop();
            }
            _ if part.len() > NAME => return None,
            _ => parts.push(part),
        }
    }
    Some(parts.join(&b'/')).filter(|path| path.len() <= PATH)
}

/// The folder that a path is in; the root is in none.
pub(super) fn parent(path: &[u8]) -> Option<&[u8]> {
    if path.is_empty() {
        return None;
    }
    Some(path.iter().rposition(|&byte| byte == b'/').map_or(&[][..], |at| &path[..at]))
}

//! Maps recorded paths below the root.

const NAME: usize = 255;
/// Maximum length below the root; leaves room for the root within `PATH_MAX`.
const PATH: usize = 3072;

/// Normalizes a path relative to the root: `/a/./b/../c` becomes `a/c`, and a path cannot climb
/// above the root. The root itself is empty. `None` for a path that no file can have.
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

pub(super) fn parent(path: &[u8]) -> Option<&[u8]> {
    if path.is_empty() {
        return None;
    }
    Some(path.iter().rposition(|&byte| byte == b'/').map_or(&[][..], |at| &path[..at]))
}

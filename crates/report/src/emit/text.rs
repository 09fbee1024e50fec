//! Text of C. Nothing from a trace can end a string, a comment or a format.

use std::fmt::Write;

use marigraph_analysis::emit::Piece;

/// Escapes bytes for a C string. Unusual bytes become three octal digits, which the next character
/// cannot extend.
pub(super) fn quoted(bytes: &[u8]) -> String {
    let mut out = String::new();
    for &byte in bytes {
        match byte {
            b'"' | b'\\' | b'?' => out.extend(['\\', char::from(byte)]),
            b' '..=b'~' => out.push(char::from(byte)),
            // Writing to a text cannot fail.
            _ => drop(write!(out, "\\{byte:03o}")),
        }
    }
    out
}

/// A name as a `printf` format, with `%lld` for its numbers.
pub(super) fn format(pieces: &[Piece]) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => quoted(text).replace('%', "%%"),
        Piece::Number(_, 0) => "%lld".to_string(),
        Piece::Number(_, width) => format!("%0{width}lld"),
    };
    pieces.iter().map(piece).collect()
}

pub(super) fn with(pieces: &[Piece], known: impl Fn(usize) -> Option<i64>) -> Vec<Piece> {
    let piece = |piece: &Piece| match piece {
        Piece::Number(at, width) => match known(*at) {
            Some(value) => Piece::Text(format!("{:0width$}", value.max(0)).into_bytes()),
            None => piece.clone(),
        },
        Piece::Text(_) => piece.clone(),
    };
    pieces.iter().map(piece).collect()
}

pub(super) fn mode(mode: i64) -> String {
    if (1..=0o7777).contains(&mode) { format!("0{mode:o}") } else { number(mode) }
}

pub(super) fn mpi_mode(mode: i64) -> String {
    const NAMES: [&str; 9] = [
        "CREATE",
        "RDONLY",
        "WRONLY",
        "RDWR",
        "DELETE_ON_CLOSE",
        "UNIQUE_OPEN",
        "EXCL",
        "APPEND",
        "SEQUENTIAL",
    ];
    let names = NAMES.iter().enumerate().filter(|(bit, _)| mode >> bit & 1 != 0);
    let words: Vec<String> = names.map(|(_, name)| format!("MPI_MODE_{name}")).collect();
    if (1..1 << NAMES.len()).contains(&mode) { words.join(" | ") } else { number(mode) }
}

/// Sanitizes a text for a C comment: plain characters only.
pub(super) fn remark(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || " ._/=,:+@-".contains(c) { c } else { '_' };
    let text: String = text.chars().take(500).map(plain).collect();
    text.replace("//", "/_")
}

pub(super) fn number(value: i64) -> String {
    match value {
        // C has no literal for this value.
        i64::MIN => "INT64_MIN".to_string(),
        _ => value.to_string(),
    }
}

/// Flags of `open`, by name where they have one.
pub(super) fn flags(both: i64) -> String {
    const NAMES: [(i64, &str); 12] = [
        (0o100, "O_CREAT"),
        (0o200, "O_EXCL"),
        (0o400, "O_NOCTTY"),
        (0o1000, "O_TRUNC"),
        (0o2000, "O_APPEND"),
        (0o4000, "O_NONBLOCK"),
        (0o40_000, "O_DIRECT"),
        (0o100_000, "O_LARGEFILE"),
        (0o200_000, "O_DIRECTORY"),
        (0o400_000, "O_NOFOLLOW"),
        (0o1_000_000, "O_NOATIME"),
        (0o2_000_000, "O_CLOEXEC"),
    ];
    let mut left = both & 0xffff_ffff;
    let mut words = vec![match left & 3 {
        0 => "O_RDONLY".to_string(),
        1 => "O_WRONLY".to_string(),
        2 => "O_RDWR".to_string(),
        _ => "3".to_string(),
    }];
    left &= !3;
    for (bit, name) in NAMES.into_iter().filter(|(bit, _)| both & bit != 0) {
        // O_LARGEFILE is 0 where all files may be large.
        if name != "O_LARGEFILE" {
            words.push(name.to_string());
        }
        left &= !bit;
    }
    if left != 0 {
        words.push(format!("{left:#x}"));
    }
    words.join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_text_or_a_format() {
        assert_eq!(quoted(b"a\"b\\c??/\n\x01\xff9"), r#"a\"b\\c\?\?/\012\001\3779"#);
        let name = [Piece::Text(b"100%n".to_vec()), Piece::Number(0, 3), Piece::Text(b"%".to_vec())];
        assert_eq!(format(&name), "100%%n%03lld%%");
        assert_eq!(remark("a */ #include \"x\" ??/ //\nb"), "a _/ _include _x_ __/ /__b");
    }

    #[test]
    fn flags_have_names() {
        assert_eq!(flags(0o644 << 32 | 0o1101), "O_WRONLY | O_CREAT | O_TRUNC");
        assert_eq!(flags(0), "O_RDONLY");
        assert_eq!(flags(0x1_0000_0000_i64 | 0x4000_0000), "O_RDONLY | 0x40000000");
        assert_eq!([mode(0o644), mode(0), mode(-1)], ["0644", "0", "-1"]);
        assert_eq!(mpi_mode(37), "MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_UNIQUE_OPEN");
        assert_eq!([mpi_mode(0), mpi_mode(512)], ["0", "512"]);
    }
}

//! Versions of the format, and the known faults and gaps of each.

use marigraph_model::{Problem, ProblemKind};

/// Major and minor number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u8, pub u8);

impl Version {
    /// Parses `2.06` and the like; `None` for other text or a version that never existed.
    pub fn parse(text: &[u8]) -> Option<Version> {
        let &[major @ (b'1' | b'2'), b'.', tens, ones] = text else { return None };
        if !tens.is_ascii_digit() || !ones.is_ascii_digit() {
            return None;
        }
        let version = Version(major - b'0', (tens - b'0') * 10 + (ones - b'0'));
        let known = match version.0 {
            1 => (21..=24).contains(&version.1),
            _ => version.1 <= 6,
        };
        known.then_some(version)
    }

    /// Maximum number of characters kept of a name, from its end.
    pub fn name_length(self) -> usize {
        if self < Version(2, 0) { 11 } else { 15 }
    }

    pub fn problems(self) -> Vec<Problem> {
        let names = format!(
            "file names are cut to their last {} characters, so different files can have the same name",
            self.name_length()
        );
        let mut problems = vec![Problem::new(ProblemKind::NotRecorded, names).at("file names")];
        problems.extend(
            LIMITATIONS
                .iter()
                .filter(|limit| (limit.from..limit.before).contains(&self))
                .map(|limit| Problem::new(limit.kind.clone(), limit.message)),
        );
        problems
    }
}

/// A fault or gap of the versions `from` up to, but not including, `before`.
struct Limitation {
    from: Version,
    before: Version,
    kind: ProblemKind,
    message: &'static str,
}

const FIRST: Version = Version(1, 21);

static LIMITATIONS: &[Limitation] = &[
    Limitation {
        from: FIRST,
        before: Version(2, 0),
        kind: ProblemKind::NotRecorded,
        message: "the job id and the fastest and slowest ranks of shared files are not in this log",
    },
    Limitation {
        from: FIRST,
        before: Version(1, 23),
        kind: ProblemKind::NotRecorded,
        message: "mounted file systems are not in this log",
    },
    Limitation {
        from: FIRST,
        before: Version(1, 23),
        kind: ProblemKind::KnownDefect,
        message: "time spent in syncs counts as metadata time, not as write time",
    },
    Limitation {
        from: Version(1, 23),
        before: Version(1, 24),
        kind: ProblemKind::KnownDefect,
        message: "files of ranks above 0 may be assigned to the wrong file system",
    },
    Limitation {
        from: FIRST,
        before: Version(2, 2),
        kind: ProblemKind::KnownDefect,
        message: "counters may be inaccurate if several threads used a file at once",
    },
    Limitation {
        from: FIRST,
        before: Version(2, 6),
        kind: ProblemKind::KnownDefect,
        message: "the first open of a file has its end time, not its start time",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_versions_that_were_released_are_known() {
        assert_eq!(Version::parse(b"1.24"), Some(Version(1, 24)));
        assert_eq!(Version::parse(b"2.06"), Some(Version(2, 6)));
        for text in [&b"1.20"[..], b"1.25", b"2.07", b"3.00", b"2.6", b"2.0x", b"2.061", b""] {
            assert_eq!(Version::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn limitations_end_with_the_version_that_lifted_them() {
        let count = |major, minor| Version(major, minor).problems().len();
        assert_eq!([count(1, 21), count(1, 23), count(1, 24)], [6, 5, 4]);
        assert_eq!([count(2, 1), count(2, 2), count(2, 5), count(2, 6)], [3, 2, 2, 1]);
    }
}

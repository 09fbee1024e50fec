//! Finds the end of a file that is to be continued.

use marigraph_model::{Civil, Gap};

use super::frame::Frames;
use super::record::{self, Record};

/// Where a file may be continued, and what it ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tail {
    /// Bytes up to the end of the last valid record.
    pub sound: usize,
    /// Time of the last observation, in microseconds since 1970.
    pub wall_us: i64,
    pub gap: Option<Gap>,
}

/// The beginning may be damaged.
pub fn sniff(content: &[u8]) -> bool {
    const FAR: usize = 1 << 20;
    let begin = content.get(..FAR).unwrap_or(content);
    // The first record may be larger than `FAR`.
    let first = Frames::new(content).here();
    first.into_iter().chain(Frames::new(begin)).any(|frame| record::is_full(frame.body))
}

/// Finds the end of the valid part in the last bytes of a file; `None` if no record begins there.
pub fn tail(bytes: &[u8]) -> Option<Tail> {
    let mut found = None;
    for frame in Frames::new(bytes) {
        let head = match record::take(frame.body) {
            Some(Record::Full(full)) => full.head,
            Some(Record::Step(step)) => step.head,
            _ => continue,
        };
        found = Some(Tail { sound: frame.end, wall_us: head.wall_us, gap: head.gap });
    }
    found
}

/// The day of a time, after which files of past days are named.
pub fn day(wall_us: i64) -> String {
    let civil = Civil::from_seconds(wall_us.div_euclid(1_000_000));
    format!("{:04}-{:02}-{:02}", civil.year, civil.month, civil.day)
}

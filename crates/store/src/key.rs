//! The identity of a job.

use std::fmt;

/// Identity of a log: a hash of its content, independent of its location.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobKey(pub(crate) u128);

impl JobKey {
    pub fn of(content: &[u8]) -> JobKey {
        JobKey(twox_hash::XxHash3_128::oneshot(content))
    }

    pub fn bits(self) -> u128 {
        self.0
    }

    /// Parses the form that [`fmt::Display`] writes.
    pub(crate) fn parse(text: &str) -> Option<JobKey> {
        u128::from_str_radix(text, 16).ok().filter(|_| text.len() == 32).map(JobKey)
    }
}

impl fmt::Display for JobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_survive_being_written_down() {
        let key = JobKey::of(b"a log");
        assert_eq!(JobKey::parse(&key.to_string()), Some(key));
        assert_ne!(key, JobKey::of(b"another"));
        assert_eq!(JobKey::parse("12"), None);
        assert_eq!(JobKey::parse("x"), None);
    }
}

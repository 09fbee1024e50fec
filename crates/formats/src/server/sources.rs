//! The names of a log's sources, in the order in which they come.

use std::collections::HashMap;

/// Names with their numbers.
#[derive(Debug, Default)]
pub(super) struct Sources {
    names: Vec<String>,
    numbers: HashMap<Vec<u8>, u32>,
    /// Host, name and number of the source that was asked for last: its rows often follow one another.
    last: (Vec<u8>, Vec<u8>, u32),
}

impl Sources {
    /// The number of a source on a host; either may be unnamed.
    #[inline]
    pub fn number(&mut self, host: &[u8], name: &[u8]) -> u32 {
        // Comparing no bytes is not free either.
        let unnamed = host.is_empty() && name.is_empty() && self.last.0.is_empty() && self.last.1.is_empty();
        let same = unnamed || (self.last.0 == host && self.last.1 == name);
        if !same || self.names.is_empty() {
            self.look_up(host, name);
        }
        self.last.2
    }

    fn look_up(&mut self, host: &[u8], name: &[u8]) {
        let between: &[u8] = if host.is_empty() || name.is_empty() { b"" } else { b":" };
        let whole = [host, between, name].concat();
        let new = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let names = &mut self.names;
        let number = *self.numbers.entry(whole).or_insert_with_key(|whole| {
            names.push(String::from_utf8_lossy(whole).into_owned());
            new
        });
        self.last = (host.to_vec(), name.to_vec(), number);
    }

    /// All names.
    pub fn into_names(self) -> Vec<String> {
        self.names
    }
}

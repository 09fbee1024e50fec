//! Names of a log's sources, in order of first appearance.

use std::collections::HashMap;

#[derive(Debug, Default)]
pub(super) struct Sources {
    names: Vec<String>,
    numbers: HashMap<Vec<u8>, u32>,
    /// Host, name and index of the last source: its rows are often adjacent.
    last: (Vec<u8>, Vec<u8>, u32),
}

impl Sources {
    #[inline]
    pub fn number(&mut self, host: &[u8], name: &[u8]) -> u32 {
        // Even comparing empty slices costs time.
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

    pub fn into_names(self) -> Vec<String> {
        self.names
    }
}

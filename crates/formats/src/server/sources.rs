//! The names of a log's sources, in the order in which they come.

use std::collections::HashMap;

/// Names with their numbers.
#[derive(Debug, Default)]
pub(super) struct Sources {
    names: Vec<String>,
    numbers: HashMap<Vec<u8>, u32>,
    /// The name that was asked for last, as it stands in [`Sources::numbers`], and its number: rows of one source often follow one another.
    last: (Vec<u8>, u32),
    /// The next name is put together here.
    wanted: Vec<u8>,
}

impl Sources {
    /// The number of a source on a host; either may be unnamed.
    #[inline]
    pub fn number(&mut self, host: &[u8], name: &[u8]) -> u32 {
        self.wanted.clear();
        self.wanted.extend_from_slice(host);
        if !host.is_empty() && !name.is_empty() {
            self.wanted.push(b':');
        }
        self.wanted.extend_from_slice(name);
        if self.wanted != self.last.0 || self.names.is_empty() {
            self.look_up();
        }
        self.last.1
    }

    fn look_up(&mut self) {
        let number = match self.numbers.get(&self.wanted) {
            Some(&number) => number,
            None => {
                let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
                self.names.push(String::from_utf8_lossy(&self.wanted).into_owned());
                self.numbers.insert(self.wanted.clone(), number);
                number
            }
        };
        self.last = (self.wanted.clone(), number);
    }

    /// All names.
    pub fn into_names(self) -> Vec<String> {
        self.names
    }
}

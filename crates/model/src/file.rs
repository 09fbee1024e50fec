//! Names of files, and of other objects that records describe.

use std::collections::{BTreeMap, HashMap};

/// Identifies a file across ranks, modules and logs: a hash of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u64);

impl FileId {
    /// Standard input, by the hash of its reserved name `<STDIN>`.
    pub const STDIN: FileId = FileId(14_734_109_647_742_566_553);
    /// `<STDOUT>`.
    pub const STDOUT: FileId = FileId(15_920_181_672_442_173_319);
    /// `<STDERR>`.
    pub const STDERR: FileId = FileId(7_238_257_241_479_193_519);

    /// Bob Jenkins' public 64-bit hash "lookup8", as Darshan computes record ids.
    pub fn of_name(name: &[u8]) -> FileId {
        let (mut a, mut b, mut c) = (0u64, 0u64, 0x9e37_79b9_7f4a_7c13u64);
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |sum, &byte| sum << 8 | u64::from(byte));
        let mut blocks = name.chunks_exact(24);
        for block in &mut blocks {
            a = a.wrapping_add(word(&block[..8]));
            b = b.wrapping_add(word(&block[8..16]));
            c = c.wrapping_add(word(&block[16..]));
            (a, b, c) = mix(a, b, c);
        }
        let rest = blocks.remainder();
        let part = |from: usize| word(&rest[rest.len().min(from)..rest.len().min(from + 8)]);
        c = c.wrapping_add(name.len() as u64);
        a = a.wrapping_add(part(0));
        b = b.wrapping_add(part(8));
        c = c.wrapping_add(part(16) << 8);
        FileId(mix(a, b, c).2)
    }

    pub fn is_standard_stream(self) -> bool {
        [FileId::STDIN, FileId::STDOUT, FileId::STDERR].contains(&self)
    }
}

fn mix(mut a: u64, mut b: u64, mut c: u64) -> (u64, u64, u64) {
    for (right, left, last) in [(43, 9, 8), (38, 23, 5), (35, 49, 11), (12, 18, 22)] {
        a = a.wrapping_sub(b).wrapping_sub(c) ^ (c >> right);
        b = b.wrapping_sub(c).wrapping_sub(a) ^ (a << left);
        c = c.wrapping_sub(a).wrapping_sub(b) ^ (b >> last);
    }
    (a, b, c)
}

/// A map keyed by [`FileId`]. It is ordered, so sums over it are the same in every run, and
/// colliding ids cannot slow it down.
pub type FileMap<V> = BTreeMap<FileId, V>;

/// All names of a log, each once.
#[derive(Debug, Clone, Default)]
pub struct FileTable {
    /// Name bytes, concatenated in order of first appearance.
    text: Vec<u8>,
    /// Id, start and end in `text`.
    names: Vec<(FileId, usize, usize)>,
    /// Index in `names`. Never iterated, so its order does not matter.
    index: HashMap<FileId, u32>,
}

impl FileTable {
    /// Keeps the first name of an id, unless it is empty and this one is not.
    pub fn insert(&mut self, id: FileId, name: &[u8]) {
        let next = self.names.len();
        match self.index.get(&id) {
            None => {
                let Ok(at) = u32::try_from(next) else { return };
                let span = self.store(name);
                self.names.push((id, span.0, span.1));
                self.index.insert(id, at);
            }
            Some(&at) => {
                let known = self.names[at as usize];
                if known.1 == known.2 && !name.is_empty() {
                    let span = self.store(name);
                    self.names[at as usize] = (id, span.0, span.1);
                }
            }
        }
    }

    fn store(&mut self, name: &[u8]) -> (usize, usize) {
        let from = self.text.len();
        self.text.extend_from_slice(name);
        (from, self.text.len())
    }

    /// Names are paths and need not be UTF-8.
    pub fn name(&self, id: FileId) -> Option<&[u8]> {
        let &at = self.index.get(&id)?;
        let (_, from, to) = self.names[at as usize];
        Some(&self.text[from..to])
    }

    /// The name for display: lossy if it is not UTF-8, the id in brackets if there is none.
    pub fn label(&self, id: FileId) -> String {
        match self.name(id) {
            Some(name) if !name.is_empty() => String::from_utf8_lossy(name).into_owned(),
            _ => format!("<{}>", id.0),
        }
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// In order of first appearance.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &[u8])> {
        self.names.iter().map(|&(id, from, to)| (id, &self.text[from..to]))
    }
}

impl PartialEq for FileTable {
    fn eq(&self, other: &FileTable) -> bool {
        self.len() == other.len() && self.iter().all(|(id, name)| other.name(id) == Some(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_match_the_published_vectors() {
        for (name, id) in [
            ("<STDIN>", 14_734_109_647_742_566_553),
            ("<STDOUT>", 15_920_181_672_442_173_319),
            ("<STDERR>", 7_238_257_241_479_193_519),
            ("heatmap:POSIX", 16_592_106_915_301_738_621),
            ("APMPI", 2_250_748_219_237_254_214),
            ("darshan-apmpi-header", 7_713_204_788_897_956_166),
        ] {
            assert_eq!(FileId::of_name(name.as_bytes()), FileId(id), "{name}");
        }
    }

    #[test]
    fn the_first_name_stays_unless_it_is_empty() {
        let mut table = FileTable::default();
        table.insert(FileId(1), b"");
        table.insert(FileId(1), b"/a");
        table.insert(FileId(1), b"/b");
        table.insert(FileId(2), b"");
        assert_eq!(table.name(FileId(1)), Some(&b"/a"[..]));
        assert_eq!(table.label(FileId(2)), "<2>");
        assert_eq!(table.label(FileId(3)), "<3>");
        assert_eq!(table.len(), 2);
    }
}

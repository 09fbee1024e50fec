//! Group keys: each distinct value of a column gets a number.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use arrow_array::Array;

use crate::cell::Owned;
use crate::scan::Selected;
use crate::scan::block::{Column, Texts};
use crate::tables::Kind;

/// Mixes small numbers; faster than the default hasher, whose resistance to attacks is not needed
/// here.
#[derive(Default)]
pub(super) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }
    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(23) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

/// Numbers values in order of first appearance.
pub(super) struct Numbered<K, S = BuildHasherDefault<Mix>> {
    numbers: HashMap<K, u32, S>,
    pub values: Vec<K>,
}

impl<K, S: Default> Default for Numbered<K, S> {
    fn default() -> Self {
        Numbered { numbers: HashMap::default(), values: Vec::new() }
    }
}

impl<K: Hash + Eq + Clone, S: std::hash::BuildHasher> Numbered<K, S> {
    pub fn number(&mut self, value: K) -> u32 {
        let next = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(value).or_insert_with_key(|value| {
            self.values.push(value.clone());
            next
        })
    }
}

#[derive(Default)]
pub(super) struct Words {
    numbers: HashMap<String, u32>,
    /// The number of the missing value, once it has one.
    missing: Option<u32>,
    values: Vec<Option<String>>,
}

impl Words {
    fn number(&mut self, word: Option<&str>) -> u32 {
        let next = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        let known = match word {
            Some(word) => self.numbers.get(word).copied(),
            None => self.missing,
        };
        known.unwrap_or_else(|| {
            match word {
                Some(word) => drop(self.numbers.insert(word.to_string(), next)),
                None => self.missing = Some(next),
            }
            self.values.push(word.map(String::from));
            next
        })
    }

    /// Looks up each word once per block.
    fn add(&mut self, texts: &Texts, selected: &Selected, numbers: &mut Vec<u32>) {
        const UNKNOWN: u32 = u32::MAX;
        let mut known = vec![UNKNOWN; texts.words.len() + 1];
        let missing = texts.words.len();
        selected.each(|row| {
            let code = texts.code(row).unwrap_or(missing).min(missing);
            if known[code] == UNKNOWN {
                known[code] = self.number(texts.word(code));
            }
            numbers.push(known[code]);
        });
    }
}

pub(super) enum Keys {
    Words(Words),
    /// As bits.
    Numbers(Kind, Numbered<Option<u64>>),
}

impl Keys {
    pub fn new(kind: Kind) -> Keys {
        match kind {
            Kind::Text => Keys::Words(Words::default()),
            Kind::Int | Kind::Float => Keys::Numbers(kind, Numbered::default()),
        }
    }

    pub fn add(&mut self, column: &Column, selected: &Selected, numbers: &mut Vec<u32>) {
        match (self, column) {
            (Keys::Words(words), Column::Texts(texts)) => words.add(texts, selected, numbers),
            (Keys::Numbers(_, keys), Column::Ints(ints)) => selected.each(|row| {
                numbers.push(keys.number(ints.is_valid(row).then(|| ints.value(row).cast_unsigned())));
            }),
            (Keys::Numbers(_, keys), Column::Floats(floats)) => selected.each(|row| {
                // 0.0 and -0.0 are the same.
                let bits = floats.is_valid(row).then(|| (floats.value(row) + 0.0).to_bits());
                numbers.push(keys.number(bits));
            }),
            (keys, _) => {
                let missing = match keys {
                    Keys::Words(words) => words.number(None),
                    Keys::Numbers(_, keys) => keys.number(None),
                };
                selected.each(|_| numbers.push(missing));
            }
        }
    }

    /// The numbers here of the values of `other`, in its order.
    pub fn translate(&mut self, other: &Keys) -> Vec<u32> {
        match (self, other) {
            (Keys::Words(here), Keys::Words(there)) => {
                there.values.iter().map(|word| here.number(word.as_deref())).collect()
            }
            (Keys::Numbers(_, here), Keys::Numbers(_, there)) => {
                there.values.iter().map(|&value| here.number(value)).collect()
            }
            _ => Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Keys::Words(words) => words.values.len(),
            Keys::Numbers(_, keys) => keys.values.len(),
        }
    }

    pub fn value(&self, number: u32) -> Owned {
        let at = number as usize;
        match self {
            Keys::Words(words) => words.values.get(at).cloned().flatten().map(Owned::Text),
            Keys::Numbers(kind, keys) => keys.values.get(at).copied().flatten().map(|bits| match kind {
                Kind::Float => Owned::Float(f64::from_bits(bits)),
                _ => Owned::Int(bits.cast_signed()),
            }),
        }
        .unwrap_or(Owned::Null)
    }
}

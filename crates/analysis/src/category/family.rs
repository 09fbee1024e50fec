//! Families of files: names that differ only in digits, such as the checkpoints of a run.

use marigraph_model::{FileId, FileTable};

/// The family of each file of a log.
#[derive(Debug, Clone, Default)]
pub struct Families {
    /// By id.
    sorted: Vec<(FileId, u64)>,
}

impl Families {
    pub fn of(names: &FileTable) -> Families {
        let mut families = Families::default();
        names.iter().for_each(|(id, name)| families.add(id, name));
        families.sorted()
    }

    /// Call [`Self::sorted`] after the last name.
    pub fn add(&mut self, id: FileId, name: &[u8]) {
        self.sorted.push((id, masked_hash(name)));
    }

    /// Prepares for lookups. Of several names of a file one counts, whatever their order.
    pub fn sorted(mut self) -> Families {
        self.sorted.sort_unstable();
        self.sorted.dedup_by_key(|&mut (id, _)| id);
        self
    }

    /// Returns the family of a file; all files without a name form one family.
    pub fn find(&self, file: FileId) -> u64 {
        let at = self.sorted.binary_search_by_key(&file, |&(id, _)| id);
        at.ok().and_then(|at| self.sorted.get(at)).map_or(0, |&(_, family)| family)
    }
}

/// Hashes a name with each run of digits replaced by one character, eight characters at a time for
/// speed.
fn masked_hash(name: &[u8]) -> u64 {
    let (mut hash, mut word, mut signs) = (0u64, 0u64, 0u32);
    let mut in_digits = false;
    for &byte in name {
        let digit = byte.is_ascii_digit();
        if digit && in_digits {
            continue;
        }
        in_digits = digit;
        word = word << 8 | u64::from(if digit { b'#' } else { byte });
        signs += 1;
        if signs.is_multiple_of(8) {
            hash = mixed(hash, word);
            word = 0;
        }
    }
    mixed(mixed(hash, word), u64::from(signs))
}

fn mixed(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ word ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_digits_are_one_family() {
        let mut names = FileTable::default();
        for (id, name) in
            ["/run7/ckpt.0001.r3", "/run7/ckpt.12.r44", "/run7/log.1", "/run7/ckpt.r"].iter().enumerate()
        {
            names.insert(FileId(id as u64), name.as_bytes());
        }
        let families = Families::of(&names);
        let family = |id| families.find(FileId(id));
        assert_eq!(family(0), family(1));
        assert!(family(0) != family(2) && family(0) != family(3) && family(2) != family(3));
        assert_eq!(families.find(FileId(99)), 0);
    }
}

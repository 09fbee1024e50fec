//! Families of files: names that differ in their digits only, such as the checkpoints of a run.

use marigraph_model::{FileId, FileTable};

/// The family of each file of a log.
#[derive(Debug, Clone, Default)]
pub struct Families {
    /// By id.
    sorted: Vec<(FileId, u64)>,
}

impl Families {
    /// Of these names.
    pub fn of(names: &FileTable) -> Families {
        let mut sorted: Vec<(FileId, u64)> = names.iter().map(|(id, name)| (id, masked_hash(name))).collect();
        sorted.sort_unstable();
        Families { sorted }
    }

    /// The family of a file; files without a name are one.
    pub fn find(&self, file: FileId) -> u64 {
        let at = self.sorted.binary_search_by_key(&file, |&(id, _)| id);
        at.ok().and_then(|at| self.sorted.get(at)).map_or(0, |&(_, family)| family)
    }
}

/// A hash (FNV-1a) of a name in which each run of digits is one sign.
fn masked_hash(name: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut in_digits = false;
    for &byte in name {
        let digit = byte.is_ascii_digit();
        if digit && in_digits {
            continue;
        }
        in_digits = digit;
        let sign = if digit { b'#' } else { byte };
        hash = (hash ^ u64::from(sign)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
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

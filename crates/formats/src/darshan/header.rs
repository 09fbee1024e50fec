//! The header: the regions of a log and their locations.

use marigraph_model::{Module, Problem, ProblemKind};

use crate::bytes::{Bytes, Order, until_nul};
use crate::error::Error;
use crate::inflate::Compression;

/// Follows the version text.
pub const MAGIC: i64 = 6_567_223;
/// Since format 3.41.
pub const SIZE: usize = 1328;
/// Before format 3.41.
const OLD_SIZE: usize = 360;
/// Module slots since format 3.41.
pub const SLOTS: usize = 64;
const OLD_SLOTS: usize = 16;

/// A range of bytes in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    pub offset: u64,
    /// In bytes, as the header claims.
    pub len: u64,
}

impl Extent {
    /// The bytes of the extent that the file actually has.
    pub fn of(self, file: &[u8]) -> &[u8] {
        let clip = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(file.len());
        &file[clip(self.offset)..clip(self.offset.saturating_add(self.len))]
    }

    pub fn is_cut(self, file: &[u8]) -> bool {
        self.len > 0 && self.offset.checked_add(self.len).is_none_or(|end| end > file.len() as u64)
    }
}

/// Header entry of one module; ids are those of format 3.41.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    pub id: usize,
    /// `None` if this reader does not know the module.
    pub module: Option<Module>,
    pub extent: Extent,
    pub version: u32,
    pub partial: bool,
}

/// A header of any 3.x version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub version: String,
    pub numbers: (u32, u32),
    pub order: Order,
    /// `None` if the code is unknown.
    pub compression: Option<Compression>,
    pub job: Extent,
    pub names: Extent,
    /// Modules with data, a version or a partial flag, by id.
    pub slots: Vec<Slot>,
}

/// Module ids of format 3.41; 0 is an example module that never occurs in logs.
const BY_ID: [Option<Module>; 18] = [
    None,
    Some(Module::Posix),
    Some(Module::MpiIo),
    Some(Module::H5f),
    Some(Module::H5d),
    Some(Module::PnetcdfFile),
    Some(Module::PnetcdfVar),
    Some(Module::Bgq),
    Some(Module::Lustre),
    Some(Module::Stdio),
    Some(Module::DxtPosix),
    Some(Module::DxtMpiio),
    Some(Module::Mdhim),
    Some(Module::Apxc),
    Some(Module::Apmpi),
    Some(Module::Heatmap),
    Some(Module::Dfs),
    Some(Module::Daos),
];

pub const KNOWN: usize = BY_ID.len();

pub fn id_of(module: Module) -> usize {
    BY_ID.iter().position(|&known| known == Some(module)).unwrap_or(0)
}

pub fn sniff(file: &[u8]) -> bool {
    file.len() >= 16 && file.starts_with(b"3.") && order_of(file, 8).is_some()
}

pub fn order_of(file: &[u8], at: usize) -> Option<Order> {
    [Order::Little, Order::Big].into_iter().find(|&order| Bytes::new(file, order).i64(at) == MAGIC)
}

impl Header {
    /// Whether job records have nanoseconds and headers have 64 slots.
    pub fn is_current(&self) -> bool {
        self.numbers >= (3, 41)
    }

    pub fn size(&self) -> usize {
        if self.is_current() { SIZE } else { OLD_SIZE }
    }

    pub fn slot(&self, module: Module) -> Option<&Slot> {
        self.slots.iter().find(|slot| slot.module == Some(module))
    }

    pub fn read(file: &[u8], problems: &mut Vec<Problem>) -> Result<Header, Error> {
        if file.is_empty() {
            return Err(Error::Empty);
        }
        if file.len() < 16 {
            return Err(Error::ShortHeader { needed: OLD_SIZE, found: file.len() });
        }
        let order = order_of(file, 8).ok_or(Error::Unrecognised)?;
        let version = String::from_utf8_lossy(until_nul(&file[..8])).into_owned();
        let numbers = parse_version(&version)
            .ok_or_else(|| Error::Version { format: "Darshan log", found: version.clone() })?;
        let mut header = Header {
            version,
            numbers,
            order,
            compression: None,
            job: Extent::default(),
            names: Extent::default(),
            slots: Vec::new(),
        };
        if file.len() < header.size() {
            return Err(Error::ShortHeader { needed: header.size(), found: file.len() });
        }
        header.read_fields(Bytes::new(file, order));
        header.find_job(file);
        header.check(file, problems);
        Ok(header)
    }

    fn read_fields(&mut self, bytes: Bytes<'_>) {
        let current = self.is_current();
        self.compression = match bytes.u8(16) {
            0 => Some(Compression::Zlib),
            1 => Some(Compression::Bzip2),
            2 => Some(Compression::None),
            _ => None,
        };
        let (partial, names_at, count) =
            if current { (bytes.u64(24), 32, SLOTS) } else { (u64::from(bytes.u32(20)), 24, OLD_SLOTS) };
        let extent = |at: usize| Extent { offset: bytes.u64(at), len: bytes.u64(at + 8) };
        self.names = extent(names_at);
        let versions_at = names_at + 16 + count * 16;
        for stored in 0..count {
            let slot = Slot {
                id: current_id(stored, self.numbers),
                module: BY_ID.get(current_id(stored, self.numbers)).copied().flatten(),
                extent: extent(names_at + 16 + stored * 16),
                version: bytes.u32(versions_at + stored * 4),
                partial: partial >> stored & 1 == 1,
            };
            if slot.extent.len > 0 || slot.partial {
                self.slots.push(slot);
            }
        }
    }

    /// The job region has no entry: it lies between the header and the next region.
    fn find_job(&mut self, file: &[u8]) {
        let start = self.size() as u64;
        let first_module = self.slots.iter().map(|slot| slot.extent.offset).filter(|&at| at > 0).min();
        let next = Some(self.names.offset).filter(|&at| at > 0).or(first_module);
        let end = next.unwrap_or(file.len() as u64).clamp(start, file.len() as u64);
        self.job = Extent { offset: start, len: end - start };
    }

    fn check(&self, file: &[u8], problems: &mut Vec<Problem>) {
        if self.compression.is_none() {
            problems.push(
                Problem::new(ProblemKind::Corrupt, "unknown compression: no region can be read").at("header"),
            );
        }
        if self.numbers == (3, 20) {
            problems.push(Problem::new(
                ProblemKind::KnownDefect,
                "written by Darshan 3.2.0, which stored wrong common access sizes and perhaps other wrong counters",
            ));
        }
        if self.names.is_cut(file) {
            problems.push(cut("record names"));
        }
        for slot in &self.slots {
            let name = slot.module.map_or_else(|| format!("module {}", slot.id), |m| m.name().to_string());
            if slot.extent.is_cut(file) {
                problems.push(cut(&name));
            }
            if slot.partial {
                problems.push(partial(&name));
            }
            if slot.module.is_none() {
                let message = format!(
                    "unknown module {} (version {}, {} bytes) is skipped",
                    slot.id, slot.version, slot.extent.len
                );
                problems.push(Problem::new(ProblemKind::UnknownModule, message).at(name));
            }
        }
        self.check_overlaps(problems);
    }

    fn check_overlaps(&self, problems: &mut Vec<Problem>) {
        let mut extents: Vec<Extent> =
            self.slots.iter().map(|slot| slot.extent).filter(|e| e.len > 0).collect();
        extents.push(self.names);
        extents.sort_by_key(|extent| extent.offset);
        let overlap = extents
            .windows(2)
            .any(|pair| pair[0].offset.saturating_add(pair[0].len) > pair[1].offset && pair[1].len > 0);
        if overlap || extents.iter().any(|e| e.len > 0 && e.offset < self.size() as u64) {
            let message = "regions overlap each other or the header: their content is unreliable";
            problems.push(Problem::new(ProblemKind::BadRecord, message).at("header"));
        }
    }
}

fn cut(name: &str) -> Problem {
    Problem::new(
        ProblemKind::Truncated,
        format!("the file ends before the {name} data do: they are incomplete"),
    )
    .at(name)
}

fn partial(name: &str) -> Problem {
    let message = format!(
        "{name} ran out of memory while recording: its data are a lower bound \
         (set NAME_EXCLUDE or raise MODMEM in the Darshan configuration to avoid this)"
    );
    Problem::new(ProblemKind::Partial, message).at(name)
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.')?;
    let numbers = (major.parse().ok()?, minor.parse().ok()?);
    let known = matches!(numbers, (3, 0 | 10 | 20 | 21) | (3, 41..));
    known.then_some(numbers)
}

/// Maps a stored module id to that of format 3.41; two insertions renumbered the modules.
fn current_id(stored: usize, version: (u32, u32)) -> usize {
    let mut id = stored;
    if version < (3, 20) && id >= 4 {
        id += 1; // H5D was inserted at 4
    }
    if version < (3, 41) && id >= 6 {
        id += 1; // PNETCDF_VAR was inserted at 6
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_the_table_of_the_format() {
        for (old, new) in [(1, 1), (3, 3), (4, 5), (5, 7), (7, 9), (9, 11), (10, 12)] {
            assert_eq!(current_id(old, (3, 10)), new);
        }
        for (old, new) in [(4, 4), (5, 5), (6, 7), (8, 9), (13, 14), (14, 15)] {
            assert_eq!(current_id(old, (3, 21)), new);
        }
        assert_eq!(current_id(6, (3, 41)), 6);
    }

    #[test]
    fn versions_compare_as_numbers() {
        assert_eq!(parse_version("3.41"), Some((3, 41)));
        assert_eq!(parse_version("3.50"), Some((3, 50)));
        assert_eq!(parse_version("3.00"), Some((3, 0)));
        for bad in ["3.22", "2.06", "4.00", "3", "3.x", ""] {
            assert_eq!(parse_version(bad), None, "{bad}");
        }
    }

    #[test]
    fn extents_never_reach_past_the_file() {
        let extent = Extent { offset: 2, len: u64::MAX };
        assert_eq!(extent.of(b"abcd"), b"cd");
        assert!(extent.is_cut(b"abcd"));
        assert_eq!(Extent { offset: 1 << 60, len: 5 }.of(b"abcd"), b"");
    }
}

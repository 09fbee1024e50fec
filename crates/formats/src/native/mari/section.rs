//! The frame of the file: magic, version, sections with length and check sum.

use marigraph_wire::bytes::{Reader, crc32c};
use marigraph_wire::sequence::put_varint;

use super::column::KIND_BITS;
use super::{MariError, old};

pub const MAGIC: [u8; 8] = *b"mgraphtr";
/// Version 1 is only read, see [`old`].
pub const VERSION: u64 = 2;

/// JSON about the job.
pub(super) const META: u8 = 1;
/// Modules and templates.
pub(super) const STRINGS: u8 = 2;
/// Sites and shapes.
pub(super) const SHAPES: u8 = 3;
/// Bones and columns.
pub(super) const UNITS: u8 = 4;
/// Which streams have which units.
pub(super) const CLASSES: u8 = 5;
/// Optional.
pub(super) const TIMES: u8 = 6;
/// A Darshan log; optional.
pub(super) const PROFILE: u8 = 7;

pub(super) struct File {
    bytes: Vec<u8>,
}

impl File {
    pub(super) fn new(ranks: u64) -> File {
        let mut bytes = MAGIC.to_vec();
        put_varint(&mut bytes, VERSION);
        put_varint(&mut bytes, ranks);
        File { bytes }
    }

    pub(super) fn section(&mut self, id: u8, payload: &[u8]) {
        self.section_of(id, std::iter::once(payload.to_vec()), payload.len());
    }

    /// `pieces` have `len` bytes in total; each is dropped once written.
    pub(super) fn section_of(&mut self, id: u8, pieces: impl Iterator<Item = Vec<u8>>, len: usize) {
        self.bytes.push(id);
        put_varint(&mut self.bytes, len as u64);
        let head = self.bytes.len();
        self.bytes.reserve_exact(4 + len);
        self.bytes.extend([0; 4]);
        pieces.for_each(|piece| self.bytes.extend(piece));
        let sum = crc32c(self.bytes.get(head + 4..).unwrap_or(&[])).to_le_bytes();
        if let Some(place) = self.bytes.get_mut(head..head + 4) {
            place.copy_from_slice(&sum);
        }
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Section<'a> {
    pub(super) id: u8,
    /// `None` if it is cut off or its checksum is wrong.
    pub(super) payload: Option<&'a [u8]>,
    /// In bytes, with the frame.
    pub(super) len: usize,
}

pub fn sniff(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// What precedes the first section, and what reading the rest depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub(super) version: u64,
    pub(super) ranks: u64,
    pub(super) kind_bits: u32,
    /// In bytes.
    pub(super) len: usize,
}

pub(super) fn read(bytes: &[u8]) -> Result<(Head, Vec<Section<'_>>), MariError> {
    let mut reader = Reader::new(bytes.strip_prefix(&MAGIC).ok_or(MariError::NotATrace)?);
    let ranks = match reader.varint().ok_or(MariError::Damaged("the version"))? {
        VERSION => Some(reader.varint().ok_or(MariError::Damaged("the number of ranks"))?),
        old::VERSION => None,
        version => return Err(MariError::Version(version)),
    };
    let len = bytes.len() - reader.rest().len();
    let mut sections = Vec::new();
    while !reader.rest().is_empty() {
        let before = reader.rest().len();
        let (id, payload) = one(&mut reader);
        sections.push(Section { id, payload, len: before - reader.rest().len() });
    }
    let head = match ranks {
        Some(ranks) => Head { version: VERSION, ranks, kind_bits: KIND_BITS, len },
        None => old::head(len, &sections),
    };
    Ok((head, sections))
}

/// A truncated section ends the file.
fn one<'a>(reader: &mut Reader<'a>) -> (u8, Option<&'a [u8]>) {
    let id = reader.byte().unwrap_or(0);
    let mut inside = || {
        let len = usize::try_from(reader.varint()?).ok()?;
        let sum = u32::from_le_bytes(*reader.bytes(4)?.first_chunk()?);
        Some((reader.bytes(len)?, sum))
    };
    match inside() {
        Some((payload, sum)) => (id, (crc32c(payload) == sum).then_some(payload)),
        None => {
            *reader = Reader::new(&[]);
            (id, None)
        }
    }
}

/// Keeps everything else, including the version.
pub fn without_times(bytes: &[u8]) -> Result<Vec<u8>, MariError> {
    let (head, sections) = read(bytes)?;
    let mut file = File { bytes: bytes.get(..head.len).unwrap_or(&[]).to_vec() };
    for section in sections.iter().filter(|section| section.id != TIMES) {
        file.section(section.id, section.payload.ok_or(MariError::Damaged("a section"))?);
    }
    Ok(file.finish())
}

//! What version 1 lays out differently: META has the number of ranks, kinds of columns have fewer bits, and CLASSES
//! begins with the number of streams and lists all ranks.

use marigraph_wire::bytes::Reader;

use super::classes::{Class, listed, read_classes};
use super::meta::Meta;
use super::section::{Head, META, Section};

pub(super) const VERSION: u64 = 1;

const KIND_BITS: u32 = 2;

/// `len` is the length of the head in bytes.
pub(super) fn head(len: usize, sections: &[Section<'_>]) -> Head {
    let meta = sections.iter().find(|section| section.id == META).and_then(|section| section.payload);
    let ranks = meta.and_then(Meta::from_json).map_or(0, |meta| meta.ranks);
    Head { version: VERSION, ranks, kind_bits: KIND_BITS, len }
}

pub(super) fn classes(payload: &[u8], units: usize) -> Option<(u64, Vec<Class>)> {
    let mut reader = Reader::new(payload);
    let streams = reader.varint()?;
    read_classes(reader, units, listed).filter(|(sum, _)| *sum == streams)
}

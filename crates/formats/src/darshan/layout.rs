//! Record layouts of each version of each module.
//!
//! A version is described by its difference from the current one: the counters it lacks, and those
//! it has in addition. A [`Decoder`] derived from that converts every record to the current form.

use marigraph_model::Module;
use marigraph_model::counters::{FloatIdx, IntIdx, IntKind, h5f, mpiio, pnetcdf_file, posix, stdio};

use crate::bytes::{Bytes, Order};

/// Bytes of id and rank at the start of every record.
pub const BASE: usize = 16;

/// A record in the current form, as stored: -1 means "not measured".
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RawRecord {
    pub id: u64,
    /// -1 for all ranks.
    pub rank: i64,
    pub ints: Vec<i64>,
    pub floats: Vec<f64>,
    pub tail: Tail,
}

/// What some records have besides their counters.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Tail {
    #[default]
    None,
    /// Id of the file that a dataset or variable belongs to.
    Parent(u64),
    /// Pool and container UUID, and the object id of objects.
    Container([u8; 16], [u8; 16], Option<(u64, u64)>),
    Servers(Vec<i64>),
    Node(Vec<u8>),
    /// Opens, reads, writes and seeks of streams, which POSIX version 1 counted with the rest.
    Streams([i64; 4]),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TailKind {
    None,
    /// Two UUIDs.
    Dfs,
    /// Two UUIDs and a 128-bit object id.
    Daos,
    /// A node name of 128 bytes.
    Node,
}

#[derive(Clone, Copy)]
struct Difference {
    /// Unused bytes between base record and counters.
    skip: usize,
    /// Whether a parent id precedes the counters.
    parent: bool,
    lacks_ints: &'static [IntIdx],
    lacks_floats: &'static [FloatIdx],
    /// Integers that were dropped later: position and number.
    also_ints: (usize, usize),
    tail: TailKind,
}

const SAME: Difference = Difference {
    skip: 0,
    parent: false,
    lacks_ints: &[],
    lacks_floats: &[],
    also_ints: (0, 0),
    tail: TailKind::None,
};

const POSIX_3: &[IntIdx] =
    &[posix::FILENOS, posix::DUPS, posix::RENAME_SOURCES, posix::RENAME_TARGETS, posix::RENAMED_FROM];
const PNETCDF_2: &[IntIdx] = &[
    // Version 2 has INDEP_OPENS and COLL_OPENS in the first two places; `merge_opens` adds them up.
    pnetcdf_file::REDEFS,
    pnetcdf_file::INDEP_WAITS,
    pnetcdf_file::COLL_WAITS,
    pnetcdf_file::SYNCS,
    pnetcdf_file::BYTES_READ,
    pnetcdf_file::BYTES_WRITTEN,
    pnetcdf_file::WAIT_FAILURES,
];
const PNETCDF_F_2: &[FloatIdx] = &[
    pnetcdf_file::F_WAIT_START_TIMESTAMP,
    pnetcdf_file::F_WAIT_END_TIMESTAMP,
    pnetcdf_file::F_META_TIME,
    pnetcdf_file::F_WAIT_TIME,
];
const PNETCDF_F_1: &[FloatIdx] = &[
    pnetcdf_file::F_CLOSE_START_TIMESTAMP,
    pnetcdf_file::F_OPEN_END_TIMESTAMP,
    pnetcdf_file::F_WAIT_START_TIMESTAMP,
    pnetcdf_file::F_WAIT_END_TIMESTAMP,
    pnetcdf_file::F_META_TIME,
    pnetcdf_file::F_WAIT_TIME,
];

/// The version that the writer writes. DXT versions depend on the data, see `dxt_module`.
pub fn written_version(module: Module) -> u32 {
    match module {
        Module::Posix => 4,
        Module::MpiIo | Module::H5f | Module::PnetcdfFile => 3,
        Module::Stdio | Module::H5d | Module::Bgq | Module::Lustre => 2,
        _ => 1,
    }
}

pub fn knows(module: Module, version: u32) -> bool {
    match module {
        Module::Lustre => (1..=2).contains(&version),
        Module::Heatmap => version == 1,
        Module::DxtPosix => (1..=2).contains(&version),
        Module::DxtMpiio => (1..=3).contains(&version),
        _ => difference(module, version).is_some(),
    }
}

fn difference(module: Module, version: u32) -> Option<Difference> {
    const POSIX_STAMPS: &[FloatIdx] = &[posix::F_CLOSE_START_TIMESTAMP, posix::F_OPEN_END_TIMESTAMP];
    const MPIIO_STAMPS: &[FloatIdx] = &[mpiio::F_CLOSE_START_TIMESTAMP, mpiio::F_OPEN_END_TIMESTAMP];
    let known = match (module, version) {
        (Module::Posix, 4) => SAME,
        (Module::Posix, 3) => Difference { lacks_ints: POSIX_3, ..SAME },
        (Module::Posix, 2) => Difference { lacks_ints: POSIX_3, lacks_floats: POSIX_STAMPS, ..SAME },
        (Module::Posix, 1) => {
            Difference { lacks_ints: POSIX_3, lacks_floats: POSIX_STAMPS, also_ints: (6, 4), ..SAME }
        }
        (Module::MpiIo, 3) => SAME,
        (Module::MpiIo, 1 | 2) => Difference { lacks_floats: MPIIO_STAMPS, ..SAME },
        (Module::Stdio, 2) => SAME,
        (Module::Stdio, 1) => Difference { lacks_ints: &[stdio::FDOPENS], ..SAME },
        (Module::H5f, 3) => SAME,
        (Module::H5f, 2) => Difference {
            lacks_ints: &[h5f::FLUSHES, h5f::USE_MPIIO],
            lacks_floats: &[h5f::F_META_TIME],
            ..SAME
        },
        (Module::H5f, 1) => Difference {
            lacks_ints: &[h5f::FLUSHES, h5f::USE_MPIIO],
            lacks_floats: &[h5f::F_CLOSE_START_TIMESTAMP, h5f::F_OPEN_END_TIMESTAMP, h5f::F_META_TIME],
            ..SAME
        },
        (Module::H5d, 2) => Difference { parent: true, ..SAME },
        (Module::H5d, 1) => SAME,
        (Module::PnetcdfFile, 3) => SAME,
        (Module::PnetcdfFile, 2) => Difference { lacks_ints: PNETCDF_2, lacks_floats: PNETCDF_F_2, ..SAME },
        (Module::PnetcdfFile, 1) => Difference { lacks_ints: PNETCDF_2, lacks_floats: PNETCDF_F_1, ..SAME },
        (Module::PnetcdfVar, 1) => Difference { parent: true, ..SAME },
        (Module::Bgq, 2) => SAME,
        (Module::Bgq, 1) => Difference { skip: 8, ..SAME },
        (Module::Dfs, 1) => Difference { tail: TailKind::Dfs, ..SAME },
        (Module::Daos, 1) => Difference { tail: TailKind::Daos, ..SAME },
        (Module::Mdhim, 1) | (Module::Apxc, 1) => SAME,
        (Module::Apmpi, 1) => Difference { tail: TailKind::Node, ..SAME },
        _ => return None,
    };
    Some(known)
}

/// Decodes records of one version into the current form.
pub struct Decoder {
    order: Order,
    size: usize,
    ints_at: usize,
    floats_at: usize,
    parent_at: Option<usize>,
    /// Stored position of each current counter; `None` if it is not stored.
    int_from: Vec<Option<usize>>,
    float_from: Vec<Option<usize>>,
    /// Whether stored and current integers are identical.
    ints_direct: bool,
    streams_at: Option<usize>,
    merge_opens: bool,
    /// Index of "renamed from" in POSIX before version 4, which had no renames: it is set to 0.
    no_rename: Option<usize>,
    tail: TailKind,
    /// Value of each integer that means "not measured".
    missing: Vec<i64>,
}

/// The counters of a record whose stored form is the current one.
pub struct Plain<'a> {
    pub id: u64,
    /// -1 for all ranks.
    pub rank: i64,
    /// Little-endian.
    pub ints: &'a [[u8; 8]],
    /// Value of each integer that means "not measured".
    pub missing: &'a [i64],
    /// Little-endian.
    pub floats: &'a [[u8; 8]],
}

impl Decoder {
    /// `None` if the version is unknown.
    pub fn new(module: Module, version: u32, order: Order) -> Option<Decoder> {
        let difference = difference(module, version)?;
        let (also_at, also) = difference.also_ints;
        let mut next = 0;
        let int_from: Vec<Option<usize>> = (0..module.ints().len())
            .map(|at| {
                if difference.lacks_ints.contains(&IntIdx(at as u16)) {
                    return None;
                }
                if also > 0 && next == also_at {
                    next += also;
                }
                next += 1;
                Some(next - 1)
            })
            .collect();
        let n_ints = next;
        let mut next = 0;
        let float_from: Vec<Option<usize>> = (0..module.floats().len())
            .map(|at| {
                (!difference.lacks_floats.contains(&FloatIdx(at as u16))).then(|| {
                    next += 1;
                    next - 1
                })
            })
            .collect();
        let parent = if difference.parent { 8 } else { 0 };
        let ints_at = BASE + difference.skip + parent;
        let floats_at = ints_at + n_ints * 8;
        let tail_size = match difference.tail {
            TailKind::None => 0,
            TailKind::Dfs => 32,
            TailKind::Daos => 48,
            TailKind::Node => 128,
        };
        Some(Decoder {
            order,
            size: floats_at + next * 8 + tail_size,
            ints_at,
            floats_at,
            parent_at: difference.parent.then_some(BASE),
            ints_direct: int_from.iter().enumerate().all(|(at, &from)| from == Some(at)),
            int_from,
            float_from,
            streams_at: (also > 0).then_some(ints_at + also_at * 8),
            merge_opens: module == Module::PnetcdfFile && version < 3,
            no_rename: (module == Module::Posix && version < 4).then_some(posix::RENAMED_FROM.at()),
            tail: difference.tail,
            // An id of all ones is valid.
            missing: (module.ints().iter())
                .map(|def| if def.kind == IntKind::Id { i64::MIN } else { -1 })
                .collect(),
        })
    }

    pub fn is_plain(&self) -> bool {
        let all_there = self.ints_direct && self.floats_at + self.float_from.len() * 8 == self.size;
        all_there && self.order == Order::Little && self.ints_at == BASE
    }

    /// A record of [`Self::size`] bytes as stored; use only if [`Self::is_plain`].
    pub fn plain<'a>(&'a self, stored: &'a [u8]) -> Option<Plain<'a>> {
        let bytes = Bytes::new(stored, self.order);
        let ints = stored.get(self.ints_at..self.floats_at)?.as_chunks().0;
        let floats = stored.get(self.floats_at..)?.as_chunks().0;
        Some(Plain { id: bytes.u64(0), rank: bytes.i64(8), ints, missing: &self.missing, floats })
    }

    /// Bytes per record, without the servers of MDHIM.
    pub fn size(&self) -> usize {
        self.size
    }

    pub fn decode(&self, stored: &[u8], record: &mut RawRecord) {
        let bytes = Bytes::new(stored, self.order);
        record.id = bytes.u64(0);
        record.rank = bytes.i64(8);
        record.ints.clear();
        if self.ints_direct {
            bytes.extend_i64(self.ints_at, self.int_from.len(), &mut record.ints);
        } else {
            let value = |from: &Option<usize>| from.map_or(-1, |at| bytes.i64(self.ints_at + at * 8));
            record.ints.extend(self.int_from.iter().map(value));
            self.fix_ints(bytes, record);
        }
        record.floats.clear();
        let value = |from: &Option<usize>| from.map_or(-1.0, |at| bytes.f64(self.floats_at + at * 8));
        record.floats.extend(self.float_from.iter().map(value));
        record.tail = self.read_tail(bytes);
    }

    /// Sets values of old versions that are neither copied nor missing.
    fn fix_ints(&self, bytes: Bytes<'_>, record: &mut RawRecord) {
        if self.merge_opens {
            let opens = bytes.i64(self.ints_at).wrapping_add(bytes.i64(self.ints_at + 8));
            record.ints[pnetcdf_file::OPENS.at()] = opens;
            record.ints[pnetcdf_file::CREATES.at()] = -1;
        }
        if let Some(cell) = self.no_rename.and_then(|at| record.ints.get_mut(at)) {
            *cell = 0;
        }
    }

    fn read_tail(&self, bytes: Bytes<'_>) -> Tail {
        let at = self.floats_at + self.float_from.iter().flatten().count() * 8;
        if let Some(parent) = self.parent_at {
            return Tail::Parent(bytes.u64(parent));
        }
        if let Some(streams) = self.streams_at {
            return Tail::Streams([0, 1, 2, 3].map(|n| bytes.i64(streams + n * 8)));
        }
        match self.tail {
            TailKind::None => Tail::None,
            TailKind::Dfs => Tail::Container(bytes.uuid(at), bytes.uuid(at + 16), None),
            TailKind::Daos => {
                let object = (bytes.u64(at + 32), bytes.u64(at + 40));
                Tail::Container(bytes.uuid(at), bytes.uuid(at + 16), Some(object))
            }
            TailKind::Node => Tail::Node(bytes.text(at, 128).to_vec()),
        }
    }
}

/// Writes a record in [`written_version`], little-endian, without counters that the version lacks.
/// Missing parents and tails become zero.
pub fn encode(module: Module, record: &RawRecord, out: &mut Vec<u8>) {
    out.extend_from_slice(&record.id.to_le_bytes());
    out.extend_from_slice(&record.rank.to_le_bytes());
    if matches!(module, Module::H5d | Module::PnetcdfVar) {
        let parent = if let Tail::Parent(id) = record.tail { id } else { 0 };
        out.extend_from_slice(&parent.to_le_bytes());
    }
    let Difference { lacks_ints, lacks_floats, .. } =
        difference(module, written_version(module)).unwrap_or(SAME);
    for (at, value) in record.ints.iter().enumerate() {
        if !lacks_ints.contains(&IntIdx(at as u16)) {
            out.extend_from_slice(&value.to_le_bytes());
        }
    }
    for (at, value) in record.floats.iter().enumerate() {
        if !lacks_floats.contains(&FloatIdx(at as u16)) {
            out.extend_from_slice(&value.to_le_bytes());
        }
    }
    encode_tail(module, &record.tail, out);
}

fn encode_tail(module: Module, tail: &Tail, out: &mut Vec<u8>) {
    match module {
        Module::Dfs | Module::Daos => {
            let (pool, container, object) = match tail {
                Tail::Container(pool, container, object) => (*pool, *container, *object),
                _ => ([0; 16], [0; 16], None),
            };
            out.extend_from_slice(&pool);
            out.extend_from_slice(&container);
            if module == Module::Daos {
                let (high, low) = object.unwrap_or((0, 0));
                out.extend_from_slice(&high.to_le_bytes());
                out.extend_from_slice(&low.to_le_bytes());
            }
        }
        Module::Apmpi => {
            let mut node = if let Tail::Node(name) = tail { name.clone() } else { Vec::new() };
            node.truncate(127);
            node.resize(128, 0);
            out.extend_from_slice(&node);
        }
        Module::Mdhim => {
            let servers: &[i64] = if let Tail::Servers(servers) = tail { servers } else { &[0] };
            servers.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_format() {
        for (module, version, size) in [
            (Module::Posix, 1, 680),
            (Module::Posix, 2, 648),
            (Module::Posix, 3, 664),
            (Module::Posix, 4, 704),
            (Module::MpiIo, 1, 544),
            (Module::MpiIo, 2, 544),
            (Module::MpiIo, 3, 560),
            (Module::Stdio, 1, 240),
            (Module::Stdio, 2, 248),
            (Module::H5f, 1, 40),
            (Module::H5f, 2, 56),
            (Module::H5f, 3, 80),
            (Module::H5d, 1, 904),
            (Module::H5d, 2, 912),
            (Module::PnetcdfFile, 1, 48),
            (Module::PnetcdfFile, 2, 64),
            (Module::PnetcdfFile, 3, 152),
            (Module::PnetcdfVar, 1, 1120),
            (Module::Bgq, 1, 120),
            (Module::Bgq, 2, 112),
            (Module::Dfs, 1, 584),
            (Module::Daos, 1, 696),
            (Module::Apxc, 1, 3184),
            (Module::Apmpi, 1, 5232),
            (Module::Mdhim, 1, 88),
        ] {
            let decoder = Decoder::new(module, version, Order::Little).expect("known version");
            assert_eq!(decoder.size(), size, "{module:?} version {version}");
        }
        assert!(Decoder::new(Module::Posix, 5, Order::Little).is_none());
        assert!(Decoder::new(Module::Posix, 0, Order::Little).is_none());
    }

    #[test]
    fn old_posix_counters_land_in_their_places() {
        // Every stored word holds its own position, so a shift by one would show.
        let mut stored: Vec<u8> = Vec::new();
        stored.extend_from_slice(&9u64.to_be_bytes());
        stored.extend_from_slice(&(-1i64).to_be_bytes());
        (0..68i64).for_each(|n| stored.extend_from_slice(&n.to_be_bytes()));
        (0..15).for_each(|n| stored.extend_from_slice(&f64::from(n).to_be_bytes()));
        let mut record = RawRecord::default();
        Decoder::new(Module::Posix, 1, Order::Big).expect("version 1").decode(&stored, &mut record);
        assert_eq!((record.id, record.rank), (9, -1));
        assert_eq!(record.ints[posix::OPENS.at()], 0);
        assert_eq!(record.ints[posix::FILENOS.at()], -1);
        assert_eq!(record.ints[posix::MMAPS.at()], 5);
        assert_eq!(record.tail, Tail::Streams([6, 7, 8, 9]));
        assert_eq!(record.ints[posix::FSYNCS.at()], 10);
        assert_eq!(record.ints[posix::RENAMED_FROM.at()], 0);
        assert_eq!(record.ints[posix::MODE.at()], 12);
        assert_eq!(record.ints[posix::SLOWEST_RANK_BYTES.at()], 67);
        assert_eq!(record.floats[posix::F_WRITE_START_TIMESTAMP.at()], 2.0);
        assert_eq!(record.floats[posix::F_CLOSE_START_TIMESTAMP.at()], -1.0);
        assert_eq!(record.floats[posix::F_READ_END_TIMESTAMP.at()], 3.0);
        assert_eq!(record.floats[posix::F_META_TIME.at()], 8.0);
        assert_eq!(record.floats[posix::F_VARIANCE_RANK_BYTES.at()], 14.0);
    }

    #[test]
    fn pnetcdf_opens_are_added_up() {
        let mut stored = vec![0; 16];
        [3i64, 4].iter().for_each(|n| stored.extend_from_slice(&n.to_le_bytes()));
        [1.5f64, 2.5].iter().for_each(|n| stored.extend_from_slice(&n.to_le_bytes()));
        let mut record = RawRecord::default();
        Decoder::new(Module::PnetcdfFile, 1, Order::Little).expect("version 1").decode(&stored, &mut record);
        assert_eq!(record.ints, [-1, 7, -1, -1, -1, -1, -1, -1, -1]);
        assert_eq!(record.floats, [1.5, -1.0, -1.0, -1.0, 2.5, -1.0, -1.0, -1.0]);
    }

    #[test]
    fn what_is_encoded_decodes_to_the_same() {
        for module in Module::ALL.into_iter().filter(|m| m.has_counters() && *m != Module::Mdhim) {
            let tail = match module {
                Module::H5d | Module::PnetcdfVar => Tail::Parent(77),
                Module::Dfs => Tail::Container([1; 16], [2; 16], None),
                Module::Daos => Tail::Container([1; 16], [2; 16], Some((3, 4))),
                Module::Apmpi => Tail::Node(b"node1".to_vec()),
                _ => Tail::None,
            };
            let record = RawRecord {
                id: 5,
                rank: 3,
                ints: (0..module.ints().len() as i64).collect(),
                floats: (0..module.floats().len()).map(|n| n as f64).collect(),
                tail,
            };
            let mut bytes = Vec::new();
            encode(module, &record, &mut bytes);
            let decoder = Decoder::new(module, written_version(module), Order::Little).expect("current");
            assert_eq!(bytes.len(), decoder.size(), "{module:?}");
            let mut back = RawRecord::default();
            decoder.decode(&bytes, &mut back);
            assert_eq!(back, record, "{module:?}");
        }
    }
}

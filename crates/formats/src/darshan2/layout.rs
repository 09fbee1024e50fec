//! Record layouts of each version.
//!
//! All versions store the same counters in the same order; older ones lack some. A [`Decoder`]
//! converts every record to the newest form and marks absent counters as missing.

use marigraph_model::{Count, Measure};

use super::places::{FloatPlace, IntPlace, LOST_WHEN_CONDENSED, STAMPS, float, has_float, has_int, int};
use super::version::Version;
use crate::bytes::{Bytes, Order};

/// A record in the newest form.
#[derive(Debug, Clone, PartialEq)]
pub struct OldRecord<'a> {
    /// Hash of the file's path; 0 if a rank had too many files to distinguish them.
    pub id: u64,
    /// -1 for all ranks.
    pub rank: i64,
    /// The last characters of the path.
    pub suffix: &'a [u8],
    /// Device number of the file's mount; may be negative.
    pub device: Option<i64>,
    ints: Vec<Count>,
    floats: Vec<Measure>,
}

impl OldRecord<'_> {
    pub fn int(&self, place: IntPlace) -> Count {
        self.ints.get(place.0).copied().unwrap_or(Count::MISSING)
    }

    pub fn float(&self, place: FloatPlace) -> Measure {
        self.floats.get(place.0).copied().unwrap_or(Measure::MISSING)
    }

    pub fn map_stamps(&mut self, change: impl Fn(Measure) -> Measure) {
        self.floats.iter_mut().take(STAMPS).for_each(|stamp| *stamp = change(*stamp));
    }

    /// Discards what is meaningless in a record about all files of a rank: the writer sets some
    /// counters to 0 and adds up the others, even alignments.
    pub fn condense(&mut self) {
        for place in LOST_WHEN_CONDENSED {
            if let Some(value) = self.ints.get_mut(place.0) {
                *value = Count::MISSING;
            }
        }
        self.map_stamps(|_| Measure::MISSING);
    }
}

/// Decodes records of one version.
pub struct Decoder {
    order: Order,
    first_generation: bool,
    ints_at: usize,
    floats_at: usize,
    name_at: usize,
    size: usize,
    /// Stored position of each counter; `None` if the writer did not measure it.
    int_from: Vec<Option<usize>>,
    float_from: Vec<Option<usize>>,
}

impl Decoder {
    /// For records with this `layout`, recorded by version `origin`. The latter is older if the log
    /// was converted: the converter stores unknown values as 0.
    pub fn new(layout: Version, origin: Version, order: Order) -> Decoder {
        let (int_from, n_ints) =
            positions(int::NAMES.len(), |at| (has_int(layout, IntPlace(at)), has_int(origin, IntPlace(at))));
        let (float_from, n_floats) = positions(float::NAMES.len(), |at| {
            (has_float(layout, FloatPlace(at)), has_float(origin, FloatPlace(at)))
        });
        // The first generation stores the name after the counters, and aligns to 8 bytes.
        let first_generation = layout < Version(2, 0);
        let (ints_at, name) = if first_generation { (16, 16) } else { (32, 0) };
        let floats_at = ints_at + n_ints * 8;
        let end = floats_at + n_floats * 8;
        let name_at = if first_generation { end } else { 16 };
        Decoder {
            order,
            first_generation,
            ints_at,
            floats_at,
            name_at,
            size: end + name,
            int_from,
            float_from,
        }
    }

    pub fn size(&self) -> usize {
        self.size
    }

    pub fn stamps(&self, stored: &[u8]) -> [f64; STAMPS] {
        let bytes = Bytes::new(stored, self.order);
        std::array::from_fn(|at| bytes.f64(self.floats_at + at * 8))
    }

    pub fn decode<'a>(&self, stored: &'a [u8]) -> OldRecord<'a> {
        let bytes = Bytes::new(stored, self.order);
        let int = |from: &Option<usize>| from.map(|at| bytes.i64(self.ints_at + at * 8));
        let float = |from: &Option<usize>| from.map(|at| bytes.f64(self.floats_at + at * 8));
        // The first generation has 32-bit ranks and names of up to 11 characters.
        let (rank, name_len) = if self.first_generation {
            (i64::from(bytes.u32(8).cast_signed()), 12)
        } else {
            (bytes.i64(8), 16)
        };
        OldRecord {
            id: bytes.u64(0),
            rank,
            suffix: bytes.text(self.name_at, name_len),
            device: self.int_from.get(int::DEVICE.0).and_then(int),
            ints: self.int_from.iter().map(|from| int(from).map_or(Count::MISSING, to_count)).collect(),
            floats: self
                .float_from
                .iter()
                .map(|from| float(from).map_or(Measure::MISSING, to_measure))
                .collect(),
        }
    }
}

/// Stored position of each of `n` counters, and the number of stored ones; `has` returns whether a
/// counter is stored and whether it was measured.
fn positions(n: usize, has: impl Fn(usize) -> (bool, bool)) -> (Vec<Option<usize>>, usize) {
    let mut stored = 0;
    let from = (0..n)
        .map(|at| {
            let (is_stored, is_measured) = has(at);
            let position = stored;
            stored += usize::from(is_stored);
            (is_stored && is_measured).then_some(position)
        })
        .collect();
    (from, stored)
}

/// -1 means "not measured"; shared records hold its sum over the ranks, such as -4 for four ranks.
fn to_count(value: i64) -> Count {
    if value < 0 { Count::MISSING } else { Count::new(value) }
}

fn to_measure(value: f64) -> Measure {
    if value == -1.0 { Measure::MISSING } else { Measure::new(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoder(version: Version) -> Decoder {
        Decoder::new(version, version, Order::Big)
    }

    #[test]
    fn sizes_are_those_of_the_format() {
        assert_eq!((int::NAMES.len(), float::NAMES.len()), (144, 18));
        for (version, size) in [
            ((1, 21), 1192),
            ((1, 22), 1248),
            ((1, 23), 1264),
            ((1, 24), 1264),
            ((2, 0), 1328),
            ((2, 6), 1328),
        ] {
            assert_eq!(decoder(Version(version.0, version.1)).size(), size, "{version:?}");
        }
    }

    #[test]
    fn counters_of_the_oldest_version_land_in_their_places() {
        // Every stored word holds its own position, so a shift by one would show.
        let mut stored = vec![0; 16];
        (0..133i64).for_each(|n| stored.extend_from_slice(&n.to_be_bytes()));
        (0..12).for_each(|n| stored.extend_from_slice(&f64::from(n).to_be_bytes()));
        stored.extend_from_slice(b"...t-1.dat\0\0\xff\xff\xff\xff");
        stored[8..12].copy_from_slice(&(-1i32).to_be_bytes());
        let record = decoder(Version(1, 21)).decode(&stored);
        assert_eq!((record.rank, record.suffix, record.device), (-1, &b"...t-1.dat"[..], None));
        assert_eq!(record.int(int::POSIX_FDSYNCS), Count::new(22));
        assert_eq!(record.int(int::HDF5_OPENS), Count::MISSING);
        assert_eq!(record.int(int::COMBINER_NAMED), Count::new(23));
        assert_eq!(record.int(int::FILE_ALIGNMENT), Count::new(56));
        assert_eq!(record.int(int::SIZE_READ_0_100), Count::new(57));
        assert_eq!(record.int(int::ACCESS4_COUNT), Count::new(132));
        assert_eq!(record.int(int::SLOWEST_RANK_BYTES), Count::MISSING);
        assert_eq!(record.float(float::MPI_WRITE_TIME), Measure::new(11.0));
        assert_eq!(record.float(float::MAX_READ_TIME), Measure::MISSING);
    }

    #[test]
    fn what_a_converter_filled_in_is_missing() {
        let stored = vec![0; 1328];
        let record = Decoder::new(Version(2, 6), Version(1, 24), Order::Little).decode(&stored);
        assert_eq!(record.int(int::SLOWEST_RANK), Count::MISSING);
        assert_eq!(record.int(int::SIZE_AT_OPEN), Count::new(0));
        assert_eq!(record.float(float::VARIANCE_RANK_TIME), Measure::MISSING);
    }
}

//! HEATMAP records: bytes over time, per rank and interface.

use marigraph_model::{FileId, Module, Rank, Series};

use super::region::Item;
use crate::bytes::{Bytes, Order};
use crate::inflate::Window;

/// Bytes before the bins; the last sixteen are unused.
const HEAD: usize = 48;
/// Maximum plausible number of bins. Darshan has 200; a larger claim would only fill memory.
const MAX_BINS: usize = 1 << 22;

/// A heat map as stored.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RawHeatmap {
    /// Record id, which implies the interface.
    pub id: u64,
    pub rank: i64,
    pub bin_s: f64,
    /// Bytes per bin.
    pub written: Vec<i64>,
    /// Bytes per bin.
    pub read: Vec<i64>,
}

const NAMES: [(&str, Module); 5] = [
    ("heatmap:POSIX", Module::Posix),
    ("heatmap:MPIIO", Module::MpiIo),
    ("heatmap:STDIO", Module::Stdio),
    ("heatmap:DFS", Module::Dfs),
    ("heatmap:DAOS", Module::Daos),
];

pub fn read(window: &mut Window<'_>, order: Order) -> Item<RawHeatmap> {
    let Some(head) = window.take(HEAD) else { return Item::end(window) };
    let bytes = Bytes::new(head, order);
    let (id, rank, bin_s, bins) = (bytes.u64(0), bytes.i64(8), bytes.f64(16), bytes.i64(24));
    let size = usize::try_from(bins).ok().filter(|&n| n <= MAX_BINS).and_then(|n| n.checked_mul(16));
    let Some(stored) = size.and_then(|size| window.take(size)) else { return Item::Broken };
    let (bins, bytes) = (stored.len() / 16, Bytes::new(stored, order));
    let (mut written, mut read) = (Vec::with_capacity(bins), Vec::with_capacity(bins));
    bytes.extend_i64(0, bins, &mut written);
    bytes.extend_i64(bins * 8, bins, &mut read);
    Item::Some(RawHeatmap { id, rank, bin_s, written, read })
}

pub fn encode(heatmap: &RawHeatmap, out: &mut Vec<u8>) {
    out.extend_from_slice(&heatmap.id.to_le_bytes());
    out.extend_from_slice(&heatmap.rank.to_le_bytes());
    out.extend_from_slice(&heatmap.bin_s.to_le_bytes());
    out.extend_from_slice(&(heatmap.written.len() as i64).to_le_bytes());
    out.extend_from_slice(&[0; 16]);
    heatmap.written.iter().chain(&heatmap.read).for_each(|n| out.extend_from_slice(&n.to_le_bytes()));
}

impl RawHeatmap {
    /// `None` if interface, rank or bin width make no sense.
    pub fn to_model(&self) -> Option<Series> {
        let interface = NAMES.iter().find(|(name, _)| FileId::of_name(name.as_bytes()) == FileId(self.id))?.1;
        // Darshan's bins are at least a tenth of a second wide.
        if !(1e-6..1e12).contains(&self.bin_s) {
            return None;
        }
        let amounts = |bins: &[i64]| bins.iter().map(|&n| u64::try_from(n).unwrap_or(0)).collect();
        Some(Series {
            interface,
            rank: Rank(u32::try_from(self.rank).ok()?),
            bin_s: self.bin_s,
            read: amounts(&self.read),
            written: amounts(&self.written),
        })
    }

    pub fn from_model(series: &Series) -> RawHeatmap {
        let bins = series.read.len().max(series.written.len());
        let amounts = |values: &[u64]| {
            let mut out: Vec<i64> = values.iter().map(|&n| i64::try_from(n).unwrap_or(i64::MAX)).collect();
            out.resize(bins, 0);
            out
        };
        RawHeatmap {
            id: FileId::of_name(name_of(series.interface).as_bytes()).0,
            rank: i64::from(series.rank.0),
            bin_s: series.bin_s,
            written: amounts(&series.written),
            read: amounts(&series.read),
        }
    }
}

pub fn has(interface: Module) -> bool {
    NAMES.iter().any(|(_, module)| *module == interface)
}

pub fn name_of(interface: Module) -> &'static str {
    NAMES.iter().find(|(_, module)| *module == interface).map_or("heatmap:POSIX", |(name, _)| name)
}

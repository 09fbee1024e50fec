//! Iterates over the records of a module's region.

use marigraph_model::{Module, Problem, ProblemKind};

use super::layout::{Decoder, Plain, RawRecord, Tail};
use crate::bytes::{Bytes, Order};
use crate::inflate::{Stop, Window};
use marigraph_model::counters::mdhim;

/// The result of reading the next record of a region.
#[derive(Debug, Clone, PartialEq)]
pub enum Item<T> {
    Some(T),
    End,
    Broken,
}

impl<T> Item<T> {
    /// The end, regular if no bytes are left.
    pub fn end(window: &Window<'_>) -> Item<T> {
        if window.left() == 0 { Item::End } else { Item::Broken }
    }
}

pub fn problems_of(window: &Window<'_>, broken: bool, place: &str) -> Option<Problem> {
    let (kind, what) = match window.stop() {
        Some(Stop::Corrupt) => (ProblemKind::Corrupt, "the compressed data are damaged"),
        Some(Stop::Truncated) => (ProblemKind::Truncated, "the compressed data end early"),
        Some(Stop::Limit) => (ProblemKind::InflateLimit, "decompression stopped at the limit"),
        None if broken => (ProblemKind::Truncated, "the last record is incomplete or inconsistent"),
        None => return None,
    };
    Some(Problem::new(kind, format!("{what}: later {place} data are missing")).at(place))
}

/// A header record that some modules put before their counter records.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ModuleHeader {
    /// APMPI: id, rank, whether sync times were measured, variance of MPI time, variance of sync
    /// time.
    Apmpi(u64, i64, bool, f64, f64),
    /// APXC: id, rank, five numbers (blades, chassis, groups, memory mode, cluster mode),
    /// application id.
    Apxc(u64, i64, [i64; 5], u64),
}

const APMPI_MAGIC: i64 = 0x41_504D_5049;
const APXC_MAGIC: i64 = 0x4155_544F_5045_5246;

pub fn read_header(module: Module, window: &mut Window<'_>, order: Order) -> Option<ModuleHeader> {
    let (size, magic) = match module {
        Module::Apmpi => (48, APMPI_MAGIC),
        Module::Apxc => (72, APXC_MAGIC),
        _ => return None,
    };
    let bytes = Bytes::new(window.peek(size)?, order);
    if bytes.i64(16) != magic {
        return None;
    }
    let (id, rank) = (bytes.u64(0), bytes.i64(8));
    let header = if module == Module::Apmpi {
        ModuleHeader::Apmpi(id, rank, bytes.u32(24) != 0, bytes.f64(32), bytes.f64(40))
    } else {
        ModuleHeader::Apxc(id, rank, [0, 1, 2, 3, 4].map(|n| bytes.i64(24 + n * 8)), bytes.u64(64))
    };
    window.take(size);
    Some(header)
}

pub fn encode_header(header: &ModuleHeader, out: &mut Vec<u8>) {
    match *header {
        ModuleHeader::Apmpi(id, rank, sync, time, sync_time) => {
            out.extend_from_slice(&id.to_le_bytes());
            [rank, APMPI_MAGIC, i64::from(sync)].iter().for_each(|n| out.extend_from_slice(&n.to_le_bytes()));
            [time, sync_time].iter().for_each(|n| out.extend_from_slice(&n.to_le_bytes()));
        }
        ModuleHeader::Apxc(id, rank, numbers, app) => {
            out.extend_from_slice(&id.to_le_bytes());
            [rank, APXC_MAGIC].iter().chain(&numbers).for_each(|n| out.extend_from_slice(&n.to_le_bytes()));
            out.extend_from_slice(&app.to_le_bytes());
        }
    }
}

/// Shows records as stored; requires [`Decoder::is_plain`]. Returns whether the region ended
/// broken.
pub fn for_each_plain(decoder: &Decoder, window: &mut Window<'_>, show: &mut dyn FnMut(&Plain<'_>)) -> bool {
    loop {
        let stored = window.take_units(decoder.size(), usize::MAX);
        if stored.is_empty() {
            return window.left() > 0;
        }
        let records = stored.chunks_exact(decoder.size()).filter_map(|record| decoder.plain(record));
        records.for_each(|plain| show(&plain));
    }
}

/// Returns whether the region ended broken.
pub fn for_each_record(
    module: Module,
    decoder: &Decoder,
    window: &mut Window<'_>,
    order: Order,
    show: &mut dyn FnMut(&RawRecord),
) -> bool {
    let mut record = RawRecord::default();
    loop {
        let stored = window.take_units(decoder.size(), if module == Module::Mdhim { 1 } else { usize::MAX });
        if stored.is_empty() {
            return window.left() > 0;
        }
        if module != Module::Mdhim {
            for chunk in stored.chunks_exact(decoder.size()) {
                decoder.decode(chunk, &mut record);
                show(&record);
            }
            continue;
        }
        decoder.decode(stored, &mut record);
        let Some(servers) = read_servers(record.ints[mdhim::SERVERS.at()], window, order) else {
            return true;
        };
        record.tail = Tail::Servers(servers);
        show(&record);
    }
}

/// Reads the end of an MDHIM record: one number per server, at least one.
fn read_servers(count: i64, window: &mut Window<'_>, order: Order) -> Option<Vec<i64>> {
    let count = usize::try_from(count.max(1)).ok().filter(|&n| n <= 1 << 20)?;
    let stored = window.take(count.checked_mul(8)?)?;
    let mut servers = Vec::with_capacity(count);
    Bytes::new(stored, order).extend_i64(0, count, &mut servers);
    Some(servers)
}

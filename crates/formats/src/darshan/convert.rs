//! Converts between stored records and records of the model.

use marigraph_model::counters::{FloatIdx, IntIdx, IntKind, posix, stdio};
use marigraph_model::{Count, Extra, FileId, Measure, Module, Rank, Record, Records, Scope};

use super::layout::{Plain, RawRecord, Tail};

/// `None` if the rank is impossible.
pub fn scope_of(rank: i64) -> Option<Scope> {
    if rank < 0 { Some(Scope::Shared) } else { u32::try_from(rank).ok().map(|rank| Scope::Rank(Rank(rank))) }
}

pub fn rank_of(scope: Scope) -> i64 {
    match scope {
        Scope::Shared => -1,
        Scope::Rank(Rank(rank)) => i64::from(rank),
    }
}

/// -1 is "not measured".
pub fn not_measured(value: i64) -> Option<i64> {
    (value != -1).then_some(value)
}

/// Returns `false` if the rank is impossible.
pub fn push(raw: &RawRecord, block: &mut Records) -> bool {
    let Some(scope) = scope_of(raw.rank) else { return false };
    let defs = block.module().ints();
    let ints = raw.ints.iter().zip(defs).map(|(&value, def)| {
        if value == -1 && def.kind != IntKind::Id { Count::MISSING } else { Count::new(value) }
    });
    let floats =
        raw.floats.iter().map(|&value| if value == -1.0 { Measure::MISSING } else { Measure::new(value) });
    block.push(FileId(raw.id), scope, ints, floats, to_extra(&raw.tail));
    true
}

/// The same for a record stored in its current form.
pub fn push_plain(plain: &Plain<'_>, block: &mut Records) -> bool {
    let Some(scope) = scope_of(plain.rank) else { return false };
    let ints = plain.ints.iter().zip(plain.missing).map(|(word, missing)| {
        let value = i64::from_le_bytes(*word);
        if value == *missing { Count::MISSING } else { Count::new(value) }
    });
    let floats = plain.floats.iter().map(|word| {
        let value = f64::from_le_bytes(*word);
        if value == -1.0 { Measure::MISSING } else { Measure::new(value) }
    });
    block.push(FileId(plain.id), scope, ints, floats, Extra::None);
    true
}

fn to_extra(tail: &Tail) -> Extra {
    match tail {
        Tail::None | Tail::Streams(_) => Extra::None,
        Tail::Parent(id) => Extra::Parent(FileId(*id)),
        Tail::Container(pool, container, object) => {
            Extra::Container { pool: *pool, container: *container, object: *object }
        }
        Tail::Servers(servers) => Extra::Servers(servers.clone()),
        Tail::Node(name) => Extra::Node(String::from_utf8_lossy(name).into_owned()),
    }
}

pub fn from_model(record: Record<'_>) -> RawRecord {
    let tail = match record.extra {
        Extra::None => Tail::None,
        Extra::Parent(id) => Tail::Parent(id.0),
        Extra::Container { pool, container, object } => Tail::Container(*pool, *container, *object),
        Extra::Servers(servers) => Tail::Servers(servers.clone()),
        Extra::Node(name) => Tail::Node(name.clone().into_bytes()),
    };
    RawRecord {
        id: record.file.0,
        rank: rank_of(record.scope),
        ints: record.ints.iter().map(|value| value.get().unwrap_or(-1)).collect(),
        floats: record.floats.iter().map(|value| value.get().unwrap_or(-1.0)).collect(),
        tail,
    }
}

/// Whether a POSIX record of version 1 is about a stream. Its operation counts are then in the
/// tail, and its bytes and times are those of the stream.
pub fn is_stream(raw: &RawRecord) -> bool {
    matches!(raw.tail, Tail::Streams([opens, ..]) if opens > 0)
}

/// Converts such a record to STDIO. If the file was also used through descriptors, bytes and times
/// cannot be separated and stay with POSIX.
pub fn stream_record(raw: &RawRecord) -> RawRecord {
    let only_stream = raw.ints[posix::OPENS.at()] <= 0;
    let mut record = RawRecord {
        id: raw.id,
        rank: raw.rank,
        ints: vec![-1; stdio::INTS.len()],
        floats: vec![-1.0; stdio::FLOATS.len()],
        tail: Tail::None,
    };
    if only_stream {
        copy_by_name(Module::Posix, raw, Module::Stdio, &mut record);
        record.ints[stdio::FDOPENS.at()] = -1;
    }
    if let Tail::Streams([opens, reads, writes, seeks]) = raw.tail {
        for (idx, value) in
            [(stdio::OPENS, opens), (stdio::READS, reads), (stdio::WRITES, writes), (stdio::SEEKS, seeks)]
        {
            record.ints[idx.at()] = value;
        }
    }
    record
}

/// Copies counters whose names are equal after the module prefix.
fn copy_by_name(from: Module, source: &RawRecord, to: Module, target: &mut RawRecord) {
    let suffix = |name: &'static str| name.split_once('_').map_or(name, |(_, rest)| rest);
    for (at, def) in to.ints().iter().enumerate() {
        if let Some(found) = from.ints().iter().position(|d| suffix(d.name) == suffix(def.name)) {
            target.ints[IntIdx(at as u16).at()] = source.ints[found];
        }
    }
    for (at, def) in to.floats().iter().enumerate() {
        if let Some(found) = from.floats().iter().position(|d| suffix(d.name) == suffix(def.name)) {
            target.floats[FloatIdx(at as u16).at()] = source.floats[found];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version_1(opens: i64, fopens: i64) -> RawRecord {
        let mut raw = RawRecord {
            id: 1,
            rank: 0,
            ints: vec![0; posix::INTS.len()],
            floats: vec![0.0; posix::FLOATS.len()],
            tail: Tail::Streams([fopens, 10, 20, 30]),
        };
        raw.ints[posix::OPENS.at()] = opens;
        raw.ints[posix::BYTES_WRITTEN.at()] = 4096;
        raw.floats[posix::F_WRITE_TIME.at()] = 0.5;
        raw
    }

    #[test]
    fn stream_records_of_version_1_become_stdio() {
        let record = stream_record(&version_1(0, 2));
        assert_eq!(record.ints[stdio::OPENS.at()], 2);
        assert_eq!(record.ints[stdio::WRITES.at()], 20);
        assert_eq!(record.ints[stdio::BYTES_WRITTEN.at()], 4096);
        assert_eq!(record.floats[stdio::F_WRITE_TIME.at()], 0.5);
        assert!(is_stream(&version_1(0, 2)) && !is_stream(&version_1(3, 0)));
    }

    #[test]
    fn mixed_use_keeps_its_bytes_once() {
        let record = stream_record(&version_1(1, 2));
        assert_eq!(record.ints[stdio::OPENS.at()], 2);
        assert_eq!(record.ints[stdio::BYTES_WRITTEN.at()], -1);
    }

    #[test]
    fn an_id_of_all_ones_is_an_id() {
        let mut raw = version_1(1, 0);
        raw.ints[posix::RENAMED_FROM.at()] = -1;
        raw.ints[posix::MMAPS.at()] = -1;
        let mut block = Records::new(Module::Posix);
        assert!(push(&raw, &mut block));
        let record = block.get(0).expect("record");
        assert_eq!(record.int(posix::RENAMED_FROM), Count::new(-1));
        assert_eq!(record.int(posix::MMAPS), Count::MISSING);
        let back = from_model(record);
        assert_eq!((&back.ints, &back.floats), (&raw.ints, &raw.floats));
        raw.rank = 1 << 40;
        assert!(!push(&raw, &mut block));
    }
}

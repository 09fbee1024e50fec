//! The counters that Darshan would have kept of a file.

use marigraph_model::counters::{mpiio, posix, stdio};
use marigraph_model::{Count, MIB, Module, Scope};

use super::super::row::{Row, fill_classes, fill_common};
use super::events::FileUse;

/// Calls of each size in a file: (size, calls).
fn sizes(file: &FileUse, write: bool) -> Vec<(u64, u64)> {
    let mut found: Vec<(u64, u64)> = Vec::new();
    let mut add = |size: u64, calls: u64| match found.iter_mut().find(|(known, _)| *known == size) {
        Some((_, count)) => *count += calls,
        None if calls > 0 => found.push((size, calls)),
        None => {}
    };
    for touch in file.touches.iter().filter(|touch| touch.write == write && touch.calls > 0) {
        let size = touch.bytes / touch.calls;
        add(size, touch.calls - 1);
        // The last call takes what is left over.
        add(touch.bytes - size * (touch.calls - 1), 1);
    }
    found
}

/// Seconds of reading or writing over all ranks, and the longest call.
fn times(file: &FileUse, write: bool) -> (f64, f64) {
    let of_kind = file.touches.iter().filter(|touch| touch.write == write);
    of_kind.fold((0.0, 0.0), |(sum, most), touch| {
        let seconds = (touch.end_s - touch.start_s) * 0.9;
        (sum + seconds, f64::max(most, seconds / touch.calls.max(1) as f64))
    })
}

fn opens(file: &FileUse) -> u64 {
    file.sessions.iter().map(|session| session.open.count).sum()
}

/// Begin and end of all opens, begin and end of all closes.
fn open_and_close(file: &FileUse) -> [Option<(f64, f64)>; 2] {
    let hull = |of: fn(&super::events::Session) -> super::events::Calls| {
        let from_s = file.sessions.iter().map(|session| of(session).from_s).reduce(f64::min)?;
        Some((from_s, file.sessions.iter().map(|session| of(session).to_s).fold(from_s, f64::max)))
    };
    [hull(|session| session.open), hull(|session| session.close)]
}

/// The record of a file in POSIX, or in STDIO if it is a stream.
pub fn row(file: &FileUse) -> (Module, Row) {
    if file.stream { (Module::Stdio, stream_row(file)) } else { (Module::Posix, posix_row(file)) }
}

fn posix_row(file: &FileUse) -> Row {
    let mut row = Row::new(Module::Posix);
    let ([read, write], [open, close]) = ([false, true].map(|kind| file.volume(kind)), open_and_close(file));
    for (idx, value) in [
        (posix::OPENS, opens(file)),
        (posix::SEEKS, file.seeks),
        (posix::STATS, 1),
        (posix::MODE, 0o644),
        (posix::MEM_ALIGNMENT, 8),
        (posix::FILE_ALIGNMENT, MIB),
        (posix::READS, read.1),
        (posix::WRITES, write.1),
        (posix::BYTES_READ, read.0),
        (posix::BYTES_WRITTEN, write.0),
        (posix::MAX_BYTE_READ, read.0.saturating_sub(1)),
        (posix::MAX_BYTE_WRITTEN, write.0.saturating_sub(1)),
        (posix::SEQ_READS, read.1.saturating_sub(1)),
        (posix::SEQ_WRITES, write.1.saturating_sub(1)),
        (posix::CONSEC_READS, read.1.saturating_sub(1)),
        (posix::CONSEC_WRITES, write.1.saturating_sub(1)),
        (posix::RW_SWITCHES, u64::from(read.1 > 0 && write.1 > 0)),
    ] {
        row.set(idx, value);
    }
    row.ints[posix::MMAPS.at()] = Count::MISSING;
    let [of_reads, of_writes] = [false, true].map(|kind| sizes(file, kind));
    fill_classes(&mut row, posix::SIZE_READ_0_100, &of_reads);
    fill_classes(&mut row, posix::SIZE_WRITE_0_100, &of_writes);
    fill_common(&mut row, (posix::ACCESS1_ACCESS, posix::ACCESS1_COUNT), [of_reads, of_writes].concat());
    row.stamps((posix::F_OPEN_START_TIMESTAMP, posix::F_OPEN_END_TIMESTAMP), open);
    row.stamps((posix::F_CLOSE_START_TIMESTAMP, posix::F_CLOSE_END_TIMESTAMP), close);
    row.stamps((posix::F_READ_START_TIMESTAMP, posix::F_READ_END_TIMESTAMP), file.hull(false));
    row.stamps((posix::F_WRITE_START_TIMESTAMP, posix::F_WRITE_END_TIMESTAMP), file.hull(true));
    posix_times(&mut row, file);
    row
}

fn posix_times(row: &mut Row, file: &FileUse) {
    let ([read, write], meta_s) = ([false, true].map(|kind| times(file, kind)), meta_time(file));
    row.put(posix::F_READ_TIME, read.0);
    row.put(posix::F_WRITE_TIME, write.0);
    row.put(posix::F_META_TIME, meta_s);
    row.put(posix::F_MAX_READ_TIME, read.1);
    row.put(posix::F_MAX_WRITE_TIME, write.1);
    for (idx, kind) in [(posix::MAX_READ_TIME_SIZE, false), (posix::MAX_WRITE_TIME_SIZE, true)] {
        row.set(idx, sizes(file, kind).first().map_or(0, |&(size, _)| size));
    }
    if file.scope == Scope::Shared {
        let bytes = file.volume(false).0 + file.volume(true).0;
        row.set(posix::SLOWEST_RANK_BYTES, bytes);
        row.put(posix::F_SLOWEST_RANK_TIME, read.0 + write.0 + meta_s);
        row.set(posix::FASTEST_RANK, 1);
    }
}

/// Seconds in opens, closes and seeks.
fn meta_time(file: &FileUse) -> f64 {
    opens(file) as f64 * 3e-4 + file.seeks as f64 * 1e-6
}

fn stream_row(file: &FileUse) -> Row {
    let mut row = Row::new(Module::Stdio);
    let ([read, write], [open, close]) = ([false, true].map(|kind| file.volume(kind)), open_and_close(file));
    for (idx, value) in [
        (stdio::OPENS, opens(file)),
        (stdio::SEEKS, file.seeks),
        (stdio::READS, read.1),
        (stdio::WRITES, write.1),
        (stdio::BYTES_READ, read.0),
        (stdio::BYTES_WRITTEN, write.0),
        (stdio::MAX_BYTE_READ, read.0.saturating_sub(1)),
        (stdio::MAX_BYTE_WRITTEN, write.0.saturating_sub(1)),
    ] {
        row.set(idx, value);
    }
    row.stamps((stdio::F_OPEN_START_TIMESTAMP, stdio::F_OPEN_END_TIMESTAMP), open);
    row.stamps((stdio::F_CLOSE_START_TIMESTAMP, stdio::F_CLOSE_END_TIMESTAMP), close);
    row.stamps((stdio::F_READ_START_TIMESTAMP, stdio::F_READ_END_TIMESTAMP), file.hull(false));
    row.stamps((stdio::F_WRITE_START_TIMESTAMP, stdio::F_WRITE_END_TIMESTAMP), file.hull(true));
    row.put(stdio::F_READ_TIME, times(file, false).0);
    row.put(stdio::F_WRITE_TIME, times(file, true).0);
    row.put(stdio::F_META_TIME, meta_time(file));
    row
}

/// The record of a file in MPI-IO, above that in POSIX.
pub fn collective_row(file: &FileUse) -> Row {
    let mut row = Row::new(Module::MpiIo);
    let ([read, write], [open, close]) = ([false, true].map(|kind| file.volume(kind)), open_and_close(file));
    for (idx, value) in [
        (mpiio::COLL_OPENS, opens(file)),
        (mpiio::COLL_READS, read.1),
        (mpiio::COLL_WRITES, write.1),
        (mpiio::BYTES_READ, read.0),
        (mpiio::BYTES_WRITTEN, write.0),
    ] {
        row.set(idx, value);
    }
    let [of_reads, of_writes] = [false, true].map(|kind| sizes(file, kind));
    fill_classes(&mut row, mpiio::SIZE_READ_AGG_0_100, &of_reads);
    fill_classes(&mut row, mpiio::SIZE_WRITE_AGG_0_100, &of_writes);
    fill_common(&mut row, (mpiio::ACCESS1_ACCESS, mpiio::ACCESS1_COUNT), [of_reads, of_writes].concat());
    row.stamps((mpiio::F_OPEN_START_TIMESTAMP, mpiio::F_OPEN_END_TIMESTAMP), open);
    row.stamps((mpiio::F_CLOSE_START_TIMESTAMP, mpiio::F_CLOSE_END_TIMESTAMP), close);
    row.stamps((mpiio::F_READ_START_TIMESTAMP, mpiio::F_READ_END_TIMESTAMP), file.hull(false));
    row.stamps((mpiio::F_WRITE_START_TIMESTAMP, mpiio::F_WRITE_END_TIMESTAMP), file.hull(true));
    row.put(mpiio::F_READ_TIME, times(file, false).0);
    row.put(mpiio::F_WRITE_TIME, times(file, true).0);
    row.put(mpiio::F_META_TIME, meta_time(file));
    row
}

//! Counters and times that a recorder sets besides reads and writes.

use marigraph_model::counters::{FloatIdx, IntIdx, mpiio, posix};
use marigraph_model::{Count, Measure, Module};

use super::Random;

const MIB: i64 = marigraph_model::MIB as i64;

/// Adds opens, stats and metadata times to a record, as a recorder would.
pub fn dress(module: Module, random: &mut Random, ints: &mut [Count], floats: &mut [Measure]) {
    let roles = module.roles();
    let mut set = |idx: IntIdx, value: i64| ints[idx.at()] = Count::new(value);
    roles.opens.iter().for_each(|&idx| set(idx, i64::from(idx == roles.opens[0])));
    roles.other_metadata.iter().for_each(|&idx| set(idx, 0));
    let seconds = random.between(0.0002, 0.004);
    if let Some(idx) = roles.meta_time {
        floats[idx.at()] = Measure::new(seconds);
    }
    match module {
        // The profile counts all calls as independent; these are collective.
        Module::MpiIo => {
            ints.swap(mpiio::INDEP_READS.at(), mpiio::COLL_READS.at());
            ints.swap(mpiio::INDEP_WRITES.at(), mpiio::COLL_WRITES.at());
        }
        Module::Posix => {
            dress_posix(ints);
            dress_stamps(seconds, floats);
        }
        _ => {}
    }
}

/// Sets the POSIX counters of a file that was opened, stat'ed and accessed in whole blocks.
fn dress_posix(ints: &mut [Count]) {
    for (idx, value) in [
        (posix::STATS, 1),
        (posix::MODE, 0o644),
        (posix::MEM_ALIGNMENT, 8),
        (posix::FILE_ALIGNMENT, MIB),
        (posix::MEM_NOT_ALIGNED, 0),
        (posix::FILE_NOT_ALIGNED, 0),
        (posix::FILENOS, 0),
        (posix::DUPS, 0),
        (posix::RENAME_TARGETS, 0),
    ] {
        ints[idx.at()] = Count::new(value);
    }
    ints[posix::MMAPS.at()] = Count::MISSING;
}

/// Opens the file right before its first use and closes it right after its last.
fn dress_stamps(seconds: f64, floats: &mut [Measure]) {
    let amount = |idx: FloatIdx| floats[idx.at()].amount();
    let starts = [amount(posix::F_READ_START_TIMESTAMP), amount(posix::F_WRITE_START_TIMESTAMP)];
    let first = starts.into_iter().filter(|&start| start > 0.0).fold(f64::INFINITY, f64::min);
    let last = amount(posix::F_READ_END_TIMESTAMP).max(amount(posix::F_WRITE_END_TIMESTAMP));
    for (idx, value) in [
        (posix::F_OPEN_START_TIMESTAMP, (first - seconds).max(1e-6)),
        (posix::F_OPEN_END_TIMESTAMP, first),
        (posix::F_CLOSE_START_TIMESTAMP, last),
        (posix::F_CLOSE_END_TIMESTAMP, last + 1e-4),
    ] {
        floats[idx.at()] = Measure::new(value);
    }
}

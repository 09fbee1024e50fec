//! Corrupt logs (section 2.1).

use marigraph_model::counters::{FloatIdx, IntIdx, posix, stdio};
use marigraph_model::{Count, Job, Measure, Module, Record, Records, WallTime};

use super::super::Random;

/// A kind of corruption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Corruption {
    Truncated,
    Garbage,
    EndBeforeStart,
    ZeroRuntime,
    NoProcesses,
    LateTimestamp,
    NegativeTimestamp,
    CloseBeforeOpen,
    LastBeforeFirst,
    BytesWithoutTimestamps,
    TimestampsWithoutBytes,
    ImplausibleBytes,
    /// A module ran out of memory: the log is kept but incomplete.
    Partial,
}

impl Corruption {
    pub const ALL: [(Corruption, &str); 13] = [
        (Corruption::Truncated, "truncated"),
        (Corruption::Garbage, "garbage"),
        (Corruption::EndBeforeStart, "end_before_start"),
        (Corruption::ZeroRuntime, "zero_runtime"),
        (Corruption::NoProcesses, "no_processes"),
        (Corruption::LateTimestamp, "late_timestamp"),
        (Corruption::NegativeTimestamp, "negative_timestamp"),
        (Corruption::CloseBeforeOpen, "close_before_open"),
        (Corruption::LastBeforeFirst, "last_before_first"),
        (Corruption::BytesWithoutTimestamps, "bytes_without_timestamps"),
        (Corruption::TimestampsWithoutBytes, "timestamps_without_bytes"),
        (Corruption::ImplausibleBytes, "implausible_bytes"),
        (Corruption::Partial, "partial"),
    ];

    pub fn draw(random: &mut Random) -> Corruption {
        Corruption::ALL[random.index(Corruption::ALL.len())].0
    }

    pub fn name(self) -> &'static str {
        Corruption::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    pub fn is_kept(self) -> bool {
        self == Corruption::Partial
    }

    pub fn spoil_job(self, job: &mut Job) {
        match self {
            Corruption::EndBeforeStart => {
                job.end = WallTime { seconds: job.start.seconds - 100, nanos: job.end.nanos }
            }
            Corruption::ZeroRuntime => job.end = job.start,
            Corruption::NoProcesses => job.nprocs = 0,
            _ => {}
        }
    }

    /// Also returns whether any record could be corrupted in this way.
    pub fn spoil_record(self, records: &Records, job: &Job) -> (Records, bool) {
        let (mut spoilt, mut done) = (Records::new(records.module()), false);
        for Record { module, file, scope, ints, floats, extra } in records.iter() {
            let (mut ints, mut floats) = (ints.to_vec(), floats.to_vec());
            done |= self.spoil_cells(module, &mut ints, &mut floats, job);
            spoilt.push(file, scope, ints, floats, extra.clone());
        }
        (spoilt, done)
    }

    fn spoil_cells(self, module: Module, ints: &mut [Count], floats: &mut [Measure], job: &Job) -> bool {
        let Some(used) = Used::of(module, ints) else { return false };
        let run = job.runtime_s();
        let at = |idx: FloatIdx| floats[idx.at()].amount();
        let (open_s, start_s) = (at(used.open), at(used.start));
        if open_s <= 0.0 || start_s <= 0.0 {
            return false;
        }
        let mut set = |idx: FloatIdx, value: f64| floats[idx.at()] = Measure::new(value);
        match self {
            Corruption::LateTimestamp => set(used.end, run * 1.05 + 5.0),
            Corruption::NegativeTimestamp => set(used.start, -5.0),
            Corruption::CloseBeforeOpen => used.close.iter().for_each(|&idx| set(idx, open_s * 0.5)),
            Corruption::LastBeforeFirst => set(used.end, start_s * 0.5),
            Corruption::BytesWithoutTimestamps => used.stamps().into_iter().for_each(|idx| set(idx, 0.0)),
            Corruption::TimestampsWithoutBytes => ints[used.bytes.at()] = Count::new(0),
            Corruption::ImplausibleBytes => {
                let bytes = job.nprocs as f64 * run * 1e11 * 3.0;
                ints[used.bytes.at()] = Count::new(bytes as i64);
                return bytes < 9e18;
            }
            _ => {}
        }
        true
    }

    pub fn spoil_bytes(self, bytes: &mut Vec<u8>, seed: u64) {
        let mut random = Random::new(seed);
        match self {
            Corruption::Truncated => bytes.truncate((bytes.len() as f64 * random.between(0.2, 0.9)) as usize),
            Corruption::Garbage => bytes.iter_mut().for_each(|byte| *byte = random.bits() as u8),
            _ => {}
        }
    }
}

/// Counters of the direction in which a record moved bytes.
struct Used {
    bytes: IntIdx,
    start: FloatIdx,
    end: FloatIdx,
    open: FloatIdx,
    open_end: FloatIdx,
    close: [FloatIdx; 2],
}

impl Used {
    fn of(module: Module, ints: &[Count]) -> Option<Used> {
        let (sides, open, open_end, close) = if module == Module::Stdio {
            (
                [
                    (stdio::BYTES_READ, stdio::F_READ_START_TIMESTAMP, stdio::F_READ_END_TIMESTAMP),
                    (stdio::BYTES_WRITTEN, stdio::F_WRITE_START_TIMESTAMP, stdio::F_WRITE_END_TIMESTAMP),
                ],
                stdio::F_OPEN_START_TIMESTAMP,
                stdio::F_OPEN_END_TIMESTAMP,
                [stdio::F_CLOSE_START_TIMESTAMP, stdio::F_CLOSE_END_TIMESTAMP],
            )
        } else {
            (
                [
                    (posix::BYTES_READ, posix::F_READ_START_TIMESTAMP, posix::F_READ_END_TIMESTAMP),
                    (posix::BYTES_WRITTEN, posix::F_WRITE_START_TIMESTAMP, posix::F_WRITE_END_TIMESTAMP),
                ],
                posix::F_OPEN_START_TIMESTAMP,
                posix::F_OPEN_END_TIMESTAMP,
                [posix::F_CLOSE_START_TIMESTAMP, posix::F_CLOSE_END_TIMESTAMP],
            )
        };
        let side = sides.into_iter().find(|(bytes, ..)| ints[bytes.at()].amount() > 0);
        side.map(|(bytes, start, end)| Used { bytes, start, end, open, open_end, close })
    }

    fn stamps(&self) -> [FloatIdx; 6] {
        [self.start, self.end, self.open, self.open_end, self.close[0], self.close[1]]
    }
}

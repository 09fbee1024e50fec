//! Darshan logs of the releases 1.1 to 2.3, format 1.21 to 2.06.
//!
//! The whole file is one compressed stream; [`read`] takes its decompressed content. A block with
//! the job comes first, followed by records of one size: one per file and rank, or one for all
//! ranks, covering every interface at once. They are split into records per interface, as later
//! releases write them.
//!
//! `version` knows the versions and their limitations, `head` reads the block, `places` declares
//! the counters, `layout` decodes records, `clock` finds the origin of their times, `mapping` and
//! `convert` convert to the model.

mod clock;
mod convert;
mod head;
mod layout;
mod mapping;
mod places;
mod version;

use marigraph_model::{
    Extra, FileId, FileTable, Module, ModuleInfo, Problem, ProblemKind, Rank, Records, Scope, Sink, Trace,
};

use crate::error::Error;
use clock::Clock;
use head::Head;
pub use head::sniff;
use layout::{Decoder, OldRecord};
use places::int;

/// Name of the record for all files of a rank, once they were too many to distinguish.
const ALL_FILES: &[u8] = b"<all files>";

/// Reads the decompressed content of a log. Fails only without a job block; all else is a problem
/// in the trace.
pub fn read(content: &[u8]) -> Result<Trace, Error> {
    let mut problems = Vec::new();
    let head = Head::read(content, &mut problems)?;
    let decoder = Decoder::new(head.layout, head.origin, head.order);
    let records = content.get(head.size..).unwrap_or(&[]).chunks_exact(decoder.size());
    let stamps = records.clone().flat_map(|stored| decoder.stamps(stored));
    let clock = Clock::find(stamps, &head.job, head.origin, &mut problems);
    if !records.remainder().is_empty() {
        let message = format!("the last of {} records is truncated and left out", records.len() + 1);
        problems.push(Problem::new(ProblemKind::Truncated, message).at("records"));
    }
    problems.extend(head.origin.problems());
    let mut pass = Pass { head: &head, clock, trace: Trace::default(), found: Found::default() };
    records.for_each(|stored| pass.add(decoder.decode(stored)));
    let Pass { mut trace, found, .. } = pass;
    problems.extend(found.problems());
    let info = |&module: &Module| ModuleInfo { module, version: 1, partial: found.condensed > 0 };
    trace.modules = trace.records.keys().map(info).collect();
    trace.problems = problems;
    trace.job = head.job;
    Ok(trace)
}

#[derive(Default)]
struct Found {
    strange: u64,
    condensed: u64,
    /// Shared records whose fastest and slowest ranks are those of MPI-IO.
    hidden: u64,
}

impl Found {
    fn problems(&self) -> Vec<Problem> {
        let messages = [
            (self.strange, ProblemKind::BadRecord, "records with an invalid rank are left out"),
            (
                self.condensed,
                ProblemKind::Partial,
                "ranks used more files than the log can hold: each has one record for all its files",
            ),
            (
                self.hidden,
                ProblemKind::NotRecorded,
                "the fastest and slowest ranks of shared files are known for MPI-IO only",
            ),
        ];
        let some = messages.into_iter().filter(|(count, ..)| *count > 0);
        some.map(|(count, kind, what)| Problem::new(kind, format!("{what} ({count})")).at("records"))
            .collect()
    }
}

struct Pass<'a> {
    head: &'a Head,
    clock: Clock,
    trace: Trace,
    found: Found,
}

impl Pass<'_> {
    fn add(&mut self, mut record: OldRecord<'_>) {
        let Some(scope) = scope_of(record.rank) else {
            self.found.strange += 1;
            return;
        };
        if record.id == 0 {
            self.found.condensed += 1;
            record.condense();
        }
        record.map_stamps(|stamp| self.clock.relative(stamp));
        name(&record, self.head, &mut self.trace.files);
        if let Some(size) = record.int(int::SIZE_AT_OPEN).get().and_then(|size| u64::try_from(size).ok()) {
            self.trace.found_size(FileId(record.id), size);
        }
        let rows = convert::rows(&record, self.head.origin);
        self.found.hidden += u64::from(scope == Scope::Shared && convert::hides_extremes(&rows));
        for row in rows {
            let mut records = Records::new(row.module);
            records.push(FileId(record.id), scope, row.ints, row.floats, Extra::None);
            self.trace.records(&records);
        }
    }
}

fn scope_of(rank: i64) -> Option<Scope> {
    if rank == -1 {
        Some(Scope::Shared)
    } else {
        u32::try_from(rank).ok().map(|rank| Scope::Rank(Rank(rank)))
    }
}

fn name(record: &OldRecord<'_>, head: &Head, files: &mut FileTable) {
    let id = FileId(record.id);
    if record.id == 0 {
        return files.insert(id, ALL_FILES);
    }
    let device = record.device.and_then(|device| head.mount(device));
    let cut = record.suffix.len() >= head.origin.name_length();
    files.insert(id, &label(record.suffix, cut, device));
}

/// Three dots stand for the unknown part of a path. The mount precedes them, so that the file is
/// attributed to its file system.
fn label(suffix: &[u8], cut: bool, mount: Option<&str>) -> Vec<u8> {
    match mount {
        None if cut => [b"...", suffix].concat(),
        None => suffix.to_vec(),
        Some(mount) if !cut && suffix.starts_with(mount.as_bytes()) => suffix.to_vec(),
        Some(mount) => {
            let dots: &[u8] = if cut || suffix.starts_with(b"/") { b"/..." } else { b"/.../" };
            [mount.trim_end_matches('/').as_bytes(), dots, suffix].concat()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_show_what_is_known_of_a_path() {
        let text =
            |suffix: &str, cut, mount| String::from_utf8(label(suffix.as_bytes(), cut, mount)).expect("text");
        assert_eq!(text("st/mpi-test.dat", true, None), "...st/mpi-test.dat");
        assert_eq!(text("st/mpi-test.dat", true, Some("/lus")), "/lus/...st/mpi-test.dat");
        assert_eq!(text("st/mpi-test.dat", true, Some("/")), "/...st/mpi-test.dat");
        assert_eq!(text("a.dat", false, None), "a.dat");
        assert_eq!(text("a.dat", false, Some("/lus")), "/lus/.../a.dat");
        assert_eq!(text("/lus/a.dat", false, Some("/lus")), "/lus/a.dat");
        assert_eq!(text("/link/a.dat", false, Some("/lus")), "/lus/.../link/a.dat");
    }

    #[test]
    fn no_rank_below_minus_one() {
        assert_eq!(scope_of(-1), Some(Scope::Shared));
        assert_eq!(scope_of(7), Some(Scope::Rank(Rank(7))));
        assert_eq!((scope_of(-2), scope_of(1 << 40)), (None, None));
    }
}

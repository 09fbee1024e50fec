//! Which run a log tells of.
//!
//! Several files may tell of one run: the Darshan log and the trace that the recorder writes, and
//! copies that were packed again or renamed. A [`Run`] is what they agree on and other runs do not
//! share. File names and the bytes of a file play no part in it.

use marigraph_model::{Job, ModuleInfo, WallTime};

use crate::usage::Totals;

/// What a log tells of its run beside the totals; equal in every log of the run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Run {
    id: i64,
    uid: i64,
    start: (i64, u32),
    end: (i64, u32),
    /// Without its folder.
    program: String,
    nprocs: u64,
}

impl Run {
    /// `None` if the log does not say when the run started, or of which program it was.
    pub fn of(job: &Job) -> Option<Run> {
        let program = job.exe.split_whitespace().next()?;
        let program = program.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(program);
        let moment = |time: WallTime| (time.seconds, time.nanos);
        (job.start.seconds > 0).then(|| Run {
            id: job.id,
            uid: job.uid,
            start: moment(job.start),
            end: moment(job.end),
            program: program.to_string(),
            nprocs: job.nprocs,
        })
    }

    /// Whether totals must agree, too: where starts are whole seconds, copies of a program that one
    /// batch job started in the same second are alike in everything else.
    pub fn needs_totals(&self) -> bool {
        self.start.1 == 0
    }

    /// The identity of the run in one line.
    pub fn identity(&self, totals: &Totals) -> String {
        let Run { id, uid, start, end, program, nprocs } = self;
        let line = format!("run {id} {uid} {}.{} {}.{} {nprocs} {program}", start.0, start.1, end.0, end.1);
        if !self.needs_totals() {
            return line;
        }
        let Totals { read_bytes, written_bytes, reads, writes, metadata_ops, read_s, write_s, meta_s } =
            totals;
        // The order in which a file has its records may change the last digits of sums.
        let [read_us, write_us, meta_us] = [read_s, write_s, meta_s].map(|seconds| (seconds * 1e6).round());
        format!(
            "{line} {read_bytes} {written_bytes} {reads} {writes} {metadata_ops} {read_us} {write_us} {meta_us}"
        )
    }
}

/// How much a log tells of its run: of several logs of a run the one with the highest detail counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Detail {
    Counters,
    /// Reads and writes one by one.
    Operations,
    Calls,
}

impl Detail {
    /// `traced` says whether the log is a trace of all calls.
    pub fn of(modules: &[ModuleInfo], traced: bool) -> Detail {
        if traced {
            Detail::Calls
        } else if modules.iter().any(|info| info.module.is_operations()) {
            Detail::Operations
        } else {
            Detail::Counters
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> Job {
        let start = WallTime { seconds: 1_700_000_000, nanos: 5 };
        let end = WallTime { seconds: 1_700_000_009, nanos: 7 };
        Job { id: 7, uid: 1000, exe: "/bin/app in.nml".to_string(), nprocs: 4, start, end, ..Job::default() }
    }

    fn identity(job: &Job, totals: &Totals) -> Option<String> {
        Run::of(job).map(|run| run.identity(totals))
    }

    #[test]
    fn only_what_tells_runs_apart_counts() {
        let (known, totals) =
            (identity(&job(), &Totals::default()), Totals { reads: 3, ..Totals::default() });
        assert_eq!(identity(&Job { exe: "app other.nml".to_string(), ..job() }, &totals), known);
        let start = WallTime { seconds: 1_700_000_000, nanos: 6 };
        let others = [
            Job { id: 8, ..job() },
            Job { uid: 1, ..job() },
            Job { exe: "/bin/app2".to_string(), ..job() },
            Job { nprocs: 5, ..job() },
            Job { start, ..job() },
            Job { end: start, ..job() },
        ];
        for other in others {
            assert_ne!(identity(&other, &totals), known, "{other:?}");
        }
    }

    #[test]
    fn in_whole_seconds_totals_decide() {
        let job = Job { start: WallTime { seconds: 1_700_000_000, nanos: 0 }, ..job() };
        let one = Totals { read_s: 1.5, ..Totals::default() };
        assert_eq!(identity(&job, &one), identity(&job, &Totals { read_s: 1.5 + 1e-9, ..one }));
        assert_ne!(identity(&job, &one), identity(&job, &Totals { read_s: 1.6, ..one }));
        assert_ne!(identity(&job, &one), identity(&job, &Totals { written_bytes: 1, ..one }));
    }

    #[test]
    fn a_log_that_does_not_say_belongs_to_no_run() {
        assert_eq!(Run::of(&Job { exe: String::new(), ..job() }), None);
        assert_eq!(Run::of(&Job { start: WallTime::default(), ..job() }), None);
    }
}

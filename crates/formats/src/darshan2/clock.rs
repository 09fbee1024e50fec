//! Finds the origin of the timestamps in records.
//!
//! Timestamps are what `MPI_Wtime` returned. Since 2.03 the writer makes them relative to the start
//! of the job. Before, they count from 1970 (Linux), from the start of the job (Blue Gene/P) or
//! from the boot of the partition (Blue Gene/Q), and the log does not say which.

use marigraph_model::{Job, Measure, Problem, ProblemKind};

use super::version::Version;

/// A start before 1973 means that the machine's clock was not set.
const CLOCK_IS_SET: f64 = 1e8;
/// Clocks of nodes differ by less than a day; counters since boot differ from the calendar by
/// years.
const SKEW: f64 = 86_400.0;

/// Converts stored timestamps to seconds since the start of the job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    /// Start of the job in seconds since 1970, if the clock was set.
    start: Option<f64>,
    /// Subtracted from timestamps that are not dates.
    shift: f64,
}

impl Clock {
    pub fn find(
        stamps: impl Iterator<Item = f64>,
        job: &Job,
        origin: Version,
        problems: &mut Vec<Problem>,
    ) -> Clock {
        let start = job.start.seconds as f64;
        let mut clock = Clock { start: (start >= CLOCK_IS_SET).then_some(start), shift: 0.0 };
        if clock.start.is_none() {
            let message = "the machine's clock was not set: the dates of this job are meaningless";
            problems.push(Problem::new(ProblemKind::KnownDefect, message).at("job"));
        }
        if origin < Version(2, 3) {
            let counted = stamps.filter(|&stamp| stamp > 0.0 && stamp.is_finite() && !clock.is_date(stamp));
            clock.shift = shift(counted, job.runtime_s());
        }
        if clock.shift > 0.0 {
            let message = format!(
                "times of operations have an unknown origin: they are moved by {:.3} s, the least shift that places them within the job",
                clock.shift
            );
            problems.push(Problem::new(ProblemKind::KnownDefect, message).at("timestamps"));
        }
        clock
    }

    /// Seconds since the start of the job. 0 means "never" and stays.
    ///
    /// Dates also occur in later versions: the writer leaves those of ranks whose clocks are behind
    /// that of rank 0 as they are.
    pub fn relative(&self, stamp: Measure) -> Measure {
        match (stamp.get(), self.start) {
            (Some(value), Some(start)) if self.is_date(value) => Measure::new(value - start),
            (Some(value), _) if value > 0.0 => Measure::new((value - self.shift).max(f64::MIN_POSITIVE)),
            _ => stamp,
        }
    }

    fn is_date(&self, stamp: f64) -> bool {
        self.start.is_some_and(|start| stamp >= start - SKEW)
    }
}

/// Timestamps within the job are kept. Those beyond its end count from an earlier origin; the
/// smallest possible shift is a better guess than the first operation, which may be late.
fn shift(stamps: impl Iterator<Item = f64>, runtime: f64) -> f64 {
    let (first, last) =
        stamps.fold((f64::INFINITY, 0.0_f64), |(first, last), stamp| (first.min(stamp), last.max(stamp)));
    if last > runtime { (last - runtime).min(first) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_model::WallTime;

    fn relative(start: i64, seconds: i64, origin: Version, stamps: &[f64]) -> (Vec<f64>, usize) {
        let job = Job {
            start: WallTime { seconds: start, nanos: 0 },
            end: WallTime { seconds: start + seconds, nanos: 999_999_999 },
            ..Job::default()
        };
        let mut problems = Vec::new();
        let clock = Clock::find(stamps.iter().copied(), &job, origin, &mut problems);
        let value = |&stamp: &f64| clock.relative(Measure::new(stamp)).get().unwrap_or(f64::NAN);
        (stamps.iter().map(value).collect(), problems.len())
    }

    #[test]
    fn every_origin_of_time_is_told_from_the_others() {
        let old = Version(2, 2);
        let dates = relative(1_300_000_000, 5, old, &[1_300_000_001.5, 1_300_000_004.0, 0.0]);
        assert_eq!(dates, (vec![1.5, 4.0, 0.0], 0));
        assert_eq!(relative(1_300_000_000, 5, old, &[0.5, 4.0]), (vec![0.5, 4.0], 0));
        assert_eq!(relative(74, 5, old, &[0.5, 4.0]), (vec![0.5, 4.0], 1));
        let (since_boot, problems) = relative(1_300_000_000, 9, old, &[14.5, 0.0, 20.0]);
        assert_eq!(problems, 1);
        assert!((since_boot[0] - 4.5).abs() < 1e-6 && since_boot[1] == 0.0, "{since_boot:?}");
        assert!((since_boot[2] - 10.0).abs() < 1e-6);
    }

    #[test]
    fn no_moment_is_moved_before_the_start() {
        let (times, _) = relative(1_300_000_000, 1, Version(2, 0), &[50.0, 90.0]);
        assert!(times[0] > 0.0 && times[0] < 1e-9, "0 would mean never: {times:?}");
        assert_eq!(times[1], 40.0);
    }

    #[test]
    fn later_logs_are_relative_but_for_dates_left_over() {
        let times = relative(1_400_000_000, 5, Version(2, 5), &[1_399_999_999.5, 100.0]);
        assert_eq!(times, (vec![-0.5, 100.0], 0));
    }
}

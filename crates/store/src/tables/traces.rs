//! The table of `categorize --into`: not part of a study, but declared and read in the same way.

use marigraph_analysis::for_labels;

use super::table;

/// Declares the columns of a log, and one per label.
macro_rules! with_labels {
    ($($name:ident $word:ident $meaning:literal;)*) => {
        table! {
            traces as TRACES, TraceRow<'a> = "One row per log of a corpus, in order of names. A label's column has its confidence from 0 to 1, and null if the log does not have the label.";
            input: &'a str = "Where the log was read from.",
            status: &'a str = "`valid`, `same_run` if another log of its run counts, or the reason why it has no labels.",
            problem: Option<&'a str> = "The problem in words.",
            job_id: Option<i64> = "The scheduler's job id, or a process id if there is none.",
            uid: Option<i64> = "Numeric user id.",
            exe: Option<&'a str> = "The program: the first word of the command line.",
            nprocs: Option<u64> = "Processes.",
            start_s: Option<f64> = "When it started, in seconds since 1970.",
            runtime_s: Option<f64> = "Seconds from start to end.",
            incomplete: Option<bool> = "1 if the log is marked as incomplete, else 0.",
            heaviest: Option<bool> = "1 for the run that represents its user and program, else 0.",
            runs: Option<u64> = "Valid runs of the same user and program.",
            labels: Option<&'a str> = "All labels, separated by commas.",
            read_evidence: Option<&'a str> = "Evidence for its reads: dxt, trace, heatmap or records.",
            read_bytes: Option<u64> = "Bytes it reads.",
            read_quarter_1: Option<f64> = "Of these, in the first quarter of the run.",
            read_quarter_2: Option<f64> = "In the second quarter.",
            read_quarter_3: Option<f64> = "In the third quarter.",
            read_quarter_4: Option<f64> = "In the last quarter.",
            read_variation: Option<f64> = "Coefficient of variation of the four quarters.",
            read_mean_time: Option<f64> = "Mean time at which it read a byte, as a share of the run.",
            read_quartile_1: Option<f64> = "Share of the run after which a quarter of the bytes was moved.",
            read_quartile_2: Option<f64> = "The same for half of the bytes.",
            read_quartile_3: Option<f64> = "The same for three quarters.",
            read_periodic_evidence: Option<&'a str> = "Evidence for the period.",
            read_period_s: Option<f64> = "Period of the activity that moves the most bytes; null without one.",
            read_period_count: Option<u64> = "Number of repetitions of that activity.",
            read_period_bytes: Option<f64> = "Bytes per repetition.",
            read_period_busy: Option<f64> = "Share of the period in which it is busy.",
            read_activities: Option<&'a str> = "Every periodic activity, as a JSON list with period_s, count, bytes and busy.",
            write_evidence: Option<&'a str> = "Evidence for its writes: dxt, trace, heatmap or records.",
            write_bytes: Option<u64> = "Bytes it writes.",
            write_quarter_1: Option<f64> = "Of these, in the first quarter of the run.",
            write_quarter_2: Option<f64> = "In the second quarter.",
            write_quarter_3: Option<f64> = "In the third quarter.",
            write_quarter_4: Option<f64> = "In the last quarter.",
            write_variation: Option<f64> = "Coefficient of variation of the four quarters.",
            write_mean_time: Option<f64> = "Mean time at which it wrote a byte, as a share of the run.",
            write_quartile_1: Option<f64> = "Share of the run after which a quarter of the bytes was moved.",
            write_quartile_2: Option<f64> = "The same for half of the bytes.",
            write_quartile_3: Option<f64> = "The same for three quarters.",
            write_periodic_evidence: Option<&'a str> = "Evidence for the period.",
            write_period_s: Option<f64> = "Period of the activity that moves the most bytes; null without one.",
            write_period_count: Option<u64> = "Number of repetitions of that activity.",
            write_period_bytes: Option<f64> = "Bytes per repetition.",
            write_period_busy: Option<f64> = "Share of the period in which it is busy.",
            write_activities: Option<&'a str> = "Every periodic activity, as a JSON list with period_s, count, bytes and busy.",
            metadata_requests: Option<u64> = "Opens, closes and seeks.",
            metadata_peak_per_s: Option<f64> = "Largest number in one second.",
            metadata_mean_per_s: Option<f64> = "Their mean over the run.",
            metadata_spikes: Option<u64> = "Seconds that are spikes.",
            metadata_plateaus: Option<u64> = "Runs of such seconds.",
            metadata_known: Option<bool> = "0 if the log has no opens and closes, else 1.",
            run_key: Option<&'a str> = "Identity of the run, the same in every log of it; null if the log does not say when it started or of which program.",
            detail: Option<u64> = "What the log has: 2 every call, 1 reads and writes one by one, 0 counters.",
            $($word: Option<f64> = $meaning,)*
        }
    };
}

for_labels!(with_labels);

//! The table of `categorize --into`: not of a study, but declared and read in the same way.

use marigraph_analysis::for_labels;

use super::table;

/// The columns of a log, and one per label.
macro_rules! with_labels {
    ($($name:ident $word:ident $meaning:literal;)*) => {
        table! {
            traces as TRACES, TraceRow<'a> = "One row per log of a corpus, in the order of their names. A label that a log has is a confidence from 0 to 1 in the label's column, and null where it has not.";
            input: &'a str = "Where the log was read from.",
            status: &'a str = "`valid`, or the reason for which it has no labels.",
            problem: Option<&'a str> = "What is wrong with it, in words.",
            job_id: Option<i64> = "The scheduler's id of the job, or a process id where there is none.",
            uid: Option<i64> = "Numeric user id.",
            exe: Option<&'a str> = "The program: the first word of the command line.",
            nprocs: Option<u64> = "Processes.",
            start_s: Option<f64> = "When it started, in seconds since 1970.",
            runtime_s: Option<f64> = "Seconds from start to end.",
            incomplete: Option<bool> = "1 if the log says that it does not hold everything, else 0.",
            heaviest: Option<bool> = "1 for the run that stands for all of its user and program, else 0.",
            runs: Option<u64> = "Valid runs of the same user and program.",
            labels: Option<&'a str> = "All labels, separated by commas.",
            read_evidence: Option<&'a str> = "What tells when it reads: dxt, trace, heatmap or records.",
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
            read_periodic_evidence: Option<&'a str> = "What tells the period.",
            read_period_s: Option<f64> = "Period of the activity that moves most bytes, where there is one.",
            read_period_count: Option<u64> = "How often that activity comes.",
            read_period_bytes: Option<f64> = "Bytes each time.",
            read_period_busy: Option<f64> = "Share of the period that it takes.",
            read_activities: Option<&'a str> = "Every periodic activity, as a JSON list with period_s, count, bytes and busy.",
            write_evidence: Option<&'a str> = "What tells when it writes: dxt, trace, heatmap or records.",
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
            write_periodic_evidence: Option<&'a str> = "What tells the period.",
            write_period_s: Option<f64> = "Period of the activity that moves most bytes, where there is one.",
            write_period_count: Option<u64> = "How often that activity comes.",
            write_period_bytes: Option<f64> = "Bytes each time.",
            write_period_busy: Option<f64> = "Share of the period that it takes.",
            write_activities: Option<&'a str> = "Every periodic activity, as a JSON list with period_s, count, bytes and busy.",
            metadata_requests: Option<u64> = "Opens, closes and seeks.",
            metadata_peak_per_s: Option<f64> = "The most of them in one second.",
            metadata_mean_per_s: Option<f64> = "Their mean over the run.",
            metadata_spikes: Option<u64> = "Seconds with as many as make a spike.",
            metadata_plateaus: Option<u64> = "Stretches of such seconds.",
            metadata_known: Option<bool> = "0 if the log does not tell of opens and closes, else 1.",
            $($word: Option<f64> = $meaning,)*
        }
    };
}

for_labels!(with_labels);

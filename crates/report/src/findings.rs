//! Findings in words: the result behind `report --json` and the advice on the page.

use marigraph_analysis::advice::{Finding, Severity, What};
use serde_json::{Value, json};

use crate::units::{bytes, count, percent, seconds};

/// A finding, worded.
#[derive(Debug, Clone, PartialEq)]
pub struct Worded {
    /// Stable name for programs.
    pub code: &'static str,
    /// `high`, `medium` or `low`.
    pub severity: &'static str,
    /// One line.
    pub title: String,
    /// The figures behind it.
    pub evidence: String,
    /// What to do.
    pub advice: &'static str,
    /// Seconds per process that it could account for at most.
    pub seconds_at_stake: f64,
}

/// Puts a finding into words.
pub fn word(finding: &Finding) -> Worded {
    let (code, title, evidence, advice) = words(&finding.what);
    Worded {
        code,
        severity: severity(finding.severity),
        title,
        evidence,
        advice,
        seconds_at_stake: finding.seconds_at_stake,
    }
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::High => "high",
        Severity::Medium => "medium",
        Severity::Low => "low",
    }
}

fn words(what: &What) -> (&'static str, String, String, &'static str) {
    match what {
        What::SmallWrites(module, share, calls) => (
            "small_writes",
            "Many small writes".to_string(),
            format!(
                "{} of {} {} writes are of 100 KiB or less.",
                percent(*share),
                count(*calls),
                module.name()
            ),
            "Write larger blocks: buffer in the program, use collective MPI-IO, or set larger HDF5 chunks.",
        ),
        What::SmallReads(module, share, calls) => (
            "small_reads",
            "Many small reads".to_string(),
            format!(
                "{} of {} {} reads are of 100 KiB or less.",
                percent(*share),
                count(*calls),
                module.name()
            ),
            "Read larger blocks: read ahead in the program, use collective MPI-IO, or pack samples into larger files.",
        ),
        What::RandomWrites(share) => (
            "random_writes",
            "Writes jump about".to_string(),
            format!("{} of POSIX writes do not follow the one before.", percent(*share)),
            "Sort requests by offset, or let collective MPI-IO do it.",
        ),
        What::RandomReads(share) => (
            "random_reads",
            "Reads jump about".to_string(),
            format!("{} of POSIX reads do not follow the one before.", percent(*share)),
            "Read in file order, or copy the data to node-local storage first.",
        ),
        What::Unaligned(share) => (
            "unaligned",
            "Accesses straddle file system blocks".to_string(),
            format!("{} of POSIX accesses are not aligned to the file system's block size.", percent(*share)),
            "Align offsets and sizes to the block or stripe size (H5Pset_alignment in HDF5).",
        ),
        What::MetadataHeavy(share, calls) => (
            "metadata_heavy",
            "Metadata calls take much of the I/O time".to_string(),
            format!("{} of the I/O time is in {} metadata calls.", percent(*share), count(*calls)),
            "Open files once and keep them open; avoid stat in loops; let one rank look and tell the others.",
        ),
        What::NoCollectives(share) => (
            "no_collectives",
            "MPI-IO is used one process at a time".to_string(),
            format!("{} of MPI-IO reads and writes are independent.", percent(*share)),
            "Use the collective calls (MPI_File_write_all and the like), which join requests across processes.",
        ),
        What::RankImbalance(lost) => (
            "rank_imbalance",
            "Ranks wait for the slowest one on shared files".to_string(),
            format!("On shared files the slowest rank takes {} longer than the mean.", seconds(*lost)),
            "Spread the data evenly; look at the map of ranks for the slow ones and the nodes they run on.",
        ),
        What::StdioHeavy(share, moved) => (
            "stdio_heavy",
            "Streams carry much of the data".to_string(),
            format!("{} ({} of all bytes) pass through stdio.", bytes(*moved as f64), percent(*share)),
            "Use read and write (or MPI-IO) with large buffers for bulk data; keep fprintf for logs.",
        ),
        What::ManySmallFiles(files, mean) => (
            "many_small_files",
            "Many small files".to_string(),
            format!("{} files of {} on average.", count(*files), bytes(*mean as f64)),
            "Pack them into few large files (HDF5, tar, a database), or keep them on node-local storage.",
        ),
        What::RepeatedOpens(per_file) => (
            "repeated_opens",
            "Files are opened over and over".to_string(),
            format!("Each file is opened {per_file:.0} times by each process that uses it."),
            "Open a file once and keep it open while it is in use.",
        ),
        What::RepeatedReads(times) => (
            "repeated_reads",
            "The same bytes are read again and again".to_string(),
            format!("Files are read {times:.1} times over by each process."),
            "Keep the data in memory, or copy them to node-local storage before the loop.",
        ),
        What::SingleStripe(files, moved) => (
            "single_stripe",
            "Large shared files lie on one storage target".to_string(),
            format!("{} files, {} moved, stripe count 1.", count(*files), bytes(*moved as f64)),
            "Stripe them over more targets before they are created: lfs setstripe -c 8 DIRECTORY.",
        ),
    }
}

/// Findings as JSON.
pub fn json(findings: &[Worded]) -> Value {
    findings
        .iter()
        .map(|finding| {
            json!({
                "code": finding.code,
                "severity": finding.severity,
                "title": finding.title,
                "evidence": finding.evidence,
                "advice": finding.advice,
                "seconds_at_stake": crate::units::tidy(finding.seconds_at_stake),
            })
        })
        .collect()
}

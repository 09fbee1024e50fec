//! Results of a replay or of its dry run, behind `replay`.

use marigraph_model::Problem;
use serde_json::{Value, json};

use crate::show::problems_json;
use crate::units;

/// A performed replay.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    pub ranks: u64,
    /// From the start to the return of the last call.
    pub seconds: f64,
    /// The same in the trace.
    pub original_seconds: f64,
    /// How late calls began, in seconds: maximum, 99th percentile, and maximum over last calls.
    /// `None` if times were not kept.
    pub drift: Option<[f64; 3]>,
    /// Bytes.
    pub read: u64,
    /// Bytes.
    pub written: u64,
    pub calls: u64,
    /// Calls that could not be performed.
    pub left_out: u64,
    /// Calls that failed in the trace and were not tried, because they could work now.
    pub not_tried: u64,
    /// Calls whose return value differs from the trace.
    pub mismatches: u64,
    /// Files and folders.
    pub counts: (u64, u64),
    /// Of the trace.
    pub problems: Vec<Problem>,
}

impl Replayed {
    pub fn json(&self) -> Value {
        let drift = self.drift.map(|[max, p99, end]| json!({ "max": max, "p99": p99, "end": end }));
        json!({
            "ranks": self.ranks,
            "seconds": self.seconds,
            "original_seconds": self.original_seconds,
            "drift_s": drift,
            "bytes": self.read.saturating_add(self.written),
            "read_bytes": self.read,
            "written_bytes": self.written,
            "calls": self.calls,
            "left_out": self.left_out,
            "not_tried": self.not_tried,
            "mismatches": self.mismatches,
            "files": self.counts.0,
            "folders": self.counts.1,
            "problems": problems_json(&self.problems),
        })
    }

    pub fn text(&self) -> String {
        let mut text = moved(self.ranks, self.calls, self.read, self.written);
        text += &format!("time      {:.3} s; {:.3} s in the trace\n", self.seconds, self.original_seconds);
        if let Some([max, p99, end]) = self.drift {
            let us = |seconds: f64| format!("{:.0} us", seconds * 1e6);
            text += &format!("lateness  at most {}, 99 % {}, at the end {}\n", us(max), us(p99), us(end));
        }
        if self.left_out > 0 {
            text += &format!("left out  {} calls that cannot be performed\n", self.left_out);
        }
        if self.not_tried > 0 {
            text +=
                &format!("not tried {} calls that failed in the trace and could work now\n", self.not_tried);
        }
        match self.mismatches {
            0 if self.left_out > 0 => text + "every other call returned the same as in the trace\n",
            0 => text + "every call returned the same as in the trace\n",
            count => text + &format!("mismatch  {count} calls returned something else than in the trace\n"),
        }
    }
}

/// A dry run.
#[derive(Debug, Clone, PartialEq)]
pub struct DryRun {
    pub ranks: u64,
    /// Calls of POSIX and STDIO.
    pub calls: u64,
    /// Bytes.
    pub read: u64,
    /// Bytes.
    pub written: u64,
    /// Files and folders; `None` if the trace has too many calls to examine.
    pub counts: Option<(u64, u64)>,
    /// Length of the trace, if it was examined.
    pub seconds: Option<f64>,
    /// Of the trace.
    pub problems: Vec<Problem>,
}

impl DryRun {
    pub fn json(&self) -> Value {
        json!({
            "dry_run": true,
            "ranks": self.ranks,
            "calls": self.calls,
            "bytes": self.read.saturating_add(self.written),
            "read_bytes": self.read,
            "written_bytes": self.written,
            "files": self.counts.map(|counts| counts.0),
            "folders": self.counts.map(|counts| counts.1),
            "original_seconds": self.seconds,
            "problems": problems_json(&self.problems),
        })
    }

    pub fn text(&self) -> String {
        let mut text = moved(self.ranks, self.calls, self.read, self.written);
        if let Some((files, folders)) = self.counts {
            text += &format!("files     {files}, in {folders} folders\n");
        }
        if let Some(seconds) = self.seconds {
            text += &format!("time      {seconds:.3} s in the trace\n");
        }
        text
    }
}

fn moved(ranks: u64, calls: u64, read: u64, written: u64) -> String {
    let (read, written) = (units::bytes(read as f64), units::bytes(written as f64));
    format!("ranks     {ranks}\ncalls     {calls}\nread      {read}\nwritten   {written}\n")
}

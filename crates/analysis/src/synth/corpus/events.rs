//! Events of a synthetic job; both its log and its truth are derived from them.

use marigraph_model::Scope;

/// One access of a rank to a file, in one or more calls of equal size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    pub write: bool,
    pub rank: u32,
    /// Since the start of the run.
    pub start_s: f64,
    pub end_s: f64,
    pub bytes: u64,
    pub calls: u64,
}

/// A number of calls spread evenly over an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calls {
    /// Since the start of the run.
    pub from_s: f64,
    pub to_s: f64,
    pub count: u64,
}

/// A file opened and closed together by some ranks, with as many closes as opens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Session {
    pub open: Calls,
    pub close: Calls,
}

/// A file and everything done to it.
#[derive(Debug, Clone, PartialEq)]
pub struct FileUse {
    pub name: String,
    pub activity: usize,
    pub scope: Scope,
    /// Uses stdio streams instead of descriptors.
    pub stream: bool,
    pub collective: bool,
    /// In order of time for each rank.
    pub touches: Vec<Touch>,
    /// In order of time.
    pub sessions: Vec<Session>,
    pub seeks: u64,
}

/// A job and everything it did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Story {
    pub runtime_s: f64,
    pub nprocs: u64,
    pub files: Vec<FileUse>,
}

impl FileUse {
    /// First and last moment of reading or writing.
    pub fn hull(&self, write: bool) -> Option<(f64, f64)> {
        let of_kind = || self.touches.iter().filter(|touch| touch.write == write);
        let start_s = of_kind().map(|touch| touch.start_s).reduce(f64::min)?;
        Some((start_s, of_kind().map(|touch| touch.end_s).fold(start_s, f64::max)))
    }

    /// Bytes and calls of reading or writing.
    pub fn volume(&self, write: bool) -> (u64, u64) {
        let of_kind = self.touches.iter().filter(|touch| touch.write == write);
        of_kind.fold((0, 0), |(bytes, calls), touch| (bytes + touch.bytes, calls + touch.calls))
    }
}

//! The events of a synthetic job: logs and truth are both made from this list.

use marigraph_model::Scope;

/// What one rank did to a file at one time, in one call or in several of equal size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// Whether it wrote; otherwise it read.
    pub write: bool,
    /// Which process.
    pub rank: u32,
    /// Seconds from the start of the run.
    pub start_s: f64,
    /// Seconds from the start of the run.
    pub end_s: f64,
    /// Bytes moved.
    pub bytes: u64,
    /// Calls that moved them.
    pub calls: u64,
}

/// A number of calls spread evenly over a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calls {
    /// Seconds from the start of the run.
    pub from_s: f64,
    /// Seconds from the start of the run.
    pub to_s: f64,
    /// How many.
    pub count: u64,
}

/// A file, opened and closed together by some ranks: as many closes as opens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Session {
    /// The opens.
    pub open: Calls,
    /// The closes.
    pub close: Calls,
}

/// A file and all that was done to it.
#[derive(Debug, Clone, PartialEq)]
pub struct FileUse {
    /// Its path.
    pub name: String,
    /// What of the job's doings it belongs to.
    pub activity: usize,
    /// Whose record it has in a log.
    pub scope: Scope,
    /// Whether it is used through streams instead of descriptors.
    pub stream: bool,
    /// Whether MPI-IO lies above.
    pub collective: bool,
    /// Reads and writes, in order of time for each rank.
    pub touches: Vec<Touch>,
    /// Opens and closes, in order of time.
    pub sessions: Vec<Session>,
    /// Seeks, made while the file is read or written.
    pub seeks: u64,
}

/// A job and all that it did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Story {
    /// Seconds from start to end.
    pub runtime_s: f64,
    /// Processes.
    pub nprocs: u64,
    /// Its files.
    pub files: Vec<FileUse>,
}

impl FileUse {
    /// The first and the last moment of reading or of writing.
    pub fn hull(&self, write: bool) -> Option<(f64, f64)> {
        let of_kind = || self.touches.iter().filter(|touch| touch.write == write);
        let start_s = of_kind().map(|touch| touch.start_s).reduce(f64::min)?;
        Some((start_s, of_kind().map(|touch| touch.end_s).fold(start_s, f64::max)))
    }

    /// Bytes and calls of reading or of writing.
    pub fn volume(&self, write: bool) -> (u64, u64) {
        let of_kind = self.touches.iter().filter(|touch| touch.write == write);
        of_kind.fold((0, 0), |(bytes, calls), touch| (bytes + touch.bytes, calls + touch.calls))
    }
}

//! Every call of a run into a trace. Waits for `formats::native::mari`; until then it says so.

use marigraph_formats::native::parts::Run;
use marigraph_model::Problem;

use super::shelf::Shelf;
use crate::args::TimesArg;
use crate::error::Failure;

/// A trace under construction.
pub struct Tracing;

impl Tracing {
    /// Reads all calls of a run; `done` hears of each process.
    pub fn read(
        _run: &Run,
        _shelf: &Shelf<'_>,
        _times: TimesArg,
        _done: &dyn Fn(),
    ) -> Result<Tracing, Failure> {
        Err(Failure::Usage("this version cannot write traces yet; leave out --trace".to_string()))
    }

    /// The bytes of the trace.
    pub fn finish(self, _run: &Run, _problems: &[Problem]) -> Vec<u8> {
        Vec::new()
    }
}

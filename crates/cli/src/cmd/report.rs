//! `marigraph report`: a page.
use crate::args::ReportArgs;
use crate::error::Failure;
pub fn run(_args: &ReportArgs) -> Result<(), Failure> {
    Ok(())
}

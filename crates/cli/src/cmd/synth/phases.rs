//! Recorded phases for `marigraph synth trace --phases`.

use std::path::{Path, PathBuf};

use marigraph_analysis::period::DirectionFilter;
use marigraph_analysis::period::evidence::{Level, Survey};
use marigraph_analysis::period::is_timed;
use marigraph_analysis::synth::Request;
use marigraph_analysis::timeline::Evidence;
use marigraph_model::{All, Direction, Trace};

use crate::args::ReadArgs;
use crate::error::Failure;
use crate::input;

/// The requests of each log: one phase, as in the study.
pub fn read(logs: &[PathBuf]) -> Result<Vec<Vec<Request>>, Failure> {
    if logs.is_empty() {
        return Ok(Vec::new());
    }
    let found = input::find(logs);
    if let Some(failure) = found.unreadable.into_iter().next() {
        return Err(failure);
    }
    found.paths.iter().map(|path| phase(path)).collect()
}

fn phase(path: &Path) -> Result<Vec<Request>, Failure> {
    input::with_input(path, &ReadArgs::of(path), |input| {
        let reader = input.reader()?;
        let (mut survey, mut trace) = (Survey::default(), Trace::default());
        reader.stream(&is_timed, &mut All(&mut [&mut survey, &mut trace]));
        let best = survey.best(DirectionFilter::Both).filter(|(evidence, ..)| *evidence == Evidence::Trace);
        let Some((_, level, _)) = best else { return Err(untimed(path)) };
        let counts =
            trace.events.iter().filter(|event| Level::of(event.interface) == level && event.bytes > 0);
        let requests: Vec<Request> = counts
            .map(|event| Request {
                rank: event.rank.0,
                start_s: event.start.as_job_seconds(),
                end_s: event.end.as_job_seconds(),
                bytes: event.bytes,
                write: event.direction == Direction::Write,
            })
            .collect();
        if requests.is_empty() { Err(untimed(path)) } else { Ok(requests) }
    })
}

fn untimed(path: &Path) -> Failure {
    Failure::Input {
        path: path.display().to_string(),
        message: "a phase needs single operations with their times".to_string(),
        hint: Some("record it with marigraph record --trace, or with DXT_ENABLE_IO_TRACE=1".to_string()),
    }
}

//! Sources of flushes: a growing file, a pipe, or the network.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use marigraph_system::arrival::Arrival;
use marigraph_system::follow::Follow;
use marigraph_system::listen::Listener;
use marigraph_system::pipe::Pipe;

use crate::args::PredictArgs;
use crate::cmd::endpoint::cannot_listen;
use crate::error::{Failure, complain};

/// A source of flushes.
pub enum Intake {
    File(PathBuf, Follow),
    Pipe(Pipe),
    Port(Listener),
}

impl Intake {
    pub fn open(args: &PredictArgs) -> Result<Intake, Failure> {
        if let Some(address) = &args.listen {
            let listener = Listener::bind(address).map_err(|error| cannot_listen(address, &error))?;
            complain(&format!("note: listening at {}", listener.address()));
            return Ok(Intake::Port(listener));
        }
        let path = args.follow.as_deref().unwrap_or(Path::new("-"));
        let failed = |error: io::Error| Failure::read(path, &error);
        if path == Path::new("-") {
            return Pipe::new(|| Ok(io::stdin())).map(Intake::Pipe).map_err(failed);
        }
        if fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo()) {
            let name = path.to_path_buf();
            return Pipe::new(|| File::open(name)).map(Intake::Pipe).map_err(failed);
        }
        Ok(Intake::File(path.to_path_buf(), Follow::new(path)))
    }

    /// `None` after `limit`.
    pub fn wait(&mut self, limit: Duration) -> Result<Option<Arrival>, Failure> {
        match self {
            Intake::File(path, follow) => follow.wait(limit).map_err(|error| Failure::read(path, &error)),
            Intake::Pipe(pipe) => Ok(pipe.wait(limit)),
            Intake::Port(listener) => Ok(listener.wait(limit)),
        }
    }

    /// Whether nothing can follow: a pipe has one writer, a port has many.
    pub fn is_over_with(&self, arrival: &Arrival) -> bool {
        matches!((self, arrival), (Intake::Pipe(_), Arrival::Closed { .. }))
    }
}

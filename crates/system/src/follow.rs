//! Follows a growing file by polling, since network file systems do not report writes of other
//! machines.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::arrival::{Arrival, Restart};

/// There is only one source.
const SOURCE: u64 = 0;
/// Maximum number of bytes per look; the rest waits for the next.
const PIECE: u64 = 1 << 20;
/// Number of bytes read last that must still be there.
const TAIL: usize = 64;
/// Interval between looks. Where a look is slow because it asks a server, the pause is [`SHARE`]
/// times its cost, at most [`SELDOM`].
const OFTEN: Duration = Duration::from_millis(5);
const SELDOM: Duration = Duration::from_millis(200);
const SHARE: u32 = 200;

/// A followed file. It may not exist yet, and may be truncated, rewritten, replaced and removed.
#[derive(Debug)]
pub struct Follow {
    path: PathBuf,
    file: Option<Opened>,
    cost: Duration,
}

#[derive(Debug)]
struct Opened {
    file: File,
    id: (u64, u64),
    /// Number of bytes read.
    at: u64,
    tail: Vec<u8>,
}

impl Follow {
    /// Starts at the beginning of the file.
    pub fn new(path: &Path) -> Follow {
        Follow { path: path.to_path_buf(), file: None, cost: Duration::ZERO }
    }

    /// Returns the next arrival, or `None` after `limit`.
    pub fn wait(&mut self, limit: Duration) -> io::Result<Option<Arrival>> {
        let begun = Instant::now();
        loop {
            let look = Instant::now();
            let seen = self.look()?;
            self.cost = look.elapsed();
            if seen.is_some() || begun.elapsed() >= limit {
                return Ok(seen);
            }
            let pause = (self.cost * SHARE).clamp(OFTEN, SELDOM);
            std::thread::sleep(pause.min(limit.saturating_sub(begun.elapsed())));
        }
    }

    /// Looks once, without waiting.
    pub fn look(&mut self) -> io::Result<Option<Arrival>> {
        let Some(opened) = &mut self.file else {
            self.file = open(&self.path)?;
            // A file that has just appeared may have content already.
            return self.file.as_mut().map_or(Ok(None), Opened::more);
        };
        // A removed file that its server has forgotten returns errors.
        let new = opened.more().unwrap_or(None);
        if new.is_some() {
            return Ok(new);
        }
        let id = match fs::metadata(&self.path) {
            Ok(found) => identity(&found),
            // Removed: the writer may continue, or another file may come.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if id == opened.id {
            return Ok(None);
        }
        let Some(next) = open(&self.path)? else { return Ok(None) };
        self.file = Some(next);
        Ok(Some(Arrival::Restarted { source: SOURCE, why: Restart::Replaced }))
    }
}

impl Opened {
    fn more(&mut self) -> io::Result<Option<Arrival>> {
        let length = self.file.metadata()?.len();
        if length < self.at {
            return Ok(Some(self.restart(Restart::Truncated)));
        }
        if length == self.at {
            return Ok(None);
        }
        // It may have been truncated and have grown again since the last look.
        let mut before = vec![0; self.tail.len()];
        match self.file.read_exact_at(&mut before, self.at - self.tail.len() as u64) {
            Ok(()) if before == self.tail => {}
            Ok(()) => return Ok(Some(self.restart(Restart::Rewritten))),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Ok(Some(self.restart(Restart::Truncated)));
            }
            Err(error) => return Err(error),
        }
        let mut bytes = vec![0; usize::try_from((length - self.at).min(PIECE)).unwrap_or(TAIL)];
        let read = self.file.read_at(&mut bytes, self.at)?;
        bytes.truncate(read);
        self.at += read as u64;
        self.tail.extend_from_slice(bytes.get(bytes.len().saturating_sub(TAIL)..).unwrap_or(&[]));
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
        Ok((read > 0).then_some(Arrival::Bytes { source: SOURCE, bytes }))
    }

    fn restart(&mut self, why: Restart) -> Arrival {
        self.at = 0;
        self.tail.clear();
        Arrival::Restarted { source: SOURCE, why }
    }
}

fn open(path: &Path) -> io::Result<Option<Opened>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(Some(Opened { id: identity(&metadata), file, at: 0, tail: Vec::new() }))
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

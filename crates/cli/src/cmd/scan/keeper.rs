//! Checkpoints a running scan for --resume, and shows its progress.

use std::cell::Cell;
use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use marigraph_formats::snapshot::{self, Kept};
use marigraph_model::contents::Snapshot;
use marigraph_system::scan::{Pending, Seen, Walk};

use crate::error::Failure;
use crate::output::AtomicFile;

/// The checkpoint file beside the snapshot.
pub struct Keeper {
    path: PathBuf,
    every: Duration,
    last: Cell<Instant>,
}

impl Keeper {
    /// `every` is in seconds.
    pub fn new(output: &Path, every: f64) -> Keeper {
        let mut name = output.file_name().unwrap_or_default().to_os_string();
        name.push(".partial");
        let every = Duration::try_from_secs_f64(every).unwrap_or(Duration::MAX);
        Keeper { path: output.with_file_name(name), every, last: Cell::new(Instant::now()) }
    }

    pub fn found(&self) -> Result<Option<Kept>, Failure> {
        let bytes = match std::fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Failure::read(&self.path, &error)),
        };
        let name = self.path.display().to_string();
        snapshot::read(&bytes).map(Some).map_err(|error| Failure::format(&name, &error))
    }

    /// An anonymous file, for directories that do not fit into memory.
    pub fn spill(&self) -> Result<File, Failure> {
        let path = self.path.with_extension(format!("{}.spill", std::process::id()));
        let failed = |error: std::io::Error| Failure::write(&path.display().to_string(), error);
        let file =
            File::options().read(true).write(true).create(true).truncate(true).open(&path).map_err(failed)?;
        std::fs::remove_file(&path).map_err(failed)?;
        Ok(file)
    }

    pub fn pending(&self, paths: Vec<Vec<u8>>) -> Result<Pending, Failure> {
        let mut pending = Pending::new(Vec::new(), Some(self.spill()?));
        let failed = |error: std::io::Error| Failure::write(&self.path.display().to_string(), error);
        pending.push(paths).map_err(failed)?;
        Ok(pending)
    }

    pub fn is_due(&self) -> bool {
        self.last.get().elapsed() >= self.every
    }

    pub fn keep(&self, snapshot: &Snapshot, walk: &Walk<'_>, tree: usize) -> Result<(), Failure> {
        self.last.set(Instant::now());
        let mut file = AtomicFile::create(&self.path)?;
        let written = walk.look(|contents, pending, taken, trouble| {
            let mut snapshot = Snapshot { contents: contents.clone(), ..snapshot.clone() };
            snapshot.trouble.extend_from_slice(trouble);
            file.write_all(&snapshot::write(&snapshot, Some(tree)))?;
            let mut put = |path: &[u8]| file.write_all(snapshot::pending_line(path).as_bytes());
            taken.iter().try_for_each(|path| put(path))?;
            pending.all(&mut |paths| paths.iter().try_for_each(|path| put(path)))
        });
        written.map_err(|error| Failure::write(&self.path.display().to_string(), error))?;
        file.finish()
    }

    pub fn remove(&self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// A progress line on a terminal. The total is unknown.
pub struct Shown {
    bar: Option<ProgressBar>,
    begun: Instant,
    wanted: bool,
}

impl Shown {
    pub fn new(quiet: bool) -> Shown {
        Shown { bar: None, begun: Instant::now(), wanted: !quiet && std::io::stderr().is_terminal() }
    }

    pub fn show(&mut self, seen: &Seen) {
        if self.wanted && self.bar.is_none() && self.begun.elapsed() > Duration::from_secs(1) {
            let bar = ProgressBar::new_spinner().with_elapsed(self.begun.elapsed());
            let style =
                ProgressStyle::with_template("{spinner} {human_pos} entries, {per_sec}, {msg} in {elapsed}");
            self.bar = Some(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner())));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(seen.entries.load(Relaxed));
            bar.set_message(marigraph_report::units::bytes(seen.bytes.load(Relaxed) as f64));
        }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

//! Outputs: standard output, and files that appear completely or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::Failure;

/// In lower case; it selects the format.
pub fn ending(path: &Path) -> String {
    path.extension().and_then(|ending| ending.to_str()).unwrap_or("").to_ascii_lowercase()
}

/// Writes a file under a temporary name and renames it when complete. A device or pipe is written
/// directly: renaming would replace it with a file.
pub struct AtomicFile {
    path: PathBuf,
    temporary: Option<PathBuf>,
    file: Option<BufWriter<File>>,
}

impl AtomicFile {
    pub fn create(path: &Path) -> Result<AtomicFile, Failure> {
        let failed = |error| Failure::write(&path.display().to_string(), error);
        let buffered = |file| Some(BufWriter::with_capacity(1 << 20, file));
        if fs::metadata(path).is_ok_and(|existing| !existing.is_file()) {
            let file = File::options().write(true).open(path).map_err(failed)?;
            return Ok(AtomicFile { path: path.to_path_buf(), temporary: None, file: buffered(file) });
        }
        // A link stays a link: its target is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let Some(name) = name else {
            return Err(Failure::Usage(format!("{} is not a file name", path.display())));
        };
        let temporary = path.with_file_name(format!(".{name}.{}.partial", std::process::id()));
        let file = File::create(&temporary).map_err(failed)?;
        Ok(AtomicFile { path, temporary: Some(temporary), file: buffered(file) })
    }

    pub fn finish(mut self) -> Result<(), Failure> {
        let done = (|| {
            if let Some(file) = self.file.take() {
                file.into_inner().map_err(io::IntoInnerError::into_error)?;
            }
            self.temporary.as_ref().map_or(Ok(()), |temporary| fs::rename(temporary, &self.path))
        })();
        done.map_err(|error| Failure::write(&self.path.display().to_string(), error))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().map_or(Ok(0), |file| file.write(bytes))
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // After `finish` the temporary file is gone and this does nothing.
        self.temporary.iter().for_each(|temporary| {
            let _ = fs::remove_file(temporary);
        });
    }
}

pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes).map_err(|error| Failure::write(&path.display().to_string(), error))?;
    file.finish()
}

/// Standard output with a buffer for small pieces; large ones bypass it.
pub fn stdout() -> impl Write {
    BufWriter::with_capacity(16 << 10, io::stdout().lock())
}

pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = stdout();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Failure::write("standard output", error))
}

/// Columns of the terminal; unlimited without one, so that nothing is cut in files and pipes.
pub fn width() -> usize {
    use std::io::IsTerminal;
    if !io::stdout().is_terminal() {
        return std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(usize::MAX);
    }
    terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0))
}

//! A file that grows for months: one writer, complete records only, renamed each day.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

/// An open file of complete records.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    /// `None` between a rotation and the next file.
    file: Option<File>,
    /// Bytes of complete records.
    length: u64,
}

impl Log {
    /// Opens or creates a file, exclusively. If another process has it, the error is of kind
    /// [`WouldBlock`](io::ErrorKind::WouldBlock).
    pub fn open(path: &Path) -> io::Result<Log> {
        let mut log = Log { path: path.to_path_buf(), file: None, length: 0 };
        log.reopen()?;
        Ok(log)
    }

    fn reopen(&mut self) -> io::Result<()> {
        let file = OpenOptions::new().read(true).append(true).create(true).open(&self.path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::WouldBlock.into()),
            // Some file systems have no locks (Lustre, unless mounted with them): there users must
            // take care.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        self.length = file.metadata()?.len();
        self.file = Some(file);
        Ok(())
    }

    fn file(&self) -> io::Result<&File> {
        self.file.as_ref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    pub fn length(&self) -> u64 {
        self.length
    }

    pub fn read(&self, from: u64, most: usize) -> io::Result<Vec<u8>> {
        let there = usize::try_from(self.length.saturating_sub(from)).unwrap_or(most);
        let mut bytes = vec![0; there.min(most)];
        self.file()?.read_exact_at(&mut bytes, from)?;
        Ok(bytes)
    }

    pub fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file()?.set_len(length)?;
        self.length = length;
        Ok(())
    }

    /// Makes sure that the file is the one under its name and ends with a complete record. Others
    /// may have moved, removed or truncated it.
    pub fn settle(&mut self) -> io::Result<()> {
        let there = fs::metadata(&self.path).ok().map(|there| (there.dev(), there.ino()));
        let found = self.file.as_ref().map(File::metadata).transpose()?;
        match found {
            Some(found) if there == Some((found.dev(), found.ino())) => {
                self.length = self.length.min(found.len());
                if found.len() > self.length {
                    self.cut(self.length)?;
                }
                Ok(())
            }
            _ => self.reopen(),
        }
    }

    /// Appends a complete record, or nothing.
    pub fn append(&mut self, record: &[u8]) -> io::Result<()> {
        let written = self.file()?.write_all(record);
        if written.is_ok() {
            self.length += record.len() as u64;
        } else if let Some(file) = &self.file {
            // If this fails as well, `settle` cuts before the next record.
            let _ = file.set_len(self.length);
        }
        written
    }

    pub fn sync(&self) -> io::Result<()> {
        self.file()?.sync_data()
    }

    /// Renames the file to `FILE.SUFFIX`, or `FILE.SUFFIX.1` and so on if that exists, and starts
    /// another.
    pub fn rotate(&mut self, suffix: &str) -> io::Result<()> {
        self.sync()?;
        let name = |count: u64| {
            let mut name = self.path.clone().into_os_string();
            name.push(format!(".{suffix}"));
            if count > 0 {
                name.push(format!(".{count}"));
            }
            PathBuf::from(name)
        };
        let mut count = 0;
        while fs::symlink_metadata(name(count)).is_ok() {
            count += 1;
        }
        fs::rename(&self.path, name(count))?;
        self.file = None;
        self.reopen()
    }

    /// The newest rotated file, by its name.
    pub fn newest_past(&self) -> Option<PathBuf> {
        let own = self.path.file_name()?.to_string_lossy().into_owned() + ".";
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let entries = fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?.flatten();
        let day = |path: &PathBuf| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            name.as_deref()
                .and_then(|name| name.strip_prefix(own.as_str()))
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        entries.map(|entry| entry.path()).filter(day).max()
    }
}

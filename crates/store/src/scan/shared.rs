//! A file that several threads read at once.

use std::fs::File;
use std::io::{BufReader, Read};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

/// An open file that is read by position. Clones of a `File` share one offset, so threads that seek
/// in them would read each other's bytes.
#[derive(Clone)]
pub(crate) struct Shared {
    file: Arc<File>,
    len: u64,
}

impl Shared {
    /// The file must not change any more.
    pub fn new(file: File) -> std::io::Result<Shared> {
        let len = file.metadata()?.len();
        Ok(Shared { file: Arc::new(file), len })
    }
}

impl Length for Shared {
    fn len(&self) -> u64 {
        self.len
    }
}

pub(crate) struct Onward {
    file: Arc<File>,
    at: u64,
}

impl Read for Onward {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.file.read_at(into, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl ChunkReader for Shared {
    type T = BufReader<Onward>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(Onward { file: Arc::clone(&self.file), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // No memory is reserved for lengths that a damaged file claims.
        if start.checked_add(length as u64).is_none_or(|end| end > self.len) {
            return Err(ParquetError::EOF("the file ends before its content does".to_string()));
        }
        let mut bytes = vec![0; length];
        self.file.read_exact_at(&mut bytes, start)?;
        Ok(bytes.into())
    }
}

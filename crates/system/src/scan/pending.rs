//! Directories still to read: the newest in memory, older ones in an anonymous file.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Maximum number of directories in memory; beyond it half of them go to the file.
const MOST: usize = 1 << 15;

/// A stack of paths in bounded memory.
#[derive(Debug)]
pub struct Pending {
    newest: Vec<Vec<u8>>,
    /// Pieces of the file: offset and number of paths.
    pieces: Vec<(u64, usize)>,
    file: Option<File>,
    end: u64,
}

impl Pending {
    /// Paths beyond the limit of memory go to `file`.
    pub fn new(paths: Vec<Vec<u8>>, file: Option<File>) -> Pending {
        Pending { newest: paths, pieces: Vec::new(), file, end: 0 }
    }

    pub fn len(&self) -> usize {
        self.newest.len() + self.pieces.iter().map(|piece| piece.1).sum::<usize>()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn push(&mut self, paths: impl IntoIterator<Item = Vec<u8>>) -> io::Result<()> {
        self.newest.extend(paths);
        while self.newest.len() > MOST {
            let Some(file) = &self.file else { return Ok(()) };
            let oldest: Vec<Vec<u8>> = self.newest.drain(..MOST / 2).collect();
            let bytes = packed(&oldest);
            file.write_all_at(&bytes, self.end)?;
            self.pieces.push((self.end, oldest.len()));
            self.end += bytes.len() as u64;
        }
        Ok(())
    }

    /// Takes at most `count` of the newest.
    pub fn take(&mut self, count: usize) -> io::Result<Vec<Vec<u8>>> {
        if self.newest.is_empty()
            && let Some((start, _)) = self.pieces.pop()
        {
            self.newest = self.piece(start, self.end)?;
            self.end = start;
        }
        let from = self.newest.len().saturating_sub(count);
        Ok(self.newest.split_off(from))
    }

    fn piece(&self, start: u64, end: u64) -> io::Result<Vec<Vec<u8>>> {
        let mut bytes = vec![0; usize::try_from(end - start).unwrap_or(0)];
        if let Some(file) = &self.file {
            file.read_exact_at(&mut bytes, start)?;
        }
        Ok(unpacked(&bytes))
    }

    pub fn all(&self, each: &mut dyn FnMut(&[Vec<u8>]) -> io::Result<()>) -> io::Result<()> {
        let ends = self.pieces.iter().skip(1).map(|piece| piece.0).chain([self.end]);
        for (&(start, _), end) in self.pieces.iter().zip(ends) {
            each(&self.piece(start, end)?)?;
        }
        each(&self.newest)
    }
}

/// Serializes paths, each with its length before it.
fn packed(paths: &[Vec<u8>]) -> Vec<u8> {
    paths
        .iter()
        .flat_map(|path| (path.len() as u32).to_le_bytes().into_iter().chain(path.iter().copied()))
        .collect()
}

fn unpacked(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut paths = Vec::new();
    while let Some((len, rest)) = bytes.split_first_chunk::<4>() {
        let (path, rest) = rest.split_at(rest.len().min(u32::from_le_bytes(*len) as usize));
        paths.push(path.to_vec());
        bytes = rest;
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::{MOST, Pending};

    #[test]
    fn nothing_is_lost_beyond_memory() {
        let name = std::env::temp_dir().join(format!("marigraph-pending-{}", std::process::id()));
        let file =
            std::fs::File::options().read(true).write(true).create_new(true).open(&name).expect("file");
        std::fs::remove_file(&name).expect("removed");
        let mut pending = Pending::new(Vec::new(), Some(file));
        let count = 5 * MOST;
        for at in 0..count {
            pending.push([at.to_string().into_bytes()]).expect("pushed");
        }
        assert!(pending.newest.len() <= MOST && pending.len() == count);
        let mut shown = 0;
        pending
            .all(&mut |paths| {
                shown += paths.len();
                Ok(())
            })
            .expect("shown");
        assert_eq!(shown, count);
        let mut seen = vec![false; count];
        loop {
            let taken = pending.take(100).expect("taken");
            if taken.is_empty() {
                break;
            }
            for path in taken {
                let at: usize = String::from_utf8(path).expect("digits").parse().expect("a number");
                assert!(!std::mem::replace(&mut seen[at], true));
            }
        }
        assert!(seen.into_iter().all(|seen| seen) && pending.is_empty());
    }
}

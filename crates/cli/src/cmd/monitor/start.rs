//! Continues an existing monitor file.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use marigraph_formats::server::monitor::{self, Tail};
use marigraph_system::monitor::Log;

use crate::error::{Failure, complain};

/// Bytes at the end that are read first; records are usually far smaller.
const END: u64 = 1 << 20;

/// Opens a monitor file, or a new one, for exclusive appending after its last complete record.
/// Returns the last known sample, too.
pub fn open(path: &Path) -> Result<(Log, Option<Tail>), Failure> {
    let name = || path.display().to_string();
    let mut log = Log::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => Failure::Input {
            path: name(),
            message: "another monitor is writing to this file".to_string(),
            hint: Some("stop it, or choose another file".to_string()),
        },
        _ => Failure::write(&name(), error),
    })?;
    let failed = |error: io::Error| Failure::read(path, &error);
    if log.length() == 0 {
        let tail = log.newest_past().and_then(|past| tail_of_past(&past));
        return Ok((log, tail));
    }
    let begin = log.read(0, END as usize).map_err(failed)?;
    let tail = find(log.length(), |from, most| log.read(from, most)).map_err(failed)?;
    let Some((at, tail)) = tail.filter(|_| monitor::sniff(&begin)) else {
        return Err(Failure::Input {
            path: name(),
            message: "not a monitor file; left unchanged".to_string(),
            hint: Some("choose another name for -o".to_string()),
        });
    };
    let sound = at + tail.sound as u64;
    if sound < log.length() {
        complain(&format!("note: {}: removed a torn record of {} bytes", name(), log.length() - sound));
        log.cut(sound).map_err(|error| Failure::write(&name(), error))?;
    }
    Ok((log, Some(tail)))
}

/// The last valid record, from the end of the file or more of it, with the offset of the first byte
/// read.
fn find(length: u64, read: impl Fn(u64, usize) -> io::Result<Vec<u8>>) -> io::Result<Option<(u64, Tail)>> {
    let mut most = END;
    loop {
        let from = length.saturating_sub(most);
        let bytes = read(from, usize::try_from(length - from).unwrap_or(usize::MAX))?;
        match monitor::tail(&bytes) {
            Some(tail) => return Ok(Some((from, tail))),
            None if from == 0 => return Ok(None),
            None => most = most.saturating_mul(8),
        }
    }
}

fn tail_of_past(path: &Path) -> Option<Tail> {
    let file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    let read = |from: u64, most: usize| {
        let mut bytes = vec![0; most];
        file.read_exact_at(&mut bytes, from).map(|()| bytes)
    };
    find(length, read).ok().flatten().map(|(_, tail)| tail)
}

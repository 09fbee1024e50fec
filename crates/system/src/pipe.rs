//! Bytes that come through a pipe, without waiting for them longer than one wants to.

use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::Duration;

use crate::arrival::Arrival;

/// The number of the one source there is.
const SOURCE: u64 = 0;
/// Pieces that wait to be taken, and the size of one.
const MAX_WAITING: usize = 16;
const PIECE: usize = 64 << 10;

/// A pipe under watch.
#[derive(Debug)]
pub struct Pipe {
    arrivals: Receiver<Arrival>,
}

impl Pipe {
    /// Opens it and reads to the end, on a thread of its own: opening may wait for who writes.
    pub fn new<R: Read>(open: impl FnOnce() -> io::Result<R> + Send + 'static) -> io::Result<Pipe> {
        let (out, arrivals) = mpsc::sync_channel(MAX_WAITING);
        let work = move || {
            let done = open().and_then(|mut reader| pass_on(&mut reader, &out));
            // Both fail only if nobody wants to know.
            let _ = done.or_else(|error| out.send(Arrival::Remark(error.to_string())));
            let _ = out.send(Arrival::Closed { source: SOURCE });
        };
        thread::Builder::new().spawn(work)?;
        Ok(Pipe { arrivals })
    }

    /// What came, if it comes within `limit`.
    pub fn wait(&self, limit: Duration) -> Option<Arrival> {
        self.arrivals.recv_timeout(limit).ok()
    }
}

/// Hands on all that can be read, as long as somebody takes it.
fn pass_on(reader: &mut impl Read, out: &SyncSender<Arrival>) -> io::Result<()> {
    loop {
        let mut bytes = vec![0; PIECE];
        let read = match reader.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        bytes.truncate(read);
        if read == 0 || out.send(Arrival::Bytes { source: SOURCE, bytes }).is_err() {
            return Ok(());
        }
    }
}

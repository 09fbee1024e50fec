//! Bytes that come through a pipe, without waiting for them longer than one wants to.

use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use crate::arrival::Arrival;

/// The number of the one source there is.
const SOURCE: u64 = 0;
/// Pieces that wait to be taken, and the size of one.
const MOST_WAITING: usize = 16;
const PIECE: usize = 64 << 10;

/// A pipe under watch.
#[derive(Debug)]
pub struct Pipe {
    arrivals: Receiver<Arrival>,
}

impl Pipe {
    /// Reads to the end on a thread of its own.
    pub fn new(reader: impl Read + Send + 'static) -> io::Result<Pipe> {
        let (out, arrivals) = mpsc::sync_channel(MOST_WAITING);
        let work = move || {
            let mut reader = reader;
            loop {
                let mut bytes = vec![0; PIECE];
                let arrival = match reader.read(&mut bytes) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Ok(read) if read > 0 => {
                        bytes.truncate(read);
                        Arrival::Bytes { source: SOURCE, bytes }
                    }
                    Ok(_) => Arrival::Closed { source: SOURCE },
                    Err(error) => {
                        let _ = out.send(Arrival::Remark(error.to_string()));
                        Arrival::Closed { source: SOURCE }
                    }
                };
                let over = matches!(arrival, Arrival::Closed { .. });
                if out.send(arrival).is_err() || over {
                    return;
                }
            }
        };
        thread::Builder::new().spawn(work)?;
        Ok(Pipe { arrivals })
    }

    /// What came, if it comes within `limit`.
    pub fn wait(&self, limit: Duration) -> Option<Arrival> {
        self.arrivals.recv_timeout(limit).ok()
    }
}

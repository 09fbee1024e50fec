//! `record --stream`: follows a run through its growing parts.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use marigraph_formats::native::parts::{Follower, News};
use marigraph_system::watch::{New, Watch};

use crate::error::{Failure, complain};

const INTERVAL: Duration = Duration::from_secs(1);
/// Where a look is slow (thousands of parts, a slow file system), the interval is this factor times
/// its cost, at most [`SELDOM`].
const SHARE: u32 = 200;
const SELDOM: Duration = Duration::from_secs(10);

/// A running stream.
pub struct Stream {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl Stream {
    pub fn start(path: &Path, folder: &Path, ignored: &[String]) -> Result<Stream, Failure> {
        let name = path.display().to_string();
        let mut out = File::create(path).map_err(|error| Failure::write(&name, error))?;
        let mut watch = Watch::new(folder, ignored);
        let (stop, stopped) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let mut follower = Follower::default();
            let mut interval = INTERVAL;
            loop {
                let last = stopped.recv_timeout(interval) != Err(RecvTimeoutError::Timeout);
                let begun = Instant::now();
                if let Err(error) = look(&mut watch, &mut follower, &mut out) {
                    complain(&format!("warning: {name}: the stream stops here: {error}"));
                    return;
                }
                if last {
                    return;
                }
                interval = (begun.elapsed() * SHARE).clamp(INTERVAL, SELDOM);
            }
        });
        Ok(Stream { stop, thread })
    }

    pub fn finish(self) {
        // Both fail only if the thread ended before, which reported why.
        let _ = self.stop.send(());
        let _ = self.thread.join();
    }
}

fn look(watch: &mut Watch, follower: &mut Follower, out: &mut File) -> std::io::Result<()> {
    watch.look(&mut |new: New| {
        let New { stem, log, words, tails } = new;
        let used = follower.take(&stem, News { log: &log, words, tails });
        (used.log, used.ended)
    })?;
    // One write per flush, so that readers of the file see whole lines.
    out.write_all(follower.flush().as_bytes())
}

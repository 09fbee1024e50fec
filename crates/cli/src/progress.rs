//! A progress bar for long work, on a terminal only.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Shows the progress of a known amount of work, once it has taken a second.
pub struct Progress {
    bar: Option<ProgressBar>,
    begun: Instant,
    total: u64,
    done: u64,
    wanted: bool,
}

impl Progress {
    pub fn new(total: u64, quiet: bool) -> Progress {
        let wanted = !quiet && std::io::stderr().is_terminal();
        Progress { bar: None, begun: Instant::now(), total, done: 0, wanted }
    }

    pub fn add(&mut self, n: u64) {
        self.done += n;
        if self.wanted && self.bar.is_none() && self.begun.elapsed() > Duration::from_secs(1) {
            let style = "{bar:30} {pos}/{len} logs, {per_sec}, {eta} left";
            let bar = ProgressBar::new(self.total).with_elapsed(self.begun.elapsed());
            self.bar = Some(bar.with_style(
                ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
            ));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

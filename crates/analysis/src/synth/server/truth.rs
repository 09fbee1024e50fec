//! The signature of an application: what the servers see of it alone.

use super::application::{Application, CleanBurst};
use super::law::Storage;
use super::load::Load;
use super::run::{MEAN_OF_HALF_NORMAL, Pace, VARIES, perform};

/// How fast the program of a signature computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tempo {
    /// As fast as it ever does.
    Shortest,
    /// As fast as it does on average without others. Computing only ever takes longer, so where
    /// the last burst is late by more than the bursts are long, no run looks like the fastest.
    Mean,
}

impl Tempo {
    pub const fn name(self) -> &'static str {
        match self {
            Tempo::Shortest => "shortest",
            Tempo::Mean => "mean",
        }
    }

    fn of(application: &Application, jitter: f64) -> Tempo {
        let mut lengths: Vec<usize> = application.bursts.iter().map(|burst| burst.duration_s).collect();
        lengths.sort_unstable();
        let usual = lengths.get(lengths.len() / 2).copied().unwrap_or(0);
        let last = application.bursts.last().map_or(0, |burst| burst.start_s + burst.duration_s);
        let computing = last.saturating_sub(lengths.iter().sum());
        let late = computing as f64 * VARIES * jitter * MEAN_OF_HALF_NORMAL;
        if late > usual as f64 { Tempo::Mean } else { Tempo::Shortest }
    }
}

/// The application as the servers see it alone, and its tempo.
pub(super) fn alone(application: &Application, storage: &Storage, jitter: f64) -> (Application, Tempo) {
    let tempo = Tempo::of(application, jitter);
    let varies = if tempo == Tempo::Mean { jitter } else { 0.0 };
    // The program waits for its cache, so a run may be longer than what it computes and writes.
    let mut load = Load::empty(4 * application.write.len());
    let (end, _) = perform(application, storage, (0, 0), &mut Pace::Mean(varies), &mut load);
    let write = load.written(end);
    let mut read = application.read.clone();
    read.truncate(write.len());
    (Application { bursts: stretches(&write), write, read, ..application.clone() }, tempo)
}

fn stretches(write: &[f64]) -> Vec<CleanBurst> {
    let mut bursts: Vec<CleanBurst> = Vec::new();
    for (at, &bytes) in write.iter().enumerate().filter(|(_, bytes)| **bytes > 0.0) {
        match bursts.last_mut().filter(|burst| burst.start_s + burst.duration_s == at) {
            Some(burst) => {
                burst.duration_s += 1;
                burst.bytes += bytes;
            }
            None => bursts.push(CleanBurst { start_s: at, duration_s: 1, bytes }),
        }
    }
    bursts
}

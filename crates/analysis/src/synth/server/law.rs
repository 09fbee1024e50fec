//! How storage shared with others slows a burst down.

use std::collections::VecDeque;

use super::CAPACITY;
use super::load::Load;
use crate::synth::random::Random;

/// A law of slowing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Law {
    /// Concurrent traffic costs the storage efficiency, even far below its capacity.
    Efficiency,
    /// Whoever asks gets a share of the capacity in proportion to the bytes asked for; below the
    /// capacity nobody waits.
    Share,
    /// Requests are served in order of arrival; a burst is over when its last byte is served.
    Fifo,
    /// A cache takes a burst at once, and writes it to storage slowly while the program computes.
    WriteBack,
}

impl Law {
    pub const ALL: [Law; 4] = [Law::Efficiency, Law::Share, Law::Fifo, Law::WriteBack];

    pub const fn name(self) -> &'static str {
        match self {
            Law::Efficiency => "efficiency",
            Law::Share => "share",
            Law::Fifo => "fifo",
            Law::WriteBack => "write-back",
        }
    }
}

/// Loss of efficiency: slowdown of a burst per share of the capacity that others take.
const SLOWED: f64 = 0.8;
/// Remaining seconds of a burst that count as done, and remaining share of its bytes.
const BARELY: (f64, f64) = (0.05, 1e-6);
/// Highest load by others on the servers that an application uses.
const MOST: f64 = 0.9;

/// The servers that the files of one application are on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Storage {
    pub law: Law,
    pub contention: f64,
    /// Bytes per second of these servers.
    capacity: f64,
    /// Bytes per second from the cache to the servers, without others, and bytes in the cache.
    drain: f64,
    cache: f64,
}

impl Storage {
    /// Servers that are somewhat faster than the application, and caches that are empty before the
    /// next burst if nobody else writes.
    pub fn draw(law: Law, contention: f64, write: &[f64], random: &mut Random) -> Storage {
        let peak = write.iter().fold(1.0, |most: f64, rate| most.max(*rate));
        let room = 1.05 + random.between(0.05, 0.6) / contention.max(0.1);
        let slow = random.between(0.25, 0.6);
        let (mut drain, mut largest) = (slow * peak, 1.0f64);
        for (bytes, length, after) in bursts(write) {
            drain = drain.max(bytes / (length + 0.5 * after));
            largest = largest.max(bytes);
        }
        let cache = random.between(0.8, 2.0) * largest;
        Storage { law, contention, capacity: room * peak, drain, cache }
    }

    /// The loss of efficiency that the first logs had.
    pub fn losing(contention: f64) -> Storage {
        Storage { law: Law::Efficiency, contention, capacity: CAPACITY, drain: 0.0, cache: 0.0 }
    }

    /// Traffic of others on these servers: their part of all traffic, more with more contention.
    fn others(&self, second: usize, load: &Load) -> f64 {
        let part = (self.contention * self.capacity / CAPACITY).min(1.0);
        (load.others(second) * part).min(MOST * self.capacity)
    }
}

/// Bytes and length of each burst, and the seconds to the next.
fn bursts(write: &[f64]) -> Vec<(f64, f64, f64)> {
    let mut all: Vec<(f64, f64, f64)> = Vec::new();
    let mut inside = false;
    for &bytes in write {
        if bytes > 0.0 && !inside {
            all.push((0.0, 0.0, 0.0));
        }
        inside = bytes > 0.0;
        if let Some((sum, length, after)) = all.last_mut() {
            *sum += bytes;
            *if inside { length } else { after } += 1.0;
        }
    }
    all
}

/// The bursts of one run on their way to the servers.
pub(super) struct Writer<'a> {
    storage: &'a Storage,
    load: &'a mut Load,
    /// Bytes in the cache, and the second up to which it was emptied.
    cached: f64,
    emptied: usize,
}

impl<'a> Writer<'a> {
    pub fn new(storage: &'a Storage, begin: usize, load: &'a mut Load) -> Writer<'a> {
        Writer { storage, load, cached: 0.0, emptied: begin }
    }

    /// Writes a burst from a second on and returns the second at which the program continues, and
    /// the part of the last second that the burst did not need. `profile` is the burst alone, second
    /// by second.
    pub fn write(&mut self, profile: &[f64], begin: usize) -> (usize, f64) {
        match self.storage.law {
            Law::Efficiency | Law::Share => self.slowed(profile, begin),
            Law::Fifo => self.queued(profile, begin),
            Law::WriteBack => self.cached(profile, begin),
        }
    }

    /// The second at which the last byte is on the servers: a program waits for it before it ends.
    pub fn finish(&mut self, now: usize) -> usize {
        self.empty(now);
        while self.cached > 0.0 {
            self.empty(self.emptied + 1);
        }
        now.max(self.emptied)
    }

    /// The same bytes take more time.
    fn slowed(&mut self, profile: &[f64], begin: usize) -> (usize, f64) {
        let clean = profile.len() as f64;
        // Completed seconds of the clean burst.
        let (mut done, mut now, mut rest) = (0.0, begin, 0.0);
        while done < clean - BARELY.0 {
            let slowdown = self.slowdown(between(profile, done, done + 1.0), now);
            let next = done + 1.0 / slowdown;
            rest = (1.0 - (clean - done) * slowdown).max(0.0);
            let next = if next > clean - BARELY.0 { clean } else { next };
            self.load.add_write(now, between(profile, done, next));
            (done, now) = (next, now + 1);
        }
        (now, rest)
    }

    fn slowdown(&self, wanted: f64, now: usize) -> f64 {
        match self.storage.law {
            Law::Share => ((wanted + self.storage.others(now, self.load)) / self.storage.capacity).max(1.0),
            _ => 1.0 + self.storage.contention * SLOWED * self.load.others(now) / CAPACITY,
        }
    }

    /// Serves own and others' bytes in order of arrival. Others' bytes stay where the log has them.
    fn queued(&mut self, profile: &[f64], begin: usize) -> (usize, f64) {
        let mut queue: VecDeque<(f64, f64)> = VecDeque::new();
        let total: f64 = profile.iter().sum();
        let (mut left, mut now, mut rest) = (total, begin, 0.0);
        while left > BARELY.1 * total {
            let own = profile.get(now - begin).copied().unwrap_or(0.0);
            queue.push_back((own, self.storage.others(now, self.load)));
            let mut room = self.storage.capacity;
            let mut served = 0.0;
            while let Some((own, others)) = queue.pop_front() {
                let part = (room / (own + others).max(1.0)).min(1.0);
                served += part * own;
                room -= part * (own + others);
                if part < 1.0 {
                    queue.push_front(((1.0 - part) * own, (1.0 - part) * others));
                    break;
                }
            }
            // What arrives in a second is there only at its end.
            rest = if now - begin < profile.len() { 0.0 } else { room / self.storage.capacity };
            self.load.add_write(now, served);
            (left, now) = (left - served, now + 1);
        }
        (now, rest)
    }

    /// Fills the cache; where it is full, the program waits.
    fn cached(&mut self, profile: &[f64], begin: usize) -> (usize, f64) {
        self.empty(begin);
        let clean = profile.len() as f64;
        let (mut done, mut now) = (0.0, begin);
        while done < clean - BARELY.0 {
            let wanted = between(profile, done, done + 1.0);
            let room = (self.storage.cache - self.cached).max(0.0);
            let part = if wanted > 0.0 { (room / wanted).min(1.0) } else { 1.0 };
            let next = if done + part > clean - BARELY.0 { clean } else { done + part };
            self.cached += between(profile, done, next);
            (done, now) = (next, now + 1);
            self.empty(now);
        }
        (now, 0.0)
    }

    /// Moves bytes from the cache to the servers up to a second; others take a part of their time.
    fn empty(&mut self, until: usize) {
        while self.emptied < until {
            let busy = self.storage.others(self.emptied, self.load) / self.storage.capacity;
            let moved = (self.storage.drain * (1.0 - busy)).min(self.cached);
            self.load.add_write(self.emptied, moved);
            self.cached -= moved;
            self.emptied += 1;
        }
    }
}

fn between(profile: &[f64], from: f64, to: f64) -> f64 {
    let share = |at: usize| (to.min(at as f64 + 1.0) - from.max(at as f64)).max(0.0);
    let (first, last) = (from as usize, (to.ceil() as usize).min(profile.len()));
    (first..last).map(|at| profile[at] * share(at)).sum()
}

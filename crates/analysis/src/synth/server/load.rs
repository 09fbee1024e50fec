//! All server traffic, second by second.

use super::{CAPACITY, EPOCH, Line};
use crate::synth::random::Random;

/// Bytes per second, for each second of the log.
pub(super) struct Load {
    write: Vec<f64>,
    read: Vec<f64>,
}

const DAY: f64 = 86_400.0;
const MOST: f64 = 0.85 * CAPACITY;

impl Load {
    /// Traffic other than that of the known applications.
    pub fn new(seconds: usize, noise: f64, random: &mut Random) -> Load {
        let mut load = Load::empty(seconds);
        load.interactive(random);
        let days = seconds as f64 / DAY;
        let count = |per_day: f64| (per_day * days * noise).round() as usize;
        for _ in 0..count(0.8) {
            let (hours, height) = (random.between(1.0, 5.0), random.between(0.15e9, 0.5e9));
            load.block(random.unit(), hours * 3_600.0, height, 0.02, random);
        }
        for _ in 0..count(480.0) {
            let height = random.between_log(0.3e9, 4e9);
            load.block(random.unit(), random.between(1.0, 6.0), height, 0.1, random);
        }
        for _ in 0..count(110.0) {
            let (seconds, height) = (random.between_log(8.0, 120.0), random.between_log(0.2e9, 3e9));
            load.block(random.unit(), seconds, height, 0.1, random);
        }
        for _ in 0..count(4.5) {
            load.periodic(random);
        }
        for _ in 0..count(0.9) {
            let (minutes, height) = (random.between(5.0, 30.0), random.between(2.5e9, 6e9));
            load.block(random.unit(), minutes * 60.0, height, 0.15, random);
        }
        load.write.iter_mut().chain(&mut load.read).for_each(|bytes| *bytes = bytes.min(MOST));
        load
    }

    /// No traffic.
    pub fn empty(seconds: usize) -> Load {
        Load { write: vec![0.0; seconds], read: vec![0.0; seconds] }
    }

    pub fn seconds(&self) -> usize {
        self.write.len()
    }

    /// Bytes written in each second up to one.
    pub fn written(&self, until: usize) -> Vec<f64> {
        self.write.iter().copied().take(until).collect()
    }

    /// Many small users: more by day than by night, in slow and fast waves.
    fn interactive(&mut self, random: &mut Random) {
        let (mut slow, mut quick) = (0.0, 0.0);
        for at in 0..self.write.len() {
            let hour = (at as f64 % DAY) / 3_600.0;
            let day = 1.0 + 0.55 * ((hour - 14.0) / 24.0 * std::f64::consts::TAU).cos();
            slow += -slow / 1_800.0 + random.normal(0.0, 0.5 * (2.0f64 / 1_800.0).sqrt());
            quick += -quick / 15.0 + random.normal(0.0, 0.12 * (2.0f64 / 15.0).sqrt());
            let level = 0.055e9 * day * (slow + quick).exp();
            self.write[at] += level * random.lognormal(0.04);
            self.read[at] += 0.8 * level * random.lognormal(0.04);
        }
    }

    /// Traffic at a constant height; one block in three reads, the others write.
    fn block(&mut self, place: f64, seconds: f64, height: f64, rough: f64, random: &mut Random) {
        let from = (place * self.write.len() as f64) as usize;
        let reads = random.chance(0.33);
        self.raise(from, seconds.max(1.0) as usize, height, (rough, reads), random);
    }

    fn raise(
        &mut self,
        from: usize,
        seconds: usize,
        height: f64,
        (rough, reads): (f64, bool),
        random: &mut Random,
    ) {
        let side = if reads { &mut self.read } else { &mut self.write };
        for bytes in side.iter_mut().skip(from).take(seconds) {
            *bytes += height * (1.0 + rough * random.normal(0.0, 1.0)).max(0.0);
        }
    }

    /// An unknown application: bursts at equal distances for some hours.
    fn periodic(&mut self, random: &mut Random) {
        let (period, long) = (random.between_log(60.0, 900.0), random.between(0.5, 4.0) * 3_600.0);
        let (burst, height) = (random.between(0.04, 0.15) * period, random.between_log(0.4e9, 2.5e9));
        let from = random.unit() * self.write.len() as f64;
        for turn in 0..(long / period) as usize {
            let at = from + period * (turn as f64 + random.normal(0.0, 0.01));
            self.raise(at.max(0.0) as usize, burst.max(1.0) as usize, height, (0.08, false), random);
        }
    }

    /// Bytes moved in a second so far.
    pub fn others(&self, second: usize) -> f64 {
        let side = |side: &[f64]| side.get(second).copied().unwrap_or(0.0);
        side(&self.write) + side(&self.read)
    }

    pub fn add_write(&mut self, second: usize, bytes: f64) {
        if let Some(all) = self.write.get_mut(second) {
            *all += bytes;
        }
    }

    pub fn add_read(&mut self, second: usize, bytes: f64) {
        if let Some(all) = self.read.get_mut(second) {
            *all += bytes;
        }
    }

    /// The log, averaged over intervals of this many seconds.
    pub fn lines(&self, interval: usize) -> Vec<Line> {
        let mean = |values: &[f64]| (values.iter().sum::<f64>() / values.len().max(1) as f64).round();
        let pairs = self.write.chunks_exact(interval).zip(self.read.chunks_exact(interval));
        pairs
            .enumerate()
            .map(|(at, (write, read))| Line {
                time: EPOCH + (at * interval) as f64,
                write: mean(write),
                read: mean(read),
            })
            .collect()
    }
}

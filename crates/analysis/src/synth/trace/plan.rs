//! Durations, counts and volumes of a trace.

use super::TraceKind;
use crate::synth::Random;

/// The parameters of a trace.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TracePlan {
    pub seed: u64,
    pub kind: TraceKind,
    /// Number of bursts where there is no period.
    pub iterations: u32,
    pub ranks: u32,
    pub cpu_s: f64,
    /// Standard deviation of the computing, relative to its mean.
    pub cpu_sigma: f64,
    /// Mean delay of a process in a phase; process 0 is never late.
    pub phi_s: f64,
    /// Mean length of an I/O phase without such delays.
    pub io_s: f64,
    /// Per phase.
    pub rank_bytes: u64,
    pub request_bytes: u64,
    /// Rate of one more process that writes besides the application; 0 for none.
    pub noise_bytes_per_s: f64,
}

impl TracePlan {
    /// The study's plan for plain traces; drawn from the seed for others.
    pub fn new(kind: TraceKind, seed: u64) -> TracePlan {
        let plain = TracePlan {
            seed,
            kind,
            iterations: 20,
            ranks: 32,
            cpu_s: 11.0,
            cpu_sigma: 0.0,
            phi_s: 0.0,
            io_s: 10.4,
            rank_bytes: 3_500_000_000,
            request_bytes: 10_000_000,
            noise_bytes_per_s: 0.0,
        };
        let mut random = Random::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ kind as u64);
        match kind {
            TraceKind::Plain => plain,
            TraceKind::Hacc => {
                let io_s = random.between(2.0, 5.0);
                let (iterations, cpu_s) = (10, 7.7 - io_s);
                let cpu_sigma = random.between(0.02, 0.12);
                TracePlan { iterations, io_s, cpu_s, cpu_sigma, ranks: 48, rank_bytes: 400_000_000, ..plain }
            }
            _ => plain.drawn(&mut random),
        }
    }

    /// Periods of 2 s to 600 s, duty cycles of 0.03 to 0.7, 6 to 60 phases, 4 to 128 ranks.
    fn drawn(self, random: &mut Random) -> TracePlan {
        let period_s = random.between_log(2.0, 600.0);
        let duty = random.between_log(0.03, 0.7);
        let ranks = random.between_log(4.0, 128.9) as u32;
        let fewest = if self.kind == TraceKind::Regimes { 14.0 } else { 6.0 };
        let iterations = random.between_log(fewest, 60.9) as u32;
        let cpu_sigma = match self.kind {
            TraceKind::Jitter => random.between(0.05, 0.3),
            _ => random.between(0.0, 0.03),
        };
        let io_s = period_s * duty;
        let rank_bytes = (random.between_log(1e8, 2e10) * io_s / f64::from(ranks)) as u64;
        // Few requests with many ranks and phases, so that many traces can be made.
        let most = (60_000.0 / f64::from(ranks * iterations)).clamp(1.5, 32.0);
        let request_bytes = (rank_bytes as f64 / random.between_log(1.0, most)) as u64;
        TracePlan {
            iterations,
            ranks,
            cpu_s: period_s - io_s,
            cpu_sigma,
            io_s,
            rank_bytes,
            request_bytes,
            ..self
        }
    }

    /// Estimated number of requests; some kinds have several times as many.
    pub fn requests(&self) -> f64 {
        let count = |bytes: f64| (bytes / self.request_bytes.max(1) as f64).ceil();
        let phases = f64::from(self.ranks) * f64::from(self.iterations);
        let noise_s =
            if self.noise_bytes_per_s > 0.0 { self.period_s() * f64::from(self.iterations) } else { 0.0 };
        phases * count(self.rank_bytes as f64) + noise_s / 2.2 * count(2.2 * self.noise_bytes_per_s)
    }

    /// Without any variation.
    pub(super) fn period_s(&self) -> f64 {
        self.cpu_s + self.io_s
    }

    /// Bytes per second of all ranks during a phase.
    pub(super) fn phase_rate(&self) -> f64 {
        self.rank_bytes as f64 * f64::from(self.ranks) / self.io_s.max(1e-9)
    }
}

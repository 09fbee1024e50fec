//! The cases: the sweeps of the study, and the dirty kinds.

use marigraph_analysis::synth::{Random, TraceKind, TracePlan};

/// One line of the results.
#[derive(Debug, Clone)]
pub struct Case {
    pub name: String,
    /// Departures from the study's plan; dirty kinds draw their own.
    plain: Option<Plain>,
    kind: TraceKind,
    /// Whether the parameters are drawn, from ranges wider than the study's.
    drawn: bool,
}

#[derive(Debug, Clone, Copy)]
struct Plain {
    cpu_s: f64,
    cpu_sigma: f64,
    phi_s: f64,
    noise_bytes_per_s: f64,
}

impl Case {
    pub fn plan(&self, seed: u64) -> TracePlan {
        let plan = TracePlan::new(self.kind, seed);
        if self.drawn {
            return drawn(plan, seed);
        }
        let Some(Plain { cpu_s, cpu_sigma, phi_s, noise_bytes_per_s }) = self.plain else { return plan };
        let request_bytes = request_bytes(seed);
        TracePlan { cpu_s, cpu_sigma, phi_s, noise_bytes_per_s, request_bytes, ..plan }
    }

    pub fn is_plain(&self) -> bool {
        self.plain.is_some()
    }

    pub fn is_periodic(&self) -> bool {
        self.kind.is_periodic()
    }

    pub fn has_regimes(&self) -> bool {
        self.kind == TraceKind::Regimes
    }
}

/// From 1 MB to 100 MB; few seeds have small ones, which make millions of requests.
fn request_bytes(seed: u64) -> u64 {
    match seed % 30 {
        0 => 1_000_000,
        1 | 2 => 3_500_000,
        _ => Random::new(seed).between_log(1e7, 1e8) as u64,
    }
}

/// a: length of computation, with noise. b: processes out of step. c: varying computation.
pub fn study() -> Vec<Case> {
    let base = Plain { cpu_s: 11.0, cpu_sigma: 0.0, phi_s: 0.0, noise_bytes_per_s: 0.0 };
    let case = |name: String, plain| Case { name, plain: Some(plain), kind: TraceKind::Plain, drawn: false };
    let a = [5.5, 11.0, 22.0, 44.0, 88.0].into_iter().flat_map(|cpu_s| {
        [0.0, 0.5e9, 1e9].map(|noise_bytes_per_s| {
            let name = format!("a: cpu {cpu_s} s, noise {} GB/s", noise_bytes_per_s / 1e9);
            case(name, Plain { cpu_s, noise_bytes_per_s, ..base })
        })
    });
    let b = [2.6, 10.4, 41.6].map(|phi_s| case(format!("b: phi {phi_s} s"), Plain { phi_s, ..base }));
    let c = [0.5, 1.0, 2.0]
        .map(|cpu_sigma| case(format!("c: sigma {cpu_sigma} of cpu"), Plain { cpu_sigma, ..base }));
    a.chain(b).chain(c).collect()
}

/// Parameters between and beyond the points of the study, all varied at once.
pub fn wide() -> Case {
    Case { name: "wide".to_string(), plain: None, kind: TraceKind::Plain, drawn: true }
}

fn drawn(plan: TracePlan, seed: u64) -> TracePlan {
    let mut random = Random::new(seed ^ 0x71de_71de);
    let mut sometimes = |share: f64, most: f64| {
        let value = random.between(0.0, most);
        if random.unit() < share { value } else { 0.0 }
    };
    let (cpu_sigma, phi_s, noise_bytes_per_s) =
        (sometimes(0.5, 2.2), sometimes(0.5, 50.0), sometimes(0.4, 2e9));
    TracePlan {
        cpu_sigma,
        phi_s,
        noise_bytes_per_s,
        cpu_s: random.between_log(2.0, 200.0),
        iterations: random.between_log(5.0, 60.0) as u32,
        request_bytes: request_bytes(seed),
        ..plan
    }
}

/// The dirty kinds, those with a period first.
pub fn dirty() -> Vec<Case> {
    TraceKind::dirty()
        .map(|kind| Case { name: kind.name().to_string(), plain: None, kind, drawn: false })
        .collect()
}

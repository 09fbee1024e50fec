//! How well signatures are found, over many seeds of `synth server`.
//!
//!     cargo run --release -p marigraph-analysis --example signatures -- --seeds 10 [--first-seed 11] [--runs 10]
//!         [--noise 1] [--jitter 1] [--contention 1] [--method auto|iosi] [--each]
//!
//! Per application: median, worst and best over seeds of both correlations, the median of the volume, bursts
//! that were missed and invented.

#![allow(clippy::print_stdout, clippy::expect_used)] // a tool for measuring

use marigraph_analysis::signature::score::{Score, Span, score};
use marigraph_analysis::signature::{Sample, auto, iosi};
use marigraph_analysis::synth::server::{Application, EPOCH, Line, Run, ServerPlan, server};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let value =
        |name: &str| arguments.iter().position(|one| one == name).and_then(|at| arguments.get(at + 1));
    let number = |name: &str, usual: f64| value(name).map_or(usual, |value| value.parse().expect("a number"));
    let method = value("--method").map_or("auto", String::as_str);
    let each = arguments.iter().any(|one| one == "--each");
    let mut scores: Vec<Vec<Score>> = vec![Vec::new(); 4];
    let mut names = Vec::new();
    let first = number("--first-seed", 1.0) as u64;
    for seed in first..first + number("--seeds", 10.0) as u64 {
        let plan = ServerPlan {
            seed,
            runs: number("--runs", 10.0) as usize,
            noise: number("--noise", 1.0),
            jitter: number("--jitter", 1.0),
            contention: number("--contention", 1.0),
            ..ServerPlan::default()
        };
        let made = server(&plan);
        names = made.applications.iter().map(|(application, _)| application.key).collect();
        for (at, (application, runs)) in made.applications.iter().enumerate() {
            let side = |side: fn(&Line) -> f64| -> Vec<Sample> {
                runs.iter().map(|run| sample(&made.lines, run, side)).collect()
            };
            let score = judged(application, &side(|line| line.write), &side(|line| line.read), method);
            if each {
                println!("{seed} {} {score:?}", application.key);
            }
            scores[at].push(score);
        }
    }
    println!(
        "{:8} {:>24} {:>24} {:>7} {:>7} {:>9}",
        "", "coefficient", "cross", "volume", "missed", "invented"
    );
    for (name, scores) in names.iter().zip(&scores) {
        let sorted = |value: fn(&Score) -> f64| {
            let mut all: Vec<f64> = scores.iter().map(value).collect();
            all.sort_by(f64::total_cmp);
            all
        };
        let told = |all: Vec<f64>| {
            let middle = (all[(all.len() - 1) / 2] + all[all.len() / 2]) / 2.0;
            format!("{middle:.3} [{:.3}, {:.3}]", all[0], all[all.len() - 1])
        };
        let volumes = sorted(|score| score.volume);
        let missed: usize = scores.iter().map(|score| score.missed).sum();
        let invented: usize = scores.iter().map(|score| score.invented).sum();
        println!(
            "{name:8} {:>24} {:>24} {:>7.3} {missed:>7} {invented:>9}",
            told(sorted(|score| score.coefficient)),
            told(sorted(|score| score.cross)),
            volumes[volumes.len() / 2]
        );
    }
}

fn sample(lines: &[Line], run: &Run, side: fn(&Line) -> f64) -> Sample {
    let at = |time: f64| (((time - EPOCH) / 2.0).floor() as usize).min(lines.len());
    let (from, to) = (at(run.start), at(run.end + 1.0));
    Sample {
        rates: lines[from..to].iter().map(side).collect(),
        interval_s: 2.0,
        offset_s: run.start - lines[from].time,
        duration_s: run.end - run.start,
    }
}

fn judged(application: &Application, samples: &[Sample], beside: &[Sample], method: &str) -> Score {
    let clean = |burst: &marigraph_analysis::synth::server::CleanBurst| Span {
        start_s: burst.start_s as f64,
        end_s: (burst.start_s + burst.duration_s) as f64,
        bytes: burst.bytes,
    };
    let truth: Vec<Span> = application.bursts.iter().map(clean).collect();
    let (rates, bursts) = match method {
        "iosi" => {
            let kept = iosi::kept(samples, 0.0);
            let like: Vec<Sample> = samples
                .iter()
                .zip(kept)
                .filter(|(_, kept)| *kept)
                .map(|(sample, _)| sample.clone())
                .collect();
            let mined = iosi::mine(&like, &iosi::Knobs::default());
            let bursts = bursts_of(&mined.rates);
            (mined.rates, bursts)
        }
        _ => {
            let longest = samples.iter().map(|sample| sample.duration_s).fold(0.0, f64::max);
            let like = |all: &[Sample]| -> Vec<Sample> {
                all.iter().filter(|sample| sample.duration_s > 0.85 * longest).cloned().collect()
            };
            let mined = auto::mine(&like(samples), &like(beside));
            let span =
                |found: &auto::Found| Span { start_s: found.start_s, end_s: found.end_s, bytes: found.bytes };
            let bursts = mined.bursts.iter().map(span).collect();
            (mined.rates, bursts)
        }
    };
    if std::env::args().any(|one| one == "--bursts") {
        for (true_one, found) in truth.iter().chain(std::iter::repeat(&truth[0])).zip(&bursts) {
            println!(
                "  {} true {:.0}+{:.0} found {:.1}+{:.1}, bytes {:.3}",
                application.key,
                true_one.start_s,
                true_one.end_s - true_one.start_s,
                found.start_s,
                found.end_s - found.start_s,
                found.bytes / true_one.bytes
            );
        }
    }
    score((&application.write, &truth), (&rates, &bursts))
}

/// Stretches of traffic.
fn bursts_of(rates: &[f64]) -> Vec<Span> {
    let highest = rates.iter().fold(0.0f64, |most, rate| most.max(*rate));
    let mut bursts: Vec<Span> = Vec::new();
    for (at, &rate) in rates.iter().enumerate().filter(|(_, rate)| **rate > 0.05 * highest) {
        match bursts.last_mut().filter(|burst| burst.end_s + 3.0 > at as f64) {
            Some(burst) => (burst.end_s, burst.bytes) = (at as f64 + 1.0, burst.bytes + rate),
            None => bursts.push(Span { start_s: at as f64, end_s: at as f64 + 1.0, bytes: rate }),
        }
    }
    bursts
}

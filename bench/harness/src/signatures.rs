//! Measures how well signatures are found, over many seeds of `synth server`.
//!
//!     cargo run --release -p marigraph-bench signatures --seeds 10 [--first-seed 11] [--runs 10]
//!         [--noise 1] [--jitter 1] [--contention 1] [--method auto|iosi|dtw] [--alone] [--each] [--bursts]
//!
//! Per application: median, worst and best of both correlations over seeds, the median of the
//! volume, and the numbers of missed and invented bursts.

use marigraph_analysis::signature::score::{Score, Span, score};
use marigraph_analysis::signature::{Group, Joint, Method, Options, Signature, Throughput, groups, sign};
use marigraph_analysis::synth::server::{Application, CleanBurst, EPOCH, Server, ServerPlan, server};

struct Asked {
    arguments: Vec<String>,
}

impl Asked {
    fn has(&self, name: &str) -> bool {
        self.arguments.iter().any(|one| one == name)
    }

    fn value(&self, name: &str) -> Option<&str> {
        let at = self.arguments.iter().position(|one| one == name)?;
        self.arguments.get(at + 1).map(String::as_str)
    }

    fn number(&self, name: &str, usual: f64) -> f64 {
        self.value(name).map_or(usual, |value| value.parse().expect("a number"))
    }

    fn plan(&self, seed: u64) -> ServerPlan {
        ServerPlan {
            seed,
            runs: self.number("--runs", 10.0) as usize,
            noise: self.number("--noise", 1.0),
            jitter: self.number("--jitter", 1.0),
            contention: self.number("--contention", 1.0),
            ..ServerPlan::default()
        }
    }

    fn options(&self) -> Options {
        let method = match self.value("--method") {
            Some("iosi") => Method::Iosi,
            Some("dtw") => Method::Dtw,
            _ => Method::Auto,
        };
        Options { method, ..Options::default() }
    }
}

pub fn run(arguments: Vec<String>) {
    let asked = Asked { arguments };
    let mut scores: Vec<(&str, Vec<Score>)> = Vec::new();
    let first = asked.number("--first-seed", 1.0) as u64;
    for seed in first..first + asked.number("--seeds", 10.0) as u64 {
        let made = server(&asked.plan(seed));
        scores.resize(made.applications.len(), ("", Vec::new()));
        let found = mined(&made, &asked);
        for (at, (application, _)) in made.applications.iter().enumerate() {
            let signature = found.iter().find(|found| found.application.app == application.job);
            let score = judged(application, signature.expect("enough runs"), asked.has("--bursts"));
            if asked.has("--each") {
                println!("{seed} {} {score:?}", application.key);
            }
            scores[at].0 = application.key;
            scores[at].1.push(score);
        }
    }
    println!(
        "{:8} {:>24} {:>24} {:>7} {:>7} {:>9}",
        "", "coefficient", "cross", "volume", "missed", "invented"
    );
    scores.iter().for_each(|(name, scores)| tell(name, scores));
}

fn tell(name: &str, scores: &[Score]) {
    let sorted = |value: fn(&Score) -> f64| {
        let mut all: Vec<f64> = scores.iter().map(value).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let median = |all: &[f64]| (all[(all.len() - 1) / 2] + all[all.len() / 2]) / 2.0;
    let told = |all: Vec<f64>| format!("{:.3} [{:.3}, {:.3}]", median(&all), all[0], all[all.len() - 1]);
    let sum = |value: fn(&Score) -> usize| scores.iter().map(value).sum::<usize>();
    println!(
        "{name:8} {:>24} {:>24} {:>7.3} {:>7} {:>9}",
        told(sorted(|score| score.coefficient)),
        told(sorted(|score| score.cross)),
        median(&sorted(|score| score.volume)),
        sum(|score| score.missed),
        sum(|score| score.invented)
    );
}

fn mined(made: &Server, asked: &Asked) -> Vec<Signature> {
    let options = asked.options();
    let throughput = Throughput {
        start: EPOCH,
        interval_s: 2.0,
        write: made.lines.iter().map(|line| line.write).collect(),
        read: made.lines.iter().map(|line| line.read).collect(),
    };
    let groups: Vec<Group> = groups(&made.jobs).into_iter().filter(|group| group.runs.len() >= 4).collect();
    let mut joint = Joint::new(&throughput);
    let first: Vec<Vec<Signature>> = groups
        .iter()
        .map(|group| sign(group, &|run| joint.samples(run, None), &options).unwrap_or_default())
        .collect();
    let one = |all: Vec<Signature>| all.into_iter().next();
    if options.method != Method::Auto || asked.has("--alone") {
        return first.into_iter().filter_map(one).collect();
    }
    first.iter().flatten().for_each(|signature| joint.add(signature));
    let again = |(group, own): (&Group, &Vec<Signature>)| {
        one(sign(group, &|run| joint.samples(run, own.first()), &options).unwrap_or_default())
    };
    groups.iter().zip(&first).filter_map(again).collect()
}

fn judged(application: &Application, signature: &Signature, shown: bool) -> Score {
    let clean = |burst: &CleanBurst| Span {
        start_s: burst.start_s as f64,
        end_s: (burst.start_s + burst.duration_s) as f64,
        bytes: burst.bytes,
    };
    let truth: Vec<Span> = application.bursts.iter().map(clean).collect();
    let bursts = signature.bursts.iter();
    let bursts: Vec<Span> =
        bursts.map(|burst| Span { start_s: burst.start_s, end_s: burst.end_s, bytes: burst.bytes }).collect();
    for at in (0..truth.len().max(bursts.len())).filter(|_| shown) {
        println!("  {} true {:?} found {:?}", application.key, truth.get(at), bursts.get(at));
    }
    score((&application.write, &truth), (&signature.write, &bursts))
}

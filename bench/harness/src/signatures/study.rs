//! The applications of the IOSI study, one row each.

use marigraph_analysis::signature::score::Score;
use marigraph_analysis::synth::server::{Chosen, Law, server};

use super::asked::Asked;
use super::mined::{judged, mined};

pub fn run(asked: &Asked) {
    let mut scores: Vec<(String, Vec<Score>)> = Vec::new();
    let law = asked.value("--law").and_then(|name| Law::ALL.into_iter().find(|law| law.name() == name));
    let options = asked.options(asked.methods()[0]);
    for seed in asked.seeds() {
        let made = server(&asked.plan(seed, Chosen::Paper, law));
        scores.resize(made.applications.len(), (String::new(), Vec::new()));
        let found = mined(&made, &options, asked.has("--alone"));
        for (at, known) in made.applications.iter().enumerate() {
            let application = &known.application;
            let signature = found.iter().find(|found| found.application.app == application.job);
            let score = judged(application, signature.expect("enough runs"), asked.has("--bursts"));
            if asked.has("--each") {
                println!("{seed} {} {score:?}", application.key);
            }
            scores[at].0.clone_from(&application.key);
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

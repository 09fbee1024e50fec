//! Applications drawn at random: accuracy by kind and law, and whether confidence can be believed.

use marigraph_analysis::quantile;
use marigraph_analysis::signature::Method;
use marigraph_analysis::signature::confidence::{Evidence, RIGHT};
use marigraph_analysis::signature::score::Score;
use marigraph_analysis::synth::server::{Chosen, Kind, Law, server};

use super::asked::{Asked, method_name};
use super::mined::{judged, mined};
use super::reliability;

/// One application of one log.
struct Case {
    kind: Kind,
    law: Law,
    method: Method,
    /// `None` if nothing was found.
    score: Option<Score>,
    confidence: Option<f64>,
}

impl Case {
    fn coefficient(&self) -> f64 {
        self.score.map_or(0.0, |score| score.coefficient)
    }
}

pub fn run(asked: &Asked) {
    let mut cases: Vec<Case> = Vec::new();
    for kind in asked.kinds() {
        for law in asked.laws() {
            asked.seeds().for_each(|seed| cases.extend(judge(asked, kind, law, seed)));
        }
    }
    if asked.has("--evidence") {
        return;
    }
    for method in asked.methods() {
        table(asked, &cases, method);
        reliability::tell(asked, &judgements(&cases, method), method);
    }
}

fn judge(asked: &Asked, kind: Kind, law: Law, seed: u64) -> Vec<Case> {
    let made = server(&asked.plan(seed, Chosen::Only(kind), Some(law)));
    let mut cases = Vec::new();
    for method in asked.methods() {
        let found = mined(&made, &asked.options(method), asked.has("--alone"));
        for known in &made.applications {
            let application = &known.application;
            let signature = found.iter().find(|found| found.application.app == application.job);
            let score = signature.map(|signature| judged(application, signature, asked.has("--bursts")));
            if asked.has("--each") {
                let told = score.map_or_else(|| "nothing found".to_string(), |score| format!("{score:?}"));
                println!("{} {} {} {seed} {told}", method_name(method), law.name(), application.key);
            }
            let confidence = signature.and_then(|signature| signature.confidence);
            if asked.has("--evidence") {
                let evidence = signature.and_then(|signature| signature.evidence);
                tell_evidence((kind, law, seed, method), evidence, score);
            }
            cases.push(Case { kind, law, method, score, confidence });
        }
    }
    cases
}

/// A line of what confidence is fitted to, for `bench/signature_confidence.py`.
fn tell_evidence(
    (kind, law, seed, method): (Kind, Law, u64, Method),
    evidence: Option<Evidence>,
    score: Option<Score>,
) {
    let (Some(evidence), Some(score)) = (evidence, score) else { return };
    let numbers = evidence.numbers().map(|number| number.to_string()).join(" ");
    let (kind, law, coefficient) = (kind.name(), law.name(), score.coefficient);
    println!("{} {kind} {law} {seed} {coefficient} {numbers}", method_name(method));
}

/// Confidence of each signature, and whether it is right.
fn judgements(cases: &[Case], method: Method) -> Vec<(f64, bool)> {
    let own = cases.iter().filter(|case| case.method == method);
    own.filter_map(|case| Some((case.confidence?, case.coefficient() >= RIGHT))).collect()
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    quantile::between(&mut values.collect::<Vec<_>>(), 0.5)
}

fn table(asked: &Asked, cases: &[Case], method: Method) {
    println!(
        "\n{}: median of the correlation coefficient over {} seeds, six applications each",
        method_name(method),
        asked.seeds().count()
    );
    print!("{:10}", "");
    asked.laws().iter().for_each(|law| print!(" {:>10}", law.name()));
    println!(" {:>10} {:>8} {:>7} {:>9}", "all laws", ">= 0.8", "missed", "invented");
    for kind in asked.kinds() {
        print!("{:10}", kind.name());
        let own: Vec<&Case> =
            cases.iter().filter(|case| case.kind == kind && case.method == method).collect();
        for law in asked.laws() {
            let all = own.iter().filter(|case| case.law == law).map(|case| case.coefficient());
            print!(" {:>10.3}", median(all));
        }
        let right = own.iter().filter(|case| case.coefficient() >= RIGHT).count();
        let sum = |value: fn(&Score) -> usize| {
            own.iter().filter_map(|case| case.score.as_ref()).map(value).sum::<usize>()
        };
        println!(
            " {:>10.3} {:>7.0}% {:>7} {:>9}",
            median(own.iter().map(|case| case.coefficient())),
            100.0 * right as f64 / own.len().max(1) as f64,
            sum(|score| score.missed),
            sum(|score| score.invented)
        );
    }
}

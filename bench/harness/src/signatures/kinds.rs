//! Applications drawn at random: accuracy by kind and law, and whether confidence can be believed.

use marigraph_analysis::quantile;
use marigraph_analysis::signature::Method;
use marigraph_analysis::signature::score::Score;
use marigraph_analysis::synth::server::{Chosen, Kind, Law, server};

use super::asked::{Asked, method_name};
use super::mined::{judged, mined};

/// One application of one log.
struct Case {
    kind: Kind,
    law: Law,
    method: Method,
    /// `None` if nothing was found.
    score: Option<Score>,
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
    for method in asked.methods() {
        table(asked, &cases, method);
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
            cases.push(Case { kind, law, method, score });
        }
    }
    cases
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
        let right = own.iter().filter(|case| case.coefficient() >= 0.8).count();
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

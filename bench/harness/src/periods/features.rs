//! Features of every hypothesis about phases, and whether it is right: the data that confidence is
//! calibrated with.

use marigraph_analysis::period::figures::{FIGURES, NAMES, figures};
use marigraph_analysis::period::hypothesis::Hypothesis;
use marigraph_analysis::period::propose::{Evidence, propose, propose_repetition};

use super::Options;
use super::accuracy::chosen;
use super::cases::{self, Case};
use super::finder::activity;
use super::scoring::{Shown, error, for_each};

pub fn run(options: &Options) {
    let cases = cases::study().into_iter().chain([cases::wide()]).chain(cases::dirty());
    let cases = chosen(cases.collect(), options);
    println!("case\tseed\twindow\tranks\tway\ttruth_s\tperiod_s\terror\t{}", NAMES.join("\t"));
    let lines = for_each(&cases, options.seeds(20, 1), |shown| lines(&cases, shown));
    lines.iter().for_each(|lines| print!("{lines}"));
}

fn lines(cases: &[Case], shown: Shown<'_>) -> String {
    let mut activity = activity(shown.requests, shown.window_s);
    let evidence = Evidence::new(&mut activity);
    let mut proposed = propose(&evidence, true);
    proposed.extend(propose_repetition(&evidence));
    let signal = evidence.signal.coarser(4096);
    let line = |(one, figures): (&Hypothesis, &[f64; FIGURES])| {
        let figures: Vec<String> = figures.iter().map(|figure| format!("{figure:.6}")).collect();
        let truth_s = shown.truth.period_s.map_or("-".to_string(), |truth_s| format!("{truth_s:.6}"));
        format!(
            "{}\t{}\t{}\t{}\t{:?}\t{truth_s}\t{:.6}\t{:.6}\t{}\n",
            cases[shown.case].name,
            shown.seed,
            shown.view.window,
            shown.view.ranks,
            one.way,
            one.period_s,
            error(one.period_s, shown.truth),
            figures.join("\t"),
        )
    };
    proposed.iter().zip(&figures(&proposed, &signal, evidence.bytes)).map(line).collect()
}

//! Lists every single answer.

use super::accuracy::chosen;
use super::scoring::score;
use super::{Options, cases};

pub fn run(options: &Options) {
    let cases = chosen(cases::study().into_iter().chain(cases::dirty()).collect(), options);
    let scores = score(&cases, options.seeds(20, 1), options.find);
    println!("case\tseed\twindow\tranks\ttruth_s\tanswer_s\tconfidence\tright\tsegments\tseconds");
    let seconds =
        |period_s: Option<f64>| period_s.map_or("-".to_string(), |period_s| format!("{period_s:.3}"));
    for score in scores.iter().filter(|score| !(options.wrong && score.right)) {
        let (case, view) = (&cases[score.case].name, score.view);
        println!(
            "{case}\t{}\t{}\t{}\t{}\t{}\t{:.3}\t{}\t{}\t{:.3}",
            score.seed,
            view.window,
            view.ranks,
            seconds(score.truth_s),
            seconds(score.answer.period_s),
            score.answer.confidence,
            score.right,
            score.answer.segments.len(),
            score.seconds,
        );
    }
}

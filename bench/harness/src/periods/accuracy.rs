//! Mean errors of the study's sweeps, and the share of dirty traces answered right.

use super::Options;
use super::cases::{self, Case};
use super::scoring::{Score, VIEWS, View, score};

pub fn run(options: &Options) {
    let study = chosen(cases::study(), options);
    let scores = score(&study, options.seeds(30, 1), options.find);
    if !study.is_empty() {
        println!("mean error in %, in brackets the share answered in % if not 100");
        table(&study, &scores, study_cell);
        summary(&study, &scores);
    }
    let dirty = chosen(cases::dirty(), options);
    let scores = score(&dirty, options.seeds(20, 1), options.find);
    if !dirty.is_empty() {
        println!("right answers in % (within 10 %; \"no period\" where there is none)");
        table(&dirty, &scores, dirty_cell);
        regimes(&dirty, &scores);
    }
}

pub fn chosen(cases: Vec<Case>, options: &Options) -> Vec<Case> {
    cases.into_iter().filter(|case| case.name.starts_with(&options.only)).collect()
}

fn table(cases: &[Case], scores: &[Score], cell: fn(&[&Score]) -> String) {
    let heading = VIEWS.map(|View { window, ranks }| {
        let ranks = if ranks { "ranks" } else { "none" };
        format!("{:>13}", format!("{window} {ranks}"))
    });
    println!("{:28}{}  longest s", "", heading.concat());
    for (at, case) in cases.iter().enumerate() {
        let own: Vec<&Score> = scores.iter().filter(|score| score.case == at).collect();
        let cells = VIEWS.map(|view| {
            let seen: Vec<&Score> = own.iter().copied().filter(|score| score.view == view).collect();
            format!("{:>13}", cell(&seen))
        });
        let longest_s = own.iter().map(|score| score.seconds).fold(0.0, f64::max);
        println!("{:28}{}  {longest_s:9.3}", case.name, cells.concat());
    }
    println!();
}

fn study_cell(scores: &[&Score]) -> String {
    let count = scores.len().max(1) as f64;
    let error = scores.iter().filter_map(|score| score.error).sum::<f64>() / count;
    let answered = scores.iter().filter(|score| score.answer.period_s.is_some()).count();
    if answered == scores.len() {
        return format!("{:.2}", 100.0 * error);
    }
    format!("{:.2} ({:.0})", 100.0 * error, 100.0 * answered as f64 / count)
}

fn dirty_cell(scores: &[&Score]) -> String {
    format!("{:.0}", 100.0 * share(scores.iter().map(|score| score.right)))
}

/// One line per sweep: the mean over its points and views.
fn summary(cases: &[Case], scores: &[Score]) {
    for sweep in ["a", "b", "c"] {
        let of_sweep = |score: &&Score| cases[score.case].name.starts_with(sweep);
        let errors: Vec<f64> = scores.iter().filter(of_sweep).filter_map(|score| score.error).collect();
        if errors.is_empty() {
            continue;
        }
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let within = share(errors.iter().map(|&error| error <= 0.1));
        println!("{sweep}: mean error {:.2} %, within 10 %: {:.1} %", 100.0 * mean, 100.0 * within);
    }
    println!();
}

fn regimes(cases: &[Case], scores: &[Score]) {
    let with_regimes: Vec<&Score> = scores.iter().filter(|score| cases[score.case].has_regimes()).collect();
    if !with_regimes.is_empty() {
        let both = share(with_regimes.iter().map(|score| score.all_segments));
        println!("regimes, both within 10 %: {:.0} %", 100.0 * both);
    }
    for (name, periodic) in [("with a period", true), ("without one", false)] {
        let of_kind = scores.iter().filter(|score| cases[score.case].is_periodic() == periodic);
        println!("dirty traces {name}: {:.1} % right", 100.0 * share(of_kind.map(|score| score.right)));
    }
}

/// 0 if there is nothing.
pub fn share(which: impl Iterator<Item = bool>) -> f64 {
    let (count, hits) = which.fold((0usize, 0usize), |(n, hits), hit| (n + 1, hits + usize::from(hit)));
    hits as f64 / count.max(1) as f64
}

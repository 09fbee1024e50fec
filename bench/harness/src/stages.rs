//! Stages of the published signature method as a program, for `tests/interop/test_signature.py`.
//!
//! Each line of standard input is a case; each line of output is its result:
//!
//! `wavelet LEVELS VALUE...`: the values, smoothed
//! `outliers NEIGHBOURS X Y X Y ...`: the local outlier factor of each point
//! `scaled X Y X Y ...`: the points with mean zero and deviation one on each axis

use std::io::BufRead;

use marigraph_analysis::signature::iosi::{outliers, wavelet};

pub fn run() {
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("text");
        let mut words = line.split_whitespace();
        let stage = words.next().expect("the name of a stage");
        let numbers: Vec<f64> = words.map(|word| word.parse().expect("a number")).collect();
        // The shortest text that parses to the same number.
        let printed: Vec<String> = result(stage, &numbers).iter().map(|value| format!("{value:?}")).collect();
        println!("{}", printed.join(" "));
    }
}

fn result(stage: &str, numbers: &[f64]) -> Vec<f64> {
    match (stage, numbers) {
        ("wavelet", [levels, signal @ ..]) => wavelet::smooth(signal, *levels as usize),
        ("outliers", [neighbours, rest @ ..]) => {
            outliers::local_outlier_factors(&points(rest), *neighbours as usize)
        }
        ("scaled", all) => outliers::scaled(&points(all)).concat(),
        _ => panic!("wavelet, outliers or scaled, not {stage}"),
    }
}

fn points(numbers: &[f64]) -> Vec<[f64; 2]> {
    numbers.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()
}

//! Stages of published methods as a program, for `tests/interop/test_signature.py` and
//! `tests/interop/test_outliers.py`.
//!
//! Each line of standard input is a case; each line of output is its result:
//!
//! `wavelet LEVELS VALUE...`: the values, smoothed
//! `outliers NEIGHBOURS X Y X Y ...`: the local outlier factor of each point
//! `new NEIGHBOURS X Y X Y ...`: the same of each point as if it were a new one
//! `noise REACH X Y X Y ...`: 1 for each point without a neighbour
//! `forest SEED X Y X Y ...`: the score of each point by the isolation forest
//! `length NUMBER`: the usual length of a path in it
//! `peaks HEIGHT VALUE...`: the places of the peaks
//! `scaled X Y X Y ...`: the points with mean zero and deviation one on each axis

use std::io::BufRead;

use marigraph_analysis::outliers::{dbscan, forest, lof, peaks};
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
        ("outliers", [neighbours, rest @ ..]) => lof::factors(&points(rest), *neighbours as usize).own,
        ("new", [neighbours, rest @ ..]) => lof::factors(&points(rest), *neighbours as usize).as_new,
        ("noise", [reach, rest @ ..]) => {
            dbscan::noise(&points(rest), *reach).into_iter().map(f64::from).collect()
        }
        ("forest", [seed, rest @ ..]) => forest::scores(&points(rest), *seed as u64),
        ("length", [number]) => vec![forest::usual_length(*number as usize)],
        ("peaks", [height, values @ ..]) => {
            peaks::peaks(values, *height, 0.0).into_iter().map(|place| place as f64).collect()
        }
        ("scaled", all) => outliers::scaled(&points(all)).concat(),
        _ => panic!("no stage {stage}"),
    }
}

fn points(numbers: &[f64]) -> Vec<[f64; 2]> {
    numbers.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()
}

//! Measures how well signatures are found, over many seeds of `synth server`.
//!
//!     cargo run --release -p marigraph-bench signatures [applications] --seeds 10 [--first-seed 11]
//!         [--runs 10] [--noise 1] [--jitter 1] [--contention 1] [--method auto|iosi|dtw] [--alone] [--each]
//!     cargo run --release -p marigraph-bench signatures kinds --seeds 20 [--first-seed 11] [the same]
//!         [--kind K] [--law L] [--json] [--evidence]
//!
//! `applications` (the default) tells of each application of the IOSI study: median, worst and best
//! of both correlations over seeds, the median of the volume, and the numbers of missed and
//! invented bursts. `kinds` does so for applications drawn at random, by kind and by law of slowing,
//! and tells whether confidence can be believed.

mod asked;
mod kinds;
mod mined;
mod reliability;
mod study;

use asked::Asked;

pub fn run(arguments: Vec<String>) {
    let asked = Asked::new(arguments);
    match asked.table() {
        "kinds" => kinds::run(&asked),
        _ => study::run(&asked),
    }
}

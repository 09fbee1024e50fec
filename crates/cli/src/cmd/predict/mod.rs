//! `marigraph predict`: predicts the next I/O phase of a running job. Each flush goes to the
//! tracker, and its prediction is printed before the next flush is read.

mod intake;
mod session;

use std::time::{Duration, Instant};

use marigraph_system::metrics::Metrics;
use marigraph_system::stop;

use crate::args::PredictArgs;
use crate::cmd::endpoint;
use crate::error::Failure;
use intake::Intake;
use session::Session;

/// Interval at which a request to stop is checked while nothing arrives.
const TICK: Duration = Duration::from_millis(100);

pub fn run(args: &PredictArgs) -> Result<(), Failure> {
    let mut intake = Intake::open(args)?;
    let serve = |address| endpoint::told(address, Metrics::serve(address), Metrics::address);
    let metrics = args.metrics.as_ref().map(serve).transpose()?;
    stop::on_signals();
    let idle = args.idle_exit.map(Duration::from_secs_f64);
    let mut session = Session::new(args, metrics)?;
    let mut last = Instant::now();
    while !stop::asked() {
        match intake.wait(TICK)? {
            Some(arrival) => {
                let over = intake.is_over_with(&arrival);
                session.take(arrival)?;
                if over {
                    break;
                }
                last = Instant::now();
            }
            None if idle.is_some_and(|idle| last.elapsed() >= idle) => break,
            None => {}
        }
    }
    session.finish()
}

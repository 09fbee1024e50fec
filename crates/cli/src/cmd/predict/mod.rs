//! `marigraph predict`: how often a running job does I/O, and when it will do so next. What comes is
//! read, put to the tracker flush by flush, and each prediction is out before the next flush is looked at.

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

/// How often there is a look at the wish to stop while nothing comes.
const TICK: Duration = Duration::from_millis(100);

/// Predicts until nothing more can come, or somebody wants it to end.
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

//! `marigraph monitor`: looks at the counters of a storage server again and again, and keeps what they say.

mod keeper;
mod start;

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use marigraph_model::{Sample, TargetKind};
use marigraph_report::monitor::{self, Run};
use marigraph_system::monitor::{Choice, Sampler, clock};
use marigraph_system::{metrics, stop};

use crate::args::MonitorArgs;
use crate::cmd::endpoint;
use crate::error::{Failure, complain};
use crate::output;
use keeper::Keeper;

/// What clients of the metrics get to see.
type Shown = Arc<Mutex<(Sample, Run)>>;

/// Watches until somebody wants it to end, or enough was seen.
pub fn run(args: &MonitorArgs) -> Result<(), Failure> {
    let choice = Choice { patterns: args.devices.clone(), all: args.all_devices };
    let mut sampler = Sampler::new(&args.root, choice);
    let first = sampler.look().cloned();
    let mut sample = first.map_err(|error| Failure::read(&args.root.join("proc/diskstats"), &error))?;
    let mut keeper = Keeper::open(args)?;
    tell(args, &sample, &sampler);
    let shown = serve(args)?;
    stop::on_signals();
    while args.samples.is_none_or(|most| keeper.run().samples < most) {
        clock::sleep_to_multiple(keeper.interval_us(), stop::asked);
        if stop::asked() {
            break;
        }
        // Counters that cannot be read are looked at again next time; until then nothing is observed.
        let Ok(seen) = sampler.look() else { continue };
        keeper.keep(seen);
        if let Some(shown) = &shown {
            *shown.lock().unwrap_or_else(PoisonError::into_inner) = (seen.clone(), keeper.run().clone());
        }
        sample.observed.clone_from(&seen.observed);
    }
    finish(args, keeper, &sample)
}

fn serve(args: &MonitorArgs) -> Result<Option<Shown>, Failure> {
    let Some(address) = &args.metrics else { return Ok(None) };
    let shown = Shown::default();
    let source = Arc::clone(&shown);
    let text = move || {
        let newest = source.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Arc::from(monitor::metrics(&newest.0, &newest.1))
    };
    endpoint::told(address, metrics::serve_made(address, text), |at| *at)?;
    Ok(Some(shown))
}

/// Says what is watched, and what is not and why.
fn tell(args: &MonitorArgs, sample: &Sample, sampler: &Sampler) {
    let watched = sample.observed.iter().filter(|row| row.target.kind != TargetKind::Job);
    let watched: Vec<&str> = watched.map(|row| row.target.name.as_str()).collect();
    let left_out = sampler.left_out();
    if watched.is_empty() {
        complain(
            &"warning: nothing is watched; what appears later will be\nhint: --devices PATTERN or --all-devices watches what is left out",
        );
    }
    if args.quiet {
        return;
    }
    if !watched.is_empty() {
        complain(&format!("note: watching {}", listed(&watched)));
    }
    let mut reasons: Vec<&str> = left_out.iter().map(|out| out.why.as_str()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    for why in reasons {
        let names = left_out.iter().filter(|out| out.why == why).map(|out| out.name.as_str());
        complain(&format!("note: left out ({why}): {}", listed(&names.collect::<Vec<_>>())));
    }
}

/// Names, but not hundreds of them.
fn listed(names: &[&str]) -> String {
    const MOST: usize = 16;
    let shown = names.get(..MOST).unwrap_or(names).join(", ");
    let more = names.len().saturating_sub(MOST);
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

fn finish(args: &MonitorArgs, keeper: Keeper, sample: &Sample) -> Result<(), Failure> {
    let name = args.output.display().to_string();
    let (run, failed) = keeper.finish();
    let told = if args.json {
        monitor::json(&name, sample, &run) + "\n"
    } else {
        monitor::text(&name, sample, &run)
    };
    let written = output::stdout().write_all(told.as_bytes());
    written.map_err(|error| Failure::write("standard output", error))?;
    failed.map_or(Ok(()), |error| Err(Failure::write(&name, error)))
}

//! `marigraph monitor`: samples the counters of a storage server into a file.

mod keeper;
mod start;

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use marigraph_model::TargetKind;
use marigraph_report::monitor;
use marigraph_system::monitor::{Choice, Sampler, clock};
use marigraph_system::{metrics, stop};

use crate::args::MonitorArgs;
use crate::cmd::endpoint;
use crate::error::{Failure, complain};
use crate::output;
use keeper::Keeper;

struct Watch {
    sampler: Sampler,
    keeper: Keeper,
}

pub fn run(args: &MonitorArgs) -> Result<(), Failure> {
    let choice = Choice { patterns: args.devices.clone(), all: args.all_devices };
    let mut sampler = Sampler::new(&args.root, choice);
    let unread = |error: io::Error| Failure::read(&args.root.join("proc/diskstats"), &error);
    sampler.look().map_err(unread)?;
    let keeper = Keeper::open(args)?;
    tell(args, &sampler);
    let interval_us = keeper.interval_us();
    let watch = Arc::new(Mutex::new(Watch { sampler, keeper }));
    serve(args, &watch)?;
    stop::on_signals();
    while args.samples.is_none_or(|most| taken(&watch).keeper.run().samples < most) {
        clock::sleep_to_multiple(interval_us, stop::asked);
        if stop::asked() {
            break;
        }
        let Watch { sampler, keeper } = &mut *taken(&watch);
        // Counters that cannot be read are tried again next time; until then nothing is observed.
        if let Ok(seen) = sampler.look() {
            keeper.keep(seen);
        }
    }
    finish(args, &mut taken(&watch))
}

fn taken(watch: &Mutex<Watch>) -> MutexGuard<'_, Watch> {
    watch.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(args: &MonitorArgs, watch: &Arc<Mutex<Watch>>) -> Result<(), Failure> {
    let Some(address) = &args.metrics else { return Ok(()) };
    let watch = Arc::clone(watch);
    let text = move || {
        // Only copied while locked: a client must not delay a sample.
        let newest = taken(&watch);
        let (sample, run) = (newest.sampler.newest().clone(), newest.keeper.run().clone());
        drop(newest);
        Arc::from(monitor::metrics(&sample, &run))
    };
    endpoint::told(address, metrics::serve_made(address, text), |at| *at).map(drop)
}

fn tell(args: &MonitorArgs, sampler: &Sampler) {
    let watched = sampler.newest().observed.iter().filter(|row| row.target.kind != TargetKind::Job);
    let watched: Vec<&str> = watched.map(|row| row.target.name.as_str()).collect();
    let left_out = sampler.left_out();
    if watched.is_empty() {
        complain(&"warning: no device to watch; devices that appear later will be watched");
        complain(&"hint: use --devices PATTERN or --all-devices to watch other devices");
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

fn listed(names: &[&str]) -> String {
    const MOST: usize = 16;
    let shown = names.get(..MOST).unwrap_or(names).join(", ");
    let more = names.len().saturating_sub(MOST);
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

fn finish(args: &MonitorArgs, watch: &mut Watch) -> Result<(), Failure> {
    let name = args.output.display().to_string();
    let failed = watch.keeper.finish();
    let (sample, run) = (watch.sampler.newest(), watch.keeper.run());
    let told =
        if args.json { monitor::json(&name, sample, run) + "\n" } else { monitor::text(&name, sample, run) };
    let written = output::stdout().write_all(told.as_bytes());
    written.map_err(|error| Failure::write("standard output", error))?;
    failed.map_or(Ok(()), |error| Err(Failure::write(&name, error)))
}

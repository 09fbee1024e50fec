//! `marigraph synth system`: a whole system with given parameters, and what a study of it should
//! find.

mod jobs;
mod truth;

use std::fs;
use std::io::Write as _;
use std::path::Path;

use marigraph_analysis::synth::system::{Minutes, RunPlan, SystemPlan, dealt, system, system_log};
use marigraph_formats::{darshan, snapshot};

use super::sacct::moment;
use crate::args::SynthSystemArgs;
use crate::error::Failure;
use crate::output::{self, AtomicFile};
use crate::parallel;
use crate::progress::Progress;

pub fn run(args: &SynthSystemArgs) -> Result<(), Failure> {
    let plan = SystemPlan {
        seed: args.seed,
        jobs: args.jobs,
        days: args.days,
        logs_share: args.logs_share,
        servers: args.servers,
    };
    let made = system(&plan);
    let folder = &args.made.output;
    super::start(folder)?;
    let threads = parallel::threads(args.made.threads);
    write_logs(&plan, &made.runs, &folder.join("logs"), threads, args.made.quiet)?;
    write_devices(&plan, &made.minutes, &folder.join("devices"), threads)?;
    let file = |name: &str, bytes: &[u8]| output::write_file(&folder.join(name), bytes);
    file("jobs.txt", jobs::sacct(&made.jobs).as_bytes())?;
    for (name, taken) in ["january.snap", "march.snap"].into_iter().zip(&made.snapshots) {
        file(name, &snapshot::write(taken, None))?;
    }
    let lines = made.minutes.annotations.iter().map(|one| format!("{},{},{}\n", one.from, one.to, one.text));
    file("annotations.csv", format!("from,to,text\n{}", lines.collect::<String>()).as_bytes())?;
    // Last, so that a folder with a truth is complete.
    file("truth.json", format!("{}\n", truth::truth(&made)).as_bytes())
}

/// Logs in one folder per day on which runs started.
fn write_logs(
    plan: &SystemPlan,
    runs: &[RunPlan],
    folder: &Path,
    threads: usize,
    quiet: bool,
) -> Result<(), Failure> {
    let day = |run: &RunPlan| moment(run.start).split('T').next().unwrap_or_default().to_string();
    let mut days: Vec<String> = runs.iter().map(day).collect();
    days.dedup();
    for day in days {
        create(&folder.join(day))?;
    }
    let mut progress = Progress::new(runs.len() as u64, quiet);
    let work = |run: &RunPlan| {
        let (log, _) = darshan::write(&system_log(plan, run));
        let name = format!("{}/{}_id{}_{}.darshan", day(run), run.program, run.job_id, run.number);
        output::write_file(&folder.join(name), &log)
    };
    parallel::map(runs, threads, &mut |_| progress.add(1), &work).into_iter().collect()
}

fn write_devices(plan: &SystemPlan, minutes: &Minutes, folder: &Path, threads: usize) -> Result<(), Failure> {
    create(folder)?;
    let servers: Vec<usize> = (0..plan.servers as usize).collect();
    let work = |server: &usize| {
        let name = format!("fs{:03}", server + 1);
        let path = folder.join(format!("{name}.csv"));
        let mut log = AtomicFile::create(&path)?;
        let unwritten = |error| Failure::write(&path.display().to_string(), error);
        writeln!(log, "timestamp,server,write_bytes_per_s,read_bytes_per_s").map_err(unwritten)?;
        for &(time, rates) in &minutes.rates {
            let [read, written] = dealt(plan, time, rates)[*server];
            writeln!(log, "{time},{name},{written},{read}").map_err(unwritten)?;
        }
        log.finish()
    };
    parallel::map(&servers, threads, &mut |_| {}, &work).into_iter().collect()
}

fn create(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| Failure::write(&folder.display().to_string(), error))
}

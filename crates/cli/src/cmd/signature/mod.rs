//! `marigraph signature`: the traffic of applications on shared storage, from logs of servers and
//! the scheduler.

mod logs;

use std::io::Write;

use marigraph_analysis::signature::{
    Group, Joint, Method, Options, Scaling, Signature, TooFew, groups, iosi, scalings, sign,
};
use marigraph_model::Problem;
use marigraph_report::page::signature_page;
use marigraph_report::scaling;
use marigraph_report::signature::{Signed, many_text};

use crate::args::{SignatureArgs, SignatureMethod};
use crate::error::Failure;
use crate::output::{self, ending};
use crate::parallel;
use crate::progress::Progress;
use logs::Partition;

pub fn run(args: &SignatureArgs) -> Result<(), Failure> {
    // A wrong name is better reported before an hour of logs is read.
    if let Some(path) = args.plot.as_ref().filter(|path| !matches!(ending(path).as_str(), "html" | "htm")) {
        return Err(Failure::Usage(format!(
            "{}: cannot write {:?} files\nhint: use the extension .html",
            path.display(),
            ending(path)
        )));
    }
    let zone = logs::zone(args)?;
    let (jobs, problems) = logs::jobs(args, &zone)?;
    let partitions = logs::partitions(args, &zone)?;
    let options = options(args);
    let groups = chosen(args, groups(&jobs), &options)?;
    let mut found: Vec<(usize, Signature)> = Vec::new();
    let mut lacking: Option<TooFew> = None;
    for (at, partition) in partitions.iter().enumerate() {
        let within = |group: &Group| group.within(&partition.throughput);
        let groups = if options.partial { groups.iter().map(within).collect() } else { groups.clone() };
        let mined = mine(&groups, partition, &options, args);
        for result in mined {
            match result {
                Ok(signatures) => found.extend(signatures.into_iter().map(|signature| (at, signature))),
                Err(few) => lacking = lacking.or(Some(few)),
            }
        }
    }
    // An application may have run on one of the partitions only.
    if let (true, Some(few)) = (found.is_empty(), &lacking) {
        return Err(too_few(args, few));
    }
    // Heaviest first; ties are ordered by name.
    found.sort_by(|(_, one), (_, other)| {
        other.bytes().total_cmp(&one.bytes()).then_with(|| one.application.cmp(&other.application))
    });
    let mut all_problems = problems;
    all_problems.extend(partitions.iter().flat_map(|partition| partition.problems.iter().cloned()));
    tell(args, &partitions, &found, options.method, &all_problems)
}

fn options(args: &SignatureArgs) -> Options {
    Options {
        method: match args.method {
            SignatureMethod::Auto => Method::Auto,
            SignatureMethod::Iosi => Method::Iosi,
            SignatureMethod::Dtw => Method::Dtw,
        },
        knobs: iosi::Knobs {
            wavelet_level: args.wavelet_level.into(),
            gamma: args.gamma,
            kappa: args.kappa,
            preprocess: !args.no_preprocess,
        },
        min_samples: args.min_samples.into(),
        partial: args.partial,
    }
}

fn chosen(args: &SignatureArgs, groups: Vec<Group>, options: &Options) -> Result<Vec<Group>, Failure> {
    let jobs = args.jobs.display().to_string();
    let wanted = |group: &Group| {
        let same = |wanted: &Option<String>, name: &str| wanted.as_ref().is_none_or(|wanted| wanted == name);
        same(&args.app, &group.application.app) && same(&args.user, &group.application.user)
    };
    let mut named: Vec<Group> = groups.into_iter().filter(wanted).collect();
    if named.is_empty() {
        return Err(Failure::Input {
            path: jobs,
            message: match (&args.app, &args.user) {
                (None, None) => "no job in the log has ended".to_string(),
                (app, user) => format!(
                    "no job{}{} has ended",
                    app.as_ref().map_or_else(String::new, |app| format!(" named {app:?}")),
                    user.as_ref().map_or_else(String::new, |user| format!(" of {user:?}"))
                ),
            },
            hint: Some("job names are in the column JobName of the job log, users in User".to_string()),
        });
    }
    let most = named.iter().map(|group| group.runs.len()).max().unwrap_or(0);
    named.retain(|group| group.runs.len() >= options.min_samples);
    if named.is_empty() {
        let few = TooFew { usable: most, needed: options.min_samples, dropped: Vec::new() };
        return Err(too_few(args, &few));
    }
    Ok(named)
}

fn too_few(args: &SignatureArgs, few: &TooFew) -> Failure {
    let why = few.dropped.first().map_or_else(String::new, |dropped| {
        format!(
            "; {} left out, the first (job {}) because: {}",
            few.dropped.len(),
            dropped.job,
            dropped.why.reason()
        )
    });
    let runs = if few.usable == 1 { "run" } else { "runs" };
    Failure::Input {
        path: args.jobs.display().to_string(),
        message: format!(
            "no application has more than {} {runs}; {} are needed{why}",
            few.usable, few.needed
        ),
        hint: Some(
            "5 to 10 runs are usual; lower --min-samples to accept fewer, with more noise".to_string(),
        ),
    }
}

type Mined = Result<Vec<Signature>, TooFew>;

/// Mines each application; those that overlap others are mined again without the traffic these
/// explain.
fn mine(groups: &[Group], partition: &Partition, options: &Options, args: &SignatureArgs) -> Vec<Mined> {
    let threads = parallel::threads(args.threads);
    let mut progress = Progress::new(groups.len() as u64, args.quiet);
    let mut joint = Joint::new(&partition.throughput);
    let kept = |signatures: Vec<Signature>| -> Vec<Signature> {
        let all = signatures.into_iter();
        if args.plot.is_some() { all.collect() } else { all.map(Signature::without_samples).collect() }
    };
    let first = parallel::map(groups, threads, &mut |_| progress.add(1), &|group| {
        sign(group, &|run| joint.samples(run, None), options).map(kept)
    });
    if args.alone || options.method != Method::Auto {
        return first;
    }
    first.iter().flatten().flatten().for_each(|signature| joint.add(signature));
    let both: Vec<(&Group, Mined)> = groups.iter().zip(first).collect();
    parallel::map(&both, threads, &mut |_| (), &|(group, mined)| {
        let Ok(signatures) = mined else { return mined.clone() };
        if !signatures.iter().any(|signature| joint.concerns(signature)) {
            return mined.clone();
        }
        let own = |job: &str| {
            signatures.iter().find(|signature| signature.used.iter().any(|used| used.run.job == job))
        };
        sign(group, &|run| joint.samples(run, own(&run.job)), options).map(kept)
    })
}

fn tell(
    args: &SignatureArgs,
    partitions: &[Partition],
    found: &[(usize, Signature)],
    method: Method,
    problems: &[Problem],
) -> Result<(), Failure> {
    let named = |at: usize| partitions.get(at).and_then(|partition| partition.name.as_deref());
    let scalings: Vec<Vec<Scaling>> = (0..partitions.len())
        .map(|at| scalings(found.iter().filter(|(of, _)| *of == at).map(|(_, signature)| signature)))
        .collect();
    let scaling = |at: usize, signature: &Signature| {
        let own = |one: &&Scaling| {
            (&one.app, &one.user) == (&signature.application.app, &signature.application.user)
        };
        scalings[at].iter().find(own)
    };
    let all: Vec<Signed<'_>> = found
        .iter()
        .map(|(at, signature)| Signed {
            signature,
            method,
            partition: named(*at),
            scaling: scaling(*at, signature),
            problems,
        })
        .collect();
    if let Some(path) = &args.plot {
        output::write_file(path, signature_page(&all).as_bytes())?;
    }
    let mut out = output::stdout();
    let failed = |error| Failure::write("standard output", error);
    match (args.json, all.as_slice()) {
        (true, all) => {
            all.iter().try_for_each(|signed| writeln!(out, "{}", signed.json())).map_err(failed)?
        }
        (false, [one]) => write!(out, "{}", one.text(output::width())).map_err(failed)?,
        (false, many) => write!(out, "{}", many_text(many, output::width())).map_err(failed)?,
    }
    for scaling in scalings.iter().flatten().filter(|_| !args.json) {
        write!(out, "{}", scaling::text(scaling, output::width())).map_err(failed)?;
    }
    out.flush().map_err(failed)
}

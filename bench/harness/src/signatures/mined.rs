//! Signatures mined from a synthetic log, and their likeness to the truth.

use marigraph_analysis::signature::score::{Score, Span, score};
use marigraph_analysis::signature::{Group, Joint, Method, Options, Signature, Throughput, groups, sign};
use marigraph_analysis::synth::server::{Application, CleanBurst, EPOCH, Server};

/// The log as `signature` reads it: intervals without a line were not observed.
fn throughput(made: &Server) -> Throughput {
    let interval_s = 2.0;
    let place = |time: f64| ((time - EPOCH) / interval_s) as usize;
    let intervals = made.lines.last().map_or(0, |line| place(line.time) + 1);
    let (mut write, mut read) = (vec![f64::NAN; intervals], vec![f64::NAN; intervals]);
    for line in &made.lines {
        (write[place(line.time)], read[place(line.time)]) = (line.write, line.read);
    }
    Throughput { start: EPOCH, interval_s, write, read }
}

/// The heaviest signature of each application, as the command finds them.
pub fn mined(made: &Server, options: &Options, alone: bool) -> Vec<Signature> {
    let throughput = throughput(made);
    let known = |group: &Group| {
        made.applications.iter().any(|known| {
            (&known.application.job, &known.application.user)
                == (&group.application.app, &group.application.user)
        })
    };
    let groups: Vec<Group> =
        groups(&made.jobs).into_iter().filter(|group| group.runs.len() >= 4 && known(group)).collect();
    let mut joint = Joint::new(&throughput);
    let first: Vec<Vec<Signature>> = groups
        .iter()
        .map(|group| sign(group, &|run| joint.samples(run, None), options).unwrap_or_default())
        .collect();
    let one = |all: Vec<Signature>| all.into_iter().next();
    if options.method != Method::Auto || alone {
        return first.into_iter().filter_map(one).collect();
    }
    first.iter().flatten().for_each(|signature| joint.add(signature));
    let again = |(group, own): (&Group, &Vec<Signature>)| {
        one(sign(group, &|run| joint.samples(run, own.first()), options).unwrap_or_default())
    };
    groups.iter().zip(&first).filter_map(again).collect()
}

pub fn judged(application: &Application, signature: &Signature, shown: bool) -> Score {
    let clean = |burst: &CleanBurst| Span {
        start_s: burst.start_s as f64,
        end_s: (burst.start_s + burst.duration_s) as f64,
        bytes: burst.bytes,
    };
    let truth: Vec<Span> = application.bursts.iter().map(clean).collect();
    let bursts = signature.bursts.iter();
    let bursts: Vec<Span> =
        bursts.map(|burst| Span { start_s: burst.start_s, end_s: burst.end_s, bytes: burst.bytes }).collect();
    for at in (0..truth.len().max(bursts.len())).filter(|_| shown) {
        println!("  {} true {:?} found {:?}", application.key, truth.get(at), bursts.get(at));
    }
    score((&application.write, &truth), (&signature.write, &bursts))
}

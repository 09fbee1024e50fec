//! Accuracy of signatures on server logs with known truth.
//!
//! One seed each of normal noise and of strong contention; `marigraph-bench signatures` measures
//! many.
#![allow(clippy::expect_used, clippy::print_stderr)]

use marigraph_analysis::signature::score::{Score, Span, score};
use marigraph_analysis::signature::{Group, Joint, Method, Options, Signature, Throughput, groups, sign};
use marigraph_analysis::synth::server::{Application, Chosen, EPOCH, Server, ServerPlan, server};

fn scores(made: &Server, method: Method) -> Vec<(String, Score)> {
    let throughput = Throughput {
        start: EPOCH,
        interval_s: 2.0,
        write: made.lines.iter().map(|line| line.write).collect(),
        read: made.lines.iter().map(|line| line.read).collect(),
    };
    let options = Options { method, ..Options::default() };
    let joint = Joint::new(&throughput);
    let groups: Vec<Group> = groups(&made.jobs);
    let of = |application: &Application| {
        let group = groups.iter().find(|group| group.application.app == application.job).expect("runs");
        let found = sign(group, &|run| joint.samples(run, None), &options).expect("enough runs");
        (application.key.clone(), judged(application, &found[0]))
    };
    made.applications.iter().map(|known| of(&known.application)).collect()
}

fn judged(application: &Application, found: &Signature) -> Score {
    let truth = application.bursts.iter().map(|burst| Span {
        start_s: burst.start_s as f64,
        end_s: (burst.start_s + burst.duration_s) as f64,
        bytes: burst.bytes,
    });
    let bursts = found.bursts.iter();
    let bursts = bursts.map(|burst| Span { start_s: burst.start_s, end_s: burst.end_s, bytes: burst.bytes });
    let (truth, bursts): (Vec<Span>, Vec<Span>) = (truth.collect(), bursts.collect());
    score((&application.write, &truth), (&found.write, &bursts))
}

#[test]
fn the_usual_noise_hides_no_burst() {
    let made = server(&ServerPlan { seed: 3, applications: Chosen::Paper, ..ServerPlan::default() });
    for (name, score) in scores(&made, Method::Auto) {
        eprintln!("{name}: {score:?}");
        assert!(score.coefficient > 0.85 && score.cross > 0.93, "{name}: {score:?}");
        assert!((0.95..1.05).contains(&score.volume), "{name}: {score:?}");
        assert_eq!((score.missed, score.invented), (0, 0), "{name}");
    }
}

#[test]
fn under_strong_contention_auto_beats_the_published_method() {
    let made = server(&ServerPlan {
        seed: 4,
        applications: Chosen::Paper,
        contention: 6.0,
        ..ServerPlan::default()
    });
    let published = scores(&made, Method::Iosi);
    for ((name, ours), (_, theirs)) in scores(&made, Method::Auto).iter().zip(&published) {
        eprintln!("{name}: auto {:.3}, iosi {:.3}", ours.coefficient, theirs.coefficient);
        assert!(ours.coefficient > theirs.coefficient + 0.05, "{name}: {ours:?} {theirs:?}");
        assert_eq!(ours.missed, 0, "{name}");
    }
}

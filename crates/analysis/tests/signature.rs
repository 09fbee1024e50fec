//! Accuracy of signatures on server logs with known truth.
//!
//! One seed each of normal noise and of strong contention; `marigraph-bench signatures` measures
//! many.
#![allow(clippy::expect_used, clippy::print_stderr)]

use marigraph_analysis::quantile;
use marigraph_analysis::signature::confidence::RIGHT;
use marigraph_analysis::signature::score::{Score, Span, score};
use marigraph_analysis::signature::{Group, Joint, Method, Options, Signature, Throughput, groups, sign};
use marigraph_analysis::synth::server::{Application, Chosen, EPOCH, Kind, Server, ServerPlan, server};

fn scores(made: &Server, method: Method) -> Vec<(String, Score)> {
    found(made, method).into_iter().map(|(name, score, _)| (name, score)).collect()
}

/// With the confidence of each signature.
fn found(made: &Server, method: Method) -> Vec<(String, Score, Option<f64>)> {
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
        (application.key.clone(), judged(application, &found[0]), found[0].confidence)
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

/// Over all kinds, under all laws in turn; seeds that nothing was fitted to.
#[test]
fn drawn_applications_are_found_and_confidence_can_be_believed() {
    let mut judged: Vec<(f64, bool)> = Vec::new();
    for kind in Kind::ALL {
        let mut coefficients = Vec::new();
        for seed in [902, 903] {
            let applications = Chosen::Only(kind);
            let made = server(&ServerPlan { seed, applications, ..ServerPlan::default() });
            for (_, score, confidence) in found(&made, Method::Auto) {
                judged.push((confidence.unwrap_or(0.0), score.coefficient >= RIGHT));
                coefficients.push(score.coefficient);
            }
        }
        let median = quantile::between(&mut coefficients, 0.5);
        eprintln!("{}: {median:.3}", kind.name());
        assert!(median > 0.75, "{}: {median}", kind.name());
    }
    let mean = |right: Option<bool>| {
        let own = judged.iter().filter(|one| right.is_none_or(|right| one.1 == right));
        quantile::mean(own.map(|one| one.0)).expect("right and wrong ones")
    };
    let share = judged.iter().filter(|one| one.1).count() as f64 / judged.len() as f64;
    eprintln!(
        "{share:.2} right, confidence {:.2} if right, {:.2} if not",
        mean(Some(true)),
        mean(Some(false))
    );
    assert!(share > 0.75, "{share} right");
    // 84 signatures: the share has a standard error of 4 points.
    assert!((mean(None) - share).abs() < 0.12, "{} {share}", mean(None));
    assert!(mean(Some(true)) > mean(Some(false)) + 0.1, "confidence does not tell right from wrong");
}

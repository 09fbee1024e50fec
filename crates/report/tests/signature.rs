//! The page of signatures, from literal results; also from nonsensical results.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop

use marigraph_analysis::signature::{
    Application, ApplicationRun, Burst, Dropped, Method, Sample, Signature, Unusable, Used,
};
use marigraph_report::page::signature_page;
use marigraph_report::signature::Signed;

fn sample(rates: Vec<f64>) -> Sample {
    let duration_s = rates.len() as f64 * 2.0;
    Sample { rates, mended: Vec::new(), interval_s: 2.0, offset_s: 0.0, duration_s }
}

/// Ten minutes with three bursts of 10 s; of four runs one does not fit, and a fifth was not
/// observed.
fn checkpoints(app: &str) -> Signature {
    let busy = |second: usize| second % 200 >= 100 && second % 200 < 110;
    let write: Vec<f64> = (0..600).map(|second| if busy(second) { 1e9 } else { 0.0 }).collect();
    let seen = |shift: usize| -> Vec<f64> {
        (0..300).map(|at| 1e8 + if busy(2 * at + shift) { 1e9 } else { 0.0 }).collect()
    };
    let used = (0..3usize).map(|run| Used {
        run: ApplicationRun { job: format!("77{run}"), start: 1e9, end: 1e9 + 600.0 },
        sample: sample(seen(2 * run)),
        placed: (0..3).map(|n| (100.0 + 200.0 * f64::from(n), 110.0 + 200.0 * f64::from(n))).collect(),
    });
    let left_out = |job: &str, why, sample| Dropped { job: job.to_string(), why, sample };
    let burst = |n: i32| Burst {
        start_s: 100.0 + 200.0 * f64::from(n),
        end_s: 110.0 + 200.0 * f64::from(n),
        peak: 1e9,
        bytes: 1e10,
        support: 3,
        spread_s: 4.0,
    };
    Signature {
        application: Application { app: app.to_string(), user: "ann".to_string(), nodes: Some(64) },
        used: used.collect(),
        dropped: vec![
            left_out("778", Unusable::DoesNotFit, Some(sample(vec![3e8; 300]))),
            left_out("779", Unusable::GapInTheLog, None),
        ],
        write,
        read: vec![0.0; 600],
        bursts: (0..3).map(burst).collect(),
        period_s: Some(200.0),
        confidence: Some(0.63),
        evidence: None,
    }
}

fn page(all: &[Signature]) -> String {
    let signed =
        |signature| Signed { signature, method: Method::Auto, partition: None, scaling: None, problems: &[] };
    signature_page(&all.iter().map(signed).collect::<Vec<_>>())
}

fn count(page: &str, what: &str) -> usize {
    page.matches(what).count()
}

#[test]
fn an_application_is_drawn_with_its_runs_and_bursts() {
    let page = page(&[checkpoints("s3d<x>")]);
    assert!(page.contains("<h2>s3d&lt;x&gt; of ann, 64 nodes</h2>"), "hostile names stay text");
    assert!(!page.contains("All applications"), "one application needs no table of all");
    for words in ["3 min 20 s", "0.63", "9.31 GiB", "burst 2: from 300 s to 310 s, 9.31 GiB", "GiB/s"] {
        assert!(page.contains(words), "{words:?} is missing");
    }
    assert!(page.contains("min since the run&#39;s start"));
    // Bands of the signature and of each of the three runs, and marks below the runs.
    assert_eq!(count(&page, "<rect class=\"band\""), 3 + 3 * 3);
    assert_eq!(count(&page, "<rect class=\"mark\""), 3 * 3);
    assert_eq!(count(&page, "<path class=\"run\""), 3);
    assert_eq!(count(&page, "<path class=\"alone\""), 1);
    assert!(page.contains("job 771, burst 3: from 500 s to 510 s"));
}

#[test]
fn runs_that_were_left_out_are_grey_and_say_why() {
    let page = page(&[checkpoints("s3d")]);
    // Only one of the two was observed, so only that one can be drawn.
    assert_eq!(count(&page, "<path class=\"run left-out\""), 1);
    assert_eq!(count(&page, "<path class=\"left-out\""), 1);
    assert!(page.contains(">left out: the bursts of the other runs do not fit into it<"));
    assert!(page.contains("<table class=\"plain left-out\">"));
    assert!(page.contains(">779</td><td>the throughput log has a gap in it</td>"));
}

#[test]
fn of_many_the_heaviest_are_drawn_and_all_are_listed() {
    let all: Vec<Signature> = (0..60).map(|n| checkpoints(&format!("app{n:02}"))).collect();
    let page = page(&all);
    assert_eq!(count(&page, "<section id=\"app"), 50);
    assert!(page.contains(">app59</td>") && !page.contains("<h2>app59"));
    assert!(page.contains("The heaviest 50 are drawn below"));
    assert!(page.contains("60 applications"));
}

#[test]
fn long_runs_cost_no_more_than_the_picture_shows() {
    let mut long = checkpoints("long");
    let noise = |at: u64| (at.wrapping_mul(2_654_435_761) % 1000) as f64 * 1e6;
    for used in &mut long.used {
        used.sample = sample((0..200_000).map(noise).collect());
    }
    long.write = (0..400_000).map(noise).collect();
    long.dropped.clear();
    let (page, empty) = (page(&[long]), page(&[]));
    let size = page.len() - empty.len();
    assert!(size < 200_000, "{size} bytes");
}

#[test]
fn nonsense_is_drawn_somehow() {
    let mut odd = checkpoints("odd");
    odd.used[0].sample.rates[3] = f64::NAN;
    odd.used[1].sample.interval_s = 0.0;
    odd.used[2].sample.rates.clear();
    odd.bursts[1].start_s = f64::NAN;
    odd.bursts[2].bytes = f64::INFINITY;
    let none = Signature {
        used: Vec::new(),
        bursts: Vec::new(),
        write: Vec::new(),
        read: Vec::new(),
        period_s: None,
        ..checkpoints("none")
    };
    let page = page(&[odd, none]);
    assert!(page.contains("No bursts"));
    for coordinate in ["=\"NaN", "=\"inf", "MNaN", "VNaN", "HNaN", "Hinf", "Vinf"] {
        assert!(!page.contains(coordinate), "{coordinate}");
    }
}

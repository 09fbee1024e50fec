//! Periods in text and pictures, from literal results; also from nonsensical results.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop

use marigraph_analysis::period::evidence::{Moved, Seen};
use marigraph_analysis::period::{
    Candidate, DirectionFilter, Found, Method, Metrics, Outcome, Phase, Picture, Question, Rules, Sampling,
    Segment,
};
use marigraph_analysis::timeline::Evidence;
use marigraph_model::{Module, Problem, ProblemKind};
use marigraph_report::page::{period_page, period_part, period_svg};
use marigraph_report::period::{Periods, many_text};

const QUESTION: Question = Question {
    direction: DirectionFilter::Write,
    window: None,
    skip_first_phase: false,
    method: Method::Auto,
};

/// Six phases of 4 s, 20 s apart, then four 10 s apart; two samples per second.
fn changing() -> Outcome {
    let starts = (0..6).map(|n| 20.0 * f64::from(n)).chain((0..4).map(|n| 120.0 + 10.0 * f64::from(n)));
    let phases: Vec<Phase> =
        starts.map(|start_s| Phase { start_s, end_s: start_s + 4.0, bytes: 4.0e9 }).collect();
    let busy = |time: f64| phases.iter().any(|phase| (phase.start_s..phase.end_s).contains(&time));
    let signal: Vec<f64> = (0..320).map(|n| if busy(f64::from(n) / 2.0) { 1e9 } else { 0.0 }).collect();
    // The window holds eight periods.
    let spectrum = (1..=160).map(|n| if n == 8 { 0.3 } else { 0.004 }).collect();
    let segment = |from_s, to_s, period_s, confidence| Segment { from_s, to_s, period_s, confidence };
    Outcome {
        period_s: Some(20.0),
        confidence: 0.42,
        candidates: vec![
            Candidate { period_s: 20.0, power: 0.3, z: 12.5, confidence: 0.42 },
            Candidate { period_s: 10.0, power: 0.2, z: 8.0, confidence: 0.31 },
            Candidate { period_s: 3.0, power: 0.01, z: 0.5, confidence: 0.001 },
        ],
        segments: vec![segment(0.0, 120.0, Some(20.0), 0.99), segment(120.0, 160.0, Some(10.0), 0.7)],
        autocorrelation: Some((19.5, 0.5)),
        metrics: Metrics {
            sigma_vol: Some(0.125),
            sigma_time: Some(0.1),
            periodicity_score: Some(0.775),
            r_io: 0.25,
            b_io: 1e9,
            bytes_per_period: Some(5e9),
        },
        sampling_hz: 2.0,
        samples: 320,
        window_s: [0.0, 160.0],
        phases,
        picture: Picture { signal, spectrum, autocorrelation: vec![0.5; 320] },
        ..Outcome::default()
    }
}

fn told(outcome: Outcome, evidence: Evidence, bin_s: Option<f64>) -> Periods {
    let moved = Moved { read_bytes: 1024.0, written_bytes: 4e10, first_s: 0.0, last_s: 160.0 };
    let seen = Seen { interfaces: [Module::Posix, Module::Stdio].into(), moved, bin_s };
    Periods::new("runs/a.mari", &QUESTION, Found { evidence, seen, outcome }, Vec::new())
}

#[test]
fn an_answer_in_words() {
    let mut periods = told(changing(), Evidence::Trace, None);
    periods.problems.push(Problem::new(ProblemKind::Partial, "some is missing"));
    let expected = "\
input       runs/a.mari
analysed    writes, 0 s to 2 min 40 s
times       every operation, POSIX and STDIO
period      20 s, 0.05 Hz
confidence  42 %: as likely as not
phases      10, 3.73 GiB and 4.00 s long in the median
heavy I/O   25.0 % of the time at 954 MiB/s, 4.66 GiB per period
regularity  77.5 % (volume of periods varies by 12.5 %, time in I/O by 10.0 %)
correlation 19.5 s, 50 %

other candidates
period  confidence  share of power    z
  10 s        31 %          20.0 %  8.0

stretches
     from          to  period  confidence
      0 s   2 min 0 s    20 s        99 %
2 min 0 s  2 min 40 s    10 s        70 %

hint: low confidence; check it with --plot FILE.svg

hint: behaviour changes during the run; --window FROM:TO selects one segment

problems
  partial: some is missing
";
    assert_eq!(periods.text(80), expected);
    assert!(expected.lines().all(|line| line.chars().count() <= 80));
}

#[test]
fn what_is_missing_is_told() {
    let none = Outcome { period_s: None, segments: Vec::new(), ..changing() };
    let text = told(none.clone(), Evidence::Heatmap, Some(2.0)).text(80).replace("\n     ", "");
    assert!(
        text.contains("none found") && text.contains("candidates, none of them certain enough"),
        "{text}"
    );
    assert!(
        text.contains("heat maps of 2.00 s per bin") && text.contains("record single operations"),
        "{text}"
    );
    let few = Outcome { phases: none.phases[..2].to_vec(), ..none.clone() };
    assert!(told(few, Evidence::Trace, None).text(80).contains("three I/O phases"));
    let steady = Outcome { phases: Vec::new(), ..none };
    assert!(told(steady, Evidence::Trace, None).text(80).contains("there are no phases"));
    let silent = told(Outcome::default(), Evidence::Trace, None);
    let text = silent.text(80).replace("\n     ", "");
    assert!(text.contains("1.00 KiB read and 37.3 GiB written"), "{text}");
    assert!(silent.json()["period_s"].is_null() && silent.json()["sigma_vol"].is_null());
    let single = Outcome { samples: 1, ..Outcome { period_s: None, ..changing() } };
    assert!(told(single, Evidence::Heatmap, Some(0.1)).text(80).contains("too few"));
    let sampled = Outcome { abstraction_error: 0.3, ..changing() };
    assert!(told(sampled, Evidence::Trace, None).text(80).contains("raise --sampling"));
}

#[test]
fn no_probability_is_a_certainty() {
    let sure = told(Outcome { confidence: 0.9999, ..changing() }, Evidence::Trace, None);
    assert_eq!(sure.confidence_words(), "over 99 %: nearly certain");
    let published =
        Periods { method: Method::Dft { sampling: Sampling::Usual, rules: Rules::PUBLISHED }, ..sure };
    assert_eq!(published.confidence_words(), "100 % by the published measure, which is not a probability");
}

#[test]
fn a_table_over_many() {
    let lines = [told(changing(), Evidence::Trace, None), told(Outcome::default(), Evidence::Trace, None)];
    let text = many_text(&lines.map(|periods| periods.line()), 80);
    assert!(
        text.contains("20.0 s") && text.contains("none") && text.ends_with("2 logs, 1 with a period\n"),
        "{text}"
    );
}

#[test]
fn a_picture_has_all_that_was_found() {
    let svg = period_svg(&told(changing(), Evidence::Trace, None));
    let count = |part: &str| svg.matches(part).count();
    assert_eq!((count("class=\"phase\""), count("class=\"band\""), count("class=\"stretch\"")), (10, 10, 2));
    assert_eq!(count("class=\"tooth\""), 6 + 4, "a comb for each stretch");
    assert_eq!((count("class=\"dot answer\""), count("class=\"dot other\"")), (1, 1), "what is credible");
    assert!(svg.contains("20 s · 42 % · z 12.5") && svg.contains("phase 10: from 150 s to 154 s, 3.73 GiB"));
    let none = Outcome { period_s: None, candidates: Vec::new(), ..changing() };
    assert!(period_svg(&told(none, Evidence::Trace, None)).contains("20 s · strongest line"));
    assert!(svg.contains("<path class=\"curve\"") && svg.contains("<path class=\"trace\""));
}

#[test]
fn very_many_phases_are_counted_not_drawn() {
    let phase = |n: i32| Phase { start_s: f64::from(n), end_s: f64::from(n) + 0.5, bytes: 1.0 };
    let outcome = Outcome {
        period_s: Some(1.0),
        phases: (0..100_000).map(phase).collect(),
        window_s: [0.0, 100_000.0],
        segments: Vec::new(),
        sampling_hz: 2.0,
        picture: Picture { signal: [1e6, 0.0].repeat(100_000), ..Picture::default() },
        ..changing()
    };
    let svg = period_svg(&told(outcome, Evidence::Trace, None));
    assert!(svg.contains("100,000 phases in view") && svg.contains("A closer look"));
    assert!(svg.len() < 100_000, "{} bytes", svg.len());
}

#[test]
fn nonsense_does_no_harm() {
    let odd = [0.0, -1.0, 1e-300, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    for (value, other) in odd.iter().flat_map(|&value| odd.map(|other| (value, other))) {
        let base = changing();
        let phases = vec![Phase { start_s: value, end_s: other, bytes: value }; 3];
        let candidates = vec![Candidate { period_s: value, power: other, z: value, confidence: 0.5 }; 2];
        let segments =
            vec![Segment { from_s: value, to_s: other, period_s: Some(value), confidence: 0.5 }; 2];
        let (signal, spectrum) = (vec![value, other, 1.0], vec![other]);
        let picture = Picture { signal, spectrum, autocorrelation: vec![value] };
        for outcome in [
            Outcome { period_s: Some(value), window_s: [0.0, other], ..base.clone() },
            Outcome { sampling_hz: value, window_s: [value, other], ..base.clone() },
            Outcome { phases, candidates, ..base.clone() },
            Outcome { segments, picture, ..base },
        ] {
            let periods = told(outcome, Evidence::Heatmap, Some(other));
            let svg = period_svg(&periods);
            let mut attributes = svg.split("</style>").nth(1).expect("body").split('"').skip(1).step_by(2);
            let nowhere = |place: &str| place.contains("NaN") || place.contains("inf");
            assert!(!attributes.any(nowhere), "{value} {other}\n{svg}");
            assert!(svg.len() < 200_000, "{value} {other}");
            assert!(period_page(&[period_part(&periods)]).len() > 1000);
            assert!(!periods.text(80).is_empty() && periods.json().is_object());
        }
    }
}

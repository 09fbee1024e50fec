use super::*;
use marigraph_model::Event;
use marigraph_model::{FileId, Rank, Trace};
use proptest::prelude::*;

const SECOND: f64 = 1e9;

fn trace(requests: &[(f64, f64, u64, Direction)]) -> Trace {
    let mut trace = Trace::default();
    for &(start, end, bytes, op) in requests {
        trace.events.push(Event {
            interface: Module::Posix,
            direction: op,
            rank: Rank(0),
            file: FileId(1),
            start: Nanos((start * SECOND) as i64),
            end: Nanos((end * SECOND) as i64),
            offset: None,
            bytes,
            thread: None,
        });
    }
    trace
}

fn everything(_: Module, _: Direction) -> bool {
    true
}

fn sample(trace: &Trace, sampling_hz: f64, wanted: impl Fn(Module, Direction) -> bool + Copy) -> Signal {
    let mut extent = Extent::new(wanted);
    trace.stream(&mut extent);
    let (evidence, span) = extent.span().expect("some I/O");
    let mut samples = Samples::new(evidence, [span.first, span.last], sampling_hz, wanted);
    trace.stream(&mut samples);
    samples.finish()
}

#[test]
fn rates_of_requests_under_way_add_up() {
    let requests = [
        (1.0, 3.0, 20, Direction::Write),
        (2.0, 6.0, 40, Direction::Write),
        (5.5, 6.0, 1, Direction::Read),
        (7.0, 9.0, 2, Direction::Read),
    ];
    let signal = sample(&trace(&requests), 1.0, everything);
    assert_eq!(signal.samples, [10.0, 20.0, 10.0, 10.0, 10.0, 0.0, 1.0, 1.0]);
    assert_eq!((signal.start_s, signal.end_s, signal.sampling_hz), (1.0, 9.0, 1.0));
    // The read between two instants is not seen.
    assert!((signal.abstraction_error - 1.0 / 63.0).abs() < 1e-12, "{signal:?}");
    let written = sample(&trace(&requests), 1.0, |_, op| op == Direction::Write);
    assert_eq!(written.samples, [10.0, 20.0, 10.0, 10.0, 10.0]);
    assert_eq!(written.abstraction_error, 0.0);
}

#[test]
fn a_window_cuts_requests() {
    let trace = trace(&[(0.0, 10.0, 100, Direction::Read)]);
    let window = [Nanos(2_500_000_000), Nanos(7_000_000_000)];
    let mut samples = Samples::new(Evidence::Trace, window, 2.0, everything);
    trace.stream(&mut samples);
    let signal = samples.finish();
    assert_eq!(signal.samples, [10.0; 9]);
    assert!(signal.abstraction_error < 1e-12);
}

#[test]
fn instants_at_a_border_are_exact() {
    // Requests that start and end at instants, whose distance is whole but whose rate often is not.
    for step_ns in [3_000_000_000i64, 10_000_000_000, 100_000_000, 1_000_000, 700_000_000, 7_919] {
        let mut trace = trace(&[]);
        for (first, last) in [(0, 7), (4001, 5000)] {
            let mut event =
                super::tests::trace(&[(0.0, 0.0, 99, Direction::Read)]).events.get(0).expect("one");
            (event.start, event.end) = (Nanos(first * step_ns), Nanos(last * step_ns));
            trace.events.push(event);
        }
        let signal = sample(&trace, 1e9 / step_ns as f64, everything);
        assert_eq!(signal.samples.len(), 5000, "{step_ns}");
        let busy: Vec<usize> = (0..5000).filter(|&n| signal.samples[n] > 0.0).collect();
        assert_eq!(busy, (0..7).chain(4001..5000).collect::<Vec<_>>(), "{step_ns}");
    }
}

#[test]
fn silence_is_exactly_nothing() {
    let rates = [1_000_000_007, 13, 999_999_999_989, 3];
    let request =
        |(n, &bytes): (usize, &u64)| (0.1 * n as f64, 5.3 + 0.7 * n as f64, bytes, Direction::Write);
    let mut requests: Vec<_> = rates.iter().enumerate().map(request).collect();
    requests.push((20.0, 21.0, 1, Direction::Write));
    let signal = sample(&trace(&requests), 10.0, everything);
    assert!(signal.samples[80..200].iter().all(|&rate| rate == 0.0));
    assert!((signal.samples[205] - 1.0).abs() < 1e-12);
}

#[test]
fn odd_requests_are_taken_as_they_can_be() {
    let requests =
        [(4.0, 2.0, 10, Direction::Read), (3.0, 3.0, 5, Direction::Read), (0.0, 1.0, 0, Direction::Read)];
    let signal = sample(&trace(&requests), 1.0, everything);
    assert_eq!(signal.samples, [0.0, 0.0, 5.0, 5.0 + 5e6]);
    let mut extreme = trace(&[]);
    for (start, end) in [(i64::MIN, i64::MAX), (i64::MAX, i64::MAX), (0, 0)] {
        let mut event = trace(&[(0.0, 0.0, u64::MAX, Direction::Read)]).events.get(0).expect("one");
        (event.start, event.end) = (Nanos(start), Nanos(end));
        extreme.events.push(event);
    }
    let signal = sample(&extreme, 1e-6, everything);
    assert!(signal.samples.iter().all(|rate| rate.is_finite()), "{:?}", signal.abstraction_error);
}

#[test]
fn nonsense_rates_give_no_samples() {
    for sampling_hz in [0.0, -1.0, f64::NAN] {
        assert!(
            sample(&trace(&[(0.0, 5.0, 10, Direction::Read)]), sampling_hz, everything).samples.is_empty()
        );
    }
    let short = sample(&trace(&[(0.0, 0.05, 10, Direction::Read)]), 10.0, everything);
    assert_eq!((short.samples.len(), short.abstraction_error), (0, 0.0));
}

#[test]
fn samples_are_capped() {
    let signal = sample(&trace(&[(0.0, 10.0, 10, Direction::Read)]), 1e9, everything);
    assert_eq!(signal.samples.len(), MAX_SAMPLES);
    assert_eq!(signal.sampling_hz, MAX_SAMPLES as f64 / 10.0);
    assert!(signal.abstraction_error < 1e-9);
}

#[test]
fn bins_of_a_heatmap_are_the_samples() {
    for bin_s in [0.1, 0.2, 1.6, 1.0 / 3.0, 0.7] {
        let mut read = vec![0u64; 5000];
        read[100..4800].iter_mut().step_by(3).for_each(|bytes| *bytes = 42);
        let series = Series {
            interface: Module::Posix,
            rank: Rank(0),
            bin_s,
            read: read.clone(),
            written: vec![9; 9999],
        };
        let mut trace = Trace { series: vec![series], ..Trace::default() };
        let reads = |_, op| op == Direction::Read;
        let mut extent = Extent::new(reads);
        trace.stream(&mut extent);
        assert_eq!(extent.bins_per_second(), Some(1.0 / bin_s));
        let signal = sample(&trace, 1.0 / bin_s, reads);
        let expected: Vec<f64> = read[100..=4798].iter().map(|&bytes| bytes as f64 / bin_s).collect();
        assert_eq!(signal.samples.len(), expected.len(), "{bin_s}");
        let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * b.abs();
        assert!(signal.samples.iter().zip(&expected).all(close), "{bin_s}");
        assert!(signal.abstraction_error < 1e-6, "{}", signal.abstraction_error);
        // Single operations are the better evidence, where there are any.
        trace.events = super::tests::trace(&[(0.0, 4.0, 8, Direction::Read)]).events;
        assert_eq!(sample(&trace, 1.0, reads).samples, [2.0; 4]);
    }
}

proptest! {
    #[test]
    fn each_sample_is_the_sum_at_its_instant(
        requests in proptest::collection::vec((0i64..1000, 0i64..300, 1u64..1_000_000), 1..40),
        step in 1i64..40,
    ) {
        let list: Vec<_> = requests.iter().map(|&(start, length, bytes)| {
            (start as f64 / 1e3, (start + length) as f64 / 1e3, bytes, Direction::Write)
        }).collect();
        let signal = sample(&trace(&list), 1000.0 / step as f64, everything);
        let first = requests.iter().map(|request| request.0).min().expect("some");
        for (n, &sample) in signal.samples.iter().enumerate() {
            let now = first + n as i64 * step;
            let under_way = |&&(start, length, _): &&(i64, i64, u64)| start <= now && now < start + length.max(1);
            let rate = |&(_, length, bytes): &(i64, i64, u64)| {
                if length == 0 { bytes as f64 * 1e6 } else { bytes as f64 * 1e3 / length as f64 }
            };
            let expected: f64 = requests.iter().filter(under_way).map(rate).sum();
            prop_assert!((sample - expected).abs() <= 1e-6 * expected.max(1.0), "{n}: {sample} {expected}");
        }
    }
}

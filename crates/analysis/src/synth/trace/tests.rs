use super::*;

fn plain(seed: u64) -> TracePlan {
    TracePlan { request_bytes: 100_000_000, ..TracePlan::new(TraceKind::Plain, seed) }
}

fn volume(requests: &[Request]) -> u64 {
    requests.iter().map(|request| request.bytes).sum()
}

fn phases<'a>(plan: &TracePlan, requests: &'a [Request], starts_s: &[f64]) -> Vec<Vec<&'a Request>> {
    let own = requests.iter().filter(|request| request.rank < plan.ranks);
    let mut phases = vec![Vec::new(); starts_s.len()];
    for request in own {
        let place = starts_s.partition_point(|&start_s| start_s <= request.start_s);
        phases[place.checked_sub(1).expect("no request before the first phase")].push(request);
    }
    phases
}

#[test]
fn a_seed_makes_one_trace() {
    for (kind, name) in TraceKind::ALL {
        let (a, b) = (TracePlan::new(kind, 5), TracePlan::new(kind, 6));
        assert_eq!(trace(&a), trace(&a), "{name}");
        assert_ne!(trace(&a).0, trace(&b).0, "{name}");
    }
}

#[test]
fn plain_traces_are_those_of_the_study() {
    let plan = TracePlan { phi_s: 10.4, cpu_sigma: 0.5, noise_bytes_per_s: 1e9, ..plain(1) };
    let (requests, truth) = trace(&plan);
    let phases = phases(&plan, &requests, &truth.starts_s);
    assert_eq!(phases.len(), 20);
    let (mut end_s, mut ends_s) = (0.0, Vec::new());
    for (phase, &start_s) in phases.iter().zip(&truth.starts_s) {
        assert!(start_s > end_s, "iterations overlap");
        assert_eq!(phase[0].start_s, start_s);
        assert_eq!(phase[0].rank, 0);
        for rank in 0..plan.ranks {
            let own = phase.iter().filter(|request| request.rank == rank);
            assert_eq!(own.map(|request| request.bytes).sum::<u64>(), plan.rank_bytes);
        }
        end_s = phase.iter().map(|request| request.end_s).fold(0.0, f64::max);
        ends_s.push(end_s);
    }
    assert_eq!(end_s, truth.duration_s);
    assert_eq!(ends_s, truth.ends_s);
    let mean_s = (truth.starts_s[19] - truth.starts_s[0]) / 19.0;
    assert!((truth.period_s.expect("a period") - mean_s).abs() < 1e-9);
}

#[test]
fn phases_look_like_runs_of_ior() {
    let lengths_s: Vec<f64> = (0..50)
        .flat_map(|seed| {
            let plan = TracePlan { request_bytes: 1 << 40, ..plain(seed) };
            let (requests, truth) = trace(&plan);
            let length_s = |phase: &Vec<&Request>| {
                phase.iter().map(|request| request.end_s).fold(0.0, f64::max) - phase[0].start_s
            };
            phases(&plan, &requests, &truth.starts_s).iter().map(length_s).collect::<Vec<f64>>()
        })
        .collect();
    assert!(lengths_s.iter().all(|length_s| (10.21..=13.35).contains(length_s)));
    let mean_s = lengths_s.iter().sum::<f64>() / lengths_s.len() as f64;
    assert!((mean_s - 10.4).abs() < 0.03, "{mean_s}");
}

#[test]
fn a_request_size_decides_only_the_number_of_requests() {
    let few = trace(&TracePlan { request_bytes: 1_000_000_000, ..plain(2) }).0;
    let many = trace(&TracePlan { request_bytes: 70_000_000, ..plain(2) }).0;
    assert_eq!((few.len(), many.len()), (4 * 32 * 20, 50 * 32 * 20));
    assert_eq!((volume(&few), volume(&many)), (32 * 20 * 3_500_000_000, 32 * 20 * 3_500_000_000));
}

#[test]
fn noise_has_a_rank_and_a_rate_of_its_own() {
    let plan = TracePlan { noise_bytes_per_s: 5e8, ..plain(3) };
    let (requests, truth) = trace(&plan);
    let noise: Vec<Request> = requests.into_iter().filter(|request| request.rank == 32).collect();
    let busy_s: f64 = noise.iter().map(|request| request.end_s - request.start_s).sum();
    assert!(busy_s > 0.3 * truth.duration_s && busy_s < truth.duration_s);
    assert!((volume(&noise) as f64 / busy_s / 5e8 - 1.0).abs() < 0.05);
}

#[test]
fn every_trace_agrees_with_its_truth() {
    for (kind, name) in TraceKind::ALL {
        for seed in 0..20 {
            let plan = TracePlan::new(kind, seed);
            let (requests, truth) = trace(&plan);
            let case = format!("{name} {seed}");
            assert!(
                requests.iter().all(|request| request.bytes > 0 && request.end_s > request.start_s),
                "{case}"
            );
            assert!(requests.iter().all(|request| request.start_s >= 0.0), "{case}");
            assert!(requests.is_sorted_by(|a, b| a.start_s <= b.start_s), "{case}");
            assert_eq!(truth.period_s.is_some(), kind.is_periodic(), "{case}");
            assert_eq!(truth.starts_s.is_empty(), !kind.is_periodic(), "{case}");
            for &start_s in &truth.starts_s {
                assert!(
                    requests.iter().any(|request| request.start_s == start_s),
                    "{case}: nothing at {start_s}"
                );
            }
            assert!(truth.first_iteration_end_s < truth.last_iteration_start_s, "{case}");
            assert!(truth.segments.last().is_some_and(|segment| segment.to_s == truth.duration_s), "{case}");
        }
    }
}

#[test]
fn kinds_keep_their_promises() {
    for seed in 0..20 {
        let made = |kind| trace(&TracePlan::new(kind, seed));
        let truth = made(TraceKind::Regimes).1;
        let [before, after] = truth.segments[..] else { panic!("not two regimes") };
        let (a, b) = (before.period_s.expect("a period"), after.period_s.expect("a period"));
        assert!((a / b).max(b / a) > 1.3, "{a} {b}");
        assert!((0.2..0.8).contains(&(before.to_s / truth.duration_s)));
        assert_eq!(made(TraceKind::Two).1.activities.len(), 2);
        let distances =
            |starts_s: &[f64]| starts_s.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<f64>>();
        let drift = distances(&made(TraceKind::Drift).1.starts_s);
        let change = drift[drift.len() - 1] / drift[0];
        assert!(!(0.97..=1.03).contains(&change), "{change}");
        let (requests, truth) = made(TraceKind::Reads);
        assert!(requests.iter().all(|request| request.write == (request.start_s >= truth.starts_s[0])));
        let foreign = TracePlan::new(TraceKind::Foreign, seed);
        assert!(trace(&foreign).0.iter().any(|request| request.rank >= foreign.ranks));
        let hacc = made(TraceKind::Hacc).1;
        assert!((hacc.period_s.expect("a period") - 7.7).abs() < 0.7);
        assert!(hacc.starts_s[1] - hacc.starts_s[0] > 11.0);
    }
}

/// Seconds of each pause of a rank within each phase.
fn pauses(phases: &[Vec<&Request>], rank: u32) -> Vec<Vec<f64>> {
    let of_phase = |phase: &Vec<&Request>| {
        let own: Vec<&&Request> = phase.iter().filter(|request| request.rank == rank).collect();
        let gaps = own.windows(2).map(|pair| pair[1].start_s - pair[0].end_s);
        gaps.filter(|&gap_s| gap_s > 1e-9).collect()
    };
    phases.iter().map(of_phase).collect()
}

/// Standard deviation of the phases' volumes, relative to their mean.
fn spread(phases: &[Vec<&Request>]) -> f64 {
    let volumes: Vec<f64> =
        phases.iter().map(|phase| phase.iter().map(|request| request.bytes as f64).sum()).collect();
    let mean = volumes.iter().sum::<f64>() / volumes.len() as f64;
    (volumes.iter().map(|volume| (volume / mean - 1.0).powi(2)).sum::<f64>() / volumes.len() as f64).sqrt()
}

#[test]
fn phases_are_spoilt_as_promised() {
    for seed in 0..20 {
        let check = |kind: TraceKind, kept: &dyn Fn(&TracePlan, &[Vec<&Request>]) -> bool| {
            let plan = TracePlan::new(kind, seed);
            let (requests, truth) = trace(&plan);
            let requests: Vec<Request> = requests.into_iter().filter(|request| request.write).collect();
            assert!(kept(&plan, &phases(&plan, &requests, &truth.starts_s)), "{} {seed}", kind.name());
        };
        check(TraceKind::Plain, &|_, phases| spread(phases) < 1e-9 && pauses(phases, 0).concat().is_empty());
        check(TraceKind::Unequal, &|_, phases| spread(phases) > 0.1);
        check(TraceKind::Missing, &|plan, phases| {
            let everybody = plan.ranks as usize;
            let present = |phase: &Vec<&Request>| {
                phase.iter().map(|request| request.rank).collect::<std::collections::HashSet<u32>>().len()
            };
            phases.iter().any(|phase| present(phase) < everybody)
                && phases.iter().all(|phase| present(phase) > 0)
        });
        check(TraceKind::Bursts, &|plan, phases| {
            pauses(phases, 0).iter().all(|gaps| (1..=4).contains(&gaps.len()))
                && pauses(phases, 0).concat().iter().all(|&gap_s| gap_s < 0.7 * plan.cpu_s)
        });
        check(TraceKind::SubBursts, &|_, phases| pauses(phases, 1).iter().all(|gaps| gaps.len() >= 4));
        check(TraceKind::Stragglers, &|plan, phases| {
            let late = |phase: &Vec<&Request>| {
                let end_s = phase.iter().map(|request| request.end_s).fold(0.0, f64::max);
                end_s - phase[0].start_s > 1.3 * plan.io_s
                    || end_s - phase[0].start_s > plan.io_s + 0.02 * plan.cpu_s
            };
            phases.iter().any(late)
        });
        check(TraceKind::First, &|plan, phases| {
            let length_s = |phase: &Vec<&Request>| {
                phase.iter().map(|request| request.end_s).fold(0.0, f64::max) - phase[0].start_s
            };
            let odd = |phase: &Vec<&Request>| !(0.7..1.5).contains(&(length_s(phase) / plan.io_s));
            let [first, middle @ .., last] = phases else { panic!("too few phases") };
            odd(first) != odd(last) && !middle.iter().any(odd)
        });
    }
}

#[test]
fn windows_cut_requests_in_proportion() {
    let request = Request { rank: 3, start_s: 10.0, end_s: 20.0, bytes: 1000, write: true };
    let part = |from_s, to_s| {
        cut(&[request], [from_s, to_s]).pop().map(|part| (part.start_s, part.end_s, part.bytes))
    };
    assert_eq!(part(0.0, 30.0), Some((10.0, 20.0, 1000)));
    assert_eq!(part(12.0, 15.0), Some((12.0, 15.0, 300)));
    assert_eq!(part(20.0, 30.0), None);
    let instant = Request { end_s: 10.0, ..request };
    assert_eq!(cut(&[instant], [0.0, 30.0]), [instant]);
    assert_eq!(cut(&[instant], [11.0, 30.0]), []);
}

#[test]
fn windows_lie_in_their_iterations() {
    let (requests, truth) = trace(&plain(4));
    for seed in 0..20 {
        let windows = Windows::of(&requests, &truth, seed);
        assert_eq!(windows.full, [0.0, truth.duration_s]);
        assert_eq!(windows.io, [truth.starts_s[0], truth.duration_s]);
        assert!(
            windows.cut[0] < truth.first_iteration_end_s && windows.cut[1] > truth.last_iteration_start_s
        );
        assert!(volume(&cut(&requests, windows.cut)) < volume(&requests));
    }
}

#[test]
fn names_lead_to_kinds() {
    for (kind, name) in TraceKind::ALL {
        assert_eq!((TraceKind::named(name), kind.name()), (Some(kind), name));
    }
    assert_eq!(TraceKind::named("tidy"), None);
    assert_eq!(TraceKind::dirty().count(), TraceKind::ALL.len() - 1);
}

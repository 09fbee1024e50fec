use std::collections::{BTreeMap, BTreeSet};

use marigraph_model::contents::By;
use marigraph_model::{FileId, Module, Scope, Trace};

use super::bulk::{Class, MIB, Sharing};
use super::idle::IDLE_ROWS;
use super::*;
use crate::usage::JobUsage;

fn plan(seed: u64) -> SystemPlan {
    SystemPlan { seed, jobs: 1500, days: 10, logs_share: 0.27, servers: 3 }
}

fn near(value: f64, wanted: f64, tolerance: f64) -> bool {
    (value - wanted).abs() <= tolerance * wanted.abs()
}

#[test]
fn seeds_decide_all_that_varies() {
    let (one, same, other) = (system(&plan(1)), system(&plan(1)), system(&plan(2)));
    assert_eq!((&one.runs, &one.jobs, &one.minutes.rates), (&same.runs, &same.jobs, &same.minutes.rates));
    assert_ne!(one.runs, other.runs);
    assert_ne!(one.minutes.rates, other.minutes.rates);
    // The parameters are the same for every seed.
    assert_eq!(one.contents, other.contents);
    assert_eq!(one.minutes.idle, other.minutes.idle);
}

#[test]
fn jobs_are_as_many_as_asked_for() {
    let made = system(&plan(3));
    let ended = made.jobs.iter().filter(|job| job.core_hours().is_some());
    assert_eq!(ended.clone().count(), 1500);
    assert_eq!(ended.clone().filter(|job| job.instrumented).count(), 405);
    assert!(made.jobs.iter().any(|job| job.start.is_some() && job.end.is_none()), "some still run");
    let projects: BTreeSet<usize> = ended.clone().map(|job| job.project).collect();
    let covered: BTreeSet<usize> = ended.filter(|job| job.instrumented).map(|job| job.project).collect();
    assert_eq!((projects.len(), covered.len()), (66, 39));
    let mut seen: BTreeMap<u64, Vec<i64>> = BTreeMap::new();
    for job in &made.jobs {
        seen.entry(job.id).or_default().extend(job.start);
    }
    let again: Vec<&Vec<i64>> = seen.values().filter(|starts| starts.len() > 1).collect();
    assert!(!again.is_empty() && again.iter().all(|starts| (starts[1] - starts[0]).abs() > 4 * DAY));
}

#[test]
fn a_full_system_has_the_published_coverage() {
    let made = system(&SystemPlan { jobs: 20_000, days: 60, ..plan(1) });
    let projects = &made.truth.projects;
    let hours = [0, 1].map(|at| projects.iter().map(|project| project.core_hours[at]).sum::<f64>());
    assert!(near(hours[0], 42e6, 0.002) && near(hours[1], 175e6, 0.002), "{hours:?}");
    let names: Vec<&str> = projects.iter().take(10).map(|project| project.name.as_str()).collect();
    let published = projects::HIGHLIGHTED.each_ref().map(|project| project.name);
    assert_eq!(names, published);
    assert_eq!(projects[2].apis, "H,M,S,P");
    assert!(near(projects[0].bytes.iter().sum::<u64>() as f64, 3.5 * MIB * MIB * 1024.0, 0.01));
    let sizes: Vec<u64> = made.truth.bins.iter().map(|bin| bin.high).collect();
    assert_eq!((sizes.first(), sizes.last()), (Some(&1), Some(&262_144)), "from 1 to 131,072 processes");
}

#[test]
fn runs_fit_into_their_jobs() {
    let made = system(&plan(4));
    for run in made.runs.iter().filter(|run| run.project.is_some()) {
        let inside = |job: &&BatchRow| {
            let (Some(start), Some(end)) = (job.start, job.end) else { return false };
            job.id == run.job_id && start <= run.start && run.start + run.runtime_s <= end
        };
        let job = made.jobs.iter().find(inside).expect("its job");
        assert_eq!((Some(job.project), job.nodes, job.instrumented), (run.project, run.nodes, true));
        let busy = run.bulk.map_or(0.0, |bulk| bulk.slowest_s);
        assert!(busy <= run.runtime_s as f64, "{run:?}");
    }
    assert!(made.truth.without_files > 0 && made.truth.strangers > 0);
}

/// Ranks of each file in the records of any interface; `None` where one record covers all
/// processes.
fn users(trace: &Trace) -> BTreeMap<FileId, Option<BTreeSet<u32>>> {
    let mut users: BTreeMap<FileId, Option<BTreeSet<u32>>> = BTreeMap::new();
    let records =
        trace.records.iter().filter(|(module, _)| !matches!(module, Module::H5d | Module::PnetcdfVar));
    for record in records.flat_map(|(_, records)| records.iter()) {
        let ranks = users.entry(record.file).or_insert_with(|| Some(BTreeSet::new()));
        match record.scope {
            Scope::Shared => *ranks = None,
            Scope::Rank(rank) => ranks.iter_mut().for_each(|ranks| {
                ranks.insert(rank.0);
            }),
        }
    }
    users
}

fn class(ranks: Option<&BTreeSet<u32>>, nprocs: u32) -> Class {
    match ranks.map(BTreeSet::len) {
        _ if nprocs == 1 => Class::Unique,
        None => Class::Shared,
        Some(ranks) if ranks == nprocs as usize => Class::Shared,
        Some(1) => Class::Unique,
        Some(_) => Class::Partial,
    }
}

#[test]
fn logs_tell_what_was_planned() {
    let plan = plan(5);
    let made = system(&plan);
    let mut kinds = BTreeSet::new();
    for run in &made.runs {
        let trace = system_log(&plan, run);
        let mut usage = JobUsage::default();
        trace.stream(&mut usage);
        let totals = usage.totals();
        assert_eq!([totals.read_bytes, totals.written_bytes], run.bytes(), "{run:?}");
        let users = users(&trace);
        assert_eq!(users.len() as u64, run.files());
        let Some(bulk) = run.bulk else { continue };
        kinds.insert(format!("{:?}{:?}", bulk.stack, bulk.sharing.class()));
        if bulk.mib() > 0.0 {
            let (_, estimate) = usage.performance().expect("a speed");
            assert!(near(estimate.mib_per_s() / f64::from(run.nodes), bulk.speed, 1e-3), "{run:?}");
        }
        if bulk.stack.has_posix() {
            let order = &usage.modules[&Module::Posix].order;
            let counted = [order.sequential_reads, order.sequential_writes, order.unaligned_in_file];
            assert_eq!(counted, bulk.counted().map(|calls| calls * bulk.records), "{run:?}");
        }
        let own = users.iter().filter(|(id, _)| {
            trace.files.name(**id).is_some_and(|name| name.windows(5).any(|part| part == b"data."))
        });
        assert!(
            own.into_iter().all(|(_, ranks)| class(ranks.as_ref(), run.nprocs) == bulk.sharing.class()),
            "{run:?}"
        );
        if let Sharing::Unique { ranks, .. } = bulk.sharing {
            assert!(ranks <= run.nprocs);
        }
    }
    assert!(kinds.len() > 10, "{kinds:?}");
}

#[test]
fn minutes_have_their_idle_periods() {
    for days in [2, 10, 60] {
        let made = minutes::minutes(&SystemPlan { days, ..plan(6) });
        let both: Vec<u64> = made.rates.iter().map(|(_, [read, written])| read + written).collect();
        let peak = *both.iter().max().expect("minutes");
        assert_eq!(peak as f64, made.peaks[2]);
        let mut rows = [(0u64, 0u64); 9];
        let mut length = 0;
        for (at, &rate) in both.iter().enumerate() {
            let idle = (rate as f64) < 0.05 * peak as f64;
            length += u64::from(idle);
            let goes_on = made.rates.get(at + 1).is_some_and(|next| next.0 == made.rates[at].0 + 60);
            let next_idle = goes_on && (both[at + 1] as f64) < 0.05 * peak as f64;
            if length > 0 && !next_idle {
                let row = IDLE_ROWS.iter().rposition(|(low, ..)| *low <= length).expect("a row");
                rows[row] = (rows[row].0 + 1, rows[row].1 + length);
                length = 0;
            }
        }
        assert_eq!(rows, made.idle, "{days} days");
        assert_eq!(both.iter().filter(|rate| **rate == 0).count() as u64, made.silent);
        assert_eq!(both.iter().filter(|&&rate| rate as f64 >= 0.33 * peak as f64).count() as u64, made.high);
        let sums = [0, 1].map(|at| made.rates.iter().map(|(_, rates)| rates[at] as f64).sum::<f64>());
        let highest =
            [0, 1].map(|at| made.rates.iter().map(|(_, rates)| rates[at] as f64).fold(0.0, f64::max));
        assert!(near((sums[0] + sums[1]) / both.len() as f64, made.mean, 1e-6), "{days} days");
        assert!(near(sums[0] / (sums[0] + sums[1]), made.read_share, 1e-6), "{days} days");
        assert!(
            near(highest[0], made.peaks[0], 1e-9) && near(highest[1], made.peaks[1], 1e-9),
            "{days} days"
        );
        assert!(made.rates.iter().all(|(time, _)| *time < made.gap.0 || *time >= made.gap.1));
        assert_eq!(made.annotations.len(), 8);
    }
}

#[test]
fn servers_share_all_traffic() {
    let plan = plan(7);
    let servers = dealt(&plan, 1_264_204_800, [1_000_003, 77]);
    assert_eq!(servers.len(), 3);
    let sums = [0, 1].map(|at| servers.iter().map(|rates| rates[at]).sum::<u64>());
    assert_eq!(sums, [1_000_003, 77]);
}

#[test]
fn snapshots_hold_what_is_published() {
    let made = system(&plan(8));
    let truth = &made.contents;
    for (at, snapshot) in made.snapshots.iter().enumerate() {
        let contents = &snapshot.contents;
        assert_eq!(contents.kinds[0], truth.total.files[at]);
        assert!(near(contents.bytes as f64, truth.total.bytes[at] as f64, 1e-6), "{}", contents.bytes);
        let one = &contents.projects[truth.project.as_bytes()].share;
        assert_eq!(one.files, truth.one.files[at]);
        assert!(near(one.bytes as f64, truth.one.bytes[at] as f64, 1e-6));
        let parts: u64 = contents.projects.values().map(|project| project.share.files).sum();
        assert_eq!(parts, contents.kinds[0]);
    }
    let after = &made.snapshots[1].contents;
    let sizes = after.by(By::Size);
    for (limit, share) in [(1 << 20, 0.86), (2 << 20, 0.95), (128 << 20, 0.998)] {
        assert!(near(sizes.below(limit).0, share, 1e-6), "{limit}");
    }
    assert_eq!(sizes.most, 16 << 40);
    let popular = sizes.bins().max_by_key(|bin| bin.count).expect("bins");
    assert_eq!((popular.low, popular.count), truth.popular[0]);
    for (by, days, recent) in [(By::AccessAge, 32, 0), (By::AccessAge, 64, 1), (By::ModificationAge, 64, 2)] {
        let (files, bytes) = after.by(by).below(days);
        let wanted = truth.recent[recent];
        assert!(
            near(files, wanted.files, 0.002) && near(bytes, wanted.bytes, 0.002),
            "{files} {bytes} {wanted:?}"
        );
    }
}

#[test]
fn quartiles_lie_between_values() {
    assert_eq!(quartiles(&[4.0, 1.0, 2.0, 3.0]), Some([1.0, 1.75, 2.5, 3.25, 4.0]));
    assert_eq!(quartiles(&[7.0]), Some([7.0; 5]));
    assert_eq!(quartiles(&[]), None);
}

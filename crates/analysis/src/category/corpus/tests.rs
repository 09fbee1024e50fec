use super::*;
use crate::category::Label::{self, ReadOnStart, ReadSteady, WriteOnEnd, WritePeriodic};

fn run(number: u64, bytes: u64, labels: &[Label]) -> GroupedRun {
    GroupedRun { bytes, runtime_s: 10.0, job_id: number, number, labels: labels.iter().copied().collect() }
}

fn application(uid: i64) -> Application {
    Application { uid, exe: "/bin/model".into() }
}

fn groups(runs: &[(i64, GroupedRun)]) -> Groups {
    let mut groups = Groups::default();
    runs.iter().for_each(|(uid, run)| groups.add(application(*uid), *run));
    groups
}

#[test]
fn the_heaviest_run_stands_for_its_application() {
    let runs = [
        (1, run(1, 50, &[ReadSteady])),
        (1, run(2, 90, &[ReadOnStart, WriteOnEnd])),
        (1, run(3, 10, &[ReadSteady])),
        (2, run(4, 10, &[ReadOnStart])),
    ];
    let groups = groups(&runs);
    assert_eq!(groups.heaviest(&application(1)), Some((2, 3)));
    let Summary { single_run, all_runs, agreement } = groups.summary();
    assert_eq!((single_run.traces, single_run.count(ReadOnStart), single_run.count(ReadSteady)), (2, 2, 0));
    assert_eq!((all_runs.traces, all_runs.count(ReadOnStart), all_runs.count(ReadSteady)), (4, 2, 2));
    let told = (agreement.groups, agreement.unanimous, agreement.runs, agreement.as_heaviest);
    assert_eq!(told, (1, 0, 3, 1));
    assert_eq!((agreement.as_most, agreement.behaviours), (2, 3));
    assert_eq!(agreement.largest[0].behaviours[0].1, 2);
}

#[test]
fn ties_go_to_the_longer_run_then_to_the_lower_job() {
    let longer = GroupedRun { runtime_s: 11.0, ..run(7, 50, &[]) };
    assert_eq!(groups(&[(1, run(3, 50, &[])), (1, longer)]).heaviest(&application(1)), Some((7, 2)));
    assert_eq!(groups(&[(1, run(9, 50, &[])), (1, run(3, 50, &[]))]).heaviest(&application(1)), Some((3, 2)));
}

#[test]
fn labels_that_go_together_are_told() {
    let runs = [
        (1, run(1, 1, &[ReadOnStart, WriteOnEnd])),
        (2, run(2, 1, &[ReadOnStart, WriteOnEnd])),
        (3, run(3, 1, &[ReadOnStart])),
        (4, run(4, 1, &[WritePeriodic])),
    ];
    let pairs = groups(&runs).summary().single_run;
    assert_eq!(pairs.jaccard(ReadOnStart, WriteOnEnd), 2.0 / 3.0);
    assert_eq!(pairs.conditional(ReadOnStart, WriteOnEnd), 2.0 / 3.0);
    assert_eq!(pairs.conditional(WriteOnEnd, ReadOnStart), 1.0);
    assert_eq!(pairs.jaccard(ReadOnStart, WritePeriodic), 0.0);
    assert_eq!(pairs.jaccard(ReadSteady, ReadSteady), 0.0);
    assert_eq!(pairs.share(ReadOnStart), 0.75);
}

#[test]
fn the_order_of_runs_does_not_matter() {
    let mut runs: Vec<(i64, GroupedRun)> = (0..60u64)
        .map(|at| {
            ((at % 7) as i64, run(at, at * 31 % 11, if at % 3 == 0 { &[ReadSteady] } else { &[WriteOnEnd] }))
        })
        .collect();
    let forward = groups(&runs).summary();
    runs.reverse();
    assert_eq!(groups(&runs).summary(), forward);
}

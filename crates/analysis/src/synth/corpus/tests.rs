//! Tests of whole corpora.

use std::collections::BTreeSet;

use marigraph_model::counters::posix;
use marigraph_model::{Direction, Module};

use super::*;

fn plan(seed: u64) -> CorpusPlan {
    CorpusPlan { seed, logs: 400, corrupt: 0.1, records_only: false }
}

fn made(seed: u64, logs: u64) -> Vec<CorpusLog> {
    (0..logs).map(|number| corpus_log(&plan(seed), number)).collect()
}

#[test]
fn a_seed_makes_one_corpus() {
    assert_eq!(made(3, 20), made(3, 20));
    assert_ne!(made(3, 20), made(4, 20));
}

#[test]
fn every_label_and_every_corruption_occurs() {
    let logs = made(1, 400);
    let labels: BTreeSet<&str> =
        logs.iter().flat_map(|log| &log.truth.shown.labels).map(String::as_str).collect();
    for prefix in ["read_", "write_"] {
        for label in [
            "on_start",
            "on_end",
            "after_start",
            "before_end",
            "after_start_before_end",
            "steady",
            "insignificant",
            "periodic",
            "periodic_second",
            "periodic_minute",
            "periodic_hour",
            "periodic_low_busy_time",
            "periodic_high_busy_time",
        ] {
            assert!(labels.contains(format!("{prefix}{label}").as_str()), "{prefix}{label}");
        }
    }
    for label in ["high_spike", "high_density", "multiple_spikes", "insignificant_load"] {
        assert!(labels.contains(format!("metadata_{label}").as_str()), "metadata_{label}");
    }
    let wrong: BTreeSet<&str> = logs.iter().filter_map(|log| Some(log.truth.corruption?.name())).collect();
    assert!(wrong.len() >= 10, "{wrong:?}");
    let clear = logs.iter().filter(|log| log.truth.is_clear()).count();
    assert!((320..=388).contains(&clear), "{clear} of 400 are clear");
    let sources: BTreeSet<&str> = logs.iter().map(|log| log.truth.evidence).collect();
    assert_eq!(sources.len(), 3);
}

#[test]
fn counters_say_what_happened() {
    for log in made(2, 200).iter().filter(|log| log.truth.corruption.is_none()) {
        let totals = |write: bool| -> u64 {
            let of = |module: Module| {
                let role = if write { module.roles().bytes_written } else { module.roles().bytes_read };
                log.trace
                    .records
                    .get(&module)
                    .map_or(0, |some| some.iter().map(|r| r.amount(role)).sum::<u64>())
            };
            of(Module::Posix) + of(Module::Stdio)
        };
        let happened = &log.truth.happened;
        assert_eq!([totals(false) as f64, totals(true) as f64], [happened.read.bytes, happened.write.bytes]);
        for record in log.trace.records.get(&Module::Posix).iter().flat_map(|records| records.iter()) {
            let classes = |first: marigraph_model::counters::IntIdx| -> u64 {
                (0..10).map(|n| record.int(first.plus(n)).amount()).sum()
            };
            assert_eq!(classes(posix::SIZE_READ_0_100), record.int(posix::READS).amount());
            assert_eq!(classes(posix::SIZE_WRITE_0_100), record.int(posix::WRITES).amount());
            let stamp = |idx: marigraph_model::counters::FloatIdx| record.float(idx).amount();
            assert!(stamp(posix::F_OPEN_START_TIMESTAMP) > 0.0);
            assert!(stamp(posix::F_CLOSE_END_TIMESTAMP) >= stamp(posix::F_OPEN_START_TIMESTAMP));
            assert!(stamp(posix::F_CLOSE_END_TIMESTAMP) <= log.trace.job.runtime_s() + 1e-6);
        }
    }
}

#[test]
fn operations_and_heat_maps_hold_all_bytes() {
    for log in made(5, 200).iter().filter(|log| log.truth.corruption.is_none()) {
        let happened = &log.truth.happened;
        if !log.trace.events.is_empty() {
            let events = log.trace.events.iter().filter(|event| event.interface == Module::Posix);
            let written: u64 =
                events.filter(|event| event.direction == Direction::Write).map(|event| event.bytes).sum();
            assert_eq!(written as f64, happened.write.bytes);
        }
        if !log.trace.series.is_empty() {
            let own = log.trace.series.iter().filter(|series| series.interface != Module::MpiIo);
            let read: u64 = own.flat_map(|series| &series.read).sum();
            // Each bin is rounded.
            assert!((read as f64 - happened.read.bytes).abs() <= 1e-6 * happened.read.bytes + 2e4);
        }
    }
}

#[test]
fn groups_have_many_sizes() {
    let mut runs = std::collections::BTreeMap::new();
    for log in made(6, 400) {
        *runs.entry((log.truth.user, log.truth.exe)).or_insert(0) += 1;
    }
    let most = runs.values().max().copied().unwrap_or(0);
    let single = runs.values().filter(|&&count| count == 1).count();
    assert!(most >= 10 && single >= 20, "{most} runs at most, {single} applications ran once");
}

#[test]
fn records_alone_on_demand() {
    let plan = CorpusPlan { records_only: true, ..plan(7) };
    assert!((0..50).all(|number| corpus_log(&plan, number).truth.evidence == "records"));
}

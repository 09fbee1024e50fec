//! When every process is killed, only the call in flight is lost.
#![allow(clippy::expect_used, clippy::print_stderr)]

mod common;

use std::time::Duration;

use marigraph_wire::op::Op;

/// Number of moments at which the four processes are killed; `MARIGRAPH_LONG` runs the full count.
fn moments() -> u64 {
    if std::env::var_os("MARIGRAPH_LONG").is_some() { 200 } else { 25 }
}

#[test]
fn every_completed_call_survives_sigkill() {
    let program = common::program("counted");
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let (mut calls, mut over) = (0, 0);
    for moment in 0..moments() {
        let folder = common::folder("kill");
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(moment | 1);
        let mut ranks: Vec<_> = (0..4)
            .map(|rank| {
                common::recorded(&program, &folder)
                    .env("RANK", rank.to_string())
                    .args([
                        folder.with_extension(format!("count{rank}")),
                        folder.with_extension(format!("data{rank}")),
                    ])
                    .spawn()
                    .expect("starts")
            })
            .collect();
        std::thread::sleep(Duration::from_micros(5_000 + (state >> 40) % 60_000));
        ranks.iter_mut().for_each(|rank| {
            let _ = rank.kill();
        });
        ranks.iter_mut().for_each(|rank| {
            let _ = rank.wait();
        });
        let parts = common::parts(&folder);
        for rank in 0..4 {
            let counts = std::fs::read(folder.with_extension(format!("count{rank}"))).unwrap_or_default();
            let count = |thread: usize| {
                counts
                    .get(thread * 8..thread * 8 + 8)
                    .map_or(0, |bytes| i64::from_le_bytes(bytes.try_into().expect("8")))
            };
            let own = |part: &&common::Part| {
                part.identity.as_ref().is_some_and(|id| id.variable("RANK") == Some(rank.to_string()))
            };
            for thread in 0..2 {
                let suffix = format!("data{rank}.{thread}");
                let recorded: i64 = parts.iter().filter(own).map(|part| data_calls(part, &suffix)).sum();
                let counted = count(thread);
                assert!(
                    (counted..=counted + 1).contains(&recorded),
                    "moment {moment} rank {rank} thread {thread}: {recorded} recorded of {counted}"
                );
                calls += counted;
                over += recorded - counted;
            }
        }
        cleanup(&folder);
    }
    eprintln!(
        "{} moments, {calls} calls counted by the programs, all recorded, and {over} in flight",
        moments()
    );
}

fn data_calls(part: &common::Part, suffix: &str) -> i64 {
    let names: Vec<i64> =
        part.names.iter().filter(|(_, name)| name.ends_with(suffix)).map(|(&id, _)| id.into()).collect();
    let slots: Vec<u32> =
        part.of(Op::Open).iter().filter(|open| names.contains(&open.a)).map(|open| open.slot).collect();
    let data = [part.of(Op::Pwrite), part.of(Op::Pread)].concat();
    data.iter().filter(|record| slots.contains(&record.slot)).count() as i64
}

fn cleanup(folder: &std::path::Path) {
    for rank in 0..4 {
        for ending in [format!("count{rank}"), format!("data{rank}.0"), format!("data{rank}.1")] {
            let _ = std::fs::remove_file(folder.with_extension(ending));
        }
    }
    let _ = std::fs::remove_dir_all(folder);
}

//! Rules about offsets: order, alignment, seeks.

use marigraph_model::{Direction, Module};

use super::cost::share_of_calls;
use super::{Amount, Code, Facts, Found, Rule, Weight, accesses, rule, share};
use crate::usage::Usage;

pub(super) const RULES: &[Rule] = &[
    rule(Code::RandomReads, |facts| random(facts, Direction::Read)),
    rule(Code::RandomWrites, |facts| random(facts, Direction::Write)),
    rule(Code::OrderlyReads, |facts| orderly(facts, Direction::Read)),
    rule(Code::OrderlyWrites, |facts| orderly(facts, Direction::Write)),
    rule(Code::Unaligned, unaligned),
    rule(Code::UnalignedMemory, unaligned_memory),
    rule(Code::SeekPerAccess, seek_per_access),
];

/// The order of accesses in one direction. The first access to a file does not follow any.
struct Order {
    following: u64,
    consecutive: u64,
    forward: u64,
    backward: u64,
}

fn order(usage: &Usage, op: Direction) -> Order {
    let seen = &usage.order;
    let (calls, firsts, consecutive, forward) = match op {
        Direction::Write => {
            (usage.writes, usage.write_firsts, seen.consecutive_writes, seen.sequential_writes)
        }
        _ => (usage.reads, usage.read_firsts, seen.consecutive_reads, seen.sequential_reads),
    };
    let following = calls.saturating_sub(firsts);
    Order { following, consecutive, forward, backward: following.saturating_sub(forward) }
}

fn random(facts: &Facts<'_>, op: Direction) -> Option<Found> {
    let t = facts.thresholds();
    let usage = facts.usage(Module::Posix)?;
    let Order { following, backward, .. } = order(usage, op);
    let part = share(backward, following);
    if backward <= t.few_calls || part <= t.random_share {
        return None;
    }
    let of = accesses(usage, op);
    let seconds = of.seconds * part * share_of_calls(of.calls, of.bytes);
    Some(
        Found::costs(facts.wall(Module::Posix, seconds))
            .part(["random", "following"], backward, following)
            .figure("mean", Amount::Bytes(of.bytes / of.calls.max(1))),
    )
}

fn orderly(facts: &Facts<'_>, op: Direction) -> Option<Found> {
    let usage = facts.usage(Module::Posix)?;
    let Order { following, consecutive, forward, backward } = order(usage, op);
    (following > 0 && share(backward, following) <= facts.thresholds().random_share).then(|| {
        Found::new(Weight::Good)
            .figure("consecutive", Amount::Share(share(consecutive, following).min(1.0)))
            .figure("sequential", Amount::Share(share(forward, following).min(1.0)))
    })
}

fn unaligned(facts: &Facts<'_>) -> Option<Found> {
    let usage = facts.usage(Module::Posix)?;
    let calls = usage.reads + usage.writes;
    let part = share(usage.order.unaligned_in_file, calls).min(1.0);
    (part > facts.thresholds().unaligned_share).then(|| {
        // An access across two blocks needs two where one would do.
        let seconds = (usage.read_s + usage.write_s) * part / 2.0;
        let files = facts.survey.files.iter().map(|file| (file.id, file.unaligned as f64));
        Found::costs(facts.wall(Module::Posix, seconds))
            .part(["unaligned", "calls"], usage.order.unaligned_in_file, calls)
            .files(files, |calls| Amount::Count(calls as u64))
    })
}

fn unaligned_memory(facts: &Facts<'_>) -> Option<Found> {
    let usage = facts.usage(Module::Posix)?;
    let calls = usage.reads + usage.writes;
    let part = share(usage.order.unaligned_in_memory, calls).min(1.0);
    (part > facts.thresholds().unaligned_share).then(|| {
        let seconds = super::cost::plain_seconds(usage.bytes()).min(usage.read_s + usage.write_s) * part;
        Found::costs(facts.wall(Module::Posix, seconds)).part(
            ["unaligned", "calls"],
            usage.order.unaligned_in_memory,
            calls,
        )
    })
}

fn seek_per_access(facts: &Facts<'_>) -> Option<Found> {
    let candidates = [Module::Posix, Module::Stdio].into_iter();
    let found = candidates.filter_map(|module| seeks_of(facts, module).map(|(found, n)| (n, found)));
    found.max_by_key(|(seeks, _)| *seeks).map(|(_, found)| found)
}

fn seeks_of(facts: &Facts<'_>, module: Module) -> Option<(Found, u64)> {
    let t = facts.thresholds();
    let usage = facts.usage(module)?;
    let (seeks, calls) = (usage.metadata.get("SEEKS").copied()?, usage.reads + usage.writes);
    let often = seeks as f64 >= calls as f64 * t.seeks_per_access;
    (calls > t.few_calls && often).then(|| {
        let seconds = usage.meta_s * share(seeks, usage.metadata_ops());
        let all = usage.seconds();
        let metadata_share = if all > 0.0 { usage.meta_s / all } else { 0.0 };
        let found = Found::costs(facts.wall(module, seconds))
            .figure("seeks", Amount::Count(seeks))
            .figure("calls", Amount::Count(calls))
            .figure("interface", Amount::Interface(module))
            .figure("metadata_share", Amount::Share(metadata_share));
        (found, seeks)
    })
}

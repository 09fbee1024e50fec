//! Rules about the size of accesses.

use marigraph_model::{Direction, Module};

use super::cost::{SMALL_BINS, saved_by_blocks, share_of_calls};
use super::survey::side;
use super::{Amount, Code, Facts, Found, Rule, accesses, rule, share};

pub(super) const RULES: &[Rule] = &[
    rule(Code::SmallReads, |facts| small(facts, Direction::Read)),
    rule(Code::SmallWrites, |facts| small(facts, Direction::Write)),
    rule(Code::SmallSharedReads, |facts| small_shared(facts, Direction::Read)),
    rule(Code::SmallSharedWrites, |facts| small_shared(facts, Direction::Write)),
    rule(Code::TinyReads, tiny_reads),
    rule(Code::BelowBlockSize, below_block_size),
];

fn small(facts: &Facts<'_>, op: Direction) -> Option<Found> {
    let t = facts.thresholds();
    let (module, usage) = facts.lowest_interface()?;
    let of = accesses(usage, op);
    let small: u64 = of.sizes[..SMALL_BINS].iter().sum();
    if small <= t.few_calls || share(small, of.calls) <= t.small_share {
        return None;
    }
    let seconds = facts.joinable(module, op);
    let files = facts.survey.files.iter().map(|file| (file.id, file.ways[side(op)].small as f64));
    Some(
        Found::costs(seconds)
            .part(["small", "calls"], small, of.calls)
            .figure("interface", Amount::Interface(module))
            .figure("mean", Amount::Bytes(of.bytes / of.calls.max(1)))
            .files(files, |calls| Amount::Count(calls as u64)),
    )
}

fn small_shared(facts: &Facts<'_>, op: Direction) -> Option<Found> {
    let t = facts.thresholds();
    let of = &facts.survey.shared_sizes[side(op)];
    let (small, calls) = (of.sizes[..SMALL_BINS].iter().sum(), of.sizes.iter().sum());
    if small <= t.few_calls || share(small, calls) <= t.small_share {
        return None;
    }
    let seconds = facts.wall(Module::Posix, of.joinable_s);
    let shared = facts.survey.files.iter().filter(|file| file.shared);
    Some(
        Found::costs(seconds)
            .part(["small", "calls"], small, calls)
            .figure("mean", Amount::Bytes(of.bytes / calls.max(1)))
            .files(shared.map(|file| (file.id, file.ways[side(op)].small as f64)), |calls| {
                Amount::Count(calls as u64)
            }),
    )
}

fn tiny_reads(facts: &Facts<'_>) -> Option<Found> {
    let t = facts.thresholds();
    let usage = facts.usage(Module::Posix)?;
    let tiny = usage.read_sizes[0];
    let collective = facts.survey.mpi[side(Direction::Read)].collective;
    let alone = facts.job.nprocs > 1 && collective == 0;
    if !alone || tiny <= t.few_calls || share(tiny, usage.reads) <= t.tiny_share {
        return None;
    }
    let part = share(tiny, usage.reads).min(1.0) * share_of_calls(usage.reads, usage.read_bytes);
    Some(
        Found::costs(facts.wall(Module::Posix, usage.read_s * part))
            .part(["tiny", "calls"], tiny, usage.reads)
            .figure("per_process", Amount::Count(tiny / facts.job.nprocs.max(1))),
    )
}

fn below_block_size(facts: &Facts<'_>) -> Option<Found> {
    let t = facts.thresholds();
    let usage = facts.usage(Module::Posix)?;
    let below = facts.survey.below_block;
    let calls = usage.reads + usage.writes;
    if below.calls <= t.few_calls || share(below.calls, calls) <= t.small_share {
        return None;
    }
    let saved = saved_by_blocks(below.calls, below.bytes, below.block);
    let files = facts.survey.files.iter().map(|file| (file.id, file.below_block as f64));
    Some(
        Found::costs(facts.wall(Module::Posix, below.seconds * saved))
            .part(["below", "calls"], below.calls, calls)
            .figure("mean", Amount::Bytes(below.bytes / below.calls.max(1)))
            .figure("block", Amount::Bytes(below.block))
            .files(files, |calls| Amount::Count(calls as u64)),
    )
}

//! Rules about MPI-IO: collective calls, datatypes, nonblocking calls, aggregators.

use marigraph_model::{Direction, Module};

use super::cost::SMALL_BINS;
use super::survey::side;
use super::{Amount, Code, Facts, Found, Rule, Weight, accesses, rule, share};

pub(super) const RULES: &[Rule] = &[
    rule(Code::NoMpiIo, no_mpiio),
    rule(Code::NoCollectiveReads, |facts| none_collective(facts, Direction::Read)),
    rule(Code::NoCollectiveWrites, |facts| none_collective(facts, Direction::Write)),
    rule(Code::NoCollectives, mostly_independent),
    rule(Code::NoDatatypes, no_datatypes),
    rule(Code::CollectiveReads, |facts| collective(facts, Direction::Read)),
    rule(Code::CollectiveWrites, |facts| collective(facts, Direction::Write)),
    rule(Code::BlockingReads, |facts| blocking(facts, Direction::Read)),
    rule(Code::BlockingWrites, |facts| blocking(facts, Direction::Write)),
    rule(Code::FewerAggregators, |facts| aggregators(facts, |aggregators, nodes| aggregators < nodes)),
    rule(Code::MoreAggregators, more_aggregators),
    rule(Code::AggregatorPerNode, |facts| aggregators(facts, |aggregators, nodes| aggregators == nodes)),
];

/// A job of one process has no other processes to join requests with.
fn no_mpiio(facts: &Facts<'_>) -> Option<Found> {
    let usage = facts.usage(Module::Posix)?;
    let lacks = facts.job.nprocs > 1 && facts.usage(Module::MpiIo).is_none() && usage.bytes() > 0;
    lacks.then(|| {
        let seconds =
            facts.joinable(Module::Posix, Direction::Read) + facts.joinable(Module::Posix, Direction::Write);
        Found::new(Weight::Hope(seconds))
            .figure("bytes", Amount::Bytes(usage.bytes()))
            .figure("processes", Amount::Count(facts.job.nprocs))
    })
}

fn lacks_collectives(facts: &Facts<'_>, op: Direction) -> bool {
    let calls = facts.survey.mpi[side(op)];
    facts.job.nprocs > 1 && calls.collective == 0 && calls.independent > facts.thresholds().few_calls
}

fn none_collective(facts: &Facts<'_>, op: Direction) -> Option<Found> {
    lacks_collectives(facts, op).then(|| {
        let files = facts.survey.independent.iter().map(|(&file, calls)| (file, calls[side(op)] as f64));
        Found::costs(facts.joinable(Module::MpiIo, op))
            .figure("independent", Amount::Count(facts.survey.mpi[side(op)].independent))
            .figure("views", Amount::Count(facts.survey.mpi_views))
            .files(files, |calls| Amount::Count(calls as u64))
    })
}

/// Some calls are collective, but most are not. Where none is, the rules per direction apply.
fn mostly_independent(facts: &Facts<'_>) -> Option<Found> {
    let t = facts.thresholds();
    let usage = facts.usage(Module::MpiIo)?;
    let calls = usage.reads + usage.writes;
    let part = share(usage.independent, calls);
    let said = lacks_collectives(facts, Direction::Read) || lacks_collectives(facts, Direction::Write);
    if facts.job.nprocs < 2 || said || calls <= t.few_calls || part <= t.independent_share {
        return None;
    }
    let seconds =
        facts.joinable(Module::MpiIo, Direction::Read) + facts.joinable(Module::MpiIo, Direction::Write);
    let files = facts.survey.independent.iter().map(|(&file, calls)| (file, (calls[0] + calls[1]) as f64));
    Some(
        Found::costs(seconds * part.min(1.0))
            .part(["independent", "calls"], usage.independent, calls)
            .files(files, |calls| Amount::Count(calls as u64)),
    )
}

/// Many small accesses without a file view.
fn no_datatypes(facts: &Facts<'_>) -> Option<Found> {
    let t = facts.thresholds();
    let usage = facts.usage(Module::MpiIo)?;
    let small: u64 = usage.read_sizes.iter().take(SMALL_BINS).chain(&usage.write_sizes[..SMALL_BINS]).sum();
    let calls = usage.reads + usage.writes;
    if facts.survey.mpi_views > 0 || small <= t.few_calls || share(small, calls) <= t.independent_share {
        return None;
    }
    let seconds =
        facts.joinable(Module::MpiIo, Direction::Read) + facts.joinable(Module::MpiIo, Direction::Write);
    Some(Found::costs(seconds).part(["small", "calls"], small, calls))
}

fn collective(facts: &Facts<'_>, op: Direction) -> Option<Found> {
    let calls = facts.survey.mpi[side(op)];
    (calls.collective > 0).then(|| {
        let all = calls.collective.saturating_add(calls.independent);
        Found::new(Weight::Good).part(["collective", "calls"], calls.collective, all)
    })
}

fn blocking(facts: &Facts<'_>, op: Direction) -> Option<Found> {
    let usage = facts.usage(Module::MpiIo)?;
    let of = accesses(usage, op);
    (of.calls > 0 && facts.survey.mpi[side(op)].nonblocking == 0).then(|| {
        // The job must have something else to do in the meantime.
        let elsewhere = facts.job.runtime_s() - facts.wall(Module::MpiIo, usage.seconds());
        let seconds = facts.wall(Module::MpiIo, of.seconds).min(elsewhere);
        Found::new(Weight::Hope(seconds))
            .figure("calls", Amount::Count(of.calls))
            .figure("seconds", Amount::Seconds(of.seconds))
    })
}

fn aggregators_and_nodes(facts: &Facts<'_>) -> Option<(u64, u64)> {
    facts.usage(Module::MpiIo)?;
    let hints = facts.job.metadata.iter().find(|(key, _)| key == "h")?;
    let mut pairs = hints.1.split(';').filter_map(|hint| hint.split_once('='));
    let aggregators = pairs.find(|(name, _)| name.trim() == "cb_nodes")?.1.trim().parse().ok()?;
    Some((aggregators, facts.nodes?))
}

fn aggregators(facts: &Facts<'_>, right: fn(u64, u64) -> bool) -> Option<Found> {
    let (aggregators, nodes) = aggregators_and_nodes(facts)?;
    right(aggregators, nodes).then(|| with_aggregators(Found::new(Weight::Good), aggregators, nodes))
}

fn more_aggregators(facts: &Facts<'_>) -> Option<Found> {
    let (aggregators, nodes) = aggregators_and_nodes(facts)?;
    (aggregators > nodes).then(|| {
        // The time between MPI-IO calls and POSIX calls is the exchange with aggregators.
        let of = |module| facts.usage(module).map_or(0.0, |usage| facts.wall(module, usage.seconds()));
        let exchange = (of(Module::MpiIo) - of(Module::Posix)).max(0.0);
        let needless = 1.0 - share(nodes, aggregators);
        with_aggregators(Found::costs(exchange * needless), aggregators, nodes)
    })
}

fn with_aggregators(found: Found, aggregators: u64, nodes: u64) -> Found {
    found.figure("aggregators", Amount::Count(aggregators)).figure("nodes", Amount::Count(nodes))
}

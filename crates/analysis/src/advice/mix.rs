//! Rules about the job as a whole: reads against writes, interface, storage, speed.

use marigraph_model::{Direction, Module};

use super::cost::plain_seconds;
use super::{Amount, Code, Facts, Found, Rule, Weight, rule, share};

pub(super) const RULES: &[Rule] = &[
    rule(Code::StdioHeavy, stdio_heavy),
    rule(Code::MostlyWrites, |facts| more(facts, calls, Direction::Write, Amount::Count)),
    rule(Code::MostlyReads, |facts| more(facts, calls, Direction::Read, Amount::Count)),
    rule(Code::MostlyWrittenBytes, |facts| more(facts, bytes, Direction::Write, Amount::Bytes)),
    rule(Code::MostlyReadBytes, |facts| more(facts, bytes, Direction::Read, Amount::Bytes)),
    rule(Code::SingleStripe, single_stripe),
    rule(Code::SparseIo, sparse_io),
];

fn stdio_heavy(facts: &Facts<'_>) -> Option<Found> {
    let usage = facts.usage(Module::Stdio)?;
    let totals = facts.usage.totals();
    let part = share(usage.bytes(), totals.read_bytes.saturating_add(totals.written_bytes));
    (part > facts.thresholds().stdio_share).then(|| {
        let beyond = (usage.read_s + usage.write_s - plain_seconds(usage.bytes())).max(0.0);
        Found::costs(facts.wall(Module::Stdio, beyond))
            .figure("bytes", Amount::Bytes(usage.bytes()))
            .figure("share", Amount::Share(part))
    })
}

fn calls(facts: &Facts<'_>) -> Option<(u64, u64)> {
    facts.usage(Module::Posix).map(|usage| (usage.reads, usage.writes))
}

fn bytes(facts: &Facts<'_>) -> Option<(u64, u64)> {
    facts.usage(Module::Posix).map(|usage| (usage.read_bytes, usage.written_bytes))
}

fn more(
    facts: &Facts<'_>,
    sides: fn(&Facts<'_>) -> Option<(u64, u64)>,
    larger: Direction,
    unit: fn(u64) -> Amount,
) -> Option<Found> {
    let (read, written) = sides(facts)?;
    let (more, less) = if larger == Direction::Read { (read, written) } else { (written, read) };
    let difference = share(more.saturating_sub(less), more.saturating_add(less));
    (difference > facts.thresholds().mix_share)
        .then(|| Found::new(Weight::Info).figure("read", unit(read)).figure("written", unit(written)))
}

fn single_stripe(facts: &Facts<'_>) -> Option<Found> {
    if facts.job.nprocs < 2 || facts.survey.stripes.is_empty() {
        return None;
    }
    let large = facts.thresholds().large_file;
    let files = || {
        facts.files.iter().filter(|(id, file)| {
            let is_large = file.size.is_some_and(|size| size >= large);
            is_large && file.ranks().is_none() && facts.survey.stripes.get(id) == Some(&1)
        })
    };
    let count = files().count() as u64;
    (count > 0).then(|| {
        let moved = |file: &crate::files::FileUse| file.moved().read.saturating_add(file.moved().written);
        let seconds: f64 = files().map(|(_, file)| file.moved().seconds).sum();
        let bytes = files().map(|(_, file)| moved(file)).fold(0, u64::saturating_add);
        // Assumes eight targets instead of one.
        Found::costs(facts.wall(Module::Posix, seconds * 7.0 / 8.0))
            .figure("large_files", Amount::Count(count))
            .figure("bytes", Amount::Bytes(bytes))
            .files(files().map(|(id, file)| (id, moved(file) as f64)), |bytes| Amount::Bytes(bytes as u64))
    })
}

/// The estimate divides all bytes by the time of the slowest path. If ranks do little I/O at
/// different times, it says nothing about the storage (Carns et al. 2011 had three such jobs).
fn sparse_io(facts: &Facts<'_>) -> Option<Found> {
    let (module, estimate) = facts.usage.performance()?;
    let rate = estimate.bytes_per_s();
    // There are no more nodes than processes.
    let nodes = facts.nodes.unwrap_or(facts.job.nprocs).max(1);
    let per_node = rate / nodes as f64;
    let limit = facts.thresholds().node_limit;
    (per_node > limit).then(|| {
        Found::costs(0.0)
            .figure("rate", Amount::Rate(rate))
            .figure("per_node", Amount::Rate(per_node))
            .figure("limit", Amount::Rate(limit))
            .figure("interface", Amount::Interface(module))
    })
}

//! Rules about repeated accesses.

use marigraph_model::{Direction, FileId, Module};

use super::survey::side;
use super::{Amount, Code, Facts, Found, Rule, rule, share};

pub(super) const RULES: &[Rule] = &[
    rule(Code::RepeatedReads, |facts| repeated(facts, Direction::Read)),
    rule(Code::RepeatedWrites, |facts| repeated(facts, Direction::Write)),
    rule(Code::RepeatedOpens, repeated_opens),
];

struct Traffic {
    file: FileId,
    moved: u64,
    /// Upper bound; exact where single operations are known, else the highest offset.
    distinct: u64,
    exact: bool,
    seconds: f64,
}

impl Traffic {
    fn again(&self) -> u64 {
        self.moved.saturating_sub(self.distinct)
    }

    fn seconds_again(&self) -> f64 {
        self.seconds * share(self.again(), self.moved)
    }
}

fn traffic<'a>(facts: &'a Facts<'_>, op: Direction) -> impl Iterator<Item = Traffic> + 'a {
    let extents = &facts.survey.extents;
    let recorded = facts.survey.files.iter().filter(move |file| file.ways[side(op)].bytes > 0);
    let recorded = recorded.map(move |file| {
        let way = &file.ways[side(op)];
        // Operations are complete only if they hold as many bytes as the counters.
        let touched = extents.of(file.id, op).filter(|touched| touched.bytes == way.bytes);
        let exact = touched.and_then(|touched| touched.distinct());
        let distinct = exact.unwrap_or(way.extent);
        Traffic { file: file.id, moved: way.bytes, distinct, exact: exact.is_some(), seconds: way.seconds }
    });
    let unrecorded = extents.all(op).filter(|(file, _)| !facts.survey.has_records(*file));
    let unrecorded = unrecorded.filter_map(|(file, touched)| {
        let distinct = touched.distinct()?;
        Some(Traffic { file, moved: touched.bytes, distinct, exact: true, seconds: touched.seconds })
    });
    recorded.chain(unrecorded)
}

fn repeated(facts: &Facts<'_>, op: Direction) -> Option<Found> {
    let (mut moved, mut again, mut seconds, mut exact) = (0u64, 0u64, 0.0, true);
    for file in traffic(facts, op) {
        moved = moved.saturating_add(file.moved);
        again = again.saturating_add(file.again());
        seconds += file.seconds_again();
        exact &= file.exact || file.again() == 0;
    }
    let found = share(again, moved) > facts.thresholds().again_share;
    found.then(|| {
        let distinct = moved.saturating_sub(again).max(1);
        Found::costs(facts.wall(Module::Posix, seconds))
            .figure("again", Amount::Bytes(again))
            .figure("moved", Amount::Bytes(moved))
            .figure("share", Amount::Share(share(again, moved)))
            .figure("times", Amount::Times(moved as f64 / distinct as f64))
            .figure("exact", Amount::Exact(exact))
            .files(traffic(facts, op).map(|file| (file.file, file.again() as f64)), |bytes| {
                Amount::Bytes(bytes as u64)
            })
    })
}

fn repeated_opens(facts: &Facts<'_>) -> Option<Found> {
    let t = facts.thresholds();
    let usage = facts.usage(Module::Posix)?;
    if usage.opens < t.few_calls {
        return None;
    }
    let users = facts.files.iter().map(|(_, file)| file.ranks().map_or(facts.job.nprocs.max(1), u64::from));
    let users = users.fold(0, u64::saturating_add);
    let per_file = share(usage.opens, users);
    (per_file > t.opens_per_file).then(|| {
        let needless = usage.meta_s * (1.0 - 1.0 / per_file);
        Found::costs(facts.wall(Module::Posix, needless))
            .figure("opens", Amount::Count(usage.opens))
            .figure("times", Amount::Times(per_file))
    })
}

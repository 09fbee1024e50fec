//! Reads the monitor's file as a throughput log.

use std::collections::BTreeMap;

use marigraph_model::{Gap, Moved, Problem, ProblemKind, Reading, Target, TargetKind};

use super::super::Zone;
use super::names::Names;
use super::walk::{Counted, Look, Meaning, walk_named};
use crate::error::Error;

/// Streams the readings of a file: those of object storage targets if there are any, else of block
/// devices. Each target lies on a device, and no byte must count twice. Unobserved time has no
/// reading.
pub(in super::super) fn read(
    content: &[u8],
    _zone: &Zone,
    each: &mut dyn FnMut(Reading),
) -> Result<(Vec<String>, Vec<Problem>), Error> {
    let names = Names::find(content);
    let has_targets = names.targets.iter().any(|target| target.kind == TargetKind::Ost);
    let kind = if has_targets { TargetKind::Ost } else { TargetKind::Disk };
    let chosen = names.targets.iter().map(|target| target.kind == kind);
    let numbers: Vec<Option<u32>> = chosen
        .scan(0, |next, chosen| {
            *next += u32::from(chosen);
            Some(chosen.then(|| *next - 1))
        })
        .collect();
    let mut walked = walk_named(content, names, &mut |look| {
        for counted in look.counts.iter().filter(|counted| counted.meaning == Meaning::Growth) {
            let source = numbers.get(counted.source as usize).copied().flatten();
            source
                .filter(|_| look.is_whole())
                .into_iter()
                .for_each(|source| each(reading(look, counted, kind, source)));
        }
    });
    walked.problems.extend(unobserved(&walked.gaps));
    let named = |target: &Target| format!("{}:{}", walked.header.host, target.name);
    let sources = walked.targets.iter().filter(|target| target.kind == kind).map(named).collect();
    Ok((sources, walked.problems))
}

fn reading(look: &Look<'_>, counted: &Counted, kind: TargetKind, source: u32) -> Reading {
    let seconds = look.elapsed_us as f64 / 1e6;
    let (mut read, mut write) = (0.0, 0.0);
    for (column, &value) in kind.columns().iter().zip(&counted.values) {
        match column.bytes {
            Some(Moved::Read(unit)) => read += value as f64 * unit as f64 / seconds,
            Some(Moved::Written(unit)) => write += value as f64 * unit as f64 / seconds,
            None => {}
        }
    }
    Reading { source, start: look.wall_us as f64 / 1e6 - seconds, seconds, read, write }
}

fn unobserved(gaps: &[Gap]) -> Option<Problem> {
    let mut causes: BTreeMap<_, (u64, f64)> = BTreeMap::new();
    for gap in gaps {
        let (count, seconds) = causes.entry(gap.cause).or_default();
        *count += 1;
        *seconds += gap.to_us.saturating_sub(gap.from_us) as f64 / 1e6;
    }
    let told =
        causes.iter().map(|(cause, (count, seconds))| format!("{count} {} ({seconds:.1} s)", cause.name()));
    let told: Vec<String> = told.collect();
    let text = format!("part of the time was not observed; gaps: {}", told.join(", "));
    (!gaps.is_empty()).then(|| Problem::new(ProblemKind::NotRecorded, text))
}

//! Finds bursts that no initial template had: bursts that most runs share between the known ones.
//!
//! A burst is missing from every initial template when others' traffic hides it in those few runs.
//! Once its neighbours are placed, the time since the previous burst tells where to look for it in
//! all runs.

use super::SHARED;
use super::curve::Curve;
use super::estimate::Seen;
use super::template::{DRIFT, Phase, Template, of_run};

/// A burst of one run inside a gap; times count from the end of the previous burst.
#[derive(Debug, Clone, Copy)]
struct Between {
    from_s: f64,
    to_s: f64,
    bytes: f64,
}

pub fn with_missing(
    template: &Template,
    curves: &[&Curve],
    seen: &[Vec<Seen>],
    height: f64,
) -> Option<Template> {
    let runs: Vec<(&Curve, &Vec<Seen>, Template)> =
        curves.iter().zip(seen).map(|(&curve, seen)| (curve, seen, of_run(curve, height))).collect();
    let found = |gap: usize| {
        let mut shared: Vec<Between> = runs
            .iter()
            .flat_map(|(curve, seen, own)| in_gap(own, quiet(curve, seen, gap)))
            .filter(|one| is_shared(one, &runs, gap))
            .collect();
        shared.sort_by(|one, other| one.bytes.total_cmp(&other.bytes));
        // Takes one of the smaller candidates, to which others added little.
        shared.get(shared.len() / 3).map(|one| (gap, *one))
    };
    let most =
        (0..=template.len()).filter_map(found).max_by(|one, other| one.1.bytes.total_cmp(&other.1.bytes));
    most.map(|(gap, one)| inserted(template, gap, one))
}

fn quiet(curve: &Curve, seen: &[Seen], gap: usize) -> (f64, f64) {
    let from = gap.checked_sub(1).and_then(|before| seen.get(before)).map_or(0.0, |seen| seen.end_s);
    (from, seen.get(gap).map_or(curve.duration_s, |seen| seen.start_s))
}

fn in_gap(own: &Template, (from, to): (f64, f64)) -> Vec<Between> {
    let mut now = 0.0;
    let mut inside = Vec::new();
    for phase in own {
        let start = now + phase.gap_s;
        now = start + phase.length_s;
        if start > from && now < to {
            inside.push(Between { from_s: start - from, to_s: now - from, bytes: phase.bytes });
        }
    }
    inside
}

fn is_shared(one: &Between, runs: &[(&Curve, &Vec<Seen>, Template)], gap: usize) -> bool {
    let reach = DRIFT.0 * one.to_s + DRIFT.1;
    let has = |(curve, seen, _): &&(&Curve, &Vec<Seen>, Template)| {
        let (from, to) = quiet(curve, seen, gap);
        let (first, last) = ((from + one.from_s - reach).max(from), (from + one.to_s + reach).min(to));
        last > first && curve.bytes_until(last) - curve.bytes_until(first) >= SHARED.1 * one.bytes
    };
    runs.iter().filter(has).count() as f64 >= SHARED.0 * runs.len() as f64
}

fn inserted(template: &Template, gap: usize, one: Between) -> Template {
    let mut more = template.clone();
    if let Some(next) = more.get_mut(gap) {
        next.gap_s = (next.gap_s - one.to_s).max(0.0);
    }
    more.insert(gap, Phase { gap_s: one.from_s, length_s: one.to_s - one.from_s, bytes: one.bytes });
    more
}

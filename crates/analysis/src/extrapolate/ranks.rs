//! Rules for the ranks that do the same, at any size.

use super::terms::Size;

/// A set of ranks that follows from the size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// All but this many first and this many last ranks.
    Within(u64, u64),
    Only(u64),
    FromEnd(u64),
    /// `(by, at, from)`: the ranks with `rank % by == at`, starting at `from`.
    Every(u64, u64, u64),
    /// A fixed number of ranks, spread evenly.
    Spread(u64),
    Below(u64),
    From(u64),
    /// The second half if `true`, the first otherwise.
    Half(bool),
    /// By the place in the balanced grid: number of dimensions, whether the last one varies
    /// fastest, and the position on each axis.
    Grid(usize, bool, [Edge; 3]),
    /// All ranks of no other class.
    Rest,
}

/// Position on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    Low,
    Inside,
    High,
    Any,
}

impl Edge {
    const ALL: [Edge; 4] = [Edge::Low, Edge::Inside, Edge::High, Edge::Any];

    fn holds(self, at: u64, side: u64) -> bool {
        match self {
            Edge::Low => at == 0,
            Edge::Inside => at > 0 && at + 1 < side,
            Edge::High => at > 0 && at + 1 == side,
            Edge::Any => true,
        }
    }
}

impl Rule {
    fn holds(self, rank: u64, size: &Size) -> bool {
        let ranks = size.ranks;
        match self {
            Rule::Within(first, last) => rank >= first && rank + last < ranks,
            Rule::Only(only) => rank == only,
            Rule::FromEnd(back) => rank + 1 + back == ranks,
            Rule::Every(by, at, from) => rank % by == at && rank >= from,
            Rule::Spread(parts) => ranks.is_multiple_of(parts) && rank.is_multiple_of((ranks / parts).max(1)),
            Rule::Below(limit) => rank < limit,
            Rule::From(limit) => rank >= limit,
            Rule::Half(second) => (rank >= ranks / 2) == second,
            Rule::Grid(dimensions, last_fastest, edges) => {
                let (at, sides) = (size.coordinates(rank, dimensions, last_fastest), size.sides(dimensions));
                (0..dimensions).all(|dimension| edges[dimension].holds(at[dimension], sides[dimension]))
            }
            Rule::Rest => false,
        }
    }
}

/// Rules, simplest first; those of one list are equally simple.
fn tiers() -> [Vec<Rule>; 3] {
    let mut lone = vec![Rule::Within(0, 0)];
    lone.extend((0..16).map(Rule::Only));
    lone.extend((0..4).map(Rule::FromEnd));
    let mut some: Vec<Rule> =
        (0..4).flat_map(|first| (0..4).map(move |last| Rule::Within(first, last))).collect();
    for by in 2..=64 {
        some.extend((0..by).flat_map(|at| [Rule::Every(by, at, 0), Rule::Every(by, at, at + 1)]));
    }
    some.extend((2..=16).map(Rule::Spread));
    some.extend([Rule::Half(false), Rule::Half(true)]);
    some.extend((2..=64).flat_map(|limit| [Rule::Below(limit), Rule::From(limit)]));
    let mut grids = Vec::new();
    for last_fastest in [true, false] {
        for one in Edge::ALL {
            for two in Edge::ALL {
                grids.push(Rule::Grid(2, last_fastest, [one, two, Edge::Any]));
                grids.extend(Edge::ALL.map(|three| Rule::Grid(3, last_fastest, [one, two, three])));
            }
        }
    }
    [lone, some, grids]
}

/// What is known about a set of ranks at another size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruled {
    /// The simplest rule; equally simple ones agree with it.
    By(Rule),
    Ambiguous,
    None,
}

/// Finds the simplest rule for sets of ranks by size; equally simple rules must agree at the target
/// size.
pub fn rule_of(sets: &[(u64, Vec<u32>)], target: u32) -> Ruled {
    // A rule about several ranks must be seen with several.
    let several = sets.iter().any(|(_, set)| set.len() > 1);
    let sized: Vec<(Size, &[u32])> = sets.iter().map(|(ranks, set)| (Size::of(*ranks), &set[..])).collect();
    let fits = |rule: &Rule| {
        let lone = matches!(rule, Rule::Only(_) | Rule::FromEnd(_) | Rule::Within(..) | Rule::Grid(..));
        (several || lone)
            && sized.iter().all(|(size, set)| {
                let mut members = set.iter().map(|&rank| u64::from(rank));
                (0..size.ranks)
                    .filter(|&rank| rule.holds(rank, size))
                    .all(|rank| members.next() == Some(rank))
                    && members.next().is_none()
            })
    };
    let other = Size::of(u64::from(target));
    for tier in tiers() {
        let mut found = tier.into_iter().filter(fits);
        let Some(first) = found.next() else { continue };
        let differs =
            |rule: Rule| (0..other.ranks).any(|rank| rule.holds(rank, &other) != first.holds(rank, &other));
        return if found.any(differs) { Ruled::Ambiguous } else { Ruled::By(first) };
    }
    Ruled::None
}

/// The ranks of each class at another size; `None` if they cannot be determined. Classes come as
/// sets of ranks by size and together contain all ranks.
pub fn at_size(classes: &[Vec<(u64, Vec<u32>)>], target: u32) -> Option<Vec<Vec<u32>>> {
    let mut rules: Vec<Option<Rule>> = Vec::new();
    for sets in classes {
        rules.push(match rule_of(sets, target) {
            Ruled::By(rule) => Some(rule),
            Ruled::Ambiguous => return None,
            Ruled::None => None,
        });
    }
    let unknown: Vec<usize> = (0..rules.len()).filter(|&at| rules[at].is_none()).collect();
    match unknown[..] {
        [] => {}
        [rest] => rules[rest] = Some(Rule::Rest),
        _ => return None,
    }
    let rest = rules.iter().position(|rule| *rule == Some(Rule::Rest));
    let mut sets: Vec<Vec<u32>> = vec![Vec::new(); classes.len()];
    let size = Size::of(u64::from(target));
    for rank in 0..target {
        let holds = |rule: &Option<Rule>| rule.is_some_and(|rule| rule.holds(u64::from(rank), &size));
        let mut found = (0..rules.len()).filter(|&at| holds(&rules[at]));
        let at = found.next().or(rest)?;
        // Two classes that both claim a rank contradict each other.
        if found.next().is_some() {
            return None;
        }
        sets[at].push(rank);
    }
    Some(sets)
}

/// The ranks of one class at another size, where not all ranks are in a class.
pub fn alone(sets: &[(u64, Vec<u32>)], target: u32) -> Option<Vec<u32>> {
    let Ruled::By(rule) = rule_of(sets, target) else { return None };
    let size = Size::of(u64::from(target));
    Some((0..target).filter(|&rank| rule.holds(u64::from(rank), &size)).collect())
}

/// The group size, if the set has one rank per group, all observed groups were complete, and one at
/// the target size is not: the rank of an incomplete group was never seen.
pub fn broken_group(sets: &[(u64, Vec<u32>)], target: u32) -> Option<u64> {
    let Ruled::By(Rule::Every(by, _, _)) = rule_of(sets, target) else { return None };
    let whole = |ranks: u64| ranks.is_multiple_of(by);
    (sets.iter().all(|(ranks, _)| whole(*ranks)) && !whole(u64::from(target))).then_some(by)
}

/// Whether the last rank of the job belongs to a set of several at the target size, but did so at
/// one observed size at most: the last rank often gets the remainder.
pub fn is_new_end(sets: &[(u64, Vec<u32>)], members: &[u32], target: u32) -> bool {
    let ends = |ranks: u64, set: &[u32]| {
        set.len() > 1 && set.last().is_some_and(|&last| u64::from(last) + 1 == ranks)
    };
    ends(u64::from(target), members) && sets.iter().filter(|(ranks, set)| ends(*ranks, set)).count() < 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(belongs: impl Fn(u64, u64) -> bool) -> Vec<(u64, Vec<u32>)> {
        let one = |ranks: u64| {
            (ranks, (0..ranks).filter(|&rank| belongs(rank, ranks)).map(|rank| rank as u32).collect())
        };
        [4, 6, 9, 12].map(one).into()
    }

    #[test]
    fn usual_sets_have_rules() {
        let rule_of = |sets: &[(u64, Vec<u32>)]| match rule_of(sets, 16) {
            Ruled::By(rule) => Some(rule),
            _ => None,
        };
        assert_eq!(rule_of(&sets(|_, _| true)), Some(Rule::Within(0, 0)));
        assert_eq!(rule_of(&sets(|rank, _| rank == 0)), Some(Rule::Only(0)));
        assert_eq!(rule_of(&sets(|rank, ranks| rank + 1 == ranks)), Some(Rule::FromEnd(0)));
        assert_eq!(rule_of(&sets(|rank, ranks| rank > 0 && rank + 1 < ranks)), Some(Rule::Within(1, 1)));
        assert_eq!(rule_of(&sets(|rank, _| rank % 4 == 0)), Some(Rule::Every(4, 0, 0)));
        assert_eq!(rule_of(&sets(|rank, _| rank == 1 || rank == 3)), None);
    }

    #[test]
    fn rules_that_differ_are_none() {
        let first_row = |ranks: u64| (ranks, (0..Size::of(ranks).sides(2)[1] as u32).collect());
        let flat: Vec<(u64, Vec<u32>)> = [4, 6, 9].map(first_row).into();
        assert_eq!(rule_of(&flat, 12), Ruled::Ambiguous, "a third dimension was not seen");
        let fourth: Vec<(u64, Vec<u32>)> =
            [8, 12, 16].map(|ranks| (ranks, (0..ranks as u32).step_by(4).collect())).into();
        assert_eq!((broken_group(&fourth, 20), broken_group(&fourth, 30)), (None, Some(4)));
    }

    #[test]
    fn one_class_may_be_the_rest() {
        let odd = |rank: u64| rank == 0 || rank == 2;
        let classes = [sets(|rank, _| rank == 0), sets(|rank, _| rank == 2), sets(|rank, _| !odd(rank))];
        let found = at_size(&classes, 16).expect("rules");
        assert_eq!((&found[0], &found[1], found[2].len()), (&vec![0], &vec![2], 14));
        assert_eq!(at_size(&[sets(|rank, _| rank > 0), sets(|_, _| true)], 16), None, "a rank has one class");
    }
}

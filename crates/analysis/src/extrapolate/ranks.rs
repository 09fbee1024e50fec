//! Which ranks do the same, at any size.

use super::forms::coordinates;
use super::sizes::sides;

/// A set of ranks that follows from the size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// All but so many first and so many last ones.
    Within(u64, u64),
    /// This one.
    Only(u64),
    /// This one from the end.
    FromEnd(u64),
    /// Every so-many-eth, from a place on, beginning at a rank.
    Every(u64, u64, u64),
    /// So many, as far apart from each other as can be.
    Spread(u64),
    /// Those below.
    Below(u64),
    /// Those from here on.
    From(u64),
    /// The first or the second half.
    Half(bool),
    /// By the place in the balanced grid: at the low end, inside, at the high end, or anywhere, of each dimension.
    Grid(usize, bool, [Edge; 3]),
    /// Whoever is left over.
    Rest,
}

/// Where on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// At its beginning.
    Low,
    /// Neither.
    Inside,
    /// At its end.
    High,
    /// Anywhere.
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
    /// Whether a rank belongs to it.
    pub fn holds(self, rank: u64, ranks: u64) -> bool {
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
                let (at, sides) =
                    (coordinates(rank, ranks, dimensions, last_fastest), sides(ranks, dimensions));
                (0..dimensions).all(|dimension| edges[dimension].holds(at[dimension], sides[dimension]))
            }
            Rule::Rest => false,
        }
    }
}

/// Rules, simplest first.
fn candidates() -> Vec<Rule> {
    let mut all = vec![Rule::Within(0, 0)];
    all.extend((0..16).map(Rule::Only));
    all.extend((0..4).map(Rule::FromEnd));
    all.extend((0..4).flat_map(|first| (0..4).map(move |last| Rule::Within(first, last))));
    for by in 2..=64 {
        all.extend((0..by).flat_map(|at| [Rule::Every(by, at, 0), Rule::Every(by, at, at + 1)]));
    }
    all.extend((2..=16).map(Rule::Spread));
    all.extend([Rule::Half(false), Rule::Half(true)]);
    all.extend((2..=64).flat_map(|limit| [Rule::Below(limit), Rule::From(limit)]));
    for last_fastest in [true, false] {
        for one in Edge::ALL {
            for two in Edge::ALL {
                all.push(Rule::Grid(2, last_fastest, [one, two, Edge::Any]));
                all.extend(Edge::ALL.map(|three| Rule::Grid(3, last_fastest, [one, two, three])));
            }
        }
    }
    all
}

/// The simplest rule for sets of ranks, each with its size.
pub fn rule_of(sets: &[(u64, Vec<u32>)]) -> Option<Rule> {
    // A rule about several ranks must be seen with several.
    let several = sets.iter().any(|(_, set)| set.len() > 1);
    let fits = |rule: &Rule| {
        let lone = matches!(rule, Rule::Only(_) | Rule::FromEnd(_) | Rule::Within(..) | Rule::Grid(..));
        (several || lone)
            && sets.iter().all(|(ranks, set)| {
                let mut members = set.iter().map(|&rank| u64::from(rank));
                (0..*ranks).filter(|&rank| rule.holds(rank, *ranks)).all(|rank| members.next() == Some(rank))
                    && members.next().is_none()
            })
    };
    candidates().into_iter().find(fits)
}

/// For each class, which ranks belong to it at another size: nothing if that cannot be told. Classes come with
/// their sets of ranks by size; together they have all ranks.
pub fn at_size(classes: &[Vec<(u64, Vec<u32>)>], target: u32) -> Option<Vec<Vec<u32>>> {
    let mut rules: Vec<Option<Rule>> = classes.iter().map(|sets| rule_of(sets)).collect();
    let unknown: Vec<usize> = (0..rules.len()).filter(|&at| rules[at].is_none()).collect();
    match unknown[..] {
        [] => {}
        [rest] => rules[rest] = Some(Rule::Rest),
        _ => return None,
    }
    let rest = rules.iter().position(|rule| *rule == Some(Rule::Rest));
    let mut sets: Vec<Vec<u32>> = vec![Vec::new(); classes.len()];
    for rank in 0..target {
        let holds =
            |rule: &Option<Rule>| rule.is_some_and(|rule| rule.holds(u64::from(rank), u64::from(target)));
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
    let rule = rule_of(sets)?;
    Some((0..target).filter(|&rank| rule.holds(u64::from(rank), u64::from(target))).collect())
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
        assert_eq!(rule_of(&sets(|_, _| true)), Some(Rule::Within(0, 0)));
        assert_eq!(rule_of(&sets(|rank, _| rank == 0)), Some(Rule::Only(0)));
        assert_eq!(rule_of(&sets(|rank, ranks| rank + 1 == ranks)), Some(Rule::FromEnd(0)));
        assert_eq!(rule_of(&sets(|rank, ranks| rank > 0 && rank + 1 < ranks)), Some(Rule::Within(1, 1)));
        assert_eq!(rule_of(&sets(|rank, _| rank % 4 == 0)), Some(Rule::Every(4, 0, 0)));
        assert_eq!(rule_of(&sets(|rank, _| rank == 1 || rank == 3)), None);
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

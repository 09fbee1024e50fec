//! Models in the rank, for a given number of ranks: what the columns of a trace look like.

use super::sizes::sides;

/// How a number may depend on the rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Not at all.
    Constant,
    /// By a step from rank to rank.
    Linear,
    /// By groups of so many ranks.
    Divided(u64),
    /// By the place in such a group.
    Remainder(u64),
    /// By both.
    Grouped(u64),
    /// By groups, of which there are so many whatever the ranks.
    DividedInto(u64),
    /// By the place in such a group.
    RemainderInto(u64),
    /// By a neighbour in the ring of all ranks.
    Ring(i64),
    /// By the partner whose number differs in these bits.
    Partner(u64),
    /// By the coordinates in the balanced grid of so many dimensions; the last one runs fastest, or the first.
    Grid(usize, bool),
    /// By a share of so much work, of which the first ranks have one more where it does not divide.
    Share(u64),
}

/// Largest group that is tried.
const GROUP: u64 = 64;
/// Neighbours that are tried, on both sides.
const NEIGHBOUR: i64 = 8;

/// Forms, simplest first; those of one list are equally simple.
pub fn tiers(total: Option<u64>) -> Vec<Vec<Form>> {
    let groups = |form: fn(u64) -> Form| (2..=GROUP).map(form);
    let mut third: Vec<Form> = groups(Form::Divided).chain(groups(Form::Remainder)).collect();
    third.extend((2..=16).flat_map(|parts| [Form::DividedInto(parts), Form::RemainderInto(parts)]));
    third.extend((-NEIGHBOUR..=NEIGHBOUR).filter(|&by| by != 0).map(Form::Ring));
    third.extend([1, 2, 4, 8, 16, 32].map(Form::Partner));
    third.extend(total.map(Form::Share));
    let mut fourth: Vec<Form> = vec![Form::Grid(2, true), Form::Grid(2, false)];
    fourth.extend(groups(Form::Grouped));
    vec![
        vec![Form::Constant],
        vec![Form::Linear],
        third,
        fourth,
        vec![Form::Grid(3, true), Form::Grid(3, false)],
    ]
}

impl Form {
    /// What the factors of the model are for, beside a constant; nothing where the form has no meaning.
    pub fn features(self, rank: u64, ranks: u64) -> Option<Vec<i128>> {
        let group =
            |parts: u64| ranks.is_multiple_of(parts).then(|| ranks / parts).filter(|&group| group > 0);
        let of = |values: &[u64]| Some(values.iter().map(|&value| i128::from(value)).collect());
        match self {
            Form::Constant => of(&[]),
            Form::Linear => of(&[rank]),
            Form::Divided(by) => of(&[rank / by]),
            Form::Remainder(by) => of(&[rank % by]),
            Form::Grouped(by) => of(&[rank / by, rank % by]),
            Form::DividedInto(parts) => of(&[rank / group(parts)?]),
            Form::RemainderInto(parts) => of(&[rank % group(parts)?]),
            Form::Ring(by) => of(&[(rank as i64 + by).rem_euclid(ranks as i64) as u64]),
            Form::Partner(bits) => of(&[rank ^ bits]),
            Form::Grid(dimensions, last_fastest) => {
                of(&coordinates(rank, ranks, dimensions, last_fastest)[..dimensions])
            }
            Form::Share(total) => of(&[total / ranks + u64::from(rank < total % ranks)]),
        }
    }

    /// Names of the features.
    pub fn names(self) -> Vec<String> {
        match self {
            Form::Constant => vec![],
            Form::Linear => vec!["rank".into()],
            Form::Divided(by) => vec![format!("rank/{by}")],
            Form::Remainder(by) => vec![format!("rank%{by}")],
            Form::Grouped(by) => vec![format!("rank/{by}"), format!("rank%{by}")],
            Form::DividedInto(parts) => vec![format!("rank/(size/{parts})")],
            Form::RemainderInto(parts) => vec![format!("rank%(size/{parts})")],
            Form::Ring(by) => vec![format!("(rank{by:+})%size")],
            Form::Partner(bits) => vec![format!("rank^{bits}")],
            Form::Grid(dimensions, _) => {
                (0..dimensions).map(|at| format!("x{}of{dimensions}", at + 1)).collect()
            }
            Form::Share(total) => vec![format!("share({total})")],
        }
    }
}

/// Coordinates of a rank in the balanced grid.
pub fn coordinates(rank: u64, ranks: u64, dimensions: usize, last_fastest: bool) -> [u64; 3] {
    let sides = sides(ranks, dimensions);
    let mut at = [0; 3];
    let mut rest = rank;
    let mut take = |dimension: usize| {
        at[dimension] = rest % sides[dimension].max(1);
        rest /= sides[dimension].max(1);
    };
    if last_fastest {
        (0..dimensions).rev().for_each(&mut take)
    } else {
        (0..dimensions).for_each(&mut take)
    }
    at
}

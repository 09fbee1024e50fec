//! Models over the rank at a given number of ranks.

use super::split::Split;
use super::terms::Size;

/// How a number depends on the rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Constant,
    Linear,
    /// By the group of this many ranks.
    Divided(u64),
    /// By the index within such a group.
    Remainder(u64),
    /// By group and index.
    Grouped(u64),
    /// By the group of `outer` groups, the group within it, and the index within a group of `inner`
    /// ranks: (inner, outer).
    Nested(u64, u64),
    /// By group, with a fixed number of groups at any size.
    DividedInto(u64),
    RemainderInto(u64),
    GroupedInto(u64),
    /// By the neighbour at this distance in the ring of all ranks.
    Ring(i64),
    /// By the partner whose rank differs in these bits.
    Partner(u64),
    /// By powers of the rank, up to this exponent.
    Powers(u32),
    /// By the coordinates in the balanced grid of this many dimensions; `true` if the last one
    /// varies fastest, `false` if the first does.
    Grid(usize, bool),
    /// By the given coordinate alone.
    Axis(usize, bool, usize),
    /// By the index within a layer of the balanced grid of three dimensions: two coordinates as one
    /// number. A sample of ranks may not separate the two.
    Layer(bool),
    /// By the share of this much work.
    Share(Split, u64),
    /// By the start of such a share.
    Start(Split, u64),
}

const GROUP: u64 = 64;
/// Largest sizes tried of groups, and of groups of groups.
const NESTED: u64 = 16;
/// Maximum number of groups that ranks are divided into.
const PARTS: u64 = 16;
/// Largest distance of a neighbour, on both sides.
const NEIGHBOUR: i64 = 8;

/// Forms by complexity, simplest first. `shared` is work that the program is known to divide,
/// `total` the sums of the numbers themselves.
pub fn tiers(shared: &[u64], total: &[u64]) -> [(u32, Vec<Form>); 6] {
    let groups = |form: fn(u64) -> Form| (2..=GROUP).map(form);
    let mut shares: Vec<Form> = Vec::new();
    for split in Split::ALL {
        shares.extend(shared.iter().flat_map(|&work| [Form::Share(split, work), Form::Start(split, work)]));
        shares
            .extend(total.iter().filter(|work| !shared.contains(work)).map(|&work| Form::Share(split, work)));
    }
    let mut third: Vec<Form> = groups(Form::Divided).chain(groups(Form::Remainder)).collect();
    third.extend((2..=PARTS).flat_map(|parts| [Form::DividedInto(parts), Form::RemainderInto(parts)]));
    third.extend((-NEIGHBOUR..=NEIGHBOUR).filter(|&by| by != 0).map(Form::Ring));
    third.extend([1, 2, 4, 8, 16, 32].map(Form::Partner));
    let mut fourth: Vec<Form> = vec![Form::Grid(2, true), Form::Grid(2, false), Form::Powers(2)];
    let axes = |of: usize| (0..of).flat_map(move |at| [true, false].map(|last| Form::Axis(of, last, at)));
    fourth.extend(axes(2));
    fourth.extend(groups(Form::Grouped));
    fourth.extend((2..=PARTS).map(Form::GroupedInto));
    let mut fifth: Vec<Form> = vec![Form::Grid(3, true), Form::Grid(3, false), Form::Powers(3)];
    fifth.extend(axes(3));
    fifth.extend([true, false].map(Form::Layer));
    fifth.extend((2..=NESTED).flat_map(|inner| (2..=NESTED).map(move |outer| Form::Nested(inner, outer))));
    [(0, vec![Form::Constant]), (1, shares), (1, vec![Form::Linear]), (2, third), (3, fourth), (4, fifth)]
}

/// Ranks per layer of the balanced grid of three dimensions, across the slowest dimension.
pub fn layer(size: &Size, last_fastest: bool) -> u64 {
    let slowest = if last_fastest { 0 } else { 2 };
    size.ranks / size.sides(3)[slowest].max(1)
}

impl Form {
    /// What the factors of the model multiply, apart from the constant; `None` where the form is
    /// undefined.
    pub fn features(self, rank: u64, size: &Size) -> Option<Vec<i128>> {
        let ranks = size.ranks;
        let group =
            |parts: u64| ranks.is_multiple_of(parts).then(|| ranks / parts).filter(|&group| group > 0);
        let of = |values: &[u64]| Some(values.iter().map(|&value| i128::from(value)).collect());
        match self {
            Form::Constant => of(&[]),
            Form::Linear => of(&[rank]),
            Form::Divided(by) => of(&[rank / by]),
            Form::Remainder(by) => of(&[rank % by]),
            Form::Grouped(by) => of(&[rank / by, rank % by]),
            Form::Nested(inner, outer) => of(&[rank / (inner * outer), rank / inner % outer, rank % inner]),
            Form::DividedInto(parts) => of(&[rank / group(parts)?]),
            Form::RemainderInto(parts) => of(&[rank % group(parts)?]),
            Form::GroupedInto(parts) => of(&[rank / group(parts)?, rank % group(parts)?]),
            Form::Ring(by) => of(&[(rank as i64 + by).rem_euclid(ranks as i64) as u64]),
            Form::Partner(bits) => of(&[rank ^ bits]),
            Form::Powers(most) => (1..=most).map(|power| i128::from(rank).checked_pow(power)).collect(),
            Form::Grid(dimensions, last_fastest) => {
                of(&size.coordinates(rank, dimensions, last_fastest)[..dimensions])
            }
            Form::Axis(dimensions, last_fastest, at) => {
                of(&[size.coordinates(rank, dimensions, last_fastest)[at]])
            }
            Form::Layer(last_fastest) => of(&[rank % layer(size, last_fastest)]),
            Form::Share(split, work) => of(&[split.share(work, rank, ranks)]),
            Form::Start(split, work) => of(&[split.start(work, rank, ranks)]),
        }
    }

    pub fn names(self) -> Vec<String> {
        match self {
            Form::Constant => vec![],
            Form::Linear => vec!["rank".into()],
            Form::Divided(by) => vec![format!("rank/{by}")],
            Form::Remainder(by) => vec![format!("rank%{by}")],
            Form::Grouped(by) => vec![format!("rank/{by}"), format!("rank%{by}")],
            Form::Nested(inner, outer) => vec![
                format!("rank/{}", inner * outer),
                format!("rank/{inner}%{outer}"),
                format!("rank%{inner}"),
            ],
            Form::DividedInto(parts) => vec![format!("rank/(size/{parts})")],
            Form::RemainderInto(parts) => vec![format!("rank%(size/{parts})")],
            Form::GroupedInto(parts) => {
                vec![format!("rank/(size/{parts})"), format!("rank%(size/{parts})")]
            }
            Form::Ring(by) => vec![format!("(rank{by:+})%size")],
            Form::Partner(bits) => vec![format!("rank^{bits}")],
            Form::Powers(most) => {
                let power = |power| if power == 1 { "rank".into() } else { format!("rank**{power}") };
                (1..=most).map(power).collect()
            }
            Form::Grid(dimensions, _) => {
                (0..dimensions).map(|at| format!("x{}of{dimensions}", at + 1)).collect()
            }
            Form::Axis(dimensions, _, at) => vec![format!("x{}of{dimensions}", at + 1)],
            Form::Layer(true) => vec!["rank%(side2of3*side3of3)".into()],
            Form::Layer(false) => vec!["rank%(side1of3*side2of3)".into()],
            Form::Share(split, work) => vec![format!("share{}({work})", split.name())],
            Form::Start(split, work) => vec![format!("start{}({work})", split.name())],
        }
    }

    pub fn grid(self) -> Option<usize> {
        match self {
            Form::Grid(dimensions, _) | Form::Axis(dimensions, ..) => Some(dimensions),
            Form::Layer(_) => Some(3),
            _ => None,
        }
    }

    /// Whether its factors must be the same at all sizes, because the form itself depends on the
    /// size.
    pub fn is_fixed(self) -> bool {
        matches!(self, Form::Share(..) | Form::Start(..))
    }

    /// Group size, where the last group may be smaller.
    pub fn group(self) -> Option<u64> {
        match self {
            Form::Divided(by) | Form::Remainder(by) | Form::Grouped(by) => Some(by),
            Form::Nested(inner, outer) => Some(inner * outer),
            _ => None,
        }
    }
}

//! Which changes are tried: drawn before any is, in proportion to the lines of each crate.

use crate::tree::Source;

use super::places::{Change, changes, lines};

/// A change of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    pub path: String,
    pub line: usize,
    pub change: Change,
}

/// A crate, how many changes to try in it, and changes in the order in which to try them: those that do
/// not compile do not count.
#[derive(Clone, Debug)]
pub struct Share {
    pub name: String,
    pub count: usize,
    pub order: Vec<Mutant>,
}

/// How many are drawn for each that counts; about every third does not compile.
const SPARE: usize = 6;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(bits ^ (bits >> 31)) * end as u128) >> 64) as usize
    }
}

/// Draws `count` changes over crates, given as names and sources.
pub fn draw(crates: &[(String, Vec<&Source>)], count: usize, seed: u64) -> Vec<Share> {
    let sizes: Vec<usize> =
        crates.iter().map(|(_, sources)| sources.iter().map(|source| lines(&source.text)).sum()).collect();
    let shares = proportional(&sizes, count);
    let mut random = Random(seed);
    let each = crates.iter().zip(shares).map(|((name, sources), count)| {
        let places: Vec<(&str, usize, Vec<Change>)> = sources
            .iter()
            .flat_map(|source| {
                changes(&source.text).into_iter().map(|(line, found)| (&*source.path, line, found))
            })
            .collect();
        let mut order: Vec<Mutant> = Vec::new();
        // A place that is drawn again is passed over, so draw more than are kept.
        for _ in 0..4 * SPARE * count {
            if places.is_empty() || order.len() == SPARE * count {
                break;
            }
            let (path, line, found) = &places[random.below(places.len())];
            let change = found[random.below(found.len())].clone();
            let mutant = Mutant { path: (*path).to_owned(), line: *line, change };
            if !order.contains(&mutant) {
                order.push(mutant);
            }
        }
        Share { name: name.clone(), count, order }
    });
    each.collect()
}

/// Shares of `count` in proportion to `sizes`, by largest remainder.
fn proportional(sizes: &[usize], count: usize) -> Vec<usize> {
    let total = sizes.iter().sum::<usize>().max(1);
    let mut shares: Vec<usize> = sizes.iter().map(|size| size * count / total).collect();
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(sizes[at] * count % total));
    let left = count - shares.iter().sum::<usize>();
    order.into_iter().take(left).for_each(|at| shares[at] += 1);
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_follow_sizes_and_add_up() {
        assert_eq!(proportional(&[100, 200, 300], 60), [10, 20, 30]);
        assert_eq!(proportional(&[1, 1, 1], 4), [2, 1, 1]);
        assert_eq!(proportional(&[0, 7], 3), [0, 3]);
    }

    #[test]
    fn a_seed_draws_the_same_and_another_does_not() {
        let text = (0..50).map(|at| format!("let x{at} = {at} + y;\n")).collect();
        let source = Source { path: "a.rs".to_owned(), text };
        let crates = [("a".to_owned(), vec![&source])];
        let orders = |seed| draw(&crates, 5, seed).remove(0).order;
        assert_eq!(orders(1), orders(1));
        assert_ne!(orders(1), orders(2));
        assert_eq!(orders(1).len(), 5 * SPARE);
    }
}

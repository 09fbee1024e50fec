//! Finds bursts that most samples share, by a grid over time and similarity (after CLIQUE, Agrawal
//! et al. 1998).

use std::collections::{BTreeMap, BTreeSet};

/// A burst of a sample as a point in the grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub sample: usize,
    /// Index of the burst in its sample.
    pub burst: usize,
    /// Of the crest.
    pub time: f64,
    /// Similarity to the mean burst, 0 to 1.
    pub likeness: f64,
}

/// Shares of the samples that must agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shares {
    /// In one cell.
    pub gamma: f64,
    /// In a cell and its neighbours.
    pub kappa: f64,
}

/// Number of cell widths and heights to try.
const TRIED: usize = 5;
const HEIGHTS: (f64, f64) = (0.05, 0.25);

/// Groups the points, at most one per sample, in order of time. Tries cell widths within `widths`
/// and keeps the grid that puts the most points into groups.
pub fn groups(points: &[Point], samples: usize, widths: (f64, f64), shares: Shares) -> Vec<Vec<Point>> {
    let step = |(low, high): (f64, f64), at: usize| low + (high - low) * at as f64 / (TRIED - 1) as f64;
    let mut best: (usize, Vec<Vec<Point>>) = (0, Vec::new());
    for width in (0..TRIED).map(|at| step(widths, at).max(1.0)) {
        for height in (0..TRIED).map(|at| step(HEIGHTS, at)) {
            let found = Grid { points, width, height, samples, shares }.groups();
            let count = found.iter().map(Vec::len).sum();
            if count > best.0 {
                best = (count, found);
            }
        }
    }
    let mut groups = best.1;
    let time =
        |group: &[Point]| group.iter().map(|point| point.time).sum::<f64>() / group.len().max(1) as f64;
    groups.sort_by(|one, other| time(one).total_cmp(&time(other)));
    groups
}

struct Grid<'a> {
    points: &'a [Point],
    width: f64,
    height: f64,
    samples: usize,
    shares: Shares,
}

type Cell = (i64, i64);

impl Grid<'_> {
    fn cell(&self, point: &Point) -> Cell {
        let top = (1.0 / self.height).ceil() as i64 - 1;
        ((point.time / self.width) as i64, ((point.likeness / self.height) as i64).min(top))
    }

    fn groups(&self) -> Vec<Vec<Point>> {
        let mut cells: BTreeMap<Cell, Vec<usize>> = BTreeMap::new();
        for (at, point) in self.points.iter().enumerate() {
            cells.entry(self.cell(point)).or_default().push(at);
        }
        let needed = |share: f64| (share * self.samples as f64 - 1e-9).ceil() as usize;
        let mut dense: Vec<(usize, Cell)> = cells
            .iter()
            .map(|(&cell, members)| (self.different(members), cell))
            .filter(|&(density, _)| density >= needed(self.shares.gamma).max(1))
            .collect();
        dense.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
        let mut used = vec![false; self.points.len()];
        let mut groups = Vec::new();
        for (_, cell) in dense {
            let around = around(cell).filter_map(|cell| cells.get(&cell)).flatten();
            let free: Vec<usize> = around.copied().filter(|&at| !used[at]).collect();
            if self.different(&free) >= needed(self.shares.kappa).max(1) {
                let chosen = self.one_per_sample(&free);
                chosen.iter().for_each(|&at| used[at] = true);
                groups.push(chosen.into_iter().map(|at| self.points[at]).collect());
            }
        }
        groups
    }

    fn different(&self, members: &[usize]) -> usize {
        members.iter().map(|&at| self.points[at].sample).collect::<BTreeSet<_>>().len()
    }

    /// Keeps of each sample the point closest to those of the other samples.
    fn one_per_sample(&self, members: &[usize]) -> Vec<usize> {
        let apart = |one: usize, other: usize| {
            let (one, other) = (self.points[one], self.points[other]);
            ((one.time - other.time) / self.width).hypot((one.likeness - other.likeness) / self.height)
        };
        let mut best: BTreeMap<usize, (f64, usize)> = BTreeMap::new();
        for &one in members {
            let sample = self.points[one].sample;
            let others = members.iter().filter(|&&other| self.points[other].sample != sample);
            let total: f64 = others.map(|&other| apart(one, other)).sum();
            let known = best.entry(sample).or_insert((total, one));
            if total < known.0 {
                *known = (total, one);
            }
        }
        best.into_values().map(|(_, at)| at).collect()
    }
}

fn around((column, row): Cell) -> impl Iterator<Item = Cell> {
    (-1..=1).flat_map(move |right| (-1..=1).map(move |up| (column + right, row + up)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(sample: usize, time: f64, likeness: f64) -> Point {
        Point { sample, burst: 0, time, likeness }
    }

    #[test]
    fn what_most_samples_share_is_found_once_per_sample() {
        let mut points: Vec<Point> =
            (0..10).map(|sample| point(sample, 100.0 + sample as f64, 0.9)).collect();
        points.extend((0..10).map(|sample| point(sample, 300.0 - sample as f64, 0.8)));
        points.push(point(0, 290.0, 0.1));
        points.push(point(3, 600.0, 0.9));
        let found = groups(&points, 10, (20.0, 100.0), Shares { gamma: 0.5, kappa: 0.9 });
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [10, 10]);
        assert!(found[1].iter().all(|point| point.likeness > 0.5));
        assert!(groups(&[], 0, (1.0, 2.0), Shares { gamma: 0.5, kappa: 0.9 }).is_empty());
    }
}

//! Mean shift with a flat kernel, in two dimensions.

/// Cells per radius. Points of one cell move together, so a thousand equal segments cost as much as
/// one.
const CELLS: f64 = 16.0;
const MAX_STEPS: usize = 50;
/// Movement below which a mean has converged.
const STILL: f64 = 1e-6;

#[derive(Debug, Clone)]
struct Cell {
    place: (i64, i64),
    sum: [f64; 2],
    members: Vec<usize>,
}

impl Cell {
    fn mean(&self) -> [f64; 2] {
        self.sum.map(|sum| sum / self.members.len() as f64)
    }
}

/// Clusters points whose neighbourhoods (radius 1) move to the same mode. Returns the indices of
/// each cluster, densest mode first.
pub fn mean_shift(points: &[[f64; 2]]) -> Vec<Vec<usize>> {
    let cells = cells(points);
    let means: Vec<([f64; 2], f64)> =
        cells.iter().map(|cell| (cell.mean(), cell.members.len() as f64)).collect();
    let mut modes: Vec<([f64; 2], f64)> = means.iter().map(|&(start, _)| climb(start, &means)).collect();
    modes.sort_by(|one, other| {
        other.1.total_cmp(&one.1).then(one.0[0].total_cmp(&other.0[0])).then(one.0[1].total_cmp(&other.0[1]))
    });
    let mut kept: Vec<[f64; 2]> = Vec::new();
    for (mode, _) in modes {
        if kept.iter().all(|known| distance(*known, mode) > 1.0) {
            kept.push(mode);
        }
    }
    let mut clusters = vec![Vec::new(); kept.len()];
    for cell in &cells {
        let mean = cell.mean();
        let nearest = (0..kept.len())
            .min_by(|&one, &other| distance(kept[one], mean).total_cmp(&distance(kept[other], mean)));
        if let Some(cluster) = nearest.and_then(|at| clusters.get_mut(at)) {
            cluster.extend_from_slice(&cell.members);
        }
    }
    clusters.iter_mut().for_each(|cluster| cluster.sort_unstable());
    clusters
}

fn cells(points: &[[f64; 2]]) -> Vec<Cell> {
    let place = |point: &[f64; 2]| ((point[0] * CELLS).round() as i64, (point[1] * CELLS).round() as i64);
    let mut order: Vec<_> = points.iter().map(place).zip(0..).collect();
    order.sort_unstable();
    let mut cells: Vec<Cell> = Vec::new();
    for (place, at) in order {
        match cells.last_mut().filter(|cell| cell.place == place) {
            Some(cell) => {
                cell.sum[0] += points[at][0];
                cell.sum[1] += points[at][1];
                cell.members.push(at);
            }
            None => cells.push(Cell { place, sum: points[at], members: vec![at] }),
        }
    }
    cells
}

/// Moves a mean to its mode; returns the mode and the number of points around it. Cells are in
/// order of their first coordinate.
fn climb(start: [f64; 2], cells: &[([f64; 2], f64)]) -> ([f64; 2], f64) {
    let mut at = start;
    let mut weight = 0.0;
    for _ in 0..MAX_STEPS {
        // The mean of a cell lies within half a cell of its place.
        let reach = 1.0 + 1.0 / CELLS;
        let from = cells.partition_point(|cell| cell.0[0] < at[0] - reach);
        let to = cells.partition_point(|cell| cell.0[0] <= at[0] + reach);
        let (mut sum, mut all) = ([0.0; 2], 0.0);
        for &(mean, members) in cells[from.min(to)..to].iter().filter(|cell| distance(cell.0, at) <= 1.0) {
            sum = [sum[0] + mean[0] * members, sum[1] + mean[1] * members];
            all += members;
        }
        if all == 0.0 {
            break;
        }
        let next = sum.map(|sum| sum / all);
        let moved = distance(next, at);
        (at, weight) = (next, all);
        if moved < STILL {
            break;
        }
    }
    (at, weight)
}

fn distance(one: [f64; 2], other: [f64; 2]) -> f64 {
    ((one[0] - other[0]).powi(2) + (one[1] - other[1]).powi(2)).sqrt()
}

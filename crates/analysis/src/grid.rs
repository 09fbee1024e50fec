//! Bytes over time and ranks, in a fixed number of cells.
//!
//! Time starts with narrow bins. When data lies beyond the last bin, neighbouring bins are joined
//! and the width doubles, so a run of any length fits and memory does not grow.

use std::borrow::Cow;

use marigraph_model::Direction;

/// Rows of time bins.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    bin_s: f64,
    columns: usize,
    rows: usize,
    read: Cells,
    written: Cells,
    last: f64,
}

/// Bytes per cell, row by row. An even spread over many cells is stored as a step up and a step
/// down, so that an operation costs the same however long it lasts. Cells are allocated on first
/// use.
#[derive(Debug, Clone, PartialEq, Default)]
struct Cells {
    bytes: Vec<f64>,
    steps: Vec<f64>,
}

impl Cells {
    fn row(&self, range: std::ops::Range<usize>) -> Vec<f64> {
        let mut row = match self.bytes.get(range.clone()) {
            Some(bytes) => bytes.to_vec(),
            None => vec![0.0; range.len()],
        };
        add_up(&mut row, self.steps.get(range).unwrap_or(&[]));
        row
    }

    fn widen(&mut self, columns: usize, together: usize) {
        let mut steps = self.steps.chunks(columns);
        for row in self.bytes.chunks_mut(columns) {
            add_up(row, steps.next().unwrap_or(&[]));
            let joined = columns.div_ceil(together);
            for at in 0..joined {
                let until = ((at + 1) * together).min(columns);
                row[at] = row[at * together..until].iter().sum();
            }
            row[joined..].fill(0.0);
        }
        self.steps.fill(0.0);
    }
}

fn add_up(row: &mut [f64], steps: &[f64]) {
    let mut height = 0.0;
    for (bytes, step) in row.iter_mut().zip(steps) {
        height += step;
        // Steps cancel up to rounding; no cell may be negative.
        *bytes = (*bytes + height).max(0.0);
    }
}

/// Times beyond this many seconds (thirty years) are invalid and are clamped.
const LONGEST_S: f64 = 1e9;
const SAME_WIDTH: f64 = 0.999_999_999;
/// Minimum time span of a grid, so that its bins have a width.
const SHORTEST_S: f64 = 1e-3;

impl Grid {
    /// Creates an empty grid whose columns cover `seconds` at first.
    pub fn new(rows: usize, columns: usize, seconds: f64) -> Grid {
        let (rows, columns) = (rows.max(1), columns.max(1));
        let seconds = if seconds.is_finite() { seconds.clamp(SHORTEST_S, LONGEST_S) } else { SHORTEST_S };
        Grid {
            bin_s: seconds / columns as f64,
            columns,
            rows,
            read: Cells::default(),
            written: Cells::default(),
            last: 0.0,
        }
    }

    /// Adds bytes, spread evenly between two moments.
    pub fn add(&mut self, row: usize, from_s: f64, to_s: f64, bytes: f64, direction: Direction) {
        let clean = |t: f64| if t.is_nan() { 0.0 } else { t.clamp(0.0, LONGEST_S) };
        let (from, to) = (clean(from_s), clean(to_s).max(clean(from_s)));
        if bytes.is_nan() || bytes <= 0.0 || row >= self.rows {
            return;
        }
        if to > self.bin_s * self.columns as f64 {
            self.widen(to / self.columns as f64);
        }
        self.last = self.last.max(to);
        let cells = match direction {
            Direction::Read => &mut self.read,
            Direction::Write => &mut self.written,
        };
        let range = row * self.columns..(row + 1) * self.columns;
        if cells.bytes.is_empty() {
            cells.bytes = vec![0.0; self.rows * self.columns];
        }
        let (from, to) = (from / self.bin_s, to / self.bin_s);
        if to - from >= LONG {
            if cells.steps.is_empty() {
                cells.steps = vec![0.0; self.rows * self.columns];
            }
            spread_long(&mut cells.bytes[range.clone()], &mut cells.steps[range], from, to, bytes);
        } else {
            spread(&mut cells.bytes[range], from, to, bytes);
        }
    }

    /// Joins neighbouring bins, doubling their width until it is at least `bin_s`.
    pub fn widen(&mut self, bin_s: f64) {
        let mut together = 1;
        while self.bin_s < bin_s * SAME_WIDTH {
            self.bin_s *= 2.0;
            together *= 2;
        }
        if together > 1 {
            self.read.widen(self.columns, together);
            self.written.widen(self.columns, together);
        }
    }

    pub fn widened(&self, bin_s: f64) -> Cow<'_, Grid> {
        if self.bin_s >= bin_s * SAME_WIDTH {
            return Cow::Borrowed(self);
        }
        let mut wider = self.clone();
        wider.widen(bin_s);
        Cow::Owned(wider)
    }

    /// Adds another grid with the same rows and columns. Its initial bin width must be the same up
    /// to doubling.
    pub fn add_grid(&mut self, mut other: Grid) {
        self.widen(other.bin_s);
        other.widen(self.bin_s);
        self.last = self.last.max(other.last);
        for (one, other) in [(&mut self.read, other.read), (&mut self.written, other.written)] {
            add_cells(&mut one.bytes, other.bytes);
            add_cells(&mut one.steps, other.steps);
        }
    }

    pub fn bin_s(&self) -> f64 {
        self.bin_s
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of bins in use: up to the last byte, or to `at_least_s`.
    pub fn used_columns(&self, at_least_s: f64) -> usize {
        let end = self.last.max(at_least_s.min(self.bin_s * self.columns as f64));
        ((end / self.bin_s).ceil() as usize).clamp(1, self.columns)
    }

    pub fn row(&self, row: usize, direction: Direction) -> Vec<f64> {
        let cells = match direction {
            Direction::Read => &self.read,
            Direction::Write => &self.written,
        };
        cells.row(row * self.columns..(row + 1) * self.columns)
    }

    pub fn is_empty(&self) -> bool {
        let nothing = |cells: &Cells| cells.bytes.iter().chain(&cells.steps).all(|&bytes| bytes == 0.0);
        nothing(&self.read) && nothing(&self.written)
    }
}

/// Number of cells from which an even spread is stored as steps.
const LONG: f64 = 16.0;

/// Returns the cell of a place; cells fit in 32 bits, which convert faster.
fn whole_cell(place: f64) -> usize {
    place as u32 as usize
}

/// Spreads an amount over cells; `from` and `to` count in cells.
fn spread(cells: &mut [f64], from: f64, to: f64, amount: f64) {
    let last = cells.len() - 1;
    let (first_cell, last_cell) = (whole_cell(from).min(last), whole_cell(to).min(last));
    if first_cell == last_cell || to <= from {
        cells[first_cell] += amount;
        return;
    }
    let per_cell = amount / (to - from);
    cells[first_cell] += per_cell * (first_cell as f64 + 1.0 - from);
    cells[first_cell + 1..last_cell].iter_mut().for_each(|cell| *cell += per_cell);
    cells[last_cell] += per_cell * (to - last_cell as f64);
}

fn spread_long(cells: &mut [f64], steps: &mut [f64], from: f64, to: f64, amount: f64) {
    let last = cells.len() - 1;
    let (first_cell, last_cell) = (whole_cell(from).min(last), whole_cell(to).min(last));
    if first_cell == last_cell {
        cells[first_cell] += amount;
        return;
    }
    let per_cell = amount / (to - from);
    cells[first_cell] += per_cell * (first_cell as f64 + 1.0 - from);
    cells[last_cell] += per_cell * (to - last_cell as f64);
    steps[first_cell + 1] += per_cell;
    steps[last_cell] -= per_cell;
}

/// Adds cells one by one; `cells` may still be empty.
fn add_cells(cells: &mut Vec<f64>, others: Vec<f64>) {
    if cells.is_empty() {
        *cells = others;
    } else {
        cells.iter_mut().zip(others).for_each(|(cell, other)| *cell += other);
    }
}

/// Rounds to whole bytes with an exact running sum, so that no byte is lost.
pub fn whole(bins: &[f64]) -> Vec<u64> {
    let (mut exact, mut given) = (0.0f64, 0u64);
    bins.iter()
        .map(|&bytes| {
            exact += bytes;
            let next = (exact.round() as u64).saturating_sub(given);
            given += next;
            next
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_are_spread_by_time() {
        let mut grid = Grid::new(2, 10, 10.0);
        grid.add(1, 0.5, 2.5, 200.0, Direction::Write);
        assert_eq!(grid.row(1, Direction::Write)[..4], [50.0, 100.0, 50.0, 0.0]);
        assert_eq!(grid.row(0, Direction::Write)[..4], [0.0; 4]);
        grid.add(0, 3.0, 3.0, 7.0, Direction::Read);
        assert_eq!(grid.row(0, Direction::Read)[3], 7.0);
        assert_eq!(grid.used_columns(0.0), 3);
        assert_eq!(grid.used_columns(8.0), 8);
    }

    #[test]
    fn a_longer_run_widens_the_bins() {
        let mut grid = Grid::new(1, 4, 4.0);
        (0..4).for_each(|n| grid.add(0, f64::from(n), f64::from(n) + 1.0, 10.0, Direction::Read));
        grid.add(0, 7.0, 8.0, 5.0, Direction::Read);
        assert_eq!(grid.bin_s(), 2.0);
        assert_eq!(grid.row(0, Direction::Read), [20.0, 20.0, 0.0, 5.0]);
    }

    proptest! {
        #[test]
        fn no_byte_is_lost(ops in proptest::collection::vec((0.0f64..1e5, 0.0f64..1e3, 1.0f64..1e9), 1..50)) {
            let mut grid = Grid::new(1, 64, 1.0);
            for &(start, length, bytes) in &ops {
                grid.add(0, start, start + length, bytes, Direction::Write);
            }
            let sum: f64 = grid.row(0, Direction::Write).iter().sum();
            let truth: f64 = ops.iter().map(|op| op.2).sum();
            prop_assert!((sum - truth).abs() <= truth * 1e-9, "{sum} {truth}");
        }

        #[test]
        fn nonsense_times_do_no_harm(start: f64, end: f64) {
            let mut grid = Grid::new(1, 8, 1.0);
            grid.add(0, start, end, 1.0, Direction::Read);
            let sum: f64 = grid.row(0, Direction::Read).iter().sum();
            prop_assert!((sum - 1.0).abs() < 1e-6);
        }
    }
}

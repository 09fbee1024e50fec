//! Records of counters under construction.

use marigraph_model::counters::{FloatIdx, IntIdx};
use marigraph_model::{Count, Measure, Module, size_bin};

/// Counters of one record.
pub struct Row {
    /// Integer counters.
    pub ints: Vec<Count>,
    /// Float counters.
    pub floats: Vec<Measure>,
}

impl Row {
    /// All counters zero.
    pub fn new(module: Module) -> Row {
        let (ints, floats) = (module.ints().len(), module.floats().len());
        Row { ints: vec![Count::new(0); ints], floats: vec![Measure::new(0.0); floats] }
    }

    /// Sets an integer counter.
    pub fn set(&mut self, idx: IntIdx, value: u64) {
        self.ints[idx.at()] = Count::new(i64::try_from(value).unwrap_or(i64::MAX));
    }

    /// Sets a float counter.
    pub fn put(&mut self, idx: FloatIdx, value: f64) {
        self.floats[idx.at()] = Measure::new(value);
    }

    /// First begin and last end of some calls.
    pub fn stamps(&mut self, (start, end): (FloatIdx, FloatIdx), hull: Option<(f64, f64)>) {
        let (start_s, end_s) = hull.unwrap_or((0.0, 0.0));
        self.put(start, start_s);
        self.put(end, end_s);
    }
}

/// Fills size classes, which begin at `first`.
pub fn fill_classes(row: &mut Row, first: IntIdx, sizes: &[(u64, u64)]) {
    for &(size, calls) in sizes {
        let class = first.plus(size_bin(size));
        let before = row.ints[class.at()].amount();
        row.set(class, before + calls);
    }
}

/// Fills the four slots of the most frequent sizes.
pub fn fill_common(row: &mut Row, (value, count): (IntIdx, IntIdx), mut sizes: Vec<(u64, u64)>) {
    sizes.sort_unstable();
    sizes.dedup_by(|next, first| {
        let same = next.0 == first.0;
        first.1 += if same { next.1 } else { 0 };
        same
    });
    sizes.sort_by_key(|&(size, calls)| std::cmp::Reverse((calls, size)));
    for (slot, &(size, calls)) in sizes.iter().filter(|(size, _)| *size > 0).take(4).enumerate() {
        row.set(value.plus(slot), size);
        row.set(count.plus(slot), calls);
    }
}

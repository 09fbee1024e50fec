//! Points near a point.

/// Points in order of their first coordinate. A search walks away from a point on both sides and
/// ends where the first coordinate alone is too far. In a spectrum, whose points are evenly spaced
/// on the first axis and whose second coordinates add up to 1, all searches for a fixed number of
/// neighbours take linear time together: only a point with a large share walks far.
pub(super) struct Sorted<'a> {
    points: &'a [[f64; 2]],
    order: Vec<usize>,
    /// Place in `order` of each point.
    place: Vec<usize>,
}

impl<'a> Sorted<'a> {
    pub fn new(points: &'a [[f64; 2]]) -> Sorted<'a> {
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by(|&one, &other| points[one][0].total_cmp(&points[other][0]).then(one.cmp(&other)));
        let mut place = vec![0; points.len()];
        order.iter().enumerate().for_each(|(at, &point)| place[point] = at);
        Sorted { points, order, place }
    }

    /// The other points by rising distance on the first axis: (that distance, distance, index).
    pub fn around(&self, of: usize) -> impl Iterator<Item = (f64, f64, usize)> + '_ {
        let from = self.points[of];
        let mut below = self.order[..self.place[of]].iter().rev().copied().peekable();
        let mut above = self.order[self.place[of] + 1..].iter().copied().peekable();
        let across = move |other: usize| (self.points[other][0] - from[0]).abs();
        std::iter::from_fn(move || {
            let side = match (below.peek(), above.peek()) {
                (Some(&one), Some(&other)) if across(one) <= across(other) => below.next(),
                (Some(_), None) => below.next(),
                _ => above.next(),
            };
            side.map(|other| {
                let (x, y) = (across(other), self.points[other][1] - from[1]);
                (x, (x * x + y * y).sqrt(), other)
            })
        })
    }
}

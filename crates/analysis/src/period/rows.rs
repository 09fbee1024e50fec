//! The bursts of each rank, in bounded memory.

use std::collections::HashMap;

use super::outcome::Phase;

const BURSTS: usize = 1 << 19;
const RANKS: usize = 1 << 14;
/// Ranks below this are found without a search.
const DIRECT: usize = 1 << 16;
/// Shorter pauses are ignored.
const SHORTEST_S: f64 = 1e-6;

/// Bursts by rank. Consecutive requests without a pause are one burst.
#[derive(Debug, Clone)]
pub struct Rows {
    rows: Vec<(u32, Vec<Phase>)>,
    /// Row index + 1 of each small rank; 0 without a row.
    direct: Vec<u32>,
    /// Row indices of large ranks.
    searched: HashMap<u32, usize>,
    ranks_per_row: u32,
    kept: usize,
    /// Pauses up to this length are not kept.
    join_s: f64,
}

impl Default for Rows {
    fn default() -> Rows {
        let (rows, direct, searched) = (Vec::new(), Vec::new(), HashMap::new());
        Rows { rows, direct, searched, ranks_per_row: 1, kept: 0, join_s: 0.0 }
    }
}

impl Rows {
    pub fn add(&mut self, rank: u32, request: Phase) {
        let join_s = self.join_s;
        let bursts = self.row(rank / self.ranks_per_row);
        match bursts.last_mut() {
            Some(last) if request.start_s >= last.start_s && request.start_s <= last.end_s + join_s => {
                last.end_s = last.end_s.max(request.end_s);
                last.bytes += request.bytes;
            }
            _ => {
                bursts.push(request);
                self.kept += 1;
                if self.kept > BURSTS || self.rows.len() > RANKS {
                    self.compact();
                }
            }
        }
    }

    /// `rank` is already divided by `ranks_per_row`.
    fn row(&mut self, rank: u32) -> &mut Vec<Phase> {
        let small = rank as usize;
        let known = match self.direct.get(small) {
            Some(&place) => (place as usize).checked_sub(1),
            None if small < DIRECT => None,
            None => self.searched.get(&rank).copied(),
        };
        let place = known.unwrap_or_else(|| {
            let place = self.rows.len();
            self.rows.push((rank, Vec::new()));
            if small < DIRECT {
                self.direct.resize(self.direct.len().max(small + 1), 0);
                self.direct[small] = place as u32 + 1;
            } else {
                self.searched.insert(rank, place);
            }
            place
        });
        &mut self.rows[place].1
    }

    fn divide_ranks(&mut self, by: u32) {
        self.ranks_per_row = self.ranks_per_row.saturating_mul(by);
        self.direct.clear();
        self.searched.clear();
        for (rank, bursts) in std::mem::take(&mut self.rows) {
            self.row(rank / by).extend(bursts);
        }
    }

    /// Drops short pauses, and merges ranks if there are very many, until half of the room is free.
    fn compact(&mut self) {
        while self.rows.len() > RANKS / 2 {
            self.divide_ranks(2);
        }
        let bursts = || self.rows.iter().flat_map(|(_, bursts)| bursts);
        let first_s = bursts().map(|burst| burst.start_s).fold(f64::INFINITY, f64::min);
        let last_s = bursts().map(|burst| burst.end_s).fold(f64::NEG_INFINITY, f64::max);
        let shortest = ((last_s - first_s) / BURSTS as f64).max(SHORTEST_S);
        loop {
            let join_s = self.join_s;
            self.rows.iter_mut().for_each(|(_, bursts)| join(bursts, join_s));
            self.kept = self.rows.iter().map(|(_, bursts)| bursts.len()).sum();
            if self.kept <= BURSTS / 2 {
                return;
            }
            self.join_s = (self.join_s * 2.0).max(shortest);
        }
    }

    pub fn and(mut self, mut other: Rows) -> Rows {
        let most = self.ranks_per_row.max(other.ranks_per_row);
        for rows in [&mut self, &mut other] {
            rows.divide_ranks(most / rows.ranks_per_row);
        }
        self.join_s = self.join_s.max(other.join_s);
        for (rank, bursts) in other.rows {
            self.row(rank).extend(bursts);
        }
        self.kept += other.kept;
        if self.kept > BURSTS || self.rows.len() > RANKS {
            self.compact();
        }
        self
    }

    pub fn settle(&mut self) {
        let join_s = self.join_s;
        self.rows.iter_mut().for_each(|(_, bursts)| join(bursts, join_s));
    }

    /// Bursts of each rank, heaviest rank first. Needs [`Rows::settle`].
    pub fn by_weight(&self) -> Vec<&[Phase]> {
        let weigh = |(rank, bursts): &'_ (u32, Vec<Phase>)| {
            let bytes: f64 = bursts.iter().map(|burst| burst.bytes).sum();
            (bytes, *rank)
        };
        let mut ranks: Vec<((f64, u32), &[Phase])> =
            self.rows.iter().map(|row| (weigh(row), row.1.as_slice())).collect();
        ranks.sort_by(|(a, _), (b, _)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        ranks.into_iter().map(|(_, bursts)| bursts).collect()
    }
}

/// Sorts bursts by time and joins those that overlap or have a pause of at most `join_s` between
/// them.
pub fn join(bursts: &mut Vec<Phase>, join_s: f64) {
    if !bursts.is_sorted_by(|a, b| a.start_s <= b.start_s) {
        bursts.sort_unstable_by(|a, b| a.start_s.total_cmp(&b.start_s));
    }
    bursts.dedup_by(|next, kept| {
        let joins = next.start_s <= kept.end_s + join_s;
        if joins {
            kept.end_s = kept.end_s.max(next.end_s);
            kept.bytes += next.bytes;
        }
        joins
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(start_s: f64) -> Phase {
        Phase { start_s, end_s: start_s + 1.0, bytes: 10.0 }
    }

    #[test]
    fn ranks_of_any_number_keep_apart() {
        let mut rows = Rows::default();
        for rank in [0, 7, DIRECT as u32 + 5, u32::MAX] {
            (0..3).for_each(|n| rows.add(rank, request(f64::from(n) * 10.0)));
            rows.add(rank, request(20.5));
        }
        rows.settle();
        let ranks = rows.by_weight();
        assert_eq!(ranks.len(), 4);
        assert!(ranks.iter().all(|bursts| bursts.len() == 3 && bursts[2].bytes == 20.0));
    }

    #[test]
    fn too_much_is_joined_and_no_byte_lost() {
        let (mut one, mut other) = (Rows::default(), Rows::default());
        for n in 0..3 * RANKS as u32 {
            one.add(n, request(f64::from(n)));
            other.add(n, request(f64::from(n) + 0.25));
        }
        (0..2 * BURSTS as u32).for_each(|n| other.add(3, request(f64::from(n) * 3.0)));
        let mut both = one.and(other);
        both.settle();
        assert!(both.rows.len() <= RANKS && both.kept <= BURSTS);
        let bytes: f64 = both.by_weight().into_iter().flatten().map(|burst| burst.bytes).sum();
        assert_eq!(bytes, 10.0 * (6 * RANKS + 2 * BURSTS) as f64);
    }
}

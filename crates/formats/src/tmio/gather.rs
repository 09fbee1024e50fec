//! Converts columns of rates or volumes to single requests.

use marigraph_model::{Direction, Event, FileId, Module, Nanos, Rank};

use super::tally::Tally;

/// Requests too short for the clock last this long in nanoseconds, or their volume would be lost.
const SHORTEST: i64 = 1_000;
/// Rates below this, in bytes per second, probably have another unit.
const SUSPICIOUS: f64 = 1e4;

/// Unit of volumes and rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    #[default]
    Bytes,
    /// 10^6 bytes, as TMIO before 0.0.2 wrote them; no file says so.
    Megabytes,
}

impl Unit {
    fn factor(self) -> f64 {
        match self {
            Unit::Bytes => 1.0,
            Unit::Megabytes => 1e6,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Amounts<'a> {
    Rates(&'a [f64]),
    Volumes(&'a [f64]),
}

#[derive(Debug, Clone, Copy)]
enum Amount {
    Rate(f64),
    Volume(f64),
}

impl Amounts<'_> {
    fn at(&self, at: usize) -> Amount {
        match self {
            Amounts::Rates(column) => Amount::Rate(column[at]),
            Amounts::Volumes(column) => Amount::Volume(column[at]),
        }
    }

    fn len(&self) -> usize {
        match self {
            Amounts::Rates(column) | Amounts::Volumes(column) => column.len(),
        }
    }
}

/// Entries of one mode: columns of equal length. Without ends, an entry lasts until the next
/// begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entries<'a> {
    pub amounts: Amounts<'a>,
    pub starts: &'a [f64],
    pub ends: &'a [f64],
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ranks {
    /// Ranks that have entries; 0 if unknown.
    pub count: u64,
    /// Maximum number of entries of one rank; 0 if unknown.
    pub most: u64,
}

/// How the rank of an entry is determined: entries are grouped by rank, and ascend within a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Every rank has this many.
    Even(usize),
    /// A rank begins where time jumps back.
    Runs,
    Unknown,
}

impl Order {
    fn of(starts: &[f64], ranks: Ranks) -> Order {
        let entries = starts.len() as u64;
        if ranks.count > 1 && ranks.most > 0 && ranks.count.checked_mul(ranks.most) == Some(entries) {
            return Order::Even(ranks.most as usize);
        }
        let runs = 1 + starts.windows(2).filter(|pair| pair[1] < pair[0]).count() as u64;
        if runs == ranks.count { Order::Runs } else { Order::Unknown }
    }

    fn begins(self, starts: &[f64], at: usize) -> bool {
        match self {
            Order::Even(each) => at > 0 && at.is_multiple_of(each),
            Order::Runs => at > 0 && starts[at] < starts[at - 1],
            Order::Unknown => false,
        }
    }
}

pub(super) struct Gather<'o> {
    pub tally: &'o mut Tally,
    /// Interface of the requests: MPI-IO, which TMIO traces, unless another tool wrote them.
    pub interface: Module,
    unit: Unit,
    emit: &'o mut dyn FnMut(Event),
}

impl<'o> Gather<'o> {
    pub fn new(tally: &'o mut Tally, unit: Unit, emit: &'o mut dyn FnMut(Event)) -> Gather<'o> {
        Gather { tally, interface: Module::MpiIo, unit, emit }
    }

    pub fn ranked(&mut self, op: Direction, entries: Entries<'_>, ranks: Ranks) {
        self.tally.ranks = self.tally.ranks.max(ranks.count);
        let Entries { amounts, starts, ends } = entries;
        let mut count = amounts.len().min(starts.len());
        if !ends.is_empty() {
            count = count.min(ends.len());
        }
        let longest = amounts.len().max(starts.len()).max(ends.len());
        self.tally.uneven += u64::from(count < longest);
        let starts = &starts[..count];
        let order = Order::of(starts, ranks);
        let mut rank = 0u32;
        for at in 0..count {
            rank = rank.saturating_add(u32::from(order.begins(starts, at)));
            let end = ends.get(at).copied().unwrap_or_else(|| next_start(starts, at));
            self.one(op, Rank(rank), [starts[at], end], amounts.at(at));
        }
    }

    /// Takes a step function of the whole application: each rate holds from its time on.
    pub fn stepped(&mut self, op: Direction, rates: &[f64], times: &[f64]) {
        self.tally.uneven += u64::from(rates.len() != times.len());
        let count = rates.len().min(times.len());
        let (mut first, mut last) = (None, None);
        for at in 0..count {
            let edge = Some(times[at]).filter(|time| time.is_finite());
            first = first.or(edge);
            last = edge.or(last);
            let Some(&end) = times.get(at + 1).filter(|_| at + 1 < count) else { continue };
            // Sums of floats leave residues around zero, and equal times are corners without area.
            if rates[at] > 0.0 && times[at] != end || rates[at].is_nan() {
                self.one(op, Rank(0), [times[at], end], Amount::Rate(rates[at]));
            }
        }
        // Idle ends belong to the observed time: without bytes they only extend its bounds.
        let borders = [first, last].into_iter().flatten();
        borders.for_each(|time| self.put(op, Rank(0), [Nanos::from_job_seconds(time); 2], 0));
    }

    #[inline]
    fn one(&mut self, op: Direction, rank: Rank, times: [f64; 2], amount: Amount) {
        let (Amount::Rate(number) | Amount::Volume(number)) = amount;
        let number = number * self.unit.factor();
        if !(number >= 0.0 && number.is_finite() && times.iter().all(|time| time.is_finite())) {
            self.tally.dropped += 1;
            return;
        }
        let [mut start, mut end] = times.map(Nanos::from_job_seconds);
        if end < start {
            self.tally.swapped += 1;
            (start, end) = (end, start);
        }
        if end == start {
            end.0 = end.0.saturating_add(SHORTEST);
        }
        let seconds = end.0.saturating_sub(start.0) as f64 * 1e-9;
        let volume = match amount {
            Amount::Rate(_) => number * seconds,
            Amount::Volume(_) => number,
        };
        if volume > 0.0 {
            self.tally.moving += 1;
            self.tally.slow += u64::from(volume < SUSPICIOUS * seconds);
        }
        // Less than half a byte (in a wrong unit) still moved.
        let least = u64::from(volume > 0.0);
        let whole = volume as u64;
        let nearest = whole.saturating_add(u64::from(volume - whole as f64 >= 0.5));
        self.put(op, rank, [start, end], nearest.max(least));
    }

    fn put(&mut self, op: Direction, rank: Rank, [start, end]: [Nanos; 2], bytes: u64) {
        self.tally.requests += 1;
        self.tally.end = self.tally.end.max(end);
        let interface = self.interface;
        let event = Event {
            interface,
            direction: op,
            rank,
            file: FileId(0),
            start,
            end,
            offset: None,
            bytes,
            thread: None,
        };
        (self.emit)(event);
    }
}

/// End of an entry without one: the next start, unless that belongs to another rank.
fn next_start(starts: &[f64], at: usize) -> f64 {
    let start = starts[at];
    starts.get(at + 1).copied().filter(|&next| next >= start).unwrap_or(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(entries: Entries<'_>, ranks: Ranks) -> (Vec<Event>, Tally) {
        let (mut events, mut tally) = (Vec::new(), Tally::default());
        let mut emit = |event| events.push(event);
        Gather::new(&mut tally, Unit::Bytes, &mut emit).ranked(Direction::Write, entries, ranks);
        (events, tally)
    }

    fn brief(events: &[Event]) -> Vec<(u32, i64, i64, u64)> {
        events.iter().map(|event| (event.rank.0, event.start.0, event.end.0, event.bytes)).collect()
    }

    #[test]
    fn ranks_are_found_where_time_jumps_back_or_by_equal_shares() {
        let rates = [1e9; 6];
        let starts = [1.0, 3.0, 2.0, 4.0, 4.5, 5.0];
        let entries = Entries { amounts: Amounts::Rates(&rates), starts: &starts, ends: &[6.0; 6] };
        let ids = |count, most| -> Vec<u32> {
            ranked(entries, Ranks { count, most }).0.iter().map(|event| event.rank.0).collect()
        };
        assert_eq!(ids(2, 4), [0, 0, 1, 1, 1, 1]);
        assert_eq!(ids(3, 2), [0, 0, 1, 1, 2, 2]);
        assert_eq!(ids(5, 3), [0; 6]);
        assert_eq!(ids(0, 0), [0; 6]);
        assert_eq!(ids(u64::MAX, u64::MAX), [0; 6]);
    }

    #[test]
    fn odd_entries_are_mended_or_counted() {
        let volumes = [5.0, 7.0, f64::NAN, 9.0, -1.0];
        let starts = [1.0, 3.0, 3.0, f64::NAN, 1.0];
        let ends = [1.0, 2.0, 4.0, 1.0, 2.0, 8.0];
        let entries = Entries { amounts: Amounts::Volumes(&volumes), starts: &starts, ends: &ends };
        let (events, tally) = ranked(entries, Ranks::default());
        let second = 1_000_000_000;
        assert_eq!(brief(&events), [(0, second, second + 1000, 5), (0, 2 * second, 3 * second, 7)]);
        assert_eq!((tally.dropped, tally.swapped, tally.uneven), (3, 1, 1));
        assert_eq!(tally.problems().len(), 3);
    }

    #[test]
    fn without_ends_the_next_start_ends() {
        let entries =
            Entries { amounts: Amounts::Rates(&[2e9, 2e9, 2e9]), starts: &[1.0, 2.0, 0.5], ends: &[] };
        let (events, _) = ranked(entries, Ranks { count: 2, most: 2 });
        let second = 1_000_000_000;
        let expected = [
            (0, second, 2 * second, 2_000_000_000),
            (0, 2 * second, 2 * second + 1000, 2000),
            (1, second / 2, second / 2 + 1000, 2000),
        ];
        assert_eq!(brief(&events), expected);
    }
}

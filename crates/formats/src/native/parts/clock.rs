//! Converts ticks of a recorder's clock to nanoseconds of the job.
//!
//! A part records moments on three clocks: ticks, the machine's monotonic clock, and wall time. The
//! line through the two moments farthest apart converts ticks to monotonic time. Parts of one
//! machine (same host, same boot) share the offset from monotonic to wall time, so that their order
//! does not depend on adjustments of the clock; wall time relates the machines.

use std::collections::HashMap;

use marigraph_model::Nanos;
use marigraph_wire::chunk::Moment;

/// Nanoseconds. A part with a shorter span uses the rate of its machine: a process may sleep
/// between reading two clocks.
const SHORT: u64 = 10_000_000;

/// Plausible nanoseconds per tick of the processor's counter.
const RATES: std::ops::Range<f64> = 1e-3..1e4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) first: Moment,
    pub(super) last: Moment,
}

impl Extent {
    /// The moments may be in any order; `None` if there are none.
    pub(super) fn of(moments: &[Moment]) -> Option<Extent> {
        let first = *moments.iter().min_by_key(|moment| moment.ticks)?;
        let last = *moments.iter().max_by_key(|moment| moment.ticks)?;
        Some(Extent { first, last })
    }

    pub(super) fn with(self, other: Extent) -> Extent {
        let first = if other.first.ticks < self.first.ticks { other.first } else { self.first };
        let last = if other.last.ticks > self.last.ticks { other.last } else { self.last };
        Extent { first, last }
    }

    /// Monotonic nanoseconds; 0 if a clock went back.
    fn span(&self) -> u64 {
        self.last.steady.saturating_sub(self.first.steady)
    }

    fn rate(&self) -> Option<f64> {
        let ticks = self.last.ticks.checked_sub(self.first.ticks).filter(|&ticks| ticks > 0)?;
        let rate = self.span() as f64 / ticks as f64;
        RATES.contains(&rate).then_some(rate)
    }
}

#[derive(Debug, Clone, Copy)]
struct Machine {
    extent: Extent,
    /// Wall minus monotonic time at the first moment.
    calendar: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct Place {
    pub(super) host: Vec<u8>,
    pub(super) boot: Vec<u8>,
    /// Whether ticks are nanoseconds of the monotonic clock.
    pub(super) nanoseconds: bool,
}

#[derive(Debug, Default)]
pub(super) struct Machines {
    all: HashMap<Place, Machine>,
}

impl Machines {
    pub(super) fn add(&mut self, place: &Place, extent: Extent) {
        let calendar = (extent.first.wall as i64).wrapping_sub(extent.first.steady as i64);
        let new = Machine { extent, calendar };
        self.all
            .entry(place.clone())
            .and_modify(|machine| {
                if extent.first.steady < machine.extent.first.steady {
                    machine.calendar = calendar;
                }
                machine.extent = machine.extent.with(extent);
            })
            .or_insert(new);
    }

    pub(super) fn clock(&self, place: &Place, extent: Option<Extent>) -> Clock {
        let machine = self.all.get(place);
        let Some(anchor) = extent.or(machine.map(|machine| machine.extent)) else { return Clock::default() };
        let calendar = machine.map_or(0, |machine| machine.calendar);
        let (rate, known) = if place.nanoseconds { (1.0, true) } else { rate(extent, machine) };
        let anchor =
            if place.nanoseconds { (0, 0) } else { (anchor.first.ticks, anchor.first.steady as i64) };
        Clock { ticks: anchor.0, wall: anchor.1.wrapping_add(calendar), rate, start: 0, known }
    }
}

fn rate(extent: Option<Extent>, machine: Option<&Machine>) -> (f64, bool) {
    let own = extent.filter(|extent| extent.span() >= SHORT);
    let shared = machine.map(|machine| machine.extent);
    let rate = own.or(shared).and_then(|extent| extent.rate()).or_else(|| extent?.rate());
    (rate.unwrap_or(1.0), rate.is_some())
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Clock {
    ticks: u64,
    /// Wall time in nanoseconds at `ticks`.
    wall: i64,
    rate: f64,
    /// Wall time in nanoseconds at the start of the job.
    start: i64,
    pub(super) known: bool,
}

impl Default for Clock {
    fn default() -> Clock {
        Clock { ticks: 0, wall: 0, rate: 1.0, start: 0, known: false }
    }
}

impl Clock {
    pub(super) fn from(self, start: i64) -> Clock {
        Clock { start, ..self }
    }

    /// Wall time in nanoseconds.
    pub(super) fn wall(&self, ticks: u64) -> i64 {
        let since = ticks.wrapping_sub(self.ticks) as i64;
        self.wall.saturating_add((since as f64 * self.rate).round() as i64)
    }

    #[inline]
    pub(super) fn at(&self, ticks: u64) -> Nanos {
        Nanos(self.wall(ticks).saturating_sub(self.start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(ticks: u64, steady: u64, wall: u64) -> Moment {
        Moment { ticks, steady, wall }
    }

    fn place(nanoseconds: bool) -> Place {
        Place { host: b"a".to_vec(), boot: b"1".to_vec(), nanoseconds }
    }

    #[test]
    fn a_long_part_has_its_own_rate_and_a_short_one_that_of_its_machine() {
        let mut machines = Machines::default();
        let long = Extent::of(&[
            moment(3_000, 1_000, 10_001_000),
            moment(6_000_003_000, 2_000_001_000, 2_010_001_000),
        ]);
        let short = Extent::of(&[moment(900, 300, 10_000_300)]);
        [long, short].iter().flatten().for_each(|&extent| machines.add(&place(false), extent));
        let clock = machines.clock(&place(false), long).from(10_000_000);
        assert_eq!(clock.at(3_000_003_000), Nanos(1_000_001_000));
        let clock = machines.clock(&place(false), short).from(10_000_000);
        assert!(clock.known);
        assert_eq!(clock.at(3_000), Nanos(1_000));
    }

    #[test]
    fn steady_ticks_need_no_rate() {
        let mut machines = Machines::default();
        let extent = Extent::of(&[moment(500, 500, 1_500)]);
        extent.iter().for_each(|&extent| machines.add(&place(true), extent));
        let clock = machines.clock(&place(true), extent).from(1_000);
        assert_eq!(clock.at(700), Nanos(700));
        assert!(!machines.clock(&place(false), extent).known);
        assert!(!machines.clock(&place(false), None).known);
    }

    #[test]
    fn a_clock_set_back_in_between_does_not_move_calls_of_one_machine() {
        let mut machines = Machines::default();
        let early = Extent::of(&[moment(100, 100, 5_100)]);
        let late = Extent::of(&[moment(900, 900, 1_900)]);
        [late, early].iter().flatten().for_each(|&extent| machines.add(&place(true), extent));
        assert_eq!(machines.clock(&place(true), late).from(5_000).at(950), Nanos(950));
    }
}

//! How fast a signal changes: the sampling rate that misses nothing.

use marigraph_model::{Direction, Events, Module, Sink};

use super::samples::interval;

/// 64 MB.
const MAX_MOMENTS: usize = 1 << 23;

/// Collects the moments at which requests start and end.
#[derive(Debug)]
pub struct Changes<F> {
    wanted: F,
    /// In nanoseconds; `None` once there are too many.
    moments: Option<Vec<i64>>,
}

impl<F: Fn(Module, Direction) -> bool> Changes<F> {
    pub fn new(wanted: F) -> Changes<F> {
        Changes { wanted, moments: Some(Vec::new()) }
    }

    /// Two samples per smallest interval between two changes, as published. `None` if there is
    /// nothing to sample, or if there are too many changes; the caller then takes the maximum rate.
    pub fn sampling_hz(self) -> Option<f64> {
        let mut moments = self.moments?;
        moments.sort_unstable();
        let gaps = moments.windows(2).filter_map(|pair| match *pair {
            [before, after] if after > before => Some(after - before),
            _ => None,
        });
        gaps.min().map(|gap| 2e9 / gap as f64)
    }
}

impl<F: Fn(Module, Direction) -> bool> Sink for Changes<F> {
    fn events(&mut self, block: &Events) {
        let Some(moments) = &mut self.moments else { return };
        for event in block.iter().filter(|event| (self.wanted)(event.interface, event.direction)) {
            let (start, end) = interval(event.start, event.end);
            moments.extend([start.0, end.0]);
        }
        if moments.len() > MAX_MOMENTS {
            self.moments = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_model::{Event, FileId, Nanos, Rank};

    fn blocks(times: &[(i64, i64)], repeat: usize) -> Option<f64> {
        let mut block = Events::default();
        for &(start, end) in times {
            block.push(Event {
                interface: Module::Posix,
                direction: Direction::Write,
                rank: Rank(0),
                file: FileId(1),
                start: Nanos(start),
                end: Nanos(end),
                offset: None,
                bytes: 1,
                thread: None,
            });
        }
        let mut changes = Changes::new(|_, op| op == Direction::Write);
        (0..repeat).for_each(|_| changes.events(&block));
        changes.sampling_hz()
    }

    #[test]
    fn the_smallest_gap_is_halved() {
        assert_eq!(blocks(&[(0, 5_000_000_000), (4_000_000_000, 9_000_000_000)], 3), Some(2.0));
        assert_eq!(blocks(&[], 1), None);
        assert_eq!(blocks(&[(7, 7)], 1), Some(2e6), "no request is shorter than a microsecond");
    }

    #[test]
    fn too_many_moments_are_given_up() {
        let times: Vec<(i64, i64)> = (0..1 << 16).map(|n| (3 * n, 3 * n + 1)).collect();
        assert_eq!(blocks(&times, 64), Some(2e9));
        assert_eq!(blocks(&times, 65), None);
    }
}

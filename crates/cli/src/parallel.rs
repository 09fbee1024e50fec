//! Work on several threads, with results in order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// More threads do not help, and a system may refuse them.
const MOST: usize = 64;

pub fn threads(wanted: Option<usize>) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    wanted.unwrap_or_else(all).clamp(1, MOST)
}

/// Calls `done` after each item.
pub fn map<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    done: &mut dyn FnMut(usize),
    work: &(dyn Fn(&T) -> R + Sync),
) -> Vec<R> {
    if threads == 1 || items.len() == 1 {
        // A thread would only cost its start.
        return items.iter().enumerate().map(|(at, item)| (work(item), done(at)).0).collect();
    }
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads.min(items.len()) {
            let sender = sender.clone();
            let next = &next;
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { break };
                    if sender.send((at, work(item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (at, result) in receiver {
            if let Some(place) = results.get_mut(at) {
                *place = Some(result);
            }
            done(at);
        }
    });
    results.into_iter().flatten().collect()
}

/// Cuts a slice into at most `pieces` of about equal weight, never within a group.
pub fn cut<T, G: PartialEq>(
    items: &[T],
    pieces: usize,
    weight: impl Fn(&T) -> u64,
    group: impl Fn(&T) -> G,
) -> Vec<&[T]> {
    let total: u64 = items.iter().map(|item| weight(item) + 1).sum();
    let share = total.div_ceil(pieces.max(1) as u64);
    let mut out = Vec::new();
    let (mut from, mut sum) = (0, 0);
    for (at, pair) in items.windows(2).enumerate() {
        let [this, next] = pair else { continue };
        sum += weight(this) + 1;
        if sum >= share && group(this) != group(next) {
            out.extend(items.get(from..=at));
            (from, sum) = (at + 1, 0);
        }
    }
    out.extend(items.get(from..).filter(|rest| !rest.is_empty()));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_order() {
        let items: Vec<u32> = (0..100).collect();
        let mut heard = 0;
        for threads in [1, 4] {
            let doubled = map(&items, threads, &mut |_| heard += 1, &|item| item * 2);
            assert_eq!(doubled, (0..100).map(|item| item * 2).collect::<Vec<_>>());
        }
        assert_eq!(heard, 200);
    }

    #[test]
    fn cuts_fall_between_groups() {
        let items = [(0, 5), (0, 5), (1, 1), (2, 9), (3, 1)];
        let pieces = cut(&items, 2, |item| item.1, |item| item.0);
        assert_eq!(pieces, [&items[..3], &items[3..]]);
        assert_eq!(cut(&items[..0], 2, |item| item.1, |item| item.0).len(), 0);
        assert_eq!(cut(&items, 1, |item| item.1, |item| item.0).len(), 1);
    }
}

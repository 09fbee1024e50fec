//! Idle periods as in Table III: their number by length, and their positions.

use super::super::Random;

/// First and last minute (the last row ends at the longest period), number of periods, and their
/// minutes in 60 days.
pub const IDLE_ROWS: [(u64, u64, u64, u64); 9] = [
    (1, 1, 1420, 1420),
    (2, 5, 2259, 7053),
    (6, 10, 775, 5882),
    (11, 20, 383, 5530),
    (21, 30, 104, 2581),
    (31, 40, 50, 1756),
    (41, 50, 30, 1369),
    (51, 60, 19, 1052),
    (61, LONGEST, 169, 30_935),
];
/// In minutes.
const LONGEST: u64 = 1140;

/// Number of periods, and their minutes.
pub type Row = (u64, u64);

/// Scales the rows; 1 is 60 days.
pub fn rows(scale: f64) -> [Row; 9] {
    IDLE_ROWS.map(|(low, high, count, minutes)| {
        let count = (count as f64 * scale).round().max(1.0) as u64;
        let minutes = (minutes as f64 * scale).round() as u64;
        (count, minutes.clamp(low * count, high * count))
    })
}

pub fn longest(rows: &[Row; 9]) -> u64 {
    let (count, minutes) = rows[8];
    LONGEST.min(minutes / 3).max(61).min(minutes - 61 * (count - 1))
}

/// Lengths of all periods, in no order.
pub fn lengths(rows: &[Row; 9], random: &mut Random) -> Vec<u64> {
    let mut all = Vec::new();
    for (&(count, minutes), &(low, high, ..)) in rows.iter().zip(&IDLE_ROWS) {
        if low == 61 {
            let longest = longest(rows);
            all.push(longest);
            all.extend(cut(count - 1, minutes - longest, (low, longest.saturating_sub(20).max(low)), random));
        } else {
            all.extend(cut(count, minutes, (low, high), random));
        }
    }
    for at in (1..all.len()).rev() {
        all.swap(at, random.index(at + 1));
    }
    all
}

/// Draws `count` values in a range with this sum.
fn cut(count: u64, sum: u64, (low, high): (u64, u64), random: &mut Random) -> Vec<u64> {
    let mut parts: Vec<u64> =
        (0..count).map(|_| random.between_log(low as f64, high as f64 + 0.999) as u64).collect();
    let mut total: u64 = parts.iter().sum();
    // Each step brings the sum closer by one; the limit ends the loop if no room is left.
    let mut tries = 0;
    while total != sum && count > 0 && tries < 200 * (sum + count) {
        tries += 1;
        let part = &mut parts[random.index(count as usize)];
        if total < sum && *part < high {
            (*part, total) = (*part + 1, total + 1);
        } else if total > sum && *part > low {
            (*part, total) = (*part - 1, total - 1);
        }
    }
    parts
}

/// A stretch of idle or busy minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    pub idle: bool,
    pub minutes: u64,
}

/// Places idle periods with busy minutes around each of them, to fill `minutes`.
pub fn laid_out(idle: &[u64], minutes: u64, random: &mut Random) -> Vec<Stretch> {
    let places = idle.len() + 1;
    let busy = minutes - idle.iter().sum::<u64>();
    let rest = busy.saturating_sub(places as u64);
    let weights: Vec<f64> = (0..places).map(|_| random.exponential(1.0)).collect();
    let whole: f64 = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let (mut before, mut given) = (0.0, 0);
    let mut stretches = Vec::with_capacity(2 * places);
    for (at, weight) in weights.iter().enumerate() {
        before += weight;
        let until = if at + 1 == places { rest } else { (rest as f64 * before / whole) as u64 };
        stretches.push(Stretch { idle: false, minutes: 1 + until - given });
        given = until;
        stretches.extend(idle.get(at).map(|&minutes| Stretch { idle: true, minutes }));
    }
    stretches
}

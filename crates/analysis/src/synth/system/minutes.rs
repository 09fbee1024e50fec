//! Server throughput, minute by minute.
//!
//! Published: mean 1,984 and peak 35,890 MiB/s, 98 % of minutes below a third of the peak, peaks of
//! 31.7 GiB/s reading and 35.0 GiB/s writing, 78.8 % of bytes read, 935 minutes without any
//! traffic, four days lost.

use super::super::Random;
use super::idle::{self, Row, Stretch};
use super::{DAY, EPOCH, SystemPlan, random};

const MIB: f64 = marigraph_model::MIB as f64;
/// In MiB/s.
const MEAN: f64 = 1984.0;
const PEAK: f64 = 35_890.0;
/// MiB/s read and written in the minute with the read peak and in that with the write peak.
const PEAK_MINUTES: [[f64; 2]; 2] = [[31.7 * 1024.0, 1000.0], [PEAK - 35_840.0, 35_840.0]];
/// Share of minutes above a third of the peak, and the range of their rates in MiB/s.
const HIGH: (f64, f64, f64) = (0.02, 13_000.0, 22_000.0);
const BUSY: (f64, f64) = (1900.0, 11_000.0);
/// Rates of idle minutes: below 5 % of the peak.
const IDLE: (f64, f64) = (5.0, 1700.0);
/// Share of bytes read; it was lower for two weeks after the largest reader stopped.
const READ: f64 = 0.788;
const READ_LATE: f64 = 0.504;
/// Minutes without any traffic in 60 days.
const SILENT: f64 = 935.0;
/// Published length of the study.
const DAYS: f64 = 60.0;

/// An event in the log of the system.
#[derive(Debug, Clone, PartialEq)]
pub struct Annotation {
    /// Seconds since 1970.
    pub from: i64,
    pub to: i64,
    pub text: String,
}

/// Server throughput.
#[derive(Debug, Clone)]
pub struct Minutes {
    /// Start of each observed minute; bytes per second read and written by all servers.
    pub rates: Vec<(i64, [u64; 2])>,
    /// Rows of Table III: number of periods, and their minutes.
    pub idle: [Row; 9],
    /// Minutes of the longest idle period.
    pub longest: u64,
    pub silent: u64,
    /// Minutes at or above a third of the peak.
    pub high: u64,
    /// Bytes per second: read, written, both.
    pub peaks: [f64; 3],
    /// Bytes per second read and written.
    pub mean: f64,
    pub read_share: f64,
    pub gap: (i64, i64),
    pub annotations: Vec<Annotation>,
}

pub fn minutes(plan: &SystemPlan) -> Minutes {
    let mut random = random(plan, "minutes", 0);
    let scale = f64::from(plan.days) / DAYS;
    let gap = gap(scale);
    let (before, after) = (gap.0 as u64, (i64::from(plan.days) * DAY / 60 - gap.1) as u64);
    let rows = idle::rows(scale);
    let lengths = idle::lengths(&rows, &mut random);
    let (early, late) = split(lengths, before, after);
    let mut stretches = idle::laid_out(&early, before, &mut random);
    let boundary = stretches.len();
    stretches.extend(idle::laid_out(&late, after, &mut random));
    let mut minutes = Vec::with_capacity((before + after) as usize);
    let mut periods = Vec::new();
    for (at, stretch) in stretches.iter().enumerate() {
        let jump = if at >= boundary { gap.1 - gap.0 } else { 0 };
        let first = minutes.len();
        let moment = |minute: usize| EPOCH + (minute as i64 + jump) * 60;
        minutes.extend((0..stretch.minutes).map(|minute| (moment(first + minute as usize), stretch.idle)));
        if stretch.idle {
            periods.push((moment(first), stretch.minutes));
        }
    }
    let silent = (SILENT * scale).round() as u64;
    let totals = totals(&minutes, &stretches, silent, &mut random);
    let rates = directed(&minutes, &totals, scale, &mut random);
    let epoch = |minute: i64| EPOCH + minute * 60;
    let gap = (epoch(gap.0), epoch(gap.1));
    Minutes {
        high: high_minutes(minutes.len()) as u64,
        longest: idle::longest(&rows),
        idle: rows,
        silent,
        peaks: [PEAK_MINUTES[0][0] * MIB, PEAK_MINUTES[1][1] * MIB, PEAK * MIB],
        mean: MEAN * MIB,
        read_share: READ,
        gap,
        annotations: annotations(periods, gap),
        rates,
    }
}

/// Divides a minute's traffic among the servers, without a remainder.
pub fn dealt(plan: &SystemPlan, minute: i64, rates: [u64; 2]) -> Vec<[u64; 2]> {
    let mut random = random(plan, "servers", minute as u64);
    let mut servers = vec![[0; 2]; plan.servers as usize];
    for (direction, rate) in rates.into_iter().enumerate() {
        let weights: Vec<f64> = servers.iter().map(|_| random.between(0.5, 1.5)).collect();
        let whole: f64 = weights.iter().sum();
        let (mut before, mut given) = (0.0, 0);
        for (at, weight) in weights.iter().enumerate() {
            before += weight;
            let last = at + 1 == weights.len();
            let until = if last { rate } else { (rate as f64 * before / whole) as u64 };
            servers[at][direction] = until - given;
            given = until;
        }
    }
    servers
}

/// First and last minute of the lost data: 1 February 9:00 to 5 February 10:00, scaled for a
/// shorter study.
fn gap(scale: f64) -> (i64, i64) {
    let minutes = |hours: f64| (hours * 60.0 * scale).round() as i64;
    (minutes(9.0 * 24.0 + 9.0), minutes(13.0 * 24.0 + 10.0))
}

/// Assigns idle periods to the times before and after the gap in proportion. Long ones come after
/// it.
fn split(lengths: Vec<u64>, before: u64, after: u64) -> (Vec<u64>, Vec<u64>) {
    let idle: u64 = lengths.iter().sum();
    let wanted = (idle as f64 * before as f64 / (before + after) as f64) as u64;
    let (mut early, mut late, mut sum) = (Vec::new(), Vec::new(), 0);
    for length in lengths {
        if sum + length <= wanted && length * 8 <= wanted {
            sum += length;
            early.push(length);
        } else {
            late.push(length);
        }
    }
    (early, late)
}

fn high_minutes(minutes: usize) -> usize {
    ((minutes as f64 * HIGH.0).round() as usize).max(PEAK_MINUTES.len())
}

/// MiB/s in each minute: idle, busy and high minutes, with the published mean.
fn totals(minutes: &[(i64, bool)], stretches: &[Stretch], silent: u64, random: &mut Random) -> Vec<f64> {
    let mut busy: Vec<usize> = (0..minutes.len()).filter(|&at| !minutes[at].1).collect();
    for at in (1..busy.len()).rev() {
        busy.swap(at, random.index(at + 1));
    }
    let mut totals: Vec<f64> = minutes.iter().map(|_| random.between_log(IDLE.0, IDLE.1)).collect();
    silence(&mut totals, stretches, silent);
    let (high, busy) = busy.split_at(high_minutes(minutes.len()).min(busy.len()));
    for (at, &minute) in high.iter().enumerate() {
        let peak = PEAK_MINUTES.get(at).map(|[read, written]| read + written);
        totals[minute] = peak.unwrap_or_else(|| random.between(HIGH.1, HIGH.2));
    }
    let draws: Vec<f64> = busy.iter().map(|_| random.unit()).collect();
    busy.iter().for_each(|&minute| totals[minute] = 0.0);
    let wanted = MEAN * minutes.len() as f64 - totals.iter().sum::<f64>();
    let value = |draw: f64, power: f64| BUSY.0 + (BUSY.1 - BUSY.0) * draw.powf(power);
    let power = solved(|power| draws.iter().map(|&draw| value(draw, power)).sum::<f64>() - wanted);
    busy.iter().zip(&draws).for_each(|(&minute, &draw)| totals[minute] = value(draw, power));
    totals
}

/// Removes all traffic from the middle of the longest idle periods.
fn silence(totals: &mut [f64], stretches: &[Stretch], mut silent: u64) {
    let mut starts = Vec::new();
    let mut at = 0;
    for stretch in stretches {
        starts.push((stretch, at));
        at += stretch.minutes as usize;
    }
    let mut idle: Vec<_> = starts.into_iter().filter(|(stretch, _)| stretch.idle).collect();
    idle.sort_by_key(|(stretch, at)| (std::cmp::Reverse(stretch.minutes), *at));
    for (stretch, at) in idle {
        let some = (stretch.minutes / 3).min(silent);
        let from = at + (stretch.minutes / 3) as usize;
        totals[from..from + some as usize].fill(0.0);
        silent -= some;
    }
}

/// Finds the power at which `excess` is zero; it must fall with the power.
fn solved(excess: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-12.0f64, 12.0f64);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if excess(middle.exp()) > 0.0 { low = middle } else { high = middle }
    }
    f64::midpoint(low, high).exp()
}

fn directed(
    minutes: &[(i64, bool)],
    totals: &[f64],
    scale: f64,
    random: &mut Random,
) -> Vec<(i64, [u64; 2])> {
    let late = [33.0, 47.0].map(|day: f64| EPOCH + (day * scale * DAY as f64) as i64);
    let is_late = |at: usize| (late[0]..late[1]).contains(&minutes[at].0);
    let fixed = |at: usize| {
        let peak = PEAK_MINUTES.iter().find(|[read, written]| read + written == totals[at]);
        let late = is_late(at).then_some(READ_LATE);
        peak.map(|[read, written]| read / (read + written)).or(late)
    };
    let shares: Vec<Option<f64>> = (0..totals.len()).map(fixed).collect();
    let draws: Vec<f64> = totals.iter().map(|_| random.unit()).collect();
    let read = |at: usize, power: f64| {
        let share = match shares[at] {
            Some(share) if is_late(at) && share == READ_LATE => share + 0.4 * (draws[at] - 0.5),
            Some(share) => share,
            None => draws[at].powf(power),
        };
        totals[at] * share
    };
    let wanted = READ * totals.iter().sum::<f64>();
    let power = solved(|power| (0..totals.len()).map(|at| read(at, power)).sum::<f64>() - wanted);
    (0..totals.len())
        .map(|at| {
            let read = (read(at, power) * MIB).round();
            (minutes[at].0, [read as u64, ((totals[at] * MIB).round() - read) as u64])
        })
        .collect()
}

/// Four planned and three unplanned maintenance windows in the longest idle periods, and the lost
/// data.
fn annotations(mut periods: Vec<(i64, u64)>, gap: (i64, i64)) -> Vec<Annotation> {
    periods.sort_by_key(|&(start, minutes)| (std::cmp::Reverse(minutes), start));
    let texts = [
        "planned maintenance",
        "planned maintenance",
        "planned maintenance",
        "planned maintenance",
        "unplanned maintenance: network",
        "unplanned maintenance: storage",
        "unplanned maintenance: control system",
    ];
    let windows = periods.iter().zip(texts).map(|(&(from, minutes), text)| Annotation {
        from,
        to: from + minutes as i64 * 60,
        text: text.to_string(),
    });
    let lost = Annotation { from: gap.0, to: gap.1, text: "data lost".to_string() };
    let mut all: Vec<Annotation> = windows.chain([lost]).collect();
    all.sort_by_key(|one| one.from);
    all
}

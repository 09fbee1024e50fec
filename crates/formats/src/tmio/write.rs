//! Writes requests in TMIO's online form: per flush one line per mode and one of times, each with
//! what is new since the previous flush. A request is a phase; phases are sorted by rank, then by
//! time.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use marigraph_model::{Direction, Nanos, Rank};

/// Calls too short for the clock last this long in nanoseconds, or their volume would be lost.
const SHORTEST: i64 = 1_000;

#[derive(Debug, Default)]
struct Mode {
    /// Rank, start, end, bytes.
    entries: Vec<(u32, i64, i64, u64)>,
    time: i64,
}

impl Mode {
    fn add(&mut self, request: Request) {
        let Request { rank, start, end, bytes, .. } = request;
        let end = if end > start { end.0 } else { start.0.saturating_add(SHORTEST) };
        self.entries.push((rank.0, start.0, end, bytes));
        self.time = self.time.saturating_add(end.saturating_sub(start.0));
    }

    fn in_order(&self) -> Vec<(u32, i64, i64, u64)> {
        let mut entries = self.entries.clone();
        entries.sort_by_key(|&(rank, start, _, _)| (rank, start));
        entries
    }
}

/// One transfer of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    pub rank: Rank,
    pub op: Direction,
    pub start: Nanos,
    pub end: Nanos,
    pub bytes: u64,
}

/// What moved since the last flush.
#[derive(Debug, Default)]
pub struct Moved {
    /// Per direction: synchronous calls, actual asynchronous I/O, and the bandwidth it would have
    /// required.
    modes: [[Mode; 3]; 2],
    /// Nanoseconds that the program waited for asynchronous calls, per direction.
    lost: [i64; 2],
    ran: i64,
    first_ran: Option<(u32, i64)>,
}

impl Moved {
    pub fn add(&mut self, request: Request) {
        let [[read, ..], [write, ..]] = &mut self.modes;
        if request.op == Direction::Write { write.add(request) } else { read.add(request) }
    }

    /// Adds data that moved while the program continued, until it `needed` them.
    pub fn add_async(&mut self, request: Request, needed: Nanos) {
        let way = usize::from(request.op == Direction::Write);
        let Some([_, actual, required]) = self.modes.get_mut(way) else { return };
        actual.add(request);
        required.add(Request { end: needed, ..request });
        let late = request.end.0.saturating_sub(needed.0).max(0);
        self.lost.get_mut(way).into_iter().for_each(|lost| *lost = lost.saturating_add(late));
    }

    pub fn ran(&mut self, rank: Rank, time: Nanos) {
        let time = time.0.max(0);
        self.ran = self.ran.saturating_add(time);
        if self.first_ran.is_none_or(|(first, _)| rank.0 < first) {
            self.first_ran = Some((rank.0, time));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.modes.iter().flatten().all(|mode| mode.entries.is_empty())
    }

    pub fn lines(&self) -> String {
        let [[read, read_actual, read_required], [write, write_actual, write_required]] = &self.modes;
        let entries: usize = self.modes.iter().flatten().map(|mode| mode.entries.len()).sum();
        let mut out = String::with_capacity(4096 + entries * 100);
        let modes = [
            ("read_sync", read),
            ("read_async_t", read_actual),
            ("read_async_b", read_required),
            ("write_async_t", write_actual),
            ("write_async_b", write_required),
            ("write_sync", write),
        ];
        for (name, mode) in modes {
            put_mode(&mut out, name, mode);
        }
        put_times(&mut out, self);
        out
    }
}

#[derive(Debug, Default)]
struct Sums {
    bytes: u64,
    largest: u64,
    most_bytes: u64,
    most_calls: u64,
    ranks: usize,
}

fn sums(mode: &Mode) -> Sums {
    let mut ranks: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    let mut sums = Sums::default();
    for &(rank, _, _, bytes) in &mode.entries {
        let of = ranks.entry(rank).or_default();
        *of = (of.0 + bytes, of.1 + 1);
        sums.bytes += bytes;
        sums.largest = sums.largest.max(bytes);
    }
    sums.most_bytes = ranks.values().map(|of| of.0).max().unwrap_or(0);
    sums.most_calls = ranks.values().map(|of| of.1).max().unwrap_or(0);
    Sums { ranks: ranks.len(), ..sums }
}

fn put_mode(out: &mut String, name: &str, mode: &Mode) {
    let Sums { bytes, largest, most_bytes, most_calls, ranks } = sums(mode);
    let calls = mode.entries.len();
    // Writing into a string cannot fail.
    let _ = write!(
        out,
        "{{\"{name}\": {{\"total_bytes\": {bytes}, \"max_bytes_per_rank\": {most_bytes}, \
         \"max_bytes_per_phase\": {largest}, \"max_io_phases_per_rank\": {most_calls}, \
         \"total_io_phases\": {calls}, \"max_io_ops_in_phase\": {}, \"max_io_ops_per_rank\": {most_calls}, \
         \"total_io_ops\": {calls}, \"number_of_ranks\": {ranks}, \"bandwidth\": {{",
        usize::from(calls > 0),
    );
    let entries = mode.in_order();
    let rates: Vec<f64> = entries.iter().map(|&(_, from, to, bytes)| rate(bytes, to - from)).collect();
    put_means(out, &rates, rate(bytes, mode.time));
    for key in ["b_rank_avr", "b_rank_sum"] {
        put_array(out, key, rates.iter(), |out, rate| put_rate(out, *rate));
    }
    put_array(out, "t_rank_s", entries.iter(), |out, entry| put_seconds(out, entry.1));
    put_array(out, "t_rank_e", entries.iter(), |out, entry| put_seconds(out, entry.2));
    out.truncate(out.len() - 2);
    out.push_str("}}}\n");
}

fn put_means(out: &mut String, rates: &[f64], whole: f64) {
    let count = rates.len().max(1) as f64;
    let slowness: f64 = rates.iter().map(|rate| 1.0 / rate.max(f64::MIN_POSITIVE)).sum();
    let harmonic = if rates.is_empty() { 0.0 } else { count / slowness };
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
    let figures = [
        ("weighted_harmonic_mean", whole),
        ("harmonic_mean", harmonic),
        ("arithmetic_mean", rates.iter().sum::<f64>() / count),
        ("median", median),
        ("max", sorted.last().copied().unwrap_or(0.0)),
        ("min", sorted.first().copied().unwrap_or(0.0)),
    ];
    for (key, value) in figures {
        let _ = write!(out, "\"{key}\": ");
        put_rate(out, value);
        out.push_str(", ");
    }
}

fn put_times(out: &mut String, moved: &Moved) {
    let [[read, read_actual, read_required], [write, write_actual, write_required]] = &moved.modes;
    let [read_lost, write_lost] = moved.lost;
    let in_calls = read.time + write.time + read_lost + write_lost;
    let first = moved.first_ran.map_or(0, |(_, time)| time);
    let times = [
        ("delta_t_agg", moved.ran),
        ("delta_t_agg_io", in_calls),
        ("delta_t_sr", read.time),
        ("delta_t_sw", write.time),
        ("delta_t_ara", read_actual.time),
        ("delta_t_arr", read_required.time),
        ("delta_t_ar_lost", read_lost),
        ("delta_t_awa", write_actual.time),
        ("delta_t_awr", write_required.time),
        ("delta_t_aw_lost", write_lost),
        ("delta_t_overhead", 0),
        ("delta_t_overhead_post_runtime", 0),
        ("delta_t_overhead_peri_runtime", 0),
        ("delta_t_rank0", first),
        ("delta_t_rank0_app", first),
        ("delta_t_rank0_overhead_post_runtime", 0),
        ("delta_t_rank0_overhead_peri_runtime", 0),
    ];
    out.push_str("{\"io_time\": {");
    for (key, time) in times {
        let _ = write!(out, "\"{key}\": ");
        put_seconds(out, time);
        out.push_str(", ");
    }
    out.truncate(out.len() - 2);
    out.push_str("}}\n");
}

fn put_array<T>(out: &mut String, key: &str, values: impl Iterator<Item = T>, put: impl Fn(&mut String, T)) {
    let _ = write!(out, "\"{key}\": [");
    for (at, value) in values.enumerate() {
        out.push_str(if at == 0 { "" } else { "," });
        put(out, value);
    }
    out.push_str("], ");
}

fn rate(bytes: u64, nanoseconds: i64) -> f64 {
    bytes as f64 * 1e9 / nanoseconds.max(1) as f64
}

/// Appends a rate to a thousandth of a byte per second, avoiding slow float formatting.
fn put_rate(out: &mut String, rate: f64) {
    let thousandths = (rate * 1e3).round() as u64;
    let _ = write!(out, "{}.{:03}", thousandths / 1000, thousandths % 1000);
}

fn put_seconds(out: &mut String, nanoseconds: i64) {
    let second = 1_000_000_000;
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let value = nanoseconds.unsigned_abs();
    let _ = write!(out, "{sign}{}.{:09}", value / second, value % second);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flush_is_seven_lines() {
        let request = |rank, op, bytes, [start, end]: [i64; 2]| Request {
            rank: Rank(rank),
            op,
            start: Nanos(start),
            end: Nanos(end),
            bytes,
        };
        let mut moved = Moved::default();
        moved.add(request(1, Direction::Write, 1_000, [1_000_000_000, 1_000_000_000]));
        moved.add(request(0, Direction::Write, 2_000, [1_000_000_000, 1_500_000_000]));
        moved.add_async(request(1, Direction::Read, 500, [0, 250_000_000]), Nanos(100_000_000));
        moved.ran(Rank(0), Nanos(2_000_000_000));
        let text = moved.lines();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 7);
        assert!(
            lines[5].starts_with("{\"write_sync\": {\"total_bytes\": 3000, \"max_bytes_per_rank\": 2000,")
        );
        assert!(lines[5].contains("\"b_rank_avr\": [4000.000,1000000000.000]"));
        assert!(lines[5].contains("\"t_rank_e\": [1.500000000,1.000001000]"));
        assert!(lines[1].contains("\"t_rank_e\": [0.250000000]}}}"));
        assert!(lines[2].contains("\"t_rank_e\": [0.100000000]"));
        assert!(lines[6].contains("\"delta_t_ar_lost\": 0.150000000"));
        assert!(lines[6].contains("\"delta_t_agg\": 2.000000000"));
    }
}

//! Times of calls: all of them, or histograms.
//!
//! A gap is the time from the return of the last call that was not made inside this one, so that
//! it is think time for calls of the program and never negative in a well-formed stream.

use marigraph_wire::bytes::{Reader, Writer, unzigzag, zigzag};
use marigraph_wire::sequence::put_varint;
use marigraph_wire::ticks;

/// What is kept of times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Times {
    /// To the nanosecond.
    #[default]
    Exact,
    /// Per shape, over all ranks.
    Histogram,
}

/// Enough bytes for any block of [`ticks`].
const SCRATCH: usize = 1 << 17;

/// Time of the last return at each depth or less.
#[derive(Debug, Clone, Default)]
pub(super) struct Clock {
    ends: Vec<i64>,
}

impl Clock {
    pub(super) fn new(first: i64) -> Clock {
        Clock { ends: vec![first] }
    }

    /// Time of the last return of a call that cannot be inside one of this depth.
    #[inline]
    pub(super) fn before(&mut self, depth: u8) -> i64 {
        let depth = usize::from(depth);
        if let Some(&end) = self.ends.get(depth) {
            return end;
        }
        let last = self.ends.last().copied().unwrap_or(0);
        self.ends.resize(depth + 1, last);
        last
    }

    #[inline]
    pub(super) fn returned(&mut self, depth: u8, end: i64) {
        self.ends.iter_mut().skip(usize::from(depth)).for_each(|to| *to = end);
    }
}

pub(super) struct Encoder {
    memory: Box<ticks::Memory>,
    scratch: Vec<u8>,
}

impl Encoder {
    pub(super) fn new() -> Encoder {
        Encoder { memory: Box::new(ticks::Memory::NEW), scratch: vec![0; SCRATCH] }
    }

    fn block(&mut self, values: &[u64], out: &mut Vec<u8>) {
        let mut writer = Writer::new(&mut self.scratch);
        ticks::encode(values, &mut self.memory, &mut writer);
        out.extend_from_slice(writer.finish().unwrap_or(&[]));
    }
}

/// Gaps and durations of one shape in one stream, in blocks.
#[derive(Debug, Default)]
pub(super) struct Chain {
    gaps: Vec<u64>,
    durations: Vec<u64>,
    bytes: Vec<u8>,
}

impl Chain {
    #[inline]
    pub(super) fn push(&mut self, gap: i64, duration: i64, encoder: &mut Encoder) {
        self.gaps.push(zigzag(gap));
        self.durations.push(duration as u64);
        if self.gaps.len() == ticks::BLOCK {
            self.close(encoder);
        }
    }

    fn close(&mut self, encoder: &mut Encoder) {
        encoder.block(&self.gaps, &mut self.bytes);
        encoder.block(&self.durations, &mut self.bytes);
        self.gaps.clear();
        self.durations.clear();
    }

    pub(super) fn finish(mut self, encoder: &mut Encoder) -> Vec<u8> {
        self.close(encoder);
        self.bytes
    }
}

/// Damaged blocks give times of zero.
#[derive(Debug, Clone)]
pub(super) struct Unchain<'a> {
    reader: Reader<'a>,
    left: u64,
    gaps: Vec<u64>,
    durations: Vec<u64>,
    at: usize,
}

impl<'a> Unchain<'a> {
    pub(super) fn new(bytes: &'a [u8], calls: u64) -> Unchain<'a> {
        Unchain { reader: Reader::new(bytes), left: calls, gaps: Vec::new(), durations: Vec::new(), at: 0 }
    }

    /// Gap and duration.
    #[inline]
    pub(super) fn next_times(&mut self) -> (i64, i64) {
        if self.at == self.gaps.len() {
            self.load();
        }
        let gap = self.gaps.get(self.at).copied().unwrap_or(0);
        let duration = self.durations.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        (unzigzag(gap), duration as i64)
    }

    #[cold]
    fn load(&mut self) {
        let len = self.left.min(ticks::BLOCK as u64) as usize;
        self.left -= len as u64;
        self.gaps.clear();
        self.durations.clear();
        self.at = 0;
        let read = ticks::decode(&mut self.reader, len, &mut self.gaps)
            .and_then(|()| ticks::decode(&mut self.reader, len, &mut self.durations));
        if read.is_none() {
            self.reader = Reader::new(&[]);
        }
        self.gaps.resize(len.max(1), 0);
        self.durations.resize(len.max(1), 0);
    }
}

/// Bytes of an estimated time, and bits of its mantissa: precise to four parts in a million.
const ESTIMATE_BYTES: usize = 3;
const ESTIMATE: u32 = 18;

/// Bits of a bin after the leading one: eight bins per power of two.
const LEAD: u32 = 3;

/// Times in bins of about 12 % width, with their exact number and sum.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram {
    pub count: u64,
    /// In nanoseconds; wraps.
    pub sum: i64,
    /// See [`Histogram::floor`].
    pub bins: Vec<u64>,
}

impl Histogram {
    /// Smallest time of a bin, in nanoseconds.
    pub fn floor(bin: usize) -> u64 {
        let (power, lead) = (bin >> LEAD, bin as u64 & ((1 << LEAD) - 1));
        match power {
            0 => lead,
            _ => (lead + (1 << LEAD)).checked_shl(power as u32 - 1).unwrap_or(u64::MAX),
        }
    }

    /// Negative times are in the first bin.
    fn bin(time: i64) -> usize {
        let time = time.max(0) as u64;
        let power = (64 - (time >> LEAD).leading_zeros()) as usize;
        match power {
            0 => time as usize,
            _ => (power << LEAD) + ((time >> (power - 1)) as usize & ((1 << LEAD) - 1)),
        }
    }

    /// Writes one time that stands for all, as mantissa and exponent: no estimate is more precise.
    pub(super) fn put_estimate(nanoseconds: f64, out: &mut Vec<u8>) {
        let time = nanoseconds.round().max(0.0) as u64;
        let doubled = (64 - time.leading_zeros()).saturating_sub(ESTIMATE);
        let word = u64::from(doubled) << ESTIMATE | time >> doubled;
        out.extend_from_slice(word.to_le_bytes().get(..ESTIMATE_BYTES).unwrap_or(&[]));
    }

    pub(super) fn read_estimate(reader: &mut Reader<'_>) -> Option<Histogram> {
        let mut word = [0; 8];
        word.get_mut(..ESTIMATE_BYTES)?.copy_from_slice(reader.bytes(ESTIMATE_BYTES)?);
        let word = u64::from_le_bytes(word);
        let time = (word & ((1 << ESTIMATE) - 1)).checked_shl((word >> ESTIMATE) as u32)?;
        let mut histogram = Histogram::default();
        histogram.push(i64::try_from(time).ok()?);
        Some(histogram)
    }

    #[inline]
    pub(super) fn push(&mut self, time: i64) {
        let bin = Histogram::bin(time);
        if self.bins.len() <= bin {
            self.bins.resize(bin + 1, 0);
        }
        if let Some(count) = self.bins.get_mut(bin) {
            *count += 1;
        }
        self.count += 1;
        self.sum = self.sum.wrapping_add(time);
    }

    pub(super) fn merge(&mut self, other: &Histogram) {
        if self.bins.len() < other.bins.len() {
            self.bins.resize(other.bins.len(), 0);
        }
        self.bins.iter_mut().zip(&other.bins).for_each(|(to, from)| *to += from);
        self.count += other.count;
        self.sum = self.sum.wrapping_add(other.sum);
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        put_varint(out, zigzag(self.sum));
        put_varint(out, self.bins.iter().filter(|&&count| count > 0).count() as u64);
        let mut next = 0;
        for (bin, &count) in self.bins.iter().enumerate().filter(|(_, count)| **count > 0) {
            put_varint(out, (bin - next) as u64);
            put_varint(out, count);
            next = bin + 1;
        }
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Histogram> {
        let mut histogram = Histogram { sum: reader.signed()?, ..Histogram::default() };
        for _ in 0..reader.count()? {
            let skip = reader.varint()?;
            let bin = (histogram.bins.len() as u64).checked_add(skip).filter(|&bin| bin <= 64 << LEAD)?;
            let count = reader.varint()?;
            histogram.count = histogram.count.checked_add(count)?;
            histogram.bins.resize(bin as usize, 0);
            histogram.bins.push(count);
        }
        Some(histogram)
    }

    /// Share of the `at`-th time if the sum is spread evenly; the shares add up exactly.
    pub(super) fn share(&self, at: u64) -> i64 {
        let (sum, count) = (i128::from(self.sum), i128::from(self.count.max(1)));
        let upto = |at: u64| sum.wrapping_mul(i128::from(at)) / count;
        let at = at % self.count.max(1);
        (upto(at + 1) - upto(at)) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_what_is_near() {
        for time in (0..5000).chain([1 << 40, i64::MAX]) {
            let bin = Histogram::bin(time);
            let (low, high) = (Histogram::floor(bin), Histogram::floor(bin + 1));
            assert!(low as i64 <= time && (time as u64) < high, "{time}: {bin} {low} {high}");
            assert!((high - low) as f64 <= 1.0 + low as f64 / 8.0);
        }
    }

    #[test]
    fn histograms_add_up_and_come_back() {
        let (mut one, mut two) = (Histogram::default(), Histogram::default());
        (0..1000).for_each(|time| one.push(time * time));
        (0..10).for_each(|time| two.push(time));
        two.merge(&one);
        let mut bytes = Vec::new();
        two.write(&mut bytes);
        assert_eq!(Histogram::read(&mut Reader::new(&bytes)), Some(two.clone()));
        assert_eq!((0..two.count).map(|at| two.share(at)).sum::<i64>(), two.sum);
    }

    #[test]
    fn estimates_keep_their_first_digits() {
        for time in [0.0, 1.4, 262_143.0, 262_144.0, 1e6 + 0.3, 1.234_567_8e9, 3.6e12, 8e18, -5.0] {
            let mut bytes = Vec::new();
            Histogram::put_estimate(time, &mut bytes);
            assert_eq!(bytes.len(), ESTIMATE_BYTES);
            let read = Histogram::read_estimate(&mut Reader::new(&bytes)).expect("reads");
            let (wanted, found) = (time.round().max(0.0), read.sum as f64);
            assert!((wanted - found).abs() <= 1e-5 * wanted, "{wanted} became {found}");
            assert_eq!(read.count, 1);
        }
        assert_eq!(Histogram::read_estimate(&mut Reader::new(&[255; 3])), None, "no such time");
    }

    #[test]
    fn the_clock_ignores_calls_inside() {
        let mut clock = Clock::new(10);
        assert_eq!(clock.before(1), 10);
        clock.returned(1, 20);
        assert_eq!((clock.before(0), clock.before(1)), (10, 20));
        clock.returned(0, 30);
        assert_eq!((clock.before(0), clock.before(1), clock.before(2)), (30, 30, 30));
    }
}

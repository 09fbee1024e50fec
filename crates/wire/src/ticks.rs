//! Times as bytes: an entropy coder for durations, made for many small numbers of similar size.
//!
//! A number is split into a class (its magnitude and leading bits) and the remaining low bits,
//! which are nearly random. Range asymmetric numeral systems code the classes with the frequencies
//! of the block itself; the low bits follow unchanged. Blocks too short to pay for a table of
//! frequencies are plain varints.

use alloc::vec::Vec;

use crate::bytes::{Reader, Writer};

/// Maximum numbers in a block.
pub const BLOCK: usize = 4096;
/// Shorter blocks are plain.
const SHORT: usize = 48;
/// Leading bits kept in a class, after the first.
const LEAD: u32 = 4;
/// Each smaller number is a class of its own.
const EXACT: u64 = 1 << (LEAD + 1);
/// The small numbers, and 2^LEAD for each magnitude from LEAD + 1 to 63.
const CLASSES: usize = EXACT as usize + (63 - LEAD as usize) * (1 << LEAD);
/// Frequencies of a block sum to this.
const SCALE_BITS: u32 = 12;
const SCALE: u32 = 1 << SCALE_BITS;
/// Lower bound of the coder's state.
const LOW: u32 = 1 << 23;

/// Class of a number, its low bits, and their number.
#[inline]
fn split(value: u64) -> (u16, u64, u32) {
    if value < EXACT {
        return (value as u16, 0, 0);
    }
    let magnitude = 63 - value.leading_zeros();
    let bits = magnitude - LEAD;
    let lead = (value >> bits) & ((1 << LEAD) - 1);
    let class = EXACT + u64::from(magnitude - LEAD - 1) * (1 << LEAD) + lead;
    (class as u16, value & ((1 << bits) - 1), bits)
}

/// The smallest number of a class, and its number of low bits.
fn join(class: u16) -> (u64, u32) {
    let class = u64::from(class);
    if class < EXACT {
        return (class, 0);
    }
    let above = class - EXACT;
    let bits = (above >> LEAD) as u32 + 1;
    (((1 << LEAD) | (above & ((1 << LEAD) - 1))) << bits, bits)
}

/// Working memory of [`encode`].
#[derive(Debug)]
pub struct Memory {
    classes: [u16; BLOCK],
    frequency: [u16; CLASSES],
    before: [u16; CLASSES],
    coded: [u8; BLOCK * 2 + 16],
}

impl Memory {
    pub const NEW: Memory = Memory {
        classes: [0; BLOCK],
        frequency: [0; CLASSES],
        before: [0; CLASSES],
        coded: [0; BLOCK * 2 + 16],
    };
}

/// Writes a block of at most [`BLOCK`] numbers; the caller stores their count.
pub fn encode(values: &[u64], memory: &mut Memory, out: &mut Writer<'_>) {
    if values.len() < SHORT {
        values.iter().for_each(|&value| out.varint(value));
        return;
    }
    memory.frequency.fill(0);
    for (&value, class) in values.iter().zip(&mut memory.classes) {
        *class = split(value).0;
        if let Some(count) = memory.frequency.get_mut(usize::from(*class)) {
            *count += 1;
        }
    }
    scale(&mut memory.frequency, values.len());
    write_table(&memory.frequency, &mut memory.before, out);
    write_classes(values.len(), memory, out);
    write_bits(values, out);
}

/// Scales counts to sum to [`SCALE`]; each that is not zero stays at least one.
fn scale(frequency: &mut [u16; CLASSES], len: usize) {
    let mut sum = 0u32;
    let mut largest = 0;
    let mut most = 0;
    for (at, count) in frequency.iter_mut().enumerate().filter(|(_, count)| **count > 0) {
        *count = ((u32::from(*count) * SCALE / len.max(1) as u32).max(1)) as u16;
        sum += u32::from(*count);
        if *count > most {
            (largest, most) = (at, *count);
        }
    }
    // The largest takes the rounding error, where it matters least; it always can, see the test.
    while sum > SCALE {
        let over = (sum - SCALE).min(u32::from(most / 2).max(1));
        if let Some(count) = frequency.get_mut(largest) {
            *count -= over as u16;
        }
        sum -= over;
        most = 0;
        for (at, &count) in frequency.iter().enumerate() {
            if count > most {
                (largest, most) = (at, count);
            }
        }
    }
    if let Some(count) = frequency.get_mut(largest) {
        *count += (SCALE - sum) as u16;
    }
}

fn write_table(frequency: &[u16; CLASSES], before: &mut [u16; CLASSES], out: &mut Writer<'_>) {
    let used = frequency.iter().filter(|&&count| count > 0).count();
    out.varint(used as u64);
    let (mut last, mut sum) = (0, 0u16);
    for (at, (&count, before)) in
        frequency.iter().zip(before).enumerate().filter(|(_, (count, _))| **count > 0)
    {
        out.varint((at - last) as u64);
        out.varint(u64::from(count));
        last = at;
        *before = sum;
        sum += count;
    }
}

fn write_classes(len: usize, memory: &mut Memory, out: &mut Writer<'_>) {
    let mut state = LOW;
    let mut at = memory.coded.len();
    let mut put = |byte: u8| {
        at = at.saturating_sub(1);
        if let Some(to) = memory.coded.get_mut(at) {
            *to = byte;
        }
    };
    for &class in memory.classes.iter().take(len).rev() {
        let frequency = u32::from(memory.frequency.get(usize::from(class)).copied().unwrap_or(1).max(1));
        let before = u32::from(memory.before.get(usize::from(class)).copied().unwrap_or(0));
        let limit = ((LOW >> SCALE_BITS) << 8) * frequency;
        while state >= limit {
            put(state as u8);
            state >>= 8;
        }
        state = ((state / frequency) << SCALE_BITS) + (state % frequency) + before;
    }
    state.to_le_bytes().iter().rev().for_each(|&byte| put(byte));
    let coded = memory.coded.get(at..).unwrap_or(&[]);
    out.varint(coded.len() as u64);
    out.bytes(coded);
}

fn write_bits(values: &[u64], out: &mut Writer<'_>) {
    let (mut word, mut have) = (0u64, 0u32);
    for &value in values {
        let (_, low, bits) = split(value);
        let mut put = |low: u64, bits: u32| {
            word |= low << have;
            have += bits;
            while have >= 8 {
                out.byte(word as u8);
                word >>= 8;
                have -= 8;
            }
        };
        put(low & 0xffff_ffff, bits.min(32));
        if bits > 32 {
            put(low >> 32, bits - 32);
        }
    }
    if have > 0 {
        out.byte(word as u8);
    }
}

pub fn decode(reader: &mut Reader<'_>, len: usize, out: &mut Vec<u64>) -> Option<()> {
    if len > BLOCK {
        return None;
    }
    if len < SHORT {
        for _ in 0..len {
            out.push(reader.varint()?);
        }
        return Some(());
    }
    let table = Table::read(reader)?;
    let coded = reader.count()?;
    let mut coded = Reader::new(reader.bytes(coded)?);
    let mut state = u32::from_le_bytes(coded.bytes(4)?.try_into().ok()?);
    let start = out.len();
    for _ in 0..len {
        let place = state & (SCALE - 1);
        let &(class, frequency, before) = table.places.get(place as usize)?;
        out.push(u64::from(class));
        state = u32::from(frequency)
            .checked_mul(state >> SCALE_BITS)?
            .checked_add(place.checked_sub(u32::from(before))?)?;
        while state < LOW {
            state = (state << 8) | u32::from(coded.byte()?);
        }
    }
    read_bits(reader, out.get_mut(start..)?)
}

/// For each of [`SCALE`] slots: the class there, its frequency, and the slots before it.
struct Table {
    places: Vec<(u16, u16, u16)>,
}

impl Table {
    fn read(reader: &mut Reader<'_>) -> Option<Table> {
        let used = reader.count()?;
        let mut places = Vec::with_capacity(SCALE as usize);
        let mut class = 0u64;
        for at in 0..used {
            let step = reader.varint()?;
            class =
                class.checked_add(step).filter(|&class| class < CLASSES as u64 && (at == 0 || step > 0))?;
            let frequency = reader.varint()?;
            let before = places.len();
            if frequency == 0 || frequency > u64::from(SCALE).saturating_sub(before as u64) {
                return None;
            }
            places.extend((0..frequency).map(|_| (class as u16, frequency as u16, before as u16)));
        }
        (places.len() == SCALE as usize).then_some(Table { places })
    }
}

/// Turns classes into numbers, in place.
fn read_bits(reader: &mut Reader<'_>, values: &mut [u64]) -> Option<()> {
    let (mut word, mut have) = (0u64, 0u32);
    for value in values {
        let (base, bits) = join(*value as u16);
        let mut take = |bits: u32| {
            while have < bits {
                word |= u64::from(reader.byte()?) << have;
                have += 8;
            }
            let low = word & ((1u64 << bits) - 1);
            word >>= bits;
            have -= bits;
            Some(low)
        };
        let mut low = take(bits.min(32))?;
        if bits > 32 {
            low |= take(bits - 32)? << 32;
        }
        *value = base + low;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::boxed::Box;
    use proptest::prelude::*;

    fn round_trip(values: &[u64]) -> usize {
        let mut memory = Box::new(Memory::NEW);
        let mut bytes = alloc::vec![0; 1 << 20];
        let mut writer = Writer::new(&mut bytes);
        encode(values, &mut memory, &mut writer);
        let bytes = writer.finish().expect("fits");
        let mut out = Vec::new();
        let mut reader = Reader::new(bytes);
        decode(&mut reader, values.len(), &mut out).expect("decodes");
        assert_eq!(out, values);
        assert!(reader.rest().is_empty());
        bytes.len()
    }

    #[test]
    fn classes_and_bits_are_the_number() {
        for value in (0..70_000).chain([1 << 40, (1 << 40) + 12345, u64::MAX, u64::MAX - 1, 1 << 63]) {
            let (class, low, _) = split(value);
            assert!(usize::from(class) < CLASSES);
            assert_eq!(join(class).0 + low, value);
        }
    }

    #[test]
    fn every_number_its_own_class() {
        let values: Vec<u64> = (0..4096).map(|at| (1u64 << (at % 64)).wrapping_add(at * 7919)).collect();
        round_trip(&values);
        round_trip(&alloc::vec![7; 4096]);
        round_trip(&[]);
    }

    #[test]
    fn frequencies_beyond_all_bounds_are_refused() {
        // Two classes: frequency 1, then 2^64 - 1.
        let mut bytes = alloc::vec![2, 0, 1, 1];
        bytes.extend([0xff; 9]);
        bytes.extend([1; 64]);
        assert_eq!(decode(&mut Reader::new(&bytes), 100, &mut Vec::new()), None);
    }

    #[test]
    fn like_numbers_take_little_room() {
        let mut state = 1u64;
        let values: Vec<u64> = (0..4096)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                320 + ((state >> 60) + ((state >> 50) & 15))
            })
            .collect();
        assert!(round_trip(&values) < 4096 * 6 / 8);
    }

    proptest! {
        #[test]
        fn any_numbers(values in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..300, Just(41u64)], 0..600)) {
            round_trip(&values);
        }

        #[test]
        fn any_bytes_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..300), len in 0usize..200) {
            let _ = decode(&mut Reader::new(&bytes), len, &mut Vec::new());
        }
    }
}

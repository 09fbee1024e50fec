//! Whatever is folded comes back: programs of nested loops, sequences of any numbers, memory of any
//! size. No input makes a decoder panic.

#![allow(clippy::expect_used)] // a test may stop

use std::cell::RefCell;

use marigraph_wire::bytes::{Reader, Writer};
use marigraph_wire::fold::{Memory, Node, expanded_len};
use marigraph_wire::op::Op;
use marigraph_wire::record::{NAME_BYTES, Record};
use marigraph_wire::segment::{self, RECORDS};
use marigraph_wire::sequence::{
    Bench, Symbols, Values, read_nodes, write_nodes, write_symbols, write_values,
};
use marigraph_wire::ticks;
use proptest::prelude::*;

thread_local! {
    /// Large memory, reused from case to case as a recorder does.
    static SEGMENT: RefCell<Box<segment::Memory>> = RefCell::new(Box::new(segment::Memory::NEW));
    static BENCH: RefCell<Bench> = RefCell::new(Bench::new());
}

#[derive(Debug, Clone)]
enum Step {
    Call { op: usize, site: u8, depth: u8, flags: u8, slot: u32, pattern: Pattern, fails: bool },
    Name { text: Vec<u8> },
    Loop { turns: Vec<u8>, body: Vec<Step> },
}

#[derive(Debug, Clone)]
enum Pattern {
    Affine(i64, i64),
    Random,
    Extreme,
}

#[derive(Default)]
struct Run {
    records: Vec<Record>,
    now: u64,
    state: u64,
    calls: i64,
    names: u32,
}

impl Run {
    fn random(&mut self) -> u64 {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.state ^ self.state >> 29
    }

    fn run(&mut self, steps: &[Step]) {
        for step in steps {
            if self.records.len() >= RECORDS {
                return;
            }
            match step {
                Step::Loop { turns, body } => {
                    let at = self.random() as usize % turns.len().max(1);
                    (0..turns.get(at).copied().unwrap_or(0)).for_each(|_| self.run(body));
                }
                Step::Name { text } => self.name(text),
                Step::Call { .. } => self.call(step),
            }
        }
    }

    fn name(&mut self, text: &[u8]) {
        self.names += 1;
        let pieces = text.len().div_ceil(NAME_BYTES).max(1);
        for at in 0..pieces {
            let piece = text.chunks(NAME_BYTES).nth(at).unwrap_or(&[]);
            let depth = (pieces - 1 - at) as u8;
            let start = text.len() as u64;
            let mut record =
                Record { op: Op::Name as u16, slot: self.names, depth, start, ..Record::default() };
            record.set_name_bytes(piece);
            self.records.push(record);
        }
    }

    fn call(&mut self, step: &Step) {
        let Step::Call { op, site, depth, flags, slot, pattern, fails } = step else { return };
        self.calls += 1;
        let (a, b) = match pattern {
            Pattern::Affine(first, step) => (first.wrapping_add(step.wrapping_mul(self.calls)), 4096),
            Pattern::Random => (self.random() as i64, (self.random() >> 50) as i64),
            Pattern::Extreme => (if self.calls % 2 == 0 { i64::MIN } else { i64::MAX }, i64::MIN),
        };
        let failed = *fails && self.random().is_multiple_of(3);
        let start = self.now.wrapping_add(self.random() >> 56);
        let end = start.wrapping_add(300 + (self.random() >> 57));
        self.now = if self.random().is_multiple_of(50) { self.random() } else { end };
        self.records.push(Record {
            start,
            end,
            site_turn: Record::site_turn(0x40_0000 + u64::from(*site) * 16, 0),
            // Names are records of their own kind.
            op: Op::ALL.get(op % (Op::ALL.len() - 1) + 1).map_or(16, |op| *op as u16),
            depth: *depth,
            flags: *flags,
            slot: *slot,
            a,
            b,
            c: i64::from(*flags),
            ret: if failed { -28 } else { b },
        });
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let pattern = prop_oneof![
        3 => (0i64..1000, -5000i64..5000).prop_map(|(first, step)| Pattern::Affine(first, step)),
        1 => Just(Pattern::Random),
        1 => Just(Pattern::Extreme),
    ];
    let call =
        (0usize..400, 0u8..6, 0u8..3, 0u8..3, prop_oneof![0u32..5, any::<u32>()], pattern, any::<bool>());
    let leaf = prop_oneof![
        6 => call.prop_map(|(op, site, depth, flags, slot, pattern, fails)| {
            Step::Call { op, site, depth, flags, slot, pattern, fails }
        }),
        1 => prop::collection::vec(any::<u8>(), 0..100).prop_map(|text| Step::Name { text }),
    ];
    let step = leaf.prop_recursive(3, 40, 6, |inner| {
        (prop::collection::vec(0u8..14, 1..3), prop::collection::vec(inner, 1..6))
            .prop_map(|(turns, body)| Step::Loop { turns, body })
    });
    prop::collection::vec(step, 0..12)
}

/// The order in which segments are read: names, then calls.
fn names_first(records: &[Record]) -> Vec<Record> {
    let is_name = |record: &&Record| record.op == Op::Name as u16;
    records.iter().filter(is_name).chain(records.iter().filter(|record| !is_name(record))).copied().collect()
}

/// Folds in a window of `N` nodes, which emits what does not fit.
fn fold_in<const N: usize>(symbols: &[i64]) -> Vec<Node> {
    let mut memory = Box::new(Memory::<N>::NEW);
    let mut out = Vec::new();
    let mut folder = memory.folder();
    symbols.iter().for_each(|&symbol| folder.push(symbol, &mut out));
    folder.finish(&mut out);
    out
}

fn check_nodes(nodes: &[Node], symbols: &[i64]) {
    assert_eq!(expanded_len(nodes), symbols.len() as u64);
    assert!(Symbols::new(nodes).eq(symbols.iter().copied()), "{nodes:?} for {symbols:?}");
    let mut bytes = Vec::new();
    write_nodes(nodes, &mut bytes);
    let mut reader = Reader::new(&bytes);
    assert_eq!(read_nodes(&mut reader, symbols.len() as u64).as_deref(), Some(nodes));
    assert!(reader.rest().is_empty());
}

fn looping() -> impl Strategy<Value = Vec<i64>> {
    let leaf = prop::collection::vec(prop_oneof![8 => 0i64..4, 1 => any::<i64>()], 0..6);
    leaf.prop_recursive(4, 40, 4, |inner| {
        (prop::collection::vec(inner, 1..4), 1usize..6)
            .prop_map(|(parts, turns)| parts.concat().repeat(turns).into_iter().take(3000).collect())
    })
}

fn extremes() -> impl Strategy<Value = i64> {
    prop_oneof![any::<i64>(), Just(i64::MIN), Just(i64::MAX), Just(0), -3i64..3]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn programs_come_back(program in steps(), seed: u64) {
        let mut run = Run { state: seed, ..Run::default() };
        run.run(&program);
        run.records.truncate(RECORDS);
        let mut bytes = vec![0; 1 << 20];
        let mut writer = Writer::new(&mut bytes);
        let encoded = SEGMENT.with_borrow_mut(|memory| segment::encode(&run.records, memory, &mut writer));
        prop_assert!(encoded.is_some());
        let bytes = writer.finish().expect("fits");
        prop_assert_eq!(segment::decode(bytes), Some(names_first(&run.records)));
    }

    #[test]
    fn symbols_come_back_from_any_memory(symbols in looping()) {
        check_nodes(&fold_in::<1>(&symbols), &symbols);
        check_nodes(&fold_in::<2>(&symbols), &symbols);
        check_nodes(&fold_in::<3>(&symbols), &symbols);
        check_nodes(&fold_in::<5>(&symbols), &symbols);
        check_nodes(&fold_in::<16>(&symbols), &symbols);
        check_nodes(&fold_in::<256>(&symbols), &symbols);
        let nodes = BENCH.with_borrow_mut(|bench| bench.symbols(symbols.iter().copied()));
        check_nodes(&nodes, &symbols);
    }

    #[test]
    fn values_come_back(values in prop::collection::vec(extremes(), 0..60), repeat in 1usize..5) {
        let values = values.repeat(repeat);
        let folded = BENCH.with_borrow_mut(|bench| bench.values(values.iter().copied()));
        prop_assert!(folded.iter().eq(values.iter().copied()));
        let sum = values.iter().fold(0u64, |sum, &value| sum.wrapping_add(value as u64));
        prop_assert_eq!(folded.sum() as u64, sum);
        let mut bytes = Vec::new();
        folded.write(&mut bytes);
        let mut memory = Box::new(Memory::<8>::NEW);
        let mut small = vec![0; 1 << 16];
        let mut writer = Writer::new(&mut small);
        write_values(values.iter().copied(), memory.folder(), &mut writer);
        for bytes in [&bytes, writer.finish().expect("fits")] {
            let read = Values::read(&mut Reader::new(bytes), values.len() as u64).expect("reads");
            prop_assert!(read.iter().eq(values.iter().copied()));
        }
    }

    #[test]
    fn any_bytes_are_refused_or_read(
        bytes in prop::collection::vec(prop_oneof![any::<u8>(), 0u8..4], 0..120),
        len in prop_oneof![0u64..200, any::<u64>()],
    ) {
        if let Some(records) = segment::decode(&bytes) {
            prop_assert!(records.len() <= 2 * RECORDS);
        }
        if let Some(nodes) = read_nodes(&mut Reader::new(&bytes), len) {
            prop_assert!(nodes.len() <= bytes.len());
            prop_assert_eq!(expanded_len(&nodes), len);
            prop_assert!(Symbols::new(&nodes).take(500).count() as u64 == len.min(500));
        }
        if let Some(values) = Values::read(&mut Reader::new(&bytes), len) {
            prop_assert!(values.iter().take(500).count() as u64 == len.min(500));
            let _ = values.sum();
        }
        let _ = ticks::decode(&mut Reader::new(&bytes), len as usize % 300, &mut Vec::new());
    }

    #[test]
    fn a_damaged_segment_is_refused_or_read(program in steps(), at: u16, flip in 1u8..) {
        let mut run = Run::default();
        run.run(&program);
        run.records.truncate(200);
        let mut bytes = vec![0; 1 << 18];
        let mut writer = Writer::new(&mut bytes);
        SEGMENT.with_borrow_mut(|memory| segment::encode(&run.records, memory, &mut writer)).expect("few shapes");
        let len = writer.finish().expect("fits").len();
        bytes.truncate(len);
        if let Some(byte) = bytes.get_mut(usize::from(at) % len.max(1)) {
            *byte ^= flip;
        }
        let _ = segment::decode(&bytes);
        let _ = segment::decode(&bytes[..usize::from(at) % len.max(1)]);
    }
}

#[test]
fn a_short_writer_loses_nothing_silently() {
    let mut memory = Box::new(Memory::<4>::NEW);
    let mut bytes = [0; 3];
    let mut writer = Writer::new(&mut bytes);
    write_symbols((0..100).map(|at| at * at), memory.folder(), &mut writer);
    assert!(writer.finish().is_none());
}

#[test]
fn a_name_among_the_calls_is_refused() {
    // Found by fuzzing: the call was read back as a name, without its times.
    let call = |op: u8| {
        let mut room = [0; 256];
        let mut memory = Box::new(segment::Memory::NEW);
        let mut writer = Writer::new(&mut room);
        let record = Record { op: Op::Pwrite as u16, ..Record::default() };
        segment::encode(&[record], &mut memory, &mut writer)?;
        let mut bytes = writer.finish()?.to_vec();
        let at = bytes.iter().position(|&byte| u16::from(byte) == Op::Pwrite as u16)?;
        bytes[at] = op;
        segment::decode(&bytes)
    };
    assert!(call(Op::Read as u8).is_some());
    assert!(call(Op::Name as u8).is_none());
}

#[test]
fn a_loop_of_many_turns_is_a_few_nodes() {
    let symbols: Vec<i64> =
        (0..90_000).map(|at| if at % 9 == 8 { at / 9 % 3 } else { 100 + at % 9 }).collect();
    let nodes = BENCH.with_borrow_mut(|bench| bench.symbols(symbols.iter().copied()));
    assert!(nodes.len() <= 40, "{}", nodes.len());
    check_nodes(&nodes, &symbols);
}

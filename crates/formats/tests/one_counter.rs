//! The same accesses count the same, whatever form they came in: as a recording, a trace, a table,
//! single operations of a Darshan log, TMIO's lines, or operations or batches of a generator.

#![allow(clippy::expect_used)] // a test may stop

use std::collections::{BTreeMap, HashMap};

use marigraph_analysis::count::{
    self, Batch, Counter, Options, Place, Through, Usage, What, complete, complete_trace,
};
use marigraph_formats::native::mari::{Context, Meta, Site, StreamKey, Times, TraceWriter};
use marigraph_formats::{Limits, csv, darshan, open, tmio};
use marigraph_model::counters::IntDef;
use marigraph_model::{
    Call, Direction, Event, Events, FileId, Job, Module, ModuleInfo, NameId, Nanos, Rank, Record, Records,
    Scope, SiteId, Slot, Trace,
};
use marigraph_wire::op::Op;
use proptest::prelude::*;

const NAMES: [&str; 2] = ["/data/a", "/data/b"];
const RANKS: u32 = 3;

/// Counters about the place and size of accesses, by file and rank; only those with a value.
type Said = BTreeMap<(FileId, Scope), Vec<(&'static str, Option<i64>)>>;

fn is_about_accesses(def: &IntDef) -> bool {
    ["ACCESS", "STRIDE", "SEQ_", "CONSEC_", "SIZE_READ", "SIZE_WRITE"]
        .iter()
        .any(|part| def.name.contains(part))
}

fn about_accesses(record: Record<'_>) -> Vec<(&'static str, Option<i64>)> {
    let cells = record.ints.iter().zip(record.module.ints()).filter(|(_, def)| is_about_accesses(def));
    cells.map(|(cell, def)| (def.name, cell.get())).collect()
}

fn said(trace: &Trace) -> Said {
    let of = |record: Record<'_>| ((record.file, record.scope), about_accesses(record));
    trace.records.get(&Module::Posix).map(|records| records.iter().map(of).collect()).unwrap_or_default()
}

fn job() -> Job {
    Job { nprocs: u64::from(RANKS), ..Job::default() }
}

/// Accesses of three ranks to two files; those of each rank are sequential in time.
fn accesses() -> impl Strategy<Value = Vec<Event>> {
    let sizes = prop_oneof![Just(0u64), Just(100), Just(4096), Just(1 << 20), 1u64..5_000_000];
    // Where: after the last access, a step further, anywhere; and how often like that.
    let one = (0..RANKS, 0usize..2, any::<bool>(), 0u8..3, 0u64..1 << 24, sizes, 1usize..6);
    proptest::collection::vec(one, 1..20).prop_map(|rows| {
        let (mut now, mut ends) = (1_000_000i64, HashMap::new());
        let place =
            |(rank, file, read, where_to, anywhere, bytes, _): (u32, usize, bool, u8, u64, u64, usize)| {
                let last = ends.entry((rank, file)).or_insert(0u64);
                let offset = [*last, *last + 65_536, anywhere][usize::from(where_to)];
                *last = offset + bytes;
                now += 2_000_000;
                Event {
                    interface: Module::Posix,
                    direction: if read { Direction::Read } else { Direction::Write },
                    rank: Rank(rank),
                    file: FileId::of_name(NAMES[file].as_bytes()),
                    start: Nanos(now - 1_500_000),
                    end: Nanos(now),
                    offset: Some(offset),
                    bytes,
                    thread: None,
                }
            };
        // A table has as many ranks as it names.
        let last = (RANKS - 1, 0, false, 0, 0, 100, 1);
        rows.into_iter().chain([last]).flat_map(|row| std::iter::repeat_n(row, row.6)).map(place).collect()
    })
}

/// The calls of a rank: opens both files, then makes every access at its offset.
fn calls(rank: u32, events: &[Event]) -> Vec<Call> {
    let blank = |op, slot, args, ret| {
        let (slot, site, zero) = (Slot(slot), SiteId::UNKNOWN, Nanos(0));
        Call { op, depth: 0, flags: 0, slot, args, ret, start: zero, end: zero, site }
    };
    let mine: Vec<&Event> = events.iter().filter(|event| event.rank == Rank(rank)).collect();
    let used = |n: usize| mine.iter().any(|event| event.file == FileId::of_name(NAMES[n].as_bytes()));
    let mut calls: Vec<Call> = (0..NAMES.len())
        .filter(|&n| used(n))
        .map(|n| blank(Op::Open, n as u32 + 1, [n as i64 + 1, 2, 0], 3))
        .collect();
    for event in mine {
        let slot = 1 + u32::from(event.file == FileId::of_name(NAMES[1].as_bytes()));
        let op = if event.direction == Direction::Read { Op::Pread } else { Op::Pwrite };
        let (offset, bytes) = (event.offset.unwrap_or(0) as i64, event.bytes as i64);
        calls.push(Call { start: event.start, end: event.end, ..blank(op, slot, [offset, bytes, 0], bytes) });
    }
    calls
}

fn names() -> HashMap<NameId, Vec<u8>> {
    NAMES.iter().zip(1..).map(|(name, id)| (NameId(id), name.as_bytes().to_vec())).collect()
}

fn as_recording(events: &[Event]) -> Trace {
    let mut counter = Counter::new(Options::default());
    for rank in 0..RANKS {
        let mut process = counter.process(Rank(rank), &|_| 4096);
        calls(rank, events).iter().for_each(|call| process.call(call, &names()));
    }
    let mut trace = Trace { job: job(), ..Trace::default() };
    counter.finish(RANKS, &mut trace);
    trace
}

fn as_trace(events: &[Event]) -> Trace {
    let (names, sites) = (names(), [Site::default()]);
    let mut writer = TraceWriter::new(Times::Exact);
    for rank in 0..RANKS {
        let mut stream = writer.stream(StreamKey { process: 0, thread: 0, rank }).expect("a new stream");
        let context = Context { names: &names, sites: &sites };
        calls(rank, events).iter().for_each(|call| stream.call(call, &context));
        stream.end();
    }
    read(&writer.finish(&Meta::of_job(&job()), &[]))
}

fn read(content: &[u8]) -> Trace {
    complete(open(content, Limits::default()).expect("a known form")).to_trace()
}

fn plain(events: &[Event]) -> Trace {
    let mut trace = Trace { job: job(), ..Trace::default() };
    events.iter().for_each(|&event| trace.events.push(event));
    NAMES.iter().for_each(|name| trace.files.insert(FileId::of_name(name.as_bytes()), name.as_bytes()));
    trace
}

fn as_table(events: &[Event]) -> Trace {
    let (trace, mut text) = (plain(events), Vec::new());
    trace.stream(&mut csv::Writer::new(&mut text, &trace.files, Module::Posix));
    read(&text)
}

fn as_operations(events: &[Event]) -> Trace {
    let mut trace = plain(events);
    trace.modules.push(ModuleInfo { module: Module::DxtPosix, version: 1, partial: false });
    let (log, problems) = darshan::write(&trace);
    assert!(problems.is_empty(), "{problems:?}");
    read(&log)
}

fn as_generated(events: &[Event]) -> Trace {
    let mut trace = plain(events);
    complete_trace(&mut trace, &Events::default(), &mut |_, _, _| {});
    trace
}

/// Accesses of one rank to one file: those at equal distances are one batch.
fn batches(events: &[&Event]) -> Vec<Batch> {
    let open = Batch { what: What::Open, times: 1, start: Nanos(0), end: Nanos(0) };
    let mut batches = vec![open];
    for event in events {
        let (offset, bytes) = (event.offset.unwrap_or(0), event.bytes);
        if let Some(Batch { what: What::Move(way, place), times, end, .. }) = batches.last_mut()
            && (*way, place.bytes) == (event.direction, bytes)
            && let Some(step) = offset.checked_sub(place.offset + place.step * (*times - 1))
            && (*times == 1 || step == place.step)
        {
            (place.step, *times, *end) = (step, *times + 1, event.end);
            continue;
        }
        let what = What::Move(event.direction, Place { offset, bytes, step: 0 });
        batches.push(Batch { what, times: 1, start: event.start, end: event.end });
    }
    batches
}

fn as_batches(events: &[Event]) -> Trace {
    let mut records = Records::new(Module::Posix);
    for file in NAMES.map(|name| FileId::of_name(name.as_bytes())) {
        let usage = |rank: u32| {
            let own: Vec<&Event> =
                events.iter().filter(|event| event.file == file && event.rank == Rank(rank)).collect();
            let (through, batches) = (Through::Posix { block: 4096 }, batches(&own));
            (!own.is_empty()).then_some((rank..rank + 1, Usage { through, parent: None, batches }))
        };
        let ranks: Vec<_> = (0..RANKS).filter_map(usage).collect();
        if ranks.len() == RANKS as usize {
            records.append(&count::shared(file, &ranks).expect("a record"));
        } else {
            ranks.iter().for_each(|(rank, usage)| records.append(&usage.record(file, Rank(rank.start))));
        }
    }
    Trace { records: BTreeMap::from([(Module::Posix, records)]), ..Trace::default() }
}

/// TMIO knows neither files nor offsets, and does not say which rank moved what.
fn as_rates(events: &[Event]) -> Trace {
    let mut moved = tmio::Moved::default();
    for event in events {
        let &Event { rank, direction: op, start, end, bytes, .. } = event;
        moved.add(tmio::Request { rank, op, start, end, bytes });
    }
    read(moved.lines().as_bytes())
}

#[test]
fn counters_survive_the_way_through_a_log() {
    let event = |rank, file: usize| Event {
        interface: Module::Posix,
        direction: Direction::Write,
        rank: Rank(rank),
        file: FileId::of_name(NAMES[file].as_bytes()),
        start: Nanos(1_000_000),
        end: Nanos(2_000_000),
        offset: Some(0),
        bytes: 100,
        thread: None,
    };
    let trace = as_recording(&[event(0, 0), event(1, 0), event(2, 0), event(1, 1)]);
    let (bytes, problems) = darshan::write(&trace);
    assert!(problems.is_empty(), "{problems:?}");
    let log = read(&bytes);
    assert_eq!(log.modules.len(), trace.modules.len());
    assert_eq!(log.files.name(FileId::of_name(NAMES[0].as_bytes())), Some(NAMES[0].as_bytes()));
    assert_eq!(said(&log), said(&trace));
    assert_eq!(said(&log).len(), 2, "one shared record, one of a rank");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn every_form_of_the_same_accesses_counts_the_same(events in accesses()) {
        let truth = said(&as_recording(&events));
        prop_assert!(!truth.is_empty());
        prop_assert_eq!(&said(&as_trace(&events)), &truth);
        prop_assert_eq!(&said(&as_table(&events)), &truth);
        prop_assert_eq!(&said(&as_operations(&events)), &truth);
        prop_assert_eq!(&said(&as_generated(&events)), &truth);
        prop_assert_eq!(&said(&as_batches(&events)), &truth);
    }

    #[test]
    fn rates_count_sizes_the_same(events in accesses()) {
        let rate = |event: Event| {
            let (interface, rank, file) = (Module::MpiIo, Rank(0), FileId(1));
            Event { interface, rank, file, offset: None, ..event }
        };
        let events: Vec<Event> = events.into_iter().filter(|event| event.bytes > 0).map(rate).collect();
        let sizes = |trace: &Trace| {
            let records = trace.records.get(&Module::MpiIo).into_iter().flat_map(|records| records.iter());
            let of = |record: Record<'_>| (record.scope, about_accesses(record));
            records.map(of).collect::<Vec<_>>()
        };
        prop_assert_eq!(sizes(&as_rates(&events)), sizes(&as_generated(&events)));
    }

    #[test]
    fn nothing_is_said_of_places_that_are_not_known(events in accesses()) {
        let events: Vec<Event> = events.into_iter().map(|event| Event { offset: None, ..event }).collect();
        for (name, value) in said(&as_generated(&events)).values().flatten() {
            let of_places = ["STRIDE", "SEQ_", "CONSEC_"].iter().any(|part| name.contains(part));
            prop_assert_eq!(value.is_none(), of_places, "{}", name);
        }
    }
}

/// Darshan logs have no place for single operations of streams, but analyses of a trace need them.
#[test]
fn a_trace_streams_the_operations_of_stdio() {
    let call = |op, args, ret, at| Call {
        op,
        depth: 0,
        flags: 0,
        slot: Slot(1),
        args,
        ret,
        start: Nanos(at),
        end: Nanos(at + 5),
        site: SiteId::UNKNOWN,
    };
    let calls = [
        call(Op::Fopen, [1, 2, 0], 0, 10),
        call(Op::Fwrite, [0, 4096, 1], 4096, 20),
        call(Op::Fwrite, [0, 100, 1], 100, 30),
    ];
    let (names, sites, mut writer) = (names(), [Site::default()], TraceWriter::new(Times::Exact));
    let mut stream = writer.stream(StreamKey { process: 0, thread: 0, rank: 0 }).expect("a new stream");
    calls.iter().for_each(|call| stream.call(call, &Context { names: &names, sites: &sites }));
    stream.end();
    let content = writer.finish(&Meta::of_job(&job()), &[]);
    let reader = complete(open(&content, Limits::default()).expect("a trace"));
    let mut streamed = Trace::default();
    reader.stream(&Module::is_operations, &mut streamed);
    let seen: Vec<_> = streamed
        .events
        .iter()
        .map(|event| (event.interface, event.start.0, event.offset, event.bytes))
        .collect();
    assert_eq!(seen, [(Module::Stdio, 20, Some(0), 4096), (Module::Stdio, 30, Some(4096), 100)]);
    assert!(reader.to_trace().events.is_empty());
}

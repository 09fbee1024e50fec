//! A log can hold whatever the model can: what is written and read is the same.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it skips

use marigraph_formats::Limits;
use marigraph_formats::darshan::{Log, write};
use marigraph_model::Reader;
use marigraph_model::{
    Component, Count, Direction, Event, Extra, FileId, Job, Layout, Measure, Module, Mount, MpiSummary,
    Nanos, Rank, Records, Scope, Series, Trace, WallTime,
};
use proptest::prelude::*;

fn scope() -> impl Strategy<Value = Scope> {
    prop_oneof![Just(Scope::Shared), (0u32..100_000).prop_map(|rank| Scope::Rank(Rank(rank)))]
}

fn count() -> impl Strategy<Value = Count> {
    prop_oneof![
        3 => Just(Count::new(0)),
        1 => Just(Count::MISSING),
        2 => (0i64..i64::MAX).prop_map(Count::new),
    ]
}

fn measure() -> impl Strategy<Value = Measure> {
    prop_oneof![Just(Measure::new(0.0)), Just(Measure::MISSING), (0.0f64..1e9).prop_map(Measure::new)]
}

fn extra(module: Module) -> BoxedStrategy<Extra> {
    let uuid = any::<[u8; 16]>();
    match module {
        Module::H5d | Module::PnetcdfVar => any::<u64>().prop_map(|id| Extra::Parent(FileId(id))).boxed(),
        Module::Dfs => (uuid, any::<[u8; 16]>())
            .prop_map(|(pool, container)| Extra::Container { pool, container, object: None })
            .boxed(),
        Module::Daos => (uuid, any::<[u8; 16]>(), any::<(u64, u64)>())
            .prop_map(|(pool, container, object)| Extra::Container { pool, container, object: Some(object) })
            .boxed(),
        Module::Apmpi => "[a-z0-9]{1,20}".prop_map(Extra::Node).boxed(),
        _ => Just(Extra::None).boxed(),
    }
}

fn records(module: Module) -> impl Strategy<Value = Records> {
    let (n_ints, n_floats) = (module.ints().len(), module.floats().len());
    let row = (
        any::<u64>(),
        scope(),
        proptest::collection::vec(count(), n_ints),
        proptest::collection::vec(measure(), n_floats),
        extra(module),
    );
    proptest::collection::vec(row, 1..4).prop_map(move |rows| {
        let mut records = Records::new(module);
        for (file, scope, mut ints, floats, extra) in rows {
            // Ids are never missing.
            for (cell, def) in ints.iter_mut().zip(module.ints()) {
                if def.kind == marigraph_model::counters::IntKind::Id && cell.get().is_none() {
                    *cell = Count::new(0);
                }
            }
            records.push(FileId(file), scope, ints, floats, extra);
        }
        records
    })
}

fn any_records() -> impl Strategy<Value = Records> {
    let counted: Vec<Module> =
        Module::ALL.into_iter().filter(|&module| module.has_counters() && module != Module::Mdhim).collect();
    proptest::sample::select(counted).prop_flat_map(records)
}

/// Events as a log stores them: grouped by file and rank, writes before reads.
fn events() -> impl Strategy<Value = Vec<Event>> {
    let one = (
        0u64..3,
        0u32..3,
        any::<bool>(),
        0i64..10_000_000_000,
        0i64..1_000_000_000,
        any::<Option<u32>>(),
        any::<u32>(),
    );
    proptest::collection::vec(one, 0..30).prop_map(|rows| {
        let mut events: Vec<Event> = rows
            .into_iter()
            .map(|(file, rank, read, start, length, offset, bytes)| Event {
                interface: Module::Posix,
                direction: if read { Direction::Read } else { Direction::Write },
                rank: Rank(rank),
                file: FileId(file),
                start: Nanos(start),
                end: Nanos(start + length),
                offset: offset.map(u64::from),
                bytes: u64::from(bytes),
                thread: None,
            })
            .collect();
        events.sort_by_key(|event| (event.file, event.rank, event.direction == Direction::Read));
        events
    })
}

fn series() -> impl Strategy<Value = Vec<Series>> {
    let bins = proptest::collection::vec(0u64..1 << 50, 4);
    let one = (0u32..50, 0i32..5, bins.clone(), bins);
    proptest::collection::vec(one, 0..3).prop_map(|rows| {
        rows.into_iter()
            .map(|(rank, doublings, read, written)| Series {
                interface: Module::MpiIo,
                rank: Rank(rank),
                bin_s: 0.1 * f64::from(1 << doublings),
                read,
                written,
            })
            .collect()
    })
}

fn layouts() -> impl Strategy<Value = Vec<Layout>> {
    let component = (1i64..1 << 40, proptest::collection::vec(0i64..500, 0..9), "[a-z]{0,15}").prop_map(
        |(stripe_size, targets, pool)| Component {
            stripe_size: Some(stripe_size),
            pattern: Some(0),
            flags: None,
            extent_start: 0,
            extent_end: None,
            mirror: Some(1),
            pool,
            targets,
        },
    );
    let one = (any::<u64>(), scope(), proptest::collection::vec(component, 1..4));
    proptest::collection::vec(one, 0..3).prop_map(|rows| {
        rows.into_iter()
            .map(|(file, scope, components)| Layout { file: FileId(file), scope, components })
            .collect()
    })
}

fn job() -> impl Strategy<Value = Job> {
    ("[ -~]{0,200}", 0u64..1 << 40, 0i64..1 << 33, 0u32..1_000_000_000, "[a-z]{1,10}", "[ -~]{0,60}")
        .prop_map(|(exe, nprocs, seconds, nanos, key, value)| Job {
            id: seconds / 7,
            uid: 1000,
            exe,
            nprocs,
            start: WallTime { seconds, nanos },
            end: WallTime { seconds: seconds + 100, nanos },
            metadata: vec![(key, value)],
            mounts: vec![Mount { path: "/lus".into(), fs_type: "lustre".into() }],
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn counters_survive(records in any_records()) {
        let module = records.module();
        let mut trace = Trace::default();
        trace.records.insert(module, records);
        if module == Module::Apmpi {
            trace.mpi = Some(MpiSummary { sync_measured: true, time_variance: 0.5, sync_variance: 0.25 });
        }
        let again = read(&trace);
        prop_assert_eq!(&again.records, &trace.records);
        prop_assert_eq!(again.mpi, trace.mpi);
    }

    #[test]
    fn the_rest_survives(job in job(), events in events(), series in series(), layouts in layouts(), names in proptest::collection::vec("[ -~]{0,80}", 0..5)) {
        let mut trace = Trace { job, series, layouts, ..Trace::default() };
        events.into_iter().for_each(|event| trace.events.push(event));
        names.iter().for_each(|name| trace.files.insert(FileId::of_name(name.as_bytes()), name.as_bytes()));
        let again = read(&trace);
        prop_assert_eq!(&again.job, &trace.job);
        prop_assert_eq!(&again.events, &trace.events);
        prop_assert_eq!(&again.series, &trace.series);
        prop_assert_eq!(&again.layouts, &trace.layouts);
        for (id, name) in trace.files.iter() {
            prop_assert_eq!(again.files.name(id), Some(name));
        }
        prop_assert!(again.problems.is_empty(), "{:?}", again.problems);
    }
}

fn read(trace: &Trace) -> Trace {
    let (bytes, _) = write(trace);
    Log::open(&bytes, Limits::default()).expect("open").to_trace()
}

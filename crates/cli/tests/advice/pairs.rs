//! For every rule, a log made for it, and a counterpart that differs only in what the rule is
//! about.

use marigraph_analysis::advice::Code;
use marigraph_model::counters::{mpiio, posix, stdio};
use marigraph_model::{Module, Scope};

use super::made::{Ints, Made, job, rank, reads, with, writes};

/// Logs of one or more jobs that trigger a rule, and those of the counterpart.
pub struct Pair {
    pub code: Code,
    pub fires: Vec<Made>,
    pub silent: Vec<Made>,
}

fn pair(code: Code, made: impl Fn(bool) -> Made) -> Pair {
    Pair { code, fires: vec![made(true)], silent: vec![made(false)] }
}

const KIB: i64 = 1 << 10;
const MIB: i64 = 1 << 20;
const GIB: i64 = 1 << 30;
const NO_TIME: [f64; 3] = [0.0; 3];

pub fn pairs() -> Vec<Pair> {
    [sizes(), order(), again(), metadata(), balance(), mpi(), mix(), several_jobs()]
        .into_iter()
        .flatten()
        .collect()
}

fn sizes() -> Vec<Pair> {
    let size = |bad| if bad { 4 * KIB } else { 2 * MIB };
    let scope = |bad| if bad { Scope::Shared } else { rank(0) };
    vec![
        pair(Code::SmallReads, |bad| job(4).posix(1, rank(0), &reads(2000, size(bad)), [20.0, 0.0, 0.0])),
        pair(Code::SmallWrites, |bad| job(4).posix(1, rank(0), &writes(2000, size(bad)), [0.0, 20.0, 0.0])),
        pair(Code::SmallSharedReads, |bad| job(4).posix(1, scope(bad), &reads(2000, KIB), [20.0, 0.0, 0.0])),
        pair(Code::SmallSharedWrites, |bad| {
            job(4).posix(1, scope(bad), &writes(2000, KIB), [0.0, 20.0, 0.0])
        }),
        pair(Code::TinyReads, |bad| {
            job(8).posix(1, Scope::Shared, &reads(80_000, if bad { 8 } else { KIB }), [80.0, 0.0, 0.0])
        }),
        pair(Code::BelowBlockSize, |bad| {
            let ints = writes(2000, if bad { 64 * KIB } else { 512 * KIB });
            job(4).posix(1, rank(0), &with(ints, &[(posix::FILE_ALIGNMENT, 4 * MIB)]), [0.0, 20.0, 0.0])
        }),
    ]
}

fn order() -> Vec<Pair> {
    let forward = |bad| if bad { 100 } else { 4999 };
    let read = move |bad| {
        with(reads(5000, 64 * KIB), &[(posix::SEQ_READS, forward(bad)), (posix::CONSEC_READS, 50)])
    };
    let written = move |bad| {
        with(writes(5000, 64 * KIB), &[(posix::SEQ_WRITES, forward(bad)), (posix::CONSEC_WRITES, 50)])
    };
    let unaligned = |bad| if bad { 1000 } else { 400 };
    vec![
        pair(Code::RandomReads, |bad| job(1).posix(1, rank(0), &read(bad), [20.0, 0.0, 0.0])),
        pair(Code::RandomWrites, |bad| job(1).posix(1, rank(0), &written(bad), [0.0, 20.0, 0.0])),
        pair(Code::OrderlyReads, |good| job(1).posix(1, rank(0), &read(!good), [20.0, 0.0, 0.0])),
        pair(Code::OrderlyWrites, |good| job(1).posix(1, rank(0), &written(!good), [0.0, 20.0, 0.0])),
        pair(Code::Unaligned, |bad| {
            let ints = with(writes(5000, MIB), &[(posix::FILE_NOT_ALIGNED, unaligned(bad))]);
            job(1).posix(1, rank(0), &ints, [0.0, 40.0, 0.0])
        }),
        pair(Code::UnalignedMemory, |bad| {
            let ints = with(writes(5000, MIB), &[(posix::MEM_NOT_ALIGNED, unaligned(bad))]);
            job(1).posix(1, rank(0), &ints, [0.0, 40.0, 0.0])
        }),
        pair(Code::SeekPerAccess, |bad| {
            let ints = with(reads(5000, MIB), &[(posix::SEEKS, if bad { 5000 } else { 50 })]);
            job(1).posix(1, rank(0), &ints, [5.0, 0.0, 20.0])
        }),
    ]
}

fn again() -> Vec<Pair> {
    let highest = |bad| if bad { MIB - 1 } else { GIB - 1 };
    vec![
        pair(Code::RepeatedReads, |bad| {
            let ints = with(reads(1024, MIB), &[(posix::MAX_BYTE_READ, highest(bad))]);
            job(1).posix(1, rank(0), &ints, [10.0, 0.0, 0.0])
        }),
        pair(Code::RepeatedWrites, |bad| {
            let ints = with(writes(1024, MIB), &[(posix::MAX_BYTE_WRITTEN, highest(bad))]);
            job(1).posix(1, rank(0), &ints, [0.0, 10.0, 0.0])
        }),
        pair(Code::RepeatedOpens, |bad| {
            let ints = with(reads(10, MIB), &[(posix::OPENS, if bad { 5000 } else { 5 })]);
            job(1).posix(1, rank(0), &ints, [1.0, 0.0, 20.0])
        }),
    ]
}

fn metadata() -> Vec<Pair> {
    vec![
        pair(Code::MetadataHeavy, |bad| {
            let ints = with(reads(10, MIB), &[(posix::OPENS, 10), (posix::STATS, 5000)]);
            job(1).posix(1, rank(0), &ints, [5.0, 0.0, if bad { 40.0 } else { 1.0 }])
        }),
        pair(Code::SlowMetadata, |bad| {
            job(4).posix(1, rank(2), &reads(10, MIB), [5.0, 0.0, if bad { 31.0 } else { 29.0 }])
        }),
        pair(Code::FilePerProcess, |bad| {
            let ints = with(writes(1, MIB), &[(posix::OPENS, 1)]);
            (0..64).fold(job(64), |made, n| {
                made.posix(if bad { 100 + u64::from(n) } else { 100 }, rank(n), &ints, [0.0, 0.5, 20.0])
            })
        }),
        pair(Code::ManySmallFiles, |bad| {
            let ints = with(writes(1, if bad { 4 * KIB } else { 4 * MIB }), &[(posix::OPENS, 1)]);
            (0..1000).fold(job(1), |made, n| made.posix(100 + n, rank(0), &ints, [0.0, 0.01, 0.02]))
        }),
    ]
}

fn shared(fastest: (i64, f64), slowest: (i64, f64)) -> Made {
    let ints = with(
        writes(1000, MIB),
        &[
            (posix::FASTEST_RANK, 1),
            (posix::FASTEST_RANK_BYTES, fastest.0),
            (posix::SLOWEST_RANK, 3),
            (posix::SLOWEST_RANK_BYTES, slowest.0),
        ],
    );
    let floats = [
        (posix::F_WRITE_TIME, 20.0),
        (posix::F_FASTEST_RANK_TIME, fastest.1),
        (posix::F_SLOWEST_RANK_TIME, slowest.1),
    ];
    job(4).record_with(Module::Posix, 1, Scope::Shared, &ints, &floats)
}

fn balance() -> Vec<Pair> {
    let quarter = 250 * MIB;
    let two_of_four = |ints: [Ints; 2]| {
        let [first, second] = ints;
        job(4).posix(1, rank(0), &first, [5.0; 3]).posix(1, rank(1), &second, [5.0; 3])
    };
    let few = |bad| if bad { 10 } else { 90 };
    vec![
        pair(Code::RankImbalance, |bad| {
            shared((quarter, if bad { 1.0 } else { 4.8 }), (quarter, if bad { 15.0 } else { 5.2 }))
        }),
        pair(Code::ByteImbalance, |bad| {
            shared((quarter, 5.0), (if bad { 700 * MIB } else { quarter + MIB }, 6.0))
        }),
        pair(Code::UnevenWrites, |bad| two_of_four([writes(100, MIB), writes(few(bad), MIB)])),
        pair(Code::UnevenReads, |bad| two_of_four([reads(100, MIB), reads(few(bad), MIB)])),
        pair(Code::OneRank, |bad| {
            let ranks = if bad { 1 } else { 64 };
            (0..ranks).fold(job(64), |made, n| {
                made.posix(100 + u64::from(n), rank(n), &writes(100, 4 * MIB), [0.0, 50.0, 0.0])
            })
        }),
    ]
}

/// MPI-IO calls of four processes on one shared file, 64 KiB each, over as many POSIX calls.
fn mpi_job(ints: &Ints, calls: i64) -> Made {
    let bytes = calls * 64 * KIB;
    let sizes = [
        (mpiio::SIZE_READ_AGG_10K_100K, calls),
        (mpiio::BYTES_READ, bytes),
        (mpiio::SIZE_WRITE_AGG_10K_100K, calls),
        (mpiio::BYTES_WRITTEN, bytes),
    ];
    job(4).posix(1, Scope::Shared, &writes(calls, 64 * KIB), [0.0, 20.0, 0.0]).record(
        Module::MpiIo,
        1,
        Scope::Shared,
        &with(ints.clone(), &sizes),
        [20.0, 40.0, 1.0],
    )
}

fn mpi() -> Vec<Pair> {
    let one = |name, n| vec![(name, n)];
    let either = |yes, first, second| if yes { first } else { second };
    let aggregators =
        |n: u32| mpi_job(&one(mpiio::COLL_WRITES, 10), 10).hints(&format!("romio_x=1;cb_nodes={n}"));
    vec![
        pair(Code::NoMpiIo, |bad| {
            let posix_only = job(4).posix(1, rank(0), &writes(2000, KIB), [0.0, 20.0, 0.0]);
            let ints = one(mpiio::COLL_WRITES, 2000);
            if bad { posix_only } else { posix_only.record(Module::MpiIo, 1, rank(0), &ints, NO_TIME) }
        }),
        pair(Code::NoCollectiveReads, |bad| {
            mpi_job(&one(either(bad, mpiio::INDEP_READS, mpiio::COLL_READS), 2000), 2000)
        }),
        pair(Code::NoCollectiveWrites, |bad| {
            mpi_job(&one(either(bad, mpiio::INDEP_WRITES, mpiio::COLL_WRITES), 2000), 2000)
        }),
        pair(Code::NoCollectives, |bad| {
            let (independent, collective) = if bad { (2000, 100) } else { (100, 2000) };
            mpi_job(&vec![(mpiio::INDEP_WRITES, independent), (mpiio::COLL_WRITES, collective)], 2100)
        }),
        pair(Code::NoDatatypes, |bad| {
            mpi_job(&vec![(mpiio::COLL_WRITES, 2000), (mpiio::VIEWS, if bad { 0 } else { 4 })], 2000)
        }),
        pair(Code::CollectiveReads, |good| {
            mpi_job(&one(either(good, mpiio::COLL_READS, mpiio::INDEP_READS), 10), 10)
        }),
        pair(Code::CollectiveWrites, |good| {
            mpi_job(&one(either(good, mpiio::COLL_WRITES, mpiio::INDEP_WRITES), 10), 10)
        }),
        pair(Code::BlockingReads, |bad| {
            mpi_job(&one(either(bad, mpiio::INDEP_READS, mpiio::NB_READS), 10), 10)
        }),
        pair(Code::BlockingWrites, |bad| {
            mpi_job(&one(either(bad, mpiio::INDEP_WRITES, mpiio::NB_WRITES), 10), 10)
        }),
        // The test sets four nodes.
        pair(Code::FewerAggregators, |yes| aggregators(if yes { 2 } else { 4 })),
        pair(Code::MoreAggregators, |bad| aggregators(if bad { 16 } else { 4 })),
        pair(Code::AggregatorPerNode, |good| aggregators(if good { 4 } else { 16 })),
    ]
}

fn mix() -> Vec<Pair> {
    let both = |read: (i64, i64), written: (i64, i64)| {
        let ints = [reads(read.0, read.1), writes(written.0, written.1)].concat();
        job(1).posix(1, rank(0), &ints, [1.0, 1.0, 0.0])
    };
    vec![
        pair(Code::StdioHeavy, |bad| {
            let bytes = if bad { GIB } else { 10 * MIB };
            let streams = vec![(stdio::WRITES, 1000), (stdio::BYTES_WRITTEN, bytes)];
            let made = job(1).record(Module::Stdio, 2, rank(0), &streams, [0.0, 20.0, 0.0]);
            made.posix(1, rank(0), &writes(1024, MIB), [0.0, 2.0, 0.0])
        }),
        pair(Code::MostlyWrites, |yes| both((100, MIB), (if yes { 200 } else { 105 }, MIB))),
        pair(Code::MostlyReads, |yes| both((if yes { 200 } else { 105 }, MIB), (100, MIB))),
        pair(Code::MostlyWrittenBytes, |yes| both((100, MIB), (100, if yes { 2 * MIB } else { MIB }))),
        pair(Code::MostlyReadBytes, |yes| both((100, if yes { 2 * MIB } else { MIB }), (100, MIB))),
        pair(Code::SingleStripe, |bad| {
            let made = job(4).posix(1, Scope::Shared, &writes(4096, MIB), [0.0, 40.0, 0.0]);
            made.striped(1, if bad { 1 } else { 8 })
        }),
        pair(Code::SparseIo, |bad| {
            let seconds = if bad { 1.0 } else { 90.0 };
            job(4).posix(1, rank(0), &writes(4096, GIB), [0.0, seconds, 0.0])
        }),
    ]
}

fn several_jobs() -> Vec<Pair> {
    let run = |nprocs, gibibytes: i64| {
        // A summary over logs leaves out those that moved bytes at no time.
        let times = [
            (posix::F_WRITE_TIME, 20.0),
            (posix::F_WRITE_START_TIMESTAMP, 1.0),
            (posix::F_WRITE_END_TIMESTAMP, 99.0),
        ];
        let ints = writes(gibibytes * 256, 4 * MIB);
        job(nprocs).record_with(Module::Posix, 1, rank(0), &ints, &times)
    };
    vec![Pair {
        code: Code::StrongScaling,
        fires: vec![run(64, 64), run(4096, 64)],
        silent: vec![run(64, 64), run(4096, 64 * 64)],
    }]
}

//! Logs of Darshan 1.1 to 2.3: real ones against the output of the parser of 2.3.1, synthetic ones
//! for the place of every counter, and damaged ones.

#![allow(clippy::expect_used, clippy::print_stderr)] // The lints take helpers of tests for programs.

mod common;

use std::io::Read;

use marigraph_formats::Error;
use marigraph_formats::darshan2::{read, sniff};
use marigraph_model::{FileId, Module, MountTable, Problem, ProblemKind, Rank, Record, Scope, Trace};

/// What the parser of Darshan 2.3.1 prints for a real log.
struct Sample {
    /// Platform and release in the file name.
    name: &'static str,
    /// Start in seconds, processes, job id.
    job: (i64, u64, i64),
    /// End of the command line.
    exe: &'static str,
    /// Bytes read; as many are written.
    bytes: u64,
    /// Label and mount of the only file.
    file: (&'static str, Option<&'static str>),
}

const fn sample(
    name: &'static str,
    job: (i64, u64, i64),
    exe: &'static str,
    bytes: u64,
    file: (&'static str, Option<&'static str>),
) -> Sample {
    Sample { name, job, exe, bytes, file }
}

const MIB_16: u64 = 16 << 20;
const PVFS: &str = "/pvfs-surveyor";
#[rustfmt::skip]
const SAMPLES: &[Sample] = &[
    sample("ppc32-1.1.1", (74, 4, 0), "-f /pvfs-surveyor/carns/mpi-io-test-1.1.1.dat", 4 * MIB_16, ("...t-1.1.1.dat", None)),
    sample("ppc32-1.1.3", (75, 4, 0), "-f /pvfs-surveyor/carns/mpi-io-test-1.1.3.dat", 4 * MIB_16, ("...t-1.1.3.dat", None)),
    sample("ppc32-1.1.5", (72, 4, 0), "-f /pvfs-surveyor/carns/mpi-io-test-1.1.5.dat", 4 * MIB_16, ("...t-1.1.5.dat", None)),
    sample("ppc32-1.1.7", (75, 4, 0), "-f /pvfs-surveyor/carns/mpi-io-test-1.1.7.dat", 4 * MIB_16, ("...t-1.1.7.dat", None)),
    sample("ppc32-1.1.9", (80, 4, 0), "-f /pvfs-surveyor/carns/mpi-io-test-1.1.9.dat", 4 * MIB_16, ("/pvfs-surveyor/...t-1.1.9.dat", Some(PVFS))),
    sample("ppc32-1.1.10", (74, 4, 0), "-f /pvfs-surveyor/carns/mpi-io-test-1.1.10.dat", 4 * MIB_16, ("/pvfs-surveyor/...-1.1.10.dat", Some(PVFS))),
    sample("ppc32-1.1.12", (74, 4, 0), "-f /pvfs-surveyor/carns/mpi-io-test-1.1.12.dat", 4 * MIB_16, ("/pvfs-surveyor/...-1.1.12.dat", Some(PVFS))),
    sample("ppc32-1.1.14", (78, 4, 0), "-f /pvfs-surveyor/carns/mpi-io-test-1.1.14.dat", 4 * MIB_16, ("/pvfs-surveyor/...-1.1.14.dat", Some(PVFS))),
    sample("ppc32-2.0.2", (1_291_824_873, 4, 205_555), "mpi-io-test.dat -i 1", 4 * MIB_16, ("/pvfs-surveyor/...mpi-io-test.dat", Some(PVFS))),
    sample("ppc32-2.2.0", (1_330_531_616, 4, 100), "mpi-io-test.dat -i 1", 4 * MIB_16, ("/pvfs-surveyor/...mpi-io-test.dat", Some(PVFS))),
    sample("ppc32-2.2.5", (168, 1, 100), "-f /pvfs-surveyor/carns/mpi-io-test-gcc.dat", MIB_16, ("/pvfs-surveyor/...io-test-gcc.dat", Some(PVFS))),
    sample("ppc64-2.2.4", (1_355_424_185, 256, 47_560), "/darshan-examples/./mpi-io-test", 256 * MIB_16, ("/gpfs/vesta_home/...amples/test.out", Some("/gpfs/vesta_home"))),
    sample("ppc64-2.2.6", (1_366_738_643, 128, 80_230), "/darshan-examples/./mpi-io-test", 128 * MIB_16, ("/gpfs/vesta-home/...amples/test.out", Some("/gpfs/vesta-home"))),
    sample("ppc64-2.2.9", (1_399_401_353, 1024, 259_616), "-f /projects/SSSPPg/carns/mpi-io-test.dat", 1024 * MIB_16, ("/projects/...mpi-io-test.dat", Some("/projects"))),
    sample("x86-2.0.0", (1_279_286_780, 4, 3251), "./mpi-io-test", 4 * MIB_16, ("/.../test.out", Some("/"))),
    sample("x86-2.1.1", (1_308_845_383, 1, 19_454), "./mpi-io-test", MIB_16, ("/.../test.out", Some("/"))),
    sample("x86-64-2.2.6", (1_366_728_371, 4, 23_755), "./mpi-io-test", 4 * MIB_16, ("/...e2/bin/test.out", Some("/"))),
    sample("x86_64-2.0.2", (1_291_825_621, 1, 15_172), "./mpi-io-test", MIB_16, ("/gpfs/home/.../test.out", Some("/gpfs/home"))),
    sample("x86_64-2.2.0", (1_330_528_200, 1, 3850), "./mpi-io-test", MIB_16, ("/.../test.out", Some("/"))),
    sample("x86_64-2.2.8", (1_377_708_456, 4, 12_451), "./mpi-io-test", 4 * MIB_16, ("/...amples/test.out", Some("/"))),
    sample("x86_64-2.3.1", (1_426_266_325, 1, 13_154), "./mpi-io-test", MIB_16, ("/...amples/test.out", Some("/"))),
];

/// The content of every sample; empty if the real logs do not exist.
fn contents() -> Vec<(&'static Sample, Vec<u8>)> {
    let Some(folder) = common::data().map(|data| data.join("darshan2")) else { return Vec::new() };
    let paths: Vec<_> =
        std::fs::read_dir(folder).expect("folder").map(|entry| entry.expect("entry").path()).collect();
    let open = |sample: &'static Sample| {
        let part = format!("mpi-io-test-{}_id", sample.name);
        let path = paths.iter().find(|path| path.to_string_lossy().contains(&part)).expect(sample.name);
        let packed = std::fs::read(path).expect("log");
        let mut content = Vec::new();
        // Each rank compresses its own records, so a log has several gzip members.
        flate2::read::MultiGzDecoder::new(&packed[..]).read_to_end(&mut content).expect("gzip");
        (sample, content)
    };
    assert_eq!(paths.len(), SAMPLES.len());
    SAMPLES.iter().map(open).collect()
}

fn kinds(trace: &Trace) -> Vec<ProblemKind> {
    trace.problems.iter().map(|problem: &Problem| problem.kind.clone()).collect()
}

#[test]
fn real_logs_say_what_the_old_parser_says() {
    for (sample, content) in contents() {
        let name = sample.name;
        assert!(sniff(&content), "{name}");
        let trace = read(&content).expect(name);
        let job = &trace.job;
        assert_eq!((job.start.seconds, job.nprocs, job.id), sample.job, "{name}");
        assert!(job.exe.ends_with(sample.exe), "{name}: {}", job.exe);
        let modules: Vec<Module> = trace.modules.iter().map(|info| info.module).collect();
        assert_eq!(modules, [Module::Posix, Module::MpiIo], "{name}");
        let posix = trace.records[&Module::Posix].get(0).expect(name);
        let roles = Module::Posix.roles();
        assert_eq!(posix.scope, Scope::Shared, "{name}");
        assert_eq!(posix.amount(roles.bytes_read), sample.bytes, "{name}");
        assert_eq!(posix.amount(roles.bytes_written), sample.bytes, "{name}");
        // Every process does one read and one write of 16 MiB through MPI-IO.
        let mpiio = trace.records[&Module::MpiIo].get(0).expect(name);
        let calls = sample.bytes / MIB_16;
        assert_eq!(mpiio.sum(Module::MpiIo.roles().reads), calls, "{name}");
        assert_eq!(value(&mpiio, "MPIIO_SIZE_WRITE_AGG_10M_100M"), Some(calls as i64), "{name}");
        assert_eq!(value(&mpiio, "MPIIO_MODE"), Some(9), "{name}");
        assert_eq!(value(&mpiio, "MPIIO_BYTES_READ"), None, "{name}");
        let label = trace.files.label(posix.file);
        let mounts = MountTable::new(&job.mounts);
        let mount = mounts.find(label.as_bytes()).map(|at| mounts.mounts()[at].path.as_str());
        assert_eq!((label.as_str(), mount), sample.file, "{name}");
        let cut = |problem: &Problem| problem.message.contains("cut to their last");
        assert_eq!(trace.problems.iter().filter(|problem| cut(problem)).count(), 1, "{name}");
    }
}

#[test]
fn times_lie_within_the_job() {
    for (sample, content) in contents() {
        let trace = read(&content).expect(sample.name);
        let posix = trace.records[&Module::Posix].get(0).expect("record");
        for (def, stamp) in Module::Posix.floats().iter().zip(posix.floats) {
            if def.name.ends_with("TIMESTAMP") && stamp.get().is_some() {
                let within = 0.0..=trace.job.runtime_s() + 1e-6;
                assert!(within.contains(&stamp.amount()), "{}: {} {stamp:?}", sample.name, def.name);
            }
        }
        // Before 2.03 Blue Gene/Q counts from boot, and the log does not say how long ago that was.
        let moved = trace.problems.iter().any(|problem| problem.place == "timestamps");
        assert_eq!(moved, matches!(sample.name, "ppc64-2.2.4" | "ppc64-2.2.6"), "{}", sample.name);
    }
}

#[test]
fn old_logs_lack_what_they_lack() {
    for (sample, content) in contents() {
        let trace = read(&content).expect(sample.name);
        let posix = trace.records[&Module::Posix].get(0).expect("record");
        let known = |name| value(&posix, name).is_some();
        assert!(!known("POSIX_FILENOS") && !known("POSIX_RENAMED_FROM") && !known("POSIX_MODE"));
        assert_eq!(known("POSIX_MAX_READ_TIME_SIZE"), !content.starts_with(b"1.21"), "{}", sample.name);
        let by_posix = content.starts_with(b"2.0") && content[3] < b'5';
        assert_eq!(known("POSIX_SLOWEST_RANK"), by_posix, "{}", sample.name);
    }
}

/// The same log in the other byte order; only for 2.x, where all numbers have 64 bits.
fn swapped(content: &[u8], block: usize) -> Vec<u8> {
    let mut out = content.to_vec();
    let mut swap = |from: usize, words: usize| {
        out[from..from + words * 8].chunks_exact_mut(8).for_each(<[u8]>::reverse);
    };
    swap(8, 6);
    for record in (block..content.len()).step_by(1328) {
        swap(record, 2);
        swap(record + 32, 162);
    }
    out
}

#[test]
fn byte_order_makes_no_difference() {
    let mut orders = [0, 0];
    for (sample, content) in contents().into_iter().filter(|(_, content)| content[0] == b'2') {
        orders[usize::from(content[8] == 0)] += 1;
        let block = if content[3] >= b'4' { 4096 } else { 1024 };
        let other = read(&swapped(&content, block)).expect(sample.name);
        assert_eq!(read(&content).expect(sample.name), other, "{}", sample.name);
    }
    assert!(orders == [0, 0] || orders == [7, 6], "little and big: {orders:?}");
}

#[test]
fn every_prefix_gives_what_is_there() {
    for (sample, content) in contents() {
        let (numbers, block) = match sample.name {
            "ppc32-1.1.9" => (28, 1024),
            "x86_64-2.3.1" => (1080, 4096),
            _ => continue,
        };
        for len in 0..content.len() {
            let prefix = &content[..len];
            sniff(prefix);
            match read(prefix) {
                Err(error) => {
                    assert!(len < numbers, "{}: {len}: {error}", sample.name);
                    assert_eq!(error == Error::Empty, len == 0);
                }
                Ok(trace) => {
                    assert!(len >= numbers);
                    assert_eq!(kinds(&trace).contains(&ProblemKind::Truncated), len != block, "{len}");
                    assert!(trace.records.is_empty());
                }
            }
        }
    }
}

#[test]
fn flipped_bytes_never_panic() {
    let samples = contents();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut changed = 0;
    for _ in 0..if samples.is_empty() { 0 } else { 20_000 } {
        let (_, content) = &samples[random(samples.len())];
        let mut damaged = content.clone();
        for _ in 0..=random(8) {
            // Half of the flips hit the numbers of the job block and the start of the record.
            let near = [0, 1024, 4096][random(3)];
            let at = if random(2) == 0 { near + random(200) } else { random(damaged.len()) };
            if let Some(byte) = damaged.get_mut(at) {
                *byte ^= 1 << random(8);
            }
        }
        sniff(&damaged);
        changed += usize::from(read(&damaged) != read(content));
    }
    assert!(samples.is_empty() || changed > 10_000, "flips must matter: {changed}");
}

/// A record of 2.x whose counters all differ: 1000 plus the position, 0.5 plus the position.
struct Made {
    id: u64,
    rank: i64,
    suffix: [u8; 16],
    ints: [i64; 144],
    floats: [f64; 18],
}

impl Made {
    fn new(id: u64, zero: &[std::ops::Range<usize>]) -> Made {
        let mut made = Made {
            id,
            rank: -1,
            suffix: *b"st/mpi-test.dat\0",
            ints: std::array::from_fn(|at| 1000 + at as i64),
            floats: std::array::from_fn(|at| 0.5 + at as f64),
        };
        zero.iter().for_each(|range| made.ints[range.clone()].fill(0));
        made
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = [self.id.to_le_bytes(), self.rank.to_le_bytes()].concat();
        out.extend_from_slice(&self.suffix);
        self.ints.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
        self.floats.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
        out
    }
}

fn log(version: &str, metadata: &str, records: &[Made]) -> Vec<u8> {
    let mut out = version.as_bytes().to_vec();
    out.resize(8, 0);
    for number in [6_567_223, 77, 1_400_000_000, 1_400_000_100, 8, 4711i64] {
        out.extend_from_slice(&number.to_le_bytes());
    }
    out.extend_from_slice(metadata.as_bytes());
    out.resize(1080, 0);
    out.extend_from_slice(b"./app a=b\n-5\text4\t/\n1138\tnfs\t/bound\n1138\tlustre\t/lus fs\n7\tcut");
    out.resize(4096, 0);
    records.iter().for_each(|record| out.extend(record.encode()));
    out
}

fn value(record: &Record<'_>, name: &str) -> Option<i64> {
    let at = record.module.ints().iter().position(|def| def.name == name).expect(name);
    record.ints[at].get()
}

/// Checks that a record has the listed counters (first name, stored position, number) and no
/// others.
fn check(trace: &Trace, id: u64, module: Module, ints: &[(&str, i64, usize)], floats: &[(&str, i32)]) {
    let record = trace.records[&module].iter().find(|record| record.file == FileId(id)).expect("record");
    let prefix = module.ints()[0].name.split_once('_').expect("prefix").0;
    let prefix = if module == Module::PnetcdfFile { "PNETCDF_FILE" } else { prefix };
    let mut expected = vec![None; record.ints.len()];
    for &(name, from, len) in ints {
        let name = format!("{prefix}_{name}");
        let at = module.ints().iter().position(|def| def.name == name).expect(&name);
        (0..len).for_each(|n| expected[at + n] = Some(1000 + from + n as i64));
    }
    let found: Vec<Option<i64>> = record.ints.iter().map(|count| count.get()).collect();
    assert_eq!(found, expected, "{module:?} of record {id}");
    for (def, found) in module.floats().iter().zip(record.floats) {
        let stored = floats.iter().find(|(name, _)| def.name == format!("{prefix}_F_{name}"));
        assert_eq!(found.get(), stored.map(|&(_, at)| 0.5 + f64::from(at)), "{} of record {id}", def.name);
    }
    let named = |name: &str| module.floats().iter().any(|def| def.name == format!("{prefix}_F_{name}"));
    assert!(floats.iter().all(|(name, _)| named(name)), "{module:?}");
}

const POSIX_CALLS: [(&str, i64, usize); 4] =
    [("READS", 11, 2), ("OPENS", 13, 1), ("SEEKS", 14, 3), ("FSYNCS", 21, 2)];
const STAMPS: [(&str, i32); 6] = [
    ("OPEN_START_TIMESTAMP", 0),
    ("READ_START_TIMESTAMP", 1),
    ("WRITE_START_TIMESTAMP", 2),
    ("CLOSE_END_TIMESTAMP", 3),
    ("READ_END_TIMESTAMP", 4),
    ("WRITE_END_TIMESTAMP", 5),
];
const POSIX_TIMES: [(&str, i32); 7] = [
    ("READ_TIME", 6),
    ("WRITE_TIME", 7),
    ("META_TIME", 8),
    ("MAX_READ_TIME", 12),
    ("MAX_WRITE_TIME", 13),
    ("VARIANCE_RANK_TIME", 16),
    ("VARIANCE_RANK_BYTES", 17),
];
const EXTREMES: [(&str, i32); 2] = [("FASTEST_RANK_TIME", 14), ("SLOWEST_RANK_TIME", 15)];

fn posix_data() -> Vec<(&'static str, i64, usize)> {
    let data = [
        ("BYTES_READ", 47, 15),
        ("SIZE_READ_0_100", 62, 20),
        ("STRIDE1_STRIDE", 122, 8),
        ("ACCESS1_ACCESS", 130, 8),
    ];
    [&POSIX_CALLS[..], &data].concat()
}

#[test]
fn every_counter_lands_in_its_place_when_all_interfaces_are_used() {
    let trace = read(&log("2.06", "", &[Made::new(1, &[])])).expect("read");
    check(&trace, 1, Module::Posix, &posix_data(), &[&STAMPS[..], &POSIX_TIMES].concat());
    let streams = [("READS", 17, 2), ("OPENS", 19, 1), ("SEEKS", 20, 1)];
    check(&trace, 1, Module::Stdio, &streams, &[]);
    let mpiio = [
        ("INDEP_OPENS", 0, 11),
        ("HINTS", 44, 3),
        ("SIZE_READ_AGG_0_100", 82, 20),
        ("FASTEST_RANK", 140, 1),
        ("SLOWEST_RANK", 142, 1),
    ];
    let times = [("META_TIME", 9), ("READ_TIME", 10), ("WRITE_TIME", 11)];
    check(&trace, 1, Module::MpiIo, &mpiio, &[&times[..], &EXTREMES].concat());
    check(&trace, 1, Module::H5f, &[("OPENS", 25, 1)], &[]);
    check(&trace, 1, Module::PnetcdfFile, &[("OPENS", 1023 + 24, 1)], &[]);
    assert!(trace.modules.iter().all(|info| info.version == 1 && !info.partial));
    assert_eq!(kinds(&trace), [ProblemKind::BadText, ProblemKind::NotRecorded, ProblemKind::NotRecorded]);
    assert_eq!(trace.job.mounts.len(), 3);
    let job = &trace.job;
    assert_eq!((job.uid, job.start.seconds, job.end.seconds), (77, 1_400_000_000, 1_400_000_100));
    assert_eq!((job.nprocs, job.id, job.end.nanos, job.exe.as_str()), (8, 4711, 999_999_999, "./app a=b"));
    assert_eq!(trace.files.label(FileId(1)), "/lus fs/...st/mpi-test.dat");
}

#[test]
fn bytes_and_times_go_to_the_interface_that_was_used() {
    let (mpi, calls, streams, libraries, mpi_rest) = (0..11, 11..17, 17..21, 23..26, 44..46);
    let (syncs, sizes) = (21..23, 82..102);
    let no_mpi = [mpi, libraries.clone(), mpi_rest, sizes];
    let mut posix = Made::new(1, &[&no_mpi[..], std::slice::from_ref(&streams)].concat());
    let mut stream = Made::new(2, &[&no_mpi[..], &[calls.clone(), syncs.clone()]].concat());
    let mut stat = Made::new(3, &[&no_mpi[..], &[11..15, 16..17, syncs.clone()]].concat());
    for record in [&mut posix, &mut stream, &mut stat] {
        record.floats[9..12].fill(0.0);
    }
    let only_mpi = Made::new(4, &[calls.clone(), streams.clone(), syncs.clone(), libraries]);
    let hdf5 = Made::new(5, &[0..25, 44..46, 82..102]);
    let hdf5 = Made {
        floats: std::array::from_fn(|at| if (9..12).contains(&at) { 0.0 } else { 0.5 + at as f64 }),
        ..hdf5
    };
    let trace = read(&log("2.06", "", &[posix, stream, stat, only_mpi, hdf5])).expect("read");

    let ranks = [("FASTEST_RANK", 140, 4)];
    let all = [&posix_data()[..], &[("MODE", 46, 1)], &ranks].concat();
    check(&trace, 1, Module::Posix, &all, &[&STAMPS[..], &POSIX_TIMES, &EXTREMES].concat());
    let data = [("READS", 17, 2), ("OPENS", 19, 1), ("SEEKS", 20, 1), ("BYTES_READ", 47, 1)];
    let more = [("BYTES_WRITTEN", 48, 1), ("MAX_BYTE_READ", 49, 2)];
    let data = [&data[..], &more, &ranks].concat();
    let times = [&STAMPS[..], &POSIX_TIMES[..3], &POSIX_TIMES[5..], &EXTREMES].concat();
    check(&trace, 2, Module::Stdio, &data, &times);
    // A stat besides streams is kept, but brings no bytes.
    check(&trace, 3, Module::Stdio, &data, &times);
    let record = trace.records[&Module::Posix].get(1).expect("stat");
    assert_eq!((record.file, value(&record, "POSIX_STATS")), (FileId(3), Some(1015)));
    assert_eq!((value(&record, "POSIX_OPENS"), value(&record, "POSIX_BYTES_READ")), (Some(0), None));
    assert_eq!(trace.records[&Module::Posix].len(), 2);
    let mpiio = trace.records[&Module::MpiIo].get(0).expect("mpiio");
    assert_eq!((mpiio.file, trace.records[&Module::MpiIo].len()), (FileId(4), 1));
    let span = Module::MpiIo.roles().open_span.expect("span");
    assert_eq!((mpiio.float(span.0).get(), mpiio.float(span.1).get()), (Some(0.5), Some(3.5)));
    let stamps = [("OPEN_START_TIMESTAMP", 0), ("CLOSE_END_TIMESTAMP", 3)];
    check(&trace, 5, Module::H5f, &[("OPENS", 25, 1)], &stamps);
}

#[test]
fn older_writers_are_recognised_in_converted_logs() {
    let record = Made { floats: std::array::from_fn(|at| 1_400_000_001.0 + at as f64), ..Made::new(1, &[]) };
    let trace = read(&log("2.06", "prev_ver=1.24\nk=v=w\n", std::slice::from_ref(&record))).expect("read");
    let posix = trace.records[&Module::Posix].get(0).expect("record");
    let mpiio = trace.records[&Module::MpiIo].get(0).expect("record");
    assert_eq!((value(&posix, "POSIX_SLOWEST_RANK"), value(&mpiio, "MPIIO_SLOWEST_RANK")), (None, None));
    assert_eq!(posix.float(Module::Posix.roles().open_span.expect("span").0).get(), Some(1.0));
    assert_eq!(trace.job.metadata[1], ("k".to_string(), "v=w".to_string()));
    // Up to 2.04 the slowest rank is that of POSIX.
    let trace = read(&log("2.04", "", &[record])).expect("read");
    let posix = trace.records[&Module::Posix].get(0).expect("record");
    assert_eq!(value(&posix, "POSIX_SLOWEST_RANK"), Some(1142));
}

#[test]
fn marks_and_oddities_become_missing_values_and_problems() {
    let mut marked = Made::new(1, &[0..11, 44..46, 82..102]);
    marked.floats[9..12].fill(0.0);
    marked.ints[15] = -1;
    marked.ints[16] = -4; // The marks of four ranks, added up.
    marked.ints[58..60].fill(0); // Never inspected: no alignment, so nothing was tested.
    let condensed = Made { rank: 3, ..Made::new(0, &[]) };
    let strange = Made { rank: -2, ..Made::new(2, &[]) };
    let mut content = log("2.06", "", &[marked, condensed, strange]);
    content.extend_from_slice(&[0; 100]);
    content[32..40].copy_from_slice(&1i64.to_le_bytes());
    let trace = read(&content).expect("read");
    let posix = &trace.records[&Module::Posix];
    let first = posix.get(0).expect("marked");
    for name in ["POSIX_STATS", "POSIX_MMAPS", "POSIX_FILE_NOT_ALIGNED", "POSIX_FILE_ALIGNMENT"] {
        assert_eq!(value(&first, name), None, "{name}");
    }
    assert_eq!(value(&first, "POSIX_MEM_ALIGNMENT"), Some(1057));
    let second = posix.get(1).expect("condensed");
    assert_eq!((second.scope, trace.files.label(second.file)), (Scope::Rank(Rank(3)), "<all files>".into()));
    assert_eq!(value(&second, "POSIX_BYTES_READ"), Some(1047));
    assert_eq!((value(&second, "POSIX_SEQ_READS"), value(&second, "POSIX_ACCESS1_ACCESS")), (None, None));
    assert_eq!(second.float(Module::Posix.roles().open_span.expect("span").0).get(), None);
    assert!(posix.len() == 2 && trace.modules.iter().all(|info| info.partial));
    for kind in
        [ProblemKind::ClockWentBack, ProblemKind::Truncated, ProblemKind::BadRecord, ProblemKind::Partial]
    {
        assert_eq!(kinds(&trace).iter().filter(|found| **found == kind).count(), 1, "{kind:?}");
    }
}

#[test]
fn other_beginnings_are_refused() {
    let good = log("2.06", "", &[]);
    assert!(sniff(&good) && sniff(b"1.24\0\0\0\0\0\0\0\0\0\0\0\x07"));
    let mut other = good.clone();
    other[0] = b'3';
    assert!(!sniff(&other) && !sniff(b"1.24,5\n") && !sniff(b"2.06") && !sniff(b""));
    assert_eq!(read(&other).err(), Some(Error::Unrecognised));
    other.copy_from_slice(&good);
    other[8] = 0;
    assert!(!sniff(&other));
    assert_eq!(read(&other).err(), Some(Error::Unrecognised));
    other.copy_from_slice(&good);
    other[3] = b'9';
    assert_eq!(read(&other).err(), Some(Error::Version { format: "Darshan log", found: "2.09".into() }));
    assert_eq!(read(&good[..1000]).err(), Some(Error::ShortHeader { needed: 1080, found: 1000 }));
    // A log of 1.24 from a little-endian 64-bit machine with four processes.
    let mut little = vec![0; 2288];
    little[..4].copy_from_slice(b"1.24");
    little[32] = 4;
    assert!(matches!(read(&little), Err(Error::Version { .. })));
}

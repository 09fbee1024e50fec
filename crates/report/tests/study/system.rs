//! A synthetic system, the same for the same seed: three months of jobs, devices, snapshots and the
//! results derived from them.

use marigraph_analysis::asked::{Asked, Interface};
use marigraph_analysis::study::{
    Access, Annotation, BatchRun, Bin, ContentsFacts, MinuteSum, RecordedRun, RunFinding, SignatureFacts,
    System,
};

/// 2026-01-01.
pub const START_S: f64 = 1_767_225_600.0;
const DAYS: f64 = 90.0;
const DAY_S: f64 = 86_400.0;
const LABELS: [&str; 8] = [
    "read_on_start",
    "write_on_end",
    "write_steady",
    "write_periodic",
    "metadata_high_spike",
    "metadata_insignificant_load",
    "read_insignificant",
    "write_periodic_minute",
];

/// A random number generator.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// In 0..1.
    pub fn share(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, end: u64) -> u64 {
        (self.share() * end as f64) as u64
    }

    /// Log-uniform between two values.
    fn powers(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.share())
    }
}

/// A random project; the first are the heaviest.
fn project(chance: &mut Chance) -> (usize, String) {
    const NAMES: [&str; 14] = [
        "EarthScience",
        "NuclearPhysics",
        "Climate",
        "Combustion1",
        "Turbulence-with-a-name-that-is-very-long",
        "Fusion",
        "Materials",
        "Chemistry",
        "Astro",
        "Energy",
        "Biology",
        "Seismic",
        "Genomics",
        "Testing",
    ];
    let at = (chance.share().powi(2) * NAMES.len() as f64) as usize;
    (at, NAMES[at].to_string())
}

/// The whole system.
pub fn made_up(seed: u64, jobs: u64) -> System {
    let mut chance = Chance::new(seed);
    let mut system = System::default();
    for number in 0..jobs {
        job(&mut chance, &mut system, 1000 + number);
    }
    system.minutes = minutes(&mut chance);
    system.snapshots = snapshots();
    system.signatures = (0..14).map(|at| signature(&mut chance, at)).collect();
    system.annotations = annotations();
    system
}

fn job(chance: &mut Chance, system: &mut System, number: u64) {
    let (at, project) = project(chance);
    let processes = 4_u64.pow(chance.below(9) as u32).max(1);
    let nodes = processes.div_ceil(16);
    let start_s = START_S + chance.share() * (DAYS - 1.0) * DAY_S;
    let runtime_s = chance.powers(60.0, 40_000.0);
    let core_hours = processes as f64 * runtime_s / 3600.0;
    let end_s = start_s + runtime_s;
    system.batch.push(BatchRun {
        number: Some(number),
        project,
        nodes: Some(nodes),
        core_hours,
        start_s,
        end_s,
    });
    if chance.share() < 0.4 {
        let run = run(chance, number, processes, at, (start_s + 5.0, runtime_s - 10.0));
        if chance.share() < 0.3 {
            system.findings.push(finding(chance, system.runs.len()));
        }
        system.runs.push(run);
    }
}

fn finding(chance: &mut Chance, run: usize) -> RunFinding {
    const ALL: [(&str, &str, &str); 4] = [
        ("small_writes", "high", "Many small writes"),
        ("random_reads", "medium", "Reads in random order"),
        ("misaligned", "low", "Accesses are not aligned"),
        ("metadata_time", "high", "Most I/O time goes into metadata"),
    ];
    let (code, severity, title) = ALL[chance.below(4) as usize];
    RunFinding {
        run,
        code: code.into(),
        severity: severity.into(),
        title: title.into(),
        seconds_at_stake: Some(chance.powers(1.0, 4000.0)),
    }
}

fn run(
    chance: &mut Chance,
    job_id: u64,
    processes: u64,
    project: usize,
    (start_s, runtime_s): (f64, f64),
) -> RecordedRun {
    let scale = processes as f64 * 2e7 / (1.0 + project as f64);
    let [bytes_read, bytes_written] = [0.4, 1.0].map(|part| (scale * part * chance.powers(0.1, 60.0)) as u64);
    let interface =
        [Interface::Posix, Interface::MpiIo, Interface::Hdf5, Interface::Pnetcdf][chance.below(4) as usize];
    let asked = Asked { opens: 1 + processes, read: bytes_read, written: bytes_written, ..Asked::default() };
    let stdio = Asked { opens: 2, read: bytes_read / 50, written: 0, ..Asked::default() };
    let mut sharing = [Asked::default(); 3];
    sharing[if processes == 1 { 0 } else { chance.below(3) as usize }] = asked;
    let files = match chance.below(8) {
        0 => 0,
        1 | 2 => processes,
        3 | 4 => 1 + chance.below(6),
        _ => chance.powers(1.0, 20.0 * processes as f64) as u64,
    };
    RecordedRun {
        job_id,
        exe: format!("/sw/apps/{}/bin/solver", chance.below(30)),
        processes,
        nodes: None,
        start_s,
        runtime_s,
        files,
        files_written: files / 2,
        files_new: (chance.share() < 0.3).then_some(files / 3),
        bytes_read,
        bytes_written,
        times_s: [chance.powers(1.0, 500.0), chance.powers(1.0, 500.0), chance.powers(0.1, 500.0)],
        mib_per_s: (files > 0).then(|| chance.powers(0.5, 40.0) * processes as f64 / 16.0),
        io_time_s: Some(runtime_s * chance.share() * 0.2),
        period_s: (chance.share() < 0.4).then(|| chance.powers(2.0, 9000.0)),
        interfaces: vec![(interface, asked), (Interface::Stdio, stdio)],
        sharing,
        access: access(chance, project),
        labels: labels(chance),
    }
}

/// Up to three different labels.
fn labels(chance: &mut Chance) -> Vec<String> {
    let mut all: Vec<usize> = (0..3).map(|_| (chance.share() * chance.share() * 8.0) as usize).collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(|at| LABELS[at].to_string()).collect()
}

fn access(chance: &mut Chance, project: usize) -> Access {
    let mut sizes = || {
        let peak = (project % 10) as f64;
        let mut bins = [0.0; 10];
        for (at, bin) in bins.iter_mut().enumerate() {
            *bin = (1000.0 * (-(at as f64 - peak).powi(2) / 4.0).exp() * chance.share()).round();
        }
        bins
    };
    let (read_sizes, write_sizes) = (sizes(), sizes());
    let calls = 4000.0;
    Access {
        calls,
        sequential: calls * chance.share(),
        misaligned: calls * chance.share(),
        read_sizes,
        write_sizes,
        common: Some((2f64.powi(chance.below(24) as i32), 900.0)),
    }
}

/// Bursts of writes on a small load; six hours and three days are missing.
fn minutes(chance: &mut Chance) -> Vec<MinuteSum> {
    let mut all = Vec::new();
    let (mut left, mut height) = (0, 0.0);
    for minute in 0..(DAYS * 1440.0) as u64 {
        let start_s = START_S + minute as f64 * 60.0;
        let day = minute as f64 / 1440.0;
        if (20.0..20.25).contains(&day) || (55.0..58.0).contains(&day) {
            continue;
        }
        if left == 0 && chance.share() < 0.02 {
            (left, height) = (1 + chance.below(15), chance.powers(2e9, 6e10));
        }
        let busy = if left > 0 { height } else { 0.0 };
        left = left.saturating_sub(1);
        let quiet = if chance.share() < 0.1 { 0.0 } else { chance.powers(1e7, 2e9) };
        all.push(MinuteSum {
            start_s,
            observed_s: 60.0,
            read: 60.0 * quiet,
            written: 60.0 * (busy + quiet / 3.0),
        });
    }
    all
}

fn powers(ends: std::ops::Range<u32>, middle: f64, files: f64) -> Vec<Bin> {
    let bin = |power: u32| {
        let low = if power == 0 { 0 } else { 1_u64 << power };
        let count = (files * (-(f64::from(power) - middle).powi(2) / 40.0).exp() / 11.0) as u64;
        Bin { low, high: 1 << (power + 1), count, bytes: count * (low + low / 2) }
    };
    ends.map(bin).collect()
}

fn snapshots() -> Vec<ContentsFacts> {
    let taken = |days: f64, more: f64| {
        let own = powers(0..38, 9.0, 4e6 * more);
        let projects = [
            ("EarthScience", 4e6 * more * more, 9e14),
            ("Climate", 2e6, 3e14 * more),
            ("Fusion", 1e6 / more, 1e14),
        ];
        let sizes = powers(0..42, 17.0, 2e7 * more);
        ContentsFacts {
            roots: "/gpfs/scratch".into(),
            taken_s: START_S + days * DAY_S,
            files: sizes.iter().map(|bin| bin.count).sum(),
            bytes: sizes.iter().map(|bin| bin.bytes).sum(),
            largest: 3 << 40,
            room: Some((0, 40_000_000_000_000_000)),
            sizes,
            access_days: powers(0..11, 5.0, 2e7),
            modification_days: powers(0..11, 7.0, 2e7),
            projects: projects
                .iter()
                .map(|&(name, files, bytes)| (name.to_string(), (files as u64, bytes as u64)))
                .collect(),
            project_sizes: [("EarthScience".to_string(), own)].into(),
        }
    };
    vec![taken(5.0, 1.0), taken(80.0, 1.31)]
}

fn signature(chance: &mut Chance, at: u64) -> SignatureFacts {
    let (period, long) = (60 + chance.below(200), 1800);
    let height = chance.powers(1e9, 3e10);
    let written: Vec<f64> = (0..long)
        .map(|second| if second % period < 12 { height * (0.8 + 0.2 * chance.share()) } else { 0.0 })
        .collect();
    let read: Vec<f64> = (0..long).map(|second| if second < 40 { height / 2.0 } else { 0.0 }).collect();
    SignatureFacts {
        app: format!("/projects/model{at}/bin/solver.exe"),
        user: format!("user{at}"),
        nodes: Some(64 << (at % 5)),
        runs: 4 + at,
        duration_s: long as f64,
        bytes_read: read.iter().sum(),
        bytes_written: written.iter().sum(),
        bursts: long / period,
        period_s: Some(period as f64),
        confidence: Some(0.8),
        step_s: 1.0,
        read,
        written,
    }
}

fn annotations() -> Vec<Annotation> {
    let note = |from: f64, to: f64, text: &str| Annotation {
        from_s: START_S + from * DAY_S,
        to_s: START_S + to * DAY_S,
        text: text.into(),
    };
    vec![
        note(12.0, 12.5, "maintenance"),
        note(13.0, 13.2, "file system check"),
        note(55.0, 58.0, "collection was down"),
        note(70.0, 76.0, "scaling runs of the whole machine"),
        note(0.0, 0.5, "first light"),
    ]
}

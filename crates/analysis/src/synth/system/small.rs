//! Runs other than a project's large ones: tests, tools, runs that do nothing.

use super::super::Random;
use super::bulk::{Bulk, Calls, MIB, Sharing, Stack};

/// Shares of small runs that touch no file, and that only look at one.
const WITHOUT_FILES: f64 = 0.12;
const LOOKS_ONLY: f64 = 0.02;
/// From this many processes on, small runs move little, so that they do not count as large ones.
const MANY: u32 = 1024;

/// The I/O of a small run; `None` if it touches no file. `turn` cycles through the interfaces of
/// its project.
pub fn small(
    apis: &str,
    turn: &mut usize,
    nprocs: u32,
    room: (u32, f64),
    random: &mut Random,
) -> Option<Bulk> {
    if random.chance(WITHOUT_FILES) {
        return None;
    }
    let stack = stack(apis, turn);
    let sharing = sharing(nprocs, stack, random);
    let records = u64::from(sharing.records(nprocs));
    let mib = if nprocs < MANY { random.between_log(1.0, 20_000.0) } else { random.between_log(1.0, 300.0) };
    let mib = if random.chance(LOOKS_ONLY) { 0.0 } else { mib };
    let read = [0.0, 1.0, random.unit()][random.index(3)];
    let each = mib * MIB / records as f64;
    let access = [random.between_log(64.0, 4e6) as u64, random.between_log(64.0, 4e6) as u64];
    let bulk = Bulk {
        stack,
        sharing,
        records,
        reads: Calls::of(each * read, access[0]),
        writes: Calls::of(each * (1.0 - read), access[1]),
        metadata: random.between(0.02, 0.6),
        order: [random.between(0.3, 1.0), random.unit()],
        speed: 0.0,
        slowest_s: 0.002,
    };
    if bulk.mib() == 0.0 {
        return Some(Bulk { metadata: 1.0, ..bulk });
    }
    let (nodes, runtime_s) = room;
    let least = bulk.mib() / (f64::from(nodes) * 0.5 * runtime_s);
    Some(bulk.paced(random.between_log(0.005, 1.0).max(least), nodes))
}

fn stack(apis: &str, turn: &mut usize) -> Stack {
    let letters = apis.as_bytes();
    let letter = letters[*turn % letters.len()];
    *turn += 1;
    match letter {
        b'H' => Stack::Hdf5,
        b'N' => Stack::Pnetcdf,
        b'M' => Stack::MpiIo,
        b'S' => Stack::Stdio,
        _ => Stack::Posix,
    }
}

/// Runs with few processes mostly use one file per process; those with many share files.
fn sharing(nprocs: u32, stack: Stack, random: &mut Random) -> Sharing {
    if nprocs < 2 {
        return Sharing::Unique {
            ranks: 1,
            files: if random.chance(0.1) { 100 } else { 1 + random.index(4) as u32 },
        };
    }
    let files = 1 + random.index(3) as u32;
    let draw = random.unit();
    let (unique, partial) = match nprocs {
        0..=7 => (0.8, 0.0),
        8..=64 => (0.7, 0.1),
        65..=1024 => (0.4, 0.3),
        _ => (0.15, 0.5),
    };
    if draw < unique {
        let alone = random.chance(0.2);
        let ranks = if alone { 1 } else { nprocs.min(if nprocs <= 64 { 64 } else { 32 }) };
        let many = nprocs <= 4 && random.chance(0.1);
        Sharing::Unique { ranks, files: if many { 100 } else { files } }
    } else if draw < unique + partial {
        partly(nprocs, random)
    } else if nprocs <= 16 && random.chance(0.3) {
        Sharing::Unreduced { files }
    } else if stack == Stack::MpiIo && nprocs > 64 && random.chance(0.5) {
        Sharing::Collective { files, aggregators: 8 }
    } else {
        Sharing::Shared { files }
    }
}

/// Each file is used by more than one process, but not by all.
fn partly(nprocs: u32, random: &mut Random) -> Sharing {
    let each = 2 + random.index((nprocs as usize - 2).min(8)) as u32;
    let each = each.min(nprocs - 1);
    let files = (1 + random.index(4) as u32).min(nprocs / each);
    Sharing::Partial { ranks: files * each, files }
}

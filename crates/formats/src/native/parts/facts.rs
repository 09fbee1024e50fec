//! What the first pass keeps of a part: enough to place it in the run, in little memory.

use marigraph_wire::chunk::Moment;
use marigraph_wire::op::{Layer, Op};
use marigraph_wire::part::{Identity, Word};

use super::clock::{Extent, Place};
use super::part::{Counters, Files, Part, is_name};

/// Programs that start ranks and are not ranks themselves.
const LAUNCHERS: &[&str] =
    &["mpirun", "mpiexec", "orterun", "prterun", "prted", "orted", "prun", "srun", "slurmstepd"];
const LAUNCHER_FAMILIES: &[&str] = &["hydra", "mpiexec.", "mpirun.", "mpiexec_"];
const SHELLS: &[&str] =
    &["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "busybox", "csh", "tcsh", "fish"];

/// Variables with the rank of a process, the most reliable first.
const RANKS: &[&str] = &["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "RANK"];
const SIZES: &[&str] = &["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", "WORLD_SIZE"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Program,
    Launcher,
    /// A shell that moved no data itself.
    IdleShell,
}

/// What the first pass finds in one part.
#[derive(Debug)]
pub struct Facts {
    pub(super) stem: String,
    pub(super) identity: Identity,
    /// Whether the part has an identity chunk; otherwise the name of the part gives some of it.
    pub(super) identified: bool,
    pub(super) extent: Option<Extent>,
    pub(super) last_tick: u64,
    pub(super) mpi: Option<u32>,
    pub(super) size: Option<u32>,
    pub(super) role: Role,
    pub(super) called: bool,
    pub(super) ended: bool,
    pub(super) counters: Counters,
    pub(super) torn: u64,
    pub(super) missing: u64,
    /// From the counts of chunks and segments.
    pub(super) records: u64,
}

impl Facts {
    pub fn of(stem: &str, files: Files<&[u8]>) -> Facts {
        let part = Part::new(files);
        let identified = part.identity.is_some();
        let identity = part.identity.clone().unwrap_or_else(|| from_stem(stem));
        let word = |word| u32::try_from(part.word(word)).ok();
        let extent = Extent::of(&part.moments);
        Facts {
            stem: stem.to_string(),
            identified,
            extent,
            last_tick: part.last_tick(),
            mpi: word(Word::MpiRank).and_then(|rank| rank.checked_sub(1)),
            size: word(Word::MpiSize).filter(|&size| size > 0).or_else(|| number(&identity, SIZES)),
            role: role(&identity, &part),
            called: calls(&part, |op| op.layer() != Layer::Note),
            ended: part.ended,
            counters: part.counters(),
            torn: part.torn,
            missing: part.threads.values().map(|thread| thread.missing).sum(),
            records: part.threads.values().map(|thread| thread.records).sum(),
            identity,
        }
    }

    pub(super) fn own_rank(&self) -> Option<u32> {
        self.mpi.or_else(|| (self.role != Role::Launcher).then(|| environment_rank(&self.identity)).flatten())
    }

    pub(super) fn began(&self) -> Moment {
        let first = self.extent.map(|extent| extent.first).unwrap_or_default();
        if self.identity.began.wall == 0 { first } else { self.identity.began }
    }

    pub(super) fn place(&self) -> Place {
        let Identity { host, boot, clock, .. } = &self.identity;
        Place { host: host.clone(), boot: boot.clone(), nanoseconds: *clock == 1 }
    }
}

pub(super) fn environment_rank(identity: &Identity) -> Option<u32> {
    number(identity, RANKS)
}

fn number(identity: &Identity, names: &[&str]) -> Option<u32> {
    names.iter().find_map(|name| identity.variable(name)?.trim().parse().ok())
}

fn from_stem(stem: &str) -> Identity {
    let mut fields = stem.rsplitn(3, '.');
    let pid = fields.nth(1).and_then(|pid| pid.parse().ok()).unwrap_or(0);
    Identity { pid, host: fields.next().unwrap_or(stem).as_bytes().to_vec(), ..Identity::default() }
}

pub(super) fn program(identity: &Identity) -> &[u8] {
    let argument = identity.command.split(|&byte| byte == 0).next().unwrap_or(&[]);
    let path = if identity.exe.is_empty() { argument } else { &identity.exe };
    path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)
}

fn role(identity: &Identity, part: &Part<'_>) -> Role {
    let program = String::from_utf8_lossy(program(identity)).into_owned();
    let called = identity.command.split(|&byte| byte == 0).next().unwrap_or(&[]);
    let called =
        String::from_utf8_lossy(called.rsplit(|&byte| byte == b'/').next().unwrap_or(called)).into_owned();
    let launches = |name: &String| {
        LAUNCHERS.contains(&name.as_str()) || LAUNCHER_FAMILIES.iter().any(|family| name.starts_with(family))
    };
    if launches(&program) || launches(&called) {
        Role::Launcher
    } else if SHELLS.contains(&program.as_str()) && !calls(part, moves_data) {
        Role::IdleShell
    } else {
        Role::Program
    }
}

/// Stops at the first match.
fn calls(part: &Part<'_>, wanted: impl Fn(Op) -> bool) -> bool {
    part.threads.keys().any(|&thread| {
        let mut records = part.records(thread).flatten();
        records.any(|record| !is_name(&record) && record.op().is_some_and(&wanted))
    })
}

pub(super) fn moves_data(op: Op) -> bool {
    op.reads() || op.writes() || op == Op::Mmap
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stem_tells_host_and_process() {
        let identity = from_stem("node1.cluster.4711.a8f0");
        assert_eq!((identity.host.as_slice(), identity.pid), (&b"node1.cluster"[..], 4711));
        assert_eq!(from_stem("odd").pid, 0);
    }
}

//! Which files are followed. System files and what MPI libraries keep for themselves are not,
//! unless asked for.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::process;
use crate::text::Text;

/// Nothing below these is followed, except below [`DATA`].
const SYSTEM: &[&[u8]] = &[
    b"/etc/",
    b"/dev/",
    b"/usr/",
    b"/bin/",
    b"/boot/",
    b"/lib/",
    b"/lib32/",
    b"/lib64/",
    b"/libx32/",
    b"/opt/",
    b"/sbin/",
    b"/sys/",
    b"/proc/",
    b"/run/",
    b"/var/",
];

/// Users keep data here, so these are followed although they lie below [`SYSTEM`].
const DATA: &[&[u8]] = &[b"/dev/shm/", b"/var/opt/cray/dws/mounts/"];

/// Prefixes of an MPI library's own files: session directories, shared segments.
const RUNTIME: &[&[u8]] = &[
    b"/tmp/ompi.",
    b"/tmp/openmpi-sessions-",
    b"/tmp/pmix-",
    b"/tmp/pmix.",
    b"/tmp/prte.",
    b"/tmp/orte.",
    b"/tmp/mpich_shar",
    b"/tmp/hydra",
    b"/dev/shm/vader_segment.",
    b"/dev/shm/sm_segment.",
    b"/dev/shm/osc_rdma.",
    b"/dev/shm/psm2_shm.",
    b"/dev/shm/psm3_shm.",
    b"/dev/shm/mpich_shar",
    b"/dev/shm/mpich_shm",
    b"/dev/shm/mpich_",
    b"/dev/shm/ucx_",
    b"/dev/shm/cma_",
    b"/dev/shm/ompi.",
    b"/dev/shm/pmix",
    b"/dev/shm/Intel_MPI",
    b"/dev/shm/impi-",
    b"/dev/shm/cray-",
    b"/dev/shm/sem.",
    b"/memfd:",
    b"/SYSV",
];

/// Patterns from the environment, one per line.
struct Patterns {
    text: UnsafeCell<Text<8192>>,
    len: AtomicUsize,
}

// SAFETY: the text is written once, before `len` says that it is there.
unsafe impl Sync for Patterns {}

impl Patterns {
    #[allow(clippy::declare_interior_mutable_const, reason = "only statics are made of it")]
    const EMPTY: Patterns = Patterns { text: UnsafeCell::new(Text::EMPTY), len: AtomicUsize::new(0) };

    fn set(&self, patterns: &[u8]) {
        // SAFETY: called once, while `len` is still zero and nobody reads.
        unsafe { (*self.text.get()).push(patterns) };
        self.len.store(patterns.len(), Ordering::Release);
    }

    fn matches(&self, path: &[u8]) -> bool {
        if self.len.load(Ordering::Acquire) == 0 {
            return false;
        }
        // SAFETY: not written any more, as `len` is set.
        let text = unsafe { &*self.text.get() };
        text.bytes().split(|&byte| byte == b'\n').any(|pattern| !pattern.is_empty() && matches(pattern, path))
    }
}

static INCLUDE: Patterns = Patterns::EMPTY;
static EXCLUDE: Patterns = Patterns::EMPTY;
static OWN: Patterns = Patterns::EMPTY;

/// `include` and `exclude` are the user's patterns; `own` is the directory of the parts.
pub fn set(include: &[u8], exclude: &[u8], own: &[u8]) {
    INCLUDE.set(include);
    EXCLUDE.set(exclude);
    OWN.set(own);
}

pub fn follows(path: &[u8]) -> bool {
    let below = |start: &&[u8]| path.starts_with(start) || start.strip_suffix(b"/") == Some(path);
    let starts = |list: &[&[u8]]| list.iter().any(below);
    if EXCLUDE.matches(path) {
        process::count(process::Count::Excluded);
        return false;
    }
    if OWN.matches(path) {
        return false;
    }
    INCLUDE.matches(path) || ((!starts(SYSTEM) || starts(DATA)) && !starts(RUNTIME) && path != b"/")
}

/// A pattern without wildcards matches a file or everything below a directory. `*` matches any
/// bytes, `?` any one byte.
fn matches(pattern: &[u8], path: &[u8]) -> bool {
    if !pattern.iter().any(|byte| matches!(byte, b'*' | b'?')) {
        let rest = path.strip_prefix(pattern);
        return rest.is_some_and(|rest| {
            rest.is_empty() || pattern.last() == Some(&b'/') || rest.first() == Some(&b'/')
        });
    }
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while from < path.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(&byte) if byte == b'?' || path.get(from) == Some(&byte) => {
                at += 1;
                from += 1;
            }
            // Let the last star match one more byte.
            _ => match star {
                Some((place, taken)) => {
                    at = place + 1;
                    from = taken + 1;
                    star = Some((place, taken + 1));
                }
                None => return false,
            },
        }
    }
    pattern.get(at..).unwrap_or(&[]).iter().all(|&byte| byte == b'*')
}

//! Switches the library on and off with the process, and reads its environment variables.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::path::Path;
use crate::text::Text;
use crate::{clock, files, filter, posix, process, stdio, sys};

/// Programs that only start others; their own I/O is not the job's.
const LAUNCHERS: &[&[u8]] = &[
    b"mpirun",
    b"mpiexec",
    b"orterun",
    b"prterun",
    b"prun",
    b"orted",
    b"prted",
    b"prte",
    b"mpirun.openmpi",
    b"mpiexec.openmpi",
    b"mpirun.mpich",
    b"mpiexec.mpich",
    b"mpiexec.hydra",
    b"hydra_pmi_proxy",
    b"hydra_bstrap_proxy",
    b"hydra_nameserver",
    b"srun",
    b"slurmstepd",
    b"aprun",
    b"jsrun",
    b"flux",
    b"env",
    b"nice",
    b"timeout",
    b"taskset",
    b"numactl",
    b"stdbuf",
    b"ldd",
    b"ld.so",
    b"marigraph",
];

/// Programs that print on behalf of others.
const SHELLS: &[&[u8]] =
    &[b"sh", b"bash", b"dash", b"zsh", b"ksh", b"mksh", b"csh", b"tcsh", b"fish", b"busybox", b"rbash"];

/// Variables that identify the recording, the rank and the job of a process.
const RANKS: &[&CStr] = &[
    c"MARIGRAPH_RUN",
    c"OMPI_COMM_WORLD_RANK",
    c"OMPI_COMM_WORLD_SIZE",
    c"OMPI_COMM_WORLD_LOCAL_RANK",
    c"PMI_RANK",
    c"PMI_SIZE",
    c"PMIX_RANK",
    c"PMIX_NAMESPACE",
    c"PMI_JOBID",
    c"SLURM_PROCID",
    c"SLURM_NTASKS",
    c"SLURM_JOB_ID",
    c"SLURM_STEP_ID",
    c"SLURM_NNODES",
    c"PBS_JOBID",
    c"LSB_JOBID",
    c"RANK",
    c"WORLD_SIZE",
    c"LOCAL_RANK",
];

struct Directory(UnsafeCell<Path>);

// SAFETY: written once by the constructor, before recording is switched on.
unsafe impl Sync for Directory {}

static DIRECTORY: Directory = Directory(UnsafeCell::new(Path::EMPTY));
static KEY: AtomicU32 = AtomicU32::new(u32::MAX);
static SHELL: AtomicBool = AtomicBool::new(false);
static FORGET: AtomicBool = AtomicBool::new(false);

pub fn directory() -> &'static [u8] {
    // SAFETY: not written after recording was switched on.
    unsafe { (*DIRECTORY.0.get()).bytes() }
}

fn variable(name: &CStr) -> &'static [u8] {
    // SAFETY: reads the environment, which the host may change, but not during its start.
    let value = unsafe { libc::getenv(name.as_ptr()) };
    if value.is_null() {
        return &[];
    }
    // SAFETY: entries of the environment end with NUL.
    unsafe { CStr::from_ptr(value) }.to_bytes()
}

/// Appends the variables that identify rank and job, as `NAME=value` with a closing NUL.
pub fn ranks(out: &mut Text<2048>) {
    for name in RANKS {
        let value = variable(name);
        if !value.is_empty() {
            for text in [name.to_bytes(), b"=", value, b"\0"] {
                out.push(text);
            }
        }
    }
}

/// Judges the program by its name: sets [`SHELL`], and returns whether the process is recorded.
fn judge() -> bool {
    let mut exe = Path::EMPTY;
    if exe.fill(|room| sys::read_link(c"/proc/self/exe", room)).is_none() {
        return true;
    }
    let name = exe.bytes().rsplit(|&byte| byte == b'/').next().unwrap_or(&[]);
    SHELL.store(SHELLS.contains(&name), Ordering::Relaxed);
    // A replay's workers perform the I/O of a job, although the program is ours.
    let replays = name == b"marigraph" && !variable(c"MARIGRAPH_REPLAY_WORKER").is_empty();
    replays || !LAUNCHERS.contains(&name) && !name.starts_with(b"ld-linux")
}

pub fn is_shell() -> bool {
    SHELL.load(Ordering::Relaxed)
}

extern "C" fn loaded() {
    posix::find_all();
    stdio::find_all();
    let place = variable(c"MARIGRAPH_DIR");
    if !place.starts_with(b"/") || !judge() {
        return;
    }
    // SAFETY: nobody reads before recording is switched on, below.
    unsafe { (*DIRECTORY.0.get()).push(place) };
    filter::set(variable(c"MARIGRAPH_INCLUDE"), variable(c"MARIGRAPH_EXCLUDE"), place);
    clock::choose();
    let mut key = 0;
    // SAFETY: the handlers are functions of this library, which is never unloaded.
    unsafe {
        if libc::pthread_key_create(&mut key, Some(thread_ends)) == 0 {
            KEY.store(key, Ordering::Relaxed);
        }
        pthread_atfork(None, None, Some(forked));
    }
    if !is_shell() {
        // A shell's standard streams belong to its children.
        files::hold_standard();
    }
    process::switch_on();
}

extern "C" fn unloaded() {
    process::end();
}

#[used]
#[unsafe(link_section = ".init_array")]
static LOADED: extern "C" fn() = loaded;

#[used]
#[unsafe(link_section = ".fini_array")]
static UNLOADED: extern "C" fn() = unloaded;

/// Arranges for [`process::detach`] to run when this thread ends.
pub fn watch_thread_end() {
    let key = KEY.load(Ordering::Relaxed);
    if key != u32::MAX {
        // SAFETY: the key was made; the value is never followed. Keys made this early keep their
        // values in the thread's own block, so nothing is allocated.
        unsafe { libc::pthread_setspecific(key, core::ptr::dangling::<c_char>().cast::<c_void>()) };
    }
}

extern "C" fn thread_ends(_: *mut c_void) {
    process::detach();
}

/// Lets the fork handler reset children, for kernels that cannot wipe the mark at fork.
pub fn forget_on_fork() {
    FORGET.store(true, Ordering::Relaxed);
}

extern "C" fn forked() {
    if FORGET.load(Ordering::Relaxed) {
        process::forget();
    }
    process::after_fork();
}

unsafe extern "C" {
    fn pthread_atfork(
        before: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> core::ffi::c_int;
}

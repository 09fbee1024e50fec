//! Forwards signals to a child and ends as it ended, or notes a signal as a request to stop.

use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

const PASSED: [i32; 6] =
    [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGUSR1, libc::SIGUSR2];

/// The child; 0 before it runs and after it ended.
static CHILD: AtomicI32 = AtomicI32::new(0);
/// A signal that came before the child ran.
static EARLY: AtomicI32 = AtomicI32::new(0);

/// Whether these were ignored when this program started, so that the child inherits that.
static PIPE_IGNORED: AtomicBool = AtomicBool::new(false);
static CHILD_IGNORED: AtomicBool = AtomicBool::new(false);

fn is_ignored(signal: i32) -> bool {
    // SAFETY: `old` is plain and outlives the call.
    unsafe {
        let mut old: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut old) == 0 && old.sa_sigaction == libc::SIG_IGN
    }
}

extern "C" fn look_at_start() {
    PIPE_IGNORED.store(is_ignored(libc::SIGPIPE), Ordering::Relaxed);
}

/// Rust ignores SIGPIPE before `main` and gives children the default: look before that.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK_AT_START: extern "C" fn() = look_at_start;

/// Restores the signals for `command` as this program found them.
pub(crate) fn hand_down(command: &mut Command) {
    let pipe = PIPE_IGNORED.load(Ordering::Relaxed);
    let child = CHILD_IGNORED.load(Ordering::Relaxed);
    if !pipe && !child {
        return;
    }
    // SAFETY: only `signal` is called between fork and exec, which is allowed there.
    unsafe {
        command.pre_exec(move || {
            for (signal, ignored) in [(libc::SIGPIPE, pipe), (libc::SIGCHLD, child)] {
                if ignored {
                    libc::signal(signal, libc::SIG_IGN);
                }
            }
            Ok(())
        });
    }
}

extern "C" fn pass_on(signal: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the system hands over a valid description with `SA_SIGINFO`; `si_pid` is there for
    // signals that a process sent, which the code says. Only `kill` is called, which is allowed
    // in a handler, and the error number is put back.
    unsafe {
        let from_terminal = (*info).si_code > 0;
        let child = CHILD.load(Ordering::SeqCst);
        // The terminal signals the whole group, so the child has it already.
        if from_terminal || (child != 0 && (*info).si_pid() == child) {
            return;
        }
        if child == 0 {
            EARLY.store(signal, Ordering::SeqCst);
            return;
        }
        let error = *libc::__errno_location();
        libc::kill(child, signal);
        *libc::__errno_location() = error;
    }
}

/// From now on signals that would end this program go to the child. Ignored signals stay ignored,
/// since the child inherits that.
pub(crate) fn catch() {
    if is_ignored(libc::SIGCHLD) {
        // Otherwise the child's exit status would be lost.
        CHILD_IGNORED.store(true, Ordering::Relaxed);
        // SAFETY: a plain system call.
        unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    }
    for signal in PASSED {
        // SAFETY: both structures are plain and fully set before use; the handler lives forever.
        unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, std::ptr::null(), &raw mut old) != 0
                || old.sa_sigaction == libc::SIG_IGN
            {
                continue;
            }
            let mut new: libc::sigaction = std::mem::zeroed();
            new.sa_sigaction = pass_on as *const () as usize;
            new.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigemptyset(&raw mut new.sa_mask);
            libc::sigaction(signal, &raw const new, std::ptr::null_mut());
        }
    }
}

/// The child runs: forwards a signal that came earlier.
pub(crate) fn started(child: u32) {
    let child = i32::try_from(child).unwrap_or(0);
    CHILD.store(child, Ordering::SeqCst);
    let early = EARLY.swap(0, Ordering::SeqCst);
    if early != 0 && child != 0 {
        // SAFETY: a plain system call; the child has not been waited for, so the number is its own.
        unsafe { libc::kill(child, early) };
    }
}

/// The child ended: signals apply to this program again.
pub(crate) fn ended() {
    CHILD.store(0, Ordering::SeqCst);
    for signal in PASSED {
        // SAFETY: as in `catch`; a handler that is not ours was ignoring, and stays.
        unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            let read = libc::sigaction(signal, std::ptr::null(), &raw mut old) == 0;
            if read && old.sa_sigaction == pass_on as *const () as usize {
                libc::signal(signal, libc::SIG_DFL);
            }
        }
    }
}

/// Ends this program by a signal, as the child ended, without a second core file. Returns if the
/// signal does not end it.
pub(crate) fn die_by(signal: i32) {
    // SAFETY: plain system calls on values of our own.
    unsafe {
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        libc::signal(signal, libc::SIG_DFL);
        let mut only: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut only);
        libc::sigaddset(&raw mut only, signal);
        libc::sigprocmask(libc::SIG_UNBLOCK, &raw const only, std::ptr::null_mut());
        libc::raise(signal);
    }
}

static STOP: AtomicBool = AtomicBool::new(false);

extern "C" fn note_stop(_: i32) {
    STOP.store(true, Ordering::SeqCst);
}

/// From now on signals that would end this program are noted instead: each of them, or only the
/// first, so that a second one ends it. Ignored signals stay ignored.
pub(crate) fn note_stops(each: bool) {
    let once = if each { 0 } else { libc::SA_RESETHAND };
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        if is_ignored(signal) {
            continue;
        }
        // SAFETY: the structure is plain and fully set before use; the handler lives forever and
        // only stores into an atomic.
        unsafe {
            let mut new: libc::sigaction = std::mem::zeroed();
            new.sa_sigaction = note_stop as *const () as usize;
            new.sa_flags = once | libc::SA_RESTART;
            libc::sigemptyset(&raw mut new.sa_mask);
            libc::sigaction(signal, &raw const new, std::ptr::null_mut());
        }
    }
}

pub(crate) fn stop_noted() -> bool {
    STOP.load(Ordering::SeqCst)
}

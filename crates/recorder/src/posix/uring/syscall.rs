//! `syscall()`: system calls by number. Those of interest are recorded as their operation.

use core::ffi::{c_char, c_int, c_long, c_uint, c_void};

use libc::{AT_FDCWD, AT_REMOVEDIR, O_CREAT, O_TMPFILE, O_TRUNC, O_WRONLY, iovec};
use marigraph_wire::op::Op;

use super::registered::registered;
use super::{Params, by_fd, closing, each, made, may_note};
use crate::call::{Timed, on_name, on_names, on_slot, outcome, timed};
use crate::files::{self, POSIX};
use crate::posix::aio::{alignment, total};
use crate::posix::open::closed_from;
use crate::posix::{copy, libaio};
use crate::real::set_errno;
use crate::sys;
use crate::thread::here;

const SYS_IO_PGETEVENTS: c_long = 333;

const NUMBERS: &[c_long] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_open,
    libc::SYS_close,
    libc::SYS_lseek,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_sendfile,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_ftruncate,
    libc::SYS_rename,
    libc::SYS_creat,
    libc::SYS_unlink,
    libc::SYS_io_getevents,
    libc::SYS_io_submit,
    libc::SYS_io_cancel,
    libc::SYS_getdents64,
    libc::SYS_openat,
    libc::SYS_unlinkat,
    libc::SYS_renameat,
    libc::SYS_splice,
    libc::SYS_fallocate,
    libc::SYS_preadv,
    libc::SYS_pwritev,
    libc::SYS_renameat2,
    libc::SYS_copy_file_range,
    libc::SYS_preadv2,
    libc::SYS_pwritev2,
    libc::SYS_statx,
    SYS_IO_PGETEVENTS,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_close_range,
    libc::SYS_openat2,
];

/// One bit per system call number; set for those of interest.
static WANTED: [u64; 8] = {
    let mut bits = [0; 8];
    let mut at = 0;
    while at < NUMBERS.len() {
        bits[NUMBERS[at] as usize / 64] |= 1 << (NUMBERS[at] % 64);
        at += 1;
    }
    bits
};

/// Hook of `syscall`. A call of no interest is made directly, with nothing of ours on the stack.
///
/// # Safety
/// As that function.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn syscall() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "cmp rdi, 511",
        "ja 2f",
        "lea rax, [rip + {wanted}]",
        "bt qword ptr [rax], rdi",
        "jc 3f",
        "2:",
        "mov rax, rdi",
        "mov rdi, rsi",
        "mov rsi, rdx",
        "mov rdx, rcx",
        "mov r10, r8",
        "mov r8, r9",
        "mov r9, [rsp + 8]",
        "syscall",
        "cmp rax, -4095",
        "jae 4f",
        "ret",
        "4:",
        "mov rdi, rax",
        "jmp {failed}",
        // The sixth argument and the return address become the hook's last two arguments.
        "3:",
        "sub rsp, 8",
        ".cfi_adjust_cfa_offset 8",
        "push qword ptr [rsp + 8]",
        ".cfi_adjust_cfa_offset 8",
        "push qword ptr [rsp + 24]",
        ".cfi_adjust_cfa_offset 8",
        "call {hook}",
        "add rsp, 24",
        ".cfi_adjust_cfa_offset -24",
        "ret",
        ".cfi_endproc",
        wanted = sym WANTED,
        failed = sym failed,
        hook = sym hook,
    )
}

extern "C" fn failed(error: c_long) -> c_long {
    set_errno((error as c_int).wrapping_neg());
    -1
}

/// Makes the call, and sets `errno` as the C library does.
unsafe fn make(number: c_long, args: [usize; 6]) -> isize {
    // SAFETY: the caller's arguments.
    let ret = unsafe { sys::call(number, args) };
    if (-4095..0).contains(&ret) { failed(ret as c_long) as isize } else { ret }
}

pub(super) fn enters(fd: c_int, flags: c_uint, site: usize, call: impl FnOnce() -> isize) -> isize {
    if super::rings().is_empty() || !may_note() {
        return call();
    }
    // The number may be the index of a registered ring, which is one of this thread's.
    let me = super::me();
    let meant = |ring: &&super::Ring| {
        if flags & 1 << 4 == 0 {
            ring.fd.load(core::sync::atomic::Ordering::Relaxed) == fd
        } else {
            ring.owner.load(core::sync::atomic::Ordering::Relaxed) == me
        }
    };
    each().filter(meant).for_each(|ring| ring.entering(site));
    let ret = call();
    each().filter(meant).for_each(|ring| ring.collect(site));
    ret
}

unsafe extern "C-unwind" fn hook(
    number: c_long,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
    site: usize,
) -> c_long {
    let args = [a, b, c, d, e, f];
    // SAFETY: the caller's arguments.
    let call = || unsafe { make(number, args) };
    let slot = POSIX.slot(a as c_int);
    let on = |op, args, flags| on_slot(op, slot, args, site, flags, call);
    // SAFETY: the caller's arguments, as the call of that number wants them.
    let vectors =
        |at: usize, count: usize| unsafe { total(at as *const iovec, if slot == 0 { 0 } else { count }) };
    let at = |directory: usize, path: usize| (directory as c_int, path as *const c_char);
    // SAFETY: the same.
    unsafe {
        (match number {
            libc::SYS_read => on(Op::Read, [0, c as i64, 0], alignment(b)),
            libc::SYS_write => on(Op::Write, [0, c as i64, 0], alignment(b)),
            libc::SYS_pread64 => on(Op::Pread, [d as i64, c as i64, 0], alignment(b)),
            libc::SYS_pwrite64 => on(Op::Pwrite, [d as i64, c as i64, 0], alignment(b)),
            libc::SYS_readv | libc::SYS_writev => {
                let (bytes, flags) = vectors(b, c);
                let op = if number == libc::SYS_readv { Op::Readv } else { Op::Writev };
                on(op, [0, bytes, c as i64], flags)
            }
            libc::SYS_preadv | libc::SYS_pwritev | libc::SYS_preadv2 | libc::SYS_pwritev2 => {
                let (bytes, flags) = vectors(b, c);
                let reads = number == libc::SYS_preadv || number == libc::SYS_preadv2;
                let second = number == libc::SYS_preadv2 || number == libc::SYS_pwritev2;
                let op = match (reads, second && d == usize::MAX) {
                    (true, true) => Op::Readv,
                    (true, false) => Op::Preadv,
                    (false, true) => Op::Writev,
                    (false, false) => Op::Pwritev,
                };
                on(op, [(d as i64).max(0), bytes, c as i64], flags)
            }
            libc::SYS_lseek => on(Op::Lseek, [b as i64, c as i64, 0], 0),
            libc::SYS_fsync => on(Op::Fsync, [0; 3], 0),
            libc::SYS_fdatasync => on(Op::Fdatasync, [0; 3], 0),
            libc::SYS_ftruncate => on(Op::Ftruncate, [0, b as i64, 0], 0),
            libc::SYS_fallocate => on(Op::Fallocate, [c as i64, d as i64, b as i64], 0),
            libc::SYS_getdents64 => on(Op::Getdents, [0, c as i64, 0], 0),
            libc::SYS_open => opens(at(AT_FDCWD as usize, a), b, c, site, call),
            libc::SYS_creat => {
                opens(at(AT_FDCWD as usize, a), (O_CREAT | O_WRONLY | O_TRUNC) as usize, b, site, call)
            }
            libc::SYS_openat => opens(at(a, b), c, d, site, call),
            libc::SYS_openat2 if c != 0 && d >= 16 => {
                let how = c as *const u64;
                opens(at(a, b), *how as usize, *how.add(1) as usize, site, call)
            }
            libc::SYS_close => closes(a as c_int, site, call),
            libc::SYS_close_range => {
                let call = timed(|| call() as c_int);
                if call.ret == 0 && c & 4 == 0 && may_note() {
                    closed_from(a as c_uint, b as c_uint, &call, site);
                }
                call.ret as isize
            }
            libc::SYS_unlink => on_name(Op::Unlink, at(AT_FDCWD as usize, a), [0; 2], site, call),
            libc::SYS_unlinkat => {
                let op = if c as c_int & AT_REMOVEDIR != 0 { Op::Rmdir } else { Op::Unlink };
                on_name(op, at(a, b), [0; 2], site, call)
            }
            libc::SYS_rename => {
                on_names(Op::Rename, at(AT_FDCWD as usize, a), at(AT_FDCWD as usize, b), 0, site, call)
            }
            libc::SYS_renameat => on_names(Op::Rename, at(a, b), at(c, d), 0, site, call),
            libc::SYS_renameat2 => on_names(Op::Rename, at(a, b), at(c, d), e as i64, site, call),
            libc::SYS_statx => {
                let empty = c as c_int & libc::AT_EMPTY_PATH != 0 && (b == 0 || *(b as *const u8) == 0);
                if empty {
                    on(Op::Fstat, [0; 3], 0)
                } else {
                    on_name(Op::Statx, at(a, b), [d as i64, 0], site, call)
                }
            }
            libc::SYS_mmap => {
                copy::mmap::hook(a as *mut c_void, b, c as c_int, d as c_int, e as c_int, f as i64, site)
                    as isize
            }
            libc::SYS_munmap => copy::munmap::hook(a as *mut c_void, b, site) as isize,
            libc::SYS_sendfile => copy::sendfile::hook(a as c_int, b as c_int, c as *mut i64, d, site),
            libc::SYS_splice => {
                copy::splice::hook(a as c_int, b as *mut i64, c as c_int, d as *mut i64, e, f as c_uint, site)
            }
            libc::SYS_copy_file_range if !copy::copy_file_range::REAL.get().is_null() => {
                copy::copy_file_range::hook(
                    a as c_int,
                    b as *mut i64,
                    c as c_int,
                    d as *mut i64,
                    e,
                    f as c_uint,
                    site,
                )
            }
            libc::SYS_io_submit => libaio::submit(b as c_long, c as *const *const libaio::Block, site, call),
            libc::SYS_io_getevents | SYS_IO_PGETEVENTS => {
                libaio::collect(d as *const libaio::Event, site, call)
            }
            libc::SYS_io_cancel => libaio::cancel(c as *const libaio::Event, site, call),
            libc::SYS_io_uring_setup => {
                let fd = call();
                made(fd as c_int, a as u32, b as *const Params, site);
                fd
            }
            libc::SYS_io_uring_enter => enters(a as c_int, d as c_uint, site, call),
            libc::SYS_io_uring_register => {
                let ret = call();
                if ret >= 0 && may_note() && by_fd(a as c_int).is_some() {
                    registered(a as c_int, b as u32, c, d as u32);
                }
                ret
            }
            _ => call(),
        }) as c_long
    }
}

unsafe fn opens(
    name: (c_int, *const c_char),
    flags: usize,
    mode: usize,
    site: usize,
    call: impl FnOnce() -> isize,
) -> isize {
    let call = timed(|| call() as c_int);
    if may_note() {
        let makes = flags as c_int & O_CREAT != 0 || flags as c_int & O_TMPFILE == O_TMPFILE;
        let mode = if makes { (mode as i64) << 32 } else { 0 };
        // SAFETY: the caller's name.
        let name = unsafe { files::name(name.0, name.1) };
        opened(&call, name, i64::from(flags as c_int) | mode, site);
    }
    call.ret as isize
}

/// Records an open, and follows the descriptor if it is a file.
pub(super) fn opened(call: &Timed<c_int>, name: Option<i64>, how: i64, site: usize) {
    if call.ret < 0 {
        if let Some(name) = name {
            call.note(Op::Open, 0, [name, how, -1], outcome(-1), site);
        }
        return;
    }
    match name.and_then(|name| Some((name, files::size_of(call.ret)?))) {
        Some((name, size)) => {
            let slot = files::new_slot();
            POSIX.set(call.ret, slot);
            call.note(Op::Open, slot, [name, how, size], 0, site);
        }
        // The number may belong to a file that was closed without a call we saw.
        None => POSIX.set(call.ret, 0),
    }
}

fn closes(fd: c_int, site: usize, call: impl FnOnce() -> isize) -> isize {
    closing(fd);
    let slot = POSIX.slot(fd);
    if slot == 0 || here(|thread| thread.muted.get()) {
        return call();
    }
    POSIX.set(fd, 0);
    on_slot(Op::Close, slot, [0; 3], site, 0, call)
}

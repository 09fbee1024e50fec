//! Formatted output and input. `variadic.c` defines the functions with a variable number of
//! arguments; they call the hooks here with their argument list, which is passed on untouched.

use core::ffi::{c_char, c_int, c_void};

use libc::FILE;
use marigraph_wire::op::Op;

use super::data::position;
use super::slot;
use crate::call::{on_slot, timed};
use crate::files::POSIX;
use crate::real::errno;

/// A `va_list`, as a pointer.
type List = *mut c_void;

unsafe extern "C" {
    static stdout: *mut FILE;
}

fn printed(stream: *mut FILE, site: usize, call: impl FnOnce() -> c_int) -> c_int {
    let slot = slot(stream);
    if slot == 0 {
        return call();
    }
    let timed = timed(call);
    let ret = if timed.ret < 0 { -i64::from(errno()) } else { i64::from(timed.ret) };
    timed.note(Op::Fprintf, slot, [0, ret.max(0), 0], ret, site);
    timed.ret
}

/// Computes the bytes taken from the position before and after.
fn scanned(stream: *mut FILE, site: usize, call: impl FnOnce() -> c_int) -> c_int {
    let slot = slot(stream);
    if slot == 0 {
        return call();
    }
    let before = position(stream);
    let timed = timed(call);
    let taken = position(stream).wrapping_sub(before).max(0);
    let moved = if timed.ret < 0 { 0 } else { taken };
    timed.note(Op::Fscanf, slot, [i64::from(timed.ret == 0), taken, 0], moved, site);
    timed.ret
}

crate::hooks! {
    "rcx" [vfprintf _IO_vfprintf] fn vfprintf(stream: *mut FILE, format: *const c_char, list: List) -> c_int |real, site| {
        printed(stream, site, || real(stream, format, list))
    }

    "r8" [__vfprintf_chk] fn vfprintf_chk(stream: *mut FILE, flag: c_int, format: *const c_char, list: List) -> c_int |real, site| {
        printed(stream, site, || real(stream, flag, format, list))
    }

    "rdx" [vprintf] fn vprintf(format: *const c_char, list: List) -> c_int |real, site| {
        printed(stdout, site, || real(format, list))
    }

    "rcx" [__vprintf_chk] fn vprintf_chk(flag: c_int, format: *const c_char, list: List) -> c_int |real, site| {
        printed(stdout, site, || real(flag, format, list))
    }

    "rcx" [vfscanf] fn vfscanf(stream: *mut FILE, format: *const c_char, list: List) -> c_int |real, site| {
        scanned(stream, site, || real(stream, format, list))
    }

    "rcx" [__isoc99_vfscanf] fn isoc99_vfscanf(stream: *mut FILE, format: *const c_char, list: List) -> c_int |real, site| {
        scanned(stream, site, || real(stream, format, list))
    }

    "rcx" [__isoc23_vfscanf] fn isoc23_vfscanf(stream: *mut FILE, format: *const c_char, list: List) -> c_int |real, site| {
        scanned(stream, site, || real(stream, format, list))
    }

    "rcx" [vdprintf] fn vdprintf(fd: c_int, format: *const c_char, list: List) -> c_int |real, site| {
        on_slot(Op::Write, POSIX.slot(fd), [0; 3], site, 0, || real(fd, format, list) as isize) as c_int
    }

    "r8" [__vdprintf_chk] fn vdprintf_chk(fd: c_int, flag: c_int, format: *const c_char, list: List) -> c_int |real, site| {
        on_slot(Op::Write, POSIX.slot(fd), [0; 3], site, 0, || real(fd, flag, format, list) as isize) as c_int
    }
}

/// Exports a name of `variadic.c`, and the hook to which that file passes its argument list.
macro_rules! variadic {
    ($([$($name:ident)+] $c:ident => $hook_name:ident $hook:ident($($arg:ident: $ty:ty),*);)+) => {
        $(
            unsafe extern "C" {
                fn $c();
            }

            /// The hook under a name that C can call.
            ///
            /// # Safety
            /// As the function it stands for.
            #[unsafe(no_mangle)]
            unsafe extern "C-unwind" fn $hook_name($($arg: $ty,)* site: usize) -> c_int {
                // SAFETY: the caller's arguments.
                unsafe { $hook::hook($($arg,)* site) }
            }

            $(
                /// Stands in for the function of this name.
                ///
                /// # Safety
                /// As that function.
                #[unsafe(no_mangle)]
                #[unsafe(naked)]
                pub unsafe extern "C" fn $name() {
                    core::arch::naked_asm!("jmp {c}", c = sym $c)
                }
            )+
        )+
    };
}

variadic! {
    [fprintf _IO_fprintf] marigraph_fprintf => marigraph_vfprintf vfprintf(stream: *mut FILE, format: *const c_char, list: List);
    [__fprintf_chk] marigraph_fprintf_chk => marigraph_vfprintf_chk vfprintf_chk(stream: *mut FILE, flag: c_int, format: *const c_char, list: List);
    [printf _IO_printf] marigraph_printf => marigraph_vprintf vprintf(format: *const c_char, list: List);
    [__printf_chk] marigraph_printf_chk => marigraph_vprintf_chk vprintf_chk(flag: c_int, format: *const c_char, list: List);
    [fscanf] marigraph_fscanf => marigraph_vfscanf vfscanf(stream: *mut FILE, format: *const c_char, list: List);
    [__isoc99_fscanf] marigraph_isoc99_fscanf => marigraph_isoc99_vfscanf isoc99_vfscanf(stream: *mut FILE, format: *const c_char, list: List);
    [__isoc23_fscanf] marigraph_isoc23_fscanf => marigraph_isoc23_vfscanf isoc23_vfscanf(stream: *mut FILE, format: *const c_char, list: List);
    [dprintf] marigraph_dprintf => marigraph_vdprintf vdprintf(fd: c_int, format: *const c_char, list: List);
    [__dprintf_chk] marigraph_dprintf_chk => marigraph_vdprintf_chk vdprintf_chk(fd: c_int, flag: c_int, format: *const c_char, list: List);
}

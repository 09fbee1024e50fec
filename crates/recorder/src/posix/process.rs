//! Changes of the process itself: exit, jumps, `vfork` and `dlopen`.

use core::ffi::{c_int, c_void};

use crate::process;
use crate::real::{Real, set_errno};
use crate::thread::here;

crate::hooks! {
    // No destructor runs after this, so the records left go to the log now.
    "rsi" [_exit _Exit] fn leave(status: c_int) -> () |real, _site| {
        process::end();
        real(status)
    }

    // Closes all streams that the program left open.
    "rdi" [fcloseall] fn fcloseall() -> c_int |real, _site| {
        crate::stdio::close_all();
        real()
    }
}

pub static DLOPEN: Real = Real::new(c"dlopen");

/// Hook of `dlopen`: new code means that call sites must be looked up again. The loader searches on
/// behalf of its caller, so it is reached by a jump, with the caller's own return address.
///
/// # Safety
/// As `dlopen`.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn dlopen() {
    core::arch::naked_asm!(
        "push rdi",
        "push rsi",
        "sub rsp, 8",
        "call {loading}",
        "add rsp, 8",
        "pop rsi",
        "pop rdi",
        "jmp rax",
        loading = sym loading,
    )
}

extern "C" fn loading() -> *mut c_void {
    process::maps_changed();
    DLOPEN.get()
}

/// Exports hooks of functions that jump; the C library performs the jump itself.
macro_rules! jumps {
    ($($name:ident $text:literal)+) => {$(
        /// Stands in for the function of this name.
        ///
        /// # Safety
        /// As that function.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            static REAL: Real = Real::new($text);
            extern "C" fn jumping() -> *mut c_void {
                process::jumping();
                REAL.get()
            }
            core::arch::naked_asm!(
                "push rdi",
                "push rsi",
                "sub rsp, 8",
                "call {jumping}",
                "add rsp, 8",
                "pop rsi",
                "pop rdi",
                "jmp rax",
                jumping = sym jumping,
            )
        }
    )+};
}

jumps! {
    longjmp c"longjmp"
    _longjmp c"_longjmp"
    siglongjmp c"siglongjmp"
    __longjmp_chk c"__longjmp_chk"
}

/// Hook of `vfork`. The child runs in its parent's memory until it calls `exec`. Its descriptors
/// are not the parent's, so nothing is recorded until the parent continues.
///
/// Both processes take the return address off the stack before the call and put it back after it,
/// because the child's later calls overwrite its place.
///
/// # Safety
/// As `vfork`.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn vfork() {
    core::arch::naked_asm!(
        "pop rdi",
        "mov eax, 58",
        "syscall",
        "push rdi",
        "cmp rax, -4095",
        "jae 3f",
        "test eax, eax",
        "jnz 2f",
        "sub rsp, 8",
        "call {child}",
        "add rsp, 8",
        "xor eax, eax",
        "ret",
        "2:",
        "push rax",
        "call {parent}",
        "pop rax",
        "ret",
        "3:",
        "neg eax",
        "mov edi, eax",
        "sub rsp, 8",
        "call {failed}",
        "add rsp, 8",
        "mov eax, -1",
        "ret",
        child = sym child,
        parent = sym parent,
        failed = sym failed,
    )
}

extern "C" fn child() {
    here(|thread| thread.muted.set(true));
}

extern "C" fn parent() {
    here(|thread| thread.muted.set(false));
}

extern "C" fn failed(error: c_int) {
    set_errno(error);
}

/// API for programs: moves the records of this thread to the log.
#[unsafe(no_mangle)]
pub extern "C" fn marigraph_flush() {
    process::mark_phase();
}

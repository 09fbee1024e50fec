//! The real functions behind hooks, and the macro that declares hooks.

use core::ffi::CStr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// The next definition of a function in the process's libraries.
pub struct Real {
    name: &'static CStr,
    at: AtomicPtr<libc::c_void>,
}

impl Real {
    pub const fn new(name: &'static CStr) -> Real {
        Real { name, at: AtomicPtr::new(core::ptr::null_mut()) }
    }

    /// Looks the function up. Runs for all of them when the library is loaded, so that hooks need
    /// no lookup; earlier calls, and libraries loaded later, look up at the first call.
    #[cold]
    pub fn find(&self) -> *mut libc::c_void {
        // SAFETY: a plain lookup; the name ends with NUL.
        let at = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        self.at.store(at, Ordering::Relaxed);
        at
    }

    /// Null if no library defines it.
    #[inline(always)]
    pub fn get(&self) -> *mut libc::c_void {
        let at = self.at.load(Ordering::Relaxed);
        if at.is_null() { self.find() } else { at }
    }
}

#[cold]
pub fn missing() {
    set_errno(libc::ENOSYS);
}

#[inline(always)]
pub fn errno() -> i32 {
    // SAFETY: always valid in a thread.
    unsafe { *libc::__errno_location() }
}

pub fn set_errno(error: i32) {
    // SAFETY: always valid in a thread.
    unsafe { *libc::__errno_location() = error };
}

/// Declares hooks.
///
/// `"r8" [pwrite pwrite64] fn pwrite(args) -> ret |real, site| { body }` exports the names in the
/// brackets; each passes its arguments on with the return address in the register named, which
/// is the one after the last argument (`"stack"` after six), and the body runs with `real` bound to
/// the function that the first name stands for.
#[macro_export]
macro_rules! hooks {
    ($($reg:tt [$first:ident $($alias:ident)*]
        fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty |$real:ident, $site:ident| $body:block)+) => {
        $(
            #[doc = concat!("`", stringify!($first), "`")]
            pub mod $name {
                #[allow(unused_imports)]
                use super::*;

                /// What it stands for.
                pub static REAL: $crate::real::Real = $crate::real::Real::new(
                    // SAFETY of the literal: `concat!` ends it with NUL.
                    match core::ffi::CStr::from_bytes_with_nul(concat!(stringify!($first), "\0").as_bytes()) {
                        Ok(name) => name,
                        Err(_) => c"",
                    },
                );

                /// The hook.
                ///
                /// # Safety
                /// As the function it stands for.
                pub unsafe extern "C-unwind" fn hook($($arg: $ty,)* $site: usize) -> $ret {
                    let at = REAL.get();
                    if at.is_null() {
                        $crate::real::missing();
                        return $crate::real::Failed::FAILED;
                    }
                    // SAFETY: a function of that name has that type.
                    let $real = unsafe {
                        core::mem::transmute::<*mut libc::c_void, unsafe extern "C-unwind" fn($($ty),*) -> $ret>(at)
                    };
                    #[allow(unused_unsafe, clippy::macro_metavars_in_unsafe, reason = "hooks are unsafe by nature")]
                    // SAFETY: the caller's arguments are passed on as they are.
                    unsafe { $body }
                }

                $crate::export!($reg $first hook);
                $($crate::export!($reg $alias hook);)*
            }
        )+

        pub fn find_all() {
            $($name::REAL.find();)+
        }
    };
}

/// Exports a name that passes its return address on in a register or on the stack.
#[macro_export]
macro_rules! export {
    ("stack" $alias:ident $hook:ident) => {
        /// Stands in for the function of this name.
        ///
        /// # Safety
        /// As that function.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $alias() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "push qword ptr [rsp]",
                ".cfi_adjust_cfa_offset 8",
                "call {hook}",
                "add rsp, 8",
                ".cfi_adjust_cfa_offset -8",
                "ret",
                ".cfi_endproc",
                hook = sym $hook
            )
        }
    };
    ($reg:literal $alias:ident $hook:ident) => {
        /// Stands in for the function of this name.
        ///
        /// # Safety
        /// As that function.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $alias() {
            core::arch::naked_asm!(concat!("mov ", $reg, ", [rsp]"), "jmp {hook}", hook = sym $hook)
        }
    };
}

/// The value a hook returns when no library defines the real function.
pub trait Failed {
    const FAILED: Self;
}

impl Failed for i32 {
    const FAILED: i32 = -1;
}

impl Failed for i64 {
    const FAILED: i64 = -1;
}

impl Failed for isize {
    const FAILED: isize = -1;
}

impl Failed for usize {
    const FAILED: usize = 0;
}

impl Failed for () {
    const FAILED: () = ();
}

impl<T> Failed for *mut T {
    const FAILED: *mut T = core::ptr::null_mut();
}

impl<T> Failed for *const T {
    const FAILED: *const T = core::ptr::null();
}

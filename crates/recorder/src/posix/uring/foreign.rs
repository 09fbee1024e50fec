//! Hooks of functions outside the C library. The real function may be in a library that was loaded
//! later, and for one other library alone.

use core::ffi::CStr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// A function of an optional library.
pub struct Foreign {
    name: &'static CStr,
    libraries: &'static [&'static CStr],
    at: AtomicPtr<libc::c_void>,
}

impl Foreign {
    /// `libraries` are searched if the function is not visible globally.
    pub const fn new(name: &'static CStr, libraries: &'static [&'static CStr]) -> Foreign {
        Foreign { name, libraries, at: AtomicPtr::new(core::ptr::null_mut()) }
    }

    /// Null if it is missing. Looked up at the first call, because most programs never make one.
    #[inline(always)]
    pub fn get(&self) -> *mut libc::c_void {
        let at = self.at.load(Ordering::Relaxed);
        if at.is_null() { self.find() } else { at }
    }

    #[cold]
    fn find(&self) -> *mut libc::c_void {
        // SAFETY: a plain lookup; the name ends with NUL.
        let mut at = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        for library in self.libraries {
            if at.is_null() {
                at = self.find_in(library);
            }
        }
        if at.is_null() {
            // SAFETY: takes back the message about our lookup, which is no business of the program.
            unsafe { libc::dlerror() };
        }
        self.at.store(at, Ordering::Relaxed);
        at
    }

    /// Searches a library by name: one that was loaded for another library alone is not visible
    /// otherwise.
    fn find_in(&self, library: &CStr) -> *mut libc::c_void {
        let load = crate::posix::process::DLOPEN.get();
        if load.is_null() {
            return load;
        }
        // SAFETY: a function of that name has that type; nothing is loaded that was not there.
        unsafe {
            let load = core::mem::transmute::<
                *mut libc::c_void,
                unsafe extern "C" fn(*const libc::c_char, libc::c_int) -> *mut libc::c_void,
            >(load);
            let handle = load(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
            if handle.is_null() { handle } else { libc::dlsym(handle, self.name.as_ptr()) }
        }
    }
}

/// Declares hooks as [`crate::hooks`] does, of functions in `libraries` that return a negated
/// error.
#[macro_export]
macro_rules! foreign_hooks {
    ($libraries:expr; $($reg:tt $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty |$real:ident, $site:ident| $body:block)+) => {
        $(
            #[doc = concat!("`", stringify!($name), "`")]
            pub mod $name {
                #[allow(unused_imports)]
                use super::*;

                static REAL: $crate::posix::uring::foreign::Foreign = $crate::posix::uring::foreign::Foreign::new(
                    match core::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                        Ok(name) => name,
                        Err(_) => c"",
                    },
                    $libraries,
                );

                /// The hook.
                ///
                /// # Safety
                /// As the function it stands for.
                pub unsafe extern "C-unwind" fn hook($($arg: $ty,)* $site: usize) -> $ret {
                    let at = REAL.get();
                    if at.is_null() {
                        return -libc::ENOSYS as $ret;
                    }
                    // SAFETY: a function of that name has that type.
                    let $real = unsafe {
                        core::mem::transmute::<*mut libc::c_void, unsafe extern "C-unwind" fn($($ty),*) -> $ret>(at)
                    };
                    #[allow(unused_unsafe, clippy::macro_metavars_in_unsafe)]
                    // SAFETY: the caller's arguments are passed on as they are.
                    unsafe { $body }
                }

                $crate::export!($reg $name hook);
            }
        )+
    };
}

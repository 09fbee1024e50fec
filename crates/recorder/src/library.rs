//! Functions of optional libraries: MPI, HDF5, PnetCDF.
//!
//! They are looked up at the first call. A library that was loaded for its caller alone (as
//! Python's modules are) is invisible to a search from here, and two callers may each have their
//! own copy of it. The search therefore covers first what the whole process shares, as the loader
//! does, then what the caller itself can see.

use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::files::Handles;

/// Functions that only one caller sees, by caller and function.
static LOCAL: Handles<8192> = Handles::EMPTY;

/// A function of an optional library.
pub struct Foreign {
    name: &'static CStr,
    shared: AtomicPtr<c_void>,
}

impl Foreign {
    /// `name` includes its NUL.
    pub const fn new(name: &'static str) -> Foreign {
        let name = match CStr::from_bytes_with_nul(name.as_bytes()) {
            Ok(name) => name,
            Err(_) => c"",
        };
        Foreign { name, shared: AtomicPtr::new(core::ptr::null_mut()) }
    }

    /// Null if the caller at address `from` does not see it.
    #[inline]
    pub fn get(&self, from: usize) -> *mut c_void {
        let at = self.shared.load(Ordering::Relaxed);
        if at.is_null() { self.find(from) } else { at }
    }

    /// Address of a variable of that name. A program may have its own copy of a library's variable,
    /// which then everyone uses, so the search begins with the program.
    pub fn variable(&self, from: usize) -> usize {
        let known = self.shared.load(Ordering::Relaxed);
        if !known.is_null() {
            return known as usize;
        }
        // SAFETY: a plain lookup; the name ends with NUL.
        let shared = unsafe { libc::dlsym(libc::RTLD_DEFAULT, self.name.as_ptr()) };
        let at = if shared.is_null() { seen_from(from, self.name) } else { shared };
        self.shared.store(at, Ordering::Relaxed);
        at as usize
    }

    #[cold]
    fn find(&self, from: usize) -> *mut c_void {
        let key = (from as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ self.name.as_ptr() as u64;
        let known = LOCAL.get(key) as *mut c_void;
        if !known.is_null() {
            return known;
        }
        // SAFETY: a plain lookup; the name ends with NUL.
        let shared = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        if is_foreign(shared) {
            keep(shared);
            self.shared.store(shared, Ordering::Relaxed);
            return shared;
        }
        let at = seen_from(from, self.name);
        if !at.is_null() {
            LOCAL.set(key, at as u64);
        }
        at
    }
}

fn object(address: *const c_void) -> Option<libc::Dl_info> {
    let mut info = core::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: `info` has the size the call fills; zero is a valid value of its pointers.
    unsafe { (libc::dladdr(address, info.as_mut_ptr()) != 0).then(|| info.assume_init()) }
}

pub fn file_of(address: usize) -> &'static [u8] {
    match object(address as *const c_void) {
        // SAFETY: the loader's text ends with NUL and stays as long as the library, which is kept.
        Some(info) if !info.dli_fname.is_null() => unsafe { CStr::from_ptr(info.dli_fname) }.to_bytes(),
        _ => &[],
    }
}

/// Whether `at` was found, and outside this library: a hook that called itself would never return.
fn is_foreign(at: *mut c_void) -> bool {
    let base = |address| object(address).map(|info| info.dli_fbase);
    !at.is_null() && base(at) != base((&raw const LOCAL).cast())
}

/// Keeps the library of a function loaded, because the function's address is kept.
fn keep(at: *mut c_void) {
    if let Some(info) = object(at) {
        opened(info.dli_fname);
    }
}

fn opened(name: *const c_char) -> *mut c_void {
    if name.is_null() {
        return core::ptr::null_mut();
    }
    // SAFETY: the loader's own text, which ends with NUL. Nothing is loaded by this.
    unsafe { libc::dlopen(name, libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE) }
}

fn defined_in(name: *const c_char, function: &CStr) -> Option<*mut c_void> {
    let library = opened(name);
    if library.is_null() {
        return None;
    }
    // SAFETY: a handle of a loaded library and a text that ends with NUL.
    let at = unsafe { libc::dlsym(library, function.as_ptr()) };
    is_foreign(at).then_some(at)
}

/// The start of the loader's `struct link_map`.
#[repr(C)]
struct Loaded {
    address: usize,
    name: *const c_char,
    dynamic: *const c_void,
    next: *const Loaded,
}

/// Searches the caller and the libraries it needs, then all libraries: a caller that ends with a
/// jump leaves the address of its own caller.
fn seen_from(from: usize, function: &CStr) -> *mut c_void {
    let at = object(from as *const c_void).and_then(|info| defined_in(info.dli_fname, function));
    if let Some(at) = at {
        keep(at);
        return at;
    }
    // SAFETY: the program itself is always loaded; its handle is the first of the loader's list.
    let mut next = unsafe { libc::dlopen(core::ptr::null(), libc::RTLD_LAZY) } as *const Loaded;
    // SAFETY: entries of the loader's list, valid as long as their libraries are loaded.
    while let Some(library) = unsafe { next.as_ref() } {
        if let Some(at) = defined_in(library.name, function) {
            return at;
        }
        next = library.next;
    }
    core::ptr::null_mut()
}

/// Runs `f` with `words` zeroed words, or with `None` if there is no memory for them.
pub fn with_room<R>(words: usize, f: impl FnOnce(Option<&mut [u64]>) -> R) -> R {
    const FEW: usize = 256;
    const MANY: usize = 1 << 24;
    if words <= FEW {
        return f([0; FEW].get_mut(..words));
    }
    let at = if words <= MANY { crate::sys::memory(words.saturating_mul(8)) } else { None };
    let Some(at) = at else { return f(None) };
    // SAFETY: memory of that size, ours alone, zero at first, aligned to pages.
    let done = f(Some(unsafe { core::slice::from_raw_parts_mut(at.cast(), words) }));
    // SAFETY: the slice is gone.
    unsafe { crate::sys::unmap(at, words.saturating_mul(8)) };
    done
}

/// Declares hooks of optional libraries.
///
/// `3 "H5Fopen" fn open(args) -> ret |real, at, site| { body }`: the number of arguments, the name,
/// and the body that runs while calls are recorded. `real` is the function, `at` its address, from
/// which other functions of the same library are found.
macro_rules! late {
    ($($count:tt $symbol:literal fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty |$real:ident, $at:ident, $site:ident| $body:block)+) => {$(
        #[doc = concat!("`", $symbol, "`")]
        pub mod $name {
            #[allow(unused_imports)]
            use super::*;

            static REAL: $crate::library::Foreign = $crate::library::Foreign::new(concat!($symbol, "\0"));

            #[allow(clippy::too_many_arguments)]
            unsafe extern "C-unwind" fn hook($($arg: $ty,)* $site: usize) -> $ret {
                let at = REAL.get($site);
                if at.is_null() {
                    return $crate::real::Failed::FAILED;
                }
                // SAFETY: a function of that name has that type.
                let $real = unsafe {
                    core::mem::transmute::<*mut libc::c_void, unsafe extern "C-unwind" fn($($ty),*) -> $ret>(at)
                };
                let $at = at as usize;
                #[allow(unused_unsafe)]
                // SAFETY: the caller's arguments are passed on as they are.
                unsafe {
                    if !$crate::library::records() {
                        return $real($($arg),*);
                    }
                    $body
                }
            }

            $crate::library::entry!($count $symbol, hook);
        }
    )+};
}

#[inline(always)]
pub fn records() -> bool {
    crate::process::is_on() && !crate::thread::here(|thread| thread.muted.get())
}

/// Declares functions of optional libraries that hooks call: with the address from which to search,
/// and the value to return if the function is missing.
macro_rules! queries {
    ($($symbol:literal fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty, else $none:expr;)+) => {$(
        #[doc = concat!("`", $symbol, "`")]
        ///
        /// # Safety
        /// As that function.
        #[allow(clippy::too_many_arguments)]
        pub unsafe fn $name(from: usize, $($arg: $ty),*) -> $ret {
            static REAL: $crate::library::Foreign = $crate::library::Foreign::new(concat!($symbol, "\0"));
            let at = REAL.get(from);
            if at.is_null() {
                return $none;
            }
            // SAFETY: a function of that name has that type, and the caller answers for the arguments.
            unsafe {
                core::mem::transmute::<*mut libc::c_void, unsafe extern "C-unwind" fn($($ty),*) -> $ret>(at)($($arg),*)
            }
        }
    )+};
}

/// Exports a name for a function of `$count` arguments, all integers or pointers, and passes the
/// return address on as one more argument.
macro_rules! entry {
    (0 $symbol:expr, $hook:ident) => { $crate::library::entry!(@register $symbol, $hook, "rdi"); };
    (1 $symbol:expr, $hook:ident) => { $crate::library::entry!(@register $symbol, $hook, "rsi"); };
    (2 $symbol:expr, $hook:ident) => { $crate::library::entry!(@register $symbol, $hook, "rdx"); };
    (3 $symbol:expr, $hook:ident) => { $crate::library::entry!(@register $symbol, $hook, "rcx"); };
    (4 $symbol:expr, $hook:ident) => { $crate::library::entry!(@register $symbol, $hook, "r8"); };
    (5 $symbol:expr, $hook:ident) => { $crate::library::entry!(@register $symbol, $hook, "r9"); };
    (6 $symbol:expr, $hook:ident) => { $crate::library::entry!(@stack $symbol, $hook, "0", "8", []); };
    (7 $symbol:expr, $hook:ident) => { $crate::library::entry!(@stack $symbol, $hook, "8", "24", ["24"]); };
    (8 $symbol:expr, $hook:ident) => { $crate::library::entry!(@stack $symbol, $hook, "0", "24", ["24" "24"]); };
    (9 $symbol:expr, $hook:ident) => { $crate::library::entry!(@stack $symbol, $hook, "8", "40", ["40" "40" "40"]); };
    (10 $symbol:expr, $hook:ident) => { $crate::library::entry!(@stack $symbol, $hook, "0", "40", ["40" "40" "40" "40"]); };
    (@register $symbol:expr, $hook:ident, $register:literal) => {
        $crate::library::entry!(@naked $symbol, $hook, concat!("mov ", $register, ", [rsp]"), "jmp {hook}");
    };
    // The return address becomes the last stack argument, and the others are pushed again below it.
    // `$pad` keeps the stack aligned; `$all` is the number of bytes pushed.
    (@stack $symbol:expr, $hook:ident, $pad:literal, $all:literal, [$($from:literal)*]) => {
        $crate::library::entry!(@naked $symbol, $hook,
            ".cfi_startproc",
            concat!("sub rsp, ", $pad),
            concat!("push qword ptr [rsp + ", $pad, "]"),
            $(concat!("push qword ptr [rsp + ", $from, "]"),)*
            concat!(".cfi_adjust_cfa_offset ", $all),
            "call {hook}",
            concat!("add rsp, ", $all),
            concat!(".cfi_adjust_cfa_offset -", $all),
            "ret",
            ".cfi_endproc"
        );
    };
    (@naked $symbol:expr, $hook:ident, $($line:expr),+) => {
        const _: () = {
            #[unsafe(export_name = $symbol)]
            #[unsafe(naked)]
            unsafe extern "C" fn entry() {
                core::arch::naked_asm!($($line,)+ hook = sym $hook)
            }
        };
    };
}

pub(crate) use {entry, late, queries};

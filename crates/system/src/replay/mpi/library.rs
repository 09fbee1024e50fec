//! The MPI library of this process, loaded at run time: one program works with all of them.
//!
//! Handles are machine words; differences between libraries stay in this module. Calls of the trace
//! use their plain names and the usual search order, so that a recorder sees them. The replay's own
//! calls use the profiling names (`PMPI_`) directly from the library, so that no recorder sees
//! them.

use std::ffi::{CStr, CString, c_int, c_void};
use std::io;

use marigraph_wire::mpich;

/// The result if the library lacks a function: an error in all of them.
pub(super) const MISSING: c_int = 15;

/// Handle conventions of a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Handles are addresses.
    OpenMpi,
    /// Handles are 32-bit numbers: MPICH, Intel MPI, Cray MPICH, MVAPICH.
    Mpich,
}

/// A loaded library.
#[derive(Debug)]
pub struct Library {
    handle: *mut c_void,
    family: Family,
    name: CString,
}

// SAFETY: the loader's handle may be used by all threads.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

/// Calls an MPI function by name, with the types of its arguments; [`MISSING`] if the library lacks
/// it.
macro_rules! mpi {
    ($library:expr, $name:expr $(, $arg:expr => $ty:ty)* $(,)?) => {
        match $library.find($name) {
            // SAFETY: a function of that name has that type in all libraries; arguments are good for it.
            Some(at) => unsafe {
                std::mem::transmute::<*mut std::ffi::c_void, unsafe extern "C" fn($($ty),*) -> std::ffi::c_int>(at)($($arg),*)
            },
            None => $crate::replay::mpi::library::MISSING,
        }
    };
}
pub(super) use mpi;

const OPEN_MPI: &[&CStr] = &[c"libmpi.so.40", c"libmpi.so.80", c"libmpi.so"];
const MPICH: &[&CStr] = &[c"libmpich.so.12", c"libmpi.so.12", c"libmpi_cray.so.12", c"libmpi.so"];

impl Library {
    /// Loads the library of a launcher's family, or the first one found if the family is unknown.
    /// `named` is tried instead of the usual names.
    pub fn load(family: Option<Family>, named: Option<&CStr>) -> io::Result<Library> {
        let usual: Vec<&CStr> = match family {
            Some(Family::OpenMpi) => OPEN_MPI.to_vec(),
            Some(Family::Mpich) => MPICH.to_vec(),
            None => [OPEN_MPI, MPICH].concat(),
        };
        let names = named.map_or(usual, |named| vec![named]);
        let fits = |library: &Library| family.is_none_or(|family| family == library.family);
        let found = names.iter().filter_map(|name| Library::open(name)).find(fits);
        found.ok_or_else(|| {
            let names: Vec<_> = names.iter().map(|name| name.to_string_lossy()).collect();
            io::Error::new(io::ErrorKind::NotFound, format!("no MPI library found ({})", names.join(", ")))
        })
    }

    fn open(name: &CStr) -> Option<Library> {
        // SAFETY: a name that ends with NUL. Other libraries must find its functions, as those of any program do.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
        if handle.is_null() {
            return None;
        }
        let mut library = Library { handle, family: Family::OpenMpi, name: name.to_owned() };
        if library.own(c"ompi_mpi_comm_world").is_none() {
            library.family = Family::Mpich;
            library.is_mpich().then_some(())?;
        }
        Some(library)
    }

    /// Whether its handles are MPICH's. A library built for the standard ABI has others.
    fn is_mpich(&self) -> bool {
        let mut text = [0u8; mpich::VERSION_ROOM];
        let mut len: c_int = 0;
        let code =
            mpi!(self, c"PMPI_Get_library_version", text.as_mut_ptr() => *mut u8, &mut len => *mut c_int);
        let text = text.get(..usize::try_from(len).unwrap_or(0)).unwrap_or(&[]);
        let has = |name: &[u8]| text.windows(name.len()).any(|part| part == name);
        let known = mpich::NAMES.iter().any(|name| has(name));
        code == 0 && known && self.own(c"MPI_Abi_get_version").is_none()
    }

    pub fn name(&self) -> &CStr {
        &self.name
    }

    pub fn family(&self) -> Family {
        self.family
    }

    pub(super) fn own(&self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: a handle of a loaded library and a name that ends with NUL.
        let at = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        (!at.is_null()).then_some(at)
    }

    /// A function by name: those of the trace in the usual search order, our own directly in the
    /// library.
    pub(super) fn find(&self, name: &CStr) -> Option<*mut c_void> {
        if name.to_bytes().starts_with(b"PMPI_") {
            return self.own(name);
        }
        // SAFETY: a name that ends with NUL.
        let at = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        (!at.is_null()).then_some(at)
    }

    /// A predefined handle: the address of a variable, or a number.
    pub(super) fn fixed(&self, variable: &CStr, number: usize) -> usize {
        match self.family {
            Family::OpenMpi => self.own(variable).map_or(0, |at| at as usize),
            Family::Mpich => number,
        }
    }

    /// `MPI_COMM_WORLD`
    pub(super) fn world(&self) -> usize {
        self.fixed(c"ompi_mpi_comm_world", mpich::WORLD)
    }

    /// `MPI_COMM_SELF`
    pub(super) fn alone(&self) -> usize {
        self.fixed(c"ompi_mpi_comm_self", mpich::ALONE)
    }

    /// `MPI_INFO_NULL`
    pub(super) fn no_info(&self) -> usize {
        self.fixed(c"ompi_mpi_info_null", mpich::NO_INFO)
    }

    /// `MPI_BYTE`
    pub(super) fn byte(&self) -> usize {
        self.fixed(c"ompi_mpi_byte", mpich::BYTE)
    }

    pub(super) fn list(&self, handles: &[usize]) -> Vec<u8> {
        let width = if self.family == Family::Mpich { 4 } else { 8 };
        handles.iter().flat_map(|handle| handle.to_le_bytes().into_iter().take(width)).collect()
    }

    /// The result of a call as a trace stores it: minus the error class.
    pub(super) fn outcome(&self, code: c_int) -> io::Result<i64> {
        if code == 0 {
            return Ok(0);
        }
        let mut class: c_int = 0;
        mpi!(self, c"PMPI_Error_class", code => c_int, &mut class => *mut c_int);
        Err(io::Error::from_raw_os_error(class.max(1)))
    }
}

//! The MPI library of this process, found at run time: one program for all of them.
//!
//! Handles travel as machine words; what differs between libraries stands here. Calls of the trace go by their plain
//! names and from the top of the search order, so that a recorder sees them. Calls of the replay's own go by the
//! library's second names (`PMPI_`) and straight to it, so that no recorder does.

use std::ffi::{CStr, CString, c_int, c_void};
use std::io;

use marigraph_wire::mpich;

/// What is returned when the library has no such function: an error in all of them.
pub(super) const MISSING: c_int = 15;

/// Which conventions a library has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Handles are addresses.
    OpenMpi,
    /// Handles are numbers of 32 bits: MPICH, Intel MPI, Cray MPICH, MVAPICH.
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

/// Calls a function of MPI by its name, with the types of its arguments; [`MISSING`] if there is none.
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
    /// Loads the library that a launcher of this family belongs to; without a family the first that is there.
    /// `named` goes before all others.
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

    /// Whether its handles are those of MPICH. What is built for the standard's own interface has others.
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

    /// The name it was found by.
    pub fn name(&self) -> &CStr {
        &self.name
    }

    /// Its conventions.
    pub fn family(&self) -> Family {
        self.family
    }

    /// A function or variable of the library itself.
    pub(super) fn own(&self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: a handle of a loaded library and a name that ends with NUL.
        let at = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        (!at.is_null()).then_some(at)
    }

    /// A function by its name: those of the trace as a program would find them, our own straight in the library.
    pub(super) fn find(&self, name: &CStr) -> Option<*mut c_void> {
        if name.to_bytes().starts_with(b"PMPI_") {
            return self.own(name);
        }
        // SAFETY: a name that ends with NUL.
        let at = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        (!at.is_null()).then_some(at)
    }

    /// A fixed handle: the address of a variable, or a number.
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

    /// A list of handles as the library expects it.
    pub(super) fn list(&self, handles: &[usize]) -> Vec<u8> {
        let width = if self.family == Family::Mpich { 4 } else { 8 };
        handles.iter().flat_map(|handle| handle.to_le_bytes().into_iter().take(width)).collect()
    }

    /// What a call of the trace returns in the terms of a trace: minus the class of an error.
    pub(super) fn outcome(&self, code: c_int) -> io::Result<i64> {
        if code == 0 {
            return Ok(0);
        }
        let mut class: c_int = 0;
        mpi!(self, c"PMPI_Error_class", code => c_int, &mut class => *mut c_int);
        Err(io::Error::from_raw_os_error(class.max(1)))
    }
}

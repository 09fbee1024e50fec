//! What differs between MPI libraries: the form of handles, and the predefined ones.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use marigraph_wire::mpich;

use super::queries;
use crate::library::Foreign;

/// Family of an MPI library; the numbers are those of the part's header.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum MpiFamily {
    Unseen = 0,
    /// Open MPI: handles are pointers.
    OpenMpi = 1,
    /// MPICH, Intel MPI, Cray MPICH, MVAPICH: handles are 32-bit numbers.
    Mpich = 2,
    /// Files are followed; other handles are not queried.
    Other = 3,
}

static KIND: AtomicU8 = AtomicU8::new(MpiFamily::Unseen as u8);
static ANCHOR: AtomicUsize = AtomicUsize::new(0);

/// Predefined handles; 0 unknown.
#[derive(Clone, Copy, Default)]
pub struct Fixed {
    /// `MPI_COMM_WORLD`
    pub world: usize,
    /// `MPI_COMM_SELF`
    pub own: usize,
    /// `MPI_COMM_NULL`
    pub no_comm: usize,
    /// `MPI_DATATYPE_NULL`
    pub no_type: usize,
    /// `MPI_INFO_NULL`
    pub no_info: usize,
    /// `MPI_BYTE`
    pub byte: usize,
}

const MPICH: Fixed = Fixed {
    world: mpich::WORLD,
    own: mpich::ALONE,
    no_comm: mpich::NO_COMM,
    no_type: mpich::NO_TYPE,
    no_info: mpich::NO_INFO,
    byte: mpich::BYTE,
};

pub fn handles() -> Fixed {
    match kind() {
        MpiFamily::Mpich => MPICH,
        MpiFamily::OpenMpi => open_mpi(),
        MpiFamily::Unseen | MpiFamily::Other => Fixed::default(),
    }
}

/// Open MPI's handles are the addresses of its variables.
fn open_mpi() -> Fixed {
    static WORLD: Foreign = Foreign::new("ompi_mpi_comm_world\0");
    static OWN: Foreign = Foreign::new("ompi_mpi_comm_self\0");
    static NO_COMM: Foreign = Foreign::new("ompi_mpi_comm_null\0");
    static NO_TYPE: Foreign = Foreign::new("ompi_mpi_datatype_null\0");
    static NO_INFO: Foreign = Foreign::new("ompi_mpi_info_null\0");
    static BYTE: Foreign = Foreign::new("ompi_mpi_byte\0");
    let from = anchor();
    let address = |variable: &Foreign| variable.variable(from);
    Fixed {
        world: address(&WORLD),
        own: address(&OWN),
        no_comm: address(&NO_COMM),
        no_type: address(&NO_TYPE),
        no_info: address(&NO_INFO),
        byte: address(&BYTE),
    }
}

#[inline]
pub fn kind() -> MpiFamily {
    match KIND.load(Ordering::Relaxed) {
        1 => MpiFamily::OpenMpi,
        2 => MpiFamily::Mpich,
        3 => MpiFamily::Other,
        _ => MpiFamily::Unseen,
    }
}

pub fn anchor() -> usize {
    ANCHOR.load(Ordering::Relaxed)
}

/// Determines, once, which library contains a function.
#[inline]
pub fn learn(at: usize) {
    if KIND.load(Ordering::Relaxed) == MpiFamily::Unseen as u8 {
        look(at);
    }
}

#[cold]
fn look(at: usize) {
    static WORLD: Foreign = Foreign::new("ompi_mpi_comm_world\0");
    ANCHOR.store(at, Ordering::Relaxed);
    let kind = if WORLD.variable(at) != 0 {
        MpiFamily::OpenMpi
    } else if is_mpich(at) {
        MpiFamily::Mpich
    } else {
        MpiFamily::Other
    };
    KIND.store(kind as u8, Ordering::Relaxed);
}

fn is_mpich(at: usize) -> bool {
    // More than other libraries need.
    let mut text = [0u8; mpich::VERSION_ROOM];
    let mut len: c_int = 0;
    // SAFETY: the one call that may be made before MPI is up; there is room for every library's text.
    let told = unsafe { queries::library_version(at, text.as_mut_ptr().cast(), &mut len) } == 0;
    let text = text.get(..usize::try_from(len).unwrap_or(0)).unwrap_or(&[]);
    let has = |name: &[u8]| text.windows(name.len()).any(|part| part == name);
    // A library built for the standard ABI has other handles, whoever built it.
    let standard = crate::library::file_of(at).windows(7).any(|part| part == b"mpi_abi");
    told && !standard && mpich::NAMES.iter().any(|name| has(name))
}

/// The significant part of a handle: the upper half of a register with a 32-bit handle is
/// undefined.
#[inline]
pub fn handle(word: usize) -> usize {
    if kind() == MpiFamily::Mpich { word & 0xffff_ffff } else { word }
}

/// The handle at an index of a list; 0 if there is no list.
///
/// # Safety
/// `list` is null or has more than `index` handles.
pub unsafe fn handle_at(list: *const c_void, index: usize) -> usize {
    if list.is_null() {
        return 0;
    }
    // SAFETY: as the caller promises; a family's handles have one size.
    unsafe {
        match kind() {
            MpiFamily::Mpich => list.cast::<u32>().add(index).read() as usize,
            _ => list.cast::<usize>().add(index).read(),
        }
    }
}

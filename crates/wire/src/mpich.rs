//! Constants of MPICH and its relatives, whose handles are 32-bit numbers. The recorder and a
//! replay must agree on them. Open MPI's handles are addresses, found at run time.

/// Substrings of the version text of libraries with these handles.
pub const NAMES: [&[u8]; 4] = [b"MPICH", b"Intel(R) MPI", b"MVAPICH", b"CRAY"];
/// Bytes that a library may need for its version text.
pub const VERSION_ROOM: usize = 8192;

/// `MPI_COMM_WORLD`
pub const WORLD: usize = 0x4400_0000;
/// `MPI_COMM_SELF`
pub const ALONE: usize = 0x4400_0001;
/// `MPI_COMM_NULL`
pub const NO_COMM: usize = 0x0400_0000;
/// `MPI_DATATYPE_NULL`
pub const NO_TYPE: usize = 0x0c00_0000;
/// `MPI_INFO_NULL`
pub const NO_INFO: usize = 0x1c00_0000;
/// `MPI_BYTE`
pub const BYTE: usize = 0x4c00_010d;

/// `MPI_ORDER_C`; Fortran's is the next number. Traces count from 0.
pub const ORDER: i32 = 56;
/// `MPI_DISTRIBUTE_BLOCK`; cyclic and none follow. Traces count from 0.
pub const DISTRIBUTION: i32 = 121;
/// `MPI_DISTRIBUTE_DFLT_DARG`; -1 in traces.
pub const DEFAULT_ARGUMENT: i32 = -49767;

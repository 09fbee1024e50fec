//! The calls a recorder sees, each with the meaning of its three arguments.
//!
//! A call that failed has `ret = -errno` (MPI: minus the error class). Where a call names a file by
//! path, the argument is the id of a name; where it works on an open file, `slot` says which open
//! it was. Codes are only ever appended: old parts and traces keep their meaning.

/// Which way data go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// From storage into memory.
    Read,
    /// From memory to storage.
    Write,
}

/// The library a call belongs to. Calls made by an outer layer on behalf of the program have a
/// depth above zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layer {
    /// The recorder's own notes.
    Note,
    /// System calls as the C library offers them.
    Posix,
    /// Buffered streams of the C library.
    Stdio,
    /// MPI-IO, and what of MPI orders it.
    Mpi,
    /// HDF5.
    Hdf5,
    /// Parallel netCDF.
    Pnetcdf,
}

macro_rules! op_table {
    ($($(#[doc = $doc:literal])+ $layer:ident $name:ident = $code:literal, $text:literal;)+) => {
        /// What was called.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Op { $($(#[doc = $doc])+ $name = $code,)+ }

        impl Op {
            /// Every operation, in order of its code.
            pub const ALL: &'static [Op] = &[$(Op::$name,)+];

            /// The operation of a code.
            pub fn from_code(code: u16) -> Option<Op> {
                match code { $($code => Some(Op::$name),)+ _ => None }
            }

            /// Its name, as in a program text.
            pub fn name(self) -> &'static str {
                match self { $(Op::$name => $text,)+ }
            }

            /// Whose call it is.
            pub fn layer(self) -> Layer {
                match self { $(Op::$name => Layer::$layer,)+ }
            }
        }
    };
}

op_table! {
    /// Text of a name; raw records only, see [`crate::record`].
    Note Name = 1, "name";
    /// Three more arguments of the call before it, see the operations that say so.
    Note More = 2, "more";
    /// A slot this process holds from its parent: `slot` here, `a` the slot in the parent's part.
    Note Inherit = 3, "inherit";
    /// `marigraph_flush()`: a mark of the program.
    Note Mark = 4, "mark";
    /// The program asked for an `io_uring`: `a` entries, `b` flags. What goes through it is in `Uring*`.
    Note UringSetup = 5, "io_uring_setup";
    /// Entries of a ring that were submitted but could not be read: `a` of them; `c` 0 not file I/O,
    /// 1 reads, 2 writes, 3 both or unknown; `b` and `slot` are what the entries that were read share.
    Note UringOther = 6, "io_uring_other";
    /// A file that the program held from its start as descriptor 0, 1 or 2: `slot`, `a` name, `b` flags, `c` position.
    Note Held = 7, "held";

    /// Opens a file and makes `slot`: `a` name, `b` flags | mode << 32, `c` size at open (-1 unknown; 0 if it was
    /// born after this process, unless opened for appending).
    Posix Open = 10, "open";
    /// Closes `slot`.
    Posix Close = 11, "close";
    /// Makes the new slot `a` an alias of `slot`, at one shared position.
    Posix Dup = 12, "dup";
    /// Reads at the position: `b` bytes asked.
    Posix Read = 13, "read";
    /// Writes at the position: `b` bytes.
    Posix Write = 14, "write";
    /// Reads at `a`: `b` bytes.
    Posix Pread = 15, "pread";
    /// Writes at `a`: `b` bytes.
    Posix Pwrite = 16, "pwrite";
    /// Reads at the position into `c` buffers: `b` bytes.
    Posix Readv = 17, "readv";
    /// Writes at the position from `c` buffers: `b` bytes.
    Posix Writev = 18, "writev";
    /// Reads at `a` into `c` buffers: `b` bytes.
    Posix Preadv = 19, "preadv";
    /// Writes at `a` from `c` buffers: `b` bytes.
    Posix Pwritev = 20, "pwritev";
    /// Moves the position by `a` from `b` (`SEEK_SET` 0, `CUR` 1, `END` 2); returns it.
    Posix Lseek = 21, "lseek";
    /// Sets the size of the file named `a` to `b`.
    Posix Truncate = 22, "truncate";
    /// Sets the size of `slot` to `b`.
    Posix Ftruncate = 23, "ftruncate";
    /// Reserves `b` bytes at `a` in mode `c`.
    Posix Fallocate = 24, "fallocate";
    /// Advice `c` about `b` bytes at `a`.
    Posix Fadvise = 25, "fadvise";
    /// Reads ahead `b` bytes at `a`.
    Posix Readahead = 26, "readahead";
    /// Writes back `slot`.
    Posix Fsync = 27, "fsync";
    /// Writes back the data of `slot`.
    Posix Fdatasync = 28, "fdatasync";
    /// Writes back everything.
    Posix Sync = 29, "sync";
    /// Writes back the file system of `slot`.
    Posix Syncfs = 30, "syncfs";
    /// Writes back `b` bytes at `a`, flags `c`.
    Posix SyncFileRange = 31, "sync_file_range";
    /// From `slot` at `a` (-1 its position) `b` bytes to slot `c` (0 not a file that is followed).
    Posix Sendfile = 32, "sendfile";
    /// From `slot` at `a` (-1 its position) `b` bytes to slot `c`; `More`: `a` where there (-1 its position), `b` flags.
    Posix CopyFileRange = 33, "copy_file_range";
    /// As [`Op::CopyFileRange`]; a side that is a pipe has slot 0.
    Posix Splice = 34, "splice";
    /// Maps `b` bytes at `a` of `slot`; `c` protection | flags << 32.
    Posix Mmap = 35, "mmap";
    /// Unmaps `b` bytes at `a` of `slot`.
    Posix Munmap = 36, "munmap";
    /// Writes back a map: `b` bytes at `a` of `slot`, flags `c`.
    Posix Msync = 37, "msync";
    /// Control call `b` of `slot` that shares blocks with slot `c` (clones).
    Posix Clone = 38, "ioctl";
    /// `a` name, `c` kind and rights found (0 unknown).
    Posix Stat = 40, "stat";
    /// `a` name, `c` kind and rights found.
    Posix Lstat = 41, "lstat";
    /// Of `slot`; `c` kind and rights.
    Posix Fstat = 42, "fstat";
    /// `a` name, `b` mask, `c` kind and rights found.
    Posix Statx = 43, "statx";
    /// `a` name, `b` mode.
    Posix Access = 44, "access";
    /// `a` name.
    Posix Unlink = 45, "unlink";
    /// `a` name.
    Posix Rmdir = 46, "rmdir";
    /// From name `a` to name `b`, flags `c`.
    Posix Rename = 47, "rename";
    /// From name `a` to name `b`.
    Posix Link = 48, "link";
    /// Link `b` with content `a`, both names.
    Posix Symlink = 49, "symlink";
    /// `a` name, `b` bytes asked.
    Posix Readlink = 50, "readlink";
    /// `a` name, `b` mode.
    Posix Mkdir = 51, "mkdir";
    /// `a` name, `b` mode.
    Posix Mknod = 52, "mknod";
    /// `a` name, `b` mode.
    Posix Chmod = 53, "chmod";
    /// `slot`, `b` mode.
    Posix Fchmod = 54, "fchmod";
    /// `a` name, `b` owner | group << 32.
    Posix Chown = 55, "chown";
    /// `slot`, `b` owner | group << 32.
    Posix Fchown = 56, "fchown";
    /// `a` name.
    Posix Utime = 57, "utimensat";
    /// Of `slot`.
    Posix Futime = 58, "futimens";
    /// `a` name.
    Posix Chdir = 59, "chdir";
    /// To `slot`.
    Posix Fchdir = 60, "fchdir";
    /// `a` name.
    Posix Statfs = 61, "statfs";
    /// Of `slot`.
    Posix Fstatfs = 62, "fstatfs";
    /// Opens the directory named `a` as `slot`.
    Posix Opendir = 63, "opendir";
    /// Next entry of `slot`; returns 1, or 0 at its end.
    Posix Readdir = 64, "readdir";
    /// Closes the directory `slot`.
    Posix Closedir = 65, "closedir";
    /// Entries of `slot`, `b` bytes asked.
    Posix Getdents = 66, "getdents64";
    /// Reads the whole directory named `a`; returns its entries.
    Posix Scandir = 67, "scandir";
    /// Locks `slot`, operation `b`.
    Posix Flock = 68, "flock";
    /// Locks `b` bytes at `a` of `slot`; `c` command.
    Posix Lock = 69, "lockf";
    /// Attribute of name `a`, `b` bytes; `c` 0 get, 1 set, 2 list, 3 remove.
    Posix Xattr = 70, "xattr";
    /// Attribute of `slot`, `b` bytes; `c` as in [`Op::Xattr`].
    Posix Fxattr = 71, "fxattr";
    /// A file descriptor of `slot` changed its flags to `b` (`F_SETFL`).
    Posix SetFlags = 72, "fcntl";
    /// Submits an asynchronous read: `b` bytes at `a`, request `c`.
    Posix AioRead = 73, "aio_read";
    /// Submits an asynchronous write: `b` bytes at `a`, request `c`.
    Posix AioWrite = 74, "aio_write";
    /// Submits an asynchronous write-back, request `c`; `b` 1 of the data only.
    Posix AioFsync = 75, "aio_fsync";
    /// Takes the result of request `c`: `a` 1 read, 2 write, 3 sync; `ret` bytes moved.
    Posix AioReturn = 76, "aio_return";
    /// Ring entry: reads `b` bytes at `a` (-1 the position), request `c`.
    Posix UringRead = 77, "io_uring_read";
    /// Ring entry: writes `b` bytes at `a` (-1 the position), request `c`.
    Posix UringWrite = 78, "io_uring_write";
    /// Ring entry: write-back, request `c`; `b` 1 of the data only.
    Posix UringFsync = 79, "io_uring_fsync";

    /// The descriptor below the stream of slot `a` was asked for: makes `slot` for it.
    Posix Fileno = 80, "fileno";

    /// Opens a stream and makes `slot`: `a` name, `b` flags | mode << 32 as of `open`, `c` size at open.
    Stdio Fopen = 100, "fopen";
    /// Makes a stream `slot` of the descriptor that has slot `a` (0 not followed); `b` flags.
    Stdio Fdopen = 101, "fdopen";
    /// Opens name `a` anew as `slot`, closing slot `c`; `b` flags.
    Stdio Freopen = 102, "freopen";
    /// Closes `slot`.
    Stdio Fclose = 103, "fclose";
    /// Flushes `slot`.
    Stdio Fflush = 104, "fflush";
    /// Reads `b` bytes in items of `c`; returns bytes.
    Stdio Fread = 105, "fread";
    /// Writes `b` bytes in items of `c`; returns bytes.
    Stdio Fwrite = 106, "fwrite";
    /// One character; returns 1, or 0 at the end.
    Stdio Fgetc = 107, "fgetc";
    /// One character; returns 1.
    Stdio Fputc = 108, "fputc";
    /// A line of at most `b` bytes, `a` 1 if there was one; returns bytes.
    Stdio Fgets = 109, "fgets";
    /// A text; returns bytes.
    Stdio Fputs = 110, "fputs";
    /// Formatted; returns bytes.
    Stdio Fprintf = 111, "fprintf";
    /// Formatted reading, `b` bytes passed over, `a` 1 when nothing matched; returns bytes, 0 at the end.
    Stdio Fscanf = 112, "fscanf";
    /// Whole line or up to a mark; returns bytes.
    Stdio Getline = 113, "getline";
    /// Moves by `a` from `b`; returns 0; `c` the position then.
    Stdio Fseek = 114, "fseek";
    /// To the start.
    Stdio Rewind = 115, "rewind";
    /// To a saved position; `c` the position then.
    Stdio Fsetpos = 116, "fsetpos";
    /// A standard stream of the process was first used: `a` 0 input, 1 output, 2 errors; makes `slot`.
    Stdio Standard = 117, "standard stream";
    /// Puts a character back.
    Stdio Ungetc = 118, "ungetc";

    /// `a` 1 when with threads; returns 0.
    Mpi Init = 200, "MPI_Init";
    /// End of MPI.
    Mpi Finalize = 201, "MPI_Finalize";
    /// All of communicator `c` wait.
    Mpi Barrier = 202, "MPI_Barrier";
    /// New communicator `a` of `b` processes, own rank `c`, numbered from 3 (1 the world, 2 the process alone; 0 none came of it); `More`: `a` first world rank, `b` stride or -1, `c` the communicator it came from (0 unknown).
    Mpi Comm = 203, "MPI_Comm";
    /// Datatype `a` (see [`BASIC_TYPES`]) of `b` bytes, `c` combiner in MPI's order from 1 named (0 unknown); `More`: `a` extent, `b` lower bound, `c` arguments; then the arguments by three, at most 3072: numbers, addresses, types, as of `MPI_Type_get_contents` (order 0 C, 1 Fortran; distribution 0 block, 1 cyclic, 2 none).
    Mpi Type = 204, "MPI_Type";
    /// Opens `slot`: `a` name, `b` mode, `c` communicator; `More` if hints were given: `a` how many.
    Mpi FileOpen = 210, "MPI_File_open";
    /// Closes `slot`.
    Mpi FileClose = 211, "MPI_File_close";
    /// Name `a`.
    Mpi FileDelete = 212, "MPI_File_delete";
    /// To `b` bytes.
    Mpi FileSetSize = 213, "MPI_File_set_size";
    /// `b` bytes.
    Mpi FilePreallocate = 214, "MPI_File_preallocate";
    /// Returns it.
    Mpi FileGetSize = 215, "MPI_File_get_size";
    /// Writes back.
    Mpi FileSync = 216, "MPI_File_sync";
    /// At byte `a` with elements of type `b` in type `c`; `More`: `a` representation (0 native, 1 internal, 2 external32, 3 other), `b` hints (-1 none). Offsets of other calls count elements.
    Mpi FileSetView = 217, "MPI_File_set_view";
    /// `a` on or off.
    Mpi FileSetAtomicity = 218, "MPI_File_set_atomicity";
    /// Moves by `a` from `b` as in [`Op::Lseek`].
    Mpi FileSeek = 219, "MPI_File_seek";
    /// The shared pointer, by `a` from `b`.
    Mpi FileSeekShared = 220, "MPI_File_seek_shared";
    /// `b` bytes of type `c`.
    Mpi FileRead = 221, "MPI_File_read";
    /// `b` bytes of type `c`.
    Mpi FileWrite = 222, "MPI_File_write";
    /// At `a`: `b` bytes of type `c`.
    Mpi FileReadAt = 223, "MPI_File_read_at";
    /// At `a`: `b` bytes of type `c`.
    Mpi FileWriteAt = 224, "MPI_File_write_at";
    /// Collective: `b` bytes of type `c`.
    Mpi FileReadAll = 225, "MPI_File_read_all";
    /// Collective: `b` bytes of type `c`.
    Mpi FileWriteAll = 226, "MPI_File_write_all";
    /// Collective, at `a`: `b` bytes of type `c`.
    Mpi FileReadAtAll = 227, "MPI_File_read_at_all";
    /// Collective, at `a`: `b` bytes of type `c`.
    Mpi FileWriteAtAll = 228, "MPI_File_write_at_all";
    /// At the shared pointer: `b` bytes of type `c`.
    Mpi FileReadShared = 229, "MPI_File_read_shared";
    /// At the shared pointer: `b` bytes of type `c`.
    Mpi FileWriteShared = 230, "MPI_File_write_shared";
    /// Collective, in order of rank: `b` bytes of type `c`.
    Mpi FileReadOrdered = 231, "MPI_File_read_ordered";
    /// Collective, in order of rank: `b` bytes of type `c`.
    Mpi FileWriteOrdered = 232, "MPI_File_write_ordered";
    /// Does not wait: `b` bytes of type `c`; `More`: `a` request.
    Mpi FileIread = 233, "MPI_File_iread";
    /// Does not wait: `b` bytes of type `c`; `More`: `a` request.
    Mpi FileIwrite = 234, "MPI_File_iwrite";
    /// Does not wait, at `a`: `b` bytes of type `c`; `More`: `a` request.
    Mpi FileIreadAt = 235, "MPI_File_iread_at";
    /// Does not wait, at `a`: `b` bytes of type `c`; `More`: `a` request.
    Mpi FileIwriteAt = 236, "MPI_File_iwrite_at";
    /// Collective, does not wait: `b` bytes of type `c`; `More`: `a` request.
    Mpi FileIreadAll = 237, "MPI_File_iread_all";
    /// Collective, does not wait: `b` bytes of type `c`; `More`: `a` request.
    Mpi FileIwriteAll = 238, "MPI_File_iwrite_all";
    /// Collective, does not wait, at `a`: `b` bytes of type `c`; `More`: `a` request.
    Mpi FileIreadAtAll = 239, "MPI_File_iread_at_all";
    /// Collective, does not wait, at `a`: `b` bytes of type `c`; `More`: `a` request.
    Mpi FileIwriteAtAll = 240, "MPI_File_iwrite_at_all";
    /// Does not wait, at the shared pointer: `b` bytes of type `c`; `More`: `a` request.
    Mpi FileIreadShared = 241, "MPI_File_iread_shared";
    /// Does not wait, at the shared pointer: `b` bytes of type `c`; `More`: `a` request.
    Mpi FileIwriteShared = 242, "MPI_File_iwrite_shared";
    /// Split collective: `b` bytes of type `c`.
    Mpi FileReadAllBegin = 243, "MPI_File_read_all_begin";
    /// Split collective: `b` bytes of type `c`.
    Mpi FileWriteAllBegin = 244, "MPI_File_write_all_begin";
    /// Split collective, at `a`: `b` bytes of type `c`.
    Mpi FileReadAtAllBegin = 245, "MPI_File_read_at_all_begin";
    /// Split collective, at `a`: `b` bytes of type `c`.
    Mpi FileWriteAtAllBegin = 246, "MPI_File_write_at_all_begin";
    /// Split collective: `b` bytes of type `c`.
    Mpi FileReadOrderedBegin = 247, "MPI_File_read_ordered_begin";
    /// Split collective: `b` bytes of type `c`.
    Mpi FileWriteOrderedBegin = 248, "MPI_File_write_ordered_begin";
    /// End of the split collective of `slot`; `a` 1 read, 2 write.
    Mpi FileSplitEnd = 249, "MPI_File_end";
    /// A request of nonblocking I/O on `slot` was complete: request `a`; `ret` bytes moved.
    Mpi Wait = 250, "MPI_Wait";
    /// Takes `a` hints (-1 none).
    Mpi FileSetInfo = 251, "MPI_File_set_info";

    /// Makes `slot`: `a` name, `b` flags, `c` 1 when through MPI-IO.
    Hdf5 FileCreate = 300, "H5Fcreate";
    /// Opens `slot`: `a` name, `b` flags, `c` 1 when through MPI-IO.
    Hdf5 FileOpenH5 = 301, "H5Fopen";
    /// Writes back `slot`.
    Hdf5 FileFlush = 302, "H5Fflush";
    /// Closes `slot`.
    Hdf5 FileCloseH5 = 303, "H5Fclose";
    /// Makes dataset `slot`: `a` name (file:dataset), `b` element bytes, `c` dimensions; `More` per dimension (at most 8): `a` size, `b` chunk size (0 no chunks).
    Hdf5 DatasetCreate = 304, "H5Dcreate";
    /// Opens dataset `slot`, as [`Op::DatasetCreate`].
    Hdf5 DatasetOpen = 305, "H5Dopen";
    /// `b` bytes; `a` selection kind (1 points, 2 regular, 3 irregular hyperslab, 0 all, 4 none), `c` 1 collective; `More` per dimension of a regular one (at most 8): `a` start, `b` length, `c` stride.
    Hdf5 DatasetRead = 306, "H5Dread";
    /// As [`Op::DatasetRead`].
    Hdf5 DatasetWrite = 307, "H5Dwrite";
    /// Writes back dataset `slot`.
    Hdf5 DatasetFlush = 308, "H5Dflush";
    /// Closes dataset `slot`.
    Hdf5 DatasetClose = 309, "H5Dclose";

    /// Makes `slot`: `a` name, `b` mode, `c` communicator.
    Pnetcdf NcCreate = 320, "ncmpi_create";
    /// Opens `slot`: `a` name, `b` mode, `c` communicator.
    Pnetcdf NcOpen = 321, "ncmpi_open";
    /// Leaves define mode.
    Pnetcdf NcEnddef = 322, "ncmpi_enddef";
    /// Closes `slot`.
    Pnetcdf NcClose = 323, "ncmpi_close";
    /// Defines variable `slot` (one slot per file and variable): `a` name (file:variable), `b` element bytes, `c` dimensions.
    Pnetcdf NcVariable = 324, "ncmpi_def_var";
    /// Reads `b` bytes of variable `slot`; `c` 0 independent, 1 collective, 2 nonblocking, 3 nonblocking through the library's buffer, `a` kind (1 var, 2 var1, 3 vara, 4 vars, 5 varm, 6 varn, 7 vard).
    Pnetcdf NcGet = 325, "ncmpi_get";
    /// Writes, as [`Op::NcGet`].
    Pnetcdf NcPut = 326, "ncmpi_put";
    /// Waits for nonblocking requests of file `slot`; `c` 1 collective, `b` requests.
    Pnetcdf NcWait = 327, "ncmpi_wait";
    /// Writes back `slot`.
    Pnetcdf NcSync = 328, "ncmpi_sync";
    /// Redefines `slot`.
    Pnetcdf NcRedef = 329, "ncmpi_redef";
    /// Independent access to `slot` begins (`a` 1) or ends (0).
    Pnetcdf NcIndependent = 330, "ncmpi_indep_data";
}

/// MPI's own datatypes as [`Op::Type`] numbers them: the place here, from 1. Others have 200 plus the
/// power of two of their size, and those a program makes from 256 on.
pub const BASIC_TYPES: &[&str] = &[
    "MPI_BYTE",
    "MPI_PACKED",
    "MPI_CHAR",
    "MPI_SIGNED_CHAR",
    "MPI_UNSIGNED_CHAR",
    "MPI_WCHAR",
    "MPI_SHORT",
    "MPI_UNSIGNED_SHORT",
    "MPI_INT",
    "MPI_UNSIGNED",
    "MPI_LONG",
    "MPI_UNSIGNED_LONG",
    "MPI_LONG_LONG_INT",
    "MPI_LONG_LONG",
    "MPI_UNSIGNED_LONG_LONG",
    "MPI_FLOAT",
    "MPI_DOUBLE",
    "MPI_LONG_DOUBLE",
    "MPI_C_BOOL",
    "MPI_INT8_T",
    "MPI_INT16_T",
    "MPI_INT32_T",
    "MPI_INT64_T",
    "MPI_UINT8_T",
    "MPI_UINT16_T",
    "MPI_UINT32_T",
    "MPI_UINT64_T",
    "MPI_AINT",
    "MPI_OFFSET",
    "MPI_COUNT",
    "MPI_C_COMPLEX",
    "MPI_C_FLOAT_COMPLEX",
    "MPI_C_DOUBLE_COMPLEX",
    "MPI_C_LONG_DOUBLE_COMPLEX",
    "MPI_FLOAT_INT",
    "MPI_DOUBLE_INT",
    "MPI_LONG_INT",
    "MPI_SHORT_INT",
    "MPI_2INT",
    "MPI_LONG_DOUBLE_INT",
    "MPI_CHARACTER",
    "MPI_LOGICAL",
    "MPI_INTEGER",
    "MPI_REAL",
    "MPI_DOUBLE_PRECISION",
    "MPI_COMPLEX",
    "MPI_DOUBLE_COMPLEX",
    "MPI_INTEGER1",
    "MPI_INTEGER2",
    "MPI_INTEGER4",
    "MPI_INTEGER8",
    "MPI_INTEGER16",
    "MPI_REAL2",
    "MPI_REAL4",
    "MPI_REAL8",
    "MPI_REAL16",
    "MPI_COMPLEX8",
    "MPI_COMPLEX16",
    "MPI_COMPLEX32",
    "MPI_2INTEGER",
    "MPI_2REAL",
    "MPI_2DOUBLE_PRECISION",
];

impl Op {
    /// The argument that is another open file than the slot of the call, by its place.
    pub fn other_slot(self) -> Option<usize> {
        match self {
            Op::Dup | Op::Fdopen | Op::Fileno => Some(0),
            Op::Sendfile | Op::CopyFileRange | Op::Splice | Op::Clone | Op::Freopen => Some(2),
            _ => None,
        }
    }

    /// The arguments (a, b) that are ids of names.
    pub fn names(self) -> [bool; 2] {
        use Op::{
            Access, Chdir, Chmod, Chown, DatasetCreate, DatasetOpen, FileCreate, FileDelete, FileOpen,
            FileOpenH5, Fopen, Freopen, Held, Link, Lstat, Mkdir, Mknod, NcCreate, NcOpen, NcVariable, Open,
            Opendir, Readlink, Rename, Rmdir, Scandir, Stat, Statfs, Statx, Symlink, Truncate, Unlink, Utime,
            Xattr,
        };
        match self {
            Rename | Link | Symlink => [true, true],
            Held | Open | Truncate | Stat | Lstat | Statx | Access | Unlink | Rmdir | Readlink | Mkdir
            | Mknod | Chmod | Chown | Utime | Chdir | Statfs | Opendir | Scandir | Xattr | Fopen
            | Freopen | FileOpen | FileDelete | FileCreate | FileOpenH5 | DatasetCreate | DatasetOpen
            | NcCreate | NcOpen | NcVariable => [true, false],
            _ => [false, false],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Op;

    #[test]
    fn codes_are_unique_and_find_their_operation() {
        for &op in Op::ALL {
            assert_eq!(Op::from_code(op as u16), Some(op));
        }
        assert_eq!(Op::from_code(0), None);
    }
}

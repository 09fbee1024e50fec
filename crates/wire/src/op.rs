//! The calls a recorder sees, and the meaning of their three arguments.
//!
//! A failed call has `ret = -errno` (MPI: the negated error class). Where a call names a file by
//! path, the argument is the id of a name; where it works on an open file, `slot` identifies the
//! open. Codes are only appended, so old parts and traces keep their meaning.
//!
//! This table is the only place that says what an operation does. A row is its layer, name, code
//! and the name of the function, then the [`Role`] of each argument (`-` unused; after `;` those of
//! its first `More` record) and its traits. Everything else is derived, `docs/reference/ops.md`
//! included.

mod basic_types;
mod role;
mod traits;

pub use basic_types::BASIC_TYPES;
pub use role::Role;
pub use traits::{Direction, Effect, Ending, Place};

use traits::{Row, Trait};

/// The library a call belongs to. Calls that an outer layer makes on behalf of the program have a
/// depth above zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layer {
    /// Records of the recorder itself.
    Note,
    /// System calls through the C library.
    Posix,
    Stdio,
    /// MPI-IO, and the MPI calls that order it.
    Mpi,
    Hdf5,
    Pnetcdf,
}

macro_rules! op_table {
    ($($(#[doc = $doc:literal])* $layer:ident $name:ident = $code:literal,
        $text:literal($($role:tt),* $(; $($more:tt),+)?) $($trait:ident)*;)+) => {
        /// What was called.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Op { $(#[doc = concat!("`", $text, "`.", $($doc),*)] $name = $code,)+ }

        impl Op {
            /// Every operation, in order of its code.
            pub const ALL: &'static [Op] = &[$(Op::$name,)+];

            pub fn from_code(code: u16) -> Option<Op> {
                match code { $($code => Some(Op::$name),)+ _ => None }
            }

            /// What the table says beside, in words.
            pub const fn doc(self) -> &'static str {
                match self { $(Op::$name => concat!($($doc),*),)+ }
            }

            /// Its row. A match rather than an index: the recorder must not panic.
            #[inline]
            const fn row(self) -> &'static Row {
                match self {
                    $(Op::$name => {
                        const ROW: Row = Row {
                            layer: Layer::$layer,
                            name: $text,
                            roles: role::three(&[$(role!($role)),*]),
                            more: role::three(&[$($(role!($more)),+)?]),
                            traits: 0 $(| Trait::$trait as u16)*,
                        };
                        &ROW
                    })+
                }
            }
        }
    };
}

macro_rules! role {
    (-) => {
        Role::Unused
    };
    ($role:ident) => {
        Role::$role
    };
}

op_table! {
    /// Text of a name, 32 bytes a record; raw records only.
    Note Name = 1, "name"() NoSlot;
    /// Three more arguments of the call before it, see the operations that say so.
    Note More = 2, "more"() NoSlot;
    /// A slot that this process holds from its parent.
    Note Inherit = 3, "inherit"(ParentSlot) Opens;
    /// `marigraph_flush()`: a mark of the program.
    Note Mark = 4, "mark"() NoSlot;
    /// The program asked for an `io_uring` with `a` entries.
    Note UringSetup = 5, "io_uring_setup"(Count, Flags) NoSlot;
    /// Entries of a ring that were submitted but could not be read: `a` of them; `c` 0 not file I/O,
    /// 1 reads, 2 writes, 3 both or unknown; `b` and `slot` are what the entries that were read share.
    Note UringOther = 6, "io_uring_other"(Count, Bytes, Kind);
    /// A file that the program held from its start as descriptor 0, 1 or 2.
    Note Held = 7, "held"(Name, OpenFlags, Position) Holds;

    /// `b` flags | mode << 32, `c` -1 unknown; 0 if the file was born after this process, unless opened for appending.
    Posix Open = 10, "open"(Name, OpenFlags, SizeFound) Opens;
    Posix Close = 11, "close"() Closes;
    /// At one shared position.
    Posix Dup = 12, "dup"(Slot) Copies;
    Posix Read = 13, "read"(-, Bytes) Reads;
    Posix Write = 14, "write"(-, Bytes) Writes;
    Posix Pread = 15, "pread"(Offset, Bytes) Reads;
    Posix Pwrite = 16, "pwrite"(Offset, Bytes) Writes;
    Posix Readv = 17, "readv"(-, Bytes, Count) Reads;
    Posix Writev = 18, "writev"(-, Bytes, Count) Writes;
    Posix Preadv = 19, "preadv"(Offset, Bytes, Count) Reads;
    Posix Pwritev = 20, "pwritev"(Offset, Bytes, Count) Writes;
    /// From `b`: `SEEK_SET` 0, `CUR` 1, `END` 2; returns the position.
    Posix Lseek = 21, "lseek"(Offset, Whence);
    Posix Truncate = 22, "truncate"(Name, Size) Changes;
    Posix Ftruncate = 23, "ftruncate"(-, Size);
    Posix Fallocate = 24, "fallocate"(Offset, Bytes, Mode);
    Posix Fadvise = 25, "fadvise"(Offset, Bytes, Command);
    Posix Readahead = 26, "readahead"(Offset, Bytes);
    Posix Fsync = 27, "fsync"();
    Posix Fdatasync = 28, "fdatasync"();
    Posix Sync = 29, "sync"() NoSlot NotReplayed;
    Posix Syncfs = 30, "syncfs"();
    Posix SyncFileRange = 31, "sync_file_range"(Offset, Bytes, Flags);
    /// From `slot` at `a` (-1 its position) to slot `c` (0 not a file that is followed).
    Posix Sendfile = 32, "sendfile"(Offset, Bytes, Slot) Reads Writes;
    /// From `slot` at `a` (-1 its position) to slot `c` at `+a` (-1 its position).
    Posix CopyFileRange = 33, "copy_file_range"(Offset, Bytes, Slot; Offset, Flags) Reads Writes;
    /// As [`Op::CopyFileRange`]; a side that is a pipe has slot 0.
    Posix Splice = 34, "splice"(Offset, Bytes, Slot; Offset, Flags) Reads Writes NotReplayed;
    /// `c` protection | flags << 32.
    Posix Mmap = 35, "mmap"(Offset, Bytes, Flags) NotReplayed;
    Posix Munmap = 36, "munmap"(Offset, Bytes) NotReplayed;
    Posix Msync = 37, "msync"(Offset, Bytes, Flags) NotReplayed;
    /// Shares blocks with slot `c`.
    Posix Clone = 38, "ioctl"(-, Command, Slot) NotReplayed;
    Posix Stat = 40, "stat"(Name, -, KindFound);
    Posix Lstat = 41, "lstat"(Name, -, KindFound);
    Posix Fstat = 42, "fstat"(-, -, KindFound);
    Posix Statx = 43, "statx"(Name, Mask, KindFound);
    Posix Access = 44, "access"(Name, Mode);
    /// `b` 1 by `remove`, which takes folders, too.
    Posix Unlink = 45, "unlink"(Name, Flags) Changes;
    Posix Rmdir = 46, "rmdir"(Name) Changes;
    Posix Rename = 47, "rename"(Name, Name, Flags) Changes;
    Posix Link = 48, "link"(Name, Name) Changes;
    /// Link `b` with content `a`.
    Posix Symlink = 49, "symlink"(Name, Name) Changes NotReplayed;
    Posix Readlink = 50, "readlink"(Name, Bytes) NotReplayed;
    Posix Mkdir = 51, "mkdir"(Name, Rights) Changes;
    Posix Mknod = 52, "mknod"(Name, Rights) Changes NotReplayed;
    Posix Chmod = 53, "chmod"(Name, Rights) Changes;
    Posix Fchmod = 54, "fchmod"(-, Rights) Changes;
    Posix Chown = 55, "chown"(Name, Owner) Changes NotReplayed;
    Posix Fchown = 56, "fchown"(-, Owner) Changes NotReplayed;
    Posix Utime = 57, "utimensat"(Name) Changes;
    Posix Futime = 58, "futimens"() Changes;
    Posix Chdir = 59, "chdir"(Name);
    Posix Fchdir = 60, "fchdir"();
    Posix Statfs = 61, "statfs"(Name);
    Posix Fstatfs = 62, "fstatfs"();
    Posix Opendir = 63, "opendir"(Name) Opens;
    /// Returns 1, or 0 at the end.
    Posix Readdir = 64, "readdir"();
    Posix Closedir = 65, "closedir"() Closes;
    Posix Getdents = 66, "getdents64"(-, Bytes);
    Posix Scandir = 67, "scandir"(Name) NotReplayed;
    Posix Flock = 68, "flock"(-, Command) NotReplayed;
    Posix Lock = 69, "lockf"(Offset, Bytes, Command) NotReplayed;
    /// `c` 0 get, 1 set, 2 list, 3 remove.
    Posix Xattr = 70, "xattr"(Name, Bytes, Command) NotReplayed;
    /// `c` as in [`Op::Xattr`].
    Posix Fxattr = 71, "fxattr"(-, Bytes, Command) NotReplayed;
    /// `F_SETFL`.
    Posix SetFlags = 72, "fcntl"(-, Flags);
    Posix AioRead = 73, "aio_read"(Offset, Bytes, Request) Reads Begins NotReplayed;
    Posix AioWrite = 74, "aio_write"(Offset, Bytes, Request) Writes Begins NotReplayed;
    /// `b` 1 of the data only.
    Posix AioFsync = 75, "aio_fsync"(-, Switch, Request) Begins NotReplayed;
    /// Takes the result of request `c`: `a` 1 read, 2 write, 3 sync; returns bytes moved.
    Posix AioReturn = 76, "aio_return"(Kind, -, Request) NotReplayed;
    /// `a` -1 the position.
    Posix UringRead = 77, "io_uring_read"(Offset, Bytes, Request) Reads Begins Ring NotReplayed;
    /// `a` -1 the position.
    Posix UringWrite = 78, "io_uring_write"(Offset, Bytes, Request) Writes Begins Ring NotReplayed;
    /// `b` 1 of the data only.
    Posix UringFsync = 79, "io_uring_fsync"(-, Switch, Request) Begins Ring NotReplayed;

    /// Makes `slot` for the descriptor below the stream `a`.
    Posix Fileno = 80, "fileno"(Slot) Opens;

    /// As [`Op::Open`].
    Stdio Fopen = 100, "fopen"(Name, OpenFlags, SizeFound) Opens;
    /// Makes a stream of the descriptor `a` (0 not followed).
    Stdio Fdopen = 101, "fdopen"(Slot, OpenFlags) Opens;
    /// Closes slot `c`.
    Stdio Freopen = 102, "freopen"(Name, OpenFlags, Slot) Opens NotReplayed;
    Stdio Fclose = 103, "fclose"() Closes;
    Stdio Fflush = 104, "fflush"();
    /// Returns bytes.
    Stdio Fread = 105, "fread"(-, Bytes, ItemSize) Reads;
    /// Returns bytes.
    Stdio Fwrite = 106, "fwrite"(-, Bytes, ItemSize) Writes;
    /// One character; returns 1, or 0 at the end.
    Stdio Fgetc = 107, "fgetc"() Reads;
    /// One character; returns 1.
    Stdio Fputc = 108, "fputc"() Writes;
    /// Returns bytes.
    Stdio Fgets = 109, "fgets"(Found, Limit) Reads;
    /// A text; returns bytes.
    Stdio Fputs = 110, "fputs"(-, Bytes) Writes;
    /// Formatted; returns bytes.
    Stdio Fprintf = 111, "fprintf"(-, Bytes) Writes;
    /// `b` bytes passed over; returns bytes, 0 at the end.
    Stdio Fscanf = 112, "fscanf"(Unmatched, Skipped) Reads;
    /// Up to `c` (0 a line); returns bytes.
    Stdio Getline = 113, "getline"(-, -, Delimiter) Reads;
    /// Returns 0.
    Stdio Fseek = 114, "fseek"(Offset, Whence, Position);
    Stdio Rewind = 115, "rewind"();
    /// To a saved position.
    Stdio Fsetpos = 116, "fsetpos"(-, -, Offset);
    /// A standard stream was first used: `a` 0 input, 1 output, 2 errors.
    Stdio Standard = 117, "standard stream"(Kind) Holds NotReplayed;
    Stdio Ungetc = 118, "ungetc"();

    /// `a` 1 when with threads.
    Mpi Init = 200, "MPI_Init"(Switch) NoSlot Meets;
    Mpi Finalize = 201, "MPI_Finalize"() NoSlot Meets;
    Mpi Barrier = 202, "MPI_Barrier"(-, -, Communicator) NoSlot Meets;
    /// A new one, numbered from 3 (1 the world, 2 the process alone; 0 none came of it), and the own rank; `+a` first world rank, `+b` stride or -1, `+c` the communicator it came from (0 unknown).
    Mpi Comm = 203, "MPI_Comm"(Communicator, Members, Rank; Rank, Stride, Communicator) NoSlot Collective;
    /// A datatype, numbered as in [`BASIC_TYPES`], `c` in MPI's order from 1 named (0 unknown), `+c` arguments; then the arguments by three, at most 3072: numbers, addresses, types, as of `MPI_Type_get_contents` (order 0 C, 1 Fortran; distribution 0 block, 1 cyclic, 2 none).
    Mpi Type = 204, "MPI_Type"(Datatype, Size, Combiner; Extent, LowerBound, Count) NoSlot;
    /// `+a` only if hints were given.
    Mpi FileOpen = 210, "MPI_File_open"(Name, MpiMode, Communicator; Hints) Opens Meets;
    Mpi FileClose = 211, "MPI_File_close"() Closes Meets;
    Mpi FileDelete = 212, "MPI_File_delete"(Name) Changes;
    Mpi FileSetSize = 213, "MPI_File_set_size"(-, Size) Meets;
    Mpi FilePreallocate = 214, "MPI_File_preallocate"(-, Size) Meets;
    Mpi FileGetSize = 215, "MPI_File_get_size"();
    Mpi FileSync = 216, "MPI_File_sync"() Meets;
    /// Offsets of other calls count elements. `+a` 0 native, 1 internal, 2 external32, 3 other.
    Mpi FileSetView = 217, "MPI_File_set_view"(Offset, ElementType, Datatype; Representation, Hints) Meets;
    Mpi FileSetAtomicity = 218, "MPI_File_set_atomicity"(Switch) Collective;
    Mpi FileSeek = 219, "MPI_File_seek"(Offset, Whence);
    Mpi FileSeekShared = 220, "MPI_File_seek_shared"(Offset, Whence) Collective;
    Mpi FileRead = 221, "MPI_File_read"(-, Bytes, Datatype) Reads;
    Mpi FileWrite = 222, "MPI_File_write"(-, Bytes, Datatype) Writes;
    Mpi FileReadAt = 223, "MPI_File_read_at"(Offset, Bytes, Datatype) Reads;
    Mpi FileWriteAt = 224, "MPI_File_write_at"(Offset, Bytes, Datatype) Writes;
    Mpi FileReadAll = 225, "MPI_File_read_all"(-, Bytes, Datatype) Reads Meets;
    Mpi FileWriteAll = 226, "MPI_File_write_all"(-, Bytes, Datatype) Writes Meets;
    Mpi FileReadAtAll = 227, "MPI_File_read_at_all"(Offset, Bytes, Datatype) Reads Meets;
    Mpi FileWriteAtAll = 228, "MPI_File_write_at_all"(Offset, Bytes, Datatype) Writes Meets;
    Mpi FileReadShared = 229, "MPI_File_read_shared"(-, Bytes, Datatype) Reads Shared;
    Mpi FileWriteShared = 230, "MPI_File_write_shared"(-, Bytes, Datatype) Writes Shared;
    /// In order of rank.
    Mpi FileReadOrdered = 231, "MPI_File_read_ordered"(-, Bytes, Datatype) Reads Shared Meets;
    /// In order of rank.
    Mpi FileWriteOrdered = 232, "MPI_File_write_ordered"(-, Bytes, Datatype) Writes Shared Meets;
    Mpi FileIread = 233, "MPI_File_iread"(-, Bytes, Datatype; Request) Reads Begins;
    Mpi FileIwrite = 234, "MPI_File_iwrite"(-, Bytes, Datatype; Request) Writes Begins;
    Mpi FileIreadAt = 235, "MPI_File_iread_at"(Offset, Bytes, Datatype; Request) Reads Begins;
    Mpi FileIwriteAt = 236, "MPI_File_iwrite_at"(Offset, Bytes, Datatype; Request) Writes Begins;
    Mpi FileIreadAll = 237, "MPI_File_iread_all"(-, Bytes, Datatype; Request) Reads Collective Begins;
    Mpi FileIwriteAll = 238, "MPI_File_iwrite_all"(-, Bytes, Datatype; Request) Writes Collective Begins;
    Mpi FileIreadAtAll = 239, "MPI_File_iread_at_all"(Offset, Bytes, Datatype; Request) Reads Collective Begins;
    Mpi FileIwriteAtAll = 240, "MPI_File_iwrite_at_all"(Offset, Bytes, Datatype; Request) Writes Collective Begins;
    Mpi FileIreadShared = 241, "MPI_File_iread_shared"(-, Bytes, Datatype; Request) Reads Shared Begins;
    Mpi FileIwriteShared = 242, "MPI_File_iwrite_shared"(-, Bytes, Datatype; Request) Writes Shared Begins;
    Mpi FileReadAllBegin = 243, "MPI_File_read_all_begin"(-, Bytes, Datatype) Reads Collective Split;
    Mpi FileWriteAllBegin = 244, "MPI_File_write_all_begin"(-, Bytes, Datatype) Writes Collective Split;
    Mpi FileReadAtAllBegin = 245, "MPI_File_read_at_all_begin"(Offset, Bytes, Datatype) Reads Collective Split;
    Mpi FileWriteAtAllBegin = 246, "MPI_File_write_at_all_begin"(Offset, Bytes, Datatype) Writes Collective Split;
    Mpi FileReadOrderedBegin = 247, "MPI_File_read_ordered_begin"(-, Bytes, Datatype) Reads Shared Collective Split;
    Mpi FileWriteOrderedBegin = 248, "MPI_File_write_ordered_begin"(-, Bytes, Datatype) Writes Shared Collective Split;
    /// End of the split collective of `slot`; `a` 1 read, 2 write.
    Mpi FileSplitEnd = 249, "MPI_File_end"(Kind) Collective;
    /// A request was complete; returns bytes moved.
    Mpi Wait = 250, "MPI_Wait"(Request);
    Mpi FileSetInfo = 251, "MPI_File_set_info"(Hints) Collective;

    /// `c` 1 when through MPI-IO.
    Hdf5 FileCreate = 300, "H5Fcreate"(Name, Flags, Switch) Opens;
    /// `c` 1 when through MPI-IO.
    Hdf5 FileOpenH5 = 301, "H5Fopen"(Name, Flags, Switch) Opens;
    Hdf5 FileFlush = 302, "H5Fflush"();
    Hdf5 FileCloseH5 = 303, "H5Fclose"() Closes;
    /// Name is file:dataset; `+` per dimension, at most 8 (`+b` 0 no chunks).
    Hdf5 DatasetCreate = 304, "H5Dcreate"(Name, ItemSize, Dimensions; Size, ChunkSize) Opens;
    /// As [`Op::DatasetCreate`].
    Hdf5 DatasetOpen = 305, "H5Dopen"(Name, ItemSize, Dimensions; Size, ChunkSize) Opens;
    /// `a` selection (0 all, 1 points, 2 regular, 3 irregular hyperslab, 4 none), `c` 1 collective; `+` per dimension of a regular one, at most 8.
    Hdf5 DatasetRead = 306, "H5Dread"(Kind, Bytes, Manner; Offset, Count, Stride) Reads;
    /// As [`Op::DatasetRead`].
    Hdf5 DatasetWrite = 307, "H5Dwrite"(Kind, Bytes, Manner; Offset, Count, Stride) Writes;
    Hdf5 DatasetFlush = 308, "H5Dflush"();
    Hdf5 DatasetClose = 309, "H5Dclose"() Closes;

    Pnetcdf NcCreate = 320, "ncmpi_create"(Name, Mode, Communicator) Opens;
    Pnetcdf NcOpen = 321, "ncmpi_open"(Name, Mode, Communicator) Opens;
    Pnetcdf NcEnddef = 322, "ncmpi_enddef"();
    Pnetcdf NcClose = 323, "ncmpi_close"() Closes;
    /// Name is file:variable; one slot per file and variable.
    Pnetcdf NcVariable = 324, "ncmpi_def_var"(Name, ItemSize, Dimensions) Opens;
    /// `c` 0 independent, 1 collective, 2 nonblocking, 3 nonblocking through the library's buffer; `a` 1 var, 2 var1, 3 vara, 4 vars, 5 varm, 6 varn, 7 vard.
    Pnetcdf NcGet = 325, "ncmpi_get"(Kind, Bytes, Manner) Reads;
    /// As [`Op::NcGet`].
    Pnetcdf NcPut = 326, "ncmpi_put"(Kind, Bytes, Manner) Writes;
    /// Waits for `b` nonblocking requests of file `slot`; `c` 1 collective.
    Pnetcdf NcWait = 327, "ncmpi_wait"(-, Count, Manner);
    Pnetcdf NcSync = 328, "ncmpi_sync"();
    Pnetcdf NcRedef = 329, "ncmpi_redef"();
    /// Independent access begins (`a` 1) or ends (0).
    Pnetcdf NcIndependent = 330, "ncmpi_indep_data"(Switch);
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

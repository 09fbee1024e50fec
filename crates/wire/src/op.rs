//! The calls a recorder sees, each with the meaning of its three arguments.
//!
//! A call that failed has `ret = -errno` (MPI: minus the error class). Where a call names a file by
//! path, the argument is the id of a name; where it works on an open file, `slot` says which open
//! it was. Codes are only ever appended: old parts and traces keep their meaning.
//!
//! This table is the only place that says what an operation does. A row is its layer, name, code and
//! name in a program text, then the [`Role`] of each argument (`-` unused; after `;` those of its
//! first `More` record) and its [`Trait`]s. All else is derived, `docs/reference/ops.md` included.

mod basic_types;
mod role;
mod traits;

pub use basic_types::BASIC_TYPES;
pub use role::Role;
pub use traits::{Direction, Effect, Ending, Place};

use traits::{Row, Trait};

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
    ($($(#[doc = $doc:literal])+ $layer:ident $name:ident = $code:literal,
        $text:literal($($role:tt),* $(; $($more:tt),+)?) $($trait:ident)*;)+) => {
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

            /// What the table says in words.
            pub const fn doc(self) -> &'static str {
                match self { $(Op::$name => concat!($($doc),+),)+ }
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
    /// Text of a name; raw records only, see [`crate::record`].
    Note Name = 1, "name"() NoSlot;
    /// Three more arguments of the call before it, see the operations that say so.
    Note More = 2, "more"() NoSlot;
    /// A slot this process holds from its parent: `slot` here, `a` the slot in the parent's part.
    Note Inherit = 3, "inherit"(ParentSlot) Opens;
    /// `marigraph_flush()`: a mark of the program.
    Note Mark = 4, "mark"() NoSlot;
    /// The program asked for an `io_uring`: `a` entries, `b` flags. What goes through it is in `Uring*`.
    Note UringSetup = 5, "io_uring_setup"(Count, Flags) NoSlot;
    /// Entries of a ring that were submitted but could not be read: `a` of them; `c` 0 not file I/O,
    /// 1 reads, 2 writes, 3 both or unknown; `b` and `slot` are what the entries that were read share.
    Note UringOther = 6, "io_uring_other"(Count, Bytes, Kind);
    /// A file that the program held from its start as descriptor 0, 1 or 2: `slot`, `a` name, `b` flags, `c` position.
    Note Held = 7, "held"(Name, OpenFlags, Position) Holds;

    /// Opens a file and makes `slot`: `a` name, `b` flags | mode << 32, `c` size at open (-1 unknown; 0 if it was
    /// born after this process, unless opened for appending).
    Posix Open = 10, "open"(Name, OpenFlags, SizeFound) Opens;
    /// Closes `slot`.
    Posix Close = 11, "close"() Closes;
    /// Makes the new slot `a` an alias of `slot`, at one shared position.
    Posix Dup = 12, "dup"(Slot) Copies;
    /// Reads at the position: `b` bytes asked.
    Posix Read = 13, "read"(-, Bytes) Reads;
    /// Writes at the position: `b` bytes.
    Posix Write = 14, "write"(-, Bytes) Writes;
    /// Reads at `a`: `b` bytes.
    Posix Pread = 15, "pread"(Offset, Bytes) Reads;
    /// Writes at `a`: `b` bytes.
    Posix Pwrite = 16, "pwrite"(Offset, Bytes) Writes;
    /// Reads at the position into `c` buffers: `b` bytes.
    Posix Readv = 17, "readv"(-, Bytes, Count) Reads;
    /// Writes at the position from `c` buffers: `b` bytes.
    Posix Writev = 18, "writev"(-, Bytes, Count) Writes;
    /// Reads at `a` into `c` buffers: `b` bytes.
    Posix Preadv = 19, "preadv"(Offset, Bytes, Count) Reads;
    /// Writes at `a` from `c` buffers: `b` bytes.
    Posix Pwritev = 20, "pwritev"(Offset, Bytes, Count) Writes;
    /// Moves the position by `a` from `b` (`SEEK_SET` 0, `CUR` 1, `END` 2); returns it.
    Posix Lseek = 21, "lseek"(Offset, Whence);
    /// Sets the size of the file named `a` to `b`.
    Posix Truncate = 22, "truncate"(Name, Size);
    /// Sets the size of `slot` to `b`.
    Posix Ftruncate = 23, "ftruncate"(-, Size);
    /// Reserves `b` bytes at `a` in mode `c`.
    Posix Fallocate = 24, "fallocate"(Offset, Bytes, Mode);
    /// Advice `c` about `b` bytes at `a`.
    Posix Fadvise = 25, "fadvise"(Offset, Bytes, Command);
    /// Reads ahead `b` bytes at `a`.
    Posix Readahead = 26, "readahead"(Offset, Bytes);
    /// Writes back `slot`.
    Posix Fsync = 27, "fsync"();
    /// Writes back the data of `slot`.
    Posix Fdatasync = 28, "fdatasync"();
    /// Writes back everything.
    Posix Sync = 29, "sync"() NoSlot NotReplayed;
    /// Writes back the file system of `slot`.
    Posix Syncfs = 30, "syncfs"();
    /// Writes back `b` bytes at `a`, flags `c`.
    Posix SyncFileRange = 31, "sync_file_range"(Offset, Bytes, Flags);
    /// From `slot` at `a` (-1 its position) `b` bytes to slot `c` (0 not a file that is followed).
    Posix Sendfile = 32, "sendfile"(Offset, Bytes, Slot) Reads Writes;
    /// From `slot` at `a` (-1 its position) `b` bytes to slot `c`; `More`: `a` where there (-1 its position), `b` flags.
    Posix CopyFileRange = 33, "copy_file_range"(Offset, Bytes, Slot; Offset, Flags) Reads Writes;
    /// As [`Op::CopyFileRange`]; a side that is a pipe has slot 0.
    Posix Splice = 34, "splice"(Offset, Bytes, Slot; Offset, Flags) Reads Writes NotReplayed;
    /// Maps `b` bytes at `a` of `slot`; `c` protection | flags << 32.
    Posix Mmap = 35, "mmap"(Offset, Bytes, Flags) NotReplayed;
    /// Unmaps `b` bytes at `a` of `slot`.
    Posix Munmap = 36, "munmap"(Offset, Bytes) NotReplayed;
    /// Writes back a map: `b` bytes at `a` of `slot`, flags `c`.
    Posix Msync = 37, "msync"(Offset, Bytes, Flags) NotReplayed;
    /// Control call `b` of `slot` that shares blocks with slot `c` (clones).
    Posix Clone = 38, "ioctl"(-, Command, Slot) NotReplayed;
    /// `a` name, `c` kind and rights found (0 unknown).
    Posix Stat = 40, "stat"(Name, -, KindFound);
    /// `a` name, `c` kind and rights found.
    Posix Lstat = 41, "lstat"(Name, -, KindFound);
    /// Of `slot`; `c` kind and rights.
    Posix Fstat = 42, "fstat"(-, -, KindFound);
    /// `a` name, `b` mask, `c` kind and rights found.
    Posix Statx = 43, "statx"(Name, Mask, KindFound);
    /// `a` name, `b` mode.
    Posix Access = 44, "access"(Name, Mode);
    /// `a` name.
    Posix Unlink = 45, "unlink"(Name, Flags);
    /// `a` name.
    Posix Rmdir = 46, "rmdir"(Name);
    /// From name `a` to name `b`, flags `c`.
    Posix Rename = 47, "rename"(Name, Name, Flags);
    /// From name `a` to name `b`.
    Posix Link = 48, "link"(Name, Name);
    /// Link `b` with content `a`, both names.
    Posix Symlink = 49, "symlink"(Name, Name) NotReplayed;
    /// `a` name, `b` bytes asked.
    Posix Readlink = 50, "readlink"(Name, Bytes) NotReplayed;
    /// `a` name, `b` mode.
    Posix Mkdir = 51, "mkdir"(Name, Rights);
    /// `a` name, `b` mode.
    Posix Mknod = 52, "mknod"(Name, Rights) NotReplayed;
    /// `a` name, `b` mode.
    Posix Chmod = 53, "chmod"(Name, Rights);
    /// `slot`, `b` mode.
    Posix Fchmod = 54, "fchmod"(-, Rights);
    /// `a` name, `b` owner | group << 32.
    Posix Chown = 55, "chown"(Name, Owner) NotReplayed;
    /// `slot`, `b` owner | group << 32.
    Posix Fchown = 56, "fchown"(-, Owner) NotReplayed;
    /// `a` name.
    Posix Utime = 57, "utimensat"(Name);
    /// Of `slot`.
    Posix Futime = 58, "futimens"();
    /// `a` name.
    Posix Chdir = 59, "chdir"(Name);
    /// To `slot`.
    Posix Fchdir = 60, "fchdir"();
    /// `a` name.
    Posix Statfs = 61, "statfs"(Name);
    /// Of `slot`.
    Posix Fstatfs = 62, "fstatfs"();
    /// Opens the directory named `a` as `slot`.
    Posix Opendir = 63, "opendir"(Name) Opens;
    /// Next entry of `slot`; returns 1, or 0 at its end.
    Posix Readdir = 64, "readdir"();
    /// Closes the directory `slot`.
    Posix Closedir = 65, "closedir"() Closes;
    /// Entries of `slot`, `b` bytes asked.
    Posix Getdents = 66, "getdents64"(-, Bytes);
    /// Reads the whole directory named `a`; returns its entries.
    Posix Scandir = 67, "scandir"(Name) NotReplayed;
    /// Locks `slot`, operation `b`.
    Posix Flock = 68, "flock"(-, Command) NotReplayed;
    /// Locks `b` bytes at `a` of `slot`; `c` command.
    Posix Lock = 69, "lockf"(Offset, Bytes, Command) NotReplayed;
    /// Attribute of name `a`, `b` bytes; `c` 0 get, 1 set, 2 list, 3 remove.
    Posix Xattr = 70, "xattr"(Name, Bytes, Command) NotReplayed;
    /// Attribute of `slot`, `b` bytes; `c` as in [`Op::Xattr`].
    Posix Fxattr = 71, "fxattr"(-, Bytes, Command) NotReplayed;
    /// A file descriptor of `slot` changed its flags to `b` (`F_SETFL`).
    Posix SetFlags = 72, "fcntl"(-, Flags);
    /// Submits an asynchronous read: `b` bytes at `a`, request `c`.
    Posix AioRead = 73, "aio_read"(Offset, Bytes, Request) Reads Begins NotReplayed;
    /// Submits an asynchronous write: `b` bytes at `a`, request `c`.
    Posix AioWrite = 74, "aio_write"(Offset, Bytes, Request) Writes Begins NotReplayed;
    /// Submits an asynchronous write-back, request `c`; `b` 1 of the data only.
    Posix AioFsync = 75, "aio_fsync"(-, Switch, Request) Begins NotReplayed;
    /// Takes the result of request `c`: `a` 1 read, 2 write, 3 sync; `ret` bytes moved.
    Posix AioReturn = 76, "aio_return"(Kind, -, Request) NotReplayed;
    /// Ring entry: reads `b` bytes at `a` (-1 the position), request `c`.
    Posix UringRead = 77, "io_uring_read"(Offset, Bytes, Request) Reads Ring NotReplayed;
    /// Ring entry: writes `b` bytes at `a` (-1 the position), request `c`.
    Posix UringWrite = 78, "io_uring_write"(Offset, Bytes, Request) Writes Ring NotReplayed;
    /// Ring entry: write-back, request `c`; `b` 1 of the data only.
    Posix UringFsync = 79, "io_uring_fsync"(-, Switch, Request) Ring NotReplayed;

    /// The descriptor below the stream of slot `a` was asked for: makes `slot` for it.
    Posix Fileno = 80, "fileno"(Slot) Opens;

    /// Opens a stream and makes `slot`: `a` name, `b` flags | mode << 32 as of `open`, `c` size at open.
    Stdio Fopen = 100, "fopen"(Name, OpenFlags, SizeFound) Opens;
    /// Makes a stream `slot` of the descriptor that has slot `a` (0 not followed); `b` flags.
    Stdio Fdopen = 101, "fdopen"(Slot, OpenFlags) Opens;
    /// Opens name `a` anew as `slot`, closing slot `c`; `b` flags.
    Stdio Freopen = 102, "freopen"(Name, OpenFlags, Slot) Opens NotReplayed;
    /// Closes `slot`.
    Stdio Fclose = 103, "fclose"() Closes;
    /// Flushes `slot`.
    Stdio Fflush = 104, "fflush"();
    /// Reads `b` bytes in items of `c`; returns bytes.
    Stdio Fread = 105, "fread"(-, Bytes, ItemSize) Reads;
    /// Writes `b` bytes in items of `c`; returns bytes.
    Stdio Fwrite = 106, "fwrite"(-, Bytes, ItemSize) Writes;
    /// One character; returns 1, or 0 at the end.
    Stdio Fgetc = 107, "fgetc"() Reads;
    /// One character; returns 1.
    Stdio Fputc = 108, "fputc"() Writes;
    /// A line of at most `b` bytes, `a` 1 if there was one; returns bytes.
    Stdio Fgets = 109, "fgets"(Found, Limit) Reads;
    /// A text; returns bytes.
    Stdio Fputs = 110, "fputs"(-, Bytes) Writes;
    /// Formatted; returns bytes.
    Stdio Fprintf = 111, "fprintf"(-, Bytes) Writes;
    /// Formatted reading, `b` bytes passed over, `a` 1 when nothing matched; returns bytes, 0 at the end.
    Stdio Fscanf = 112, "fscanf"(Found, Skipped) Reads;
    /// Whole line or up to a mark; returns bytes.
    Stdio Getline = 113, "getline"(-, -, Delimiter) Reads;
    /// Moves by `a` from `b`; returns 0; `c` the position then.
    Stdio Fseek = 114, "fseek"(Offset, Whence, Position);
    /// To the start.
    Stdio Rewind = 115, "rewind"();
    /// To a saved position; `c` the position then.
    Stdio Fsetpos = 116, "fsetpos"(-, -, Offset);
    /// A standard stream of the process was first used: `a` 0 input, 1 output, 2 errors; makes `slot`.
    Stdio Standard = 117, "standard stream"(Kind) Holds NotReplayed;
    /// Puts a character back.
    Stdio Ungetc = 118, "ungetc"();

    /// `a` 1 when with threads; returns 0.
    Mpi Init = 200, "MPI_Init"(Switch) NoSlot Meets;
    /// End of MPI.
    Mpi Finalize = 201, "MPI_Finalize"() NoSlot Meets;
    /// All of communicator `c` wait.
    Mpi Barrier = 202, "MPI_Barrier"(-, -, Communicator) NoSlot Meets;
    /// New communicator `a` of `b` processes, own rank `c`, numbered from 3 (1 the world, 2 the process alone; 0 none came of it); `More`: `a` first world rank, `b` stride or -1, `c` the communicator it came from (0 unknown).
    Mpi Comm = 203, "MPI_Comm"(Communicator, Members, Rank; Rank, Stride, Communicator) NoSlot Collective;
    /// Datatype `a` (see [`BASIC_TYPES`]) of `b` bytes, `c` combiner in MPI's order from 1 named (0 unknown); `More`: `a` extent, `b` lower bound, `c` arguments; then the arguments by three, at most 3072: numbers, addresses, types, as of `MPI_Type_get_contents` (order 0 C, 1 Fortran; distribution 0 block, 1 cyclic, 2 none).
    Mpi Type = 204, "MPI_Type"(Datatype, Size, Combiner; Extent, Offset, Count) NoSlot;
    /// Opens `slot`: `a` name, `b` mode, `c` communicator; `More` if hints were given: `a` how many.
    Mpi FileOpen = 210, "MPI_File_open"(Name, MpiMode, Communicator; Hints) Opens Meets;
    /// Closes `slot`.
    Mpi FileClose = 211, "MPI_File_close"() Closes Meets;
    /// Name `a`.
    Mpi FileDelete = 212, "MPI_File_delete"(Name);
    /// To `b` bytes.
    Mpi FileSetSize = 213, "MPI_File_set_size"(-, Size) Meets;
    /// `b` bytes.
    Mpi FilePreallocate = 214, "MPI_File_preallocate"(-, Size) Meets;
    /// Returns it.
    Mpi FileGetSize = 215, "MPI_File_get_size"();
    /// Writes back.
    Mpi FileSync = 216, "MPI_File_sync"() Meets;
    /// At byte `a` with elements of type `b` in type `c`; `More`: `a` representation (0 native, 1 internal, 2 external32, 3 other), `b` hints (-1 none). Offsets of other calls count elements.
    Mpi FileSetView = 217, "MPI_File_set_view"(Offset, ElementType, Datatype; Representation, Hints) Meets;
    /// `a` on or off.
    Mpi FileSetAtomicity = 218, "MPI_File_set_atomicity"(Switch) Collective;
    /// Moves by `a` from `b` as in [`Op::Lseek`].
    Mpi FileSeek = 219, "MPI_File_seek"(Offset, Whence);
    /// The shared pointer, by `a` from `b`.
    Mpi FileSeekShared = 220, "MPI_File_seek_shared"(Offset, Whence) Collective;
    /// `b` bytes of type `c`.
    Mpi FileRead = 221, "MPI_File_read"(-, Bytes, Datatype) Reads;
    /// `b` bytes of type `c`.
    Mpi FileWrite = 222, "MPI_File_write"(-, Bytes, Datatype) Writes;
    /// At `a`: `b` bytes of type `c`.
    Mpi FileReadAt = 223, "MPI_File_read_at"(Offset, Bytes, Datatype) Reads;
    /// At `a`: `b` bytes of type `c`.
    Mpi FileWriteAt = 224, "MPI_File_write_at"(Offset, Bytes, Datatype) Writes;
    /// Collective: `b` bytes of type `c`.
    Mpi FileReadAll = 225, "MPI_File_read_all"(-, Bytes, Datatype) Reads Meets;
    /// Collective: `b` bytes of type `c`.
    Mpi FileWriteAll = 226, "MPI_File_write_all"(-, Bytes, Datatype) Writes Meets;
    /// Collective, at `a`: `b` bytes of type `c`.
    Mpi FileReadAtAll = 227, "MPI_File_read_at_all"(Offset, Bytes, Datatype) Reads Meets;
    /// Collective, at `a`: `b` bytes of type `c`.
    Mpi FileWriteAtAll = 228, "MPI_File_write_at_all"(Offset, Bytes, Datatype) Writes Meets;
    /// At the shared pointer: `b` bytes of type `c`.
    Mpi FileReadShared = 229, "MPI_File_read_shared"(-, Bytes, Datatype) Reads Shared;
    /// At the shared pointer: `b` bytes of type `c`.
    Mpi FileWriteShared = 230, "MPI_File_write_shared"(-, Bytes, Datatype) Writes Shared;
    /// Collective, in order of rank: `b` bytes of type `c`.
    Mpi FileReadOrdered = 231, "MPI_File_read_ordered"(-, Bytes, Datatype) Reads Shared Meets;
    /// Collective, in order of rank: `b` bytes of type `c`.
    Mpi FileWriteOrdered = 232, "MPI_File_write_ordered"(-, Bytes, Datatype) Writes Shared Meets;
    /// Does not wait: `b` bytes of type `c`; `More`: `a` request.
    Mpi FileIread = 233, "MPI_File_iread"(-, Bytes, Datatype; Request) Reads Begins;
    /// Does not wait: `b` bytes of type `c`; `More`: `a` request.
    Mpi FileIwrite = 234, "MPI_File_iwrite"(-, Bytes, Datatype; Request) Writes Begins;
    /// Does not wait, at `a`: `b` bytes of type `c`; `More`: `a` request.
    Mpi FileIreadAt = 235, "MPI_File_iread_at"(Offset, Bytes, Datatype; Request) Reads Begins;
    /// Does not wait, at `a`: `b` bytes of type `c`; `More`: `a` request.
    Mpi FileIwriteAt = 236, "MPI_File_iwrite_at"(Offset, Bytes, Datatype; Request) Writes Begins;
    /// Collective, does not wait: `b` bytes of type `c`; `More`: `a` request.
    Mpi FileIreadAll = 237, "MPI_File_iread_all"(-, Bytes, Datatype; Request) Reads Collective Begins;
    /// Collective, does not wait: `b` bytes of type `c`; `More`: `a` request.
    Mpi FileIwriteAll = 238, "MPI_File_iwrite_all"(-, Bytes, Datatype; Request) Writes Collective Begins;
    /// Collective, does not wait, at `a`: `b` bytes of type `c`; `More`: `a` request.
    Mpi FileIreadAtAll = 239, "MPI_File_iread_at_all"(Offset, Bytes, Datatype; Request) Reads Collective Begins;
    /// Collective, does not wait, at `a`: `b` bytes of type `c`; `More`: `a` request.
    Mpi FileIwriteAtAll = 240, "MPI_File_iwrite_at_all"(Offset, Bytes, Datatype; Request) Writes Collective Begins;
    /// Does not wait, at the shared pointer: `b` bytes of type `c`; `More`: `a` request.
    Mpi FileIreadShared = 241, "MPI_File_iread_shared"(-, Bytes, Datatype; Request) Reads Shared Begins;
    /// Does not wait, at the shared pointer: `b` bytes of type `c`; `More`: `a` request.
    Mpi FileIwriteShared = 242, "MPI_File_iwrite_shared"(-, Bytes, Datatype; Request) Writes Shared Begins;
    /// Split collective: `b` bytes of type `c`.
    Mpi FileReadAllBegin = 243, "MPI_File_read_all_begin"(-, Bytes, Datatype) Reads Collective Split;
    /// Split collective: `b` bytes of type `c`.
    Mpi FileWriteAllBegin = 244, "MPI_File_write_all_begin"(-, Bytes, Datatype) Writes Collective Split;
    /// Split collective, at `a`: `b` bytes of type `c`.
    Mpi FileReadAtAllBegin = 245, "MPI_File_read_at_all_begin"(Offset, Bytes, Datatype) Reads Collective Split;
    /// Split collective, at `a`: `b` bytes of type `c`.
    Mpi FileWriteAtAllBegin = 246, "MPI_File_write_at_all_begin"(Offset, Bytes, Datatype) Writes Collective Split;
    /// Split collective: `b` bytes of type `c`.
    Mpi FileReadOrderedBegin = 247, "MPI_File_read_ordered_begin"(-, Bytes, Datatype) Reads Shared Collective Split;
    /// Split collective: `b` bytes of type `c`.
    Mpi FileWriteOrderedBegin = 248, "MPI_File_write_ordered_begin"(-, Bytes, Datatype) Writes Shared Collective Split;
    /// End of the split collective of `slot`; `a` 1 read, 2 write.
    Mpi FileSplitEnd = 249, "MPI_File_end"(Kind) Collective;
    /// A request of nonblocking I/O on `slot` was complete: request `a`; `ret` bytes moved.
    Mpi Wait = 250, "MPI_Wait"(Request);
    /// Takes `a` hints (-1 none).
    Mpi FileSetInfo = 251, "MPI_File_set_info"(Hints) Collective;

    /// Makes `slot`: `a` name, `b` flags, `c` 1 when through MPI-IO.
    Hdf5 FileCreate = 300, "H5Fcreate"(Name, Flags, Switch) Opens;
    /// Opens `slot`: `a` name, `b` flags, `c` 1 when through MPI-IO.
    Hdf5 FileOpenH5 = 301, "H5Fopen"(Name, Flags, Switch) Opens;
    /// Writes back `slot`.
    Hdf5 FileFlush = 302, "H5Fflush"();
    /// Closes `slot`.
    Hdf5 FileCloseH5 = 303, "H5Fclose"() Closes;
    /// Makes dataset `slot`: `a` name (file:dataset), `b` element bytes, `c` dimensions; `More` per dimension (at most 8): `a` size, `b` chunk size (0 no chunks).
    Hdf5 DatasetCreate = 304, "H5Dcreate"(Name, ItemSize, Dimensions; Size, ChunkSize) Opens;
    /// Opens dataset `slot`, as [`Op::DatasetCreate`].
    Hdf5 DatasetOpen = 305, "H5Dopen"(Name, ItemSize, Dimensions; Size, ChunkSize) Opens;
    /// `b` bytes; `a` selection kind (1 points, 2 regular, 3 irregular hyperslab, 0 all, 4 none), `c` 1 collective; `More` per dimension of a regular one (at most 8): `a` start, `b` length, `c` stride.
    Hdf5 DatasetRead = 306, "H5Dread"(Kind, Bytes, Manner; Offset, Count, Stride) Reads;
    /// As [`Op::DatasetRead`].
    Hdf5 DatasetWrite = 307, "H5Dwrite"(Kind, Bytes, Manner; Offset, Count, Stride) Writes;
    /// Writes back dataset `slot`.
    Hdf5 DatasetFlush = 308, "H5Dflush"();
    /// Closes dataset `slot`.
    Hdf5 DatasetClose = 309, "H5Dclose"() Closes;

    /// Makes `slot`: `a` name, `b` mode, `c` communicator.
    Pnetcdf NcCreate = 320, "ncmpi_create"(Name, Mode, Communicator) Opens;
    /// Opens `slot`: `a` name, `b` mode, `c` communicator.
    Pnetcdf NcOpen = 321, "ncmpi_open"(Name, Mode, Communicator) Opens;
    /// Leaves define mode.
    Pnetcdf NcEnddef = 322, "ncmpi_enddef"();
    /// Closes `slot`.
    Pnetcdf NcClose = 323, "ncmpi_close"() Closes;
    /// Defines variable `slot` (one slot per file and variable): `a` name (file:variable), `b` element bytes, `c` dimensions.
    Pnetcdf NcVariable = 324, "ncmpi_def_var"(Name, ItemSize, Dimensions) Opens;
    /// Reads `b` bytes of variable `slot`; `c` 0 independent, 1 collective, 2 nonblocking, 3 nonblocking through the library's buffer, `a` kind (1 var, 2 var1, 3 vara, 4 vars, 5 varm, 6 varn, 7 vard).
    Pnetcdf NcGet = 325, "ncmpi_get"(Kind, Bytes, Manner) Reads;
    /// Writes, as [`Op::NcGet`].
    Pnetcdf NcPut = 326, "ncmpi_put"(Kind, Bytes, Manner) Writes;
    /// Waits for nonblocking requests of file `slot`; `c` 1 collective, `b` requests.
    Pnetcdf NcWait = 327, "ncmpi_wait"(-, Count, Manner);
    /// Writes back `slot`.
    Pnetcdf NcSync = 328, "ncmpi_sync"();
    /// Redefines `slot`.
    Pnetcdf NcRedef = 329, "ncmpi_redef"();
    /// Independent access to `slot` begins (`a` 1) or ends (0).
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

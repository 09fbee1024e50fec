//! What a call has of the program text, and what its operation does with bytes.

use marigraph_wire::op::Op::{
    AioRead, AioWrite, CopyFileRange, DatasetRead, DatasetWrite, Fgetc, Fgets, FileIread, FileIreadAll,
    FileIreadAt, FileIreadAtAll, FileIreadShared, FileIwrite, FileIwriteAll, FileIwriteAt, FileIwriteAtAll,
    FileIwriteShared, FileRead, FileReadAll, FileReadAllBegin, FileReadAt, FileReadAtAll, FileReadAtAllBegin,
    FileReadOrdered, FileReadOrderedBegin, FileReadShared, FileWrite, FileWriteAll, FileWriteAllBegin,
    FileWriteAt, FileWriteAtAll, FileWriteAtAllBegin, FileWriteOrdered, FileWriteOrderedBegin,
    FileWriteShared, Fprintf, Fputc, Fputs, Fread, Fscanf, Fwrite, Getline, NcGet, NcPut, Pread, Preadv,
    Pwrite, Pwritev, Read, Readv, Sendfile, Splice, UringRead, UringWrite, Write, Writev,
};
use marigraph_wire::op::{Layer, Op};

/// A place in a program: never an address, which differs from process to process.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Site {
    /// Name of the program or library.
    pub module: String,
    /// Bytes from its start.
    pub offset: u64,
}

/// Shape of a call. Failed calls are shapes of their own: what the others return are then amounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    pub(super) op: Op,
    pub(super) depth: u8,
    pub(super) flags: u8,
    pub(super) failed: bool,
    /// Index into the table of sites; 0 unknown.
    pub(super) site: u32,
}

impl Shape {
    /// Whether what it returns is kept as the difference to what was asked for.
    pub(super) fn returns_request(&self) -> bool {
        !self.failed && direction(self.op).is_some()
    }

    /// What of `b` and the return value counts as bytes moved, if it moves any.
    pub(super) fn moves(&self) -> Option<(Direction, Amount)> {
        let direction = direction(self.op).filter(|_| !self.failed)?;
        let amount = match (self.op.layer(), self.op) {
            (_, Op::AioRead | Op::AioWrite | Op::UringRead | Op::UringWrite) => Amount::Asked,
            (Layer::Posix | Layer::Stdio, _) => Amount::Returned,
            _ => Amount::Asked,
        };
        Some((direction, amount))
    }
}

/// Where bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// From storage.
    Read,
    /// To storage.
    Write,
    /// From one file to another.
    Both,
}

/// Which value of a call says how many bytes it moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Amount {
    /// The return value.
    Returned,
    /// What was asked for: layers that return a status, and calls that do not wait.
    Asked,
}

/// The direction of an operation that moves bytes, each byte once: not the end of a split
/// collective, nor a look-up of a result.
pub(super) fn direction(op: Op) -> Option<Direction> {
    match op {
        AioRead | Read | Pread | Readv | Preadv | UringRead | Fread | Fgetc | Fgets | Fscanf | Getline
        | FileRead | FileReadAt | FileReadAll | FileReadAtAll | FileReadShared | FileReadOrdered
        | FileIread | FileIreadAt | FileIreadAll | FileIreadAtAll | FileIreadShared | FileReadAllBegin
        | FileReadAtAllBegin | FileReadOrderedBegin | DatasetRead | NcGet => Some(Direction::Read),
        AioWrite
        | Write
        | Pwrite
        | Writev
        | Pwritev
        | UringWrite
        | Fwrite
        | Fputc
        | Fputs
        | Fprintf
        | FileWrite
        | FileWriteAt
        | FileWriteAll
        | FileWriteAtAll
        | FileWriteShared
        | FileWriteOrdered
        | FileIwrite
        | FileIwriteAt
        | FileIwriteAll
        | FileIwriteAtAll
        | FileIwriteShared
        | FileWriteAllBegin
        | FileWriteAtAllBegin
        | FileWriteOrderedBegin
        | DatasetWrite
        | NcPut => Some(Direction::Write),
        Sendfile | CopyFileRange | Splice => Some(Direction::Both),
        _ => None,
    }
}

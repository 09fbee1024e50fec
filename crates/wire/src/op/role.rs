//! Meaning of the arguments of a call.

macro_rules! roles {
    ($(#[doc = $doc:literal] $role:ident $name:literal;)+) => {
        /// What an argument of a call is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Role { $(#[doc = $doc] $role,)+ }

        impl Role {
            pub const ALL: &'static [Role] = &[$(Role::$role,)+];

            pub const fn doc(self) -> &'static str {
                match self { $(Role::$role => $doc,)+ }
            }

            pub const fn name(self) -> &'static str {
                match self { $(Role::$role => $name,)+ }
            }
        }
    };
}

roles! {
    /// The call has no such argument.
    Unused "-";
    /// Where an access lies, or how far a seek goes; in elements for MPI-IO, -1 the position.
    Offset "offset";
    /// Bytes asked for.
    Bytes "bytes";
    /// Id of a name.
    Name "name";
    /// Another open file than that of the call.
    Slot "other open file";
    /// A slot of the parent process.
    ParentSlot "slot of the parent";
    /// Flags of a kind of its own.
    Flags "flags";
    /// Flags of `open`, and the rights of a new file in the upper half.
    OpenFlags "flags";
    /// Rights of a file.
    Rights "mode";
    /// Mode of `MPI_File_open`.
    MpiMode "mode";
    /// A mode of another kind.
    Mode "mode";
    /// What is asked of a call that does several things.
    Command "command";
    /// Which of several kinds, numbered by the operation.
    Kind "kind";
    /// Whether the ranks go together, and whether the call waits.
    Manner "manner";
    /// On or off.
    Switch "switch";
    /// What is asked for.
    Mask "mask";
    /// Owner, and the group in the upper half.
    Owner "owner";
    /// Where a seek begins.
    Whence "whence";
    /// The position after the call.
    Position "position";
    /// Size that a file or a datatype gets.
    Size "size";
    /// Size of the file before the call.
    SizeFound "size found";
    /// Kind and rights of the file before the call.
    KindFound "kind found";
    /// Whether something was there.
    Found "found";
    /// Whether nothing matched.
    Unmatched "unmatched";
    /// Bytes at most.
    Limit "limit";
    /// Bytes passed over.
    Skipped "bytes skipped";
    /// The character that ends a line.
    Delimiter "delimiter";
    /// Number of buffers, entries or requests.
    Count "count";
    /// Bytes of an item.
    ItemSize "item size";
    /// Number of dimensions.
    Dimensions "dimensions";
    /// Size of a chunk in a dimension.
    ChunkSize "chunk size";
    /// From one to the next.
    Stride "stride";
    /// Number of a request.
    Request "request";
    /// Number of a communicator.
    Communicator "communicator";
    /// Processes in a communicator.
    Members "members";
    /// A rank.
    Rank "rank";
    /// Number of hints; -1 no info object.
    Hints "hints";
    /// Number of a datatype.
    Datatype "type";
    /// Number of the datatype that offsets count.
    ElementType "element type";
    /// How data are represented in the file.
    Representation "representation";
    /// How a datatype is made.
    Combiner "combiner";
    /// Bytes that a datatype spans.
    Extent "extent";
    /// Where a datatype begins.
    LowerBound "lower bound";
}

impl Role {
    /// Whether it describes the file system before the call.
    pub const fn is_state(self) -> bool {
        matches!(self, Role::SizeFound | Role::KindFound)
    }
}

/// Pads the given roles with unused ones.
pub(super) const fn three(given: &[Role]) -> [Role; 3] {
    match *given {
        [] => [Role::Unused; 3],
        [a] => [a, Role::Unused, Role::Unused],
        [a, b] => [a, b, Role::Unused],
        [a, b, c, ..] => [a, b, c],
    }
}

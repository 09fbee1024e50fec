//! Examples of advice in a program or a job script.

/// A few lines of code that show advice.
#[derive(Debug, PartialEq, Eq)]
pub struct Example {
    /// `c` or `sh`.
    pub language: &'static str,
    pub title: &'static str,
    pub text: &'static str,
}

/// Declares examples: name, language, title, and the file that holds the text.
macro_rules! examples {
    ($($name:ident $language:literal $title:literal $file:literal;)*) => {
        $(pub(super) static $name: Example = Example {
            language: $language,
            title: $title,
            text: include_str!(concat!("../../assets/advice/", $file)),
        };)*
    };
}

examples! {
    COLLECTIVE_WRITE "c" "collective write" "collective_write.c";
    COLLECTIVE_READ "c" "collective read" "collective_read.c";
    HINTS "c" "hints for collective buffering" "hints.c";
    AGGREGATORS "sh" "hints from the environment" "aggregators.sh";
    STRIPING "sh" "striping on Lustre" "striping.sh";
    FILE_VIEW "c" "a file view" "file_view.c";
    NONBLOCKING "c" "nonblocking write" "nonblocking.c";
    BROADCAST "c" "read once and broadcast" "broadcast.c";
    POSITIONED "c" "offset and access in one call" "positioned.c";
    BUFFER "c" "a buffer of a block" "buffer.c";
    ALIGNED_MEMORY "c" "aligned memory" "aligned_memory.c";
    HDF5_ALIGNMENT "c" "alignment in HDF5" "hdf5_alignment.c";
    STREAM_BUFFER "c" "a larger buffer for a stream" "stream_buffer.c";
    SUBSET "c" "a writer per node" "subset.c";
    NODE_LOCAL "sh" "input on the nodes" "node_local.sh";
    OPEN_ONCE "c" "open once" "open_once.c";
}

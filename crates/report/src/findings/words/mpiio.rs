//! Words about MPI-IO.

use super::super::examples;
use super::Words;

const JOINED: &str = "The time of small accesses beyond that of the same bytes in accesses of 4 MiB, which collective calls would make of them.";

pub(super) const NO_MPIIO: Words = Words {
    title: "A parallel job without MPI-IO",
    evidence: "{processes} processes move {bytes} through POSIX, none of it through MPI-IO.",
    advice: "Where processes share files or each has its own, MPI-IO (or HDF5 and PnetCDF on it) can join their requests.",
    estimate: JOINED,
    example: Some(&examples::COLLECTIVE_WRITE),
};

pub(super) const NO_COLLECTIVE_READS: Words = Words {
    title: "MPI-IO reads one process at a time",
    evidence: "{independent} MPI-IO reads, none of them collective; {views} file views.",
    advice: "Use the collective calls (MPI_File_read_all and the like), which join requests across processes.",
    estimate: JOINED,
    example: Some(&examples::COLLECTIVE_READ),
};

pub(super) const NO_COLLECTIVE_WRITES: Words = Words {
    title: "MPI-IO writes one process at a time",
    evidence: "{independent} MPI-IO writes, none of them collective; {views} file views.",
    advice: "Use the collective calls (MPI_File_write_all and the like), which join requests across processes.",
    estimate: JOINED,
    example: Some(&examples::COLLECTIVE_WRITE),
};

pub(super) const NO_COLLECTIVES: Words = Words {
    title: "Most MPI-IO calls are independent",
    evidence: "{independent} of {calls} MPI-IO reads and writes ({share}) are independent.",
    advice: "Use the collective calls for these as well, with hints for collective buffering.",
    estimate: JOINED,
    example: Some(&examples::HINTS),
};

pub(super) const NO_DATATYPES: Words = Words {
    title: "MPI-IO without datatypes",
    evidence: "{small} of {calls} MPI-IO accesses ({share}) are of 1 MiB or less, and no file view describes several at once.",
    advice: "Describe what a process accesses by a datatype, set it as the file view, and move it in one collective call.",
    estimate: JOINED,
    example: Some(&examples::FILE_VIEW),
};

pub(super) const COLLECTIVE_READS: Words = Words {
    title: "Collective reads are used",
    evidence: "{collective} of {calls} MPI-IO reads ({share}) are collective.",
    advice: "Keep it so.",
    estimate: "",
    example: None,
};

pub(super) const COLLECTIVE_WRITES: Words = Words {
    title: "Collective writes are used",
    evidence: "{collective} of {calls} MPI-IO writes ({share}) are collective.",
    advice: "Keep it so.",
    estimate: "",
    example: None,
};

const HIDDEN: &str = "The time of these calls, as far as there is other work to hide it behind.";

pub(super) const BLOCKING_READS: Words = Words {
    title: "MPI-IO reads block",
    evidence: "{calls} MPI-IO reads, none of them nonblocking or split, take {seconds} over all processes.",
    advice: "Read what comes next while computing: MPI_File_iread_at_all and the like, or HDF5's asynchronous connector.",
    estimate: HIDDEN,
    example: Some(&examples::NONBLOCKING),
};

pub(super) const BLOCKING_WRITES: Words = Words {
    title: "MPI-IO writes block",
    evidence: "{calls} MPI-IO writes, none of them nonblocking or split, take {seconds} over all processes.",
    advice: "Write while computing goes on: MPI_File_iwrite_at_all and the like, or HDF5's asynchronous connector.",
    estimate: HIDDEN,
    example: Some(&examples::NONBLOCKING),
};

pub(super) const FEWER_AGGREGATORS: Words = Words {
    title: "Fewer aggregators than nodes",
    evidence: "The hint cb_nodes asks for {aggregators} aggregators; number of nodes: {nodes}.",
    advice: "Fine where the storage is saturated; try one per node where it is not.",
    estimate: "",
    example: None,
};

pub(super) const MORE_AGGREGATORS: Words = Words {
    title: "More aggregators than nodes",
    evidence: "The hint cb_nodes asks for {aggregators} aggregators; number of nodes: {nodes}.",
    advice: "Set as many aggregators as nodes: those of one node share its network.",
    estimate: "The time in MPI-IO beyond that in POSIX below it, for the aggregators beyond one per node.",
    example: Some(&examples::AGGREGATORS),
};

pub(super) const AGGREGATOR_PER_NODE: Words = Words {
    title: "One aggregator per node",
    evidence: "The hint cb_nodes asks for {aggregators} aggregators; number of nodes: {nodes}.",
    advice: "Keep it so.",
    estimate: "",
    example: None,
};

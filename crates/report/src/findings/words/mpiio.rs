//! Texts of findings about MPI-IO.

use super::super::examples;
use super::Words;

const JOINED: &str = "Estimate: time of the small accesses, minus the time of the same bytes in 4 MiB accesses, as collective calls would make them.";

pub(super) const NO_MPIIO: Words = Words {
    title: "A parallel job without MPI-IO",
    evidence: "{processes} processes move {bytes} through POSIX, none of it through MPI-IO.",
    advice: "MPI-IO (or HDF5 and PnetCDF on top of it) can merge the requests of processes.",
    estimate: JOINED,
    example: Some(&examples::COLLECTIVE_WRITE),
};

pub(super) const NO_COLLECTIVE_READS: Words = Words {
    title: "MPI-IO reads are independent, not collective",
    evidence: "{independent} MPI-IO reads, none of them collective; {views} file views.",
    advice: "Use collective calls (MPI_File_read_all and similar), which merge requests across processes.",
    estimate: JOINED,
    example: Some(&examples::COLLECTIVE_READ),
};

pub(super) const NO_COLLECTIVE_WRITES: Words = Words {
    title: "MPI-IO writes are independent, not collective",
    evidence: "{independent} MPI-IO writes, none of them collective; {views} file views.",
    advice: "Use collective calls (MPI_File_write_all and similar), which merge requests across processes.",
    estimate: JOINED,
    example: Some(&examples::COLLECTIVE_WRITE),
};

pub(super) const NO_COLLECTIVES: Words = Words {
    title: "Most MPI-IO calls are independent",
    evidence: "{independent} of {calls} MPI-IO reads and writes ({share}) are independent.",
    advice: "Use collective calls for these as well, with hints for collective buffering.",
    estimate: JOINED,
    example: Some(&examples::HINTS),
};

pub(super) const NO_DATATYPES: Words = Words {
    title: "MPI-IO without datatypes",
    evidence: "{small} of {calls} MPI-IO accesses ({share}) move 1 MiB or less, and no file view combines several.",
    advice: "Describe a process's accesses by a datatype, set it as the file view, and move all data in one collective call.",
    estimate: JOINED,
    example: Some(&examples::FILE_VIEW),
};

pub(super) const COLLECTIVE_READS: Words = Words {
    title: "Collective reads are used",
    evidence: "{collective} of {calls} MPI-IO reads ({share}) are collective.",
    advice: "No change needed.",
    estimate: "",
    example: None,
};

pub(super) const COLLECTIVE_WRITES: Words = Words {
    title: "Collective writes are used",
    evidence: "{collective} of {calls} MPI-IO writes ({share}) are collective.",
    advice: "No change needed.",
    estimate: "",
    example: None,
};

const HIDDEN: &str = "Estimate: time of these calls, as far as computing can hide it.";

pub(super) const BLOCKING_READS: Words = Words {
    title: "MPI-IO reads could overlap with computing",
    evidence: "{calls} MPI-IO reads, none of them nonblocking or split, take {seconds} over all processes.",
    advice: "Read the next data while computing: use MPI_File_iread_at_all and similar, or HDF5's asynchronous connector.",
    estimate: HIDDEN,
    example: Some(&examples::NONBLOCKING),
};

pub(super) const BLOCKING_WRITES: Words = Words {
    title: "MPI-IO writes could overlap with computing",
    evidence: "{calls} MPI-IO writes, none of them nonblocking or split, take {seconds} over all processes.",
    advice: "Write while computing: use MPI_File_iwrite_at_all and similar, or HDF5's asynchronous connector.",
    estimate: HIDDEN,
    example: Some(&examples::NONBLOCKING),
};

pub(super) const FEWER_AGGREGATORS: Words = Words {
    title: "Fewer aggregators than nodes",
    evidence: "The hint cb_nodes asks for {aggregators} aggregators; number of nodes: {nodes}.",
    advice: "Fine if storage is saturated; otherwise try one per node.",
    estimate: "",
    example: None,
};

pub(super) const MORE_AGGREGATORS: Words = Words {
    title: "More aggregators than nodes",
    evidence: "The hint cb_nodes asks for {aggregators} aggregators; number of nodes: {nodes}.",
    advice: "Use one aggregator per node: aggregators on one node share its network.",
    estimate: "Estimate: time in MPI-IO minus time in POSIX below it, for the aggregators beyond one per node.",
    example: Some(&examples::AGGREGATORS),
};

pub(super) const AGGREGATOR_PER_NODE: Words = Words {
    title: "One aggregator per node",
    evidence: "The hint cb_nodes asks for {aggregators} aggregators; number of nodes: {nodes}.",
    advice: "No change needed.",
    estimate: "",
    example: None,
};

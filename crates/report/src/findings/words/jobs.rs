//! Words about metadata, balance and jobs as a whole.

use super::super::examples;
use super::Words;

const METADATA: &str = "All time in metadata calls.";

pub(super) const REPEATED_OPENS: Words = Words {
    title: "Files are opened over and over",
    evidence: "{opens} opens: each file {times} times by each process that uses it.",
    advice: "Open a file once and keep it open while it is in use.",
    estimate: "The time in metadata calls, but for one open of each file.",
    example: Some(&examples::OPEN_ONCE),
};

pub(super) const METADATA_HEAVY: Words = Words {
    title: "Metadata calls take much of the I/O time",
    evidence: "{calls} metadata calls take {share} of the I/O time: {seconds} over all processes.",
    advice: "Open files once and keep them open; avoid stat in loops; let one rank look and tell the others.",
    estimate: METADATA,
    example: Some(&examples::OPEN_ONCE),
};

pub(super) const SLOW_METADATA: Words = Words {
    title: "Metadata calls on single files take long",
    evidence: "Records of a file with more than 30 s in metadata calls: {records}, the longest {longest}.",
    advice: "Let fewer processes open the file at once, collectively where it is HDF5 or MPI-IO; avoid sync and stat in loops.",
    estimate: "The time in metadata calls of these records.",
    example: Some(&examples::HDF5_ALIGNMENT),
};

pub(super) const FILE_PER_PROCESS: Words = Words {
    title: "A small file for each process",
    evidence: "{files} files of single processes in a job of {processes}, {per_process} per process; metadata calls take {share} of the I/O time, and more the larger the job.",
    advice: "Write one shared file with collective MPI-IO, or a file per node; or create the files in advance.",
    estimate: METADATA,
    example: Some(&examples::COLLECTIVE_WRITE),
};

pub(super) const MANY_SMALL_FILES: Words = Words {
    title: "Many small files",
    evidence: "{files} files of {mean} on average.",
    advice: "Pack them into few large files (HDF5, tar, a database), or keep them on node-local storage.",
    estimate: METADATA,
    example: Some(&examples::NODE_LOCAL),
};

const WAITING: &str = "What the slowest rank takes longer than the mean, over these files.";

pub(super) const RANK_IMBALANCE: Words = Words {
    title: "Ranks wait for the slowest one on shared files",
    evidence: "On shared files the slowest ranks take {slowest}, {lost} of it longer than the mean.",
    advice: "Spread the data evenly over ranks and storage targets; look at the map of ranks for the slow ones and the nodes they run on.",
    estimate: WAITING,
    example: Some(&examples::STRIPING),
};

pub(super) const BYTE_IMBALANCE: Words = Words {
    title: "Ranks move different amounts in shared files",
    evidence: "The slowest and the fastest rank of a shared file differ by up to {difference} of all its bytes.",
    advice: "Spread the data evenly over ranks, or write collectively, so that aggregators do it.",
    estimate: WAITING,
    example: Some(&examples::COLLECTIVE_WRITE),
};

const UNEVEN: &str = "What the process with most bytes takes longer than the mean, if time goes with bytes.";

pub(super) const UNEVEN_WRITES: Words = Words {
    title: "Processes that use the same file write different amounts",
    evidence: "In files of some processes the one that writes least writes up to {difference} less than the one that writes most ({most}).",
    advice: "Spread the data evenly over the processes that write, or write collectively.",
    estimate: UNEVEN,
    example: Some(&examples::COLLECTIVE_WRITE),
};

pub(super) const UNEVEN_READS: Words = Words {
    title: "Processes that use the same file read different amounts",
    evidence: "In files of some processes the one that reads least reads up to {difference} less than the one that reads most ({most}).",
    advice: "Spread the data evenly over the processes that read, or read collectively.",
    estimate: UNEVEN,
    example: Some(&examples::COLLECTIVE_READ),
};

pub(super) const ONE_RANK: Words = Words {
    title: "One process does all the I/O",
    evidence: "One of {processes} processes moves {share} of all bytes ({bytes}) in {seconds}.",
    advice: "Let a subset of the processes do it, one per node to begin with.",
    estimate: "Its time but for what {helpers} processes would take together.",
    example: Some(&examples::SUBSET),
};

pub(super) const STDIO_HEAVY: Words = Words {
    title: "Streams carry much of the data",
    evidence: "{bytes} ({share} of all bytes) pass through stdio.",
    advice: "Use read and write (or MPI-IO) with large buffers for bulk data; keep fprintf for logs.",
    estimate: "The time in streams beyond that of the same bytes at 1 GB/s.",
    example: Some(&examples::STREAM_BUFFER),
};

const FACT: &str = "A fact about the job; nothing to change.";

pub(super) const MOSTLY_WRITES: Words = Words {
    title: "More writes than reads",
    evidence: "{written} POSIX writes, {read} reads.",
    advice: FACT,
    estimate: "",
    example: None,
};

pub(super) const MOSTLY_READS: Words = Words {
    title: "More reads than writes",
    evidence: "{read} POSIX reads, {written} writes.",
    advice: FACT,
    estimate: "",
    example: None,
};

pub(super) const MOSTLY_WRITTEN_BYTES: Words = Words {
    title: "More is written than read",
    evidence: "{written} written through POSIX, {read} read.",
    advice: FACT,
    estimate: "",
    example: None,
};

pub(super) const MOSTLY_READ_BYTES: Words = Words {
    title: "More is read than written",
    evidence: "{read} read through POSIX, {written} written.",
    advice: FACT,
    estimate: "",
    example: None,
};

pub(super) const SINGLE_STRIPE: Words = Words {
    title: "Large shared files lie on one storage target",
    evidence: "{large_files} files, {bytes} moved, stripe count 1.",
    advice: "Stripe them over more targets before they are created.",
    estimate: "The time of these files but for what eight targets would take.",
    example: Some(&examples::STRIPING),
};

pub(super) const SPARSE_IO: Words = Words {
    title: "The speed is not to be trusted: sparse uncoordinated I/O",
    evidence: "{rate} through {interface} would be {per_node} per node, more than the {limit} a node can move.",
    advice: "Do not compare this figure: processes do little I/O and at different times, or from caches, so that the slowest of them says nothing about the storage.",
    estimate: "",
    example: None,
};

pub(super) const STRONG_SCALING: Words = Words {
    title: "The I/O does not keep up as the application grows",
    evidence: "Over {jobs} jobs, from {few_processes} to {many_processes} processes, bytes per process fall from {bytes_at_few} to {bytes_at_many} and speed per process from {rate_at_few} to {rate_at_many}.",
    advice: "Change the strategy with the scale: fewer processes that do I/O, one shared file with collective MPI-IO, larger pieces less often.",
    estimate: "The I/O time of the largest job but for what its bytes would take at the speed per process of the smallest.",
    example: Some(&examples::HINTS),
};

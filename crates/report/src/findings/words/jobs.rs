//! Texts of findings about metadata, balance and the job as a whole.

use super::super::examples;
use super::Words;

const METADATA: &str = "Estimate: all time in metadata calls.";

pub(super) const REPEATED_OPENS: Words = Words {
    title: "Files are opened repeatedly",
    evidence: "{opens} opens: each process opens each of its files {times} times.",
    advice: "Open a file once and keep it open while it is in use.",
    estimate: "Estimate: time in metadata calls, minus one open per file.",
    example: Some(&examples::OPEN_ONCE),
};

pub(super) const METADATA_HEAVY: Words = Words {
    title: "Metadata calls take much of the I/O time",
    evidence: "{calls} metadata calls take {share} of the I/O time: {seconds} over all processes.",
    advice: "Open files once and keep them open; avoid stat in loops; let one rank look up files and broadcast the result.",
    estimate: METADATA,
    example: Some(&examples::OPEN_ONCE),
};

pub(super) const SLOW_METADATA: Words = Words {
    title: "Slow metadata calls on single files",
    evidence: "File records with more than 30 s in metadata calls: {records}; the longest takes {longest}.",
    advice: "Let fewer processes open the file at once, collectively with HDF5 or MPI-IO; avoid sync and stat in loops.",
    estimate: "Estimate: time in metadata calls of these records.",
    example: Some(&examples::HDF5_ALIGNMENT),
};

pub(super) const FILE_PER_PROCESS: Words = Words {
    title: "One small file per process",
    evidence: "{files} files of single processes in a job of {processes}, {per_process} per process; metadata calls take {share} of the I/O time, which grows with the job.",
    advice: "Write one shared file with collective MPI-IO, or one file per node; or create the files in advance.",
    estimate: METADATA,
    example: Some(&examples::COLLECTIVE_WRITE),
};

pub(super) const MANY_SMALL_FILES: Words = Words {
    title: "Many small files",
    evidence: "{files} files of {mean} on average.",
    advice: "Pack them into a few large files (HDF5, tar, a database), or keep them on node-local storage.",
    estimate: METADATA,
    example: Some(&examples::NODE_LOCAL),
};

const WAITING: &str = "Estimate: time of the slowest rank beyond the mean, over these files.";

pub(super) const RANK_IMBALANCE: Words = Words {
    title: "Some ranks are much slower than others on shared files",
    evidence: "On shared files the slowest ranks take {slowest}, which is {lost} more than the mean.",
    advice: "Distribute the data evenly over ranks and storage targets; find the slow ranks and their nodes in Ranks over time.",
    estimate: WAITING,
    example: Some(&examples::STRIPING),
};

pub(super) const BYTE_IMBALANCE: Words = Words {
    title: "Ranks move different amounts of data in shared files",
    evidence: "The bytes of the slowest and the fastest rank of a shared file differ by up to {difference} of all its bytes.",
    advice: "Distribute the data evenly over ranks, or write collectively, so that aggregators balance it.",
    estimate: WAITING,
    example: Some(&examples::COLLECTIVE_WRITE),
};

const UNEVEN: &str =
    "Estimate: time of the process with the most bytes beyond the mean, if time is proportional to bytes.";

pub(super) const UNEVEN_WRITES: Words = Words {
    title: "Processes write different amounts to the same file",
    evidence: "In files used by some processes, the smallest writer writes up to {difference} less than the largest ({most}).",
    advice: "Distribute the data evenly over the writing processes, or write collectively.",
    estimate: UNEVEN,
    example: Some(&examples::COLLECTIVE_WRITE),
};

pub(super) const UNEVEN_READS: Words = Words {
    title: "Processes read different amounts from the same file",
    evidence: "In files used by some processes, the smallest reader reads up to {difference} less than the largest ({most}).",
    advice: "Distribute the data evenly over the reading processes, or read collectively.",
    estimate: UNEVEN,
    example: Some(&examples::COLLECTIVE_READ),
};

pub(super) const ONE_RANK: Words = Words {
    title: "One process does all the I/O",
    evidence: "One of {processes} processes moves {share} of all bytes ({bytes}) in {seconds}.",
    advice: "Let several processes do I/O, starting with one per node.",
    estimate: "Estimate: its time, minus the time that {helpers} processes would need together.",
    example: Some(&examples::SUBSET),
};

pub(super) const STDIO_HEAVY: Words = Words {
    title: "Much of the data goes through STDIO (fopen, fprintf, fread)",
    evidence: "{bytes} ({share} of all bytes) go through STDIO.",
    advice: "Use read and write (or MPI-IO) with large buffers for bulk data; keep fprintf for logs.",
    estimate: "Estimate: time in STDIO, minus the time of the same bytes at 1 GB/s.",
    example: Some(&examples::STREAM_BUFFER),
};

const FACT: &str = "A fact about the job; no change needed.";

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
    title: "More bytes written than read",
    evidence: "{written} written through POSIX, {read} read.",
    advice: FACT,
    estimate: "",
    example: None,
};

pub(super) const MOSTLY_READ_BYTES: Words = Words {
    title: "More bytes read than written",
    evidence: "{read} read through POSIX, {written} written.",
    advice: FACT,
    estimate: "",
    example: None,
};

pub(super) const SINGLE_STRIPE: Words = Words {
    title: "Large shared files on a single storage target",
    evidence: "{large_files} files, {bytes} moved, stripe count 1.",
    advice: "Stripe them over more targets before they are created.",
    estimate: "Estimate: time of these files, minus the time with eight targets.",
    example: Some(&examples::STRIPING),
};

pub(super) const SPARSE_IO: Words = Words {
    title: "The speed estimate is implausible: sparse, uncoordinated I/O",
    evidence: "{rate} through {interface} would be {per_node} per node, above the limit of {limit} per node.",
    advice: "Do not compare this estimate: processes do little I/O at different times, or use caches, so the slowest process says nothing about storage.",
    estimate: "",
    example: None,
};

pub(super) const STRONG_SCALING: Words = Words {
    title: "The I/O does not scale with the application",
    evidence: "Over {jobs} jobs, from {few_processes} to {many_processes} processes, bytes per process fall from {bytes_at_few} to {bytes_at_many} and speed per process from {rate_at_few} to {rate_at_many}.",
    advice: "Adapt the I/O strategy to the scale: fewer I/O processes, one shared file with collective MPI-IO, larger blocks less often.",
    estimate: "Estimate: I/O time of the largest job, minus the time of its bytes at the smallest job's speed per process.",
    example: Some(&examples::HINTS),
};

//! Texts of findings about size, order and repetition of accesses.

use super::super::examples;
use super::Words;

const JOINED: &str = "Estimate: time of the small calls, minus the time of the same bytes in 4 MiB calls; a call is assumed to cost as much as moving 1 MiB.";

pub(super) const SMALL_READS: Words = Words {
    title: "Many small reads",
    evidence: "{small} of {calls} {interface} reads ({share}) move 1 MiB or less; the mean is {mean}.",
    advice: "Read larger blocks: read ahead in the program, read collectively through MPI-IO, or pack samples into larger files.",
    estimate: JOINED,
    example: Some(&examples::COLLECTIVE_READ),
};

pub(super) const SMALL_WRITES: Words = Words {
    title: "Many small writes",
    evidence: "{small} of {calls} {interface} writes ({share}) move 1 MiB or less; the mean is {mean}.",
    advice: "Write larger blocks: buffer in the program, write collectively through MPI-IO, or set larger HDF5 chunks.",
    estimate: JOINED,
    example: Some(&examples::BUFFER),
};

pub(super) const SMALL_SHARED_READS: Words = Words {
    title: "Many small reads of shared files",
    evidence: "{small} of {calls} reads of shared files ({share}) move 1 MiB or less; the mean is {mean}.",
    advice: "Read shared files collectively, so that a few processes read large blocks, or read once and broadcast.",
    estimate: JOINED,
    example: Some(&examples::COLLECTIVE_READ),
};

pub(super) const SMALL_SHARED_WRITES: Words = Words {
    title: "Many small writes to shared files",
    evidence: "{small} of {calls} writes to shared files ({share}) move 1 MiB or less; the mean is {mean}.",
    advice: "Write shared files collectively: small writes by many processes to one file wait for each other's locks.",
    estimate: JOINED,
    example: Some(&examples::COLLECTIVE_WRITE),
};

pub(super) const TINY_READS: Words = Words {
    title: "Every process reads a few bytes at a time, independently",
    evidence: "{tiny} of {calls} reads ({share}) move 100 bytes or less, {per_process} by each process, none of them collective.",
    advice: "Let one process read the whole file and broadcast it; keep such input on a fast file system.",
    estimate: "Estimate: time of these reads spent on calls rather than bytes; a call is assumed to cost as much as moving 1 MiB.",
    example: Some(&examples::BROADCAST),
};

pub(super) const BELOW_BLOCK_SIZE: Words = Words {
    title: "Accesses are far smaller than a file system block",
    evidence: "{below} of {calls} accesses ({share}) move {mean} on average; a block has {block}.",
    advice: "Buffer data and move whole, aligned blocks, or let collective MPI-IO do it.",
    estimate: "Estimate: time of these accesses, minus the time of the same bytes in whole blocks; a call is assumed to cost as much as moving 1 MiB.",
    example: Some(&examples::BUFFER),
};

const IN_ORDER: &str = "Estimate: time of these accesses spent on calls rather than bytes, which read-ahead and write-behind would hide.";

pub(super) const RANDOM_READS: Words = Words {
    title: "Reads are not sequential",
    evidence: "{random} of {following} POSIX reads after the first ({share}) go back in the file; the mean read is {mean}.",
    advice: "Read in file order, or copy the data to node-local storage first.",
    estimate: IN_ORDER,
    example: Some(&examples::NODE_LOCAL),
};

pub(super) const RANDOM_WRITES: Words = Words {
    title: "Writes are not sequential",
    evidence: "{random} of {following} POSIX writes after the first ({share}) go back in the file; the mean write is {mean}.",
    advice: "Sort requests by offset, or let collective MPI-IO do it.",
    estimate: IN_ORDER,
    example: Some(&examples::FILE_VIEW),
};

pub(super) const ORDERLY_READS: Words = Words {
    title: "Reads are sequential",
    evidence: "{sequential} of POSIX reads after the first go forward in the file, {consecutive} start exactly where the previous one ended.",
    advice: "No change needed.",
    estimate: "",
    example: None,
};

pub(super) const ORDERLY_WRITES: Words = Words {
    title: "Writes are sequential",
    evidence: "{sequential} of POSIX writes after the first go forward in the file, {consecutive} start exactly where the previous one ended.",
    advice: "No change needed.",
    estimate: "",
    example: None,
};

pub(super) const UNALIGNED: Words = Words {
    title: "Accesses are not aligned to file system blocks",
    evidence: "{unaligned} of {calls} POSIX accesses ({share}) do not start at a file system block.",
    advice: "Align offsets and sizes to the block or stripe size (H5Pset_alignment in HDF5).",
    estimate: "Estimate: half the time of these accesses, because each needs two blocks where one would do.",
    example: Some(&examples::HDF5_ALIGNMENT),
};

pub(super) const UNALIGNED_MEMORY: Words = Words {
    title: "Buffers are not aligned in memory",
    evidence: "{unaligned} of {calls} POSIX accesses ({share}) use a buffer that is not aligned in memory.",
    advice: "Allocate I/O buffers at page boundaries.",
    estimate: "Estimate: one more copy of these bytes in memory at 1 GB/s, but at most the time of the accesses.",
    example: Some(&examples::ALIGNED_MEMORY),
};

pub(super) const SEEK_PER_ACCESS: Words = Words {
    title: "One seek per access",
    evidence: "{seeks} seeks for {calls} {interface} accesses; metadata calls take {metadata_share} of the I/O time.",
    advice: "Use larger buffers, and pread and pwrite, which take the offset as an argument.",
    estimate: "Estimate: the seeks' share of the time in metadata calls.",
    example: Some(&examples::POSITIONED),
};

const AGAIN: &str = "Estimate: each file's time, times the share of its bytes that were moved before.";

pub(super) const REPEATED_READS: Words = Words {
    title: "The same bytes are read repeatedly",
    evidence: "Of {moved} read, {exact} {again} ({share}) were read before, by the same process or another: each byte {times} times on average.",
    advice: "Keep the data in memory, read once and broadcast, or copy the files to node-local storage before the loop.",
    estimate: AGAIN,
    example: Some(&examples::BROADCAST),
};

pub(super) const REPEATED_WRITES: Words = Words {
    title: "The same bytes are written repeatedly",
    evidence: "Of {moved} written, {exact} {again} ({share}) replace bytes written before: each byte {times} times on average.",
    advice: "Write results once they are final, append instead of rewriting, and keep scratch data in memory or on node-local storage.",
    estimate: AGAIN,
    example: Some(&examples::BUFFER),
};

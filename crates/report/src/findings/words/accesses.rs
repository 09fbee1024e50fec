//! Words about the size, the order and the repetition of accesses.

use super::super::examples;
use super::Words;

const JOINED: &str = "The time of the small ones beyond that of the same bytes in accesses of 4 MiB, if a call takes as long as moving 1 MiB.";

pub(super) const SMALL_READS: Words = Words {
    title: "Many small reads",
    evidence: "{small} of {calls} {interface} reads ({share}) are of 1 MiB or less; the mean is {mean}.",
    advice: "Read larger blocks: read ahead in the program, read collectively through MPI-IO, or pack samples into larger files.",
    estimate: JOINED,
    example: Some(&examples::COLLECTIVE_READ),
};

pub(super) const SMALL_WRITES: Words = Words {
    title: "Many small writes",
    evidence: "{small} of {calls} {interface} writes ({share}) are of 1 MiB or less; the mean is {mean}.",
    advice: "Write larger blocks: buffer in the program, write collectively through MPI-IO, or set larger HDF5 chunks.",
    estimate: JOINED,
    example: Some(&examples::BUFFER),
};

pub(super) const SMALL_SHARED_READS: Words = Words {
    title: "Many small reads of files that all processes share",
    evidence: "{small} of {calls} reads of shared files ({share}) are of 1 MiB or less; the mean is {mean}.",
    advice: "Read shared files collectively, so that few processes ask for large pieces, or read once and broadcast.",
    estimate: JOINED,
    example: Some(&examples::COLLECTIVE_READ),
};

pub(super) const SMALL_SHARED_WRITES: Words = Words {
    title: "Many small writes to files that all processes share",
    evidence: "{small} of {calls} writes to shared files ({share}) are of 1 MiB or less; the mean is {mean}.",
    advice: "Write shared files collectively: small writes of many processes into one file wait for each other's locks.",
    estimate: JOINED,
    example: Some(&examples::COLLECTIVE_WRITE),
};

pub(super) const TINY_READS: Words = Words {
    title: "Every process reads a few bytes at a time, on its own",
    evidence: "{tiny} of {calls} reads ({share}) are of 100 bytes or less, {per_process} by each process, none of them collective.",
    advice: "Let one process read the file as a whole and broadcast it; keep such input on a fast file system.",
    estimate: "The time of these reads that is for calls and not for bytes, if a call takes as long as moving 1 MiB.",
    example: Some(&examples::BROADCAST),
};

pub(super) const BELOW_BLOCK_SIZE: Words = Words {
    title: "Accesses are far smaller than a block of the file system",
    evidence: "{below} of {calls} accesses ({share}) are of {mean} on average; a block has {block}.",
    advice: "Collect data and move whole blocks, aligned to them, or let collective MPI-IO do it.",
    estimate: "The time of these accesses beyond that of the same bytes in whole blocks, if a call takes as long as moving 1 MiB.",
    example: Some(&examples::BUFFER),
};

const IN_ORDER: &str = "The time of these accesses that is for calls and not for bytes, which reading ahead and writing behind would hide.";

pub(super) const RANDOM_READS: Words = Words {
    title: "Reads jump about",
    evidence: "{random} of {following} POSIX reads that follow another ({share}) go back in the file; the mean read is {mean}.",
    advice: "Read in file order, or copy the data to node-local storage first.",
    estimate: IN_ORDER,
    example: Some(&examples::NODE_LOCAL),
};

pub(super) const RANDOM_WRITES: Words = Words {
    title: "Writes jump about",
    evidence: "{random} of {following} POSIX writes that follow another ({share}) go back in the file; the mean write is {mean}.",
    advice: "Sort requests by offset, or let collective MPI-IO do it.",
    estimate: IN_ORDER,
    example: Some(&examples::FILE_VIEW),
};

pub(super) const ORDERLY_READS: Words = Words {
    title: "Reads go forward",
    evidence: "{sequential} of POSIX reads that follow another go on further in the file, {consecutive} exactly where it ended.",
    advice: "Keep it so.",
    estimate: "",
    example: None,
};

pub(super) const ORDERLY_WRITES: Words = Words {
    title: "Writes go forward",
    evidence: "{sequential} of POSIX writes that follow another go on further in the file, {consecutive} exactly where it ended.",
    advice: "Keep it so.",
    estimate: "",
    example: None,
};

pub(super) const UNALIGNED: Words = Words {
    title: "Accesses straddle file system blocks",
    evidence: "{unaligned} of {calls} POSIX accesses ({share}) do not begin at a block of the file system.",
    advice: "Align offsets and sizes to the block or stripe size (H5Pset_alignment in HDF5).",
    estimate: "Half the time of these accesses: each needs two blocks where one would do.",
    example: Some(&examples::HDF5_ALIGNMENT),
};

pub(super) const UNALIGNED_MEMORY: Words = Words {
    title: "Buffers are not aligned in memory",
    evidence: "{unaligned} of {calls} POSIX accesses ({share}) use a buffer that is not aligned in memory.",
    advice: "Allocate buffers for I/O at page boundaries.",
    estimate: "One more copy of these bytes in memory at 1 GB/s, and no more than the accesses take.",
    example: Some(&examples::ALIGNED_MEMORY),
};

pub(super) const SEEK_PER_ACCESS: Words = Words {
    title: "A seek for each access",
    evidence: "{seeks} seeks for {calls} {interface} accesses; metadata calls take {metadata_share} of the I/O time.",
    advice: "Use larger buffers, and pread and pwrite, which take the offset with the access.",
    estimate: "The seeks' part of the time in metadata calls.",
    example: Some(&examples::POSITIONED),
};

const AGAIN: &str = "The part of each file's time that its bytes moved before have of all its bytes.";

pub(super) const REPEATED_READS: Words = Words {
    title: "The same bytes are read again and again",
    evidence: "Of {moved} read, {exact} {again} ({share}) were read before, by the same process or another: each byte {times} times on average.",
    advice: "Keep the data in memory, read once and broadcast, or copy the files to node-local storage before the loop.",
    estimate: AGAIN,
    example: Some(&examples::BROADCAST),
};

pub(super) const REPEATED_WRITES: Words = Words {
    title: "The same bytes are written again and again",
    evidence: "Of {moved} written, {exact} {again} ({share}) replace bytes written before: each byte {times} times on average.",
    advice: "Write results once they are final, append instead of rewriting, and keep scratch data in memory or on node-local storage.",
    estimate: AGAIN,
    example: Some(&examples::BUFFER),
};

//! The bytes that the recorder leaves behind.
//!
//! Two sides share this crate: the recorder, which writes inside other people's processes, and the
//! programs that read its files, often after the process was killed in the middle of a write.
//!
//! | role | module |
//! |---|---|
//! | the two files of a process and the words of its live page | [`part`] |
//! | a checked piece of the log | [`chunk`] |
//! | one call: a fixed cache line | [`record`] |
//! | which calls there are, and what their arguments mean | [`op`] |
//! | a thread's records as bytes: shapes, values, times | [`segment`] |
//! | loops found in a sequence; sequences as bytes; times as bytes | [`fold`], [`sequence`], [`ticks`] |
//! | handles of MPICH as numbers | [`mpich`] |
//! | integers as bytes, checksums | [`bytes`] |
//!
//! A hook fills a [`Record`](record::Record) in the live file. [`segment::encode`] turns a full
//! segment into a [chunk] of the log. A reader takes the chunks, then the records of each segment
//! that are not in the log yet. `docs/reference/parts.md` and `docs/reference/mari.md` describe the
//! files.
//!
//! # Constraints
//!
//! * Code that writes uses no allocation, no `std` and no operation that can panic: it may run in a
//!   signal handler of another program, in memory that the caller lends.
//! * Code that reads may allocate and trusts nothing: it checks lengths, counts and references, and
//!   a damaged chunk costs only itself.
//! * Codes and fields are only appended, so old files keep their meaning.
//!
//! The crate knows no files, no clock, no process and no model of a job. It depends on nothing.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

pub mod bytes;
pub mod chunk;
pub mod fold;
pub mod mpich;
pub mod op;
pub mod part;
pub mod record;
pub mod segment;
pub mod sequence;
pub mod ticks;

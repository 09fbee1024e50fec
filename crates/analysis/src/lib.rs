//! From the model to results: pure functions, and sums over streams.
//!
//! An analysis is a [`Sink`](marigraph_model::Sink) that keeps only what it needs, so a log of any
//! size passes through in bounded memory; its results are plain values. Nothing here reads a file
//! or a clock, draws a number without a given seed, or words a sentence: `report` does the wording.
//!
//! | question | module |
//! |---|---|
//! | what did the job do through each interface? | [`usage`] |
//! | what happened to its files, who shared them, where are they? | [`files`] |
//! | what did the program ask for, and how do its processes share files? | [`asked`] |
//! | when did bytes move, and on which ranks? | [`timeline`], on [`grid`] |
//! | how often does it do I/O? | [`period`] |
//! | what kind of I/O does it do? | [`category`] |
//! | totals, throughput and file kinds as Darshan defines them | [`figures`] |
//! | many records as one; many logs as one | [`Aggregate`], [`combine`] |
//! | what would Darshan have counted for these calls, or these operations? | [`count`] |
//! | how often do the phases of I/O come? | [`period`] |
//! | and while the job runs; when does the next phase begin? | [`online`] |
//! | do two traces tell of the same program? | [`compare`] |
//! | what does it take to perform a trace again? | [`replay`] |
//! | what does a program do that makes the same calls? | [`emit`] |
//! | what did a server move in each minute? | [`minutes`] |
//! | what goes on in a whole system? | [`study`] |
//! | what could be better? | [`advice`] |
//! | a job, or requests, whose truth is known | [`synth`] |

#![forbid(unsafe_code)]

pub mod advice;
mod aggregate;
pub mod asked;
pub mod category;
mod combine;
mod common;
pub mod compare;
pub mod count;
pub mod emit;
pub mod extrapolate;
pub mod figures;
pub mod files;
pub mod grid;
pub mod growth;
pub mod minutes;
pub mod online;
mod parallel;
pub mod period;
pub mod replay;
pub mod signature;
mod standard;
pub mod study;
pub mod synth;
pub mod timeline;
pub mod usage;

pub use aggregate::Aggregate;
pub use combine::combine;

//! Analyses: from the model to results.
//!
//! The crate has three kinds of items:
//!
//! * A *collector* is a [`Sink`](marigraph_model::Sink) that keeps sums or fixed grids, so a log of
//!   any size passes through it in bounded memory. [`Both`](marigraph_model::Both) lets one pass over
//!   a log serve several collectors.
//! * A *result* is a plain value with public fields, computed from what was collected.
//! * A *rule* is a function from results to a judgement: a category, a finding, a period, a
//!   signature.
//!
//! ```
//! use marigraph_analysis::usage::JobUsage;
//! use marigraph_model::counters::posix;
//! use marigraph_model::{Count, Extra, FileId, Module, Records, Scope, Sink};
//!
//! let mut ints = vec![Count::new(0); Module::Posix.ints().len()];
//! ints[posix::BYTES_WRITTEN.at()] = Count::new(4096);
//! let mut records = Records::new(Module::Posix);
//! records.push(FileId(1), Scope::Shared, ints, [], Extra::None);
//!
//! let mut usage = JobUsage::default();
//! usage.records(&records); // a reader does this, block by block
//! assert_eq!(usage.totals().written_bytes, 4096);
//! ```
//!
//! | question | module |
//! |---|---|
//! | **one log** | |
//! | what did the job do through each interface? | [`usage`] |
//! | what did the program ask for, and how do its processes share files? | [`asked`] |
//! | what happened to each file? | [`files`] |
//! | when did bytes move, and on which ranks? | [`timeline`], on [`grid`] |
//! | totals, throughput and kinds of files as Darshan defines them | [`figures`] |
//! | what would Darshan have counted for these calls, or these operations? | [`count`] |
//! | how often do the phases of I/O recur? | [`period`] |
//! | and while the job runs: when does the next phase begin? | [`online`] |
//! | what kind of I/O does it do? | [`category`] |
//! | can the log be trusted? | [`valid`] |
//! | which run does it tell of? | [`run`] |
//! | what could be better? | [`advice`] |
//! | **traces** | |
//! | do two traces show the same program? | [`compare`] |
//! | what does it take to perform a trace again? | [`replay`] |
//! | which program makes the same calls? | [`emit`] |
//! | what would the trace be at another scale? | [`extrapolate`] |
//! | **many logs, servers, whole systems** | |
//! | many records as one; many logs as one | [`Aggregate`], [`combine()`] |
//! | what did a server move in each minute? | [`minutes`] |
//! | what traffic does an application cause? | [`signature`] |
//! | what grew in a file system, and when will it be full? | [`growth`] |
//! | what happens in a whole system? | [`study`] |
//! | **numbers** | |
//! | which points are unlike the others? | [`outliers`] |
//! | **known truth** | |
//! | synthetic logs, requests and systems | [`synth`] |
//!
//! The crate has no side effects. It reads no file, clock or environment, prints nothing, keeps no
//! global state, and takes every seed from its caller. The same input gives the same result, whatever
//! the number of threads. `cargo xtask tidy` checks this. The crate knows no format (readers are in
//! `formats`), no sentence (`report` words results) and no column of the database (`store`). Input may
//! be damaged: sums saturate, and a value that was not recorded is absent, never zero.

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
pub mod examine;
pub mod extrapolate;
pub mod figures;
pub mod files;
pub mod grid;
pub mod growth;
pub mod minutes;
pub mod online;
pub mod outliers;
mod parallel;
pub mod period;
pub mod quantile;
pub mod replay;
pub mod run;
pub mod signature;
mod standard;
pub mod study;
pub mod synth;
pub mod timeline;
pub mod usage;
pub mod valid;

pub use aggregate::Aggregate;
pub use combine::combine;

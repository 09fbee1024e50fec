//! The types that every reader produces and every analysis consumes.
//!
//! A [`Trace`] is one log: a [`Job`], the names of its files ([`FileTable`]), counter records per
//! [`Module`] ([`Records`]), single operations as columns ([`Events`]), bytes over time
//! ([`Series`]), and the [`Problem`]s found while reading. Small logs are held whole. Large ones
//! are streamed: a reader pushes blocks into a [`Sink`], and an analysis is a sink that keeps only
//! its sums.
//!
//! Counters are declared once per module in [`counters`]; [`Roles`] says which of them have the
//! same meaning in several modules, so that an analysis need not name modules.
//!
//! ```
//! use marigraph_model::{Events, Sink};
//!
//! #[derive(Default)]
//! struct Volume(u64);
//! impl Sink for Volume {
//!     fn events(&mut self, block: &Events) {
//!         self.0 += block.bytes().iter().sum::<u64>();
//!     }
//! }
//! ```
//!
//! This crate knows no files, no formats, no serialisation and no clock. It depends on
//! `marigraph-wire` only.

#![forbid(unsafe_code)]

mod call;
pub mod contents;
pub mod counters;
mod event;
mod file;
pub mod folded;
mod job;
mod module;
mod monitor;
mod problem;
mod reader;
mod record;
mod roles;
mod series;
mod server;
mod size;
mod trace;
mod value;

pub use call::{Call, CallSink, CallStream, NameId, Names, SiteId, Slot};
pub use event::{Event, Events};
pub use file::{FileId, FileMap, FileTable};
pub use job::{Job, Mount, MountTable, Rank};
pub use marigraph_wire::op::Direction;
pub use module::{CommonSlots, Module, Roles};
pub use monitor::{Gap, GapCause, Moved, Observed, SECTOR, Sample, Target, TargetColumn, TargetKind};
pub use problem::{Problem, ProblemKind};
pub use reader::{Reader, Streamed};
pub use record::{Extra, Record, Records, Scope};
pub use series::{Component, Layout, MpiSummary, NetworkSummary, Series};
pub use server::{BatchJob, Reading};
pub use size::{MIB, SIZE_BINS, size_bin};
pub use trace::{All, Message, ModuleInfo, Relay, Sink, Trace, TraceFacts};
pub use value::{Civil, Count, Measure, Nanos, WallTime};

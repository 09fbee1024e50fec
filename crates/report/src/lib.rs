//! Results as text, JSON, HTML and SVG.
//!
//! One module per result:
//!
//! - [`show`][]: the contents of a log;
//! - [`period`] and [`predict`]: the period of a job's I/O, afterwards and while it runs;
//! - [`monitor`][]: the counters of a server;
//! - [`category`] and [`corpus`]: the kinds of I/O of one job and of many;
//! - [`signature`] and [`study`]: applications as servers see them, and a whole system;
//! - [`findings`][]: advice;
//! - [`page`][]: the HTML pages;
//! - [`twin`][]: figures in the form of Darshan's own tools.
//!
//! [`units`] and [`table`] are shared.
//!
//! Functions take values and return text; they know neither source nor destination. The names of
//! JSON fields are a contract, listed in `docs/reference/json.md`.

#![forbid(unsafe_code)]

pub mod category;
pub mod corpus;
pub mod diff;
pub mod emit;
pub mod extrapolate;
pub mod findings;
pub mod monitor;
pub mod page;
pub mod period;
pub mod predict;
pub mod replay;
pub mod scaling;
pub mod scan;
pub mod show;
pub mod signature;
pub mod study;
pub mod table;
pub mod twin;
pub mod units;

//! Results as text, JSON, HTML and SVG.
//!
//! One module per result: [`show`] (what a log holds), [`period`] (how often a job does I/O),
//! [`predict`] (the same while it runs), [`monitor`] (what a server counts), [`category`] (what kind of I/O it does), [`corpus`] (what kinds many jobs do),
//! [`signature`] (what applications do to servers), [`study`] (what a whole system does), [`findings`] (advice in words), [`page`]
//! (the page about a job, those over many logs, over a corpus, over signatures and over a whole system), [`twin`] (figures in the form of Darshan's
//! own tools). [`units`] and [`table`] are what they share.
//!
//! Nothing here knows where results came from or where they go: functions take values and return
//! text. The names of JSON fields are a contract, listed in `docs/reference/json.md`.

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

//! Rates over time, as the tools around TMIO and FTIO exchange them.
//!
//! | form | written by | module |
//! |---|---|---|
//! | JSON, JSON Lines | TMIO, `record --stream`, by hand | `json`, `lines`, `shapes` |
//! | MessagePack | TMIO, its ZeroMQ messages | `msgpack`, `scan`, `stream`, `phases` |
//! | JSON, text, MessagePack | GekkoFS clients | `gekko` |
//! | table of rates per step | system monitors | `series` |
//!
//! A file of any form is a [`Log`], incremental input goes through a [`Feed`], and [`Moved`] writes
//! TMIO's lines. Log and feed yield requests: phases of ranks if there are any, else single calls,
//! else the steps of the application's rate as one rank. Entries name no rank; it follows from
//! their order if that is unambiguous, otherwise all belong to rank 0.

mod feed;
mod gather;
mod gekko;
mod json;
mod lines;
mod log;
mod msgpack;
mod phases;
mod scan;
mod series;
mod shapes;
mod stream;
mod tally;
mod write;

pub use feed::{Feed, Flush};
pub use gather::Unit;
pub use log::{Log, sniff};
pub use write::{Moved, Request};

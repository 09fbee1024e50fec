//! Converts every log that Marigraph knows to the model and back.
//!
//! [`unpack`] removes outer compression, [`open`] recognises the content and returns a
//! [`Reader`](marigraph_model::Reader), and a reader streams the log into any
//! [`Sink`](marigraph_model::Sink) of the model. Input that cannot be read at all is an [`Error`];
//! all lesser trouble is a typed [`Problem`](marigraph_model::Problem) alongside the data.
//!
//! A new format is one module here (`sniff` and a reader) and one line in [`FORMATS`].
//!
//! Rules for every reader: input is a slice of bytes, never a path; a length field alone never
//! causes an allocation, memory grows with the bytes that actually arrive ([`Window`]); nothing
//! panics, prints or guesses silently.
//!
//! ```
//! let table = b"rank,start,end,bytes,op\n0,0.0,1.5,4096,write\n";
//! let (content, _) = marigraph_formats::unpack(table, Default::default())?;
//! let trace = marigraph_formats::open(&content, Default::default())?.to_trace();
//! assert_eq!(trace.events.bytes(), [4096]);
//! # Ok::<(), marigraph_formats::Error>(())
//! ```

#![forbid(unsafe_code)]

mod ahead;
mod blocks;
mod bytes;
mod container;
pub mod csv;
pub mod darshan;
pub mod darshan2;
mod error;
mod inflate;
pub mod native;
mod reader;
pub mod recorder_dump;
pub mod server;
pub mod snapshot;
mod source;
pub mod tmio;
mod whole;

pub use bytes::Order;
pub use container::unpack;
pub use error::Error;
pub use inflate::{Compression, Limits, Stop, Window};
pub use reader::{FORMATS, Format, open, recognises};
pub use source::Source;

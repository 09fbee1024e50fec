//! Bytes to model and back.
#![forbid(unsafe_code)]
mod bytes;
pub mod darshan;
mod error;
mod inflate;
pub use bytes::Order;
pub use error::Error;
pub use inflate::{Compression, Limits, Stop, Window};

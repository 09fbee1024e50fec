//! From the model to results.
#![forbid(unsafe_code)]
mod aggregate;
mod combine;
pub mod figures;
pub mod files;
pub mod grid;
pub mod profile;
pub mod timeline;
pub mod usage;
pub use aggregate::Aggregate;
pub use combine::combine;

//! Marigraph's own formats: what the recorder leaves behind, and what is made of it.

pub mod call;
mod found;
pub mod log;
pub mod mari;
pub mod parts;
pub mod profile;

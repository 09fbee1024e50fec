//! Marigraph's own formats: what the recorder leaves behind, and what is made of it.

pub mod log;
pub mod mari;
pub mod parts;

//! Marigraph's own formats: the parts that the recorder leaves behind, and traces.

pub mod log;
pub mod mari;
pub mod parts;

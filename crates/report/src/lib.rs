//! Results as text, JSON, HTML and SVG.
#![forbid(unsafe_code)]
pub mod show;
pub mod table;
pub mod twin;
pub mod units;

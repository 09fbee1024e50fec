//! Signatures: the traffic that an application would cause if it ran alone, mined from what servers saw while
//! it ran among others.

pub mod auto;
pub mod iosi;
mod sample;
pub mod score;

pub use sample::Sample;

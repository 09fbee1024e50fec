//! The bytes the recorder leaves behind, shared by the library that writes them inside other
//! people's processes and the programs that read them.
//!
//! Everything that writes is free of allocation and of operations that can panic, for it runs
//! inside someone else's program. Reading is free to allocate, and trusts nothing.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

pub mod bytes;
pub mod chunk;
pub mod fold;
pub mod mpich;
pub mod op;
pub mod part;
pub mod record;
pub mod segment;
pub mod sequence;
pub mod skeleton;
pub mod ticks;

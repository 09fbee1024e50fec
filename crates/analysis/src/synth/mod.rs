//! Synthetic data with known truth, for experiments and tests. The same seed gives the same data.
//!
//! | what | made by |
//! |---|---|
//! | a whole job with its counters and operations, to be written as a log | [`job()`] |
//! | requests over time, with the period of their phases | [`trace()`] |
//! | a year of logs, with their categories | [`corpus_log()`] |
//! | server and scheduler logs, with the signatures of applications | [`server()`](server::server)
//! |
//! | a whole system: job, scheduler and server logs, contents of file systems |
//! [`system()`](system::system) |

pub mod corpus;
mod dress;
mod job;
mod random;
mod ranks;
pub mod server;
pub mod system;
pub mod trace;

pub use corpus::{CorpusLog, CorpusPlan, LogTruth, corpus_log};
pub use dress::dress;
pub use job::{JobPlan, Made, Truth, job};
pub use random::Random;
pub use trace::{Request, TraceKind, TracePlan, TraceTruth, recorded, trace};

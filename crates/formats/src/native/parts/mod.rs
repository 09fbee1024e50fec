//! Reads the parts of recorded processes and joins them into one run.
//!
//! Two passes, neither of which holds more than a few parts in memory. The first examines every
//! part by itself ([`Facts::of`]; in any order, on any number of threads), [`separate`] puts the
//! parts of each run together, and [`Run::new`] assigns each its rank, clock and parent. The second opens the [`Process`]es one by one ([`Run::open`])
//! and streams their calls. `docs/reference/parts.md` has the rules.

mod book;
mod clock;
mod facts;
mod flow;
mod follow;
mod maps;
mod names;
mod part;
mod problems;
mod process;
mod ranks;
mod run;
mod separate;

#[cfg(test)]
mod made;
#[cfg(test)]
mod tests;

pub use book::Book;
pub use facts::Facts;
pub use follow::{Follower, News, Used};
pub use maps::Site;
pub use part::{Counters, Files};
pub use problems::{Missing, unreadable};
pub use process::{Calls, Merged, Process};
pub use run::{Load, Member, Run, Unreadable};
pub use separate::{JOB_IDS, RECORDING, job_number, separate};

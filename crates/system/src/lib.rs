//! The live machine: what touches processes, signals and the folders that recorded processes
//! write into.
//!
//! [`launch`] starts a program under the recorder and passes signals on to it; [`parts`] lists and
//! removes what recorded processes left; [`watch`] looks at parts that are still growing, reading
//! only what is new; [`mounts`] says which file systems there are. What parts mean is the matter of
//! `marigraph-formats`; nothing here interprets a call.
//!
//! What comes while a job runs is an [`Arrival`](arrival::Arrival), whether it stands in a file that
//! grows ([`follow`]), comes through a [`pipe`] or over the network ([`listen`], with [`zmtp`] for ZeroMQ).
//! [`metrics`] is the one thing that is served, [`stop`] the way to end in order.
//!
//! [`monitor`] looks at the counters of a storage server and keeps a file of them.
//!
//! [`replay`] performs a trace again, below one folder.
//!
//! [`scan`] walks over a file system and counts what it holds; [`users`] knows names of users.
//!
//! `unsafe` stands in `signals`, `replay`, `scan` and `users` alone: the C library's calls have no safe twin there.

pub mod address;
pub mod arrival;
pub mod follow;
pub mod launch;
pub mod listen;
pub mod metrics;
pub mod monitor;
pub mod mounts;
pub mod parts;
pub mod pipe;
pub mod replay;
pub mod scan;
mod server;
mod signals;
pub mod stop;
pub mod users;
pub mod watch;
pub mod zmtp;

//! The live machine: processes, signals, counters and folders.
//!
//! [`launch`] starts a program under the recorder and forwards signals to it; [`parts`] lists and
//! removes the files that recorded processes leave; [`watch`] reads what is new in growing parts;
//! [`mounts`] lists file systems. `marigraph-formats` interprets parts; nothing here does.
//!
//! Input during a run is an [`Arrival`](arrival::Arrival): from a growing file ([`follow`]), a
//! [`pipe`] or the network ([`listen`], with [`zmtp`] for ZeroMQ). [`metrics`] is the only service;
//! [`stop`] ends a program in order.
//!
//! [`monitor`] samples the counters of a storage server into a file.
//!
//! [`replay`] performs a trace again, below one folder.
//!
//! [`scan`] walks a file system and counts its contents; [`users`] looks up names of users.
//!
//! `unsafe` is confined to `signals`, `replay`, `scan` and `users`, where the C library's calls
//! have no safe equivalent.

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

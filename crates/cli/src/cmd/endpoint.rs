//! Shared by commands that listen.

use std::io;
use std::net::SocketAddr;

use marigraph_system::address::Address;

use crate::error::{Failure, complain};

pub fn told<T>(
    address: &Address,
    served: io::Result<T>,
    at: impl Fn(&T) -> SocketAddr,
) -> Result<T, Failure> {
    let served = served.map_err(|error| cannot_listen(address, &error))?;
    complain(&format!("note: serving metrics at http://{}/metrics", at(&served)));
    Ok(served)
}

pub fn cannot_listen(address: &Address, error: &io::Error) -> Failure {
    let hint = match error.kind() {
        io::ErrorKind::AddrInUse => Some("the port is in use; choose another one".to_string()),
        io::ErrorKind::AddrNotAvailable => Some("this machine does not have that address".to_string()),
        _ => None,
    };
    let path = format!("{}:{}", address.host, address.port);
    Failure::Input { path, message: format!("cannot listen: {error}"), hint }
}

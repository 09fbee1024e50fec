//! One thread per connection, up to a limit.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// Pause when the system cannot accept, usually for lack of descriptors.
const BREATH: Duration = Duration::from_millis(100);

/// Counts a connection for as long as it is held.
struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Accepts forever on a thread of its own and passes each connection to `serve` on another one. At
/// most `most` are open at once; further ones go to `refuse` and are closed.
pub(crate) fn run(
    listener: TcpListener,
    most: usize,
    serve: impl Fn(TcpStream, SocketAddr) + Send + Sync + 'static,
    refuse: impl Fn(SocketAddr) + Send + 'static,
) -> io::Result<()> {
    let open = Arc::new(AtomicUsize::new(0));
    let serve = Arc::new(serve);
    let accept = move || {
        loop {
            let Ok((stream, peer)) = listener.accept() else {
                thread::sleep(BREATH);
                continue;
            };
            let before = open.fetch_add(1, Ordering::SeqCst);
            let place = Place(Arc::clone(&open));
            let serve = Arc::clone(&serve);
            let work = move || {
                serve(stream, peer);
                drop(place);
            };
            if before >= most || thread::Builder::new().spawn(work).is_err() {
                refuse(peer);
            }
        }
    };
    thread::Builder::new().spawn(accept).map(drop)
}

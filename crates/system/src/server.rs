//! A thread per connection, but not without end.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// A wait when the system cannot accept, for want of descriptors as a rule.
const BREATH: Duration = Duration::from_millis(100);

/// Counts a connection for as long as it is held.
struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Accepts for ever on a thread of its own and hands each connection to `serve` on another one. No more
/// than `most` are open at once; what comes above goes to `refuse` and is closed.
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

//! A small HTTP endpoint that serves the newest text, as Prometheus expects.
//!
//! Time, size and number of requests are limited, so that no client can block the publisher.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use crate::address::Address;
use crate::server;

const MAX_CLIENTS: usize = 16;
/// Time limit of a request, and of an answer.
const PATIENCE: Duration = Duration::from_secs(5);
const LARGEST_REQUEST: usize = 8 << 10;
const FORM: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A text that clients can get at `/metrics`.
#[derive(Debug, Clone)]
pub struct Metrics {
    at: SocketAddr,
    text: Arc<RwLock<Arc<str>>>,
}

impl Metrics {
    /// The text is empty at first.
    pub fn serve(address: &Address) -> io::Result<Metrics> {
        let text: Arc<RwLock<Arc<str>>> = Arc::new(RwLock::new(Arc::from("")));
        let shown = Arc::clone(&text);
        let newest = move || Arc::clone(&shown.read().unwrap_or_else(PoisonError::into_inner));
        Ok(Metrics { at: serve_made(address, newest)?, text })
    }

    /// The bound address, with the actual port.
    pub fn address(&self) -> SocketAddr {
        self.at
    }

    pub fn publish(&self, text: &str) {
        *self.text.write().unwrap_or_else(PoisonError::into_inner) = Arc::from(text);
    }
}

/// Serves the result of `text`, called on each request: for large texts that are seldom requested.
/// Returns the bound address with its actual port.
pub fn serve_made(
    address: &Address,
    text: impl Fn() -> Arc<str> + Send + Sync + 'static,
) -> io::Result<SocketAddr> {
    let listener = address.bind()?;
    let at = listener.local_addr()?;
    let serve = move |stream: TcpStream, _| {
        // A client that went away only misses its answer.
        let _ = answer(stream, &text);
    };
    server::run(listener, MAX_CLIENTS, serve, |_| {})?;
    Ok(at)
}

fn answer(mut stream: TcpStream, text: &impl Fn() -> Arc<str>) -> io::Result<()> {
    let request = read_request(&mut stream)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let first = request.split(|&byte| byte == b'\r' || byte == b'\n').next().unwrap_or(&[]);
    let mut words = first.split(|&byte| byte == b' ');
    let (method, path) = (words.next().unwrap_or(&[]), words.next().unwrap_or(&[]));
    let path = path.split(|&byte| byte == b'?').next().unwrap_or(&[]);
    let (status, body) = match (method, path) {
        (b"GET" | b"HEAD", b"/metrics" | b"/") => ("200 OK", text()),
        (b"GET" | b"HEAD", _) => ("404 Not Found", Arc::from("see /metrics\n")),
        _ => ("405 Method Not Allowed", Arc::from("only GET is supported\n")),
    };
    let shown = if method == b"HEAD" { "" } else { &body };
    let length = body.len();
    write!(
        stream,
        "HTTP/1.0 {status}\r\nContent-Type: {FORM}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{shown}"
    )?;
    stream.shutdown(Shutdown::Write)
}

/// Reads up to the empty line that ends a request.
fn read_request(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let begun = Instant::now();
    let mut request = Vec::new();
    let mut piece = [0; 1024];
    while !request.windows(2).any(|pair| pair == b"\n\n")
        && !request.windows(4).any(|four| four == b"\r\n\r\n")
    {
        let left = PATIENCE.checked_sub(begun.elapsed()).filter(|left| !left.is_zero());
        let left = left.ok_or(io::ErrorKind::TimedOut)?;
        stream.set_read_timeout(Some(left))?;
        let read = stream.read(&mut piece)?;
        request.extend_from_slice(piece.get(..read).unwrap_or(&[]));
        if read == 0 || request.len() > LARGEST_REQUEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
    Ok(request)
}

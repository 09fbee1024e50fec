//! The metrics endpoint, with valid and invalid requests.

#![allow(clippy::expect_used, clippy::print_stderr)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use marigraph_system::address::Address;
use marigraph_system::metrics::{Metrics, serve_made};

fn serve() -> Metrics {
    Metrics::serve(&Address::parse("0").expect("an address")).expect("serves")
}

fn ask(metrics: &Metrics, request: &[u8]) -> String {
    ask_at(metrics.address(), request)
}

fn ask_at(address: SocketAddr, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).expect("connects");
    // A connection cut by the server, even during the request, is an answer, too.
    let _ = stream.write_all(request);
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

#[test]
fn the_newest_text_is_served() {
    let metrics = serve();
    assert!(metrics.address().ip().is_loopback());
    let get = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
    assert!(ask(&metrics, get).ends_with("\r\n\r\n"));
    for text in ["marigraph_period_seconds 12\n", "marigraph_period_seconds 30\n"] {
        metrics.publish(text);
        let expected = format!(
            "HTTP/1.0 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{text}",
            text.len()
        );
        assert_eq!(ask(&metrics, get), expected);
        assert_eq!(ask(&metrics, b"GET /?a=b HTTP/1.0\n\n"), expected);
        assert_eq!(ask(&metrics, b"HEAD / HTTP/1.0\r\n\r\n"), expected.replace(text, ""));
    }
}

#[test]
fn other_requests_are_told_so() {
    let metrics = serve();
    metrics.publish("secret\n");
    assert!(ask(&metrics, b"GET /etc/passwd HTTP/1.0\r\n\r\n").starts_with("HTTP/1.0 404 "));
    assert!(ask(&metrics, b"POST /metrics HTTP/1.0\r\n\r\n").starts_with("HTTP/1.0 405 "));
    assert!(ask(&metrics, b"\r\n\r\n").starts_with("HTTP/1.0 405 "));
}

#[test]
fn hostile_clients_are_cut_and_hold_up_nobody() {
    let metrics = serve();
    metrics.publish("x 1\n");
    // Some clients say nothing, one sends without end.
    let silent: Vec<TcpStream> =
        (0..8).map(|_| TcpStream::connect(metrics.address()).expect("connects")).collect();
    assert_eq!(ask(&metrics, &[b'a'; 100_000]), "");
    assert!(ask(&metrics, b"GET / HTTP/1.0\r\n\r\n").ends_with("x 1\n"));
    drop(silent);
}

#[test]
fn a_text_is_made_when_it_is_asked_for() {
    let asked = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&asked);
    let make = move || Arc::from(format!("asked {}\n", count.fetch_add(1, Ordering::SeqCst) + 1));
    let at = serve_made(&Address::parse("0").expect("an address"), make).expect("serves");
    assert!(ask_at(at, b"GET /nowhere HTTP/1.0\r\n\r\n").starts_with("HTTP/1.0 404 "));
    assert!(ask_at(at, b"GET /metrics HTTP/1.0\r\n\r\n").ends_with("\r\n\r\nasked 1\n"));
    assert!(ask_at(at, b"GET /metrics HTTP/1.0\r\n\r\n").ends_with("\r\n\r\nasked 2\n"));
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

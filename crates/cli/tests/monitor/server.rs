//! A synthetic server with changing counters, and a monitor that samples it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::common::{Folder, marigraph};

/// Its counters change until it is dropped. All follow from one number, so that every look can be
/// checked.
pub struct Server {
    pub folder: Folder,
    newest: Arc<AtomicU64>,
    over: Arc<AtomicBool>,
    moving: Option<JoinHandle<()>>,
}

pub fn values(number: u64) -> [u64; 9] {
    [number, 8 * number, number / 2, 2 * number, 16 * number, number / 3, number % 5, number / 4, 3 * number]
}

fn write(root: &Path, number: u64) {
    let [reads, read, reading, writes, written, writing, now, busy, weighted] = values(number);
    let line = |name: &str| {
        format!(
            "   8 0 {name} {reads} 1 {read} {reading} {writes} 2 {written} {writing} {now} {busy} {weighted} 0 0 0 0 0 0\n"
        )
    };
    let temporary = root.join("proc/next");
    fs::write(&temporary, line("sdb") + &line("sdc")).expect("writes");
    fs::rename(&temporary, root.join("proc/diskstats")).expect("renames");
}

impl Server {
    /// `every` is the time between changes.
    pub fn start(name: &str, every: Duration) -> Server {
        let folder = Folder::new(name);
        let root = folder.0.join("root");
        fs::create_dir_all(root.join("proc/sys/kernel")).expect("folder");
        fs::write(root.join("proc/sys/kernel/hostname"), "oss7\n").expect("writes");
        write(&root, 1);
        let (newest, over) = (Arc::new(AtomicU64::new(1)), Arc::new(AtomicBool::new(false)));
        let (counter, end) = (Arc::clone(&newest), Arc::clone(&over));
        let moving = thread::spawn(move || {
            while !end.load(Ordering::SeqCst) {
                let number = counter.load(Ordering::SeqCst) + 1;
                write(&root, number);
                counter.store(number, Ordering::SeqCst);
                thread::sleep(every);
            }
        });
        Server { folder, newest, over, moving: Some(moving) }
    }

    pub fn newest(&self) -> u64 {
        self.newest.load(Ordering::SeqCst)
    }

    pub fn log(&self) -> PathBuf {
        self.folder.0.join("log")
    }

    pub fn monitor(&self, interval: &str, arguments: &[&str]) -> Monitor {
        let (log, root) = (self.folder.file("log"), self.folder.file("root"));
        let fixed = ["monitor", "-o", &log, "--root", &root, "--interval", interval, "--metrics", "0"];
        let child = marigraph()
            .args(fixed)
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        Monitor::of(child)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        self.moving.take().map(JoinHandle::join);
    }
}

/// A running monitor with a metrics endpoint.
pub struct Monitor {
    child: Child,
    lines: BufReader<std::process::ChildStderr>,
    address: String,
}

impl Monitor {
    /// Waits until a process just started serves metrics.
    pub fn of(mut child: Child) -> Monitor {
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe"));
        let (told, _) = wait_for(&mut lines, "note: serving metrics at http://");
        let address = told.rsplit_once("http://").map(|(_, at)| at.trim_end_matches("/metrics").to_string());
        Monitor { child, lines, address: address.expect("an address") }
    }

    /// Waits for a line that contains `text`; returns it and the lines before.
    pub fn told(&mut self, text: &str) -> (String, Vec<String>) {
        wait_for(&mut self.lines, text)
    }

    pub fn metrics(&self) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("connects");
        stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").expect("asks");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("is answered");
        answer
    }

    pub fn samples(&self) -> u64 {
        let text = self.metrics();
        let line = text.lines().find_map(|line| line.strip_prefix("marigraph_monitor_samples_total "));
        line.and_then(|number| number.parse().ok()).expect("a number")
    }

    pub fn wait_for_samples(&self, count: u64) -> u64 {
        loop {
            let samples = self.samples();
            if samples >= count {
                return samples;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn kill(mut self) {
        self.child.kill().expect("kills");
        self.child.wait().expect("ends");
    }

    /// Sends `SIGTERM`.
    pub fn stop(self) -> Output {
        let told = std::process::Command::new("kill").args(["-TERM", &self.id().to_string()]).status();
        assert!(told.is_ok_and(|status| status.success()));
        self.child.wait_with_output().expect("ends")
    }
}

fn wait_for(lines: &mut impl BufRead, text: &str) -> (String, Vec<String>) {
    let mut before = Vec::new();
    loop {
        let mut line = String::new();
        assert!(lines.read_line(&mut line).expect("reads") > 0, "{text:?} was not said, but {before:?}");
        let line = line.trim_end().to_string();
        if line.contains(text) {
            return (line, before);
        }
        before.push(line);
    }
}

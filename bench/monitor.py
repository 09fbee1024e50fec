#!/usr/bin/env python3
"""What `marigraph monitor` costs on a server with many busy devices: share of one core, memory, bytes.

    cargo build --release
    python3 bench/monitor.py [--devices 500] [--seconds 60] [--interval 2]

A made-up tree stands for the machine; its counters all move between two looks. The floor is a program that
merely reads the same file at the same pace. Exit 1 if a bar is missed.
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("MARIGRAPH", str(ROOT / "target/release/marigraph"))
BARS = {"share": 0.001, "memory_mb": 20}


def write(tree, devices, look):
    """All counters of all devices as they stand at a look."""
    lines = []
    for device in range(devices):
        moved = look * (700 + device)
        values = [moved, 0, moved * 2048, moved * 3, moved, 0, moved * 2048, moved * 5, device % 7, look * 1900, moved * 8, 0, 0, 0, 0, 0, 0]
        lines.append(f"   8 {device:7} sd{device} {' '.join(map(str, values))}\n")
    (tree / "proc/next").write_text("".join(lines))
    (tree / "proc/next").rename(tree / "proc/diskstats")


def processor(pid):
    """Seconds of processor time of a running process."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def precise(pid):
    """The same to the nanosecond, where the kernel tells."""
    try:
        threads = pathlib.Path(f"/proc/{pid}/task").iterdir()
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9
    except OSError:
        return processor(pid)


def memory(pid):
    """Most memory that a process has had, in MB."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def watch(process, tree, options, warm):
    """Processor time and memory of a process while the counters move."""
    look = 2
    time.sleep(warm)
    before, begin = precise(process.pid), time.monotonic()
    while time.monotonic() - begin < options.seconds:
        look += 1
        write(tree, options.devices, look)
        time.sleep(options.interval / 2)
    elapsed = time.monotonic() - begin
    return (precise(process.pid) - before) / elapsed, memory(process.pid)


FLOOR = """
use std::{fs::File, io::Read, thread, time::Duration};
fn main() {
    let mut text = Vec::new();
    loop {
        text.clear();
        File::open(std::env::args().nth(1).unwrap()).unwrap().read_to_end(&mut text).unwrap();
        thread::sleep(Duration::from_secs_f64(std::env::args().nth(2).unwrap().parse().unwrap()));
    }
}
"""


def floor(work, tree, options):
    """The share of a program that reads the file and does nothing with it."""
    source, program = work / "floor.rs", work / "floor"
    source.write_text(FLOOR)
    subprocess.run(["rustc", "-O", "-o", str(program), str(source)], check=True)
    process = subprocess.Popen([str(program), str(tree / "proc/diskstats"), str(options.interval)])
    try:
        return watch(process, tree, options, options.interval)[0]
    finally:
        process.kill()
        process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--devices", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--interval", type=float, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        tree = work / "tree"
        (tree / "proc").mkdir(parents=True)
        write(tree, options.devices, 1)
        command = [PROGRAM, "monitor", "-o", str(work / "log"), "--root", str(tree), "--interval", str(options.interval), "--metrics", "0", "--json"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        share, most = watch(process, tree, options, 2 * options.interval)
        process.send_signal(signal.SIGTERM)
        told = json.loads(process.communicate()[0])
        per_value = told["bytes"] / told["samples"] / options.devices / 9
        least = floor(work, tree, options)
        print(f"{options.devices} busy devices every {options.interval:g} s for {options.seconds:g} s: {share:.4%} of one core, {most:.1f} MB;"
              f" {told['samples']} looks, {per_value:.2f} bytes per value")
        print(f"merely reading the file: {least:.4%} of one core; ratio {share / least:.1f}")
    sys.exit(0 if share < BARS["share"] and most < BARS["memory_mb"] else 1)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""How long `marigraph signature` takes for three months of a centre, and how that grows.

    cargo build --release
    python3 bench/signatures.py [--days 91] [--jobs 80815] [--scales 0.25,0.5,1]

Makes a throughput log of 2-second lines and a job log of applications in sets of ten runs with a mean of
25 minutes, one in six with its own bursts, and mines all signatures on 2 threads, reading included. The floor is
the time to read both files once. Exit 1 if a bar is missed (60 s and 1 GB at full size).
"""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("MARIGRAPH", str(ROOT / "target/release/marigraph"))
EPOCH = 1_767_571_200
BARS = {"seconds": 60, "memory_mb": 1000}


def stamp(second):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(EPOCH + second))


def make(folder, days, jobs, seed):
    """Two logs whose traffic is that of the jobs, and a base load."""
    dice = random.Random(seed)
    seconds = int(days * 86_400)
    write = [20e6 + 20e6 * dice.random() for _ in range(seconds // 2)]
    rows, number = [], 0
    while number < jobs:
        length = min(max(int(dice.lognormvariate(7.1, 0.6)), 200), 20_000)
        bursts, at = [], dice.randrange(20, 120)
        every = dice.randrange(60, 600)
        does_io = dice.random() < 1 / 6
        while does_io and at + 40 < length:
            bursts.append((at, dice.randrange(6, 40), dice.uniform(0.2e9, 2e9)))
            at += every
        user, app = f"u{number // 40 % 300}", f"app{number // 10}"
        for _ in range(min(10, jobs - number)):
            start = dice.randrange(0, seconds - length - 400)
            late = 0
            for begin, long, rate in bursts:
                late += int(abs(dice.gauss(0, 0.8)))
                for point in range((start + begin + late) // 2, (start + begin + late + long) // 2):
                    write[point] += rate
            rows.append((start, f"{number}|{app}|{user}|16|{stamp(start)}|{stamp(start + length + late)}"))
            number += 1
    rows.sort()
    (folder / "jobs.sacct").write_text("JobID|JobName|User|NNodes|Start|End\n" + "\n".join(row for _, row in rows) + "\n")
    with open(folder / "throughput.csv", "w") as log:
        log.write("timestamp,write_bytes_per_s,read_bytes_per_s\n")
        for at, rate in enumerate(write):
            log.write(f"{EPOCH + 2 * at},{rate:.0f},{rate / 4:.0f}\n")


def timed(command):
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    found = sum(1 for _ in process.stdout)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command[:2]} failed with {process.returncode}")
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=float, default=91)
    parser.add_argument("--jobs", type=int, default=80_815)
    parser.add_argument("--scales", default="0.25,0.5,1")
    options = parser.parse_args()
    good = True
    for scale in map(float, options.scales.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            make(folder, options.days * scale, int(options.jobs * scale), 7)
            files = [folder / "jobs.sacct", folder / "throughput.csv"]
            begin = time.perf_counter()
            size = sum(len(file.read_bytes()) for file in files)
            floor = time.perf_counter() - begin
            wall, cpu, memory, found = timed([PROGRAM, "signature", "--quiet", "--json", "--threads", "2",
                                              "--jobs", str(files[0]), "--throughput", str(files[1])])
            print(f"{scale:g}: {options.days * scale:.0f} days, {int(options.jobs * scale):,} jobs, {size / 1e6:.0f} MB read in {floor:.2f} s: "
                  f"{found:,} signatures in {wall:.1f} s, {cpu:.1f} s of processor time, {memory:.0f} MB")
            if scale >= 1:
                good &= wall < BARS["seconds"] and memory < BARS["memory_mb"]
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""A signature mined from a real device: a program runs five times among noise on a loop device that `monitor`
watches; the signature must resemble what `record` saw of one run alone. Needs root; without it, it is skipped.
With a folder as argument, the logs are copied there.

Variable: MARIGRAPH (the program).
"""
import contextlib
import csv
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from record import ENV, HERE, MARIGRAPH, PYTHON

RUNS, LENGTH_S, PAUSE_S = 5, 20, 5
# The correlation that makes a signature right.
ENOUGH = 0.8
SKIPPED = 77


@contextlib.contextmanager
def device(work):
    """A mounted file system on a loop device of its own; yields the name of the device and the folder."""
    image, folder = work / "image", work / "mounted"
    folder.mkdir()
    with open(image, "wb") as file:
        file.truncate(1 << 30)
    loop = subprocess.run(["losetup", "--find", "--show", image], check=True, capture_output=True, text=True).stdout.strip()
    try:
        subprocess.run(["mkfs.ext4", "-q", loop], check=True)
        subprocess.run(["mount", loop, folder], check=True)
        try:
            yield os.path.basename(loop), folder
        finally:
            subprocess.run(["umount", folder], check=True)
    finally:
        subprocess.run(["losetup", "--detach", loop], check=True)


def program(folder, *more):
    return [PYTHON, str(HERE / "programs/bursts.py"), str(folder), *map(str, more)]


def watched(name, folder, log):
    """The runs among noise while the device is watched: the lines of their scheduler log."""
    monitor = subprocess.Popen([MARIGRAPH, "monitor", "-q", "--interval", "1", "--devices", name, "-o", log])
    noise = subprocess.Popen(program(folder, RUNS * (LENGTH_S + PAUSE_S), 23))
    lines = ["JobID|User|JobName|NNodes|Start|End"]
    for number in range(RUNS):
        time.sleep(PAUSE_S)
        begun = time.time()
        subprocess.run(program(folder), check=True)
        stamps = [time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment)) for moment in (begun, time.time())]
        lines.append("|".join([str(number + 1), "user", "bursts", "1", *stamps]))
    noise.wait()
    monitor.send_signal(signal.SIGINT)
    monitor.wait()
    return lines


def true_rates(folder, work):
    """Bytes per second of a run alone, as recorded."""
    subprocess.run([MARIGRAPH, "record", "--quiet", "--trace", "-o", work / "alone", "--", *program(folder)], check=True, env=ENV)
    subprocess.run([MARIGRAPH, "convert", "--quiet", "-o", work / "alone.csv", work / "alone.mari"], check=True)
    rates = [0.0] * (LENGTH_S + 2)
    with open(work / "alone.csv", encoding="utf-8") as table:
        for row in csv.DictReader(table):
            if row["op"] == "write":
                rates[min(int(float(row["start"])), len(rates) - 1)] += int(row["bytes"])
    return rates


def correlation(one, other):
    """Pearson's coefficient; the shorter one is followed by nothing."""
    length = max(len(one), len(other))
    one, other = ([*values, *[0.0] * (length - len(values))] for values in (one, other))
    means = sum(one) / length, sum(other) / length
    product = sum((a - means[0]) * (b - means[1]) for a, b in zip(one, other))
    squares = sum((a - means[0]) ** 2 for a in one) * sum((b - means[1]) ** 2 for b in other)
    return product / squares ** 0.5 if squares else 0.0


def main():
    if os.geteuid() or not all(map(shutil.which, ("losetup", "mkfs.ext4", "mount"))):
        print("SKIPPED: loop devices need root, losetup and mkfs.ext4")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        with device(work) as (name, folder):
            jobs = watched(name, folder, work / "server.mon")
            truth = true_rates(folder, work)
        (work / "jobs.sacct").write_text("\n".join(jobs) + "\n")
        if len(sys.argv) > 1:
            for path in [*work.glob("server.mon*"), work / "jobs.sacct", work / "alone.csv"]:
                shutil.copy(path, sys.argv[1])
        best = 0.0
        for method in ("dtw", "iosi", "auto"):
            done = subprocess.run([MARIGRAPH, "signature", "--json", "--method", method, "--jobs", work / "jobs.sacct",
                                   "--throughput", *sorted(work.glob("server.mon*"))], capture_output=True, text=True, check=True)
            found = json.loads(done.stdout.splitlines()[0])
            score = correlation(found["write"], truth)
            best = score if method == "auto" else best
            sure = found["confidence"]
            sure = "unknown" if sure is None else f"{sure:.2f}"
            print(f"{method}: correlation {score:.3f} with the recorded run, confidence {sure}, "
                  f"{len(found['bursts'])} bursts of 6, {sum(found['write']) / sum(truth):.2f} of the bytes, {found['samples']} runs")
    sys.exit(0 if best >= ENOUGH else 1)


if __name__ == "__main__":
    main()

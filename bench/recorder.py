#!/usr/bin/env python3
"""What the recorder costs: CPU time per call over a no-op below it, memory, disk, the end of the process.

The real `pwrite` is replaced by an empty function in a library behind the recorder, so that only the
recorder's own work is left. Darshan's runtime, where DARSHAN_RUNTIME names it, is measured in the same
turns, with and without DXT. Figures are medians of five turns.

Usage: bench/recorder.py [calls, default 5000000] [--long: also 10^8 calls]
"""
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARY = pathlib.Path(os.environ.get("MARIGRAPH", ROOT / "target/release/marigraph")).resolve().with_name("libmarigraph_recorder.so")
LOOP = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    long calls = atol(argv[2]), files = argc > 4 ? atol(argv[4]) : 0;
    unsigned long state = 1;
    int random = strcmp(argv[3], "random") == 0;
    int fd = open(argv[1], O_CREAT | O_RDWR, 0600);
    for (long i = 0; i < calls; i++) {
        state = state * 6364136223846793005ul + 1;
        if (pwrite(fd, "x", 1, random ? (long)(state >> 33) : i) != 1)
            return 1;
    }
    close(fd);
    for (long i = 0; i < files; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s.%ld", argv[1], i);
        fd = open(path, O_CREAT | O_WRONLY, 0600);
        close(fd);
        unlink(path);
    }
    char status[8192];
    int own = open("/proc/self/status", O_RDONLY);
    ssize_t len = read(own, status, sizeof status - 1);
    status[len > 0 ? len : 0] = 0;
    char *peak = strstr(status, "VmHWM:");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    dprintf(2, "\nEND %ld %ld.%09ld\n", peak ? atol(peak + 6) : 0, now.tv_sec, now.tv_nsec);
    return 0;
}
"""
NOOP = r"""
#include <sys/types.h>
ssize_t pwrite(int fd, const void *from, size_t len, off_t at) { return len; }
ssize_t pwrite64(int fd, const void *from, size_t len, off_t at) { return len; }
"""


def build(folder):
    (folder / "loop.c").write_text(LOOP)
    (folder / "noop.c").write_text(NOOP)
    subprocess.run(["cc", "-O2", "-o", folder / "loop", folder / "loop.c"], check=True)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", folder / "noop.so", folder / "noop.c"], check=True)


def run(folder, preload, extra, calls, kind, files=0):
    """CPU seconds, seconds from the end of main to the end of the process, peak memory in KiB."""
    env = dict(os.environ, LD_PRELOAD=" ".join(map(str, preload)), **extra)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    child = subprocess.Popen([folder / "loop", folder / "data", str(calls), kind, str(files)], env=env, stderr=subprocess.PIPE)
    text = child.stderr.read().decode()
    status = child.wait()
    ended = time.time()
    assert status == 0, text
    # Darshan, too, prints to standard error, before or after.
    memory, moment = next(line.split()[1:] for line in text.splitlines() if line.startswith("END "))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, ended - float(moment), int(memory)


def disk(folder):
    return sum(path.stat().st_blocks * 512 for path in folder.glob("*"))


def main():
    long = "--long" in sys.argv
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    calls = numbers[0] if numbers else 5_000_000
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        build(folder)
        noop = folder / "noop.so"
        parts = folder / "parts"
        logs = folder / "logs"
        logs.mkdir()
        ours = ([LIBRARY, noop], {"MARIGRAPH_DIR": str(parts)})
        cases = {"nothing": ([noop], {}), "marigraph": ours}
        darshan = os.environ.get("DARSHAN_RUNTIME")
        if darshan:
            env = {"DARSHAN_ENABLE_NONMPI": "1", "DARSHAN_LOGPATH": str(logs)}
            cases["Darshan"] = ([darshan, noop], env)
            cases["Darshan with DXT"] = ([darshan, noop], dict(env, DXT_ENABLE_IO_TRACE="1"))
        else:
            print("SKIPPED: DARSHAN_RUNTIME is not set: Darshan is not measured (4 checks)")
        for kind in ("sequential", "random"):
            seen = {case: [] for case in cases}
            ends = {case: [] for case in cases}
            for _ in range(5):
                for case, (preload, extra) in cases.items():
                    shutil.rmtree(parts, ignore_errors=True)
                    parts.mkdir()
                    cpu, end, _ = run(folder, preload, extra, calls, kind)
                    seen[case].append(cpu)
                    ends[case].append(end)
                    if case == "marigraph":
                        bytes_per_call = sum(path.stat().st_size for path in parts.glob("*.log")) / calls
            base = statistics.median(seen["nothing"])
            for case in cases:
                if case != "nothing":
                    cost = (statistics.median(seen[case]) - base) / calls * 1e9
                    print(f"{kind} offsets, {case}: {cost:.0f} ns per call, {statistics.median(ends[case]) * 1e3:.1f} ms from the end of main to the end")
            print(f"{kind} offsets, marigraph: {bytes_per_call:.2f} bytes per call in the part")
        shutil.rmtree(parts)
        parts.mkdir()
        _, end, _ = run(folder, *cases["marigraph"], 0, "sequential", 200_000)
        print(f"200,000 files: {end * 1e3:.1f} ms from the end of main to the end")
        if long:
            footprint(folder, parts, cases["marigraph"], cases["nothing"])


def footprint(folder, parts, ours, nothing):
    shutil.rmtree(parts)
    parts.mkdir()
    peak, done = 0, threading.Event()

    def watch():
        nonlocal peak
        while not done.wait(0.05):
            peak = max(peak, disk(parts))

    watcher = threading.Thread(target=watch)
    watcher.start()
    _, _, memory = run(folder, *ours, 100_000_000, "sequential")
    done.set()
    watcher.join()
    _, _, bare = run(folder, *nothing, 1000, "sequential")
    print(f"10^8 calls: {(memory - bare) / 1024:.1f} MiB of memory added, {peak / 2**20:.1f} MiB of disk at most")


if __name__ == "__main__":
    main()

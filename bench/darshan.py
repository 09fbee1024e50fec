"""How fast logs are read, printed and reported on, as ratios to peers and to bare inflating.

    cargo build --release --workspace
    DARSHAN_PARSER=/path/to/darshan-parser .venv/bin/python bench/darshan.py

Every figure is user + system time (best of several runs) of whole processes, ours and the peer's in
the same run; machines are noisy, ratios are not. Without DARSHAN_PARSER, PyDarshan or real logs the
rows that need them are skipped, and say so.
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("MARIGRAPH", str(ROOT / "target/release/marigraph"))
INFLATE = [os.environ.get("MARIGRAPH_BENCH", str(ROOT / "target/release/marigraph-bench")), "inflate"]
PARSER = os.environ.get("DARSHAN_PARSER")
DATA = pathlib.Path(os.environ.get("MARIGRAPH_DATA", ROOT / "../shared/data")) / "darshan"
RUNS = int(os.environ.get("RUNS", "5"))


def once(command):
    """CPU seconds, wall seconds and peak memory (MB) of one process, output thrown away."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    with open(os.devnull, "w") as null:
        process = subprocess.Popen(command, stdout=null, stderr=null)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begun
    if process.returncode != 0:
        raise SystemExit(f"{command} failed with {process.returncode}")
    del before
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024


def best(commands, runs=RUNS):
    """The least CPU and wall time over several runs of a list of processes, and the peak memory."""
    results = []
    for _ in range(runs):
        cpu = wall = memory = 0
        for command in commands:
            c, w, m = once(command)
            cpu, wall, memory = cpu + c, wall + w, max(memory, m)
        results.append((cpu, wall, memory))
    return min(r[0] for r in results), min(r[1] for r in results), max(r[2] for r in results)


def row(name, ours, theirs, bound):
    ratio = ours / theirs if theirs else float("nan")
    verdict = "meets" if ratio <= bound else "MISSES"
    print(f"{name:<58} {ours * 1000:9.1f} ms  {theirs * 1000:9.1f} ms  ratio {ratio:6.3f}  bar {bound:.3f}  {verdict}")
    return ratio <= bound


def skipped(name, why):
    print(f"SKIPPED: {name}: {why} (1 checks)")


def real_logs():
    logs = sorted(str(path) for path in DATA.glob("*.darshan")) if DATA.is_dir() else []
    if not logs:
        skipped("text of real logs", f"no logs at {DATA} (set MARIGRAPH_DATA)")
        return
    each = best([[PROGRAM, "show", "--darshan-parser", log] for log in logs])
    if PARSER:
        peer = best([[PARSER, "--show-incomplete", log] for log in logs])
        row(f"text, {len(logs)} logs, a process each / darshan-parser", each[0], peer[0], 1 / 3)
    else:
        skipped("text / darshan-parser", "set DARSHAN_PARSER")
    together = best([[PROGRAM, "show", "--darshan-parser", *logs]])
    floor = best([[*INFLATE, *logs]])
    row("text, one process / bare inflate (target)", together[0], floor[0], 4)
    python = pydarshan_read_all(logs)
    if python:
        row("text, one process / PyDarshan read_all", together[0], python, 1 / 2)
    small = str(DATA / "mpi-io-test-x86_64-3.4.2.darshan")
    _, wall, _ = best([[PROGRAM, "show", small]], runs=20)
    _, nothing, _ = best([["/bin/true"]], runs=20)
    print(f"{'start-up: show on a small log':<58} {wall * 1000:9.1f} ms wall ({nothing * 1000:.1f} ms for /bin/true)")


def pydarshan_read_all(logs):
    """CPU seconds of read_all over all logs, best of RUNS in one process, import excluded."""
    script = f"""
import warnings, resource, sys
warnings.filterwarnings('ignore')
import darshan
logs = {logs!r}
best = 1e9
for _ in range({RUNS}):
    a = resource.getrusage(resource.RUSAGE_SELF)
    for log in logs:
        try:
            darshan.DarshanReport(log, read_all=True)
        except Exception:
            pass
    b = resource.getrusage(resource.RUSAGE_SELF)
    best = min(best, b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime)
print(best)
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    if result.returncode != 0:
        skipped("text / PyDarshan", "PyDarshan is not in this Python")
        return None
    return float(result.stdout.split()[-1])


def large_log(folder):
    log = f"{folder}/large.darshan"
    subprocess.run([PROGRAM, "synth", "job", "--seed", "1", "--files", "200000", "--checkpoints", "2", "-o", log], check=True)
    floor = best([[*INFLATE, log]])
    total = best([[PROGRAM, "show", "--darshan-parser", "--total", log]])
    row("large, --total / bare inflate", total[0], floor[0], 1.5)
    text = best([[PROGRAM, "show", "--darshan-parser", log]], runs=3)
    if PARSER:
        peer = best([[PARSER, log]], runs=3)
        row("large, text / darshan-parser (CPU)", text[0], peer[0], 1 / 4)
        row("large, text / darshan-parser (wall)", text[1], peer[1], 1 / 4)
        peer = best([[PARSER, "--total", log]], runs=3)
        row("large, --total / darshan-parser --total", total[0], peer[0], 1)
    else:
        skipped("large, text / darshan-parser", "set DARSHAN_PARSER")
    _, wall, memory = best([[PROGRAM, "report", log, "-o", f"{folder}/large.html"]], runs=3)
    print(f"{'large, report':<58} {wall:9.2f} s wall, {memory:.0f} MB (bars: 2 s, 300 MB)")


real_logs()
with tempfile.TemporaryDirectory() as name:
    large_log(name)

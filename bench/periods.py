"""How fast periods are found: whole processes, beside FTIO and beside merely parsing the same table.

    cargo build --release --workspace
    FTIO=/path/to/ftio python3 bench/periods.py [ROWS]

The first table has 655,360 requests; one of ROWS (default 10,000,000) is made of its lines again and again.
Every figure is the least of several runs, ours and the others' in the same run. Without FTIO or real logs
the rows that need them are skipped, and say so.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("MARIGRAPH", str(ROOT / "target/release/marigraph"))
PARSE = [os.environ.get("MARIGRAPH_BENCH", str(ROOT / "target/release/marigraph-bench")), "parse"]
FTIO = os.environ.get("FTIO") or shutil.which("ftio")
DATA = pathlib.Path(os.environ.get("MARIGRAPH_DATA", (ROOT / "../shared/data").resolve())) / "tmio"
RUNS = int(os.environ.get("RUNS", "20"))


def once(command):
    """CPU seconds, wall seconds and peak memory (MB) of one process, output thrown away."""
    begun = time.perf_counter()
    # FTIO leaves a file where it is run.
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tempfile.gettempdir()
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{command} failed with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - begun, usage.ru_maxrss / 1024


def best(command, runs):
    results = [once(command) for _ in range(runs)]
    return tuple(min(column) for column in zip(*results))


def row(name, figures, beside=""):
    cpu, wall, memory = figures
    print(f"{name:34} {1000 * wall:10.1f} ms {1000 * cpu:10.1f} ms of CPU {memory:7.0f} MB  {beside}", flush=True)


def real_logs():
    for name in ("8.jsonl", "384.msgpack"):
        log = DATA / name
        if not log.exists():
            print(f"{name}: skipped, there is no {log}")
            continue
        ours = best([PROGRAM, "period", "--json", str(log)], RUNS)
        beside = "FTIO: skipped, set FTIO"
        if FTIO:
            theirs = best([FTIO, str(log), "-e", "no"], 1)
            beside = f"FTIO {theirs[0]:.1f} s of CPU, {theirs[0] / ours[0]:.0f} times as much"
        row(name, ours, beside)


def tables(folder, rows):
    table = folder / "plain.csv"
    command = [PROGRAM, "synth", "trace", "--kind", "plain", "--seed", "5", "--request", "3420000", "-o"]
    subprocess.run([*command, str(table)], check=True, stdout=subprocess.DEVNULL)
    with open(table, "rb") as lines:
        count = sum(1 for _ in lines) - 1
    row(f"{count:,} requests", best([PROGRAM, "period", "--json", str(table)], max(RUNS // 4, 1)))
    long = folder / "long.csv"
    with open(long, "wb") as out:
        # A child's peak memory is at least this process's: the table is never held.
        for turn in range(max(rows // count, 1)):
            with open(table, "rb") as lines:
                if turn > 0:
                    lines.readline()
                shutil.copyfileobj(lines, out)
    ours = best([PROGRAM, "period", "--json", str(long)], 1)
    floor = best([*PARSE, str(long)], 1)
    row(f"{max(rows // count, 1) * count:,} requests", ours, f"{ours[1] / floor[1]:.2f} times the time to parse them")


def main():
    real_logs()
    with tempfile.TemporaryDirectory() as folder:
        tables(pathlib.Path(folder), int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)


if __name__ == "__main__":
    main()

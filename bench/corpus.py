#!/usr/bin/env python3
"""How fast `marigraph categorize --into` is, beside bare inflating, and whether kills change its result.

    cargo build --release --workspace
    python3 bench/corpus.py [--logs 20000] [--folder LOGS] [--kills 20]

Makes a corpus of file-record logs with `synth corpus` (median a few KB, a tail of MBs) unless a folder of
logs is given. Both programs use the same threads on the same files; the smallest of some runs counts.
The floor is inflating by the means that our own readers have; inflating through zlib's interface, as programs
commonly do, is told beside it. Exit 1 if a bar is missed.
"""
import argparse
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("MARIGRAPH", str(ROOT / "target/release/marigraph"))
INFLATE = [os.environ.get("MARIGRAPH_BENCH", str(ROOT / "target/release/marigraph-bench")), "inflate"]
BARS = {"logs_per_s": 2000, "floor": 1.5, "memory_mb": 500}
OUTPUTS = ("summary.json", "report.html", "traces.parquet")


def timed(*commands):
    """Wall and processor time of commands that run at once, and the most memory of one of them in MB."""
    begin = time.perf_counter()
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]
    cpu = memory = 0
    for process in running:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{process.args[:2]} failed with {process.returncode}")
        cpu += usage.ru_utime + usage.ru_stime
        memory = max(memory, usage.ru_maxrss / 1024)
    return time.perf_counter() - begin, cpu, memory


def categorize(folder, into, threads):
    return [PROGRAM, "categorize", "--quiet", "--threads", str(threads), "--into", str(into), str(folder)]


def inflate(folder, threads, lists, *options):
    """The same files, dealt to so many processes."""
    paths = sorted(str(path) for path in folder.rglob("*") if path.is_file())
    commands = []
    for part in range(threads):
        name = lists / f"part{part}"
        name.write_text("\n".join(paths[part::threads]))
        commands.append(["xargs", "-a", str(name), "-d", "\\n", *INFLATE, *options])
    return commands


def speed(folder, count, runs, work):
    good = True
    sizes = sorted(path.stat().st_size for path in folder.rglob("*.darshan"))
    print(f"{count:,} logs: median {statistics.median(sizes):,.0f} bytes, 99 % below {sizes[int(len(sizes) * 0.99)]:,}, largest {sizes[-1]:,}")
    for threads in (1, 2):
        ours, floor, zlib = [], [], []
        for _ in range(runs):
            into = work / "out"
            shutil.rmtree(into, ignore_errors=True)
            ours.append(timed(categorize(folder, into, threads)))
            floor.append(timed(*inflate(folder, threads, work)))
            zlib.append(timed(*inflate(folder, threads, work, "--zlib")))
        wall, cpu, memory = (min(run[at] for run in ours) for at in range(3))
        floor_wall, floor_cpu, _ = (min(run[at] for run in floor) for at in range(3))
        zlib_wall = min(run[0] for run in zlib)
        print(f"  {threads} threads: {count / wall:,.0f} logs/s, {wall:.2f} s, {memory:.0f} MB; inflating alone {floor_wall:.2f} s:"
              f" ratio {wall / floor_wall:.2f} of wall time, {cpu / floor_cpu:.2f} of processor time;"
              f" by zlib {zlib_wall:.2f} s: {wall / zlib_wall:.2f}")
        good &= memory < BARS["memory_mb"] and wall / floor_wall <= BARS["floor"]
        good &= threads == 1 or count / wall >= BARS["logs_per_s"]
    return good


def kills(folder, times, work):
    """Kills a run at random moments until so many kills hit, lets it end, and compares with a whole one."""
    whole, cut = work / "whole", work / "cut"
    wall, _, _ = timed(categorize(folder, whole, 2))
    dice = random.Random(5)
    for _ in range(times):
        process = subprocess.Popen(categorize(folder, cut, 2), stdout=subprocess.DEVNULL)
        time.sleep(dice.uniform(0, wall / 2))
        process.kill()
        process.wait()
        # Later kills must find work to do, too.
        pieces = sorted((cut / "pieces").glob("*.parquet")) if cut.exists() else []
        for piece in dice.sample(pieces, len(pieces) // 2):
            piece.unlink()
    timed(categorize(folder, cut, 2))
    same = [name for name in OUTPUTS if (whole / name).read_bytes() == (cut / name).read_bytes()]
    print(f"{times} kills: equal afterwards, byte for byte: {', '.join(same) or 'nothing'}")
    return len(same) == len(OUTPUTS)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--logs", type=int, default=20000)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--kills", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        folder = options.folder or work / "logs"
        if not options.folder:
            subprocess.run([PROGRAM, "synth", "corpus", "--logs", str(options.logs), "--seed", "7", "--evidence", "records", "--quiet", "-o", str(folder)], check=True)
        count = sum(1 for path in folder.rglob("*") if path.is_file())
        good = speed(folder, count, options.runs, work)
        good &= kills(folder, options.kills, work) if options.kills else True
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()

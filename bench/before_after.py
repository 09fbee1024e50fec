#!/usr/bin/env python3
"""How fast this program is beside an earlier one: both run alternately on the same inputs.

    bench/before_after.py BEFORE AFTER [--pairs 20] [--only merge --only ingest ...]

BEFORE and AFTER are folders such as target/release, with `marigraph` and `libmarigraph_recorder.so`. A row gives
the medians of processor time (user and system) over whole processes and the ratio of the medians, after to before,
with the 95 % interval of a bootstrap over pairs; then the same ratio of wall time, which varies more. A row misses if
the upper end for processor time is above 1.03. BEFORE makes the inputs. `show` of single logs is also
compared with the program in DARSHAN_PARSER, and `--version` with /bin/true. Exit 1 if a bar is missed.

Programs run from copies, as installed ones are: the pages of a file that a linker has just written through a mapping
are cached one by one, and mapping them makes each start of a large program up to 0.3 ms slower until they are evicted.
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

import recorder

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = pathlib.Path(os.environ.get("MARIGRAPH_DATA", ROOT / "../shared/data")) / "darshan"
SLOWER, PEER, ABOVE_TRUE_MS = 1.03, 1 / 3, 2.0
RESAMPLES = 4000
CALLS = 1_000_000


def measured(commands, **more):
    """Processor and wall seconds of commands, one after the other."""
    cpu, begun = 0.0, time.perf_counter()
    for command in commands:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{' '.join(map(str, command))[:200]} failed with {process.returncode}")
        cpu += usage.ru_utime + usage.ru_stime
    return cpu, time.perf_counter() - begun


def alternately(pairs, *sides):
    """What each side measured in each turn; every other turn runs the sides in the opposite order."""
    seen = [[] for _ in sides]
    for turn in range(pairs):
        for at in range(len(sides))[:: -1 if turn % 2 else 1]:
            seen[at].append(sides[at]())
    return seen


def interval(before, after, figure=lambda one, other: other / one):
    """A figure of two medians and its 95 % interval."""
    dice, found = random.Random(1), []
    for _ in range(RESAMPLES):
        turns = dice.choices(range(len(before)), k=len(before))
        found.append(figure(*(statistics.median(side[turn] for turn in turns) for side in (before, after))))
    found.sort()
    return figure(statistics.median(before), statistics.median(after)), found[RESAMPLES // 40], found[-RESAMPLES // 40]


def row(name, seen, bar, unit=1.0, word="s"):
    """Prints a row of a table; whether it meets its bar."""
    cpu, wall = ([[turn[at] for turn in side] for side in seen] for at in (0, 1))
    ratio, low, high = interval(*cpu)
    other, least, most = interval(*wall)
    medians = " ".join(f"{statistics.median(side) * unit:9.3f} {word}" for side in cpu)
    print(f"{name:<34} {medians}  ratio {ratio:.3f} [{low:.3f}, {high:.3f}]  wall {other:.3f} [{least:.3f}, {most:.3f}]"
          f"  {'meets' if high <= bar else 'MISSES'} {bar:.3f}", flush=True)
    return high <= bar


class Inputs:
    """What the programs are run on, made when a workload first asks for it."""

    def __init__(self, before, work):
        self.program, self.library, self.work = before / "marigraph", before / recorder.LIBRARY.name, work

    def made(self, name, *words):
        path = self.work / name
        if not path.exists():
            subprocess.run([self.program, *words, "-o", path], check=True, capture_output=True)
        return path

    def logs(self):
        logs = sorted(DATA.glob("*.darshan"))
        if not logs:
            sys.exit(f"no logs at {DATA} (set MARIGRAPH_DATA)")
        return logs

    def large(self):
        return self.made("large.darshan", "synth", "job", "--seed", "1", "--files", "200000", "--checkpoints", "2")

    def corpus(self):
        return self.made("corpus", "synth", "corpus", "--logs", "3000", "--seed", "7", "--evidence", "records", "--quiet")

    def system(self):
        return self.made("system", "synth", "system", "--jobs", "5000", "--days", "20", "--seed", "1", "--quiet")

    def study(self, folder):
        """A study that the program itself wrote."""
        study = self.work / f"study-{'before' if folder / 'marigraph' == self.program else 'after'}"
        if not study.exists():
            given = [self.system() / name for name in ("logs", "jobs.txt", "devices", "january.snap", "march.snap")]
            subprocess.run([folder / "marigraph", "ingest", *given, "--into", study, "--quiet"], check=True, capture_output=True)
        return study

    def loop(self):
        """The folder of a program that writes in a loop and of a library whose `pwrite` does nothing."""
        if not (self.work / "loop").exists():
            recorder.build(self.work)
        return self.work

    def parts(self):
        """Parts of a million calls, half of them at random offsets."""
        parts = self.work / "parts"
        if not parts.exists():
            parts.mkdir()
            preload = [self.library, self.loop() / "noop.so"]
            for kind in ("sequential", "random"):
                recorder.run(self.work, preload, {"MARIGRAPH_DIR": str(parts)}, CALLS // 2, kind)
        return parts


# name: (inputs, folder of the program, folder for results) -> commands that one run consists of
WORKLOADS = {
    "text": lambda inputs, program, into: [[program, "show", "--darshan-parser", *inputs.logs()]] * 8,
    "each": lambda inputs, program, into: [[program, "show", log] for log in inputs.logs()],
    "total": lambda inputs, program, into: [[program, "show", "--darshan-parser", "--total", inputs.large()]] * 4,
    "merge": lambda inputs, program, into: [[program, "merge", inputs.parts(), "--trace", "--quiet", "-o", into / "run"]],
    "categorize": lambda inputs, program, into: [[program, "categorize", inputs.corpus(), "--quiet", "--into", into / "out"]],
    "ingest": lambda inputs, program, into: [[program, "ingest", inputs.corpus(), "--quiet", "--into", into / "study"]],
    "study": lambda inputs, program, into: [[program, "study", inputs.study(program.parent), "-o", into / "page.html"]] * 8,
}
NAMES = {
    "text": "text of all logs, one process, x 8",
    "each": "show of all logs, a process each",
    "total": "--total of 200,000 files, x 4",
    "merge": "merge of 10^6 calls",
    "categorize": "categorize, 3,000 logs",
    "ingest": "ingest, 3,000 logs",
    "study": "study page, 5,000 jobs, x 8",
    "recorder": "recorder, ns per call",
    "peer": "show of all logs / darshan-parser",
    "version": "--version above /bin/true",
}


def installed(folder, into):
    """A copy of the programs of a folder."""
    into.mkdir()
    for name in ("marigraph", recorder.LIBRARY.name):
        shutil.copy(folder / name, into / name)
    return into


def side(inputs, workload, folder):
    def once():
        with tempfile.TemporaryDirectory(dir=inputs.work) as into:
            return measured(workload(inputs, folder / "marigraph", pathlib.Path(into)))
    once()  # makes the inputs, and fills the page cache
    return once


def compared(inputs, name, folders, pairs):
    seen = alternately(pairs, *(side(inputs, WORKLOADS[name], folder) for folder in folders))
    return row(NAMES[name], seen, SLOWER)


def recorded(inputs, folders, pairs):
    """What a call costs above one that is not recorded."""
    folder, calls, parts = inputs.loop(), 2 * CALLS, inputs.work / "recorded"
    good = True

    def once(kind, *library):
        shutil.rmtree(parts, ignore_errors=True)
        parts.mkdir()
        begun = time.perf_counter()
        cpu, _, _ = recorder.run(folder, [*library, folder / "noop.so"], {"MARIGRAPH_DIR": str(parts)}, calls, kind)
        return cpu, time.perf_counter() - begun

    for kind in ("sequential", "random"):
        libraries = [[one / recorder.LIBRARY.name] for one in folders]
        bare, *seen = alternately(pairs, *(lambda own=own: once(kind, *own) for own in [[], *libraries]))
        least = statistics.median(cpu for cpu, _ in bare)
        seen = [[((cpu - least) / calls, wall) for cpu, wall in one] for one in seen]
        good &= row(f"{NAMES['recorder']}, {kind}", seen, SLOWER, 1e9, "ns")
    return good


def peer(inputs, after, pairs):
    parser = os.environ.get("DARSHAN_PARSER")
    if not parser:
        print(f"{NAMES['peer']:<34} SKIPPED: set DARSHAN_PARSER")
        return True
    good = True
    for text, options in (("show", []), ("text", ["--darshan-parser"])):
        theirs = [[parser, "--show-incomplete", log] for log in inputs.logs()]
        ours = [[after / "marigraph", "show", *options, log] for log in inputs.logs()]
        seen = alternately(pairs, lambda: measured(theirs), lambda: measured(ours))
        good &= row(f"{text} of all logs / darshan-parser", seen, PEER)
    return good


def version(folders, pairs):
    """Start-up: milliseconds of wall time above a program that does nothing."""
    runs, good = 25, True
    sides = [["/bin/true"], *([folder / "marigraph", "--version"] for folder in folders)]
    nothing, *seen = alternately(pairs, *(lambda command=command: measured([command] * runs) for command in sides))
    for word, one in zip(("before", "after"), seen):
        walls = [[wall / runs * 1e3 for _, wall in side] for side in (nothing, one)]
        above, low, high = interval(*walls, lambda base, own: own - base)
        good = high <= ABOVE_TRUE_MS
        print(f"{NAMES['version']}, {word:<6}  {above:.2f} ms [{low:.2f}, {high:.2f}] of wall time  {'meets' if good else 'MISSES'} {ABOVE_TRUE_MS}")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=lambda text: pathlib.Path(text).resolve(), metavar="FOLDER")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--only", action="append", choices=NAMES, metavar="NAME", help=", ".join(NAMES))
    options = parser.parse_args()
    if len(options.folders) != 2:
        print("SKIPPED: name two folders with programs, for example target/before target/release")
        return 0
    good = True
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        folders = [installed(folder, work / side) for folder, side in zip(options.folders, ("before", "after"))]
        inputs = Inputs(folders[0], work)
        for name in options.only or NAMES:
            if name in WORKLOADS:
                good &= compared(inputs, name, folders, options.pairs)
            elif name == "recorder":
                good &= recorded(inputs, folders, options.pairs)
            elif name == "peer":
                good &= peer(inputs, folders[1], options.pairs)
            else:
                good &= version(folders, options.pairs)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Periods and categories of real programs against answers that were written down before any was recorded.

Records every program of programs.toml with `marigraph record` (counters; trace) and, where it was built,
with Darshan (heat map; DXT), asks `period` and `categorize` about each log, and compares. A program is right
if every answer about every log of it is right, and if what is expected of it was never corrected. Fails if more
than one program in ten is wrong.

Variables: MARIGRAPH (the program); DARSHAN_RUNTIME, DARSHAN_RUNTIME_MPI (libdarshan.so for programs without
MPI and with Open MPI); IOR (built with Open MPI, mdtest beside it).
"""
import argparse
import collections
import dataclasses
import json
import os
import pathlib
import sys
import tempfile
import threading
import tomllib

import judge
import record

RECORDERS = ["ours", "traced", "darshan", "dxt"]
NAMES = {"counters": "our counters", "trace": "our trace", "darshan": "Darshan", "dxt": "Darshan, DXT"}
# Programs that run at once; most of them sleep.
AT_ONCE = 4
# The share of programs that must be right.
ENOUGH = 0.9


class Slots:
    """Admits programs as long as their loads sum to no more than AT_ONCE."""

    def __init__(self):
        self.free, self.changed = AT_ONCE, threading.Condition()

    def take(self, load):
        with self.changed:
            self.changed.wait_for(lambda: self.free >= load)
            self.free -= load

    def give(self, load):
        with self.changed:
            self.free += load
            self.changed.notify_all()


def recorders(program, dry):
    """The recorders that a program runs under."""
    if dry:
        return ["none"]
    theirs = "darshan" not in program and ("DARSHAN_RUNTIME_MPI" if "ranks" in program else "DARSHAN_RUNTIME") in os.environ
    return RECORDERS if theirs else RECORDERS[:2]


def run_all(programs, names, work, kept, dry):
    """{(program, recorder): Run}; runs that are kept from before are not repeated."""
    slots, runs, waiting = Slots(), {}, []

    def one(program, recorder):
        folder = kept / program["name"] / recorder
        try:
            run, sizes = record.run(program, recorder, work / f"{program['name']}.{recorder}", folder, names)
            runs[program["name"], recorder] = run
            (folder / "run.json").write_text(json.dumps(dataclasses.asdict(run)))
            print(f"{program['name']} {recorder}: {run.seconds:.1f} s, {sizes} bytes in files {run.error}", file=sys.stderr, flush=True)
        finally:
            slots.give(program.get("load", 1))

    for program in sorted(programs, key=lambda program: -program.get("load", 1)):
        for recorder in recorders(program, dry):
            before = kept / program["name"] / recorder / "run.json"
            if before.exists():
                runs[program["name"], recorder] = record.Run(**json.loads(before.read_text()))
                continue
            slots.take(program.get("load", 1))
            thread = threading.Thread(target=one, args=(program, recorder))
            thread.start()
            waiting.append(thread)
    for thread in waiting:
        thread.join()
    return runs


def judged(program, runs, kept):
    """Rows (evidence, question, expected, found, right) for all logs of a program, and differences in bytes."""
    rows, logs = [], {}
    if "corrected" in program:
        rows.append(("", "expectation", "right before the first recording", program["corrected"], False))
    for recorder in recorders(program, False):
        run = runs.get((program["name"], recorder))
        evidence, log = record.log_of(recorder, kept / program["name"] / recorder)
        if run is None or run.error or not log:
            rows.append((evidence, "run", "status 0 and a log", run.error if run and run.error else "no log", False))
            continue
        logs[evidence] = log
        rows += [(evidence, *row) for row in judge.judge(program, evidence, run, log)]
    return rows, judge.byte_differences(program, logs)


def table(name, rows):
    for evidence, question, expected, found, right in rows:
        print(f"{'ok   ' if right else 'WRONG'} {name:17} {NAMES.get(evidence, evidence):13} {question:13} {expected} | {found}")


def claims(results):
    """Shares of right answers with their intervals, for the page of accuracy."""
    counts = collections.defaultdict(list)
    for rows in results.values():
        for evidence, question, _, _, right in rows:
            if question not in ("run", "expectation"):
                kind = "period" if question.startswith("period") else "categories"
                counts[f"{kind} of real programs right, {NAMES[evidence]}"].append(right)
        counts["real programs with every answer right"].append(all(row[4] for row in rows))
    for claim, rights in sorted(counts.items()):
        low, high = judge.wilson(sum(rights), len(rights))
        yield {"claim": claim, "data": "tests/real", "origin": "real", "n": len(rights),
               "figure": round(sum(rights) / len(rights), 4), "low": round(low, 4), "high": round(high, 4)}


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print only the shares of right answers, as JSON lines")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these programs only")
    parser.add_argument("--logs", metavar="DIR", type=pathlib.Path, help="keep logs here; logs that are there are not recorded again")
    parser.add_argument("--dry", action="store_true", help="only run the programs, without a recorder")
    return parser.parse_args()


def report(results, differences, as_json):
    """Prints the answers; returns whether enough programs are right."""
    right = sum(1 for rows in results.values() if all(row[4] for row in rows))
    if as_json:
        for claim in claims(results):
            print(json.dumps(claim))
    else:
        for name, rows in results.items():
            table(name, rows)
        for difference in differences:
            print(f"BYTES {difference}")
        for claim in claims(results):
            print(f"{claim['claim']}: {claim['figure']:.3f} of {claim['n']} ({claim['low']:.3f} to {claim['high']:.3f})")
        print(f"{right} of {len(results)} right")
    return right >= ENOUGH * len(results) and results


def main():
    args = options()
    programs = tomllib.loads((record.HERE / "programs.toml").read_text())["program"]
    programs = [program for program in programs if not args.only or program["name"] in args.only]
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        names = record.places(work)
        record.build(work)
        absent = {program["name"]: record.missing(program, names) for program in programs}
        for name, what in absent.items():
            if what:
                print(f"SKIPPED: {name}: {what} is not installed", file=sys.stderr if args.json else sys.stdout)
        if not {"DARSHAN_RUNTIME", "DARSHAN_RUNTIME_MPI"} <= set(os.environ):
            print("SKIPPED: DARSHAN_RUNTIME or DARSHAN_RUNTIME_MPI is not set", file=sys.stderr if args.json else sys.stdout)
        programs = [program for program in programs if not absent[program["name"]]]
        kept = args.logs or work / "logs"
        runs = run_all(programs, names, work, kept, args.dry)
        if args.dry:
            sys.exit(any(run.error for run in runs.values()))
        found = {program["name"]: judged(program, runs, kept) for program in programs}
    differences = [line for _, lines in found.values() for line in lines]
    sys.exit(0 if report({name: rows for name, (rows, _) in found.items()}, differences, args.json) else 1)


if __name__ == "__main__":
    main()

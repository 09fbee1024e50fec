#!/usr/bin/env python3
"""`marigraph period --method dft` against the published method, written a second time (ftio_oracle.py).

Every field of every made-up trace (period_traces.py) must be equal to six digits. The same traces with
their answers are committed in testdata/period, for the tests of the library; they must not be stale.

    test_period.py            # compare; MARIGRAPH is the program
    test_period.py --bless    # write testdata/period anew

FTIO, the authors' own program (`pip install ftio-hpc`, 0.8 GB), is asked for a second opinion where the
variable FTIO_PYTHON names a Python that has it. It must give the same dominant frequencies and the same
confidence wherever it does what its paper says.
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import ftio_oracle
import numpy as np
from checks import skip
from period_traces import TRACES, phases, random_requests

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("MARIGRAPH", str(ROOT / "target/release/marigraph"))
FIXTURES = ROOT / "testdata/period"
DEFAULTS = {"sampling": 10.0, "op": "both", "tolerance": 0.8, "window": None, "autocorrelation": True, "as_ftio": False,
            "outliers": ["zscore"]}
# Compared relatively; what is smaller than this part of 1 is nothing.
CLOSE = 1e-6

# What `ftio -e no -f 10` (0.0.9) says of its own examples, as it prints it: period, confidence, abstraction error.
EXAMPLES = {
    "8.jsonl": (["--unit", "MB"], {"period_s": 1.9267, "confidence": 0.6774, "abstraction_error": 3.52895e-04}),
    "384.msgpack": ([], {"period_s": 10.8429, "confidence": 0.6499, "abstraction_error": 5.61766e-02}),
}

failures = []


def differences(expected, found, path=""):
    """Where two JSON values differ, numbers by more than rounding."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return [line for key in expected for line in differences(expected[key], found.get(key, "missing"), f"{path}.{key}")]
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = enumerate(zip(expected, found))
        return [line for at, (one, other) in pairs for line in differences(one, other, f"{path}[{at}]")]
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (expected, found))
    if numbers and abs(expected - found) <= CLOSE * max(abs(expected), abs(found), CLOSE):
        return []
    return [] if expected == found and type(expected) is type(found) else [f"{path}: {expected} expected, {found} found"]


def whole(rows):
    """Times as nanoseconds, as every format has them."""
    return [(rank, round(start * 1e9), round(end * 1e9), size, op) for rank, start, end, size, op in rows]


def chosen(rows, options):
    return [(start, end, size) for _, start, end, size, op in rows if options["op"] in ("both", op)]


def answer(rows, options):
    rows = chosen(rows, options)
    how = [options[name] for name in ("sampling", "tolerance", "window", "autocorrelation", "as_ftio", "outliers")]
    found = ftio_oracle.analyse(rows, *how)
    return json.loads(json.dumps(found, default=float))


def write_table(path, rows):
    with open(path, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["rank", "start", "end", "bytes", "op"])
        for rank, start, end, size, op in rows:
            table.writerow([rank, f"{start / 1e9:.9f}", f"{end / 1e9:.9f}", size, op])


def ours(path, options):
    command = [PROGRAM, "period", "--method", "dft", "--json", "--sampling", str(options["sampling"])]
    command += ["--op", options["op"], "--tolerance", str(options["tolerance"])]
    command += ["--no-autocorrelation"] if not options["autocorrelation"] else []
    command += ["--outliers", ",".join(options["outliers"])]
    command += ["--as-ftio"] if options["as_ftio"] else []
    if options["window"]:
        command += ["--window", ":".join(map(str, options["window"]))]
    run = subprocess.run([*command, str(path)], capture_output=True, text=True)
    return json.loads(run.stdout) if run.stdout.strip() else {"error": run.stderr}


def fixture(rows, options, expected):
    """A trace with its answer, one request per line."""
    lines = ",\n".join(json.dumps([start, end, size, op]) for _, start, end, size, op in rows)
    rest = json.dumps({"options": options, "expected": expected}, indent=1)
    return f'{{"requests": [\n{lines}\n],\n{rest[1:].lstrip()}\n'


def report(name, lines):
    if lines:
        failures.append(name)
        print(f"FAILED: {name}")
        for line in lines[:8]:
            print(f"  {line}")


def second_opinion(traces):
    python = os.environ.get("FTIO_PYTHON")
    if not python:
        skip("FTIO's own opinion: FTIO_PYTHON is not set", len(traces))
        return
    asked = {}
    for name, (rows, options, expected) in traces.items():
        samples, _, _ = ftio_oracle.sample(chosen(rows, options), options["sampling"], options["window"])
        # Without variation FTIO fails.
        if expected["r_io"] > 0 and options["as_ftio"]:
            asked[name] = {"samples": samples.tolist(), "sampling": options["sampling"], "tolerance": options["tolerance"]}
    script = pathlib.Path(__file__).with_name("ftio_opinion.py")
    run = subprocess.run([python, str(script)], input=json.dumps(asked), capture_output=True, text=True)
    if run.returncode != 0:
        report("FTIO", run.stderr.splitlines()[-8:])
        return
    opinions = json.loads(run.stdout.splitlines()[-1])
    for name, opinion in opinions.items():
        candidates = traces[name][2]["candidates"] if traces[name][2]["dft_confidence"] is not None else []
        by_period = lambda found: sorted(found, key=lambda one: one["period_s"])
        expected = [{key: one[key] for key in ("period_s", "confidence")} for one in by_period(candidates)]
        report(f"FTIO on {name}", differences(expected, by_period(opinion)))
    print(f"asked FTIO about {len(opinions)} traces")


def forests():
    """Where the line is clear, our isolation forest and scikit-learn's name the same, whatever they draw."""
    with tempfile.TemporaryDirectory() as folder:
        for period in (17.3, 25.0, 40.0):
            rows = whole(phases(np.arange(20) * period, period * 0.45))
            options = {**DEFAULTS, "sampling": 1.0, "outliers": ["isolation-forest"], "autocorrelation": False}
            table = pathlib.Path(folder) / "clear.csv"
            write_table(table, rows)
            found = ours(table, options)
            x, _, _ = ftio_oracle.sample(chosen(rows, options), 1.0)
            power, _ = ftio_oracle.spectrum(x)
            named = [ftio_oracle.by_forest(power, 0.8, seed)[0] for seed in range(5)]
            theirs = {len(x) / (at + 1) for one in named for at in np.flatnonzero(one)}
            report(f"forest, {period} s", differences(sorted(theirs), [found["period_s"]]))


def online():
    """The published procedure online against the second one, flush by flush."""
    jobs = {
        "steady": [phases([20.0 * n], 5.0) for n in range(15)],
        "one long first phase": [phases([0.0], 12.0)] + [phases([17.0 + 8.0 * n], 2.0) for n in range(14)],
        "another period": [phases([14.0 * n], 4.0) for n in range(8)] + [phases([112.0 + 9.0 * n], 3.0) for n in range(14)],
        "no period": [[(0, s, e, size, "write")] for _, s, e, size, _ in sorted(random_requests(3, 25, 200.0), key=lambda row: row[2])],
    }
    for name, flushes in jobs.items():
        flushes = [[(rank, round(s * 1e9), round(e * 1e9), size, op) for rank, s, e, size, op in flush] for flush in flushes]
        for hits in (3, 5):
            expected = list(ftio_oracle.online([[row[1:4] for row in flush] for flush in flushes], 4.0, hits=hits))
            command = [PROGRAM, "predict", "--follow", "-", "--method", "dft", "--sampling", "4", "--adapt", f"hits:{hits}"]
            lines = "".join(json.dumps(as_line(flush)) + "\n" + END for flush in flushes)
            run = subprocess.run(command, input=lines, capture_output=True, text=True)
            found = [json.loads(line) for line in run.stdout.splitlines()]
            report(f"online, {name}, {hits} hits", differences(json.loads(json.dumps(expected, default=float)), found))
        shrunk = sum(answer["window_s"][0] > expected[0]["window_s"][0] for answer in expected)
        print(f"online, {name}: {len(expected)} predictions, {shrunk} of them on a shortened window")


END = json.dumps({"io_time": {"delta_t_agg": 1.0}}) + "\n"


def as_line(flush):
    """A flush in TMIO's lines."""
    band = {
        "b_rank_avr": [size * 1e9 / (end - start) for _, start, end, size, _ in flush],
        "t_rank_s": [start / 1e9 for _, start, *_ in flush],
        "t_rank_e": [end / 1e9 for _, _, end, *_ in flush],
    }
    return {"write_sync": {"number_of_ranks": 4, "max_io_phases_per_rank": 1, "bandwidth": band}}


def examples():
    """The examples that FTIO's authors give."""
    folder = pathlib.Path(os.environ.get("MARIGRAPH_DATA", ROOT.parent / "shared/data")) / "tmio"
    if not folder.is_dir():
        skip(f"FTIO's examples: there is no {folder}", len(EXAMPLES))
        return
    for name, (more, expected) in EXAMPLES.items():
        command = [PROGRAM, "period", "--method", "dft", "--json", "--sampling", "10", "--op", "write", "--as-ftio", "--no-autocorrelation", *more]
        run = subprocess.run([*command, str(folder / name)], capture_output=True, text=True)
        found = json.loads(run.stdout) if run.stdout.strip() else {}
        # Four digits were printed.
        far = [key for key, value in expected.items() if abs(found.get(key, 0.0) / value - 1) > 1e-4]
        report(name, [f"{key}: {expected[key]} expected, {found.get(key)} found" for key in far])
    print(f"asked about {len(EXAMPLES)} examples of FTIO")


def main():
    traces = {}
    for name, (rows, options) in TRACES.items():
        rows, options = whole(rows), {**DEFAULTS, **options}
        traces[name] = (rows, options, answer(rows, options))
    if "--bless" in sys.argv:
        FIXTURES.mkdir(exist_ok=True)
        for name, trace in traces.items():
            (FIXTURES / f"{name}.json").write_text(fixture(*trace))
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, (rows, options, expected) in traces.items():
            table = pathlib.Path(folder) / f"{name}.csv"
            write_table(table, rows)
            report(name, differences(expected, ours(table, options)))
            committed = json.loads((FIXTURES / f"{name}.json").read_text())
            fresh = [[start, end, size, op] for _, start, end, size, op in rows]
            stale = differences(expected, committed["expected"]) or fresh != committed["requests"]
            report(f"testdata/period/{name}.json", ["stale: run test_period.py --bless"] if stale else [])
    examples()
    forests()
    online()
    second_opinion(traces)
    print(f"{len(traces)} traces, {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

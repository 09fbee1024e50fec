"""PyDarshan opens the logs of a made-up corpus, and its counters add up to their truth.

Run by scripts/interop.sh with the program's path in MARIGRAPH.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

import darshan

warnings.filterwarnings("ignore")

PROGRAM = os.environ.get("MARIGRAPH", "target/release/marigraph")
LOGS = 60
failures = []


def check(name, condition, detail=""):
    if not condition:
        failures.append(name)
        print(f"FAILED: {name} {detail}")


def totals(report):
    """Bytes read and written through POSIX and STDIO, and the sums of their size classes."""
    moved, calls = {"READ": 0, "WRITTEN": 0}, True
    for module in ("POSIX", "STDIO"):
        if module not in report.modules:
            continue
        report.mod_read_all_records(module)
        counters = report.records[module].to_df()["counters"]
        for kind in moved:
            moved[kind] += int(counters[f"{module}_BYTES_{kind}"].sum())
        if module == "POSIX":
            for kind in ("READ", "WRITE"):
                classes = counters.filter(like=f"POSIX_SIZE_{kind}_").sum().sum()
                calls &= int(classes) == int(counters[f"POSIX_{kind}S"].sum())
    return moved, calls


def traced(report):
    """Bytes of the traced writes, or None."""
    if "DXT_POSIX" not in report.modules:
        return None
    report.mod_read_all_dxt_records("DXT_POSIX")
    frames = report.records["DXT_POSIX"].to_df()
    return int(sum(frame["write_segments"]["length"].sum() for frame in frames if len(frame["write_segments"])))


def heat(report):
    """Bytes that heat maps hold of reads through POSIX and STDIO, or None."""
    if "HEATMAP" not in report.modules:
        return None
    report.read_all_heatmap_records()
    maps = [map for name, map in report.heatmaps.items() if name in ("POSIX", "STDIO")]
    return sum(map.to_df(ops=["read"]).to_numpy().sum() for map in maps)


def close(a, b):
    return abs(a - b) <= 1e-6 * abs(b) + 1e5


def compare(folder, truth):
    log = truth["log"]
    report = darshan.DarshanReport(str(folder / log), read_all=False)
    values = truth["values"]["happened"]
    moved, calls = totals(report)
    check(f"{log}: bytes", [moved["READ"], moved["WRITTEN"]] == [values["read"]["bytes"], values["write"]["bytes"]], moved)
    check(f"{log}: size classes", calls)
    check(f"{log}: executable", report.metadata["exe"].split(" ")[0] == truth["group"]["exe"], report.metadata["exe"])
    check(f"{log}: user", report.metadata["job"]["uid"] == truth["group"]["user"])
    written, read = traced(report), heat(report)
    streamed = "STDIO" in report.modules
    check(f"{log}: traced", written is None or streamed or written == values["write"]["bytes"], written)
    check(f"{log}: heat maps", read is None or close(read, values["read"]["bytes"]), read)


def main():
    seen = set()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "corpus"
        arguments = ["synth", "corpus", "--logs", str(LOGS), "--seed", "11", "--corrupt", "0", "-o", str(folder)]
        subprocess.run([PROGRAM, *arguments], check=True)
        for truth in map(json.loads, open(folder / "truth.jsonl")):
            compare(folder, truth)
            seen.add(truth["evidence"])
    check("every source", seen == {"records", "heatmap", "dxt"}, seen)
    print(f"{LOGS} logs, {len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

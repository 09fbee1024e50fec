"""`summary.json` of `categorize --into` is what pandas makes of `traces.parquet` and of the truth of a made-up corpus.

Run by scripts/interop.sh with the program's path in MARIGRAPH. Needs pandas, polars and duckdb in .venv.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import duckdb
import pandas
import polars

PROGRAM = os.environ.get("MARIGRAPH", "target/release/marigraph")
LOGS = 1500
failures = []


def check(name, condition, detail=""):
    if not condition:
        failures.append(name)
        print(f"FAILED: {name} {detail}")


def run(*arguments):
    subprocess.run([PROGRAM, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def near(a, b):
    return abs(a - b) <= 1e-5 * max(abs(a), abs(b))


def groups(frame):
    """The run that stands for each user and program: most bytes, longest, lowest job id."""
    frame = frame.assign(moved=frame.read_bytes + frame.write_bytes)
    order = frame.sort_values(["moved", "runtime_s", "job_id", "input"], ascending=[False, False, True, True])
    return order.groupby(["uid", "exe"], sort=False).head(1)


def compare_labels(summary, name, frame, labels):
    present = frame[labels].notna()
    count = present.sum()
    for label in labels:
        told = summary["labels"][label][name]
        check(f"{name} {label}", told["count"] == count[label] and near(told["share"], count[label] / len(frame)), told)
    for one in labels:
        for other in labels:
            both = int((present[one] & present[other]).sum())
            either = int((present[one] | present[other]).sum())
            cells = [summary[matrix][name].get(one, {}).get(other) for matrix in ("jaccard", "conditional")]
            if not count[one] or not count[other]:
                check(f"{name} {one} {other} absent", cells == [None, None], cells)
                continue
            check(f"{name} jaccard {one} {other}", near(cells[0], both / either), cells[0])
            check(f"{name} conditional {one} {other}", near(cells[1], both / count[one]), cells[1])


def compare_agreement(summary, valid, heaviest):
    told = summary["agreement"]
    sizes = valid.groupby(["uid", "exe"]).labels.agg(["size", "nunique"])
    several = sizes[sizes["size"] > 1]
    check("groups", told["groups"] == len(several), told["groups"])
    check("unanimous", told["unanimous"] == int((several["nunique"] == 1).sum()), told["unanimous"])
    check("behaviours", told["behaviours"] == int(sizes["nunique"].sum()), told["behaviours"])
    joined = valid.merge(heaviest[["uid", "exe", "labels"]], on=["uid", "exe"], suffixes=("", "_heaviest"))
    joined = joined.merge(several, left_on=["uid", "exe"], right_index=True)
    alike = int((joined.labels == joined.labels_heaviest).sum())
    check("runs", told["runs"] == len(joined), told["runs"])
    check("as_heaviest", told["as_heaviest"] == alike and near(told["share"], alike / len(joined)), told["as_heaviest"])


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder, into = pathlib.Path(scratch) / "corpus", pathlib.Path(scratch) / "out"
        run("synth", "corpus", "--logs", LOGS, "--seed", 21, "--quiet", "-o", folder)
        run("categorize", "--quiet", folder, "--into", into)
        summary = json.load(open(into / "summary.json"))
        table = str(into / "traces.parquet")
        frame = pandas.read_parquet(table)
        check("rows", len(frame) == summary["read"] == LOGS + 1, len(frame))
        check("polars", polars.read_parquet(table).height == len(frame))
        check("duckdb", duckdb.sql(f"select count(*) from '{table}'").fetchall()[0][0] == len(frame))
        skipped = frame[frame.status != "valid"].status.value_counts().to_dict()
        check("skipped", skipped == summary["skipped"], skipped)
        valid = frame[frame.status == "valid"]
        labels = list(summary["labels"])
        check("labels", all((row.labels or "").split(",") == [label for label in labels if pandas.notna(getattr(row, label))] for row in valid.itertuples()))
        heaviest = groups(valid)
        check("unique", summary["unique"] == len(heaviest), len(heaviest))
        check("heaviest", set(valid[valid.heaviest == 1].input) == set(heaviest.input))
        compare_labels(summary, "all_runs", valid, labels)
        compare_labels(summary, "single_run", heaviest, labels)
        compare_agreement(summary, valid, heaviest)
        truth = [json.loads(line) for line in open(folder / "truth.jsonl")]
        refused = {str(folder / line["log"]) for line in truth if not line["valid"]}
        check("refused", refused == set(frame[frame.status != "valid"].input) - {str(folder / "truth.jsonl")})
    print(f"{LOGS} logs, {len(failures)} differences")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

"""`marigraph study --json` equals a recomputation in pandas from the raw inputs of a made-up system, and both are what was set.

Needs PyDarshan and pandas in .venv (scripts/install.sh). With MARIGRAPH_LONG=1 on 20,000 batch jobs and 60 days.
"""

import json
import numbers
import os
import pathlib
import tempfile

import study_oracle
from checks import MARIGRAPH, check, finish, run

LONG = os.environ.get("MARIGRAPH_LONG")
SYSTEM = ["--jobs", 20_000, "--days", 60] if LONG else ["--jobs", 1500, "--days", 10]
SEED = 77
# What tells the elements of a list apart.
KEYS = ("project", "name", "low", "low_days", "nodes", "from", "day", "processes", "files")
# Interpolated between values.
QUANTILES = ("q1", "median", "q3")


def key_of(element, others):
    """What an element is called by: as few of its fields as tell all of them apart."""
    fields = [key for key in KEYS if key in element]
    for count in range(1, len(fields) + 1):
        names = [tuple(other.get(key) for key in fields[:count]) for other in others]
        if len(set(names)) == len(names):
            return fields[:count]
    return None


def differences(expected, found, tolerance, exact, path):
    """Where two documents differ. What is only in the second is no difference, but for elements of a list where it must be exact."""
    if isinstance(expected, dict):
        if not isinstance(found, dict):
            return [f"{path}: nothing like {str(expected)[:60]}, but {str(found)[:60]}"]
        lists = [differences(value, found.get(key), tolerance, exact, f"{path}/{key}") for key, value in expected.items()]
        return [line for lines in lists for line in lines]
    if isinstance(expected, list):
        return list_differences(expected, found, tolerance, exact, path)
    if isinstance(expected, numbers.Number):
        least = 1e-6 if path.rsplit("/", 1)[-1] in QUANTILES else 0
        near = isinstance(found, numbers.Number) and abs(expected - found) <= max(tolerance, least) * max(abs(expected), abs(found))
        return [] if near else [f"{path}: {found} is not {expected}"]
    return [] if expected == found else [f"{path}: {found} is not {expected}"]


def list_differences(expected, found, tolerance, exact, path):
    if not isinstance(found, list) or len(found) < len(expected) or (exact and len(found) > len(expected)):
        return [f"{path}: {len(found) if isinstance(found, list) else found} elements, not {len(expected)}"]
    fields = key_of(expected[0], expected) if expected and isinstance(expected[0], dict) else None
    if fields is None:
        pairs = zip(expected, found, range(len(expected)))
        return [line for one, other, at in pairs for line in differences(one, other, tolerance, exact, f"{path}[{at}]")]
    name = lambda element: tuple(element.get(key) for key in fields)
    others = {name(element): element for element in found}
    lines = []
    for element in expected:
        lines += differences(element, others.get(name(element)), tolerance, exact, f"{path}[{name(element)}]")
    wanted = [name(element) for element in expected]
    # What was set is in the order of the study; equal values leave pandas a choice.
    if not exact and [one for one in map(name, found) if one in wanted] != wanted:
        lines.append(f"{path}: not in this order: {wanted[:5]}")
    return lines


def compare(name, expected, found, tolerance, exact):
    """One check for each figure and table."""
    for figure in expected:
        lines = differences(expected[figure], found.get(figure), tolerance, exact, figure)
        check(f"{figure}: {name}", not lines, "; ".join(lines[:5]) + (f" and {len(lines) - 5} more" if len(lines) > 5 else ""))


def compare_shown(found, pandas_says):
    """Where the study shows some of many: points of a curve, runs of a project."""
    values = pandas_says["Fig 7"].pop("sorted")
    places = [(rate, round(share * len(values)) - 1) for rate, share in found["Fig 7"]["cdf"]]
    check("Fig 7: points of the curve", len(places) > 100 and all(values[at] == rate for rate, at in places))
    runs = pandas_says.pop("Table VI")
    known = {(row["job_id"], row["processes"]): row for row in runs["rows"]}
    rows = found["Table VI"]["rows"]
    lines = [line for row in rows for line in differences(
        known.get((row["job_id"], row["processes"])), row, 1e-9, True, f"Table VI[{row['job_id']}]")]
    check("Table VI: runs of a project", found["Table VI"]["project"] == runs["project"] and rows and not lines, "; ".join(lines[:3]))


def main():
    with tempfile.TemporaryDirectory() as work:
        folder, study = pathlib.Path(work) / "system", pathlib.Path(work) / "study"
        status, _, errors = run(MARIGRAPH, "synth", "system", "--seed", SEED, "--quiet", *SYSTEM, "-o", folder)
        check("a system is made", status == 0, errors)
        truth = json.loads((folder / "truth.json").read_text())
        pandas_says = study_oracle.study(folder)
        compare("pandas finds what was set", truth, pandas_says, 0.01, exact=False)
        inputs = [folder / name for name in ("logs", "jobs.txt", "devices", "january.snap", "march.snap")]
        status, _, errors = run(MARIGRAPH, "ingest", *inputs, "--into", study, "--quiet", limit=1200)
        check("ingest", status == 0, errors)
        status, output, errors = run(MARIGRAPH, "study", study, "--json", limit=600)
        check("study", status == 0, errors)
        if status == 0:
            found = json.loads(output)
            compare("the study finds what was set", truth, found, 0.01, exact=False)
            compare_shown(found, pandas_says)
            compare("the study is what pandas makes of the inputs", pandas_says, found, 1e-9, exact=True)
    finish()


if __name__ == "__main__":
    main()

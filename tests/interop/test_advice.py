#!/usr/bin/env python3
"""The findings of `marigraph report` against Drishti's, on real logs.

The program is in .venv (scripts/install.sh), or where DRISHTI says. Skipped, loudly, without it.
Every code must be found by both or by neither, but for the differences below, each allowed only where
its reason holds. Redundancy, where Drishti's test is wrong, is worked out anew from the counters.
"""

import collections
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from checks import nothing

PROGRAM = os.environ.get("MARIGRAPH", "target/release/marigraph")
DATA = pathlib.Path(os.environ.get("MARIGRAPH_DATA", "../shared/data")) / "darshan"
BESIDE = pathlib.Path(sys.executable).with_name("drishti")
DRISHTI = os.environ.get("DRISHTI") or (str(BESIDE) if BESIDE.exists() else None)


def moved(shown, name):
    """Bytes through an interface."""
    of = [interface for interface in shown["interfaces"] if interface["name"] == name]
    return sum((interface["read_bytes"] or 0) + (interface["write_bytes"] or 0) for interface in of)


def calls(shown, name, kind):
    """Calls of one kind through an interface."""
    return sum(interface[kind] for interface in shown["interfaces"] if interface["name"] == name)


def redundant(log, shown, moved_bytes, highest):
    """Whether a tenth of the bytes were moved before: True, False, or None where only single operations tell."""
    text = subprocess.run([PROGRAM, "show", "--darshan-parser", log], check=True, capture_output=True).stdout
    files = collections.defaultdict(lambda: [0, 0])
    for line in text.decode(errors="replace").splitlines():
        if line.startswith("POSIX\t"):
            _, _, file, counter, value = line.split("\t")[:5]
            if counter == moved_bytes:
                files[file][0] += max(int(value), 0)
            elif counter == highest:
                files[file][1] = max(files[file][1], int(value) + 1)
    again = sum(max(0, moved - extent) for moved, extent in files.values())
    if again > 0.1 * sum(moved for moved, _ in files.values()):
        return True
    traced = any(module["name"] == "DXT_POSIX" and module["records"] for module in shown["modules"])
    return None if traced else False


# Code: what Drishti alone may say and when, what we alone may say and when, why.
ANY, NEVER = (lambda shown: True), (lambda shown: False)
DIFFERENCES = {
    "M01": (lambda shown: shown["job"]["nprocs"] == 1 or moved(shown, "POSIX") == 0, NEVER, "a job of one process, or without POSIX bytes, has no use for MPI-IO"),
    "M06": (lambda shown: calls(shown, "MPI-IO", "reads") == 0, NEVER, "no MPI-IO reads"),
    "M07": (lambda shown: calls(shown, "MPI-IO", "writes") == 0, NEVER, "no MPI-IO writes"),
    "M08": (NEVER, ANY, "Drishti asks a scheduler for the nodes"),
    "M09": (NEVER, ANY, "Drishti asks a scheduler for the nodes"),
    "M10": (NEVER, ANY, "Drishti asks a scheduler for the nodes"),
    "P09": (ANY, ANY, "theirs: highest offset above bytes moved, which is sparse access; ours: bytes moved above distinct bytes"),
    "P10": (ANY, ANY, "theirs: highest offset above bytes moved, which is sparse access; ours: bytes moved above distinct bytes"),
    "P12": (lambda shown: calls(shown, "POSIX", "reads") <= 1000, NEVER, "few reads: theirs needs no proof of order, ours does"),
    "P14": (lambda shown: calls(shown, "POSIX", "writes") <= 1000, NEVER, "few writes: theirs needs no proof of order, ours does"),
    "P19": (
        lambda shown: "ppc64" in shown["input"],
        lambda shown: shown["job"]["nprocs"] > 1,
        "theirs compares with the time of all ranks together, ours with the slowest as well; their library misreads times in old logs of ppc64",
    ),
    "S01": (lambda shown: moved(shown, "DFS") > 0, NEVER, "Drishti does not count bytes of DAOS"),
}


def theirs(log, folder):
    """Drishti's codes; None where it fails."""
    command = [DRISHTI, "--csv", "--export_dir", folder, log]
    if subprocess.run(command, capture_output=True, cwd=folder).returncode != 0:
        return None
    with open(pathlib.Path(folder) / log.name.replace(".darshan", ".csv"), newline="") as file:
        return {code for row in csv.DictReader(file) for code, found in row.items() if found == "True"}


def ours(command, log):
    """A JSON document of ours."""
    return json.loads(subprocess.run([PROGRAM, command, "--json", log], check=True, capture_output=True).stdout)


if not DRISHTI or not DATA.is_dir():
    logs = len(list(DATA.glob("*.darshan")))
    nothing("DRISHTI is not set, and it is not in .venv" if not DRISHTI else f"no real logs at {DATA}", max(logs, 1))
same, refused, failures, excused = 0, [], [], collections.Counter()
with tempfile.TemporaryDirectory() as folder:
    for log in sorted(DATA.resolve().glob("*.darshan")):
        expected = theirs(log, folder)
        if expected is None:
            refused.append(log.name)
            continue
        found = {finding["drishti"] for finding in ours("report", log)["findings"] if finding["drishti"]}
        shown = ours("show", log)
        same += len(expected & found)
        for code, kind in ("P09", "READ"), ("P10", "WRITTEN"):
            right = redundant(log, shown, f"POSIX_BYTES_{kind}", f"POSIX_MAX_BYTE_{kind}")
            if right is not None and right != (code in found):
                failures.append(f"{log.name}: {code} should be {'found' if right else 'silent'}")
        for code in expected ^ found:
            alone, too_much, _ = DIFFERENCES.get(code, (NEVER, NEVER, ""))
            side, right = ("Drishti", alone) if code in expected else ("ours", too_much)
            if right(shown):
                excused[code, side] += 1
            else:
                failures.append(f"{log.name}: {code} found by {side} alone")
for (code, side), n in sorted(excused.items()):
    print(f"{code}: by {side} alone in {n} logs: {DIFFERENCES[code][2]}")
for name in refused:
    print(f"Drishti fails on {name}")
for failure in failures:
    print(f"FAILED: {failure}")
print(f"{same} findings by both, {sum(excused.values())} explained differences, {len(failures)} unexplained")
sys.exit(1 if failures else 0)

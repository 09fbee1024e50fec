#!/usr/bin/env python3
"""The speed that `show` tells, in all and per compute node, is `agg_perf_by_slowest` of `darshan-parser --perf`.

On every real log and every interface: against the tool itself where DARSHAN_PARSER is its path, else against
what it printed, which lies beside the logs.
"""

import gzip
import json
import os
import pathlib
import subprocess

from checks import MARIGRAPH, ROOT, check, finish, nothing

DATA = pathlib.Path(os.environ.get("MARIGRAPH_DATA", ROOT.parent / "shared/data")) / "darshan"
TOOL = os.environ.get("DARSHAN_PARSER")
NODES = 3
# Rounded twice: their text has six digits, our JSON as well.
CLOSE = 2e-6


def performance_text(log):
    """What the reference prints."""
    if TOOL:
        return subprocess.run([TOOL, "--show-incomplete", "--perf", log], check=True, capture_output=True).stdout.decode(errors="replace")
    with gzip.open(DATA / "golden" / f"{log.stem}.perf.txt.gz") as file:
        return file.read().decode(errors="replace")


def reference(log):
    """MiB/s per module."""
    module, speeds = None, {}
    for line in performance_text(log).splitlines():
        if line.startswith("# ") and line.endswith(" module data"):
            module = line[2:].removesuffix(" module data")
        elif line.startswith("# agg_perf_by_slowest: "):
            speeds[module] = float(line.split()[2])
    return speeds


if not DATA.is_dir():
    nothing(f"no real logs at {DATA}")
interfaces = headlines = 0
for log in sorted(DATA.glob("*.darshan")):
    theirs = reference(log)
    text = subprocess.run([MARIGRAPH, "show", "--json", "--nodes", str(NODES), log], check=True, capture_output=True).stdout
    shown = json.loads(text)
    ours = {interface["name"]: interface["mib_per_s"] or 0.0 for interface in shown["interfaces"]}
    wrong = {name: (speed, ours.get(name)) for name, speed in theirs.items() if name not in ours or abs(speed - ours[name]) > CLOSE * max(1.0, speed)}
    interfaces += len(theirs)
    headline = shown["performance"]
    if headline:
        headlines += 1
        expected = theirs[headline["module"]]
        for told, right in (headline["mib_per_s"], expected), (headline["mib_per_s_per_node"], expected / NODES):
            if abs(told - right) > CLOSE * max(1.0, right):
                wrong["headline"] = (right, told)
    if wrong:
        check(log.name, False, wrong)
check(f"{interfaces} speeds of interfaces and {headlines} per node equal darshan-parser's", interfaces >= 100 and headlines >= 40)
finish()

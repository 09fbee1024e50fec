"""The reference tools, where they are built beside, print the same of the logs we write as we do.

Set DARSHAN_PARSER and DARSHAN_DXT_PARSER to their paths. Skipped, loudly, without them.
"""

import collections
import os
import pathlib
import subprocess
import sys
import tempfile

from checks import skip

PROGRAM = os.environ.get("MARIGRAPH", "target/release/marigraph")
DATA = pathlib.Path(os.environ.get("MARIGRAPH_DATA", "../shared/data")) / "darshan"
TOOLS = [
    (os.environ.get("DARSHAN_PARSER"), "DARSHAN_PARSER", [[], ["--total"], ["--perf"], ["--file"]], "--darshan-parser"),
    (os.environ.get("DARSHAN_DXT_PARSER"), "DARSHAN_DXT_PARSER", [[]], "--dxt"),
]
ENVIRONMENT = {**os.environ, "TZ": "UTC"}

passed = failed = 0
left_out = collections.Counter()


def output(command):
    return subprocess.run(command, capture_output=True, env=ENVIRONMENT).stdout


def logs(folder):
    for seed in (1, 2):
        path = folder / f"made-{seed}.darshan"
        subprocess.run([PROGRAM, "synth", "job", "--seed", str(seed), "--ranks", "5", "--checkpoints", "2", "-o", path], check=True)
        yield path
    for path in sorted(DATA.glob("*.darshan")) if DATA.is_dir() else []:
        copy = folder / path.name
        subprocess.run([PROGRAM, "convert", path, "-o", copy], check=True, capture_output=True)
        yield copy


with tempfile.TemporaryDirectory() as name:
    for log in logs(pathlib.Path(name)):
        for tool, variable, choices, flag in TOOLS:
            if not tool:
                left_out[variable] += len(choices)
                continue
            for choice in choices:
                theirs = output([tool, "--show-incomplete", *choice, log])
                ours = output([PROGRAM, "show", flag, *choice, log])
                if theirs == ours:
                    passed += 1
                else:
                    failed += 1
                    print(f"FAILED: {log.name} {flag} {' '.join(choice)}")
for variable, count in left_out.items():
    skip(f"{variable} is not set", count)
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0 if passed else 77)

"""Programs of our own that tests of other programs call."""

import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def example(package, name):
    """The path of an example of a package, built."""
    build = ["cargo", "build", "--release", "-p", package, "--example", name, "--message-format=json"]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    made = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return next(one["executable"] for one in made if one.get("target", {}).get("name") == name)

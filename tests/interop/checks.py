"""What tests of the program as a whole share: where it is, how commands are run, and how a check is counted."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MARIGRAPH = pathlib.Path(os.environ.get("MARIGRAPH", ROOT / "target/release/marigraph")).resolve()
PEERS = pathlib.Path(os.environ.get("PEERS", ROOT.parent / "peers"))
# Open MPI: as root too, with more ranks than cores, none bound to one.
ENV = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
           OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none")
counts = {True: 0, False: 0}


def check(name, condition, detail=""):
    """Counts a check and tells it."""
    counts[bool(condition)] += 1
    print(f"{'ok' if condition else 'FAILED'}: {name}" + (f": {detail}" if detail else ""), flush=True)


def skip(what, count=1):
    """Tells what is not compared, and how many checks that makes: `make test` ends with these lines."""
    print(f"SKIPPED: {what} ({count} checks)", flush=True)


def nothing(what, count=1):
    """Ends a test that can compare nothing here; the status says so to scripts/interop.sh."""
    skip(what, count)
    sys.exit(77)


def ior():
    """An IOR built with Open MPI, from IOR or PEERS."""
    places = [os.environ.get("IOR"), PEERS / "ior-ompi/bin/ior", PEERS / "ior/src/ior"]
    return next((str(place) for place in places if place and pathlib.Path(place).exists()), None)


def run(*command, limit=300):
    """Status, output and errors of a command; its words may be bytes."""
    words = [word if isinstance(word, bytes) else str(word) for word in command]
    done = subprocess.run(words, capture_output=True, env=ENV, timeout=limit)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def finish():
    """Tells how many checks passed and ends the test."""
    print(f"{counts[True]} passed, {counts[False]} failed")
    sys.exit(1 if counts[False] else 0)

#!/usr/bin/env python3
"""Table I of the Intrepid study: our estimate of a job's throughput beside what IOR measured itself.

    IOR=path/of/ior bench/metric.py [RANKS]

Each of the four cases is run five times under the recorder; the medians are compared.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MARIGRAPH = Path(os.environ.get("MARIGRAPH", ROOT / "target/release/marigraph"))
RUNS = 5
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}


def once(ior, ranks, folder, flags):
    """What IOR says, and what the log of the same run says, in MiB/s."""
    command = [MARIGRAPH, "record", "-o", folder / "job", "--", "mpirun", "-n", str(ranks), ior]
    command += ["-a", "POSIX", "-b", "256m", "-t", "4m", "-k", "-o", str(folder / "data"), *flags]
    printed = subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True, text=True).stdout
    row = re.search(r"^(?:write|read)\s+([\d.]+)", printed, re.MULTILINE)
    shown = subprocess.run(
        [MARIGRAPH, "show", "--json", folder / "job.darshan"], check=True, capture_output=True, text=True
    )
    return float(row.group(1)), json.loads(shown.stdout)["performance"]["mib_per_s"]


def main():
    ior = os.environ.get("IOR")
    if not ior:
        print("SKIPPED: set IOR to the path of an IOR built with Open MPI (4 checks)")
        sys.exit(77)
    ranks = int(sys.argv[1]) if len(sys.argv) > 1 else os.cpu_count()
    print(f"{ranks} ranks, 256 MiB each, medians of {RUNS} runs, MiB/s")
    print(f"{'case':<12}{'IOR':>10}{'ours':>10}{'differs':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for shape, shared in [("N-1", []), ("N-N", ["-F"])]:
            for word, flag in [("write", "-w"), ("read", "-r")]:
                both = [once(ior, ranks, Path(folder), [flag, *shared]) for _ in range(RUNS)]
                measured, ours = (statistics.median(values) for values in zip(*both))
                apart = statistics.median(own / real - 1 for real, own in both)
                print(f"{shape + ' ' + word:<12}{measured:>10.0f}{ours:>10.0f}{apart:>+10.1%}")


main()

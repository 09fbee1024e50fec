"""Labels of what real programs did, recorded by `marigraph record` and, where it was built beside, by Darshan.

Variables: MARIGRAPH (the program), DARSHAN_RUNTIME (libdarshan.so for programs without MPI).
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from checks import skip

HERE = pathlib.Path(__file__).resolve().parent
MARIGRAPH = pathlib.Path(os.environ.get("MARIGRAPH", HERE.parent.parent / "target/release/marigraph")).resolve()
NO_READS, NO_WRITES = "read_insignificant", "write_insignificant"
PERIODIC = ["write_periodic", "write_periodic_second", "write_periodic_low_busy_time"]
# What each program does, and the periods that are to be found.
BEHAVIOURS = {
    "read_on_start": (["read_on_start", NO_WRITES], []),
    "write_on_end": ([NO_READS, "write_on_end"], []),
    "steady": ([NO_READS, "write_steady"], []),
    "two_periods": ([NO_READS, "write_steady", *PERIODIC], [0.25, 1.0]),
    "held_open": ([NO_READS, "write_steady", *PERIODIC], [1.0]),
    "metadata_storm": ([NO_READS, NO_WRITES, "metadata_high_spike", "metadata_multiple_spikes", "metadata_high_density"], []),
}


def recorded(logs, program):
    return [str(MARIGRAPH), "record", "--quiet", "--trace", "-o", str(logs / "ours"), "--", *program], {}


def by_darshan(logs, program):
    return program, {"LD_PRELOAD": os.environ["DARSHAN_RUNTIME"], "DARSHAN_ENABLE_NONMPI": "1", "DARSHAN_LOGPATH": str(logs)}


def run_all(work, program, how):
    """All behaviours at once: they mostly sleep. Their logs, by behaviour."""
    running = []
    for kind in BEHAVIOURS:
        files, logs = work / kind / "files", work / kind / "logs"
        files.mkdir(parents=True)
        logs.mkdir()
        if kind == "read_on_start":
            (files / "input.0000").write_bytes(b"x" * (160 << 20))
        command, more = how(logs, [str(program), kind, str(files)])
        running.append((kind, logs, subprocess.Popen(command, env=dict(os.environ, **more))))
    for kind, _, process in running:
        if process.wait():
            sys.exit(f"FAILED: {kind} ended with {process.returncode}")
    return [(kind, log) for kind, logs, _ in running for log in sorted(logs.iterdir()) if log.is_file()]


def problems(kind, log):
    done = subprocess.run([MARIGRAPH, "categorize", "--json", log], check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    wanted, periods = BEHAVIOURS[kind]
    labels = set(found["categories"])
    wrong = [f"+{label}" for label in labels - set(wanted)]
    wrong += [f"-{label}" for label in set(wanted) - labels]
    told = [activity["period_s"] for activity in found["write"]["periodic"]]
    wrong += [f"no period of {period} s in {told}" for period in periods if not any(abs(one / period - 1) < 0.05 for one in told)]
    evidence = ", ".join(sorted({label["evidence"] for label in found["labels"]}))
    print(f"{'FAILED' if wrong else 'ok'}: {kind}, {log.parts[-4]}, {log.suffix[1:]} ({evidence}): {' '.join(sorted(labels))} {wrong or ''}", flush=True)
    return wrong


def main():
    bad = 0
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        program = work / "behave"
        subprocess.run(["cc", "-O1", "-o", program, HERE / "record/behave.c"], check=True)
        logs = run_all(work / "ours", program, recorded)
        if "DARSHAN_RUNTIME" in os.environ:
            logs += run_all(work / "theirs", program, by_darshan)
        else:
            skip("DARSHAN_RUNTIME is not set: nothing is recorded by Darshan", len(BEHAVIOURS))
        expected = len(BEHAVIOURS) * (3 if "DARSHAN_RUNTIME" in os.environ else 2)
        bad = sum(1 for kind, log in logs if problems(kind, log)) + abs(len(logs) - expected)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

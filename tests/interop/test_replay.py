"""`marigraph replay` under launchers of MPI: real programs recorded, performed again as MPI-IO, recorded again, compared.

Programs of our own (`replay/*.c`) with Open MPI and MPICH, and IOR where it is installed (IOR). Then what ends a replay
before its time, and what it keeps of times. Variables: MARIGRAPH (the program), MARIGRAPH_LONG=1 for five runs each.
"""
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import checks
from checks import ENV, MARIGRAPH, check, finish, nothing, run, skip

HERE = pathlib.Path(__file__).resolve().parent
RUNS = 5 if os.environ.get("MARIGRAPH_LONG") else 3
# Microseconds between calls of a program on many more ranks than there are cores: far more than these take to meet.
PAUSE = 150_000


def launcher(family, ranks):
    return [f"mpirun.{family}", "-n", ranks]


def record(folder, name, *command):
    code, _, error = run(MARIGRAPH, "record", "--trace", "--quiet", "-o", folder / name, "--", *command)
    if code:
        sys.exit(f"{name} failed: {error[-500:]}")
    return folder / f"{name}.mari"


def empty(folder, name="data"):
    shutil.rmtree(folder / name, ignore_errors=True)
    (folder / name).mkdir()
    return folder / name


def again(folder, name, family, ranks, command):
    """A program, performed again by MPI and recorded, is the same program; nothing is left of it."""
    trace = record(folder, name, *launcher(family, ranks), *command)
    performed(folder, name, family, ranks, trace)


def performed(folder, name, family, ranks, trace, *flags):
    root = folder / "root"
    other = folder / f"{name}-again"
    code, told, error = run(MARIGRAPH, "record", "--trace", "--quiet", "-o", other, "--", *launcher(family, ranks),
                            MARIGRAPH, "replay", trace, "--root", root, "--json", "--mode", "fast", *flags)
    said = json.loads(told) if told.startswith("{") else {}
    clean = said.get("mismatches") == 0 and said.get("left_out") == 0
    check(f"{name}: every call is performed and returns what it did", code == 0 and clean, error[:300] or said.get("calls"))
    code, told, error = run(MARIGRAPH, "diff", trace, f"{other}.mari", "--map", f"/={root}/")
    same = code == 0 and not told.startswith("the same: 0 ")
    check(f"{name}: the replay is the same program", same, (told + error).strip()[:300])
    check(f"{name}: nothing is left", not root.exists())


def everything(folder):
    for family in ("openmpi", "mpich"):
        program = folder / f"everything.{family}"
        code, _, error = run(f"mpicc.{family}", "-O1", "-w", "-o", program, HERE / "replay/everything.c")
        check(f"the program compiles with {family}", code == 0, error[:300])
        data = empty(folder)
        (data / "input").write_bytes(bytes(40000))
        again(folder, f"every-{family}", family, 4, [program, data])


IOR_RUNS = {
    "posix-files": ["-a", "POSIX", "-F"], "posix-shared": ["-a", "POSIX"], "posix-interleaved": ["-a", "POSIX", "-b", "64k", "-s", "6"],
    "mpiio-files": ["-a", "MPIIO", "-F"], "mpiio-shared": ["-a", "MPIIO"], "mpiio-collective": ["-a", "MPIIO", "-c"],
    "mpiio-views": ["-a", "MPIIO", "--mpiio.useFileView"],
}


def ior(folder):
    program = checks.ior()
    if not program:
        return skip("no IOR (set IOR)", 3 * len(IOR_RUNS))
    common = [program, "-t", "64k", "-b", "256k", "-s", "2", "-w", "-r", "-o", empty(folder) / "f"]
    for name, flags in IOR_RUNS.items():
        again(folder, f"ior-{name}", "openmpi", 4, common + flags)


def extrapolated(folder, sleeper):
    """A trace at twice the ranks, computed, performed by MPI: the same calls, and the time of the real run."""
    traces = []
    for ranks in (4, 6, 9, 12):
        command = [*launcher("openmpi", ranks), sleeper, "mpiio", empty(folder), 20, PAUSE]
        traces.append(record(folder, f"small.{ranks}", *command))
    made = folder / "made.mari"
    code, _, error = run(MARIGRAPH, "extrapolate", *traces, "--ranks", 24, "-o", made, "--json", "--accept-assumed")
    check("extrapolated to twice the ranks", code == 0, error)
    performed(folder, "made", "openmpi", 24, made)
    code, _, error = run(MARIGRAPH, "replay", made, "--root", folder / "root")
    check("without a launcher it is told what to do", code == 1 and "mpirun -n 24" in error, error.strip())
    # The shortest of several: whatever else a busy machine does only adds to both. Their number is fixed before
    # the first: to stop when the figure is good would choose it.
    wanted, took = [], []
    for _ in range(2 * RUNS):
        real = record(folder, "large", *launcher("openmpi", 24), sleeper, "mpiio", empty(folder), 20, PAUSE)
        wanted.append(dry(folder, real))
        _, told, error = run(*launcher("openmpi", 24), MARIGRAPH, "replay", made, "--root", folder / "root", "--json")
        took.append(json.loads(told)["seconds"])
    found = min(took) / min(wanted) - 1
    check("time of the real run (C2)", abs(found) < 0.05, f"{min(took):.3f} s, {min(wanted):.3f} s: {100 * found:+.2f} %")


def dry(folder, trace):
    _, told, _ = run(MARIGRAPH, "replay", trace, "--root", folder / "root", "--dry-run", "--json")
    return json.loads(told)["original_seconds"]


def times(folder, sleeper):
    """Pauses, and starts, of programs on as many ranks as there are cores, with MPI and without."""
    trace = record(folder, "posix", *launcher("openmpi", 2), sleeper, "posix", empty(folder), 40)
    wanted = dry(folder, trace)
    for start in ([], launcher("openmpi", 2)):
        how = "with MPI" if start else "alone"
        replay = [*start, MARIGRAPH, "replay", trace, "--root", folder / "root", "--json"]
        off = nearest(0.05, lambda: json.loads(run(*replay)[1])["seconds"] / wanted - 1)
        check(f"pauses are kept, {how}", abs(off) < 0.05, f"{100 * off:+.3f} %")
        drift = nearest(0.001, lambda: json.loads(run(*replay, "--schedule", "open")[1])["drift_s"]["end"])
        check(f"starts do not drift, {how}", drift < 0.001, f"{1e6 * drift:.0f} us at the end")


def nearest(bound, measure):
    """The median of a few measurements; if it is not below a bound, the least of three times as many.

    A shared machine takes its cores away for milliseconds at a time, so the last call of a run may be late. What drifts
    is late in every run.
    """
    said = [measure() for _ in range(RUNS)]
    median = statistics.median_low(said)
    if abs(median) < bound:
        return median
    said += [measure() for _ in range(2 * RUNS)]
    print("on a busy machine:", *(f"{one:.6f}" for one in said))
    return min(said, key=abs)


def found(folder, pattern):
    """What is there while others remove it: a folder that goes while it is listed has something in it still."""
    try:
        return list(folder.rglob(pattern))
    except FileNotFoundError:
        return [folder]


def interrupted(folder, sleeper):
    trace = record(folder, "long", *launcher("openmpi", 2), sleeper, "mpiio", empty(folder), 60)
    root = folder / "root"
    command = [*launcher("openmpi", 2), MARIGRAPH, "replay", trace, "--root", root, "--speed", "0.1"]
    child = subprocess.Popen([str(word) for word in command], env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    since = time.monotonic()
    while not found(root, "shared") and time.monotonic() - since < 30:
        time.sleep(0.05)
    check("it is under way", bool(list(root.rglob("shared"))))
    child.send_signal(signal.SIGINT)
    check("an interrupt ends it", child.wait(timeout=30) != 0)
    since = time.monotonic()
    while found(root, "*") and time.monotonic() - since < 10:
        time.sleep(0.05)
    check("and what it made is removed", not list(root.rglob("*")), list(root.rglob("*")))


def full(folder, sleeper):
    if os.geteuid() != 0:
        return skip("a file system that is full (needs root)", 4)
    small = empty(folder, "small")
    if run("mount", "-t", "tmpfs", "-o", "size=1m", "none", small)[0]:
        return skip("a file system that is full (no mounts here)", 4)
    try:
        for kind in ("mpiio", "posix"):
            trace = record(folder, f"full-{kind}", *launcher("openmpi", 2), sleeper, kind, empty(folder), 20)
            code, _, error = run(*launcher("openmpi", 2), MARIGRAPH, "replay", trace, "--root", small / "root", "--mode", "fast")
            check(f"no room is told ({kind})", code != 0 and "no space left" in error, error[:200])
            since = time.monotonic()
            while found(small, "*.*") and time.monotonic() - since < 10:
                time.sleep(0.05)
            left = [one for one in small.rglob("*") if one.is_file()]
            check(f"and files are removed ({kind})", not left, left)
            shutil.rmtree(small / "root", ignore_errors=True)
    finally:
        run("umount", "-l", small)


def main():
    if not (shutil.which("mpicc.openmpi") and shutil.which("mpicc.mpich")):
        nothing("no mpicc.openmpi or no mpicc.mpich", 60)
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place).resolve()
        everything(folder)
        ior(folder)
        sleeper = folder / "sleeper"
        code, _, error = run("mpicc.openmpi", "-O1", "-Wall", "-o", sleeper, HERE / "replay/sleeper.c")
        check("the sleeper compiles", code == 0, error)
        extrapolated(folder, sleeper)
        times(folder, sleeper)
        interrupted(folder, sleeper)
        full(folder, sleeper)
    finish()


main()

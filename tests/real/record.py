"""Runs a program of programs.toml, under a recorder or without one, and watches it from outside."""
import dataclasses
import fnmatch
import os
import pathlib
import random
import shutil
import subprocess
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MARIGRAPH = pathlib.Path(os.environ.get("MARIGRAPH", ROOT / "target/release/marigraph")).resolve()
PYTHON = "/usr/bin/python3"  # Debian's, which has mpi4py and h5py with Open MPI
MPIRUN = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "-np"]
ENV = dict(os.environ, LC_ALL="C", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
LIMIT_S = 180
# How often the folder of a program is looked at.
WATCH_S = 0.01


@dataclasses.dataclass
class Run:
    """One run: when files appeared whose names the program's entry gives, how long it took, what failed."""

    seen: list
    seconds: float
    error: str = ""


def places(work):
    """What names in braces stand for in commands."""
    ior = os.environ.get("IOR", "")
    mdtest = str(pathlib.Path(ior).with_name("mdtest")) if ior else ""
    return {"here": str(HERE / "programs"), "python": PYTHON, "phases": str(work / "phases"),
            "mpi_files": str(work / "mpi_files"), "ior": ior, "mdtest": mdtest}


def build(work):
    """Compiles our own programs."""
    source = HERE / "programs"
    subprocess.run(["cc", "-O1", "-pthread", "-o", work / "phases", source / "phases.c"], check=True)
    if shutil.which("mpicc.openmpi"):
        subprocess.run(["mpicc.openmpi", "-O1", "-o", work / "mpi_files", source / "mpi_files.c"], check=True)


def missing(program, names):
    """What is not installed of what a program needs, or None."""
    command = program["run"][0].format(files="", **names)
    needed = [command] + (MPIRUN[:1] if "ranks" in program else [])
    for one in needed:
        if not one or not shutil.which(one):
            return one or program["run"][0].strip("{}")
    for module in program.get("modules", []):
        if subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True, check=False).returncode:
            return f"Python's {module}"
    return None


def prepare(program, files, names):
    """The files that a program finds."""
    files.mkdir(parents=True)
    draw = random.Random(program["name"])
    for name, count, mib in program.get("inputs", []):
        for at in range(count):
            (files / f"{name}.{at:04d}").write_bytes(draw.randbytes((mib << 20) or 2048))
    for command in program.get("prepare", []):
        words = [word.format(files=files, **names) for word in command]
        subprocess.run(words, cwd=files, env=ENV, check=True, capture_output=True)


def command_of(program, files, logs, names, recorder):
    """The command under a recorder, and what it adds to the environment."""
    words = [word.format(files=files, **names) for word in program["run"]]
    mpi = [*MPIRUN, str(program["ranks"])] if "ranks" in program else []
    if recorder in ("ours", "traced"):
        trace = ["--trace"] if recorder == "traced" else []
        return [str(MARIGRAPH), "record", "--quiet", *trace, "-o", str(logs / recorder), "--", *mpi, *words], {}
    if recorder == "none":
        return [*mpi, *words], {}
    more = {"DARSHAN_LOGPATH": str(logs)} | ({"DXT_ENABLE_IO_TRACE": "1"} if recorder == "dxt" else {})
    if mpi:
        return [*mpi, "-x", f"LD_PRELOAD={os.environ['DARSHAN_RUNTIME_MPI']}", *words], more
    return words, more | {"LD_PRELOAD": os.environ["DARSHAN_RUNTIME"], "DARSHAN_ENABLE_NONMPI": "1"}


class Watch(threading.Thread):
    """Notes when files appear whose names match a pattern."""

    def __init__(self, folder, pattern):
        super().__init__(daemon=True)
        self.folder, self.pattern, self.ended = folder, pattern, threading.Event()
        self.first = {}

    def run(self):
        while self.pattern and not self.ended.wait(WATCH_S):
            for name in os.listdir(self.folder):
                if name not in self.first and fnmatch.fnmatch(name, self.pattern):
                    self.first[name] = time.monotonic()

    def finish(self):
        self.ended.set()
        self.join()
        return sorted(self.first.values())


def run(program, recorder, files, logs, names):
    """Runs a program once; its files are removed afterwards."""
    prepare(program, files, names)
    logs.mkdir(parents=True)
    command, more = command_of(program, files, logs, names, recorder)
    feeder = None
    if "feed" in program:
        words = [word.format(files=files, **names) for word in program["feed"]]
        feeder = subprocess.Popen(words, env=ENV, stdout=subprocess.PIPE)
    watch = Watch(files, program.get("seen"))
    watch.start()
    begun = time.monotonic()
    try:
        done = subprocess.run(command, cwd=files, env=ENV | more, capture_output=True, timeout=LIMIT_S, check=False,
                              stdin=feeder.stdout if feeder else subprocess.DEVNULL)
        error = "" if done.returncode == 0 else f"status {done.returncode}: {done.stderr.decode(errors='replace')[-300:]}"
    except subprocess.TimeoutExpired:
        error = f"not finished after {LIMIT_S} s"
    seconds = time.monotonic() - begun
    if feeder:
        feeder.stdout.close()
        feeder.wait()
    seen = watch.finish()
    sizes = sum(path.stat().st_size for path in files.rglob("*") if path.is_file()) if not error else 0
    shutil.rmtree(files)
    return Run(seen, seconds, error), sizes


def log_of(recorder, logs):
    """The kind of evidence of a recorder and the log that it wrote; of several logs of Darshan, the largest."""
    if recorder in ("ours", "traced"):
        evidence, name = {"ours": ("counters", "ours.darshan"), "traced": ("trace", "traced.mari")}[recorder]
        return evidence, (logs / name if (logs / name).exists() else None)
    found = sorted(logs.glob("*.darshan"), key=lambda path: path.stat().st_size)
    return recorder, (found[-1] if found else None)

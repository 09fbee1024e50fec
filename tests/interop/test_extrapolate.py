"""`marigraph extrapolate` and `diff` of real MPI programs: recorded small, computed large, recorded large, compared.

Programs of our own whose I/O depends on rank and size in known ways (`extrapolate/miniapp.c`), and IOR where it
is installed (IOR, or PEERS with it inside). MARIGRAPH_LONG=1 takes more sizes. Variables: MARIGRAPH (the program).
"""
import csv
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from checks import MARIGRAPH, check, finish, ior, nothing, run, skip

HERE = pathlib.Path(__file__).resolve().parent
SIZES = [4, 6, 9, 12]
DIVIDING = [4, 6, 8, 12]
CUBES = [8, 12, 18, 27]
EIGHTS = [6, 12, 18, 20]
TARGETS = [16, 24, 30] if os.environ.get("MARIGRAPH_LONG") else [16]


def record(folder, name, ranks, command):
    """Records a program on so many ranks, in a fresh folder of always the same name."""
    data = folder / "data"
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir()
    output = folder / f"{name}.{ranks}"
    words = [str(word).format(data=data) for word in command(ranks)]
    code, _, error = run(MARIGRAPH, "record", "--trace", "--quiet", "-o", output, "--",
                         "mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-np", ranks, *words)
    if code:
        sys.exit(f"{name} on {ranks} ranks failed: {error[-500:]}")
    return output.with_name(output.name + ".mari")


def extrapolated(folder, name, sizes, command, target, *flags):
    traces = [record(folder, name, ranks, command) for ranks in sizes]
    output = folder / f"{name}.{target}.made.mari"
    code, told, error = run(MARIGRAPH, "extrapolate", *traces, "--ranks", target, "-o", output, "--json", *flags)
    return code, json.loads(told) if told else {}, error, output


def same(folder, name, sizes, command):
    """Computed and recorded traces are the same, and nothing in them is worse than assumed."""
    for target in TARGETS:
        code, told, error, made = extrapolated(folder, name, sizes, command, target, "--accept-assumed")
        check(f"{name} to {target} ranks", code == 0 and told["verdict"] in ("EXACT", "ASSUMED"),
              error.strip() or f"{told['verdict']} {told['events']}")
        if code == 0:
            real = record(folder, name, target, command)
            code, told, _ = run(MARIGRAPH, "diff", made, real)
            check(f"{name}: as recorded on {target} ranks", code == 0, told.strip()[:300])


def refused(folder, program):
    code, told, error, made = extrapolated(folder, "random", SIZES, lambda _: [program, "random", "{data}"], 16)
    worst = [detail for detail in told["details"] if detail["verdict"] == "REFUSED"]
    named = bool(worst) and worst[0]["event"].startswith("pwrite") and worst[0]["parameter"] == "offset"
    check("offsets without a rule are refused by name", code == 1 and named and not made.exists(), error.strip()[:100])
    code, told, error, made = extrapolated(folder, "random", SIZES, lambda _: [program, "random", "{data}"], 16,
                                           "--skip-refused")
    real = folder / "random.16"
    code_diff, told, _ = run(MARIGRAPH, "diff", made, record(folder, "random", 16, lambda _: [program, "random", "{data}"]))
    left_out = code_diff == 1 and "only B has" in told and "pwrite" in told
    check("and left out if that is wanted", code == 0 and left_out, f"{real.name}: {told.strip()[:120]}")
    code, _, error, made = extrapolated(folder, "input", SIZES, lambda _: [program, "input", "{data}"], 16)
    check("loops without a rule are refused by name", code == 1 and "pwrite" in error and not made.exists(), error[:120])


def supplied(folder, program):
    """A model of the user makes a refused event exact, and a wrong one is told so."""
    command = lambda _: [program, "bits", "{data}"]
    code, told, _, _ = extrapolated(folder, "bits", SIZES, command, 16)
    check("bits backwards are refused", code == 1 and told["verdict"] == "REFUSED")
    model = "offset@pwrite: (rank%2*4 + rank/2%2*2 + rank/4%2 + rank/8*8)*8192 + 512*i"
    code, told, error, made = extrapolated(folder, "bits", SIZES, command, 16, "--strict", "--model", model)
    check("a model of the user makes them exact", code == 0 and told["verdict"] == "EXACT", error)
    code, told, _ = run(MARIGRAPH, "diff", made, record(folder, "bits", 16, command))
    check("and right", code == 0, told.strip())
    code, _, error, _ = extrapolated(folder, "bits", SIZES, command, 16, "--model", "offset@pwrite: rank*8192 + 512*i")
    check("a wrong model is told with the place", code == 1 and "rank 1, i = 0 it gives 8192 where 32768 was seen" in error, error)


def assumed(folder, program):
    """Division that was only seen where it comes out even is assumed, as C has it; it is written if accepted."""
    command = lambda _: [program, "strong", "{data}"]
    code, told, error, made = extrapolated(folder, "strong", DIVIDING, command, 7, "--accept-assumed")
    check("division that does not come out even is assumed", code == 0 and told["verdict"] == "ASSUMED", error)
    code, told, _ = run(MARIGRAPH, "diff", made, record(folder, "strong", 7, command))
    check("and C divides like that", code == 0, told.strip()[:300])
    made.unlink()
    code, _, error, made = extrapolated(folder, "strong", DIVIDING, command, 7)
    check("without being accepted it is not written", code == 1 and "assumed" in error and not made.exists(), error.strip())


def pauses(folder, trace):
    """Seconds between one write and the next, on all ranks: the median."""
    table = folder / "pauses.csv"
    table.unlink(missing_ok=True)
    run(MARIGRAPH, "convert", "--quiet", "-o", table, trace)
    ends, found = {}, []
    for row in csv.DictReader(table.open()):
        if row["op"] == "write":
            if row["rank"] in ends:
                found.append(float(row["start"]) - ends[row["rank"]])
            ends[row["rank"]] = float(row["end"])
    return statistics.median(found)


def gaps(folder, program):
    """Compute gaps that follow k/n + b are foretold within 5 % of those recorded."""
    command = lambda _: [program, "gaps", "{data}"]
    for target in (16, 24, 30):
        code, _, error, made = extrapolated(folder, "gaps", SIZES, command, target, "--accept-assumed")
        found, real = pauses(folder, made), pauses(folder, record(folder, "gaps", target, command))
        check(f"compute gaps on {target} ranks", code == 0 and abs(found / real - 1) < 0.05,
              f"{found * 1e3:.1f} ms foretold, {real * 1e3:.1f} ms recorded, {100 * (found / real - 1):+.2f} % {error}")


def scale(folder, cases):
    """A million ranks: time, memory, and the size of the trace compared with that of 32 ranks, of traces recorded before."""
    for name, sizes in cases:
        traces = [folder / f"{name}.{ranks}.mari" for ranks in sizes]
        written = {}
        for ranks in (32, 1_000_000):
            made = folder / f"scale.{ranks}.mari"
            start = time.perf_counter()
            started = subprocess.Popen([str(word) for word in (MARIGRAPH, "extrapolate", *traces, "--ranks", ranks, "-o", made, "--accept-assumed")],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            error = started.stderr.read()
            _, status, used = os.wait4(started.pid, 0)
            seconds, megabytes = time.perf_counter() - start, used.ru_maxrss / 1024
            check(f"{name} on {ranks} ranks", status == 0 and seconds < 10 and megabytes < 1000,
                  f"{seconds:.2f} s, {megabytes:.0f} MB {error}")
            written[ranks] = made.stat().st_size if made.exists() else 0
        growth = 100 * (written[1_000_000] / max(written[32], 1) - 1)
        # Names whose numbers outgrow their zeros have another form for each further digit.
        most = 20 if name == "padded" else 1
        check(f"the trace of {name} hardly grows", written[32] and growth < most, f"{written}, {growth:+.2f} %")


def main():
    if not shutil.which("mpicc.openmpi"):
        nothing("no mpicc.openmpi", 60)
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        program = folder / "miniapp"
        code, _, error = run("mpicc.openmpi", "-O2", "-Wall", "-o", program, HERE / "extrapolate/miniapp.c")
        check("the program compiles", code == 0 and not error, error)
        for name in ("grid", "groups", "levels", "ring", "shared", "serial", "rest"):
            same(folder, name, SIZES, lambda _, name=name: [program, name, "{data}"])
        same(folder, "padded", EIGHTS, lambda _: [program, "padded", "{data}"])
        for name in ("strong", "triangle"):
            same(folder, name, DIVIDING, lambda _, name=name: [program, name, "{data}"])
        for name in ("cube", "rows"):
            same(folder, name, CUBES, lambda _, name=name: [program, name, "{data}"])
        refused(folder, program)
        supplied(folder, program)
        assumed(folder, program)
        gaps(folder, program)
        regular = [(name, SIZES) for name in ("groups", "levels", "ring", "shared", "serial")]
        scale(folder, [*regular, ("padded", EIGHTS), ("triangle", DIVIDING)])
        if program := ior():
            for api in ("POSIX", "MPIIO"):
                common = [program, "-a", api, "-t", "64k", "-w", "-r", "-o", "{data}/f"]
                same(folder, f"{api}-files", SIZES, lambda _: [*common, "-F", "-b", "256k", "-s", "2"])
                same(folder, f"{api}-chunked", SIZES, lambda _: [*common, "-b", "256k"])
                same(folder, f"{api}-interleaved", SIZES, lambda _: [*common, "-b", "64k", "-s", "6"])
                same(folder, f"{api}-strong", DIVIDING, lambda n: [*common, "-b", f"{61440 // n}k"])
                scale(folder, [(f"{api}-{layout}", SIZES) for layout in ("files", "chunked", "interleaved")])
        else:
            skip("no IOR (set IOR)", 2 * (4 * 2 * len(TARGETS) + 3))
    finish()


main()

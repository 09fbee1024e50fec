"""`marigraph extrapolate` and `diff` of real MPI programs: recorded small, computed large, recorded large, compared.

Programs of our own whose I/O depends on rank and size in known ways (`extrapolate/miniapp.c`), and IOR where it
is installed (PEERS, or MARIGRAPH_LONG=1 for more sizes). Variables: MARIGRAPH (the program).
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

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MARIGRAPH = pathlib.Path(os.environ.get("MARIGRAPH", ROOT / "target/release/marigraph")).resolve()
PEERS = pathlib.Path(os.environ.get("PEERS", ROOT.parent / "peers"))
ENV = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
SIZES = [4, 6, 9, 12]
DIVIDING = [4, 6, 8, 12]
TARGETS = [16, 24, 30] if os.environ.get("MARIGRAPH_LONG") else [16]
failed = 0


def check(name, condition, detail=""):
    global failed
    failed += not condition
    print(f"{'ok' if condition else 'FAILED'}: {name}" + (f": {detail}" if detail else ""), flush=True)


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=ENV)
    return done.returncode, done.stdout, done.stderr


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
        code, told, error, made = extrapolated(folder, name, sizes, command, target)
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
    command = lambda _: [program, "square", "{data}"]
    code, told, _, _ = extrapolated(folder, "square", SIZES, command, 16)
    check("squares of ranks are refused", code == 1 and told["verdict"] == "REFUSED")
    model = "offset@pwrite: rank*rank*8192 + 512*i"
    code, told, error, made = extrapolated(folder, "square", SIZES, command, 16, "--model", model)
    check("a model of the user makes them exact", code == 0 and told["verdict"] == "EXACT", error)
    code, told, _ = run(MARIGRAPH, "diff", made, record(folder, "square", 16, command))
    check("and right", code == 0, told.strip())
    code, _, error, _ = extrapolated(folder, "square", SIZES, command, 16, "--model", "offset@pwrite: rank*8192 + 512*i")
    check("a wrong model is told with the place", code == 1 and "rank 2, i = 0 it gives 16384 where 32768 was seen" in error, error)


def gaps(folder, program):
    """Compute gaps that follow k/n + b are foretold within 5 %."""
    target = 16
    code, _, error, made = extrapolated(folder, "gaps", SIZES, lambda _: [program, "gaps", "{data}"], target)
    table = folder / "gaps.csv"
    run(MARIGRAPH, "convert", "--quiet", "-o", table, made)
    rows = [row for row in csv.DictReader(table.open()) if row["op"] == "write" and row["rank"] == "3"]
    found = statistics.mean(float(later["start"]) - float(row["end"]) for row, later in zip(rows, rows[1:]))
    wanted = 0.6 / target + 0.02
    check("compute gaps are foretold", code == 0 and abs(found / wanted - 1) < 0.05, f"{found:.4f} s, {wanted:.4f} wanted {error}")


def scale(folder):
    traces = [folder / f"levels.{ranks}.mari" for ranks in SIZES]
    sizes = {}
    for ranks in (32, 1_000_000):
        made = folder / f"scale.{ranks}.mari"
        code, _, error = run(MARIGRAPH, "extrapolate", *traces, "--ranks", ranks, "-o", made)
        check(f"{ranks} ranks", code == 0, error)
        sizes[ranks] = made.stat().st_size
    check("the trace hardly grows", sizes[1_000_000] < 1.05 * sizes[32], sizes)


def main():
    if not shutil.which("mpicc.openmpi"):
        sys.exit(print("SKIPPED: no mpicc.openmpi"))
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        program = folder / "miniapp"
        code, _, error = run("mpicc.openmpi", "-O2", "-Wall", "-o", program, HERE / "extrapolate/miniapp.c")
        check("the program compiles", code == 0 and not error, error)
        for name in ("grid", "groups", "levels", "ring"):
            same(folder, name, SIZES, lambda _, name=name: [program, name, "{data}"])
        same(folder, "strong", DIVIDING, lambda _: [program, "strong", "{data}"])
        refused(folder, program)
        supplied(folder, program)
        gaps(folder, program)
        scale(folder)
        ior = PEERS / "ior-ompi/bin/ior"
        if ior.exists():
            for api in ("POSIX", "MPIIO"):
                common = [ior, "-a", api, "-t", "64k", "-w", "-r", "-o", "{data}/f"]
                same(folder, f"{api}-files", SIZES, lambda _: [*common, "-F", "-b", "256k", "-s", "2"])
                same(folder, f"{api}-chunked", SIZES, lambda _: [*common, "-b", "256k"])
                same(folder, f"{api}-interleaved", SIZES, lambda _: [*common, "-b", "64k", "-s", "6"])
                same(folder, f"{api}-strong", DIVIDING, lambda n: [*common, "-b", f"{61440 // n}k"])
        else:
            print("SKIPPED: no IOR (set PEERS)")
    sys.exit(1 if failed else 0)


main()

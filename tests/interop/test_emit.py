"""`marigraph replay --emit c` of real MPI programs: recorded, written as a program, compiled, run, recorded again, compared.

The program with every call of MPI-IO (`crates/recorder/tests/progs/mpi_all.c`), those whose I/O depends on rank and size
(`extrapolate/miniapp.c`), and IOR where it is installed (IOR, or PEERS). Variables: MARIGRAPH (the program).
"""
import pathlib
import shutil
import tempfile

from checks import MARIGRAPH, ROOT, check, finish, ior, nothing, run, skip

HERE = pathlib.Path(__file__).resolve().parent
IOR_RUNS = ("-a POSIX -F", "-a POSIX", "-a POSIX -C -e", "-a MPIIO", "-a MPIIO -c")
# Checks of one program.
EACH = 5


def record(output, ranks, *command):
    code, _, error = run(MARIGRAPH, "record", "--trace", "--quiet", "-o", output, "--",
                         "mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-np", ranks, *command)
    return code, output.with_name(output.name + ".mari"), error


def compiled(folder, trace):
    """The program of a trace; a warning is a failure."""
    source, program = folder / "prog.c", folder / "prog"
    code, _, error = run(MARIGRAPH, "replay", trace, "--emit", "c", "-o", source)
    check("a program is written", code == 0 and not error, error)
    code, _, error = run("mpicc.openmpi", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, source)
    check("and compiles", code == 0, error[:500])
    return program


def same(folder, name, ranks, *command):
    data, root = folder / "data", folder / "root"
    for place in (data, root):
        shutil.rmtree(place, ignore_errors=True)
    data.mkdir()
    code, trace, error = record(folder / "first", ranks, *[str(word).format(data=data) for word in command])
    check(f"{name} on {ranks} ranks is recorded", code == 0, error[-300:])
    program = compiled(folder, trace)
    code, again, error = record(folder / "again", ranks, program, "-f", root)
    check(f"{name}: its program runs", code == 0, error[-300:])
    code, told, _ = run(MARIGRAPH, "diff", trace, again, "--map", f"/={root}/")
    check(f"{name}: and makes the same calls", code == 0 and told.startswith("the same: ") and told != "the same: 0 calls\n",
          told.strip()[:300])
    return trace, program


def extrapolated(folder, miniapp):
    """A trace that was computed becomes a program that does not grow with its ranks."""
    traces = []
    for ranks in (4, 6, 9, 12):
        data = folder / "data"
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir()
        traces.append(record(folder / f"small.{ranks}", ranks, miniapp, "levels", data)[1])
    lengths = {}
    for ranks in (16, 64, 8192):
        made, source = folder / f"made.{ranks}.mari", folder / f"made.{ranks}.c"
        code, _, error = run(MARIGRAPH, "extrapolate", *traces, "--ranks", ranks, "-o", made, "--accept-assumed")
        check(f"computed for {ranks} ranks", code == 0, error)
        code, _, error = run(MARIGRAPH, "replay", made, "--emit", "c", "-o", source)
        check(f"a program of {ranks} ranks is written", code == 0, error)
        lengths[ranks] = source.stat().st_size if source.exists() else 0
    check("it does not grow with ranks", 0 < lengths[8192] < lengths[64] + 100, lengths)
    program, root = folder / "prog", folder / "root"
    shutil.rmtree(root, ignore_errors=True)
    run("mpicc.openmpi", "-O2", "-o", program, folder / "made.16.c")
    code, again, error = record(folder / "again", 16, program, "-f", root)
    code_diff, told, _ = run(MARIGRAPH, "diff", folder / "made.16.mari", again, "--map", f"/={root}/")
    check("what was computed runs and is the same", code == 0 and code_diff == 0, told.strip()[:300] + error[-200:])


def main():
    if not shutil.which("mpicc.openmpi"):
        nothing("no mpicc.openmpi", (7 + len(IOR_RUNS)) * EACH)
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        every, miniapp = folder / "mpi_all", folder / "miniapp"
        run("mpicc.openmpi", "-O2", "-o", every, ROOT / "crates/recorder/tests/progs/mpi_all.c")
        run("mpicc.openmpi", "-O2", "-o", miniapp, HERE / "extrapolate/miniapp.c")
        for ranks in (1, 4):
            trace, program = same(folder, "every call of MPI-IO", ranks, every, "{data}/x")
        code, _, error = run("mpirun.openmpi", "--oversubscribe", "-np", 3, program, folder / "other")
        check("a wrong number of ranks is told", code != 0 and "mpirun -n 4" in error, error[:200])
        for name in ("grid", "groups", "levels", "ring", "strong"):
            same(folder, name, 4, miniapp, name, "{data}")
        extrapolated(folder, miniapp)
        if program := ior():
            for how in IOR_RUNS:
                same(folder, f"IOR {how}", 2, program, *how.split(), "-b", "256k", "-t", "64k", "-s", 4, "-w", "-r", "-k",
                     "-o", "{data}/f")
        else:
            skip("no IOR (set IOR)", len(IOR_RUNS) * EACH)
    finish()


if __name__ == "__main__":
    main()

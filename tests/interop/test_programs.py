"""The recorder's C programs that need libraries or a kernel's queues, with and without it.

Each of crates/recorder/tests/progs that cargo's own tests do not run: HDF5 and PnetCDF (with Open MPI and
MPICH), requests of the C library and of the kernel, io_uring, MPI with calls of MPI 4, a second tool. It must
print and end alike, and what was recorded must be what it says of itself or what its text asks for.
"""

import collections
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

from checks import ENV, MARIGRAPH, ROOT, check, finish, run, skip

PROGS = ROOT / "crates/recorder/tests/progs"
RANKS = 4
LAUNCH = {"openmpi": ["mpirun.openmpi", "-n", RANKS], "mpich": ["mpirun.mpich", "-n", RANKS]}
# Checks of one program, to tell how many did not run.
EACH = 3


def built(folder, name, *flags, compiler="cc", output=None):
    """A program, or None where its library is not there."""
    binary = folder / (output or name)
    done = subprocess.run([compiler, "-O2", "-w", "-pthread", "-o", binary, PROGS / f"{name}.c", *flags], capture_output=True, text=True, cwd=folder) \
        if shutil.which(compiler) else None
    if done and done.returncode == 0:
        return binary
    missing = re.search(r"([\w/.]+\.h): No such file", done.stderr) if done else None
    if done and not missing and "cannot find" not in done.stderr:
        check(f"{name} compiles", False, done.stderr[-500:])
    else:
        skip(f"{name}: no {missing[1] if missing else compiler}", EACH)
    return None


def called(command, where, extra=None):
    """Status, sorted lines and errors of a run."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=where, env={**ENV, **(extra or {})}, timeout=120)
    return done.returncode, sorted(done.stdout.splitlines()), done.stderr


class Recorded:
    """What the recorder has of a run: counters of a file and operations of the trace."""

    def __init__(self, folder, name):
        self.name = name
        text = run(MARIGRAPH, "show", "--darshan-parser", f"{name}.darshan")[1]
        self.counters = collections.Counter()
        for line in text.splitlines():
            fields = line.split("\t")
            if len(fields) >= 6 and not line.startswith("#"):
                self.counters[fields[3]] += float(fields[4])
        self.ops, ranks = collections.Counter(), 1
        for line in run(MARIGRAPH, "show", "--tree", f"{name}.mari")[1].splitlines():
            if found := re.match(r"process .* on (\d+) ranks", line):
                ranks = int(found[1])
            if found := re.match(r"  (\S.*?) #\d+(?: failed)?: (\d+) calls", line):
                self.ops[found[1]] += int(found[2]) * ranks
        self.problems = json.loads(run(MARIGRAPH, "show", "--json", f"{name}.mari")[1] or "{}").get("problems", ["no trace"])

    def count(self, counter):
        return int(self.counters[counter])


def alike(title, folder, command, launch=(), dated=False):
    """Runs it alone and recorded on the same path; gives its lines and what was recorded. A dated file differs in its bytes."""
    seen = []
    for recorded in (False, True):
        place = folder / "data"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        name = folder / "run"
        for old in folder.glob("run.*"):
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        first = [MARIGRAPH, "record", "--quiet", "--trace", "-o", name, "--"] if recorded else []
        status, lines, errors = called([*first, *launch, *command], place)
        files = {path.name: path.stat().st_size if dated else path.read_bytes() for path in place.iterdir() if path.is_file()}
        seen.append((status, lines, files))
    (status, lines, files), (_, again, same) = seen
    check(f"{title}: ends and prints alike", seen[0][:2] == seen[1][:2] and status == 0, f"{seen[0][:2]} and {seen[1][:2]} {errors[-300:]}" if seen[0][:2] != seen[1][:2] or status else "")
    check(f"{title}: writes alike", files == same, [name for name in files.keys() | same.keys() if files.get(name) != same.get(name)] if files != same else "")
    return lines, Recorded(folder, name)


def equal(title, expected, found):
    check(title, expected == found, f"{found}, expected {expected}" if expected != found else "")


def moved(lines, word):
    """Sum of the numbers that follow a word."""
    return sum(int(number) for line in lines for number in re.findall(rf"{word} (\d+)", line))


def requests(folder):
    """Requests of the C library, and of the kernel through libaio."""
    if program := built(folder, "aio_requests"):
        lines, told = alike("aio", folder, [program, "aio.dat"])
        ops = {op: told.ops[op] for op in ("aio_read", "aio_write", "aio_fsync", "aio_return")}
        equal("aio: every request is recorded", {"aio_read": 3, "aio_write": 6, "aio_fsync": 1, "aio_return": 10}, ops)
        equal("aio: bytes", (moved(lines, "write") + moved(lines, "list"), moved(lines, "read")), (told.count("POSIX_BYTES_WRITTEN"), told.count("POSIX_BYTES_READ")))
        equal("aio: calls", (5, 3), (told.count("POSIX_WRITES"), told.count("POSIX_READS")))
    if program := built(folder, "libaio_requests", "-laio"):
        _, told = alike("libaio", folder, [program, "libaio.dat"])
        ops = {op: told.ops[op] for op in ("aio_read", "aio_write", "aio_fsync", "aio_return")}
        equal("libaio: every request is recorded", {"aio_read": 9, "aio_write": 108, "aio_fsync": 1, "aio_return": 118}, ops)
        equal("libaio: bytes", (108 * 512, 8 * 256 + 512), (told.count("POSIX_BYTES_WRITTEN"), told.count("POSIX_BYTES_READ")))


def rings(folder):
    """io_uring, where the kernel allows it; system calls by number everywhere."""
    if program := built(folder, "uring_syscall"):
        _, told = alike("system calls", folder, [program, "."])
        expected = {"write": 1, "pread": 2, "pwritev": 1, "fsync": 1, "statx": 1, "copy_file_range": 1, "rename": 1, "unlink": 1, "mmap": 1}
        equal("system calls: recorded as their functions are", expected, {op: told.ops[op] for op in expected})
        equal("system calls: bytes", (12 + 5 + 12, 5 + 12), (told.count("POSIX_BYTES_WRITTEN"), told.count("POSIX_BYTES_READ")))
    raw = built(folder, "uring_raw")
    if not raw or called([raw, "raw.dat"], folder)[0]:
        return skip("io_uring: this kernel does not allow it, or not in this container", 5 * EACH)
    for words in ([], ["call", "exit"]):
        title = f"io_uring by hand {' '.join(words)}".strip()
        _, told = alike(title, folder, [raw, "raw.dat", *words])
        equal(f"{title}: calls and bytes", (64, 64 * 4096), (told.count("POSIX_WRITES"), told.count("POSIX_BYTES_WRITTEN")))
    _, told = alike("io_uring entered by the program itself", folder, [raw, "raw.dat", "asm"])
    check("io_uring entered by the program itself: what is not known is told", told.count("POSIX_WRITES") == 64 or told.problems, f"{told.count('POSIX_WRITES')} writes, {told.ops}")
    if program := built(folder, "uring_liburing", "-luring"):
        _, told = alike("liburing", folder, [program, "uring.dat"])
        expected = {"io_uring_write": 11, "io_uring_read": 13, "io_uring_fsync": 1}
        equal("liburing: every entry is recorded", expected, {op: told.ops[op] for op in expected})
        equal("liburing: bytes", (8 * 4096 + 300 + 2048, 8 * 2048 + 512 + 1024), (told.count("POSIX_BYTES_WRITTEN"), told.count("POSIX_BYTES_READ")))
    if program := built(folder, "uring_fork", "-luring"):
        _, told = alike("rings in children and threads", folder, [program, "fork.dat"])
        equal("rings in children and threads: every entry is recorded", 801, told.ops["io_uring_write"])


def hdf5(folder):
    for family in LAUNCH:
        # Debian's compilers link the library into the program, where nobody can come between.
        program = built(folder, "h5_all", "-shlib", compiler=f"h5pcc.{family}", output=f"h5_all.{family}")
        if not program:
            continue
        title = f"HDF5 ({family})"
        _, told = alike(title, folder, [program, "all.h5"], LAUNCH[family][:1] + ["-n", 1], dated=True)
        # A whole dataset of 512 int, and 15 short of another, each written and read once.
        counted = {name: told.count(name) for name in ("H5F_OPENS", "H5F_FLUSHES", "H5D_OPENS", "H5D_WRITES", "H5D_READS", "H5D_FLUSHES", "H5D_BYTES_WRITTEN", "H5D_BYTES_READ", "H5D_REGULAR_HYPERSLAB_SELECTS")}
        expected = {"H5F_OPENS": 2, "H5F_FLUSHES": 1, "H5D_OPENS": 4, "H5D_WRITES": 2, "H5D_READS": 2, "H5D_FLUSHES": 1,
                    "H5D_BYTES_WRITTEN": 2048 + 30, "H5D_BYTES_READ": 2048 + 30, "H5D_REGULAR_HYPERSLAB_SELECTS": 2}
        equal(f"{title}: counters", expected, counted)


def pnetcdf(folder):
    source = (PROGS / "pnc_all.c").read_text()
    # Each way to say which part, as the program calls it, by direction and by who takes part.
    calls = collections.Counter(
        ("NB" if call[1] in "ib" and call[1:].startswith(("iput", "iget", "bput")) else "COLL" if call.endswith("_all") else "INDEP",
         "READS" if "get_" in call else "WRITES")
        for call in re.findall(r"ncmpi(_[ib]?(?:put|get)_var[a-z0-9_]*)", source)
    )
    program = built(folder, "pnc_all", "-lpnetcdf", compiler="mpicc.openmpi")
    if not program:
        return
    lines, told = alike("PnetCDF", folder, [program, "all.nc"], LAUNCH["openmpi"])
    check("PnetCDF: the program found no error", len(lines) == RANKS and all(line.endswith("bad 0") for line in lines), lines)
    expected = {f"PNETCDF_VAR_{who}_{what}": number * RANKS for (who, what), number in calls.items()}
    equal("PnetCDF: calls of every way", expected, {name: told.count(name) for name in expected})


def mpi(folder):
    """All calls of MPI-IO, with those of MPI 4 where the library has them, and with a second tool."""
    extra = {}
    for family in LAUNCH:
        program = built(folder, "mpi_all", compiler=f"mpicc.{family}", output=f"mpi_all.{family}")
        if not program:
            continue
        lines, told = alike(f"MPI-IO ({family})", folder, [program, "all.dat"], LAUNCH[family])
        check(f"MPI-IO ({family}): all ranks print", len(lines) == RANKS, lines)
        with tempfile.TemporaryDirectory() as other:
            plain = pathlib.Path(other) / "plain.c"
            plain.write_text((PROGS / "mpi_all.c").read_text().replace("#if MPI_VERSION >= 4", "#if 0"))
            without = folder / f"mpi_without.{family}"
            run(f"mpicc.{family}", "-O2", "-w", "-o", without, plain)
        _, fewer = alike(f"MPI-IO without the calls of MPI 4 ({family})", folder, [without, "all.dat"], LAUNCH[family])
        kinds = ("MPIIO_INDEP_WRITES", "MPIIO_COLL_READS", "MPIIO_BYTES_WRITTEN", "MPIIO_BYTES_READ")
        extra[family] = tuple(told.count(kind) - fewer.count(kind) for kind in kinds)
    four = (RANKS, RANKS, RANKS * 64, RANKS * 64)
    if four in extra.values():
        check("calls with large counts are counted as the others", all(one in (four, (0, 0, 0, 0)) for one in extra.values()), extra)
    elif extra and not any(map(any, extra.values())):
        skip("calls of MPI 4: no MPI here has them")
    else:
        check("calls with large counts are counted as the others", not extra, extra)
    tool(folder)


def tool(folder):
    program, library = folder / "mpi_all.openmpi", built(folder, "mpi_tool", "-shared", "-fPIC", compiler="mpicc.openmpi", output="tool.so")
    if not library or not program.exists():
        return
    launch = [*LAUNCH["openmpi"], "-x", f"LD_PRELOAD={library}"]
    # `record` adds its library to what is there, in the environment from which mpirun takes it.
    status, plain, _ = called([*launch, program, "tool.dat"], folder)
    result, lines, errors = called([MARIGRAPH, "record", "--quiet", "--trace", "-o", folder / "tool", "--", *LAUNCH["openmpi"], program, "tool.dat"], folder, {"LD_PRELOAD": str(library)})
    saw = [line for line in lines if line.startswith("tool saw")]
    check("a second tool sees all calls", status == 0 and result == 0 and saw == [line for line in plain if line.startswith("tool saw")] and len(saw) == RANKS, f"{saw} {errors[-300:]}")
    told = Recorded(folder, folder / "tool")
    check("and so do we", told.count("MPIIO_INDEP_WRITES") > 0 and told.count("MPIIO_INDEP_OPENS") + told.count("MPIIO_COLL_OPENS") >= 2 * RANKS, told.count("MPIIO_INDEP_WRITES"))


def main():
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place).resolve()
        for part in (requests, rings, hdf5, pnetcdf, mpi):
            part(folder)
    finish()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Counters of recorded programs against Darshan's own, command by command.

Each command runs twice on the same paths: under Darshan's runtime and under `marigraph record`. Both
logs are printed by darshan-parser; every counter both have must be equal, but for times, the ranks that
were fastest or slowest, variances, and ties among common sizes and strides.

Needs, built beside: DARSHAN_RUNTIME (libdarshan.so for programs without MPI), DARSHAN_RUNTIME_MPI (with
Open MPI), DARSHAN_PARSER, IOR (built with Open MPI); and Debian's openmpi-bin, lammps. What is not there is
said and left out.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

from checks import nothing, skip

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MARIGRAPH = os.environ.get("MARIGRAPH", os.path.join(ROOT, "target/release/marigraph"))
PARSER = os.environ.get("DARSHAN_PARSER", "darshan-parser")
MPIRUN = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-np", "4"]
ENV = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

# Where Darshan is known to be blind, with the reason: (command, module, counter, file), all patterns.
BLIND = [
    ("", "POSIX", "POSIX_STATS", "", "stat, fstat, lstat and statx are symbols of their own since glibc 2.33"),
    ("", "POSIX", "POSIX_MMAPS", "", "a preloaded Darshan does not count maps and says -1"),
    ("cp", "POSIX", "READ|WRITE|WRITTEN|SIZE|SEQ|CONSEC|ACCESS", "", "cp copies by copy_file_range, which Darshan does not wrap"),
    ("lammps", "STDIO", "WRITES|WRITTEN", "", "LAMMPS prints by __fprintf_chk, which Darshan does not wrap; our bytes are checked against the files"),
    ("", "STDIO", "WRITES|WRITTEN", "<STD", "putc, puts, putchar and the fortified printf are not wrapped by Darshan"),
]
# Files that only one of the two follows, by intent.
OURS_NOT = re.compile(r"^/tmp/ompi\.|^/dev/")
# Not counters of what was done, but of how long it took or of what the runs differ in.
TIMED = re.compile(r"_F_|FASTEST|SLOWEST|MAX_(READ|WRITE)_TIME_SIZE")
TIES = re.compile(r"(ACCESS|STRIDE)\d_(ACCESS|STRIDE|COUNT)")


def parse(log):
    """{(module, file): {rank: {counter: value}}} of a log."""
    text = subprocess.run([PARSER, "--show-incomplete", log], capture_output=True, text=True, check=True).stdout
    out = collections.defaultdict(lambda: collections.defaultdict(dict))
    for line in text.splitlines():
        if line.startswith("#") or "\t" not in line:
            continue
        fields = line.split("\t")
        if len(fields) < 6:
            continue
        module, rank, _record, counter, value, name = fields[:6]
        if module in ("POSIX", "STDIO", "MPI-IO"):
            out[module, name][int(rank)][counter] = float(value)
    return out


def commons(counters, prefix, kind):
    """The common sizes or strides with their counts, in no order: which comes first among equals is open."""
    pairs = []
    for place in "1234":
        size = counters.get(f"{prefix}{kind}{place}_{kind}")
        count = counters.get(f"{prefix}{kind}{place}_COUNT")
        if count:
            pairs.append((size, count))
    return sorted(pairs)


def same_commons(theirs, ours):
    """Equal sizes with equal counts; of sizes that are equally rare, any may have the last of the four places."""
    if theirs == ours:
        return True
    least = min((count for _, count in theirs), default=0)
    above = [[pair for pair in pairs if pair[1] > least] for pairs in (theirs, ours)]
    return len(theirs) == len(ours) == 4 and above[0] == above[1] and least == min(count for _, count in ours)


def blind(command, module, counter, name):
    seen = (command, module, counter, name)
    return any(all(re.search(pattern, text) for pattern, text in zip(row, seen)) for row in BLIND)


def compare(command, theirs, ours):
    """Differences, and how many counters were equal."""
    differences, equal = [], 0
    for key in sorted(set(theirs) | set(ours)):
        module, name = key
        if OURS_NOT.search(name):
            continue
        if key not in ours:
            differences.append(f"{module} {name}: only Darshan has it")
            continue
        if key not in theirs and name.startswith("<STD"):
            continue  # Only printed to by calls that Darshan does not wrap, see BLIND.
        if key not in theirs:
            differences.append(f"{module} {name}: only ours has it")
            continue
        if set(theirs[key]) != set(ours[key]):
            differences.append(f"{module} {name}: ranks {sorted(theirs[key])} and {sorted(ours[key])}")
            continue
        for rank, counters in theirs[key].items():
            mine = ours[key][rank]
            for counter, value in counters.items():
                if TIMED.search(counter) or TIES.search(counter) or blind(command, module, counter, name):
                    continue
                if mine.get(counter) == value:
                    equal += 1
                else:
                    differences.append(f"{module} {name} rank {rank}: {counter} {value:.0f} and {mine.get(counter)}")
            prefix = {"POSIX": "POSIX_", "STDIO": "STDIO_", "MPI-IO": "MPIIO_"}[module]
            for kind in ("ACCESS", "STRIDE"):
                a, b = commons(counters, prefix, kind), commons(mine, prefix, kind)
                if blind(command, module, kind, name):
                    continue
                if not same_commons(a, b):
                    differences.append(f"{module} {name} rank {rank}: common {kind} {a} and {b}")
                else:
                    equal += 1
    return differences, equal


def check_sizes(command, ours):
    """Where Darshan cannot be the judge, the files themselves are: all their bytes were written once."""
    differences = []
    for (module, name), ranks in ours.items():
        if (command, module) not in (("lammps", "STDIO"), ("cp", "POSIX")) or not os.path.exists(name):
            continue
        written = sum(counters[f"{module}_BYTES_WRITTEN"] for counters in ranks.values())
        read = sum(counters[f"{module}_BYTES_READ"] for counters in ranks.values())
        if os.path.getsize(name) not in (written, read):
            differences.append(f"{name}: {written:.0f} written, {read:.0f} read, {os.path.getsize(name)} on disk")
    return differences


def run_theirs(command, work, mpi):
    logs = os.path.join(work, "darshan")
    os.makedirs(logs)
    library = os.environ["DARSHAN_RUNTIME_MPI" if mpi else "DARSHAN_RUNTIME"]
    env = dict(ENV, DARSHAN_LOGPATH=logs, DARSHAN_MODMEM="64", DARSHAN_NAMEMEM="8")
    if mpi:
        command = MPIRUN + ["-x", f"LD_PRELOAD={library}", "-x", "DARSHAN_LOGPATH"] + command
    else:
        env.update(LD_PRELOAD=library, DARSHAN_ENABLE_NONMPI="1")
    result = subprocess.run(command, env=env, cwd=os.path.join(work, "data"), capture_output=True, text=True)
    found = [os.path.join(logs, name) for name in os.listdir(logs)]
    return found, result


def run_ours(command, work, mpi):
    out = os.path.join(work, "ours")
    command = [MARIGRAPH, "record", "-o", out, "--"] + (MPIRUN if mpi else []) + command
    result = subprocess.run(command, env=ENV, cwd=os.path.join(work, "data"), capture_output=True, text=True)
    return out + ".darshan", result


def fresh(work):
    data = os.path.join(work, "data")
    shutil.rmtree(data, ignore_errors=True)
    os.makedirs(data)
    with open(os.path.join(data, "input.bin"), "wb") as file:
        file.write(bytes(range(256)) * 4096)
    return data


def bandwidth(text):
    """What IOR reports: {"write": MiB/s, "read": MiB/s}."""
    found = re.findall(r"^(write|read)\s+([\d.]+)", text, re.M)
    return {kind: float(value) for kind, value in found}


IOR_LAYOUTS = [
    ("file per process", ["-F", "-b", "64k", "-t", "4k", "-s", "4"]),
    ("chunked", ["-b", "256k", "-t", "4k", "-s", "1"]),
    ("interleaved", ["-b", "4k", "-t", "4k", "-s", "64"]),
    ("shifted reads", ["-C", "-b", "64k", "-t", "4k", "-s", "4"]),
    ("unaligned", ["-b", "47008", "-t", "47008", "-s", "8"]),
]
IOR_LAST = {"POSIX": ("fsync", ["-e"]), "MPIIO": ("collective", ["-c"])}


def cases():
    """Commands that can run here; what cannot is told, with the number of commands."""
    ior, left_out = os.environ.get("IOR"), collections.Counter()
    c = tempfile.mkdtemp(prefix="counters-bin-")
    program = os.path.join(c, "stdio")
    subprocess.run(["cc", "-O2", "-U_FORTIFY_SOURCE", "-w", "-o", program, os.path.join(ROOT, "tests/interop/stdio.c")], check=True)
    plain = [("stdio", [program]), ("dd", ["dd", "if=input.bin", "of=copy.bin", "bs=4k"]), ("cp", ["cp", "input.bin", "copy.bin"])]
    for name, command in plain:
        if "DARSHAN_RUNTIME" in os.environ:
            yield name, command, False
        else:
            left_out["DARSHAN_RUNTIME is not set"] += 1
    for api, (last, more) in IOR_LAST.items():
        for layout, flags in [*IOR_LAYOUTS, (last, [*more, "-b", "64k", "-t", "16k", "-s", "4"])]:
            if ior and "DARSHAN_RUNTIME_MPI" in os.environ:
                yield f"ior {api} {layout}", [ior, "-a", api, "-w", "-r", "-k", "-o", "testfile"] + flags, True
            else:
                left_out["IOR or DARSHAN_RUNTIME_MPI is not set"] += 1
    if shutil.which("lmp") and "DARSHAN_RUNTIME_MPI" in os.environ:
        yield "lammps", ["lmp", "-in", os.path.join(ROOT, "tests/interop/in.lj")], True
    else:
        left_out["no lmp, or DARSHAN_RUNTIME_MPI is not set"] += 1
    for reason, count in left_out.items():
        skip(f"counters against Darshan's: {reason}", count)
    shutil.rmtree(c, ignore_errors=True)


def main():
    only = sys.argv[1:]
    failed = total = compared = 0
    if not shutil.which(PARSER):
        nothing(f"counters against Darshan's: {PARSER} is not there", 16)
    for name, command, mpi in cases():
        if only and not any(word in name for word in only):
            continue
        with tempfile.TemporaryDirectory(prefix="counters-") as work:
            fresh(work)
            logs, theirs_run = run_theirs(command, work, mpi)
            fresh(work)
            log, ours_run = run_ours(command, work, mpi)
            if len(logs) != 1 or not os.path.exists(log):
                print(f"{name}: Darshan left {len(logs)} logs, we {'one' if os.path.exists(log) else 'none'}")
                print(theirs_run.stderr[-500:], ours_run.stderr[-1500:])
                failed += 1
                continue
            compared += 1
            ours = parse(log)
            differences, equal = compare(name, parse(logs[0]), ours)
            differences += check_sizes(name, ours)
            total += equal
            failed += bool(differences)
            print(f"{name}: {equal} counters equal, {len(differences)} differ")
            for line in differences[:25]:
                print("   ", line)
    for command, module, counter, file, reason in BLIND:
        print(f"not compared: {command or 'all'}: {module} {counter} {file}: {reason}")
    print(f"{compared} commands compared, {total} counters equal, {failed} commands with differences")
    return 1 if failed else 0 if compared else 77


if __name__ == "__main__":
    sys.exit(main())

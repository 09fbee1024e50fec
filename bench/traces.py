#!/usr/bin/env python3
"""How large traces are: IOR (POSIX and MPI-IO; file per process, chunked, interleaved) by iterations and ranks,
and a million sequential writes of one byte. Needs IOR (built with Open MPI) and openmpi-bin.

    IOR=/path/to/ior bench/traces.py
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARIGRAPH = os.environ.get("MARIGRAPH", str(ROOT / "target/release/marigraph"))
MILLION = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>
int main(void)
{
    int fd = open("file", O_CREAT | O_RDWR, 0600);
    for (long at = 0; at < 1000000; at++)
        if (pwrite(fd, "x", 1, at) != 1)
            return 1;
    return close(fd);
}
"""
ENV = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def record(folder, command):
    """(structure bytes, time bytes, calls) of a command's trace."""
    name = folder / "trace"
    for old in folder.glob("file*"):
        old.unlink()  # IOR does more where it finds a file.
    subprocess.run([MARIGRAPH, "record", "--trace", "-o", name, "--", *command], cwd=folder, env=ENV, check=True, capture_output=True)
    shown = subprocess.run([MARIGRAPH, "show", "--json", f"{name}.mari"], check=True, capture_output=True, text=True).stdout
    trace = json.loads(shown)["trace"]
    return trace["structure_bytes"], trace["time_bytes"], trace["events"]


def ior(api, layout, turns, ranks):
    shape = {"file per process": ["-F", "-b", str(4096 * turns), "-s", "1"], "chunked": ["-b", str(4096 * turns), "-s", "1"], "interleaved": ["-b", "4096", "-s", str(turns)]}
    mpirun = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-np", str(ranks)]
    return mpirun + [os.environ["IOR"], "-a", api, "-w", "-k", "-t", "4096", "-o", "file", *shape[layout]]


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "million.c").write_text(MILLION)
        subprocess.run(["cc", "-O2", "-o", folder / "million", folder / "million.c"], check=True)
        structure, times, calls = record(folder, [folder / "million"])
        print(f"10^6 writes of one byte: {structure} bytes of structure, {times / calls:.2f} bytes of times per call")
        failed += times / calls > 1.5 or structure > 1024
        if "IOR" not in os.environ:
            print("SKIPPED: IOR is not set (6 checks)")
            return 1 if failed else 0
        for api in ("POSIX", "MPIIO"):
            for layout in ("file per process", "chunked", "interleaved"):
                turns = [record(folder, ior(api, layout, n, 4))[0] for n in (16, 160, 1600)]
                ranks = [record(folder, ior(api, layout, 1600, n))[0] for n in (4, 8)]
                growth = ranks[1] / ranks[0] - 1
                print(f"{api} {layout}: {turns} bytes for 16, 160, 1600 turns; {ranks} for 4 and 8 ranks: {growth:+.1%}")
                failed += growth >= 0.01
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

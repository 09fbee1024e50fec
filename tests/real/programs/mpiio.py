"""Every 0.9 s all ranks write 2.5 MiB each to one shared file, collectively: mpiio.py FOLDER."""
import sys
import time

from mpi4py import MPI

BYTES, STEPS = 5 << 19, 18
world = MPI.COMM_WORLD
block = bytes(BYTES)
file = MPI.File.Open(world, f"{sys.argv[1]}/shared.bin", MPI.MODE_CREATE | MPI.MODE_WRONLY)
world.Barrier()
begun = time.monotonic()
for step in range(STEPS):
    time.sleep(max(0.0, begun + step * 0.9 + 0.3 - time.monotonic()))
    file.Write_at_all((step * world.size + world.rank) * BYTES, block)
time.sleep(max(0.0, begun + STEPS * 0.9 - time.monotonic()))
file.Close()

"""Every 0.9 s all ranks write a row of one HDF5 dataset, 2.5 MiB each, collectively: hdf5.py FOLDER."""
import sys
import time

import h5py
import numpy
from mpi4py import MPI

NUMBERS, STEPS = 5 << 16, 18
world = MPI.COMM_WORLD
with h5py.File(f"{sys.argv[1]}/state.h5", "w", driver="mpio", comm=world) as file:
    data = file.create_dataset("state", (STEPS, world.size * NUMBERS), dtype="f8")
    row = numpy.full(NUMBERS, world.rank, dtype="f8")
    world.Barrier()
    begun = time.monotonic()
    for step in range(STEPS):
        time.sleep(max(0.0, begun + step * 0.9 + 0.3 - time.monotonic()))
        with data.collective:
            data[step, world.rank * NUMBERS:(world.rank + 1) * NUMBERS] = row
    time.sleep(max(0.0, begun + STEPS * 0.9 - time.monotonic()))

"""A dataset with a row per step, of which every rank writes its part, collectively. usage: h5dump.py STEPS"""
import sys

import h5py
import numpy
from mpi4py import MPI

PART = 65536
comm = MPI.COMM_WORLD
steps = int(sys.argv[1])
with h5py.File("state.h5", "w", driver="mpio", comm=comm) as file:
    data = file.create_dataset("state", (steps, comm.size * PART), "f8")
    mine = numpy.full(PART, comm.rank, "f8")
    for step in range(steps):
        with data.collective:
            data[step, comm.rank * PART : (comm.rank + 1) * PART] = mine

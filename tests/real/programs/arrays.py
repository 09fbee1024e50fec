"""numpy.save of 24 MiB every 1.5 s: arrays.py FOLDER."""
import sys

import numpy

from pace import sleep_until

array = numpy.zeros(24 << 17)
for step in range(8):
    sleep_until(step * 1.5 + 0.75)
    numpy.save(f"{sys.argv[1]}/field.{step:04d}.npy", array)
sleep_until(12)

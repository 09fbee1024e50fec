"""Six bursts in 20 s, each synchronised to the disk: bursts.py FOLDER; with SECONDS SEED as well, noise instead."""
import os
import random
import sys

from pace import sleep_until

BURSTS = [(1, 48), (4.5, 24), (8, 24), (11.5, 24), (15, 24), (18, 64)]
PIECE = bytes(1 << 20)


def write(path, mib):
    file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    for _ in range(mib):
        os.write(file, PIECE)
        os.fsync(file)
    os.close(file)


if len(sys.argv) > 2:
    draw, at = random.Random(int(sys.argv[3])), 0.0
    while at < float(sys.argv[2]):
        sleep_until(at)
        write(f"{sys.argv[1]}/noise", draw.randint(1, 6))
        at += draw.expovariate(1.0)
else:
    for number, (moment, mib) in enumerate(BURSTS):
        sleep_until(moment)
        write(f"{sys.argv[1]}/burst.{number}", mib)
    sleep_until(20)

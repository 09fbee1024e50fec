"""Lines of 100 bytes for sort on standard output, 12 MB/s for 12 s, in pieces of 50 ms."""
import random
import sys

from pace import sleep_until

draw = random.Random(17)
lines = [b"%099d\n" % draw.getrandbits(300) for _ in range(60000)]
for piece in range(240):
    sleep_until(piece * 0.05)
    start = piece % 10 * 6000
    sys.stdout.buffer.write(b"".join(lines[start:start + 6000]))
    sys.stdout.buffer.flush()

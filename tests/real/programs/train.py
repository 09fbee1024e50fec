"""Training: reads a batch of 5 MiB every 0.45 s, writes a checkpoint of 22 MiB every 2.25 s: train.py FOLDER."""
import pathlib
import sys

from pace import sleep_until

folder = pathlib.Path(sys.argv[1])
model = bytes(22 << 20)
for batch in range(40):
    sleep_until(batch * 0.45 + 0.1)
    (folder / f"batch.{batch:04d}").read_bytes()
    if batch % 5 == 2:
        sleep_until(batch * 0.45 + 0.3)
        (folder / f"model.{batch:04d}").write_bytes(model)
sleep_until(40 * 0.45)

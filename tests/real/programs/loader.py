"""A data loader: every 0.8 s four threads read the next four shards of 3 MiB: loader.py FOLDER."""
import concurrent.futures
import pathlib
import sys

from pace import sleep_until

folder = pathlib.Path(sys.argv[1])
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    for batch in range(16):
        sleep_until(batch * 0.8 + 0.3)
        shards = [folder / f"shard.{4 * batch + at:04d}" for at in range(4)]
        assert sum(map(len, pool.map(pathlib.Path.read_bytes, shards))) == 12 << 20
sleep_until(16 * 0.8)

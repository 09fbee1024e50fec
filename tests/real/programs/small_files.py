"""Creates 200 empty files per second for 8 s, a hundred names in turn: small_files.py FOLDER."""
import os
import sys

from pace import sleep_until

for number in range(1600):
    os.close(os.open(f"{sys.argv[1]}/small.{number % 100:04d}", os.O_CREAT | os.O_WRONLY, 0o600))
    sleep_until((number + 1) * 0.005)

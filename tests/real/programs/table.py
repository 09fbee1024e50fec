"""Reads a table of 160 MiB, computes, and writes a result of 160 MiB at the end: table.py FOLDER."""
import pathlib
import sys

from pace import sleep_until

folder = pathlib.Path(sys.argv[1])
table = (folder / "input.0000").read_bytes()
sleep_until(9)
(folder / "result").write_bytes(table)

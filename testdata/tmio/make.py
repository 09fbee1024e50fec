#!/usr/bin/env python3
"""Writes the inputs of this folder, and beside each what a reader should find in it (found here by other code)."""
import json
import struct

def nanos(seconds):
    return int(round(seconds * 1e9))

def line(rank, op, start, end, volume):
    return f"{rank} {op} {start} {end} {volume}\n"

def expect(name, lines, problems=()):
    with open(name + ".expected", "w") as out:
        out.write("".join(lines) + "".join(f"problem {kind}\n" for kind in problems))

def entry(rank, op, rate, start, end):
    start, end = sorted((nanos(start), nanos(end)))
    end += 1000 if start == end else 0
    return line(rank, op, start, end, int(rate * (end - start) / 1e9 + 0.5))

# Two flushes of two ranks: NaN, swapped times, an entry without length, several keys in a line, a cut last line.
NAN = float("nan")
first = ([5e6, 4e6, 3e6, NAN, 2e6], [1.0, 3.5, 1.25, 2.0, 3.0], [2.5, 3.0, 2.5, 2.5, 3.0])
second = ([6e6, 7e6], [11.0, 11.5], [12.0, 12.25])
empty = ([], [], [])

def body(columns, ranks, most):
    rates, starts, ends = columns
    return {"total_bytes": 1.23e7, "max_io_phases_per_rank": most, "number_of_ranks": ranks, "bandwidth": {
        "median": NAN, "b_rank_avr": rates, "b_rank_sum": rates, "t_rank_s": starts, "t_rank_e": ends,
        "b_ind": rates[:1], "t_ind_s": starts[:1], "t_ind_e": ends[:1]}}

required = ([9e9], [0.0], [90.0])
modes = [("read_sync", empty, 0, 0), ("read_async_t", empty, 0, 0), ("read_async_b", required, 1, 1),
         ("write_async_t", second, 1, 2), ("write_async_b", required, 1, 1), ("write_sync", first, 2, 3)]
with open("two.jsonl", "w") as out:
    for name, *mode in modes:
        out.write("\t" + json.dumps({name: body(*mode)}) + "\n")
    out.write("\t" + json.dumps({"io_time": {"delta_t_agg": NAN}}) + "\n")
    out.write(json.dumps({"read_sync": body(second, 2, 1), "io_time": {}}) + "\n")
    out.write('{"write_sync": {"bandwidth": {"b_rank_avr": [1.0, 2.')
expect("two.jsonl",
       [entry(0, "write", *row) for row in zip(*second)]
       + [entry(rank, "write", *row) for rank, row in zip([0, 0, 1, 1, 1], zip(*first)) if row[0] == row[0]]
       + [entry(rank, "read", *row) for rank, row in zip([0, 1], zip(*second))],
       ["truncated", "bad_record", "bad_record"])

# The same kind of run as MessagePack; bytes are exact, and rates are not looked at.
def pack(value):
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return struct.pack(">B", value) if value < 128 else b"\xcf" + struct.pack(">Q", value)
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, str):
        return bytes([0xA0 + len(value)]) + value.encode()
    head = bytes([0x90 + len(value)]) if len(value) < 16 else b"\xdc" + struct.pack(">H", len(value))
    return head + b"".join(map(pack, value))

reads = [(4096, 0.5, 0.75), (4096, 1.5, 1.75), (8192, 2.0, 2.25), (8192, 3.0, 3.25)]
writes = [(100000, 4.0, 4.0), (200000, 6.0, 7.0), (300000, 5.0, 6.5)]

def mode(name, phases, most, ranks):
    rows = [[volume, start, end, 0, 1.0, 1.0, 0, 0, 1] for volume, start, end in phases]
    total = sum(phase[0] for phase in phases)
    return [name, "async" in name, "write" in name, total, 0, 0, most, len(rows), 1, most, len(rows), ranks, 2, rows]

with open("two.msgpack", "wb") as out:
    for value in [mode("read_async", [], 0, 0), mode("read_sync", reads, 2, 2), mode("write_async", [], 0, 0),
                  mode("write_sync", writes, 2, 2), ["io_time"] + [0.5] * 17 + [NAN]]:
        out.write(pack(value))
expect("two.msgpack",
       [line(rank, "read", nanos(row[1]), nanos(row[2]), row[0]) for rank, row in zip([0, 0, 1, 1], reads)]
       + [line(rank, "write", nanos(row[1]), max(nanos(row[2]), nanos(row[1]) + 1000), row[0])
          for rank, row in zip([0, 0, 1], writes)])

# The application's rate alone.
rates, times = [1e6, 3e6, 0, 2e6, 0], [0.5, 1.0, 2.0, 4.0, 5.5]
with open("steps.json", "w") as out:
    json.dump({"bandwidth": {"b_overlap_avr": rates, "t_overlap": times}}, out, indent=1)
steps = [(rate, start, end) for rate, start, end in zip(rates, times, times[1:]) if rate]
borders = [line(0, "read", nanos(time), nanos(time), 0) for time in (times[0], times[-1])]
expect("steps.json", [entry(0, "read", *step) for step in steps] + borders, ["not_recorded"])

# A client of GekkoFS.
sizes, starts, ends = [4096, 8192, 65536], [100, 1500, 9000], [900, 1500, 12000]
with open("client.txt", "w") as out:
    out.write(f"start_t_micro: {starts}\nend_t_micro: {ends}\nreq_size: {sizes}\nio_type: \"w\"\nhostname: \"n1\"\npid: 07\n")
expect("client.txt", [line(0, "write", start * 1000, max(end, start + 1) * 1000, size)
                      for size, start, end in zip(sizes, starts, ends)])

# Rates per step.
with open("rates.csv", "w") as out:
    out.write("timestamp,write\n2024-02-29 23:59:58.500000,0\n2024-02-29 23:59:59.500000,250000\n")
    out.write("2024-03-01 00:00:00.500000,0\n2024-03-01 00:00:01.500000,125000\n")
expect("rates.csv", [entry(0, "write", 250000, 1, 2), entry(0, "write", 125000, 3, 4)]
       + [line(0, "write", nanos(time), nanos(time), 0) for time in (0, 4)])

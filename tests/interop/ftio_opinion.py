#!/usr/bin/env python3
"""Runs in a Python that has FTIO: reads samples as JSON, prints its dominant frequencies as the last line.

FTIO gets the samples as a step function that changes midway between them: it adds up the sampling step and
so strays from the instants at which requests begin and end. What else it does otherwise than its paper is
left out, with the reason.
"""

import json
import sys

import numpy as np
from ftio.cli.ftio_core import core
from ftio.parse.args import parse_args

MISSED = "misses harmonics whose frequency is rounded to just below a multiple"
OTHERWISE = {
    "short_bursts": MISSED,
    "two_requests": MISSED,
}


def opinion(samples, sampling, tolerance):
    count = len(samples)
    times = np.concatenate([[0.0], np.arange(1, count) - 0.5, [count + 0.25]]) / sampling
    signal = {"time": times, "bandwidth": np.append(samples, 0.0), "total_bytes": 0, "ranks": 1}
    args = parse_args(["-e", "no", "-f", str(sampling), "-t", str(tolerance)], "ftio")
    found, _ = core(signal, args)
    return [{"period_s": 1 / f, "confidence": c} for f, c in zip(found.dominant_freq, found.conf)]


def main():
    asked = json.load(sys.stdin)
    given = {name: opinion(**one) for name, one in asked.items() if name not in OTHERWISE}
    print()
    print(json.dumps(given, default=float))


if __name__ == "__main__":
    main()

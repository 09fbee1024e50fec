"""Made-up I/O of known shape, for test_period.py: requests, and the options to analyse them with.

Every trace is there for a branch of the method; its name says which.
"""

import numpy as np


def burst(start, length, ranks, size, pieces=1, spread=None):
    """Each rank writes `size` bytes in `pieces` requests during `length` seconds from `start`."""
    rows = []
    for rank in range(ranks):
        late = 0.0 if spread is None else float(spread(rank))
        edges = start + late + np.linspace(0.0, length, pieces + 1)
        rows += [(rank, begin, end, size // pieces, "write") for begin, end in zip(edges, edges[1:])]
    return rows


def phases(starts, length, ranks=4, size=1 << 28, **more):
    return [row for start in starts for row in burst(float(start), length, ranks, size, **more)]


def jittered(seed, count, compute, sigma, length, **more):
    random = np.random.default_rng(seed)
    gaps = np.abs(random.normal(compute, sigma, count))
    return phases(np.cumsum(gaps + length) - length, length, **more)


def log_lines(until, every, size):
    return [(0, t, t + 0.4, size, "write") for t in np.arange(0.1, until, every)]


def random_requests(seed, count, until):
    random = np.random.default_rng(seed)
    starts, lengths = random.uniform(0, until, count), random.exponential(2.0, count)
    sizes = random.integers(1, 1 << 30, count)
    return [(n % 3, s, s + d, int(b), "write") for n, (s, d, b) in enumerate(zip(starts, lengths, sizes))]


def desynchronised(seed):
    random = np.random.default_rng(seed)
    return phases(np.arange(12) * 22.0, 10.0, ranks=8, pieces=5, spread=lambda rank: random.exponential(4.0))


def mixed():
    reads = [(r, s, e, b, "read") for r, s, e, b, _ in phases(np.arange(40) * 3.1, 0.9, ranks=1, size=1 << 20)]
    return reads + phases(np.arange(10) * 12.4 + 1, 2.0)


def two_rates():
    """Two activities whose waves are about equally strong."""
    slow = phases(np.arange(9) * 20.0, 9.0, size=1 << 30)
    fast = phases(np.arange(14) * 13.0, 6.0, size=int((1 << 30) * 6.0 / 9.0))
    return slow + fast


def nested(times):
    """An activity and another that is so many times faster, whose waves are about equally strong."""
    slow = phases(np.arange(10) * 60.0, 30.0, size=1 << 30)
    return slow + phases(np.arange(10 * times) * 60.0 / times, 30.0 / times, size=(1 << 30) // times)


def ripple():
    """Short requests whose size swells slowly: the transform sees the swell, the autocorrelation the ripple."""
    size = lambda t: int(1e8 * (1 + 0.9 * np.cos(2 * np.pi * t / 300)))
    return [(0, t, t + 2.0, size(t), "write") for t in np.arange(0, 600, 4.0)]


def drifting():
    """A period that grows: one line becomes a band of neighbours."""
    return phases(np.cumsum(6.0 + 0.12 * np.arange(40)), 2.0)


def awkward():
    """Requests without duration, without bytes, and many at the same instant."""
    rows = phases(np.arange(12) * 10.0, 1.5)
    rows += [(0, t, t, 4096, "write") for t in np.arange(12) * 10.0 + 5.0]
    return rows + [(1, t, t + 0.3, 0, "write") for t in np.arange(12) * 10.0 + 7.0]


# name: (requests, options)
TRACES = {
    "whole_periods": (phases(np.arange(10) * 20.0, 4.0) + [(0, 199.0, 200.0, 1, "write")], {}),
    "between_bins": (phases(np.arange(13) * 17.3, 3.0), {}),
    "short_bursts": (phases(np.arange(20) * 30.0, 0.5), {}),
    "short_bursts_wide_tolerance": (phases(np.arange(20) * 30.0, 2.5), {"tolerance": 0.45}),
    "jitter": (jittered(1, 20, 11.0, 3.0, 10.4), {"sampling": 1.0}),
    "much_jitter": (jittered(2, 20, 11.0, 16.0, 10.4), {"sampling": 1.0}),
    "desynchronised": (desynchronised(3), {"sampling": 2.0}),
    "checkpoint_and_log": (phases(np.arange(8) * 45.0, 6.0) + log_lines(360, 1.7, 4096), {"sampling": 5.0}),
    "two_rates": (two_rates(), {"sampling": 4.0}),
    "drifting": (drifting(), {"sampling": 4.0}),
    "swell_and_ripple": (ripple(), {"sampling": 2.0}),
    "little_confidence": (random_requests(49, 15, 300.0), {}),
    "autocorrelation_alone": (jittered(17, 20, 11.0, 8.0, 6.0), {"sampling": 1.0}),
    "no_outlier": (random_requests(5, 80, 300.0), {"sampling": 2.0}),
    "many_candidates": (random_requests(26, 80, 300.0), {"sampling": 2.0}),
    "random": (random_requests(4, 60, 400.0), {"sampling": 2.0}),
    "writes_only": (mixed(), {"op": "write"}),
    "reads_only": (mixed(), {"op": "read"}),
    "a_window": (mixed(), {"window": [20.25, 97.5]}),
    "odd_rate": (phases(np.arange(15) * 25.0, 5.0, pieces=3), {"sampling": 0.7}),
    "slow": (phases(np.arange(25) * 613.7, 47.0), {"sampling": 0.1}),
    "awkward": (awkward(), {}),
    "one_request": ([(0, 1.0, 31.0, 1 << 20, "write")], {}),
    "two_requests": ([(0, 0.0, 1.0, 9, "read"), (0, 90.0, 91.5, 9, "read")], {}),
    "one_period": (phases([0.0, 50.0], 6.0), {}),
    "too_short": ([(0, 0.0, 0.25, 5, "write"), (0, 0.1, 0.2, 5, "write")], {}),
    "shorter_than_a_sample": ([(0, 0.0, 0.05, 5, "write")], {}),
    "twice_as_fast": (nested(2), {"sampling": 2.0}),
    "three_times_as_fast": (nested(3), {"sampling": 2.0}),
    "six_times_as_fast": (nested(6), {"sampling": 2.0}),
    "without_autocorrelation": (phases(np.arange(13) * 17.3, 3.0), {"autocorrelation": False}),
}

# FTIO differs in what it takes for a harmonic and in how it uses the autocorrelation.
OTHERWISE = ["between_bins", "short_bursts_wide_tolerance", "jitter", "much_jitter", "two_rates", "swell_and_ripple",
             "little_confidence", "autocorrelation_alone", "many_candidates", "three_times_as_fast", "slow"]
for name in OTHERWISE:
    trace, options = TRACES[name]
    TRACES[f"{name}_as_ftio"] = (trace, {**options, "as_ftio": True})
    TRACES[f"{name}_as_ftio_alone"] = (trace, {**options, "as_ftio": True, "autocorrelation": False})

for name in ["between_bins", "jitter", "two_rates", "random", "odd_rate", "slow", "three_times_as_fast", "too_short"]:
    trace, options = TRACES[name]
    for ways in (["dbscan"], ["lof"], ["find-peaks"], ["zscore", "dbscan"], ["zscore", "lof", "find-peaks"]):
        TRACES["_".join([name, "by", *ways])] = (trace, {**options, "outliers": ways})

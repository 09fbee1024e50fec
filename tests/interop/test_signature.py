"""Stages of the published method of signatures, held against PyWavelets and scikit-learn.

Smoothing by the discrete Meyer wavelet equals `pywt` (mode symmetric, details set to zero), and local outlier factors
equal `sklearn.neighbors.LocalOutlierFactor`, both to 1e-9 of the largest value. Signals are random ones, square waves
like those of checkpoints and, where the folder of data is there, a real slice of its servers' log. Needs PyWavelets and
scikit-learn (scripts/install.sh), and `marigraph-bench` beside the program. Variable: MARIGRAPH_DATA (the folder of data).
"""
import gzip
import importlib.metadata
import os
import pathlib
import subprocess
import sys

import numpy
import pywt
from sklearn.neighbors import LocalOutlierFactor

ROOT = pathlib.Path(__file__).resolve().parents[2]
HARNESS = pathlib.Path(os.environ.get("MARIGRAPH", ROOT / "target/release/marigraph")).with_name("marigraph-bench")
DATA = pathlib.Path(os.environ.get("MARIGRAPH_DATA", ROOT.parent / "shared/data"))
TOLERANCE = 1e-9
LEVELS = range(1, 5)
# Shorter and longer than the 62 taps of the filter, odd and even.
LENGTHS = [1, 2, 3, 5, 8, 30, 31, 61, 62, 63, 64, 100, 127, 128, 501, 1000, 1201, 4096, 9999]
random = numpy.random.default_rng(6)


def ours(cases):
    """What our stages make of all cases, each a name and numbers."""
    lines = "\n".join(" ".join([name, *(repr(float(number)) for number in numbers)]) for name, numbers in cases)
    done = subprocess.run([HARNESS, "stages"], input=lines + "\n", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [numpy.array([float(word) for word in line.split()]) for line in done.stdout.splitlines()]


def smoothed(signal, levels):
    """One level after the other: `wavedec` is the same, but warns where a signal is shorter than the filter."""
    rough, lengths = signal, []
    for _ in range(levels):
        lengths.append(len(rough))
        rough, _ = pywt.dwt(rough, "dmey", mode="symmetric")
    for length in reversed(lengths):
        rough = pywt.idwt(rough, None, "dmey", mode="symmetric")[:length]
    return rough


def by_wavedec(signal, levels):
    """The same by the calls that most programs use."""
    parts = pywt.wavedec(signal, "dmey", mode="symmetric", level=levels)
    parts[1:] = [numpy.zeros_like(part) for part in parts[1:]]
    return pywt.waverec(parts, "dmey", mode="symmetric")[: len(signal)]


def square(length):
    """Bursts of 2.5 GB/s over a base load, as a server sees checkpoints."""
    return 2.5e9 * ((numpy.arange(length) % 120) < 26) + 1e8 * random.exponential(size=length)


def real():
    """Slices of a servers' log, written bytes per second."""
    log = DATA / "server/default/throughput.csv.gz"
    if not log.is_file():
        print(f"SKIPPED: no servers' log at {log} (set MARIGRAPH_DATA)")
        return []
    with gzip.open(log, "rt") as lines:
        rates = [float(line.split(",")[1]) for line, _ in zip(lines, range(20_000)) if line[0].isdigit()]
    return [numpy.array(rates[at : at + length]) for at, length in [(0, 751), (2000, 1502), (5000, 10_001)]]


def wavelet_cases():
    signals = [random.normal(size=length) for length in LENGTHS] + [square(length) for length in LENGTHS] + real()
    for signal in signals:
        for levels in LEVELS:
            # `wavedec` refuses nothing but warns of levels that a short signal does not have.
            if len(signal) >= 61 * 2**levels:
                yield f"wavedec, {len(signal)} values, level {levels}", ("wavelet", [levels, *signal]), by_wavedec(signal, levels)
            yield f"wavelet, {len(signal)} values, level {levels}", ("wavelet", [levels, *signal]), smoothed(signal, levels)


def run_set(count):
    """Runs by length and bytes, no two alike, one of them a restart."""
    points = numpy.column_stack([1500 + 20 * random.normal(size=count), 6.4e11 * (1 + 0.1 * random.normal(size=count))])
    points[0] *= 0.45
    return points


def outlier_cases():
    for count in range(4, 41):
        points = run_set(count)
        scaled = (points - points.mean(axis=0)) / points.std(axis=0)
        yield f"scaled, {count} points", ("scaled", points.ravel()), scaled.ravel()
        for neighbours in sorted({2, count // 2, count - 1}):
            factors = -LocalOutlierFactor(n_neighbors=neighbours).fit(scaled).negative_outlier_factor_
            yield f"outliers, {count} points, {neighbours} neighbours", ("outliers", [neighbours, *scaled.ravel()]), factors


def main():
    cases = [*wavelet_cases(), *outlier_cases()]
    results = ours([case for _, case, _ in cases])
    assert len(results) == len(cases), (len(results), len(cases))
    worst, failed = {}, 0
    for (name, (stage, numbers), wanted), found in zip(cases, results):
        largest = numpy.abs(numbers[1:] if stage == "wavelet" else wanted).max()
        error = numpy.abs(found - wanted).max() / largest if len(found) == len(wanted) else numpy.inf
        worst[stage] = max(worst.get(stage, (0.0, "")), (error, name))
        if not error <= TOLERANCE:
            failed += 1
            print(f"FAILED: {name}: off by {error:.2g} of the largest value")
    for stage, (error, name) in worst.items():
        print(f"{stage}: at most {error:.2g} off ({name})")
    peers = " and ".join(f"{name} {importlib.metadata.version(name)}" for name in ("PyWavelets", "scikit-learn"))
    print(f"{len(cases) - failed} of {len(cases)} cases equal {peers}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()

"""Ways to find outliers, held against scikit-learn and SciPy.

Local outlier factors (of points, and of the same points as new ones), noise by DBSCAN and peaks are equal to 1e-6 of
the largest value. An isolation forest draws at random, so ours differs from scikit-learn's as its forests differ from
each other: the usual length of a path is equal to 1e-9, the mean of our scores over seeds differs from the mean of
theirs by less than the spread of single forests, and both rank a clear outlier first. Points are spectra of bursts, as
`marigraph period --outliers` sees them, and clouds. Needs `marigraph-bench` beside the program.
"""
import importlib.metadata
import os
import pathlib
import subprocess
import sys

import numpy as np
from scipy.signal import find_peaks
from sklearn.cluster import DBSCAN
from sklearn.ensemble import IsolationForest
from sklearn.ensemble._iforest import _average_path_length
from sklearn.neighbors import LocalOutlierFactor

ROOT = pathlib.Path(__file__).resolve().parents[2]
HARNESS = pathlib.Path(os.environ.get("MARIGRAPH", ROOT / "target/release/marigraph")).with_name("marigraph-bench")
CLOSE = 1e-6
FORESTS = 10
random = np.random.default_rng(17)
failures = []


def ours(cases):
    """What our stages make of all cases, each a name and numbers."""
    lines = "\n".join(" ".join([name, *(repr(float(number)) for number in numbers)]) for name, numbers in cases)
    done = subprocess.run([HARNESS, "stages"], input=lines + "\n", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [np.array([float(word) for word in line.split()]) for line in done.stdout.splitlines()]


def spectrum(samples, period, jitter):
    """Points of the spectrum of bursts: the frequency as a share of the highest, and the share of the power."""
    starts = np.cumsum(period + jitter * random.normal(size=int(samples / period) + 1))
    signal = random.uniform(0, 0.05, samples)
    for start in starts[starts < samples - 1]:
        signal[int(start) : int(start + period / 4) + 1] += 1
    power = np.abs(np.fft.rfft(signal)[1:]) ** 2
    return np.column_stack([np.arange(1, len(power) + 1) / len(power), power / power.sum()])


def clouds():
    for samples, period, jitter in [(60, 9, 0), (300, 20, 1), (1001, 37, 4), (2000, 50, 0)]:
        yield f"spectrum of {samples}", spectrum(samples, period, jitter)
    for count in (2, 3, 21, 22, 150):
        yield f"{count} at random", random.normal(size=(count, 2))


def exact():
    """Name, our stage, what the peer says."""
    for name, points in clouds():
        flat = points.ravel()
        neighbours = max(1, min(20, len(points) - 1))
        model = LocalOutlierFactor(n_neighbors=neighbours, novelty=True).fit(points)
        yield f"lof, {name}", ("outliers", [20, *flat]), -model.negative_outlier_factor_
        yield f"lof as new, {name}", ("new", [20, *flat]), -model.score_samples(points)
        for reach in (0.003, 0.05, 0.4):
            labels = DBSCAN(eps=reach, min_samples=2).fit(points).labels_
            yield f"dbscan {reach}, {name}", ("noise", [reach, *flat]), (labels == -1).astype(float)
        values = np.round(points[:, 1], 2)
        for height in (0.0, 0.01, 0.8 * values.max()):
            yield f"peaks {height}, {name}", ("peaks", [height, *values]), find_peaks(values, height=height)[0].astype(float)
    for count in (1, 2, 3, 17, 256, 100_000):
        yield f"length {count}", ("length", [count]), _average_path_length([count])


def far(found, wanted):
    if len(found) != len(wanted):
        return np.inf
    return 0.0 if len(wanted) == 0 else np.abs(found - wanted).max() / max(np.abs(wanted).max(), 1e-300)


def forests():
    """Our forests beside theirs; the distance of their means in spreads of single forests."""
    for samples, period in [(300, 20), (500, 10), (480, 16)]:
        points = spectrum(samples, period, 0)
        mine = np.array(ours([("forest", [seed, *points.ravel()]) for seed in range(FORESTS)]))
        models = [IsolationForest(contamination=0.001, random_state=seed).fit(points) for seed in range(FORESTS)]
        theirs = np.array([-model.score_samples(points) for model in models])
        spread = theirs.std(axis=0).max()
        distance = np.abs(mine.mean(axis=0) - theirs.mean(axis=0)).max()
        if distance > spread:
            failures.append(f"forest of {len(points)} points: means differ by {distance:.4f}, single forests by {spread:.4f}")
        first = {int(np.argmax(scores)) for scores in [*mine, *theirs]}
        if first != {int(np.argmax(points[:, 1]))}:
            failures.append(f"forest of {len(points)} points: ranked first {first}")
        print(f"forest of {len(points)} points: means differ by {distance:.4f}, single forests of scikit-learn by {spread:.4f}")


def main():
    cases = list(exact())
    worst = {}
    for (name, (stage, _), wanted), found in zip(cases, ours([case for _, case, _ in cases]), strict=True):
        error = far(found, wanted)
        worst[stage] = max(worst.get(stage, 0.0), error)
        if not error <= CLOSE:
            failures.append(f"{name}: off by {error:.2g} of the largest value")
    for stage, error in worst.items():
        print(f"{stage}: at most {error:.2g} off")
    forests()
    for failure in failures:
        print(f"FAILED: {failure}")
    peers = " and ".join(f"{name} {importlib.metadata.version(name)}" for name in ("scikit-learn", "scipy"))
    print(f"{len(cases)} cases beside {peers}, {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The published period of I/O phases, written a second time from the paper: what ours is compared with.

Tarraf, Bandet, Boito, Pallez, Wolf: Capturing Periodic I/O Using Frequency Techniques, IPDPS 2024.
Reads a table `rank,start,end,bytes,op` and prints the fields of `marigraph period --method dft --json`.
Meant to be read beside the paper, not to be fast: the signal is a sorted step function, the
autocorrelation a sum of products, the peaks are SciPy's.

With --as-ftio it does as FTIO 0.0.9 where that differs from the paper: each such place says so.

    ftio_oracle.py TABLE.csv [--sampling HZ] [--op read|write|both] [--tolerance 0.8] [--window FROM:TO]
        [--no-autocorrelation] [--as-ftio] [--outliers WAY,...]
"""

import argparse
import csv
import json

import numpy as np
from scipy.signal import find_peaks
from sklearn.cluster import DBSCAN
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor

# A request without duration has no rate; it is taken to last this long.
SHORTEST_NS = 1000


def requests(path, op="both"):
    """Start and end in nanoseconds, and bytes."""
    with open(path, newline="") as file:
        rows = [row for row in csv.DictReader(file) if op in ("both", row["op"])]
    nanos = lambda text: round(float(text) * 1e9)
    return [(nanos(row["start"]), nanos(row["end"]), int(row["bytes"])) for row in rows]


class Steps:
    """Bandwidth of the application over time: rate[i] holds from time[i] (ns) up to time[i + 1]."""

    def __init__(self, rows):
        rows = [(start, end if end > start else start + SHORTEST_NS, count) for start, end, count in rows]
        changes = {}
        for start, end, count in rows:
            rate = count * 1e9 / (end - start)
            for time, by, active in ((start, rate, 1), (end, -rate, -1)):
                old = changes.get(time, (0.0, 0))
                changes[time] = (old[0] + by, old[1] + active)
        self.time = np.array(sorted(changes), dtype=np.int64)
        steps = np.array([changes[time] for time in self.time.tolist()]).reshape(-1, 2)
        self.rate = np.where(np.cumsum(steps[:, 1]) == 0, 0.0, np.cumsum(steps[:, 0]))

    def at(self, instants):
        """The rate at given times."""
        place = np.searchsorted(self.time, instants, side="right") - 1
        return np.where(place < 0, 0.0, self.rate[np.maximum(place, 0)])

    def volume(self, first, last):
        """Bytes between two times."""
        lengths = np.clip(self.time[1:], first, last) - np.clip(self.time[:-1], first, last)
        return float(np.sum(self.rate[:-1] * lengths) / 1e9)


def spectrum(x):
    """Normalised power of the frequencies 1..N/2, and their Z-scores."""
    power = np.abs(np.fft.rfft(x)[1:]) ** 2 / len(x)
    power = power / power.sum()
    return power, (power - power.mean()) / power.std()


def is_harmonic(one, lower, hz, count, as_ftio):
    """Section II-B2: "the candidates are multiples of two of each other". FTIO: any multiple, by a remainder."""
    if as_ftio:
        return one != lower and (hz * one / count) % (hz * lower / count) < 0.00001
    return (one / lower) % 2 == 0


def without_harmonics(bins, hz, count, as_ftio):
    """Candidates that are no harmonics of lower ones, and the others."""
    kept, dropped = [], []
    for one in sorted(bins):
        (dropped if any(is_harmonic(one, lower, hz, count, as_ftio) for lower in kept) else kept).append(one)
    return kept, dropped


def plane(power):
    """The spectrum as FTIO's other ways see it: frequencies as shares of the highest, shares of the power."""
    return np.column_stack([np.arange(1, len(power) + 1) / len(power), power])


def normalised(decisions):
    """1 for the strongest outlier, 0 for the strongest inlier (FTIO's norm_conf)."""
    spread = np.ptp(decisions)
    return (decisions.max() - decisions) / spread if spread else np.zeros(len(decisions))


def by_dbscan(power, tolerance):
    """II-B2: "the frequency step can be used to compute eps"; FTIO adds a share of the range of powers."""
    points = plane(power)
    eps = np.hypot(np.ptp(power) * (1 - tolerance), 1 / len(power))
    return DBSCAN(eps=eps, min_samples=2).fit(points).labels_ == -1, power / power.max()


def by_lof(power, tolerance):
    points = plane(power)
    model = LocalOutlierFactor(n_neighbors=min(20, len(power) - 1), contamination=0.001, novelty=True).fit(points)
    return model.predict(points) == -1, normalised(model.decision_function(points))


def by_peaks(power, tolerance):
    named = np.zeros(len(power), dtype=bool)
    named[find_peaks(power, height=tolerance * power.max())[0]] = True
    return named, np.ones(len(power))


def by_forest(power, tolerance, seed=0):
    points = plane(power)
    model = IsolationForest(contamination=0.001, random_state=seed).fit(points)
    return model.predict(points) == -1, normalised(model.decision_function(points))


OTHERS = {"dbscan": by_dbscan, "lof": by_lof, "find-peaks": by_peaks, "isolation-forest": by_forest}


def dominant(x, hz, tolerance, as_ftio=False, outliers=("zscore",)):
    """Candidates for the dominant frequency, strongest first. Several ways vote."""
    power, z = spectrum(x)
    if tuple(outliers) != ("zscore",):
        return by_vote(power, z, hz, len(x), tolerance, as_ftio, outliers)
    outlier, near = z >= 3, z / z.max() >= tolerance
    if as_ftio:
        z = np.abs(z)
        outlier, near = z > 3, z / z.max() > tolerance
    kept, dropped = without_harmonics((np.flatnonzero(outlier & near) + 1).tolist(), hz, len(x), as_ftio)
    for harmonic in dropped:
        outlier[harmonic - 1] = near[harmonic - 1] = False
    found = []
    for one in kept:
        score = z[one - 1]
        found.append({
            "period_s": len(x) / hz / one,
            "power": power[one - 1],
            "z": score,
            "confidence": (score / z[outlier].sum() + score / z[near].sum()) / 2,
        })
    return sorted(found, key=lambda candidate: -candidate["z"])


def by_vote(power, z, hz, count, tolerance, as_ftio, outliers):
    """A candidate is what more than half of the ways name; who does not name it has no confidence in it."""
    opinions = {}
    for way in outliers:
        near = z / z.max() >= tolerance
        opinions[way] = ((z >= 3) & near, None) if way == "zscore" else OTHERS[way](power, tolerance)
    votes = sum(named.astype(int) for named, _ in opinions.values())
    kept, dropped = without_harmonics((np.flatnonzero(2 * votes > len(outliers)) + 1).tolist(), hz, count, as_ftio)
    rest = np.ones(len(z), dtype=bool)
    rest[np.array(dropped, dtype=int) - 1] = False
    by_score = (z / z[rest & (z >= 3)].sum() + z / z[rest & (z / z.max() >= tolerance)].sum()) / 2
    found = []
    for at in np.array(kept, dtype=int) - 1:
        sure = [(by_score if way == "zscore" else own)[at] * named[at] for way, (named, own) in opinions.items()]
        found.append({"period_s": count / hz / (at + 1), "power": power[at], "z": z[at], "confidence": np.mean(sure)})
    return sorted(found, key=lambda candidate: -candidate["z"])


def autocorrelation(x):
    centred = x - x.mean()
    return np.correlate(centred, centred, "full")[len(x) - 1 :] / (len(x) * x.var())


def repetition(x, hz, as_ftio=False):
    """Period and confidence by autocorrelation, and the distances they come from."""
    # Rounded, so that the noise of the sum on flat tops does not make peaks.
    places, found = find_peaks(np.round(autocorrelation(x), 9), height=0.15)
    heights = autocorrelation(x)[places]
    # FTIO weights by differences of heights, and takes the size of a square that can be negative.
    distances, weights = np.diff(places), np.diff(heights) if as_ftio else heights[1:]
    distances, weights = distances[distances > 1] / hz, weights[distances > 1]
    if len(distances) == 0 or weights.sum() == 0:
        return None
    mean, deviation = weighted(distances, weights)
    keep = np.abs(distances - mean) <= deviation * (1 + 1e-9)
    distances, weights = distances[keep], weights[keep]
    if len(distances) == 0 or weights.sum() == 0:
        return None
    mean, deviation = weighted(distances, weights)
    if mean <= 0:
        return None
    return mean, 1 - abs(deviation / mean) if as_ftio else agreement(deviation / mean), distances


def agreement(variation):
    """A confidence from a coefficient of variation, which may exceed 1; a confidence is not below 0."""
    return max(1 - variation, 0.0)


def weighted(values, weights):
    mean = np.average(values, weights=weights)
    return mean, np.sqrt(np.abs(np.average((values - mean) ** 2, weights=weights)))


def busy(x):
    """Where the rate exceeds the mean of the whole."""
    return x > x.sum() / max(len(x), 1) * (1 + 1e-9)


def measures(x, hz, period):
    """How periodic the signal is, each sample holding for 1/hz."""
    out = dict.fromkeys(["sigma_vol", "sigma_time", "periodicity_score", "bytes_per_period"])
    substantial = busy(x)
    out["r_io"] = float(substantial.sum() / max(len(x), 1))
    out["b_io"] = float(x[substantial].mean()) if substantial.any() else 0.0
    if period is None or not substantial.any():
        return out
    length = len(x) / hz
    out["bytes_per_period"] = x[substantial].sum() / hz / (length / period)
    pieces = int(np.floor(length / period * (1 + 1e-9)))
    edges = np.arange(pieces + 1) * period

    def per_piece(values):
        running = np.concatenate([[0.0], np.cumsum(values / hz)])
        return np.diff(np.interp(edges, np.arange(len(x) + 1) / hz, running))

    volumes = per_piece(x)
    if pieces == 0 or volumes.max() <= 0:
        return out
    out["sigma_vol"] = float(np.std(volumes / volumes.max()))
    shares = per_piece(substantial.astype(float)) / period
    out["sigma_time"] = float(np.sqrt(np.mean((shares - out["r_io"]) ** 2)))
    out["periodicity_score"] = 1 - out["sigma_vol"] - out["sigma_time"]
    return out


def merge(dominant, repeats, as_ftio=False):
    """Period, confidence and refined confidence from both methods, the transform's strongest frequency first."""
    if not dominant:
        # FTIO: the period of the autocorrelation by a third; the paper: "the signal is most likely not periodic".
        return (repeats[0], repeats[1] / 3, repeats[1] / 3) if as_ftio and repeats else (None, 0.0, None)
    best = dominant[0]
    if repeats is None:
        return best["period_s"], best["confidence"], None
    if as_ftio:
        # The distances do not reach FTIO's merge: every frequency is wholly similar, and the lowest is the first.
        best = max(dominant, key=lambda one: one["period_s"])
        refined = (1 + best["confidence"] + repeats[1]) / 3
        return (best["period_s"], refined, refined) if refined >= 0.2 else (None, 0.0, refined)
    together = np.append(repeats[2], best["period_s"])
    refined = (best["confidence"] + repeats[1] + agreement(together.std() / together.mean())) / 3
    return best["period_s"], best["confidence"], refined


def sample(rows, hz, window=None):
    """The samples of a list of (start, end, bytes), the window in nanoseconds, and the bytes in it."""
    steps = Steps(rows)
    first, last = (round(edge * 1e9) for edge in window) if window else (int(steps.time[0]), int(steps.time[-1]))
    count = int(np.floor((last - first) * hz / 1e9))
    return steps.at(first + np.arange(count) * 1e9 / hz), (first, last), steps.volume(first, last)


def analyse(rows, hz, tolerance=0.8, window=None, autocorrelation=True, as_ftio=False, outliers=("zscore",)):
    """All published fields of a list of (start, end, bytes)."""
    x, (first, last), moved = sample(rows, hz, window)
    count = len(x)
    # Without variation there is neither a spectrum nor an autocorrelation.
    varies = count >= 4 and np.ptp(x) > 1e-9 * x.max()
    candidates = dominant(x, hz, tolerance, as_ftio, outliers) if varies else []
    frequencies = candidates if 1 <= len(candidates) <= 2 else []
    repeats = repetition(x, hz, as_ftio) if varies and autocorrelation else None
    period, confidence, refined = merge(frequencies, repeats, as_ftio)
    if not frequencies and period is not None:
        candidates = [{"period_s": period, "power": 0.0, "z": 0.0, "confidence": confidence}, *candidates]
    starts = np.diff(np.concatenate([[0], busy(x).astype(int)])) if count else np.array([])
    return {
        "period_s": period,
        "frequency_hz": None if period is None else 1 / period,
        "confidence": confidence,
        "method": "dft",
        "candidates": candidates,
        "autocorrelation": dict(zip(("period_s", "confidence"), repeats or (None, 0.0))),
        "dft_confidence": frequencies[0]["confidence"] if frequencies else None,
        "refined_confidence": refined,
        **measures(x, hz, period),
        "sampling_hz": hz,
        "samples": count,
        "window_s": [first / 1e9, last / 1e9],
        "abstraction_error": abs(x.sum() / hz - moved) / moved if moved and count else 0.0,
        "phases": int((starts == 1).sum()),
    }


def clusters(frequencies, eps):
    """Intervals [low, high] and members by DBSCAN, without noise."""
    if len(frequencies) == 0:
        return []
    labels = DBSCAN(eps=eps, min_samples=2).fit(np.reshape(frequencies, (-1, 1))).labels_
    groups = [np.array(frequencies)[labels == label] for label in sorted(set(labels) - {-1})]
    return sorted((group.min(), group.max(), len(group)) for group in groups)


def online(flushes, hz, tolerance=0.8, hits=3):
    """Section II-D: an answer after each flush, a list of (start, end, bytes), over all data so far.

    "After finding k times a dominant frequency, the time window for evaluation is reduced to k times the last found
    period"; as figure 15 shows, it then keeps its start until k more are found. A miss starts over (as FTIO does).
    """
    rows, since, count, period, answers, resolutions = [], None, 0, None, [], []
    for flush in flushes:
        rows += flush
        first, now = min(row[0] for row in rows), max(row[1] for row in rows)
        if period is None:
            since = None
        elif count >= hits:
            since, count = now - round(hits * period * 1e9), 0
        window = (max(first, since if since is not None else first) / 1e9, now / 1e9)
        found = analyse(rows, hz, tolerance, window, autocorrelation=False)
        period = found["period_s"]
        count = count + 1 if period is not None else 0
        answers.append(period)
        if period is not None:
            resolutions.append(1 / (window[1] - window[0]))
        eps = max(2 * np.abs(np.diff(resolutions)).max(initial=0.0), 1e-8)
        merged = clusters([1 / answer for answer in answers if answer is not None], eps)
        yield {
            "t_s": window[1],
            "period_s": period,
            "confidence": found["confidence"],
            "intervals": [{"low_hz": low, "high_hz": high, "probability": round(size / len(answers), 6)} for low, high, size in merged],
            "window_s": list(window),
            "bytes_per_period": found["bytes_per_period"],
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table")
    parser.add_argument("--sampling", type=float, default=10.0)
    parser.add_argument("--op", default="both")
    parser.add_argument("--tolerance", type=float, default=0.8)
    parser.add_argument("--window", type=lambda text: [float(edge) for edge in text.split(":")])
    parser.add_argument("--no-autocorrelation", action="store_false", dest="autocorrelation")
    parser.add_argument("--as-ftio", action="store_true")
    parser.add_argument("--outliers", default=("zscore",), type=lambda text: text.split(","))
    given = parser.parse_args()
    rows = requests(given.table, given.op)
    how = (given.sampling, given.tolerance, given.window, given.autocorrelation, given.as_ftio, given.outliers)
    found = analyse(rows, *how)
    print(json.dumps({"input": given.table, **found}, indent=1, default=float))


if __name__ == "__main__":
    main()

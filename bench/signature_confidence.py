#!/usr/bin/env python3
"""Fits the confidence of `marigraph signature`, and shows what it is worth on what was left out of fitting.

    cargo build --release -p marigraph-bench
    target/release/marigraph-bench signatures kinds --seeds 4 --first-seed 101 --evidence > evidence.txt
    python3 bench/signature_confidence.py evidence.txt [--plot docs/explanation/signature-confidence.svg]

A logistic function of the numbers of each line gives the probability that the correlation coefficient is at least 0.8.
Each kind of application is judged by a fit without that kind, then each law of slowing by a fit without that law. Prints
the weights of a fit to everything, for `crates/analysis/src/signature/confidence.rs`. Needs scikit-learn.
"""
import argparse
import collections
import sys

import numpy
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

RIGHT = 0.8
BINS = 10


def read(path):
    """Per method the kinds, laws, whether right, and numbers."""
    lines = collections.defaultdict(list)
    for line in open(path):
        method, kind, law, _, coefficient, *numbers = line.split()
        lines[method].append((kind, law, float(coefficient) >= RIGHT, [float(number) for number in numbers]))
    return lines


def fit(rows):
    numbers = numpy.array([row[3] for row in rows])
    # A number that is always the same tells nothing.
    scale = numpy.where(numbers.std(axis=0) > 1e-6, numbers.std(axis=0), numpy.inf)
    model = LogisticRegression(C=1.0, max_iter=5000).fit((numbers - numbers.mean(axis=0)) / scale, [row[2] for row in rows])
    weights = model.coef_[0] / scale
    return model.intercept_[0] - weights @ numbers.mean(axis=0), weights


def believed(rows, fitted):
    constant, weights = fitted
    return 1 / (1 + numpy.exp(-(constant + numpy.array([row[3] for row in rows]) @ weights)))


def bins(confidence, right):
    for bin in range(BINS):
        inside = numpy.minimum((confidence * BINS).astype(int), BINS - 1) == bin
        if inside.any():
            yield inside.sum(), confidence[inside].mean(), right[inside].mean()


def left_out(rows, column):
    """Confidence in each row by a fit without its kind or law."""
    confidence = numpy.zeros(len(rows))
    for name in sorted({row[column] for row in rows}):
        own = [at for at, row in enumerate(rows) if row[column] == name]
        confidence[own] = believed([rows[at] for at in own], fit([row for row in rows if row[column] != name]))
    return confidence


def plot(path, curves):
    """Share of right ones over confidence, one line per set that was left out."""
    side, edge = 300, 45
    place = lambda x, y: f"{edge + x * side:.1f},{edge / 2 + (1 - y) * side:.1f}"
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side + 1.5 * edge:.0f} {side + 1.7 * edge:.0f}" font-family="sans-serif" font-size="11">',
             '<rect width="100%" height="100%" fill="#fff"/>',
             f'<polyline points="{place(0, 0)} {place(1, 1)}" stroke="#999" stroke-dasharray="4 3" fill="none"/>',
             f'<polyline points="{place(0, 1)} {place(0, 0)} {place(1, 0)}" stroke="#333" fill="none"/>']
    for tick in (0, 0.25, 0.5, 0.75, 1):
        x, y = place(tick, 0).split(",")
        parts.append(f'<text x="{x}" y="{float(y) + 14}" text-anchor="middle">{tick:g}</text>')
        x, y = place(0, tick).split(",")
        parts.append(f'<text x="{float(x) - 5}" y="{float(y) + 4}" text-anchor="end">{tick:g}</text>')
    for at, (name, colour, points) in enumerate(curves):
        parts.append(f'<polyline points="{" ".join(place(x, y) for _, x, y in points)}" stroke="{colour}" stroke-width="1.5" fill="none"/>')
        parts += [f'<circle cx="{place(x, y).split(",")[0]}" cy="{place(x, y).split(",")[1]}" r="{1.5 + min(count, 200) / 50:.1f}" fill="{colour}"/>' for count, x, y in points]
        x, y = place(0.03, 0.97 - 0.06 * at).split(",")
        parts.append(f'<text x="{x}" y="{y}" fill="{colour}">{name}</text>')
    x, y = place(0.5, 0).split(",")
    parts.append(f'<text x="{x}" y="{float(y) + 30}" text-anchor="middle">confidence</text>')
    parts.append(f'<text transform="translate(12 {edge / 2 + side / 2}) rotate(-90)" text-anchor="middle">share with a coefficient of at least {RIGHT}</text></svg>')
    open(path, "w").write("\n".join(parts) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("evidence")
    parser.add_argument("--plot")
    options = parser.parse_args()
    for method, rows in read(options.evidence).items():
        right = numpy.array([row[2] for row in rows])
        if right.all() or not right.any():
            sys.exit(f"{method}: all right or all wrong, nothing to fit")
        print(f"{method}: {len(rows)} signatures, {right.mean():.0%} right")
        curves = []
        for name, column, colour in (("kinds left out", 0, "#0b6bcb"), ("laws left out", 1, "#c2410c")):
            confidence = left_out(rows, column)
            points = list(bins(confidence, right))
            error = sum(count * abs(x - y) for count, x, y in points) / len(rows)
            curves.append((name, colour, points))
            print(f"  {name}: calibration error {error:.3f}, area under the ROC curve {roc_auc_score(right, confidence):.3f}")
        constant, weights = fit(rows)
        print("  weights: [" + ", ".join(f"{number:.3f}" for number in (constant, *weights)) + "]")
        if options.plot and method == "auto":
            plot(options.plot, curves)


if __name__ == "__main__":
    main()

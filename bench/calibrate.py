#!/usr/bin/env python3
"""Fits how credible a way to see a trace as phases is, from traces whose truth is known.

    cargo run --release -p marigraph-analysis --example periods -- features --first-seed 1000 --seeds 20 > features.tsv
    .venv/bin/python bench/calibrate.py features.tsv crates/analysis/src/period/weights.rs

Two steps. A logistic regression over the figures of every hypothesis and their products learns which of
them are right to CLOSE: it ranks the hypotheses of a trace. Then the first of each trace are taken, and a rising curve
(isotonic regression) turns their scores into the share that is within WITHIN of the truth: that is the
confidence. Needs numpy.
"""
import sys

import numpy as np

CLOSE = 0.03
WITHIN = 0.1
RIDGE = 30.0
# Figures further than this many standard deviations from their mean say no more.
FAR = 3.0
CURVE = 24


def load(path):
    with open(path) as file:
        head = file.readline().rstrip("\n").split("\t")
        rows = [line.rstrip("\n").split("\t") for line in file]
    first = head.index("error")
    names = head[first + 1 :]
    figures = np.array([[float(v) for v in row[first + 1 :]] for row in rows])
    errors = np.array([float(row[first]) for row in rows])
    # A trace in one view: case, seed, window, ranks.
    keys = ["\t".join(row[:4]) for row in rows]
    _, traces = np.unique(keys, return_inverse=True)
    return names, figures, errors, traces


def terms(figures, mean, scale):
    """The constant, the figures, and all products of two of them, in the order that judge.rs has."""
    x = np.clip((figures - mean) / scale, -FAR, FAR)
    i, j = np.triu_indices(x.shape[1])
    return np.column_stack([np.ones(len(x)), x, x[:, i] * x[:, j]])


def logistic(x, y, weights):
    """Newton's method on the penalised likelihood; the first column is the constant."""
    beta = np.zeros(x.shape[1])
    ridge = np.full(x.shape[1], RIDGE)
    ridge[0] = 0
    for _ in range(60):
        p = 1 / (1 + np.exp(-np.clip(x @ beta, -40, 40)))
        gradient = x.T @ (weights * (y - p)) - ridge * beta
        curvature = (x * (weights * np.maximum(p * (1 - p), 1e-9))[:, None]).T @ x + np.diag(ridge)
        step = np.linalg.solve(curvature, gradient)
        beta += step
        if np.abs(step).max() < 1e-8:
            break
    return beta


def isotonic(y):
    """Pool adjacent violators."""
    blocks = []
    for value in y:
        blocks.append([value, 1])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            v, n = blocks.pop()
            blocks[-1] = [(blocks[-1][0] * blocks[-1][1] + v * n) / (blocks[-1][1] + n), blocks[-1][1] + n]
    return np.concatenate([np.full(n, v) for v, n in blocks])


def curve(scores, right):
    """Points (score, share right): means of equal lots of the sorted scores, made rising."""
    order = np.argsort(scores, kind="stable")
    scores, right = scores[order], right[order].astype(float)
    lots = np.array_split(np.arange(len(scores)), CURVE)
    at = np.array([scores[lot].mean() for lot in lots])
    # As if one more in two had been right: no lot proves that it is always so.
    share = isotonic([(right[lot].sum() + 0.5) / (len(lot) + 1) for lot in lots])
    return at, share


def best_of(traces, scores):
    order = np.lexsort((-scores, traces))
    _, first = np.unique(traces[order], return_index=True)
    return order[first]


def main():
    names, figures, errors, traces = load(sys.argv[1])
    mean, scale = figures.mean(0), figures.std(0)
    scale[scale == 0] = 1
    x = terms(figures, mean, scale)
    # Every trace counts the same, however many hypotheses it has.
    weights = 1 / np.bincount(traces)[traces]
    weights *= len(weights) / weights.sum()
    beta = logistic(x, (errors < CLOSE).astype(float), weights)
    scores = x @ beta
    best = best_of(traces, scores)
    at, share = curve(scores[best], errors[best] < WITHIN)
    print(f"{len(best)} traces, right {np.mean(errors[best] < WITHIN):.4f}", file=sys.stderr)
    write(sys.argv[2], names, mean, scale, beta, at, share)


def write(path, names, mean, scale, beta, at, share):
    count = len(names)
    with open(path, "w") as out:
        out.write("//! Written by bench/calibrate.py; docs/periods.md tells how. Do not edit.\n\n")
        out.write("use super::figures::FIGURES;\n\n")
        out.write(f"/// The score of a hypothesis whose figures are all at their means.\npub const CONSTANT: f64 = {beta[0]:.6};\n\n")
        out.write("/// Mean, standard deviation and weight of each figure.\n#[rustfmt::skip]\n")
        out.write("pub const FIGURE: [(f64, f64, f64); FIGURES] = [\n")
        for name, m, s, w in zip(names, mean, scale, beta[1:]):
            out.write(f"    ({m:.6}, {s:.6}, {w:.6}), // {name}\n")
        out.write("];\n\n/// Weights of the products of two figures, row by row: each with itself and those after it.\n")
        out.write("#[rustfmt::skip]\npub const PRODUCT: [f64; FIGURES * (FIGURES + 1) / 2] = [\n")
        rest = iter(beta[1 + count :])
        for row in range(count):
            out.write("    " + " ".join(f"{next(rest):.5}," for _ in range(row, count)) + "\n")
        out.write("];\n\n/// Scores and the share of right answers at them, rising.\n#[rustfmt::skip]\n")
        out.write(f"pub const CURVE: [(f64, f64); {len(at)}] = [\n")
        for score, value in zip(at, share):
            out.write(f"    ({score:.4f}, {value:.4f}),\n")
        out.write("];\n")


main()

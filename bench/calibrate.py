#!/usr/bin/env python3
"""Fits how credible a way to see a trace as phases is, from traces whose truth is known.

    cargo run --release -p marigraph-analysis --example periods -- features --first-seed 1000 --seeds 20 > features.tsv
    .venv/bin/python bench/calibrate.py features.tsv crates/analysis/src/period/weights.rs

Two steps. A logistic regression over the figures of every hypothesis learns which of them are right to
CLOSE: it ranks the hypotheses of a trace. Then the first of each trace are taken, and a rising curve
(isotonic regression) turns their scores into the share that is within WITHIN of the truth: that is the
confidence. Needs numpy.
"""
import sys

import numpy as np

CLOSE = 0.03
WITHIN = 0.1
RIDGE = 1.0
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
    figures = np.clip(figures, -5, 8)
    mean, scale = figures.mean(0), figures.std(0)
    scale[scale == 0] = 1
    x = np.column_stack([np.ones(len(figures)), (figures - mean) / scale])
    # Every trace counts the same, however many hypotheses it has.
    weights = 1 / np.bincount(traces)[traces]
    weights *= len(weights) / weights.sum()
    beta = logistic(x, (errors < CLOSE).astype(float), weights)
    scores = x @ beta
    best = best_of(traces, scores)
    at, share = curve(scores[best], errors[best] < WITHIN)
    print(f"{len(best)} traces, right {np.mean(errors[best] < WITHIN):.4f}", file=sys.stderr)
    for name, weight in sorted(zip(names, beta[1:]), key=lambda pair: -abs(pair[1])):
        print(f"  {name:20} {weight:7.3f}", file=sys.stderr)
    with open(sys.argv[2], "w") as out:
        out.write("//! Written by bench/calibrate.py; docs/periods.md tells how. Do not edit.\n\n")
        out.write("use super::figures::FIGURES;\n\n")
        constant = beta[0] - (beta[1:] * mean / scale).sum()
        out.write(f"/// What a hypothesis scores whose figures are all nothing.\npub const CONSTANT: f64 = {constant:.6};\n\n")
        out.write("/// What each figure adds, times itself.\n#[rustfmt::skip]\npub const WEIGHTS: [f64; FIGURES] = [\n")
        for name, weight in zip(names, beta[1:] / scale):
            out.write(f"    {weight:.6}, // {name}\n")
        out.write("];\n\n/// Scores and the share of right answers at them, rising.\n#[rustfmt::skip]\n")
        out.write(f"pub const CURVE: [(f64, f64); {len(at)}] = [\n")
        for score, value in zip(at, share):
            out.write(f"    ({score:.4f}, {value:.4f}),\n")
        out.write("];\n")


main()

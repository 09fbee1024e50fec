#!/usr/bin/env python3
"""Fits how credible a way to see a trace as phases is, from traces whose truth is known.

    sh bench/features.sh target/release/marigraph-bench features.tsv
    .venv/bin/python bench/calibrate.py features.tsv crates/analysis/src/period/weights.rs

Three steps. A logistic regression over the figures of every hypothesis and their products learns which of
them are right to CLOSE: it ranks the hypotheses of a trace. The first of each trace are taken, and a second regression
of the same form learns which of those are within WITHIN of the truth. A rising curve (isotonic regression) turns its
scores into the share that is right: that is the confidence. Needs numpy.
"""
import sys

import numpy as np

CLOSE = 0.03
WITHIN = 0.1
RIDGE = (30.0, 10.0)
# Figures further than this many standard deviations from their mean say no more.
FAR = 3.0
CURVE = 40
# Of each trace the hypotheses that stand out are looked at, and this share of the others for all of them.
FOREMOST = 8
OTHERS = 0.15
# Every case counts the same in the decision, but for those that are hard to tell from one another, and one that
# reaches far beyond the study.
COUNTS = {"poisson": 2.5, "walk": 2.0, "c: sigma 2 of cpu": 2.0, "unequal": 2.0, "wide": 0.3}
LOT = 40000
# Periods that differ by less are the same, as auto.rs has it.
AGREE = 0.02


def load(path):
    with open(path) as file:
        head = file.readline().rstrip("\n").split("\t")
        rows = [line.rstrip("\n").split("\t") for line in file]
    first = head.index("error")
    figures = np.array([row[first + 1 :] for row in rows], dtype=float)
    errors = np.array([float(row[first]) for row in rows])
    periods = np.array([float(row[first - 1]) for row in rows])
    repeated = np.array([row[4] == "Repetition" for row in rows])
    # A trace in one view: case, seed, window, ranks.
    keys, traces = np.unique(["\t".join(row[:4]) for row in rows], return_inverse=True)
    cases = np.array([key.split("\t")[0] for key in keys])
    return head[first + 1 :], figures, errors, periods, repeated, traces, cases


def scaling(figures):
    deviation = figures.std(0)
    deviation[deviation == 0] = 1
    return figures.mean(0), deviation


def scaled(figures, scale):
    return np.clip((figures - scale[0]) / scale[1], -FAR, FAR)


def terms(figures, scale):
    """The constant, the figures, and all products of two of them, in the order that judge.rs has."""
    x = scaled(figures, scale)
    i, j = np.triu_indices(x.shape[1])
    return np.column_stack([np.ones(len(x)), x, x[:, i] * x[:, j]]).astype(np.float32)


def logistic(x, y, weights, penalty):
    """Newton's method on the penalised likelihood; the first column is the constant."""
    beta = np.zeros(x.shape[1])
    ridge = np.full(x.shape[1], penalty)
    ridge[0] = 0
    for _ in range(20):
        gradient, curvature = -ridge * beta, np.diag(ridge)
        for at in range(0, len(x), LOT):
            lot, w = x[at : at + LOT], weights[at : at + LOT]
            p = 1 / (1 + np.exp(-np.clip((lot @ beta.astype(np.float32)).astype(float), -30, 30)))
            gradient += lot.T @ (w * (y[at : at + LOT] - p)).astype(np.float32)
            curvature += (lot * (w * np.maximum(p * (1 - p), 1e-9)).astype(np.float32)[:, None]).T @ lot
        step = np.linalg.solve(curvature, gradient)
        beta += step
        if np.abs(step).max() < 1e-2:
            break
    return beta


def score(figures, scale, beta):
    lots = range(0, len(figures), LOT)
    return np.concatenate([terms(figures[at : at + LOT], scale) @ beta for at in lots])


def foremost(figures, close, traces, weights):
    """Which hypotheses to learn from, and how much each counts: a plain regression tells which stand out."""
    x = np.column_stack([np.ones(len(figures)), scaled(figures, scaling(figures))]).astype(np.float32)
    plain = x @ logistic(x, close, weights, 1.0)
    order = np.lexsort((-plain, traces))
    begins = np.r_[True, traces[order][1:] != traces[order][:-1]]
    place = np.empty(len(order), int)
    place[order] = np.arange(len(order)) - np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))
    out = (place < FOREMOST) | (close > 0)
    kept = out | (np.random.default_rng(1).random(len(out)) < OTHERS)
    return kept, np.where(out, weights, weights / OTHERS)


def isotonic(y, weights):
    """Pool adjacent violators."""
    blocks = []
    for value, weight in zip(y, weights):
        blocks.append([value, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            v, w, n = blocks.pop()
            u, x, m = blocks[-1]
            blocks[-1] = [(u * x + v * w) / (x + w), x + w, m + n]
    return np.concatenate([np.full(n, v) for v, _, n in blocks])


def curve(scores, right, weights):
    """Points (score, share right): means of equal lots of the sorted scores, made rising."""
    lots = np.array_split(np.argsort(scores, kind="stable"), CURVE)
    at = [scores[lot].mean() for lot in lots]
    # As if one more in two had been right: no lot proves that it is always so.
    share = [(np.average(right[lot], weights=weights[lot]) * len(lot) + 0.5) / (len(lot) + 1) for lot in lots]
    return at, isotonic(share, [weights[lot].sum() for lot in lots])


def best_of(traces, scores):
    order = np.lexsort((-scores, traces))
    _, first = np.unique(traces[order], return_index=True)
    return order[first]


def agreeing(best, periods, traces, heard):
    """Hypotheses that tell the period of the first of their trace, and the places of those firsts; the first half of
    the firsts hears all hypotheses, the other half those that the second mask has."""
    half, said, by = len(best) // 2, [], []
    for turn, mask in enumerate(heard):
        place = np.full(traces.max() + 1, -1)
        place[traces[best[turn * half : (turn + 1) * half]]] = np.arange(half) + turn * half
        of = place[traces]
        agree = (of >= 0) & mask & (np.abs(periods / periods[best[of]] - 1) < AGREE)
        agree[best[turn * half : (turn + 1) * half]] = True
        said.append(np.flatnonzero(agree))
        by.append(of[agree])
    return np.concatenate(said), np.concatenate(by)


def per_case(cases):
    _, which, counts = np.unique(cases, return_inverse=True, return_counts=True)
    return np.mean(counts) / counts[which]


def main():
    names, figures, errors, periods, repeated, traces, cases = load(sys.argv[1])
    close, right = (errors < CLOSE).astype(float), (errors < WITHIN).astype(float)
    # Every trace counts the same, however many hypotheses it has.
    weights = 1 / np.bincount(traces)[traces] * np.where(cases == "wide", 0.5, 1.0)[traces]
    weights *= len(weights) / weights.sum()
    kept, counts = foremost(figures, close, traces, weights)
    scale = scaling(figures)
    ranking = logistic(terms(figures[kept], scale), close[kept], counts[kept], RIDGE[0])
    scores = score(figures, scale, ranking)
    # Repetition is looked for only where nothing else convinces, so both firsts may be the answer.
    others = np.where(repeated, scores - 1e6, scores)
    firsts = [best_of(traces, scores), best_of(traces, others)]
    best = np.concatenate(firsts)
    wanted = per_case(cases)[traces[best]] / len(firsts)
    emphasis = wanted * np.array([COUNTS.get(case, 1.0) for case in cases])[traces[best]]
    # All hypotheses that tell the same period as the first speak for it.
    said, by = agreeing(best, periods, traces, [np.ones(len(repeated), bool), ~repeated])
    own = scaling(figures[best])
    shares = (1 / np.bincount(by))[by]
    decision = logistic(terms(figures[said], own), right[best][by], emphasis[by] * shares, RIDGE[1])
    together = np.bincount(by, score(figures[said], own, decision) * shares)
    at, share = curve(together, right[best], wanted)
    print(f"{len(firsts[0])} traces, right {right[firsts[0]].mean():.4f}", file=sys.stderr)
    write(sys.argv[2], names, (scale, ranking), (own, decision), (at, share))


def write(path, names, ranking, decision, points):
    with open(path, "w") as out:
        out.write("//! Written by bench/calibrate.py; docs/explanation/periods.md tells how. Do not edit.\n\n")
        out.write("use super::judge::Weights;\n")
        about = "Which hypothesis of a trace is the best."
        write_weights(out, "RANKING", about, names, *ranking)
        write_weights(out, "DECISION", "Whether the best one is right.", names, *decision)
        out.write("\n/// Scores of the decision and the share of right answers at them, rising.\n#[rustfmt::skip]\n")
        out.write(f"pub const CURVE: [(f64, f64); {len(points[0])}] = [\n")
        for at, share in zip(*points):
            out.write(f"    ({at:.4f}, {share:.4f}),\n")
        out.write("];\n")


def write_weights(out, name, about, names, scale, beta):
    out.write(f"\n/// {about}\n#[rustfmt::skip]\npub const {name}: Weights = Weights {{\n")
    out.write(f"    constant: {beta[0]:.6},\n    figures: [\n")
    for figure, mean, deviation, weight in zip(names, *scale, beta[1:]):
        out.write(f"        ({mean:.6}, {deviation:.6}, {weight:.6}), // {figure}\n")
    out.write("    ],\n    products: [\n")
    rest = iter(beta[1 + len(names) :])
    for row in range(len(names)):
        out.write("        " + " ".join(f"{next(rest):.5}," for _ in range(row, len(names))) + "\n")
    out.write("    ],\n};\n")


main()

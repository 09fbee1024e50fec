#!/usr/bin/env python3
"""How far the labels of `marigraph categorize` are right, on corpora of `marigraph synth corpus`.

    python3 bench/categories.py [--logs 5000] [--seeds 1,2,3] [--keep DIR] [--show N] [--json]

Makes the corpora, categorises them and compares with their truth, both with what a log can show and with
what happened: over all cases, and over the clear ones, whose labels stay the same when any threshold moves by
10 %. Confidence is compared with what happened. With --json each figure is a line of JSON with its 95 %
interval. The program is $MARIGRAPH or target/release/marigraph. Exit 1 if a bar is missed.
"""
import argparse
import collections
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

SOURCES = ("records", "heatmap", "dxt")
PROGRAM = os.environ.get("MARIGRAPH", "target/release/marigraph")
BARS = {"clear": 0.8, "all right": 0.95, "clear right": 0.99, "calibration": 0.05, "auc": 0.8}
RESAMPLED = 200


def run(*arguments, out=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, stdout=out, text=True)


def corpus(folder, logs, seed):
    """The truth and the answers, by log."""
    if not (folder / "truth.jsonl").exists():
        run("synth", "corpus", "--logs", logs, "--seed", seed, "-o", folder)
    truth = {line["log"]: line for line in map(json.loads, open(folder / "truth.jsonl"))}
    answers = folder.with_suffix(".answers.jsonl")
    skipped = folder.with_suffix(".skipped.txt")
    with open(answers, "w") as out:
        run("categorize", "--json", "--quiet", "--skipped", skipped, folder, out=out)
    name = lambda path: str(pathlib.Path(path).relative_to(folder))
    found = {name(line["input"]): line for line in map(json.loads, open(answers))}
    refused = dict(line.rstrip("\n").split("\t", 1) for line in open(skipped))
    return truth, found, {name(path): why for path, why in refused.items()}


def auc(scores):
    """Area under the ROC curve of (confidence, right), by ranks; None if all are alike."""
    right = sum(1 for _, good in scores if good)
    wrong = len(scores) - right
    if not right or not wrong:
        return None
    scores = sorted(scores)
    total, at = 0.0, 0
    while at < len(scores):
        end = at
        while end < len(scores) and scores[end][0] == scores[at][0]:
            end += 1
        mean_rank = (at + 1 + end) / 2
        total += mean_rank * sum(1 for _, good in scores[at:end] if good)
        at = end
    return (total - right * (right + 1) / 2) / (right * wrong)


def calibration(scores):
    """Expected calibration error of (confidence, right), in ten bins."""
    bins = collections.defaultdict(lambda: [0.0, 0])
    for confidence, good in scores:
        own = bins[min(int(confidence * 10), 9)]
        own[0] += confidence
        own[1] += good
    return sum(abs(sure - hits) for sure, hits in bins.values()) / max(len(scores), 1)


def wilson(hits, count):
    """The 95 % interval of a share."""
    z, count = 1.959964, max(count, 1)
    share = hits / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return middle - half, middle + half


def resampled(scores, figure):
    """The 95 % interval of a figure, by drawing the answers again."""
    draw = random.Random(1)
    found = [figure(draw.choices(scores, k=len(scores))) for _ in range(RESAMPLED)]
    found = sorted(value for value in found if value is not None)
    return found[len(found) // 40], found[-1 - len(found) // 40]


class Figures:
    """The figures of the bars over all corpora."""

    def __init__(self):
        self.cases = []  # clear, as the log can show, as it happened
        self.scores = collections.defaultdict(list)

    def add(self, truth, found):
        for _, line, answer in answered(truth, found):
            given, happened = set(answer["categories"]), set(line["happened"])
            self.cases.append((line["clear"], given == set(line["shown"]), given == happened))
            for label in answer["labels"]:
                self.scores[label["evidence"]].append((label["confidence"], label["label"] in happened))

    def shares(self):
        clear = [case for case in self.cases if case[0]]
        yield "clear", "cases that are clear", [case[0] for case in self.cases]
        yield "all right", "cases with all labels that the log can show", [case[1] for case in self.cases]
        yield "clear right", "clear cases with all labels that the log can show", [case[1] for case in clear]
        yield None, "cases with all labels of what happened", [case[2] for case in self.cases]

    def each(self):
        """Bar, claim, number of answers, figure, interval, and whether it meets its bar."""
        for bar, claim, cases in self.shares():
            figure = sum(cases) / max(len(cases), 1)
            yield bar, claim, len(cases), figure, wilson(sum(cases), len(cases)), bar is None or figure >= BARS[bar]
        for source in SOURCES:
            scores = self.scores[source]
            figure = calibration(scores)
            interval = resampled(scores, calibration) if scores else (0.0, 0.0)
            good = figure <= BARS["calibration"]
            yield "calibration", f"calibration error of confidence, {source}", len(scores), figure, interval, good
        scores = sum(self.scores.values(), [])
        figure = auc(scores)
        if figure is not None:
            yield "auc", "area under the ROC curve of confidence", len(scores), figure, resampled(scores, auc), figure >= BARS["auc"]

    def tell(self, data, as_json):
        good = True
        for bar, claim, count, figure, (low, high), met in self.each():
            good &= met
            line = {"claim": f"categorize: {claim}", "data": data, "origin": "ours", "n": count,
                    "figure": round(figure, 5), "low": round(low, 5), "high": round(high, 5)}
            mark = "" if bar is None else f"  {'ok' if met else 'MISSED'}: bar {BARS[bar]}"
            print(json.dumps(line) if as_json else f"{figure:8.4f} [{low:.4f}, {high:.4f}]  {claim} ({count}){mark}")
        return good


class Tally:
    def __init__(self):
        self.traces = self.exact = self.hits = self.extra = self.missing = 0
        self.per_label = collections.defaultdict(lambda: [0, 0, 0])
        self.scores = []

    def add(self, wanted, answer):
        given = set(answer["categories"])
        self.traces += 1
        self.exact += given == wanted
        for place, labels in enumerate((given & wanted, given - wanted, wanted - given)):
            for label in labels:
                self.per_label[label][place] += 1
        self.hits += len(given & wanted)
        self.extra += len(given - wanted)
        self.missing += len(wanted - given)
        self.scores += [(label["confidence"], label["label"] in wanted) for label in answer["labels"]]

    def shares(self):
        labels = self.hits + self.extra + self.missing
        return self.exact / max(self.traces, 1), self.hits / max(labels, 1), auc(self.scores)

    def line(self, name):
        traces, labels, area = self.shares()
        area = "-" if area is None else f"{area:.3f}"
        return f"  {name:<24} {self.traces:>6} traces  exact {traces:7.2%}  labels {labels:7.2%}  AUC {area}"


def validity(truth, found, refused):
    """Whether corrupted logs were refused and no others."""
    wrong = collections.Counter()
    for log, line in truth.items():
        if line["valid"] != (log in found):
            wrong[line["corruption"] or f"valid, but: {refused.get(log, '').split(' (')[0]}"] += 1
    return wrong


def answered(truth, found):
    """Valid logs that have categories: their name, their truth and the answer."""
    return ((log, line, found[log]) for log, line in truth.items() if line["valid"] and log in found)


def compare(truth, found, key):
    """Tallies by group of logs."""
    tallies = collections.defaultdict(Tally)
    for _, line, answer in answered(truth, found):
        near = "clear" if line["clear"] else "not clear"
        for name in ("all", line["evidence"], near):
            tallies[name].add(set(line[key]), answer)
    return tallies


def show_differences(truth, found, most):
    """Kinds of difference, most frequent first, each with an example."""
    kinds = collections.defaultdict(list)
    for log, line, answer in answered(truth, found):
        given, wanted = set(answer["categories"]), set(line["shown"])
        if given != wanted:
            change = [f"+{label}" for label in sorted(given - wanted)] + [f"-{label}" for label in sorted(wanted - given)]
            kinds[(line["evidence"], " ".join(change))].append((log, line["kind"], line["drawn_near"]))
    for (evidence, change), logs in sorted(kinds.items(), key=lambda kind: -len(kind[1]))[:most]:
        print(f"  {len(logs):>4} {evidence:<8} {change}   e.g. {' '.join(logs[0])}")


def report(seed, truth, found, refused, most):
    valid = sum(1 for line in truth.values() if line["valid"])
    print(f"seed {seed}: {len(truth)} logs, {valid} valid")
    wrong = validity(truth, found, refused)
    print(f"  validity wrong: {sum(wrong.values())} {dict(wrong) if wrong else ''}")
    shown = compare(truth, found, "shown")
    for key, tallies in (("shown", shown), ("happened", compare(truth, found, "happened"))):
        print(f" against what {'the log can show' if key == 'shown' else 'happened'}:")
        for name in sorted(tallies):
            print(tallies[name].line(name))
    print(" labels (against shown): precision, recall")
    for label, (hits, extra, missing) in sorted(shown["all"].per_label.items()):
        print(f"  {label:<34} {hits / max(hits + extra, 1):7.2%} {hits / max(hits + missing, 1):7.2%}  of {hits + missing}")
    show_differences(truth, found, most)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--logs", type=int, default=5000)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--keep", type=pathlib.Path, help="keep corpora and answers here")
    parser.add_argument("--show", type=int, default=20, help="kinds of difference to list")
    parser.add_argument("--json", action="store_true", help="only the figures, one per line")
    options = parser.parse_args()
    figures = Figures()
    with tempfile.TemporaryDirectory() as scratch:
        for seed in options.seeds.split(","):
            folder = (options.keep or pathlib.Path(scratch)) / f"seed{seed}"
            folder.parent.mkdir(parents=True, exist_ok=True)
            truth, found, refused = corpus(folder, options.logs, seed)
            figures.add(truth, found)
            if not options.json:
                report(seed, truth, found, refused, options.show)
    data = f"synth corpus, seeds {options.seeds}, {options.logs} logs each"
    sys.exit(0 if figures.tell(data, options.json) else 1)


if __name__ == "__main__":
    main()

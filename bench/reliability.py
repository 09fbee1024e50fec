#!/usr/bin/env python3
"""Draws how far confidence is a probability: docs/explanation/reliability.svg from the output of

    cargo run --release -p marigraph-bench periods reliability > reliability.txt
    python3 bench/reliability.py reliability.txt docs/explanation/reliability.svg

and docs/explanation/categories.svg from that of `categories reliability`, with the words "labels that hold".
"""
import re
import sys

SIZE, LEFT, TOP = 360, 60, 30
LINE = re.compile(r"\s*(0\.\d|1\.0)\s+(\d+) answers\s+confidence ([\d.]+)\s+right ([\d.]+)")


def bins(path):
    """The bins of the first part, which is about all traces: answers, confidence, share right."""
    found = []
    for line in open(path):
        match = LINE.match(line)
        if match:
            found.append((int(match[2]), float(match[3]), float(match[4])))
        elif found:
            return found
    return found


def place(x, y):
    return LEFT + x * SIZE, TOP + (1 - y) * SIZE


def main():
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIZE + 90}" height="{SIZE + 90}" font-family="sans-serif" font-size="12">',
        "<title>Confidence and the share of right answers</title>",
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    for tick in range(0, 11, 2):
        x, y = place(tick / 10, tick / 10)
        out.append(f'<text x="{x}" y="{TOP + SIZE + 18}" text-anchor="middle" fill="#444">{tick * 10} %</text>')
        out.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end" fill="#444">{tick * 10} %</text>')
        out.append(f'<path d="M{LEFT} {y}h{SIZE}M{x} {TOP}v{SIZE}" stroke="#e4e4e4"/>')
    (x0, y0), (x1, y1) = place(0, 0), place(1, 1)
    out.append(f'<path d="M{x0} {y0}L{x1} {y1}" stroke="#999" stroke-dasharray="4 4"/>')
    words = sys.argv[3] if len(sys.argv) > 3 else "within 10 % of the truth"
    for count, confidence, right in bins(sys.argv[1]):
        x, y = place(confidence, right)
        radius = 3 + min(count, 4000) ** 0.5 / 5
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="#1f77b4" fill-opacity="0.6"><title>{count} answers: confidence {confidence}, right {right}</title></circle>')
        out.append(f'<text x="{x - radius - 4:.1f}" y="{y + 4:.1f}" text-anchor="end" fill="#333">{count}</text>')
    out.append(f'<text x="{LEFT + SIZE / 2}" y="{TOP + SIZE + 42}" text-anchor="middle">confidence</text>')
    out.append(f'<text transform="translate(16 {TOP + SIZE / 2}) rotate(-90)" text-anchor="middle">{words}</text>')
    out.append("</svg>")
    with open(sys.argv[2], "w") as file:
        file.write("\n".join(out) + "\n")


main()

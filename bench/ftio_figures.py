"""Figures 8, 9 and 15 of the FTIO paper (Tarraf et al., IPDPS 2024) on synthetic traces, as text and SVG.

    python3 bench/ftio_figures.py 8 OUT.svg [SEEDS]     detection error: a) computing time, b) phi, c) sigma / mu
    python3 bench/ftio_figures.py 9 OUT.svg [SEEDS]     sigma_vol and sigma_time over sigma / mu
    python3 bench/ftio_figures.py 15 OUT.svg            predictions and their windows while a job runs

As in section III-A: f_s = 1 Hz, 32 processes, 20 iterations, --method dft; the paper has 100 traces per box, the
default here is 20. Needs the program (MARIGRAPH, by default target/release/marigraph). Figures 2 to 4, 13 and 14 are
what `marigraph period --method dft --plot FILE.svg LOG` draws of a log.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("MARIGRAPH", str(ROOT / "target/release/marigraph"))
NOISE = {"no noise": 0, "low noise": 5e8, "high noise": 1e9}
WIDTH, HEIGHT, LEFT, TOP = 900, 260, 60, 40


def made(folder, seed, options, name="trace.csv"):
    """A trace and its truth."""
    path = pathlib.Path(folder) / name
    words = [word for option, value in options.items() for word in (f"--{option}", str(value))]
    subprocess.run([PROGRAM, "synth", "trace", "--seed", str(seed), *words, "-o", str(path)], check=True)
    return path, json.loads(path.with_name(name + ".truth.json").read_text())


def answer(folder, seed, options):
    path, truth = made(folder, seed, options)
    whole = f"0:{truth['duration_s']}"
    command = [PROGRAM, "period", "--method", "dft", "--sampling", "1", "--window", whole, "--json", str(path)]
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout), truth


def error(found, truth):
    """In per cent; None without an answer."""
    period = found["period_s"]
    return None if period is None else abs(period - truth["period_s"]) / truth["period_s"] * 100


def sweeps(seeds):
    """Figure 8: (title, [(label, options)])."""
    of_noise = {name: {"noise": rate} for name, rate in NOISE.items()}
    computing = [(f"{cpu} s, {name}", {"cpu": cpu, **noise}) for cpu in (5.5, 11, 22, 44, 88) for name, noise in of_noise.items()]
    delays = [(f"phi {phi} s", {"cpu": 11, "phi": phi}) for phi in (0, 1.3, 2.6, 5.2, 10.4, 20.8, 41.6)]
    return [("a) computing time and noise", computing), ("b) mean delay of processes", delays), ("c) sigma / mu of the computing time", varied())]


def varied():
    return [(f"{sigma}", {"cpu": 11, "sigma": sigma}) for sigma in (0, 0.25, 0.5, 0.55, 0.75, 1, 1.5, 2)]


def summary(values):
    values = sorted(values)
    if not values:
        return [0.0] * 5
    if len(values) == 1:
        return values * 5
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    reach = 1.5 * (high - low)
    inside = [value for value in values if low - reach <= value <= high + reach]
    return [inside[0], low, middle, high, inside[-1]]


def boxes(title, rows, top, unit):
    """A plot of boxes: the quartiles, and whiskers to the last value within 1.5 times their distance."""
    highest = max([row[1][4] for row in rows] + [1e-9]) * 1.08
    y = lambda value: top + HEIGHT - value / highest * HEIGHT
    step = (WIDTH - LEFT) / len(rows)
    out = f'<text x="{LEFT}" y="{top - 12}" font-weight="bold">{title}</text>'
    for share in range(5):
        value = highest * share / 4
        out += f'<text x="{LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.3g}{unit}</text>'
        out += f'<path d="M{LEFT} {y(value):.1f}H{WIDTH}" stroke="#ddd"/>'
    for at, (label, (least, low, middle, high, most)) in enumerate(rows):
        x, half = LEFT + (at + 0.5) * step, step * 0.3
        out += f'<path d="M{x:.1f} {y(least):.1f}V{y(low):.1f}M{x:.1f} {y(high):.1f}V{y(most):.1f}" stroke="#333"/>'
        out += f'<rect x="{x - half:.1f}" y="{y(high):.1f}" width="{2 * half:.1f}" height="{max(y(low) - y(high), 0.5):.1f}" fill="#9ec1ea" stroke="#3c6fb4"/>'
        out += f'<path d="M{x - half:.1f} {y(middle):.1f}h{2 * half:.1f}" stroke="#b4233c" stroke-width="2"/>'
        out += f'<text x="{x:.1f}" y="{top + HEIGHT + 14 + 12 * (at % 2)}" text-anchor="middle">{label}</text>'
    return out


def write(path, body, height):
    pathlib.Path(path).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + 20} {height}" font-family="sans-serif" font-size="10">'
        f'<rect width="100%" height="100%" fill="#fff"/>{body}</svg>\n'
    )


def told(label, values, missing=0, unit=" %"):
    least, low, middle, high, most = summary(values)
    mean = statistics.fmean(values) if values else 0.0
    silent = f", {missing} without a period" if missing else ""
    print(f"  {label:<22} median {middle:8.3g}{unit}  quartiles {low:.3g} to {high:.3g}  whiskers {least:.3g} to {most:.3g}  mean {mean:.3g}{silent}", flush=True)


def figure8(out, seeds):
    body = ""
    with tempfile.TemporaryDirectory() as folder:
        for number, (title, points) in enumerate(sweeps(seeds)):
            print(title)
            rows = []
            for label, options in points:
                errors = [error(*answer(folder, seed, options)) for seed in range(1, seeds + 1)]
                given = [one for one in errors if one is not None]
                told(label, given, len(errors) - len(given))
                rows.append((label, summary(given)))
            body += boxes(f"{title}: detection error", rows, TOP + number * (HEIGHT + 80), "%")
    write(out, body, 3 * (HEIGHT + 80) + TOP)


def figure9(out, seeds):
    rows = {"sigma_vol": [], "sigma_time": [], "periodicity_score": []}
    with tempfile.TemporaryDirectory() as folder:
        for label, options in varied():
            answers = [answer(folder, seed, options)[0] for seed in range(1, seeds + 1)]
            for name, boxed in rows.items():
                boxed.append((label, [one[name] for one in answers if one[name] is not None]))
    body = ""
    for number, (name, boxed) in enumerate(rows.items()):
        print(f"{name} over sigma / mu")
        for label, values in boxed:
            told(label, values, seeds - len(values), "")
        body += boxes(f"{name} over sigma / mu", [(label, summary(values)) for label, values in boxed], TOP + number * (HEIGHT + 80), "")
    write(out, body, 3 * (HEIGHT + 80) + TOP)


def figure15(out, _):
    """Above the axis the phases, below it the window and the period of each prediction."""
    with tempfile.TemporaryDirectory() as folder:
        path, truth = made(folder, 1, {"kind": "hacc"}, "run.jsonl")
        command = [PROGRAM, "predict", "--method", "dft", "--follow", str(path), "--idle-exit", "1", "--json"]
        lines = subprocess.run(command, capture_output=True, check=True, text=True).stdout.splitlines()
    predictions = [json.loads(line) for line in lines]
    x = lambda time: LEFT + time / truth["duration_s"] * (WIDTH - LEFT)
    body = f'<path d="M{LEFT} 60H{WIDTH}" stroke="#333"/>'
    for start, end in zip(truth["starts_s"], truth["ends_s"]):
        body += f'<rect x="{x(start):.1f}" y="40" width="{x(end) - x(start):.1f}" height="20" fill="#3c6fb4"/>'
    print(f"mean distance of the phases: {truth['period_s']:.2f} s")
    for number, one in enumerate(predictions):
        y = 80 + 16 * number
        (first, last), period = one["window_s"], one["period_s"]
        body += f'<path d="M{x(first):.1f} {y}H{x(last):.1f}" stroke="#b4233c" stroke-width="3"/>'
        words = "none" if period is None else f"{period:.2f} s"
        body += f'<text x="{x(first) + 3:.1f}" y="{y - 3}">{words}</text>'
        print(f"  at {one['t_s']:7.1f} s: period {words:>8}, confidence {one['confidence']:.2f}, window {first:.1f} to {last:.1f} s")
    write(out, body, 100 + 16 * len(predictions))


def main():
    figures = {"8": figure8, "9": figure9, "15": figure15}
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in figures:
        sys.exit(__doc__)
    figures[sys.argv[1]](sys.argv[2], int(sys.argv[3]) if len(sys.argv) == 4 else 20)


if __name__ == "__main__":
    main()

"""Compares what the commands say about a log with what programs.toml expects of it."""
import json
import math
import subprocess

from record import MARIGRAPH

# As the confidence of `period` defines a right answer.
TOLERANCE = 0.10
UNSURE = 0.5
# Heat maps: width of the first bins, their number, bins per period that show it, and its busy share.
FIRST_BIN_S, BINS = 0.1, 200
SHOW_PERIOD, SHOW_BUSY = 4, 12
MIB = 1 << 20
# Bytes that a program moves beyond what its text says: its own source, headers.
BESIDE = 256 << 10


def ask(command, log, *options):
    """The JSON answer of a command about a log; None if it has none."""
    done = subprocess.run([MARIGRAPH, command, "--json", *options, log], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def bin_width(evidence, program, runtime_s):
    """Seconds per bin of the evidence; 0 if it has single operations."""
    if evidence == "trace" or (evidence == "dxt" and not program.get("streams")):
        return 0.0
    width = FIRST_BIN_S
    while runtime_s > width * BINS:
        width *= 2
    return width


def questions(program, seen):
    """Which operations are asked for their period, and the answer; None is no period."""
    asked = {"both": program.get("period"), "read": program.get("period_read"), "write": program.get("period_write")}
    measured = (seen[-1] - seen[0]) / (len(seen) - 1) if len(seen) > 1 else math.nan
    value = {"seen": measured, "none": None}
    return {op: value.get(answer, answer) for op, answer in asked.items() if answer is not None}


def judge_period(program, seen, log, width):
    """[(question, expected, found, right)] for the periods of a log."""
    rows = []
    for op, expected in questions(program, seen).items():
        answer = ask("period", log, "--op", op) or {}
        period, confidence = answer.get("period_s"), answer.get("confidence") or 0.0
        close = bool(period and expected and abs(period / expected - 1) <= TOLERANCE)
        shown = expected is None or expected >= SHOW_PERIOD * width
        right = close if shown and expected else period is None
        if not shown:
            right = close or period is None or confidence <= UNSURE
        said = f"{period:.4g} s ({confidence:.2f})" if period else "none"
        wanted = "none" if expected is None else f"{expected:.4g} s" + ("" if shown else " or unsure")
        rows.append((f"period {op}", wanted, said, right))
    return rows


def rhythms(program, side, seen):
    """The periods of one direction that categorize is to list."""
    asked = questions(program, seen)
    return program.get("rhythms") or [asked.get(side) or asked.get("both")]


def periodicity(side):
    """The labels of a periodic direction, and those of its busy share."""
    return ([f"{side}_periodic", f"{side}_periodic_second"],
            [f"{side}_periodic_low_busy_time", f"{side}_periodic_high_busy_time"])


def labels(program, seen, width):
    """The labels that are expected, and those that the evidence cannot show, so that they are not asked."""
    wanted = set(program["when"]) | {f"metadata_{label}" for label in program.get("metadata", [])}
    unasked = set()
    for side in program.get("open", []):
        unasked |= {label for part in periodicity(side) for label in part}
    for side in program.get("periodic", []):
        every = rhythms(program, side, seen)
        names, busy = periodicity(side)
        if not any(period >= SHOW_PERIOD * width for period in every):
            unasked |= {*names, *busy}
        elif min(every) < SHOW_BUSY * width:
            wanted |= set(names)
            unasked |= set(busy)
        else:
            wanted |= {*names, busy[0]}
    return wanted, unasked


def judge_categories(program, seen, log, width, answer):
    """One row for the labels of a log, and one for each direction whose rhythms it must list."""
    wanted, unasked = labels(program, seen, width)
    found = set((answer or {}).get("categories", []))
    wrong = sorted("+" + label for label in found - wanted - unasked) + sorted("-" + label for label in wanted - found)
    rows = [("labels", " ".join(sorted(wanted)), " ".join(wrong) if wrong else "the same", not wrong)]
    for side in program.get("periodic", []) if width == 0 else []:
        listed = [activity["period_s"] for activity in (answer or {}).get(side, {}).get("periodic", [])]
        every = rhythms(program, side, seen)
        right = all(any(abs(one / period - 1) <= TOLERANCE for one in listed) for period in every)
        rows.append((f"{side} rhythms", ", ".join(f"{one:.3g} s" for one in every),
                     ", ".join(f"{one:.3g} s" for one in listed[:4]) or "none", right))
    return rows


def judge(program, evidence, run, log):
    """Rows (question, expected, found, right) for a log."""
    answer = ask("categorize", log)
    runtime_s = answer["job"]["runtime_s"] if answer else run.seconds
    width = bin_width(evidence, program, runtime_s)
    return judge_period(program, run.seen, log, width) + judge_categories(program, run.seen, log, width, answer)


def bytes_of(log):
    """Bytes read and written according to a log."""
    totals = (ask("show", log) or {}).get("totals", {})
    return totals.get("read_bytes"), totals.get("write_bytes")


def byte_differences(program, by_evidence):
    """What logs say about bytes where it is not what the text of the program says, or not the same in all logs."""
    differences = []
    moved = {evidence: bytes_of(log) for evidence, log in by_evidence.items()}
    for side, key in enumerate(("read_mib", "write_mib")):
        said = {evidence: pair[side] for evidence, pair in moved.items() if pair[side] is not None}
        true = program[key] * MIB if key in program else said.get("trace")
        for evidence, bytes_ in said.items():
            if true is not None and abs(bytes_ - true) > true * 0.01 + BESIDE:
                source = "the program's text" if key in program else "the trace"
                differences.append(f"{program['name']}, {evidence}: {key[:-4]} {bytes_}, by {source} {true}")
    return differences


def wilson(right, total):
    """The 95 % interval of a share."""
    if total == 0:
        return 0.0, 1.0
    z, share = 1.959964, right / total
    middle, spread = share + z * z / (2 * total), z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return max(0.0, (middle - spread) / (1 + z * z / total)), min(1.0, (middle + spread) / (1 + z * z / total))

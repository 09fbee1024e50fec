"""`marigraph scan` against a naive walk in Python, on trees of all kinds of things made from seeds; then what interrupts it.

Variables: MARIGRAPH (the program), MARIGRAPH_LONG=1 for more trees.
"""
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time

from checks import MARIGRAPH, counts, finish, run
from checks import check as told_check

TREES = 60 if os.environ.get("MARIGRAPH_LONG") else 12
DAY = 86400


def check(name, condition, detail=""):
    """There are hundreds of checks of trees: those that pass are told only if there is more to say."""
    if condition and not detail:
        counts[True] += 1
    else:
        told_check(name, condition, detail)


def scan(root, output, *flags):
    code, told, error = run(MARIGRAPH, "scan", root, "-o", output, "--json", "--quiet", *flags)
    return code, json.loads(told) if code == 0 else {}, error


def grow(folder, chance, depth=0):
    """Random things below a folder, given and to be named by bytes."""
    names = [b"plain", b"with space", b"\xff\xfe not text", "größe".encode(), b"100%", b"new\nline", b"x" * 200]
    for at in range(chance.randrange(1, 12)):
        path = os.path.join(folder, chance.choice(names) + str(at).encode())
        kind = chance.randrange(12)
        if kind < 5:
            with open(path, "wb") as file:
                file.write(bytes(chance.choice([0, 1, 511, 4096, 5000, 70000])))
                if chance.random() < 0.3:
                    file.truncate(chance.randrange(1, 1 << 34))
            age = chance.choice([0, 0.5, 1, 3, 64, 65, 1000, -5]) * DAY
            os.utime(path, (time.time() - age, time.time() - 2 * age))
            if chance.random() < 0.2:
                os.link(path, path + b".link")
            if chance.random() < 0.2 and os.geteuid() == 0:
                os.chown(path, chance.randrange(1000, 1005), chance.randrange(50, 53))
        elif kind == 5:
            os.symlink(chance.choice([b"/etc", b"nowhere", b"."]), path)
        elif kind == 6:
            os.mkfifo(path)
        elif kind == 7 and len(path) < 90:
            socket.socket(socket.AF_UNIX).bind(path)
        elif depth < 5:
            os.mkdir(path)
            grow(path, chance, depth + 1)


def naive(root, now):
    """The same counts by the plainest means."""
    found = {"kinds": collections.Counter(), "bytes": 0, "capacity": 0, "owners": collections.Counter(),
             "projects": collections.Counter(), "histograms": collections.defaultdict(collections.Counter)}

    def count(name, value, weight):
        low = 0 if value == 0 else 1 << (value.bit_length() - 1)
        found["histograms"][name][low] += 1
        found["histograms"][name + " bytes"][low] += weight

    def look(path, depth, name, project):
        told = os.lstat(path)
        size = told.st_size if stat.S_ISREG(told.st_mode) else 0
        count("depth", depth, size)
        count("name_length", len(name), size)
        if stat.S_ISREG(told.st_mode):
            found["kinds"]["files"] += 1
            found["bytes"] += size
            found["capacity"] += told.st_blocks * 512
            found["owners"][told.st_uid] += size
            found["projects"][project] += size
            count("size", size, size)
            capacity = told.st_blocks * 512
            count("capacity", capacity, capacity)
            count("overhead" if capacity >= size else "saved", abs(capacity - size), abs(capacity - size))
            count("links", told.st_nlink, size)
            for by, when in (("access", told.st_atime_ns), ("modification", told.st_mtime_ns), ("change", told.st_ctime_ns)):
                count(f"{by}_age_days", max(0, int((now - when // 10**9) / DAY)), size)
        elif stat.S_ISDIR(told.st_mode):
            found["kinds"]["directories"] += 1
            entries = os.listdir(path)
            inside = [os.lstat(os.path.join(path, entry)) for entry in entries]
            held = sum(one.st_size for one in inside if stat.S_ISREG(one.st_mode))
            count("directory_entries", len(entries), held)
            count("directory_bytes", held, held)
            for entry in entries:
                look(os.path.join(path, entry), depth + 1, entry, project if depth else (entry if os.path.isdir(os.path.join(path, entry)) and not os.path.islink(os.path.join(path, entry)) else b""))
        elif stat.S_ISLNK(told.st_mode):
            found["kinds"]["links"] += 1
            count("link_target_length", told.st_size, 0)
        else:
            found["kinds"]["others"] += 1

    look(root, 0, os.path.basename(root), b"")
    return found


def plain(name):
    """A name as our JSON has it, back to bytes."""
    out, rest = b"", name
    while rest:
        if rest[0] == "%":
            out, rest = out + bytes([int(rest[1:3], 16)]), rest[3:]
        else:
            out, rest = out + rest[0].encode(), rest[1:]
    return out


def compare(name, told, wanted):
    totals = told["totals"]
    check(f"{name}: kinds", {key: totals[key] for key in ("files", "directories", "links", "others")} ==
          {key: wanted["kinds"][key] for key in ("files", "directories", "links", "others")})
    check(f"{name}: bytes", (totals["bytes"], totals["capacity_bytes"]) == (wanted["bytes"], wanted["capacity"]))
    check(f"{name}: owners", {one["id"]: one["bytes"] for one in told["owners"] if one["bytes"]} ==
          {key: value for key, value in wanted["owners"].items() if value})
    check(f"{name}: projects", {plain(one["name"]): one["bytes"] for one in told["projects"] if one["bytes"]} ==
          {key: value for key, value in wanted["projects"].items() if value})
    for by, bins in told["histograms"].items():
        counts = {one["low"]: one["count"] for one in bins}
        weights = {one["low"]: one["bytes"] for one in bins}
        check(f"{name}: {by}", counts == dict(wanted["histograms"][by]), "" if counts == dict(wanted["histograms"][by]) else f"{counts} {dict(wanted['histograms'][by])}")
        check(f"{name}: bytes by {by}", weights == dict(wanted["histograms"][by + " bytes"]))


def trees(folder):
    for seed in range(TREES):
        root = os.fsencode(folder / "tree")
        shutil.rmtree(root, ignore_errors=True)
        os.mkdir(root)
        grow(root, random.Random(seed))
        before = os.lstat(root).st_atime_ns
        code, told, error = scan(root, folder / "one.snap", "--threads", 1 + seed % 5)
        check(f"tree {seed} is scanned", code == 0, error)
        check(f"tree {seed}: the time of access stays", os.lstat(root).st_atime_ns == before)
        compare(f"tree {seed}", told, naive(root, int(told["begun"])))
    print(f"{counts[False]} differences from a naive walk over {TREES} trees")


def joined(folder):
    """Snapshots of two trees joined are the snapshot of both, and what came is told."""
    for name, files in (("a", 30), ("b", 50)):
        (folder / "both" / name).mkdir(parents=True)
        for at in range(files):
            (folder / "both" / name / f"f{at}").write_bytes(bytes(100 * at))
    for name in "ab":
        scan(folder / "both" / name, folder / f"{name}.snap")
    code, told, error = run(MARIGRAPH, "scan", folder / "a.snap", folder / "b.snap", "-o", folder / "ab.snap", "--json")
    together = scan(folder / "both", folder / "both.snap")[1]
    check("joined snapshots hold what both hold", code == 0 and json.loads(told)["histograms"]["size"] == together["histograms"]["size"], error)
    for at in range(20):
        (folder / "both/b" / f"new{at}").write_bytes(bytes(1000))
    scan(folder / "both", folder / "later.snap")
    code, told, error = run(MARIGRAPH, "scan-diff", folder / "both.snap", folder / "later.snap", "--json", "--limit-files", 1000)
    told = json.loads(told)
    check("what came is told", told["totals"]["files"]["grown"] == 20 and told["projects"][0]["name"] == "b"
          and told["projects"][0]["share_of_new_files"] == 1.0 and told["files_full_in_s"] > 0, error)
    code, _, error = run(MARIGRAPH, "scan-diff", folder / "both.snap", __file__)
    check("what is no snapshot is told", code == 1 and "neither a folder nor a snapshot" in error and "hint" in error)
    (folder / "cut.snap").write_bytes((folder / "both.snap").read_bytes()[:-500])
    code, _, error = run(MARIGRAPH, "scan-diff", folder / "cut.snap", folder / "both.snap")
    check("a snapshot that is cut off is told", code == 1 and "damaged" in error, error.strip())


def interrupted(folder):
    """Killed at random moments and gone on with, a scan counts every thing once."""
    root = folder / "large"
    for at in range(300):
        deep = root / f"p{at % 7}" / f"d{at}" / "e"
        deep.mkdir(parents=True)
        for file in range(100):
            (deep / f"f{file}").touch()
    whole = scan(root, folder / "whole.snap")[1]
    chance, kills, tries = random.Random(1), 0, 0
    output = folder / "killed.snap"
    command = [str(word) for word in (MARIGRAPH, "scan", root, "-o", output, "--resume", "--every", "0.001", "--json", "--quiet")]
    while tries < 200:
        tries += 1
        how = chance.choice([signal.SIGKILL, signal.SIGINT])
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            told = child.communicate(timeout=chance.random() * (0.02 + 0.01 * tries))[0]
            break
        except subprocess.TimeoutExpired:
            child.send_signal(how)
            told = child.communicate()[0]
            kills += 1
    told = json.loads(told)
    same = all(told[key] == whole[key] for key in ("histograms", "owners", "projects", "largest_files"))
    same &= told["totals"] == whole["totals"]
    check("gone on with, it counts the same", same, f"{kills} interrupts")
    # A kill may leave a half-written file under a name of its own, but nothing that a later scan would take for its own.
    left = (folder / "killed.snap.partial").exists() or [one for one in folder.iterdir() if "spill" in one.name]
    check("what was put down meanwhile is removed", not left, left or "")


def trouble(folder):
    root = folder / "trouble"
    (root / "closed").mkdir(parents=True)
    (root / "closed/inside").touch()
    (root / ".snapshot/old").mkdir(parents=True)
    (root / "loop").symlink_to(".")
    deep = os.open(root, os.O_RDONLY)
    for _ in range(120):
        os.mkdir("n" * 60, dir_fd=deep)
        below = os.open("n" * 60, os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = below
    os.close(deep)
    code, told, error = scan(root, folder / "trouble.snap")
    check("paths longer than the system takes at once are followed", code == 0 and told["totals"]["directories"] == 123, error or told["totals"])
    check("snapshots of the file system are not entered", told["skipped"] == {"a directory that is not entered": 1}, told["skipped"])
    code, _, error = run(MARIGRAPH, "scan", folder / "nothing", "-o", folder / "x.snap")
    check("a folder that is not there is told", code == 1 and "error:" in error, error.strip())
    if os.geteuid() == 0 and shutil.which("setpriv"):
        os.chmod(root / "closed", 0)
        os.chmod(folder, 0o777)
        code, told, error = run("setpriv", "--reuid=65534", "--clear-groups", MARIGRAPH, "scan", root, "-o", folder / "other.snap", "--json")
        told = json.loads(told) if code == 0 else {}
        check("what may not be read is counted and named", told.get("skipped", {}).get("no permission") == 1
              and told["errors"][0]["path"] == "closed", error)
    shutil.rmtree(root, ignore_errors=True)
    subprocess.run(["rm", "-rf", root])


def main():
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        trees(folder)
        joined(folder)
        interrupted(folder)
        trouble(folder)
    finish()


main()

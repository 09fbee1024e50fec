"""PyDarshan reads what we write, and reads the same from a log and from our rewriting of it.

Run by scripts/interop.sh with the program's path in MARIGRAPH. Uses real logs where they are
(MARIGRAPH_DATA, or ../shared/data), and made-up ones always.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

import darshan
import numpy

from checks import skip

warnings.filterwarnings("ignore")

PROGRAM = os.environ.get("MARIGRAPH", "target/release/marigraph")
DATA = pathlib.Path(os.environ.get("MARIGRAPH_DATA", "../shared/data")) / "darshan"
COUNTERS = ["POSIX", "MPI-IO", "STDIO", "H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR", "BG/Q", "DFS", "DAOS"]

passed = failed = 0


def check(name, condition, detail=""):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {name} {detail}")


def marigraph(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True, text=True)


def records(path):
    """Everything PyDarshan sees of a log, in comparable form."""
    seen = {}
    report = darshan.DarshanReport(str(path), read_all=False)
    seen["job"] = {key: report.metadata["job"][key] for key in ("uid", "jobid", "nprocs", "start_time_sec")}
    seen["job"]["run_time"] = round(report.metadata["job"]["run_time"], 3)
    seen["names"] = dict(report.name_records)
    for module in report.modules:
        try:
            seen[module] = module_records(report, module)
        except Exception as error:  # PyDarshan cannot read everything; it must fail alike on the copy
            seen[module] = f"PyDarshan fails: {type(error).__name__}"
    return seen


def module_records(report, module):
    if module in COUNTERS:
        report.mod_read_all_records(module)
        frames = report.records[module].to_df()
        order = lambda frame: frame.sort_values(["id", "rank"], kind="stable").reset_index(drop=True)
        return {kind: order(frames[kind]) for kind in ("counters", "fcounters")}
    if module.startswith("DXT"):
        report.mod_read_all_dxt_records(module)
        return dxt_text(report.records[module].to_df())
    if module == "HEATMAP":
        report.read_all_heatmap_records()
        return {name: heat.to_df(ops=["read", "write"]).to_csv() for name, heat in report.heatmaps.items()}
    return "not compared here"


def same(name, old, new):
    check(f"{name}: job", old["job"] == new["job"], f"{old['job']} {new['job']}")
    check(f"{name}: names", old["names"] == new["names"])
    for module in old:
        if module in ("job", "names"):
            continue
        if module not in new:
            check(f"{name}: {module} is there", False)
        elif module in COUNTERS and isinstance(old[module], dict) and isinstance(new[module], dict):
            for kind in ("counters", "fcounters"):
                left, right = old[module][kind], new[module][kind]
                equal = list(left.columns) == list(right.columns) and left.shape == right.shape
                equal = equal and numpy.array_equal(left.to_numpy(), right.to_numpy())
                check(f"{name}: {module} {kind}", equal, "" if equal else differences(left, right))
        else:
            check(f"{name}: {module}", old[module] == new[module], f"{str(old[module])[:80]} {str(new[module])[:80]}")


def differences(left, right):
    if left.shape != right.shape:
        return f"{left.shape} {right.shape}"
    unequal = [c for c in left.columns if not numpy.array_equal(left[c].to_numpy(), right[c].to_numpy())]
    return ", ".join(f"{c}: {left[c].iloc[0]} {right[c].iloc[0]}" for c in unequal[:5])


def dxt_text(rows):
    return [
        (row["id"], row["rank"], row["hostname"], row["write_segments"].to_csv(), row["read_segments"].to_csv())
        for row in rows
    ]


# PyDarshan's reader misreads these counters of old logs (see the errata of the parity tests).
ERRATA = ["POSIX_F_VARIANCE_RANK_TIME", "POSIX_F_VARIANCE_RANK_BYTES"]
ERRATA_BIG = ERRATA + ["POSIX_F_META_TIME", "POSIX_F_MAX_READ_TIME", "POSIX_F_MAX_WRITE_TIME"]


def without_errata(seen, big_endian):
    if "POSIX" in seen:
        drop = ERRATA_BIG if big_endian else ERRATA
        seen["POSIX"]["fcounters"] = seen["POSIX"]["fcounters"].drop(columns=drop)
    return seen


def real_logs(folder):
    if not DATA.is_dir():
        skip(f"no real logs at {DATA} (set MARIGRAPH_DATA)", 60)
        return
    for path in sorted(DATA.glob("*.darshan")):
        copy = folder / path.name
        marigraph("convert", path, "-o", copy)
        old = records(path)
        old_version = any(release in path.name for release in ("-3.0.", "-3.1."))
        big = "ppc64" in path.name
        new = records(copy)
        if old_version:
            old, new = without_errata(old, big), without_errata(new, big)
        same(path.name, old, new)


def made_up_logs(folder):
    for seed in range(1, 4):
        path = folder / f"made-{seed}.darshan"
        marigraph("synth", "job", "--seed", seed, "--ranks", 4, "--checkpoints", 2, "--files", 10, "-o", path)
        seen = records(path)
        check(f"seed {seed}: modules", {"POSIX", "MPI-IO", "STDIO", "DXT_POSIX", "DXT_MPIIO", "HEATMAP"} <= set(seen))
        import json

        truth = json.loads((folder / f"made-{seed}.darshan.truth.json").read_text())
        posix, stdio = seen["POSIX"]["counters"], seen["STDIO"]["counters"]
        written = posix["POSIX_BYTES_WRITTEN"].sum() + stdio["STDIO_BYTES_WRITTEN"].sum()
        check(f"seed {seed}: bytes written", written == truth["write_bytes"], f"{written} {truth['write_bytes']}")
        check(f"seed {seed}: bytes read", posix["POSIX_BYTES_READ"].sum() == truth["read_bytes"])
    merged = folder / "merged.darshan"
    marigraph("convert", *(folder / f"made-{seed}.darshan" for seed in range(1, 4)), "-o", merged)
    whole = records(merged)
    check("merged: processes", whole["job"]["nprocs"] == 12, whole["job"])
    ranks = set(whole["POSIX"]["counters"]["rank"]) - {-1}
    check("merged: ranks", ranks == set(range(12)), ranks)


def tables(folder):
    table = folder / "ops.csv"
    table.write_text("rank,start,end,bytes,op,file,offset\n0,0.5,1.0,4096,write,/tmp/a,0\n1,1.0,2.0,100,read,/tmp/b,50\n")
    log = folder / "ops.darshan"
    marigraph("convert", table, "-o", log)
    seen = records(log)
    check("table: traced", len(seen["DXT_POSIX"]) == 2)
    check("table: bytes", seen["POSIX"]["counters"]["POSIX_BYTES_WRITTEN"].sum() == 4096)


with tempfile.TemporaryDirectory() as name:
    made_up_logs(pathlib.Path(name))
    tables(pathlib.Path(name))
    real_logs(pathlib.Path(name))
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)

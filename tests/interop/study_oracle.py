"""The figures of a study recomputed in pandas from its raw inputs: PyDarshan reads the logs, pandas the rest.

Written from the definitions in docs/reference/system-report.md alone. Everything is in plain columns; nothing is taken from our program but
the snapshots, which are its own format (JSON).
"""

import json
import multiprocessing
import pathlib
import warnings

import numpy
import pandas

warnings.filterwarnings("ignore")

MIB = 1 << 20
NAMES = ["HDF5", "MPI-IO", "PnetCDF", "STDIO", "POSIX"]
LETTERS = dict(zip(NAMES, "HMNSP"))
OPENS = {
    "POSIX": ["POSIX_OPENS"], "STDIO": ["STDIO_OPENS"], "MPI-IO": ["MPIIO_INDEP_OPENS", "MPIIO_COLL_OPENS"],
    "H5F": ["H5F_OPENS"], "H5D": [], "PNETCDF_FILE": ["PNETCDF_FILE_OPENS", "PNETCDF_FILE_CREATES"], "PNETCDF_VAR": [],
}
INTERFACE = {"POSIX": "POSIX", "STDIO": "STDIO", "MPI-IO": "MPI-IO", "H5F": "HDF5", "H5D": "HDF5",
             "PNETCDF_FILE": "PnetCDF", "PNETCDF_VAR": "PnetCDF"}
IN_FILES = ("H5D", "PNETCDF_VAR")
SIZES = ["0_100", "100_1K", "1K_10K", "10K_100K", "100K_1M", "1M_4M", "4M_10M", "10M_100M", "100M_1G", "1G_PLUS"]
POSIX = ["POSIX_READS", "POSIX_WRITES", "POSIX_SEQ_READS", "POSIX_SEQ_WRITES", "POSIX_FILE_NOT_ALIGNED"]
POSIX += [f"POSIX_SIZE_{kind}_{size}" for kind in ("READ", "WRITE") for size in SIZES]


# ---- reading


def read_log(path):
    """A run and its records, as PyDarshan sees them."""
    from darshan.backend import cffi_backend as backend

    log = backend.log_open(str(path))
    job = backend.log_get_job(log)
    names = None
    tables = []
    for module in backend.log_get_modules(log):
        if module not in OPENS:
            continue
        ints, floats = ([text.decode() if isinstance(text, bytes) else text for text in list_]
                        for list_ in (backend.counter_names(module), backend.fcounter_names(module)))
        rows = []
        while (record := backend.log_get_generic_record(log, module, dtype="numpy")) is not None:
            rows.append((record["id"], record["rank"], record["counters"], record["fcounters"]))
        if module in IN_FILES and names is None:
            of = backend.log_get_name_records(log)
            names = {"of": of, "ids": {name: identity for identity, name in of.items()}}
        tables.append(columns(module, rows, ints, floats, names))
    backend.log_close(log)
    start = job["start_time_sec"] + job["start_time_nsec"] / 1e9
    end = job["end_time_sec"] + job["end_time_nsec"] / 1e9
    run = {"jobid": job["jobid"], "nprocs": job["nprocs"], "start": start, "runtime_s": end - start}
    return str(path), run, tables


def columns(module, rows, ints, floats, names):
    """The columns of a module's records that any figure needs."""
    counts = pandas.DataFrame(numpy.array([row[2] for row in rows]), columns=ints)
    times = pandas.DataFrame(numpy.array([row[3] for row in rows]), columns=floats)
    prefix = {"MPI-IO": "MPIIO"}.get(module, module)
    get = lambda frame, name: frame[f"{prefix}_{name}"] if f"{prefix}_{name}" in frame else 0
    table = pandas.DataFrame({
        "file": numpy.array([parent(names, row[0]) if module in IN_FILES else row[0] for row in rows], dtype="uint64"),
        "rank": [int(row[1]) for row in rows],
        "opens": counts[OPENS[module]].sum(axis=1),
        "read": get(counts, "BYTES_READ"), "written": get(counts, "BYTES_WRITTEN"),
        "meta_s": get(times, "F_META_TIME"), "read_s": get(times, "F_READ_TIME"), "write_s": get(times, "F_WRITE_TIME"),
        "slowest_s": get(times, "F_SLOWEST_RANK_TIME"),
    })
    if module == "POSIX":
        table = pandas.concat([table, counts[POSIX]], axis=1)
    return module, table


def parent(names, identity):
    """The file that an object is in: it is named after it."""
    return names["ids"][names["of"][identity].rsplit(":", 1)[0]]


def read_logs(folder):
    """All runs, and all records in one table."""
    paths = sorted(pathlib.Path(folder).rglob("*.darshan"))
    with multiprocessing.Pool(2) as pool:
        logs = pool.map(read_log, paths, chunksize=16)
    runs = pandas.DataFrame([run for _, run, _ in logs])
    tables = []
    for number, (_, _, parts) in enumerate(logs):
        for module, table in parts:
            tables.append(table.assign(run=number, module=module))
    return runs, pandas.concat(tables, ignore_index=True)


def read_jobs(path):
    """Batch jobs that ran and ended: rows of `sacct -P` that are no steps."""
    rows = pandas.read_csv(path, sep="|", dtype=str, keep_default_na=False)
    rows = rows[~rows.JobID.str.contains(".", regex=False)]
    moment = lambda column: pandas.to_datetime(column, format="%Y-%m-%dT%H:%M:%S", errors="coerce", utc=True)
    seconds = lambda column: (moment(column) - pandas.Timestamp(0, tz="UTC")).dt.total_seconds()
    rows = rows.assign(start=seconds(rows.Start), end=seconds(rows.End)).dropna(subset=["start", "end"])
    count = lambda text: float(text[:-1]) * 1024 if text.endswith("K") else float(text)
    return pandas.DataFrame({
        "id": rows.JobID.str.extract(r"^(\d+)")[0].astype("int64"),
        "project": rows.Account,
        "nodes": rows.NNodes.map(count),
        "start": rows.start, "end": rows.end,
        "core_hours": rows.AllocCPUS.astype(float) * (rows.end - rows.start) / 3600,
    }).reset_index(drop=True)


def matched(runs, jobs):
    """Runs with the job they belong to: same id, begun in its time, the nearest start where there are several."""
    pairs = runs.reset_index(names="run").merge(jobs.reset_index(names="job"), left_on="jobid", right_on="id", suffixes=("", "_job"))
    pairs = pairs[(pairs.start >= pairs.start_job - 300) & (pairs.start <= pairs.end + 300)]
    pairs = pairs.assign(distance=(pairs.start - pairs.start_job).abs()).sort_values(["run", "distance"], kind="stable")
    chosen = pairs.drop_duplicates("run").set_index("run")
    runs = runs.join(chosen[["job", "project", "nodes"]])
    return runs.assign(project=runs.project.fillna("(unknown)"))


# ---- runs


def size_bin(processes):
    """Powers of four: 1, 2 to 4, 5 to 16, ..."""
    high = 1
    while high < processes:
        high *= 4
    return high // 4 + 1, high


def sums(records, keys, columns):
    return records.groupby(keys, sort=False)[columns].sum().reset_index()


def used_files(runs, records):
    """One row per run and file: its bytes by interface, and who uses it."""
    inside = records[~records.module.isin(IN_FILES)]
    keys = ["run", "file"]
    by_interface = records.assign(interface=records.module.map(INTERFACE))
    wide = by_interface.pivot_table(index=keys, columns="interface", values=["read", "written"], aggfunc="sum", sort=False)
    present = by_interface.assign(one=1).pivot_table(index=keys, columns="interface", values="one", aggfunc="sum", sort=False)
    column = lambda what, name: wide[(what, name)].fillna(0) if (what, name) in wide else pandas.Series(0.0, wide.index)
    has = lambda name: present[name].reindex(wide.index).notna() if name in present else pandas.Series(False, wide.index)
    # The highest of these with a record takes the bytes; the amount is the first that any of them counted, from the top.
    stack = ["HDF5", "PnetCDF", "MPI-IO", "POSIX"]
    top = pandas.Series("", wide.index)
    amounts = {what: pandas.Series(0.0, wide.index) for what in ("read", "written")}
    counted = pandas.Series(False, wide.index)
    for name in stack:
        top = top.mask((top == "") & has(name), name)
        moved = has(name) & ~counted & (column("read", name) + column("written", name) > 0)
        for what in amounts:
            amounts[what] = amounts[what].mask(moved, column(what, name))
        counted |= moved
    ranks = inside.groupby(keys, sort=False)["rank"].agg(["nunique", "min"]).reindex(wide.index)
    processes = pandas.Series(runs.nprocs.loc[wide.index.get_level_values("run")].values, wide.index)
    shared = (processes > 1) & ((ranks["min"] < 0) | (ranks["nunique"] == processes))
    kind = pandas.Series("partial", wide.index).mask(ranks["nunique"] == 1, "unique").mask(shared, "shared").mask(processes == 1, "unique")
    stream = {what: column(what, "STDIO") for what in amounts}
    files = pandas.DataFrame({"kind": kind, "top": top, "read": amounts["read"], "written": amounts["written"],
                              "stream_read": stream["read"], "stream_written": stream["written"]})
    return files.reset_index()


def parts(files):
    """Bytes by run, interface and class."""
    below = files[files.top != ""].rename(columns={"top": "interface"})[["run", "kind", "interface", "read", "written"]]
    streams = files.assign(interface="STDIO", read=files.stream_read, written=files.stream_written)
    streams = streams[["run", "kind", "interface", "read", "written"]]
    return pandas.concat([below, streams], ignore_index=True)


def strategies(moved, runs):
    """The class of most bytes of each run; of equal ones shared before partial before unique."""
    by_class = sums(moved, ["run", "kind"], ["read", "written"])
    by_class = by_class.assign(bytes=by_class.read + by_class.written, order=by_class.kind.map({"shared": 0, "partial": 1, "unique": 2}))
    by_class = by_class[by_class.bytes > 0].sort_values(["bytes", "order"], ascending=[False, True]).drop_duplicates("run")
    return by_class.set_index("run").kind.reindex(runs.index).fillna("none")


def share(part, whole):
    return {name: value / whole for name, value in part.items() if value > 0} if whole > 0 else {}


def size_bins(runs, records, files):
    """Figures 2 and 3."""
    moved = parts(files)
    opened = records[records.opens > 0].assign(interface=records.module.map(INTERFACE))
    opened = opened.drop_duplicates(["run", "interface"])[["run", "interface"]]
    bins = runs.nprocs.map(size_bin)
    chosen = strategies(moved, runs)
    second, third = [], []
    for low, high in sorted(bins.unique()):
        own = runs.index[bins == (low, high)]
        here = moved[moved.run.isin(own)]
        head = {"low": low, "high": high, "runs": len(own), "bytes_read": here.read.sum(), "bytes_written": here.written.sum()}
        using = opened[opened.run.isin(own)].interface.value_counts()
        split = lambda column, key: share(here.groupby(key)[column].sum().to_dict(), here[column].sum())
        second.append(head | {"runs_using": share(using.to_dict(), len(own)), "read_share": split("read", "interface"),
                              "written_share": split("written", "interface")})
        third.append(head | {"runs_by": share(chosen[own].value_counts().to_dict(), len(own)), "read_share": split("read", "kind"),
                             "written_share": split("written", "kind")})
    return {"bins": second}, {"bins": third}


def throughput(records):
    """Estimated speed of each run as Darshan's tools define it: bytes by the time of the slowest process."""
    result = {}
    for module in ("STDIO", "POSIX", "MPI-IO"):
        own = records[records.module == module]
        alone = own[own["rank"] >= 0]
        of_rank = alone.assign(s=alone.meta_s + alone.read_s + alone.write_s).groupby(["run", "rank"]).s.sum()
        unique = of_rank.groupby("run").max()
        shared = own[own["rank"] < 0].groupby("run").slowest_s.sum()
        seconds = unique.add(shared, fill_value=0)
        moved = own.groupby("run")[["read", "written"]].sum().sum(axis=1)
        for run, amount in moved.items():
            # The interface that moved most; MPI-IO where it moved as many as what is below it.
            if amount > 0 and (run not in result or amount >= result[run][0]):
                result[run] = (amount, seconds[run])
    return pandas.DataFrame.from_dict(result, orient="index", columns=["moved", "slowest_s"])


def large_runs(runs, records, files, min_procs=1024, min_bytes=500 * MIB):
    """Runs of the project study with their characteristics."""
    per_run = runs.join(sums(parts(files), ["run"], ["read", "written"]).set_index("run")).fillna({"read": 0, "written": 0})
    chosen = per_run[(per_run.nprocs >= min_procs) & (per_run.read + per_run.written >= min_bytes) & (per_run.project != "(unknown)")]
    speed = throughput(records).reindex(chosen.index)
    lowest = records[records.module.isin(["POSIX", "STDIO"])].groupby("run")[["meta_s", "read_s", "write_s"]].sum().reindex(chosen.index)
    posix = records[records.module == "POSIX"].groupby("run")[POSIX].sum().reindex(chosen.index)
    accesses = posix.POSIX_READS + posix.POSIX_WRITES
    accesses = accesses.where(accesses > 0)
    count = files.groupby("run").size().reindex(chosen.index)
    written = files[files.written + files.stream_written > 0].groupby("run").size().reindex(chosen.index).fillna(0)
    table = pandas.DataFrame({
        "project": chosen.project, "nodes": chosen.nodes, "jobid": chosen.jobid, "nprocs": chosen.nprocs,
        "mib_per_s_per_node": speed.moved / MIB / speed.slowest_s / chosen.nodes,
        "metadata_share": lowest.meta_s / lowest.sum(axis=1),
        "files_per_process": count / chosen.nprocs,
        "files_written_per_process": written / chosen.nprocs,
        "sequential_share": (posix.POSIX_SEQ_READS + posix.POSIX_SEQ_WRITES) / accesses,
        "aligned_share": 1 - posix.POSIX_FILE_NOT_ALIGNED / accesses,
        "mib_per_process": (chosen.read + chosen.written) / MIB / chosen.nprocs,
        "io_share_of_runtime": speed.slowest_s / chosen.runtime_s,
    })
    return pandas.concat([table, posix], axis=1)


CHARACTERISTICS = ["mib_per_s_per_node", "metadata_share", "files_per_process", "files_written_per_process", "sequential_share",
                   "aligned_share", "mib_per_process", "io_share_of_runtime"]


def project_study(large, order):
    """Figures 10 and 11, Tables V and VII; projects in the order of their bytes."""
    tenth, eleventh, fifth = [], [], []
    for project in [name for name in order if name in set(large.project)]:
        own = large[large.project == project]
        counts = lambda kind: [own[f"POSIX_SIZE_{kind}_{size}"].sum() for size in SIZES]
        tenth.append({"project": project, "read": counts("READ"), "write": counts("WRITE")})
        speed = own.mib_per_s_per_node
        low, q1, median, q3, high = speed.quantile([0, 0.25, 0.5, 0.75, 1])
        eleventh.append({"project": project, "runs": len(own), "min": low, "q1": q1, "median": median, "q3": q3, "max": high})
        means = own[CHARACTERISTICS].mean()
        fifth.append({"project": project, "runs": len(own)} | {name: value for name, value in means.items() if not numpy.isnan(value)})
    sizes = large.groupby("project").nodes.nunique()
    most = next((name for name in order if sizes.get(name) == sizes.max()), None)
    by_nodes = large[large.project == most].groupby("nodes").mib_per_s_per_node.agg(["size", "mean"])
    seventh = [{"nodes": nodes, "runs": row["size"], "mib_per_s_per_node": row["mean"]} for nodes, row in by_nodes.iterrows()]
    return {"Fig 10": {"projects": tenth}, "Fig 11": {"projects": eleventh}, "Table V": {"rows": fifth},
            "Table VII": {"project": most, "rows": seventh}, "Table VI": single_runs(large, order)}


def single_runs(large, order):
    """Table VI, but for which runs are shown: all of the project that moves most bytes."""
    first = next((name for name in order if name in set(large.project)), None)
    own = large[large.project == first]
    columns = {"jobid": "job_id", "nprocs": "processes"}
    return {"project": first, "rows": own[["jobid", "nprocs", "mib_per_s_per_node", "metadata_share"]].rename(columns=columns).to_dict("records")}


def applications(runs, jobs, records):
    """All that logs and the scheduler tell."""
    runs = matched(runs, jobs)
    files = used_files(runs, records)
    second, third = size_bins(runs, records, files)
    moved = parts(files).merge(runs[["project"]], left_on="run", right_index=True)
    by_project = moved.groupby("project")[["read", "written"]].sum()
    by_project = by_project.assign(bytes=by_project.sum(axis=1)).sort_values("bytes", ascending=False)
    known = by_project.drop(index="(unknown)", errors="ignore")
    opened = records[records.opens > 0].assign(interface=records.module.map(INTERFACE)).merge(runs[["project"]], left_on="run", right_index=True)
    instrumented = jobs.index.isin(runs.job.dropna().astype(int))
    covered = jobs.assign(instrumented=instrumented, own_hours=jobs.core_hours.where(instrumented, 0.0))
    coverage = covered.groupby("project").agg(jobs_instrumented=("instrumented", "sum"), jobs=("id", "size"),
                                              core_hours_instrumented=("own_hours", "sum"), core_hours=("core_hours", "sum"))
    letters = lambda project: ",".join(LETTERS[name] for name in NAMES if name in set(opened[opened.project == project].interface))
    order = [name for name in known.index if known.bytes[name] > 0]
    rows = [{"project": project} | coverage.loc[project].to_dict() | {"apis": letters(project)}
            for project in order + sorted(set(coverage.index) - set(order))]
    total = coverage.sum().to_dict()
    total |= {"projects_instrumented": int((coverage.jobs_instrumented > 0).sum()), "projects": len(coverage),
              "job_share": total["jobs_instrumented"] / total["jobs"], "core_hour_share": total["core_hours_instrumented"] / total["core_hours"]}
    count = files.groupby("run").size().reindex(runs.index).fillna(0).astype(int)
    points = runs.assign(files=count).groupby(["project", "nprocs", "files"]).size()
    result = {
        "study": {"runs": len(runs), "batch_jobs": len(jobs), "matched_runs": int(runs.job.notna().sum()), "unmatched_runs": int(runs.job.isna().sum())},
        "Fig 2": second, "Fig 3": third,
        "Fig 4": {"projects": [{"project": name, "bytes_read": row.read, "bytes_written": row.written} for name, row in known.head(10).iterrows()]},
        "Table II": {"rows": rows, "total": total},
        "Fig 5": {"zero_file_runs": int((count == 0).sum()),
                  "points": [{"project": key[0], "processes": key[1], "files": key[2], "runs": n} for key, n in points.items()]},
    }
    return result | project_study(large_runs(runs, records, files), list(known.index))


# ---- servers


IDLE = [(1, 1), (2, 5), (6, 10), (11, 20), (21, 30), (31, 40), (41, 50), (51, 60), (61, None)]


def devices(folder):
    """Figures 6 and 7, Table III. Every row lasts 60 seconds; time without rows was not observed."""
    rows = pandas.concat([pandas.read_csv(path) for path in sorted(pathlib.Path(folder).glob("*.csv"))])
    series = rows.groupby("timestamp")[["read_bytes_per_s", "write_bytes_per_s"]].sum().sort_index()
    read, write = series.read_bytes_per_s.astype(float), series.write_bytes_per_s.astype(float)
    both, step = read + write, numpy.diff(series.index)
    observed = 60.0 * len(series)
    moved = {"bytes_read": 60 * read.sum(), "bytes_written": 60 * write.sum()}
    gaps = [{"from": int(series.index[at]) + 60, "to": int(series.index[at + 1])} for at in numpy.flatnonzero(step > 60)]
    peak = both.max()
    by_day = pandas.DataFrame({"day": series.index // 86400 * 86400, "bytes_read": 60 * read.values, "bytes_written": 60 * write.values, "observed_s": 60.0})
    days = by_day.groupby("day").sum().reset_index().to_dict("records")
    idle = (both < 0.05 * peak).to_numpy()
    # A period ends where a minute is not idle or time is missing.
    begins = idle & ~numpy.concatenate([[False], idle[:-1] & (step == 60)])
    lengths = pandas.Series(numpy.cumsum(begins)[idle]).value_counts()
    rows = []
    for low, high in IDLE:
        own = lengths[(lengths >= low) & (lengths <= (high or numpy.inf))]
        rows.append({"low": low, "high": high, "count": len(own), "minutes": own.sum(), "share": own.sum() / len(series)})
    silent = int((both == 0).sum())
    return {
        "Fig 6": {"interval_s": 60, "intervals": len(series), "observed_s": observed, "peak_read": read.max(), "peak_write": write.max(), **moved,
                  "read_share": read.sum() / both.sum(), "bytes_read_per_day": moved["bytes_read"] / observed * 86400,
                  "bytes_written_per_day": moved["bytes_written"] / observed * 86400, "gaps": gaps, "days": days},
        "Fig 7": {"intervals": len(series), "mean": both.mean(), "peak": peak, "share_below_third": (both < 0.33 * peak).mean(),
                  "sorted": numpy.sort(both.to_numpy())},
        "Table III": {"peak": peak, "threshold": 0.05 * peak, "observed_minutes": len(series), "rows": rows, "idle_share": idle.mean(),
                      "strict_idle_intervals": silent, "strict_idle_share": silent / len(series), "longest_minutes": lengths.max()},
    }


# ---- contents


def snapshot(path):
    return json.loads(pathlib.Path(path).read_text().splitlines()[0])


def histogram(bins):
    frame = pandas.DataFrame(bins, columns=["low", "count", "bytes"]).astype(float)
    return frame.assign(high=frame.low.where(frame.low > 0, 0.5) * 2)


def below(frame, limit, column="count"):
    return frame[frame.high <= limit][column].sum() / frame[column].sum()


def popular(frame):
    row = frame.loc[frame["count"].idxmax()]
    return {"low": row.low, "high": row.high, "count": row["count"]}


def spread(frame, suffix=""):
    """Bins with shares of all that lies in them and below."""
    total = frame[["count", "bytes"]].cumsum() / frame[["count", "bytes"]].sum()
    return [{f"low{suffix}": row.low, f"high{suffix}": row.high, "count": row["count"], "bytes": row.bytes,
             "cumulative_count": total["count"][at], "cumulative_bytes": total["bytes"][at]} for at, row in frame.iterrows()]


def contents(before, after):
    """Figures 8 and 9, Table IV."""
    sizes = histogram(after["histograms"]["size"]["bins"])
    held = {project["name"]: project for project in after["projects"]}
    one = max(held, key=lambda name: held[name]["share"][0])
    own = histogram(held[one]["sizes"]["bins"]).set_index("low")
    rest = sizes.set_index("low")
    rest = rest.assign(**{column: rest[column] - own[column].reindex(rest.index).fillna(0) for column in ("count", "bytes")})
    rest = rest[rest["count"] > 0].reset_index()
    eighth = {
        "files": after["kinds"][0], "bytes": after["bytes"], "largest": after["histograms"]["size"]["most"], "most_popular": popular(sizes),
        "share_below_1mib": below(sizes, MIB), "share_below_2mib": below(sizes, 2 * MIB), "share_below_128mib": below(sizes, 128 * MIB),
        "histogram": spread(sizes),
        "without": {"project": one, "files": rest["count"].sum(), "most_popular": popular(rest), "share_below_1mib": below(rest, MIB),
                    "histogram": spread(rest)},
    }
    access, change = (histogram(after["histograms"][name]["bins"]) for name in ("access_age_days", "modification_age_days"))
    recent = lambda frame, days: {"files": below(frame, days), "bytes": below(frame, days, "bytes")}
    ninth = {"access": spread(access, "_days"), "modification": spread(change, "_days"), "accessed_32_days": recent(access, 32),
             "accessed_64_days": recent(access, 64), "modified_64_days": recent(change, 64)}
    return {"Fig 8": eighth, "Fig 9": ninth, "Table IV": growth(before, after)}


def growth(before, after):
    totals = [{"total": (shot["kinds"][0], shot["bytes"])} | {project["name"]: (project["share"][0], project["share"][2]) for project in shot["projects"]}
              for shot in (before, after)]
    grown = [totals[1]["total"][at] - totals[0]["total"][at] for at in (0, 1)]
    rows = []
    for name in totals[1]:
        (files, size), (more, larger) = totals[0].get(name, (0, 0)), totals[1][name]
        rows.append({"name": name, "bytes_before": size, "bytes_after": larger, "bytes_change": larger / size - 1, "files_before": files,
                     "files_after": more, "files_change": more / files - 1, "share_of_new_files": (more - files) / grown[0],
                     "share_of_new_bytes": (larger - size) / grown[1]})
    seconds = after["ended"] - before["ended"]
    reached = lambda at, limit: after["ended"] + (limit - totals[1]["total"][at]) / grown[at] * seconds
    return {"before": before["ended"], "after": after["ended"], "rows": rows, "files_limit_at": reached(0, 1e9),
            "bytes_limit_at": reached(1, after["room"][0])}


def study(folder):
    """Everything."""
    folder = pathlib.Path(folder)
    runs, records = read_logs(folder / "logs")
    found = applications(runs, read_jobs(folder / "jobs.txt"), records)
    found |= devices(folder / "devices")
    return found | contents(snapshot(folder / "january.snap"), snapshot(folder / "march.snap"))

"""The study store against SQLite and DuckDB: how fast logs go in, and two aggregates over many rows.

SQLite has the same rows loaded natively; DuckDB reads the same Parquet files. Ratios are ours to theirs.
"""

import gzip
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

import duckdb

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("MARIGRAPH", str(ROOT / "target/release/marigraph"))
DATA = pathlib.Path(os.environ.get("MARIGRAPH_DATA", ROOT / "../shared/data"))
LOGS, JOBS, FILES = (int(os.environ.get(name, usual)) for name, usual in
                     [("LOGS", 6481), ("JOBS", 500_000), ("FILES", 10_000_000)])
BY_EXE = "select exe, count(*), sum(bytes_written) from jobs group by exe order by 3 desc limit 10"
BY_PATH = "select path, count(*), sum(bytes_written) from files group by path order by 3 desc limit 10"


def seconds(work, times=3):
    """The best of a few."""
    best = float("inf")
    for _ in range(times):
        begun = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begun)
    return best


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def ingest(work):
    logs = work / "logs"
    logs.mkdir()
    # Of the age of the Intrepid study: file records, neither operations nor heat maps.
    old = sorted((DATA / "darshan2").glob("*2.2.0*.gz"))
    print("ingest of Darshan 2 logs" if old else "ingest of logs with operations, for want of older ones in MARIGRAPH_DATA")
    one = gzip.decompress(old[0].read_bytes()) if old else (ROOT / "testdata/darshan/small.darshan").read_bytes()
    for number in range(LOGS):
        # What follows the log's end makes each one another content.
        (logs / f"{number}.darshan").write_bytes(one + number.to_bytes(8, "little"))
    begun = time.perf_counter()
    run("ingest", logs, "--into", work / "study", "--quiet")
    taken = time.perf_counter() - begun
    print(f"ingest: {LOGS} logs in {taken:.2f} s, {LOGS / taken:.0f} logs/s")


def made_study(work):
    """A study of made-up rows, written by DuckDB as one part per table and committed by hand."""
    study = work / "made"
    for folder in ["commits", "pending", "replaced", "jobs", "files"]:
        (study / folder).mkdir(parents=True)
    key = "printf('%032x', i)"
    duckdb.sql(f"""copy (select {key} as job_key, i as job_id, 1000 + i % 997 as uid,
        '/apps/bin/app' || (i * 7919 % 2003) as exe, i * 104729 % 1000000007 as bytes_written
        from range({JOBS}) t(i)) to '{study}/jobs/jobs-0.parquet' (format parquet, compression zstd, row_group_size 262144)""")
    duckdb.sql(f"""copy (select printf('%032x', i // 20) as job_key, i // 20 as job_id,
        '/scratch/project' || (i * 31 % 5003) || '/out.dat' as path, ['POSIX','MPI-IO','STDIO'][1 + i % 3] as module,
        i * 104729 % 1000000007 as bytes_written
        from range({FILES}) t(i)) to '{study}/files/files-0.parquet' (format parquet, compression zstd, row_group_size 262144)""")
    parts = ",".join(f'{{"table":"{table}","file":"{table}-0.parquet","rows":{rows},"bytes":1}}'
                     for table, rows in [("jobs", JOBS), ("files", FILES)])
    (study / "commits/0.json").write_text(f'{{"version":1,"saw":[],"replaces":[],"parts":[{parts}]}}')
    return study


def loaded(study):
    """The same rows in SQLite."""
    connection = sqlite3.connect(":memory:")
    for table in ["jobs", "files"]:
        found = duckdb.connect().execute(f"select * from '{study}/{table}/*.parquet'")
        columns = ", ".join(f"{name} {'text' if 'STRING' in str(kind) else 'integer'}"
                            for name, kind, *_ in found.description)
        connection.execute(f"create table {table} ({columns})")
        marks = ", ".join("?" * len(found.description))
        while rows := found.fetchmany(100_000):
            connection.executemany(f"insert into {table} values ({marks})", rows)
    return connection


def main():
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        ingest(work)
        study = made_study(work)
        lite = loaded(study)
        for query, table, rows in [(BY_EXE, "jobs", JOBS), (BY_PATH, "files", FILES)]:
            over_files = query.replace(f"from {table}", f"from '{study}/{table}/*.parquet'")
            # Whole process against a connection that is there already.
            ours = seconds(lambda: run("sql", study, query, "--format", "csv"))
            sqlite = seconds(lambda: lite.execute(query).fetchall())
            duck = seconds(lambda: duckdb.sql(over_files).fetchall())
            answer = [tuple(line.split(",")) for line in run("sql", study, query, "--format", "csv").splitlines()[1:]]
            assert answer == [tuple(map(str, row)) for row in lite.execute(query).fetchall()], table
            print(f"{rows} rows of {table}: {ours:.3f} s; SQLite {sqlite:.3f} s (ratio {ours / sqlite:.2f}), "
                  f"DuckDB {duck:.3f} s (ratio {ours / duck:.2f})")


if __name__ == "__main__":
    sys.exit(main())

"""A study as other programs see it: its Parquet files read as they are, and two ingests at once, one killed.

Needs pandas, pyarrow, polars and duckdb in .venv (scripts/install.sh).
"""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import duckdb
import pandas
import polars
import pyarrow.parquet

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("MARIGRAPH", str(ROOT / "target/release/marigraph"))
SEED = 5


def marigraph(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def ask(study, query):
    return json.loads(marigraph("sql", study, query, "--format", "json"))


def make_logs(folder, count):
    """Tables of operations: each a log of its own."""
    folder.mkdir()
    for number in range(count):
        lines = ["rank,start,end,bytes,op,file,offset"]
        for step in range(20):
            for rank in range(2):
                at = step * 10 + rank * 0.1
                lines.append(f"{rank},{at},{at + 1},{1000 + number},write,/out/{number}.{rank},{step * 5000}")
        (folder / f"{number:04}.csv").write_text("\n".join(lines) + "\n")


def check_readers(study):
    """pandas, pyarrow, Polars and DuckDB see the rows that our own SQL sees."""
    for table in ["jobs", "files", "counters", "operations", "phases", "categories"]:
        rows = ask(study, f"select count(*) as n from {table}")[0]["n"]
        folder = study / table
        if rows == 0:
            assert not list(folder.glob("*.parquet")), table
            continue
        frame = pandas.read_parquet(folder)
        columns = list(frame.columns)
        assert len(frame) == rows, (table, len(frame), rows)
        assert pyarrow.parquet.read_table(folder).num_rows == rows
        lazy = polars.read_parquet(f"{folder}/*.parquet")
        assert lazy.height == rows and lazy.columns == columns
        assert duckdb.sql(f"select count(*) from '{folder}/*.parquet'").fetchall()[0][0] == rows
    ours = ask(study, "select exe, count(*) as n, sum(bytes_written) as b from jobs group by exe order by b desc, exe")
    query = f"select exe, count(*), sum(bytes_written) from '{study}/jobs/*.parquet' group by exe order by 3 desc, 1"
    theirs = duckdb.sql(query.replace(" order by 3 desc, 1", " order by 3 desc, 1 nulls first")).fetchall()
    assert [(row["exe"], row["n"], row["b"]) for row in ours] == [(e, n, int(b)) for e, n, b in theirs]
    exported = study.parent / "answer.parquet"
    marigraph("sql", study, "select job_id, exe, runtime_s from jobs", "--format", "parquet", "-o", exported)
    assert len(pandas.read_parquet(exported)) == sum(row["n"] for row in ours)


def check_kills(work, logs, count, rounds):
    """Two ingests of the same logs at once; one is killed at a random moment. Nothing is lost, torn or double."""
    dice = random.Random(SEED)
    undisturbed = None
    for turn in range(rounds):
        study = work / f"kills-{turn}"
        begun = time.monotonic()
        command = [PROGRAM, "ingest", str(logs), "--into", str(study), "--quiet", "--threads", "1"]
        victim = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        other = subprocess.Popen(command, stderr=subprocess.PIPE)
        if undisturbed is not None:
            time.sleep(dice.uniform(0, undisturbed))
            victim.send_signal(signal.SIGKILL)  # our own child
        victim.wait()
        _, complaint = other.communicate()
        assert other.returncode == 0, complaint
        if undisturbed is None:
            undisturbed = time.monotonic() - begun
        found = ask(study, "select count(*) as n, count(distinct job_key) as d, sum(bytes_written) as b from (select * from jobs)")[0]
        expected = {"n": count, "d": count, "b": sum((1000 + number) * 40 for number in range(count))}
        assert found == expected, (turn, found, expected)
        assert ask(study, "select count(*) as n from files")[0]["n"] == 2 * count, turn
        # What was killed can be run again, and adds what is missing: nothing.
        again = json.loads(marigraph("ingest", logs, "--into", study, "--json"))
        told = {name: again[name] for name in ("added", "already_there", "skipped", "rows")}
        assert told == {"added": 0, "already_there": count, "skipped": {}, "rows": {}}, again
        for part in (study / "jobs").glob("*.parquet"):
            pyarrow.parquet.read_table(part)
        shutil.rmtree(study)


def main():
    rounds = 40 if os.environ.get("MARIGRAPH_LONG") else 12
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        make_logs(work / "logs", 200)
        study = work / "study"
        added = json.loads(marigraph("ingest", work / "logs", ROOT / "testdata/darshan", "--into", study, "--json"))
        assert added["added"] >= 200, added
        check_readers(study)
        check_kills(work, work / "logs", 200, rounds)
    print(f"read by pandas, pyarrow, Polars and DuckDB; {rounds - 1} kills beside another ingest: nothing lost or double")


if __name__ == "__main__":
    sys.exit(main())

"""What the parallel aggregate of `sql` saves against SQLite over the same study.

A comment at the end of a query sends it to SQLite alone, over virtual tables. The study is one of `synth system`
(JOBS batch jobs; 75000 give 22,000 logs, 800,000 rows of files and as many counters).
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("MARIGRAPH", str(ROOT / "target/release/marigraph"))
JOBS = os.environ.get("JOBS", "75000")
QUERIES = [
    "select exe, count(*), sum(bytes_written) from jobs group by exe order by 3 desc limit 10",
    "select count(*), sum(bytes_read), max(runtime_s) from jobs where nprocs > 1024",
    "select account, count(*), sum(core_hours) from joblog group by account order by 3 desc, 1 limit 10",
    "select path, count(*), sum(bytes_written) from files group by path order by 3 desc, 1 limit 10",
    "select module, count(*), sum(bytes_read), sum(bytes_written) from files group by module order by 1",
    "select module, name, count(*), max(value) from counters group by module, name order by 4 desc, 2, 1 limit 20",
    "select device, sum(bytes_read), sum(bytes_written) from devices group by device order by 1",
]


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def best(study, query):
    """The best of five runs in milliseconds, and the number of rows that they give."""
    taken = []
    for _ in range(5):
        begun = time.perf_counter()
        answer = run("sql", study, query, "--format", "csv")
        taken.append(1000 * (time.perf_counter() - begun))
    return min(taken), len(answer.splitlines()) - 1


def main():
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        run("synth", "system", "--jobs", JOBS, "--quiet", "-o", work / "system")
        run("ingest", work / "system", "--into", work / "study", "--quiet")
        for query in QUERIES:
            (quick, rows), (general, same) = best(work / "study", query), best(work / "study", query + " --")
            assert rows == same, query
            print(f"{quick:7.1f} ms, SQLite {general:7.1f} ms (ratio {general / quick:5.1f}): {query}")


if __name__ == "__main__":
    sys.exit(main())

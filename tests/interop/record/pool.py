"""A pool, shared files, subprocesses, threads, temporary files: what scripts do."""
import concurrent.futures
import fcntl
import multiprocessing
import os
import subprocess
import sys
import tempfile


def work(number):
    with open("shared.bin", "r+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX, 100, number * 100)
        file.seek(number * 100)
        file.write(bytes([number]) * 100)
    with open("log.txt", "a") as file:
        file.write(f"{number}\n")
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"x" * 1000)
    text = subprocess.run(["sh", "-c", f"echo {number} | cat"], capture_output=True, text=True).stdout
    return int(text) * number


def count(number):
    return os.path.getsize("shared.bin") + number


if __name__ == "__main__":
    with open("shared.bin", "wb") as file:
        file.truncate(6400)
    for way in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(way).Pool(4) as pool:
            print(way, sum(pool.map(work, range(64 if way == "fork" else 8))))
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        print(sum(threads.map(count, range(100))))
    with open("log.txt") as file:
        numbers = sorted(map(int, file))
    with open("log.txt", "w") as file:
        file.write("\n".join(map(str, numbers)))
    os.system("echo from the shell")
    print("bad", file=sys.stderr)
    child = os.fork()
    if child == 0:
        os._exit(3)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    sys.exit(5)

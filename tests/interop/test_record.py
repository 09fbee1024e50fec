"""`marigraph record` of real programs: no harm, all calls, all platforms, one log that others read.

Every program runs twice, alone and recorded, and must print, end and write alike. What was recorded is
compared with what the program says of itself. Programs that are not installed are left out, loudly.

Variables: MARIGRAPH (the program), PEERS (a folder with ior-ompi, ior-mpich, apps; default: beside the project), DARSHAN_PARSER,
DARSHAN_DXT_PARSER, MARIGRAPH_LONG=1 (also what takes long). Words on the command line choose sections:
harm edges coverage platforms hosts ranks readers speed.
"""
import collections
import filecmp
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MARIGRAPH = pathlib.Path(os.environ.get("MARIGRAPH", ROOT / "target/release/marigraph")).resolve()
PEERS = pathlib.Path(os.environ.get("PEERS", ROOT.parent / "peers"))
PROGS = ROOT / "crates/recorder/tests/progs"
LONG = bool(os.environ.get("MARIGRAPH_LONG"))
ENV = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", LC_ALL="C.UTF-8")
OPEN_MPI = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"]
MPICH = ["mpirun.mpich"]
# What `record` says of itself; a program's own words must be the rest.
OURS = re.compile(r"^(note|hint|warning): .*\n", re.M)

passed = failed = skipped = 0
work = bins = pathlib.Path()


def check(name, condition, detail=""):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
    text = str(detail).strip()
    print(f"{'ok' if condition else 'FAILED'}: {name}" + (f": {text}" if text else ""), flush=True)
    return condition


def skip(what):
    global skipped
    skipped += 1
    print(f"SKIPPED: {what} (1 checks)", flush=True)


def have(*programs):
    """Whether all are there; says which are not."""
    missing = [str(name) for name in programs if not shutil.which(str(name))]
    if missing:
        skip(f"{', '.join(missing)} not installed")
    return not missing


def fresh(name):
    folder = work / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def run(command, cwd, env=None, timeout=120, **more):
    if isinstance(command, str):
        command = ["sh", "-c", command]
    if "input" not in more:
        more["stdin"] = subprocess.DEVNULL
    return subprocess.run(
        list(map(str, command)), cwd=cwd, env=dict(ENV, **(env or {})), capture_output=True, timeout=timeout, **more
    )


def record(command, cwd, *flags, name=None, **more):
    """Runs it recorded; gives the run and the path of what was written, without ending."""
    if isinstance(command, str):
        command = ["sh", "-c", command]
    name = name or work / "log" / "run"
    shutil.rmtree(name.parent, ignore_errors=True)
    name.parent.mkdir(parents=True)
    return run([MARIGRAPH, "record", "-o", name, *flags, "--", *command], cwd, **more), name


def marigraph(*arguments, **more):
    return subprocess.run([str(MARIGRAPH), *map(str, arguments)], capture_output=True, text=True, errors="surrogateescape", env=ENV, **more)


def show(path):
    result = marigraph("show", "--json", path)
    return json.loads(result.stdout) if result.returncode == 0 else {"problems": [result.stderr]}


def counters(log):
    """{(module, file): {counter: value, summed over ranks}} as darshan-parser prints them."""
    out = collections.defaultdict(lambda: collections.defaultdict(float))
    for line in marigraph("show", "--darshan-parser", log).stdout.splitlines():
        fields = line.split("\t")
        if len(fields) >= 6 and not line.startswith("#"):
            out[fields[0], fields[5]][fields[3]] += float(fields[4])
    return out


def total(log, counter, pattern=""):
    return int(sum(values.get(counter, 0) for (_, name), values in counters(log).items() if re.search(pattern, name)))


def operations(trace):
    """{operation: calls} of a trace, by its tree."""
    calls = collections.Counter()
    ranks = 1
    for line in marigraph("show", "--tree", trace).stdout.splitlines():
        found = re.match(r"process \d+ thread \d+ on (\d+) ranks", line)
        if found:
            ranks = int(found[1])
        found = re.match(r"  (\S.*?) #\d+(?: failed)?: (\d+) calls", line)
        if found:
            calls[found[1]] += int(found[2]) * ranks
    return calls


def build(source, output, *flags, compiler="cc"):
    result = run([compiler, "-O2", "-w", "-o", bins / output, source, *flags], bins)
    if result.returncode:
        check(f"{source} compiles", False, result.stderr.decode()[-500:])
    return bins / output


def same_files(a, b):
    """What differs between two folders, by name."""
    compared = filecmp.dircmp(a, b, ignore=[])
    out = [f"only in one: {name}" for name in compared.left_only + compared.right_only]
    _, mismatch, errors = filecmp.cmpfiles(a, b, [n for n in compared.common_files if (a / n).is_file()], shallow=False)
    out += [f"differs: {name}" for name in mismatch + errors]
    for name in compared.common_dirs:
        out += [f"{name}/{text}" for text in same_files(a / name, b / name)]
    return out


def alike(name, command, prepare=None, ignore=None, mask=None, wait=120, output=True, flags=(), **more):
    """The check of "no harm": streams, status, files. `mask` hides what differs from run to run."""
    runs = []
    shared = work / "same"  # the same path twice: programs print it
    for which in ("alone", "recorded"):
        shutil.rmtree(shared, ignore_errors=True)
        shared.mkdir()
        if prepare:
            prepare(shared)
        try:
            if which == "alone":
                result = run(command, shared, timeout=wait, **more)
            else:
                result, _ = record(command, shared, *flags, timeout=wait, **more)
        except subprocess.TimeoutExpired:
            return check(name, False, f"{which}: still running after {wait} s")
        kept = fresh(which)
        shutil.rmtree(kept)
        shared.rename(kept)
        for text in ignore or []:
            for path in kept.rglob(text):
                path.unlink() if path.is_file() else shutil.rmtree(path)
        out, err = result.stdout.decode(errors="replace"), result.stderr.decode(errors="replace")
        if which == "recorded":
            err = OURS.sub("", err)
        for pattern in mask or []:
            out, err = re.sub(pattern, "~", out), re.sub(pattern, "~", err)
        runs.append((result.returncode, out, err))
    differences = []
    for what, a, b in zip(("status", "stdout", "stderr"), *runs):
        if a != b and (output or what == "status"):
            differences.append(f"{what}: {str(a)[-300:]!r} and {str(b)[-300:]!r}")
    differences += same_files(work / "alone", work / "recorded")
    return check(name, not differences, "; ".join(differences[:5]) or f"status {runs[0][0]}")


# 1. No harm


def make_project(folder):
    for number in range(30):
        (folder / f"m{number}.h").write_text(f"int f{number}(int);\n")
        (folder / f"m{number}.c").write_text(f'#include <stdio.h>\n#include "m{number}.h"\nint f{number}(int x) {{ printf("%d\\n", x); return x + {number}; }}\n')
    calls = "".join(f"x = f{number}(x);" for number in range(30))
    includes = "".join(f'#include "m{number}.h"\n' for number in range(30))
    (folder / "main.c").write_text(f"{includes}int main(void) {{ int x = 0; {calls} return x != 435; }}\n")
    objects = " ".join(f"m{number}.o" for number in range(30))
    (folder / "Makefile").write_text(
        f"all: main\n\t./main > out.txt\nmain: main.o {objects}\n\tcc -o $@ $^\n%.o: %.c\n\t@cc -O1 -c -o $@ $<\n"
    )


def make_repository(folder):
    source = folder / "source"
    for number in range(200):
        path = source / f"d{number % 10}" / f"f{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{number}\n" * number)
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    dates = {"GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000"}
    for words in (["init", "-q", "-b", "main"], ["add", "."], [*who, "commit", "-q", "-m", "all"]):
        run(["git", *words], source, env=dates)


def many_words(folder):
    (folder / "in.txt").write_text("".join(f"{number * 7919 % 10007} word\n" for number in range(20000)))


def harm():
    alike("a failing command", "echo out; echo err >&2; exit 7")
    for status in (0, 1, 126, 127, 255):
        alike(f"status {status}", f"exit {status}")
    for number in (1, 2, 6, 9, 11, 13, 15, 34):
        alike(f"death by signal {number}", f"ulimit -c 0; kill -{number} $$; sleep 1")
    for command, status in ((["/not/there"], 127), (["not-there-either"], 127), (["/etc"], 126), (["/etc/passwd"], 126)):
        result, _ = record(command, work)
        check(f"{command[0]} cannot start", result.returncode == status and b"cannot start" in result.stderr, f"status {result.returncode}")
    alike("standard input", ["cat"], input=(HERE / "in.lj").read_bytes())
    alike("shell pipeline", "seq 1 20000 | sort -rn > a; tr 0-9 a-j < a | sed s/a/x/ | tee b | wc -l; cat a b 2>&1 | md5sum; (echo x; echo y >&2) > c 2>&1; head -1 a >> c; exec 3> d; echo 3 >&3; yes | head -3")
    alike("sort, tar, gzip", "sort -S 100k -T . in.txt > s; tar cf t.tar --mtime=@0 --owner=0 --group=0 s in.txt; gzip -n -k t.tar; mkdir x; tar xzf t.tar.gz -C x; gzip -d < t.tar.gz | cksum; cp -r x y; dd if=t.tar of=z bs=1000 status=none; mv z w; rm in.txt; find . | sort; truncate -s 5 w; ln -s w l; cat l", prepare=many_words)
    if have("make", "cc"):
        alike("make -j4 of 31 files", ["make", "-j4"], prepare=make_project, mask=[r"(?m)^cc .*$"])
    alike("python pool and subprocesses", [sys.executable, HERE / "record/pool.py"])
    if have("git"):
        alike("git clone of 200 files", "git clone -q source copy; git -C copy log --oneline; git -C copy fsck 2>&1; git -C copy grep -c 199 | head -3", prepare=make_repository, ignore=["index", "config", "logs"])
    for name, command in {
        "perl": ["perl", "-e", 'open(F,">p"); print F "x\\n" x 9999; close F; open(F,"p"); $n++ while <F>; print "$n\\n"; exit 3'],
        "node": ["node", "-e", 'const fs=require("fs"); fs.writeFileSync("n","x".repeat(100000)); fs.promises.readFile("n").then(d=>{console.log(d.length); process.exitCode=4})'],
        "java": ["java", "-version"],
        "sqlite3": ["sqlite3", "db", "create table t(x); insert into t select value from generate_series(1,1000); select count(*) from t; pragma integrity_check;"],
        "file": ["file", "/bin/sh", "/etc/passwd"],
    }.items():
        if have(command[0]):
            alike(name, command, mask=[r"0x[0-9a-f]+"], ignore=["db"])
    program = build(PROGS / "stress.c", "stress", "-pthread")
    for way in ("return", "exit", "_exit", "abort", "kill"):
        alike(f"32 threads that fork, vfork, spawn; ends by {way}", [program, ".", "32", way], preexec_fn=no_core)
    if have("g++"):
        program = build(HERE / "record/throw.cc", "throw", "-pthread", compiler="g++")
        alike("C++ exceptions through streams, death by one", [program], preexec_fn=no_core)
    listing = "ls -l /proc/self/fd | sed 's/.* //' | grep -v ^/proc | sort | sed 's/:.*//'"
    alike("no new descriptors", f"{listing}; exec 5</dev/null; {listing}; python3 -c 'import os; open(\"f\",\"w\").write(\"x\"); print(sorted(os.listdir(\"/proc/self/fd\")))'")
    alike("limits, mask and what is ignored", "grep -E '^(SigBlk|SigCgt|Cap|NoNew|Seccomp)' /proc/self/status; ulimit -a; umask; pwd; cat /proc/self/oom_score_adj; cut -d' ' -f5-8 /proc/self/stat | awk '{print $4}'")
    ignoring()
    odd_folders()
    if have("valgrind"):
        memory_check()
    program = ior("ompi")
    if program and have("mpirun.openmpi"):
        # It prints speeds and times; what it wrote and checked is compared.
        for api in ("POSIX", "MPIIO"):
            alike(f"IOR {api}, 4 ranks", [*OPEN_MPI, "-np", "4", program, "-a", api, "-w", "-r", "-W", "-R", "-k", "-G", "7", "-b", "64k", "-t", "4k", "-s", "4", "-o", "data"], output=False)
    if have("lmp", "mpirun.openmpi"):
        mask = [r"\d+\.\d+(e[+-]\d+)?", r"[\d:.]+%?", r" +"]
        alike("LAMMPS, 4 ranks", [*OPEN_MPI, "-np", "4", "lmp", "-in", HERE / "in.lj"], mask=mask, ignore=["log.lammps"])


def no_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def ior(mpi, name="ior"):
    path = PEERS / f"ior-{mpi}/bin/{name}"
    if path.exists():
        return path
    found = os.environ.get("IOR") if name == "ior" and mpi == "ompi" else None
    if not found:
        skip(f"no {name} with {mpi}: set PEERS" + (" or IOR" if name == "ior" else ""))
    return found


def ignoring():
    """Signals that were ignored stay so, and one that says children end does no harm."""
    command = "grep SigIgn /proc/self/status; exit 3"
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE, signal.SIGCHLD):
        def ignore():
            signal.signal(number, signal.SIG_IGN)
        # 32 and 33 are the C library's own; who is started by posix_spawn has them ignored.
        ignored = [
            (result.returncode, [int(word, 16) & ~(3 << 31) for word in re.findall(r"SigIgn:\s*(\w+)", result.stdout.decode())])
            for result in (run(command, work, preexec_fn=ignore), record(command, work, preexec_fn=ignore)[0])
        ]
        check(f"started with {number.name} ignored", ignored[0] == ignored[1], ignored)


def odd_folders():
    """The loader splits the name of our library at spaces and colons."""
    library = MARIGRAPH.parent / "libmarigraph_recorder.so"
    for name in ("with space", "with:colon", "with$dollar"):
        folder = fresh(name)
        shutil.copy(MARIGRAPH, folder)
        shutil.copy(library, folder)
        result = run([folder / "marigraph", "record", "-o", folder / "out put", "--", "cp", HERE / "in.lj", folder / "copy"], work)
        size = (HERE / "in.lj").stat().st_size
        seen = total(folder / "out put.darshan", "POSIX_BYTES_WRITTEN", "copy$")
        refused = result.returncode == 1 and b"error" in result.stderr
        check(f"installed in a folder {name}", refused or (result.stderr == b"" and seen == size), result.stderr.decode()[:200] or f"{seen} bytes")


def memory_check():
    program = build(HERE / "record/small.c", "small", "-pthread", "-g")
    command = ["valgrind", "-q", "--error-exitcode=77", "--leak-check=full", "--track-origins=yes", "--trace-children=no", program]
    folder = fresh("valgrind")
    plain = run(command, folder)
    result, name = record(command, folder)
    words = OURS.sub("", result.stderr.decode())
    check("valgrind finds nothing in a recorded program", result.returncode == plain.returncode and words == plain.stderr.decode(), words[:600] or f"status {result.returncode}")
    check("and it is recorded", total(f"{name}.darshan", "POSIX_WRITES", "valgrind") == 18000, total(f"{name}.darshan", "POSIX_WRITES", "valgrind"))


# 1b. Programs at the edge of what they are allowed


def edges():
    program = build(HERE / "record/tight.c", "tight", "-pthread")
    cases = {
        "small-stack": "a thread of 16 KiB is the first to make a call",
        "small-stack-after": "a thread of 16 KiB",
        "coroutines": "a coroutine of 16 KiB",
        "alternate": "a handler on a stack of 8 KiB",
        "alternate-after": "the same, after other calls",
        "alternate-least": "a handler on the least stack",
        "storm": "20,000 signals a second whose handler writes",
        "jumps": "jumps out of calls from a handler",
        "cancel": "cancellation of a thread that waits in read and in open",
        "cancel-writers": "cancellation of threads that write",
        "descriptors": "all 64 descriptors used",
        "descriptors-after": "all 64 descriptors used, after a call",
        "sizes": "files limited to 4000 bytes",
        "sizes-100k": "files limited to 100000 bytes",
        "errors": "errno of 45 calls",
        "clones": "children by the bare system call",
    }
    if os.geteuid() == 0:
        cases["elsewhere"] = "no working directory, another root, another user"
    for word, text in cases.items():
        alike(text, [program, word], preexec_fn=no_core, ignore=["storm.handler", "jumps", "cancelled", "elsewhere"], wait=60)
    # What a jump out of the recorder must not do is to end the recording.
    folder = fresh("jumps")
    _, name = record([program, "jumps"], folder)
    seen = total(f"{name}.darshan", "POSIX_WRITES", "jumps.after$")
    check("after jumps from handlers calls are recorded", seen == 100, f"{seen} of 100 writes")
    program = build(HERE / "record/many.c", "many", "-pthread")
    folder = fresh("many")
    result, name = record([program, folder], folder, preexec_fn=many_files)
    log, seen = show(f"{name}.darshan"), total(f"{name}.darshan", "POSIX_WRITES")
    told = "lower bounds" in result.stderr.decode() or "missing" in result.stderr.decode()
    kept = bool(log["problems"]) or any(module["partial"] for module in log.get("modules", []))
    check("1500 threads at once", result.stdout == b"done\n" and result.returncode == 0, f"{seen} of 150000 writes recorded")
    check("what is missing is said, and in the log", seen == 150000 or (told and kept), f"{result.stderr.decode().strip()}; in the log: {log['problems']}")
    sanitizers()
    full_disk(build(HERE / "record/tight.c", "tight", "-pthread"))


def many_files():
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))


def sanitizers():
    """Their runtimes want to come first in the list of libraries."""
    for name in ("address", "undefined", "thread"):
        probe = run(["cc", f"-fsanitize={name}", "-g", "-w", "-pthread", "-o", bins / name, HERE / "record/small.c"], bins)
        if probe.returncode or run([bins / name], fresh("sanitized")).returncode:
            skip(f"-fsanitize={name} does not work here")
            continue
        alike(f"a program built with -fsanitize={name}", [bins / name])


def full_disk(program):
    folder = fresh("full")
    if os.geteuid() != 0 or run(["mount", "-t", "tmpfs", "-o", "size=200k", "none", folder], work).returncode:
        return skip("no right to mount a small file system")
    try:
        for left in (200, 100, 8, 0):
            if left < 200:
                run(f"head -c {(200 - left) * 1024} /dev/zero > fill", folder)
            data = fresh("full-data")
            result = run([MARIGRAPH, "record", "-o", work / "log/full", "--parts", folder / "parts", "--", program, "errors"], data)
            check(f"{left} KiB left for the parts: the program does not notice", result.returncode == 0 and b"closedir" in result.stdout, f"status {result.returncode}")
    finally:
        run(["umount", folder], work)


# 2. Coverage


QUEUES = ("libaio", "posixaio", "io_uring")


def fio(engine, way, folder, *more):
    command = ["fio", "--name=job", f"--directory={folder}", f"--rw={way}", "--bs=4k", "--size=1m", f"--ioengine={engine}", "--numjobs=2", f"--iodepth={4 if engine in QUEUES else 1}", "--fallocate=none", "--output-format=json", *more]
    if way == "read":
        for job in range(2):
            (folder / f"job.{job}.0").write_bytes(bytes(1 << 20))
    result, name = record(command, folder, "--trace")
    text = result.stdout.decode()
    said = json.loads(text[text.index("{"):])["jobs"]
    sums = [sum(job[kind][what] for job in said) for kind in ("read", "write") for what in ("total_ios", "io_bytes")]
    return result, name, sums


def rings():
    """Bytes of io_uring, with completions seen and not."""
    program, folder = build(PROGS / "uring_raw.c", "uring_raw"), fresh("rings")
    if run([program, "raw.dat"], folder).returncode:
        return skip("this kernel gives no io_uring")
    for words in ([], ["call", "exit"]):
        _, name = record([program, "raw.dat", *words], folder)
        ours = [total(f"{name}.darshan", f"POSIX_{what}", r"/raw\.dat$") for what in ("WRITES", "BYTES_WRITTEN")]
        check(f"io_uring {' '.join(words)}: calls and bytes", ours == [64, 64 * 4096], f"{ours}")


def coverage():
    if have("fio"):
        for engine in ("psync", "vsync", "pvsync2", "libaio", "posixaio"):
            for way in ("write", "read"):
                folder = fresh("fio")
                _, name, said = fio(engine, way, folder)
                ours = [total(f"{name}.darshan", f"POSIX_{what}", r"/job\.\d") for what in ("READS", "BYTES_READ", "WRITES", "BYTES_WRITTEN")]
                check(f"fio {engine} {way}: calls and bytes as fio says", ours == said, f"{said} and {ours}")
                totals = show(f"{name}.mari").get("totals", {})
                kind = "read" if way == "read" else "write"
                ops = operations(f"{name}.mari")
                printed = total(f"{name}.darshan", "STDIO_WRITES")
                check(f"fio {engine} {way}: the trace has them", totals.get(f"{kind}s", 0) - (printed if kind == "write" else 0) == said[0 if way == "read" else 2], f"{totals.get(kind + 's')}, {printed} printed; {dict(ops.most_common(4))}")
        folder = fresh("fio")
        _, name, said = fio("mmap", "write", folder, "--fsync=16")
        ops = operations(f"{name}.mari")
        maps = total(f"{name}.darshan", "POSIX_MMAPS", r"/job\.\d")
        # 256 writes per job: strace, too, sees 15 msync of each.
        check("fio mmap: maps and msync are counted", maps == 2 and ops["msync"] == 30, f"{maps} maps, {ops['msync']} msync; fio says {said[2]} writes")
        folder = fresh("fio")
        result, name, said = fio("io_uring", "write", folder)
        ops = operations(f"{name}.mari")
        noted = [problem for problem in show(f"{name}.darshan")["problems"] if "ring" in str(problem)] or re.findall(r".*ring.*", result.stderr.decode())
        detected = ops["io_uring_setup"]
        check("fio io_uring: rings are seen", detected == 2, f"{ {op: n for op, n in ops.items() if 'uring' in op} } of {said[2]} writes")
        check("fio io_uring: what could not be read is said", bool(noted), noted or "no problem says that bytes are missing")
    rings()
    mdtest()
    folder = fresh("copies")
    (folder / "in").write_bytes(os.urandom(1 << 20))
    script = "import os\na=os.open('in',os.O_RDONLY); b=os.open('out',os.O_CREAT|os.O_WRONLY)\nn=0\nwhile True:\n  k=os.sendfile(b,a,None,100000)\n  if not k: break\n  n+=k\nprint(n)"
    result, name = record([sys.executable, "-c", script], folder, "--trace")
    moved = [total(f"{name}.darshan", f"POSIX_{what}", f"/{end}$") for what, end in (("BYTES_READ", "in"), ("BYTES_WRITTEN", "out"))]
    check("sendfile", moved == [1 << 20] * 2, f"{moved}, {operations(f'{name}.mari')['sendfile']} calls")
    result, name = record(["cp", "in", "copy"], folder, "--trace")
    moved = [total(f"{name}.darshan", f"POSIX_{what}", f"/{end}$") for what, end in (("BYTES_READ", "in"), ("BYTES_WRITTEN", "copy"))]
    ops = operations(f"{name}.mari")
    if ops["copy_file_range"] == 0:
        skip(f"this cp does not use copy_file_range here: {dict(ops)}")
    check("cp: bytes on both sides", moved == [1 << 20] * 2, f"{moved}, {ops['copy_file_range']} copy_file_range")
    result, name = record("cat in > redirected; cat < in | wc -c", folder, "--trace")
    seen = total(f"{name}.darshan", "POSIX_BYTES_WRITTEN", "redirected$")
    check("redirections of a shell: writes to what it opened", seen == 1 << 20, f"{seen} bytes of {1 << 20} by cat > redirected")
    if have("g++"):
        program = build(HERE / "record/throw.cc", "throw", "-pthread", compiler="g++")
        result, name = record([program], folder, "--trace", preexec_fn=no_core)
        size = sum((folder / f"thrown.{number}").stat().st_size for number in range(4))
        seen = [sum(total(f"{name}.darshan", f"{module}_{what}", "thrown") for module in ("POSIX", "STDIO")) for what in ("BYTES_WRITTEN", "BYTES_READ")]
        check("C++ streams", seen == [size, size], f"{seen} of {size}")
    names(folder)
    if have("mpirun.openmpi"):
        folder = fresh("hdf5")
        if run(["/usr/bin/python3", "-c", "import mpi4py.MPI, h5py._debian_h5py_mpi"], folder).returncode == 0:
            result, name = record([*OPEN_MPI, "-np", "4", "/usr/bin/python3", HERE / "record/h5dump.py", "4"], folder)
            size = 4 * 4 * 65536 * 8
            have_modules = [module["name"] for module in show(f"{name}.darshan").get("modules", [])]
            seen = {counter: total(f"{name}.darshan", counter, "state.h5") for counter in ("H5D_BYTES_WRITTEN", "MPIIO_BYTES_WRITTEN", "POSIX_BYTES_WRITTEN")}
            check("h5py with MPI", result.returncode == 0 and "H5D" in have_modules and seen["H5D_BYTES_WRITTEN"] == size and seen["POSIX_BYTES_WRITTEN"] >= size, f"{have_modules} {seen} of {size} {result.stderr.decode()[-200:]}")
        else:
            skip("h5py with MPI is not installed for /usr/bin/python3")
        tpr = PEERS / "apps/gmx/topol.tpr"
        if not tpr.exists():
            skip("GROMACS: there is no apps/gmx/topol.tpr in PEERS")
        elif have("gmx_mpi"):
            folder = fresh("gmx")
            result, name = record([*OPEN_MPI, "-np", "2", "gmx_mpi", "-quiet", "mdrun", "-s", tpr, "-deffnm", "run", "-ntomp", "1", "-cpt", "0.01"], folder)
            wrong = [f"{path.name}: {total(f'{name}.darshan', 'STDIO_BYTES_WRITTEN', re.escape(path.name) + '$')} of {path.stat().st_size}" for path in folder.iterdir() if path.suffix in (".edr", ".trr", ".xtc", ".gro") and total(f"{name}.darshan", "STDIO_BYTES_WRITTEN", re.escape(path.name) + "$") != path.stat().st_size]
            check("GROMACS: bytes of its files", result.returncode == 0 and not wrong, wrong or f"{len(list(folder.iterdir()))} files")


def names(folder):
    """Names of all kinds come out as they are."""
    odd = ["a b", "tab\there", "new\nline", "ünï", "x" * 255, "%s%n", "-dash", "back\\slash"]
    deep = folder / "/".join(["d" * 200] * 15)
    script = "import os,sys\nfor n in sys.argv[1:]:\n  open(n,'wb').write(b'12345')\nopen(b'bad\\xff\\xfe','wb').write(b'123')\n"
    script += f"os.makedirs({str(deep)!r}); open({str(deep / 'deep')!r},'w').write('1234567')\n"
    result, name = record([sys.executable, "-c", script, *odd], folder, "--trace")
    log = show(f"{name}.darshan")
    seen = total(f"{name}.darshan", "POSIX_BYTES_WRITTEN")
    check("odd and long names", result.returncode == 0 and seen == 5 * len(odd) + 3 + 7, f"{seen} bytes in {log.get('files')} files; {log['problems'][:2]} {result.stderr.decode()[:200]}")


def mdtest():
    path = ior("ompi", "mdtest")
    if not path or not have("mpirun.openmpi"):
        return
    folder = fresh("mdtest")
    result, name = record([*OPEN_MPI, "-np", "4", path, "-n", "100", "-d", folder / "md", "-F", "-u"], folder, "--trace")
    ops = operations(f"{name}.mari")
    found = {op: ops[op] for op in ("stat", "open", "unlink", "close", "mkdir")}
    stats = total(f"{name}.darshan", "POSIX_STATS")
    check("mdtest -n 100, 4 ranks: 400 stats, creates, removals", ops["stat"] >= 400 and ops["stat"] - 400 < 40 and ops["open"] >= 800 and ops["unlink"] == 400, f"{found}, POSIX_STATS {stats}")


# 3. Platforms


def platforms():
    seen = {}
    for source, compilers in (("mpi_all.c", ("mpicc.openmpi", "mpicc.mpich")), ("mpi_plain.f90", ("mpif90.openmpi", "mpif90.mpich")), ("mpi_new.f90", ("mpif90.openmpi", "mpif90.mpich"))):
        for compiler, launcher in zip(compilers, (OPEN_MPI, MPICH)):
            if not have(compiler, launcher[0]):
                continue
            # The same calls with both: MPI 4 has some more.
            source_of_both = bins / source
            source_of_both.write_text((PROGS / source).read_text().replace("#if MPI_VERSION >= 4", "#if 0"))
            program = build(source_of_both, f"{source}.{compiler}", compiler=compiler)
            folder = fresh("mpi")
            plain = run([*launcher, "-np", "4", program, folder / "data"], folder)
            content = (folder / "data").read_bytes() if (folder / "data").exists() else b""
            folder = fresh("mpi")
            result, name = record([*launcher, "-np", "4", program, folder / "data"], folder)
            lines = [sorted(r.stdout.decode().splitlines()) for r in (plain, result)]
            again = (folder / "data").read_bytes() if (folder / "data").exists() else b""
            check(f"{source} with {compiler}: prints and writes the same", lines[0] == lines[1] and plain.returncode == result.returncode and content == again, f"status {result.returncode}, {len(again)} bytes")
            values = {}
            for (module, file), found in counters(f"{name}.darshan").items():
                if module == "MPI-IO":
                    values.update({(file, counter): value for counter, value in found.items() if not re.search(r"_F_|FASTEST|SLOWEST|MAX_(READ|WRITE)_TIME|ACCESS\d|HINTS", counter)})
            seen[source, launcher[0]] = values
        pair = [seen.get((source, launcher[0])) for launcher in (OPEN_MPI, MPICH)]
        if all(pair):
            differences = [f"{key[1]} of {key[0]}: {pair[0].get(key)} and {pair[1].get(key)}" for key in sorted(set(pair[0]) | set(pair[1])) if pair[0].get(key) != pair[1].get(key)]
            check(f"{source}: {len(pair[0])} MPI-IO counters alike", not differences, "; ".join(differences[:6]))


# 4. Hosts


def hosts():
    probe = run(["unshare", "--uts", "--time", "--fork", "--monotonic", "100", "true"], work)
    if probe.returncode:
        return skip(f"no right to simulate hosts: {probe.stderr.decode().strip()}")
    folder = fresh("hosts")
    script = "import os,sys,time\nr=int(os.environ['OMPI_COMM_WORLD_RANK'])\nfor i in range(3):\n  t=float(sys.argv[1])+i*0.4+r*0.2\n  time.sleep(max(0,t-time.time()))\n  f=open(f'{sys.argv[2]}/h{r}.{i}','wb',buffering=0); f.write(b'x'*1000); f.close()\n"
    begin = time.time() + 1.5
    started = []
    for rank, (host, offset) in enumerate((("hosta", 100000), ("hostb", 5000000))):
        inner = ["sh", "-c", f'hostname {host}; exec "$@"', "sh", str(MARIGRAPH), "record", "-o", folder / "run", "--parts", folder / host, "--", sys.executable, "-c", script, str(begin), folder]
        env = dict(ENV, OMPI_COMM_WORLD_RANK=str(rank), OMPI_COMM_WORLD_SIZE="2")
        started.append(subprocess.Popen(list(map(str, ["unshare", "--uts", "--time", "--fork", "--monotonic", offset, "--boottime", offset, *inner])), env=env, stderr=subprocess.PIPE))
    texts = [child.communicate()[1].decode() for child in started]
    check("two hosts leave parts", all(child.returncode == 0 for child in started) and not (folder / "run.darshan").exists(), texts)
    result = marigraph("merge", folder / "hosta", folder / "hostb", "-o", folder / "run", "--trace", "--json")
    summary = json.loads(result.stdout) if result.returncode == 0 else {}
    check("merge joins two hosts", summary.get("ranks") == 2 and summary.get("lost") == 0, result.stdout.strip() + result.stderr[:300])
    dxt = marigraph("show", "--dxt", folder / "run.darshan").stdout
    rows, host = [], None
    for line in dxt.splitlines():
        found = re.search(r"rank: (-?\d+), hostname: (\S*)", line)
        host = (int(found[1]), found[2]) if found else host
        found = re.match(r"\s*X_POSIX\s+(\d+)\s+write\s+\S+\s+\S+\s+\d+\s+([\d.]+)", line)
        if found:
            rows.append((float(found[2]), int(found[1])))
    found = set(re.findall(r"hostname: (\S+)", dxt))
    check("both hosts are in the log", found == {"hosta", "hostb"} or all(name in dxt for name in ("hosta", "hostb")), found)
    rows.sort()
    gaps = [b[0] - a[0] for a, b in zip(rows, rows[1:])]
    check("events in order of time across hosts", [rank for _, rank in rows] == [0, 1] * 3 and all(abs(gap - 0.2) < 0.05 for gap in gaps), rows)
    rank_alone(folder)


def rank_alone(folder):
    """RANK alone (torchrun) tells ranks apart too, but not that `record` was started once per rank."""
    for rank in range(2):
        result = run([MARIGRAPH, "record", "-o", folder / f"torch{rank}", "--parts", folder / "torch", "--", "cp", HERE / "in.lj", folder / f"torch.copy{rank}"], folder, env={"RANK": str(rank), "WORLD_SIZE": "2"})
    left = (folder / "torch").exists()
    print(f"note: with RANK alone each record {'leaves parts' if left else 'writes a log of its own'}")
    check("RANK and WORLD_SIZE alone: nothing is lost", left or all(total(folder / f"torch{rank}.darshan", "POSIX_BYTES_WRITTEN", "copy") > 0 for rank in range(2)))


# 5. Once per rank, and killed


def ranks():
    if not have("mpirun.openmpi", "mpicc.openmpi"):
        return
    program = build(PROGS / "mpi_all.c", "mpi_all.c.mpicc.openmpi", compiler="mpicc.openmpi")
    folder = fresh("ranks")
    result = run([*OPEN_MPI, "-np", "4", MARIGRAPH, "record", "-o", folder / "each", "--", program, folder / "data"], folder)
    parts = list((folder / "each.parts").glob("*.log")) if (folder / "each.parts").exists() else []
    check("mpirun marigraph record: parts stay", result.returncode == 0 and len(parts) >= 4 and not (folder / "each.darshan").exists(), f"{len(parts)} parts; {result.stderr.decode().strip()}")
    merged = marigraph("merge", folder / "each.parts", "-o", folder / "each", "--trace", "--json")
    summary = json.loads(merged.stdout) if merged.returncode == 0 else {}
    whole, name = record([*OPEN_MPI, "-np", "4", program, folder / "data"], folder)
    ours, theirs = ([dict(found) for (module, _), found in counters(log).items() if module == "MPI-IO"] for log in (folder / "each.darshan", f"{name}.darshan"))
    timed = re.compile(r"_F_|FASTEST|SLOWEST|MAX_(READ|WRITE)_TIME")
    clean = lambda found: [{k: v for k, v in one.items() if not timed.search(k)} for one in found]
    check("merge gives what one record gives", summary.get("ranks") == 4 and summary.get("lost") == 0 and clean(ours) == clean(theirs), f"{summary.get('ranks')} ranks, {summary.get('calls')} calls {merged.stderr[:200]}")
    result = run([*OPEN_MPI, "-np", "2", MARIGRAPH, "record", "-o", folder / "bad", "--", "sh", "-c", "exit 9"], folder)
    check("a rank's status reaches mpirun", result.returncode == 9, result.returncode)
    result = marigraph("merge", folder, "-o", folder / "none")
    check("merge of a folder without parts: 1", result.returncode == 1 and "no part" in result.stderr, result.returncode)
    result = marigraph("merge", folder / "not-there", "-o", folder / "none")
    check("merge of nothing: 1", result.returncode == 1, result.stderr.strip())
    kill(folder)


def kill(folder):
    rate = build(HERE / "record/rate.c", "rate")
    child = subprocess.Popen(list(map(str, [MARIGRAPH, "record", "-o", folder / "killed", "--", "sh", "-c", f"{rate} k1 60 2000 & {rate} k2 60 2000; wait"])), cwd=folder, env=ENV, start_new_session=True, stderr=subprocess.DEVNULL)
    time.sleep(1.5)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    check("all killed: no log, parts stay", not (folder / "killed.darshan").exists() and any((folder / "killed.parts").glob("*.live")))
    result = marigraph("merge", folder / "killed.parts", "-o", folder / "killed", "--trace", "--json")
    summary = json.loads(result.stdout) if result.returncode == 0 else {}
    writes = total(folder / "killed.darshan", "POSIX_WRITES", "/k[12]$")
    check("merge recovers the calls", 4000 < writes < 6400 and summary.get("lost") == 0 and "did not end normally" in result.stderr, f"{writes} writes, {result.stderr.strip()}")
    check("parts stay unless told", (folder / "killed.parts").exists())
    marigraph("merge", folder / "killed.parts", "-o", folder / "killed", "--remove")
    check("merge --remove", not (folder / "killed.parts").exists() and (folder / "killed.darshan").exists())
    # A signal to record goes to the program, and all is joined.
    child = subprocess.Popen(list(map(str, [MARIGRAPH, "record", "-o", folder / "term", "--", rate, "k3", "60", "1000"])), cwd=folder, env=ENV, stderr=subprocess.DEVNULL)
    time.sleep(0.7)
    child.terminate()
    status = child.wait(10)
    check("SIGTERM to record ends both, with a log", status == -15 and total(folder / "term.darshan", "POSIX_WRITES", "k3") > 300, f"status {status}")


# 6. Readers


def readers():
    folder = fresh("readers")
    program = None
    if have("mpicc.openmpi", "mpirun.openmpi"):
        program = build(PROGS / "mpi_all.c", "mpi_all.c.mpicc.openmpi", compiler="mpicc.openmpi")
    command = [*OPEN_MPI, "-np", "4", program, folder / "data"] if program else ["cp", HERE / "in.lj", folder / "copy"]
    _, name = record(command, folder, "--trace")
    log = pathlib.Path(f"{name}.darshan")
    for variable, flag, choices in (("DARSHAN_PARSER", "--darshan-parser", [[], ["--total"], ["--perf"], ["--file"]]), ("DARSHAN_DXT_PARSER", "--dxt", [[]])):
        tool = os.environ.get(variable) or shutil.which(variable.lower().replace("_", "-"))
        if not tool:
            skip(f"{variable} is not set")
            continue
        for choice in choices:
            theirs = subprocess.run([tool, "--show-incomplete", *choice, log], capture_output=True, env=dict(ENV, TZ="UTC"))
            ours = subprocess.run([MARIGRAPH, "show", flag, *choice, log], capture_output=True, env=dict(ENV, TZ="UTC"))
            check(f"{os.path.basename(tool)} {' '.join(choice)}".strip() + " prints what we print", theirs.returncode == 0 and theirs.stdout == ours.stdout, f"{len(theirs.stdout.splitlines())} lines {theirs.stderr.decode()[:200]}")
    python = next((p for p in (sys.executable, ROOT / ".venv/bin/python", PEERS / "venv/bin/python") if p and run([p, "-c", "import darshan"], work).returncode == 0), None)
    if not python:
        return skip("PyDarshan is not installed")
    script = """
import sys, warnings; warnings.filterwarnings("ignore")
import darshan
report = darshan.DarshanReport(sys.argv[1], read_all=True)
out = []
for module in report.modules:
    if module.startswith("DXT"):
        report.mod_read_all_dxt_records(module); out.append((module, len(report.records[module].to_df())))
    elif module == "HEATMAP":
        out.append((module, sorted(report.heatmaps)))
    else:
        out.append((module, len(report.records[module].to_df()["counters"])))
print(out)
"""
    result = run([python, "-c", script, log], work)
    text = result.stdout.decode()
    wanted = ["POSIX", "MPI-IO", "DXT_POSIX", "DXT_MPIIO", "HEATMAP"] if program else ["POSIX"]
    check("PyDarshan reads all modules", result.returncode == 0 and all(f"'{module}'" in text for module in wanted), text.strip() or result.stderr.decode()[-400:])
    result = run([python, "-m", "darshan", "summary", log, "--output", folder / "summary.html"], work)
    report = folder / "summary.html"
    check("PyDarshan's summary report", result.returncode == 0 and report.exists() and report.stat().st_size > 10000, f"{report.stat().st_size if report.exists() else 0} bytes {result.stderr.decode()[-300:] if result.returncode else ''}")
    drishti = next((p for p in (pathlib.Path(python).parent / "drishti", PEERS / "venv/bin/drishti") if p.exists()), None)
    if drishti:
        result = run([drishti, log], folder)
        check("Drishti", result.returncode == 0 and b"DARSHAN" in result.stdout.upper(), result.stderr.decode()[-300:] if result.returncode else f"{len(result.stdout.splitlines())} lines")
    else:
        skip("Drishti is not installed")


# 7. Speed


def cpu(command, cwd):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = run(command, cwd)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, result


def speed():
    folder = fresh("speed")
    script = "import os,sys\nf=os.open(sys.argv[1],os.O_CREAT|os.O_RDWR)\nfor i in range(int(sys.argv[2])):\n  os.pwrite(f,b'x',(i*7919)%1000003)\n"
    result = run([MARIGRAPH, "record", "-o", folder / "million", "--", sys.executable, "-c", script, folder / "data", "250000"], folder, env={"OMPI_COMM_WORLD_RANK": "0"})
    for rank in range(1, 4):
        run([MARIGRAPH, "record", "-o", folder / "million", "--", sys.executable, "-c", script, folder / "data", "250000"], folder, env={"OMPI_COMM_WORLD_RANK": str(rank)})
    # What the program itself takes for these calls, without being recorded, is the measure.
    plain = [4 * cpu([sys.executable, "-c", script, folder / "plain", "250000"], folder)[0] for _ in range(3)]
    # `make test` tries a build with checks for overflow, which folding a trace feels most.
    for flags, limit in (([], 0.5), (["--trace"], 1.25)):
        seconds = []
        for _ in range(5):
            used, result = cpu([MARIGRAPH, "merge", folder / "million.parts", "-o", folder / "million", *flags, "--json"], folder)
            seconds.append(used)
        summary = json.loads(result.stdout) if result.returncode == 0 else {}
        ratio = statistics.median(seconds) / statistics.median(plain)
        check(f"merge of 10^6 calls {' '.join(flags)}: less than {limit} of making them", summary.get("calls", 0) >= 1_000_000 and ratio < limit, f"{ratio:.2f} of it: {statistics.median(seconds):.2f} s of CPU ({min(seconds):.2f} to {max(seconds):.2f}, load {os.getloadavg()[0]:.1f}), {summary.get('calls')} calls")
    stream(folder)


def stream(folder):
    rate = build(HERE / "record/rate.c", "rate")
    seconds = 20 if LONG else 5
    ranks = 4
    command = ["sh", "-c", "".join(f"RANK={rank} {rate} {folder}/s{rank} {seconds} 1000 & " for rank in range(ranks)) + "wait"]
    quiet, shown = [], []
    for _ in range(5):
        quiet.append(cpu([MARIGRAPH, "record", "-o", folder / "quiet", "--", *command], folder)[0])
        shown.append(cpu([MARIGRAPH, "record", "-o", folder / "shown", "--stream", folder / "stream.jsonl", "--", *command], folder)[0])
    # The least of several: whatever else the machine does only adds to both.
    share = (min(shown) - min(quiet)) / seconds / ranks * 100
    spread = (max(quiet) - min(quiet)) / seconds / ranks * 100
    check(f"--stream of {ranks} ranks at 1000 calls/s: extra CPU", share < 1, f"{share:.2f} % of a core per rank; runs without it differ by {spread:.2f} %")
    lines = [json.loads(line) for line in (folder / "stream.jsonl").read_text().splitlines()]
    order = ["read_sync", "read_async_t", "read_async_b", "write_async_t", "write_async_b", "write_sync", "io_time"]
    keys = [list(line) for line in lines]
    flushes = len(lines) // 7
    check("the stream is TMIO's JSON Lines", all(len(key) == 1 for key in keys) and [key[0] for key in keys] == order * flushes and flushes >= seconds, f"{len(lines)} lines, {flushes} flushes")
    wanted = ranks * seconds * 1000 * 4096
    ops = volume = 0
    said = 0.0
    for line in lines:
        mode = line.get("write_sync")
        if mode:
            band = mode["bandwidth"]
            ops += mode["total_io_ops"]
            said += mode["total_bytes"]
            lengths = {len(band[key]) for key in ("b_rank_avr", "b_rank_sum", "t_rank_s", "t_rank_e") if key in band}
            if len(lengths) != 1:
                check("arrays of equal length", False, lengths)
            volume += sum(b * (e - s) for b, s, e in zip(band["b_rank_avr"], band["t_rank_s"], band["t_rank_e"]))
    # Each prints a line at its end.
    check("its calls add up", ops == ranks * (seconds * 1000 + 1), f"{ops} of {ranks * (seconds * 1000 + 1)}")
    check("its bytes add up", abs(said - wanted) <= wanted * 0.01 and abs(volume - wanted) <= wanted * 0.01, f"total_bytes {said:.4g}, rates x times {volume:.4g}, of {wanted}")


SECTIONS = [harm, edges, coverage, platforms, hosts, ranks, readers, speed]


def main():
    global work, bins
    if not MARIGRAPH.exists() or not (MARIGRAPH.parent / "libmarigraph_recorder.so").exists():
        print(f"FAILED: {MARIGRAPH} and its library are not built")
        return 1
    words = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="record-") as name:
        work = pathlib.Path(name)
        bins = fresh("bin")
        for section in SECTIONS:
            if words and section.__name__ not in words:
                continue
            begun = time.time()
            print(f"-- {section.__name__}", flush=True)
            try:
                section()
            except Exception as error:  # one section must not hide the others
                check(section.__name__, False, f"{type(error).__name__}: {error}")
            print(f"-- {section.__name__}: {time.time() - begun:.0f} s", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

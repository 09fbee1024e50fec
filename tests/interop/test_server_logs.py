"""What the programs of sysstat really print, read by our readers and once more here, in other ways.

`iostat` and `sadf` run on this machine, in several languages and with several options, while a file is written;
both readings of what they printed must agree. Needs sysstat (scripts/install.sh), and
`marigraph-bench` beside the program. Locales that are missing are made where that is possible, and skipped aloud where it is not.
"""
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HARNESS = pathlib.Path(os.environ.get("MARIGRAPH", ROOT / "target/release/marigraph")).with_name("marigraph-bench")
SADC = next((path for path in ("/usr/lib/sysstat/sadc", "/usr/lib64/sa/sadc") if os.path.exists(path)), None)
KB = 1024

passed = failed = 0


def check(name, condition, detail=""):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    text = "" if condition else f": {str(detail).strip()[:2000]}"
    print(f"{'ok' if condition else 'FAILED'}: {name}{text}", flush=True)


FOLDER = pathlib.Path(tempfile.mkdtemp())


def ours(content, zone="UTC"):
    path = FOLDER / "log"
    path.write_bytes(content)
    done = subprocess.run([HARNESS, "server_log", "throughput", str(path), zone], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def rates(read):
    """{(device, end): (read, write)} of what our reader gave."""
    return {
        (read["sources"][source].split(":")[-1], round(start + seconds)): (round(reads), round(writes))
        for source, start, seconds, reads, writes in read["readings"]
    }


def run(*command, **environment):
    """What a program prints while something is written."""
    target = FOLDER / "written"
    writer = subprocess.Popen(["dd", "if=/dev/zero", f"of={target}", "bs=1M", "count=60", "conv=fsync"], stderr=subprocess.DEVNULL)
    base = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG", "S_TIME"))}
    done = subprocess.run(command, capture_output=True, env={**base, "TZ": "UTC", **environment})
    writer.wait()
    target.unlink(missing_ok=True)
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


def counted(names):
    """Devices whose bytes count: no partitions of others, nothing that is built of others."""
    built = [name for name in names if name.startswith(("dm-", "md", "loop", "ram", "zram", "sr", "nbd"))]
    disks = [name for name in names if name not in built] or names
    return {name for name in disks if not any(name != disk and name.startswith(disk) and name[-1].isdigit() for disk in disks)}


def left_out(text):
    """What our reader must say where a device counts elsewhere: a loop device, once one was used on this machine."""
    names = {line.split()[-1] for line in text.splitlines() if line.split()} & set(os.listdir("/sys/block"))
    others = sorted(names - counted(names))
    few = ", ".join(others[:5]) + (", ..." if len(others) > 5 else "")
    return f"{len(others)} devices are left out: the disks below them count their bytes ({few})"


STAMPS = {
    "C": "%m/%d/%y %H:%M:%S",
    "en_US.UTF-8": "%m/%d/%Y %I:%M:%S %p",
    "de_DE.UTF-8": "%d.%m.%Y %H:%M:%S",
    "fr_FR.UTF-8": "%d/%m/%Y %H:%M:%S",
    "en_GB.UTF-8": "%d/%m/%y %H:%M:%S",
    "ja_JP.UTF-8": "%Y年%m月%d日 %H時%M分%S秒",
    "ISO": "%Y-%m-%dT%H:%M:%S%z",
}


def moment(text, language):
    found = datetime.datetime.strptime(text.strip(), STAMPS[language])
    return round((found if found.tzinfo else found.replace(tzinfo=datetime.timezone.utc)).timestamp())


def by_hand(text, language, read, write, unit=KB):
    """The reports of iostat by splitting at blanks, with columns counted from the heading."""
    reports, end, columns = [], None, None
    for line in text.splitlines():
        words = line.split()
        if not words:
            columns = None
        elif read in words or write in words:
            columns = words
        elif columns:
            values = dict(zip(columns, words))
            number = lambda key: float(values[key].replace(",", ".")) * unit
            reports[-1][1][values.get("Device") or words[0]] = (round(number(read)), round(number(write)))
        else:
            try:
                end = moment(line, language)
                reports.append((end, {}))
            except ValueError:
                pass
    # The first is of the time since the machine was started.
    return {
        (device, end): values
        for end, devices in reports[1:]
        for device, values in devices.items()
        if device in counted(list(devices))
    }


def locales():
    """Languages that iostat can print in here."""
    have = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.split()
    for name in STAMPS:
        known = {one.lower().replace("-", "") for one in have}
        if name in ("C", "ISO") or name.lower().replace("-", "") in known:
            yield name
            continue
        language, coding = name.split(".")
        made = shutil.which("localedef") and subprocess.run(
            ["localedef", "-i", language, "-f", coding, name], capture_output=True
        ).returncode in (0, 1)
        if made and name.lower().replace("-", "") in subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.lower().replace("-", ""):
            yield name
        else:
            print(f"SKIPPED: {name}: this machine has no such locale and cannot make one")


def test_iostat_text():
    for language in locales():
        environment = {"S_TIME_FORMAT": "ISO"} if language == "ISO" else {"LC_ALL": language}
        content = run("iostat", "-x", "-t", "1", "3", **environment)
        expected = by_hand(content.decode(), language, "rkB/s", "wkB/s")
        found = ours(content)
        check(f"iostat -x -t in {language}", expected and rates(found) == expected, (found, expected, content))
        check(f"its length in {language}", all(0.5 < one[2] < 3 for one in found["readings"]), found)
    forms = {
        ("-d", "-t"): ("kB_read/s", "kB_wrtn/s", KB),
        ("-d", "-m", "-t"): ("MB_read/s", "MB_wrtn/s", KB * KB),
        ("-x", "-m", "-t"): ("rMB/s", "wMB/s", KB * KB),
        ("-x", "-t", "-p", "ALL"): ("rkB/s", "wkB/s", KB),
    }
    for options, (read, write, unit) in forms.items():
        content = run("iostat", *options, "1", "3", LC_ALL="C")
        expected = by_hand(content.decode(), "C", read, write, unit)
        found = ours(content)
        check(f"iostat {' '.join(options)}", expected and rates(found) == expected, (found, expected, content))
    disks = sorted({device for device, _ in rates(ours(run("iostat", "-d", "-t", "1", "2", LC_ALL="C")))})
    content = run("iostat", "-d", "-t", "-g", "ALL", *disks, "1", "3", LC_ALL="C")
    named = {device for device, _ in rates(ours(content))}
    check("iostat -g counts devices, not their group", named == set(disks), (named, content))
    content = run("iostat", "-d", "-t", "-H", "-g", "ALL", *disks, "1", "3", LC_ALL="C")
    named = {device for device, _ in rates(ours(content))}
    check("iostat -H -g counts the group", named == {"ALL"}, (named, content))
    for options in (("-x", "-h", "-t"), ("-d", "-h", "-t")):
        content = run("iostat", *options, "1", "3", LC_ALL="C")
        found = ours(content)
        told = [problem for problem in found["problems"] if problem[2] != left_out(content.decode())]
        check(f"iostat {' '.join(options)} is read", len(found.get("readings", [])) >= 2 and not told, (told, found))


def test_zone():
    content = run("iostat", "-x", "-t", "1", "2", LC_ALL="C", TZ="America/New_York")
    away = rates(ours(content, "America/New_York"))
    iso = run("date", "+%s")
    check("local times", away and all(abs(end - int(iso)) < 60 for _, end in away), (away, iso))


def test_iostat_json():
    for environment, language in (({"S_TIME_FORMAT": "ISO"}, "ISO"), ({"LC_ALL": "C"}, "C")):
        for options in (["-x"], ["-d"], []):
            content = run("iostat", *options, "-t", "-o", "JSON", "1", "3", **environment)
            reports = json.loads(content)["sysstat"]["hosts"][0]["statistics"]
            expected = {}
            for report in reports[1:]:
                end, disks = moment(report["timestamp"], language), report["disk"]
                for disk in disks:
                    if disk["disk_device"] in counted([one["disk_device"] for one in disks]):
                        pick = lambda *keys: next(disk[key] for key in keys if key in disk) * KB
                        value = round(pick("rkB/s", "kB_read/s")), round(pick("wkB/s", "kB_wrtn/s"))
                        expected[disk["disk_device"], end] = value
            found = ours(content)
            check(f"iostat {' '.join(options)} -o JSON, {language}", expected and rates(found) == expected, (found, expected))
            cut = ours(content[: content.rindex(b'"timestamp"')])
            fewer = {key: value for key, value in expected.items() if key[1] != max(end for _, end in expected)}
            told = [problem for problem in cut["problems"] if problem[0] == "truncated"]
            check(f"the same cut off ({' '.join(options)}, {language})", rates(cut) == fewer and told, cut)


def test_sadf():
    if not SADC:
        print("SKIPPED: sadc is not where it usually is")
        return
    data = FOLDER / "sa"
    run(SADC, "-S", "DISK", "1", "4", str(data), LC_ALL="C")
    tree = json.loads(run("sadf", "-j", str(data), "--", "-d"))["sysstat"]["hosts"][0]["statistics"]
    expected = {}
    for report in tree:
        stamp = report["timestamp"]
        end = moment(f"{stamp['date']}T{stamp['time']}+0000", "ISO")
        for disk in report["disk"]:
            if disk["disk-device"] in counted([one["disk-device"] for one in report["disk"]]):
                expected[disk["disk-device"], end] = (round(disk["rkB"] * KB), round(disk["wkB"] * KB))
    for options in (["-j"], ["-d"], ["-d", "-U"], ["-d", "-T"], ["-d", "-h"]):
        found = ours(run("sadf", *options, str(data), "--", "-d", LC_ALL="C"))
        check(f"sadf {' '.join(options)}", expected and rates(found) == expected, (found, expected))
        check(f"its lengths, sadf {' '.join(options)}", all(one[2] in (1, 2) for one in found["readings"]), found)
    refused = ours(run("sadf", "-d", str(data)))
    check("sadf -d of processors is refused with a hint", "sadf -d FILE -- -d" in refused.get("hint", ""), refused)
    refused = ours(run("sar", "-d", "-f", str(data), LC_ALL="C"))
    check("sar -d is refused with a hint", "sadf -d FILE -- -d" in refused.get("hint", ""), refused)


if __name__ == "__main__":
    if not shutil.which("iostat") or not shutil.which("sadf"):
        sys.exit("sysstat is missing: run scripts/install.sh")
    test_iostat_text()
    test_zone()
    test_iostat_json()
    test_sadf()
    shutil.rmtree(FOLDER)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)

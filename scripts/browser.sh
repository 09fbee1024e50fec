#!/usr/bin/env bash
# Open report pages in a real browser: a made-up job, and real logs of different contents.
source "$(dirname "$0")/common.sh"

[ -f tests/browser/page.test.mjs ] || skip "there is no tests/browser/page.test.mjs"
need_program
for name in chromium chromium-browser google-chrome; do
    if [ -z "${CHROMIUM:-}" ] && have "$name"; then CHROMIUM=$(command -v "$name"); fi
done
[ -n "${CHROMIUM:-}" ] || fail "no browser found: install chromium, or set CHROMIUM to its path"
export CHROMIUM

pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT

check_page() { # check_page LOG
    local name=${1##*/}
    local page=$pages/$name.html
    echo "$name"
    "$MARIGRAPH" report "$1" -o "$page"
    node tests/browser/page.test.mjs "$page" || fail "the page of $1 failed"
}

check_period() { # check_period LOG: its picture, and its page
    for form in svg html; do
        local picture=$pages/${1##*/}.period.$form
        echo "${picture##*/}"
        "$MARIGRAPH" period --plot "$picture" "$1" >"$pages/period.txt"
        node tests/browser/page.test.mjs "$picture" || fail "the picture of $1 failed"
    done
}

"$MARIGRAPH" synth job --seed 1 -o "$pages/job.darshan"
check_page "$pages/job.darshan"
export PAGE_ONLY=1
check_period "$pages/job.darshan"
echo "a corpus"
"$MARIGRAPH" synth corpus --logs 300 --seed 1 --quiet -o "$pages/corpus"
"$MARIGRAPH" categorize "$pages/corpus" --into "$pages/categories" --quiet >"$pages/categories.txt"
node tests/browser/page.test.mjs "$pages/categories/report.html" || fail "the page of a corpus failed"
echo "a system"
"$MARIGRAPH" synth system --jobs 1500 --days 10 --seed 1 --quiet -o "$pages/system"
"$MARIGRAPH" ingest "$pages"/system/{logs,jobs.txt,devices,january.snap,march.snap} --into "$pages/study" --quiet
"$MARIGRAPH" study "$pages/study" --annotations "$pages/system/annotations.csv" -o "$pages/study.html"
node tests/browser/page.test.mjs "$pages/study.html" || fail "the page of a system failed"
# A period that changes; a hundred of them and more.
for kind in regimes bursts; do
    "$MARIGRAPH" synth trace --kind $kind --seed 3 -o "$pages/$kind.csv"
    check_period "$pages/$kind.csv"
done

data=${MARIGRAPH_DATA:-../shared/data}
if [ ! -d "$data/darshan" ]; then
    echo "no real logs at $data (set MARIGRAPH_DATA): only the made-up job was checked"
    exit
fi
# Counters only; traced operations; a heat map only; cut short; nothing at all; the oldest format.
for log in \
    mpi-io-test.darshan \
    hdf5_diagonal_write_bytes_range_dxt.darshan \
    e3sm_io_heatmap_only.darshan \
    partial_data_stdio.darshan \
    empty_log.darshan \
    ../darshan2/carns_mpi-io-test-ppc32-1.1.1_id178062_12-31-64874_1.darshan.gz; do
    if [ -f "$data/darshan/$log" ]; then check_page "$data/darshan/$log"; fi
done

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

# WIDGETS is what a page must have: without it a page that lost a widget would pass.
check_page() { # check_page LOG [WIDGET...]
    local name=${1##*/}
    export WIDGETS=${*:2}
    local page=$pages/$name.html
    echo "$name"
    "$MARIGRAPH" report "$1" -o "$page"
    node tests/browser/page.test.mjs "$page" || fail "the page of $1 failed"
}

check_period() { # check_period LOG: its picture, and its page
    export WIDGETS=periods
    for form in svg html; do
        local picture=$pages/${1##*/}.period.$form
        echo "${picture##*/}"
        "$MARIGRAPH" period --plot "$picture" "$1" >"$pages/period.txt"
        node tests/browser/page.test.mjs "$picture" || fail "the picture of $1 failed"
    done
}

"$MARIGRAPH" synth job --seed 1 -o "$pages/job.darshan"
check_page "$pages/job.darshan" timeline heatmap files periods
export PAGE_ONLY=1
check_period "$pages/job.darshan"
echo "a corpus"
"$MARIGRAPH" synth corpus --logs 300 --seed 1 --quiet -o "$pages/corpus"
"$MARIGRAPH" categorize "$pages/corpus" --into "$pages/categories" --quiet >"$pages/categories.txt"
WIDGETS=labels node tests/browser/page.test.mjs "$pages/categories/report.html" || fail "the page of a corpus failed"
echo "a system"
"$MARIGRAPH" synth system --jobs 1500 --days 10 --seed 1 --quiet -o "$pages/system"
"$MARIGRAPH" ingest "$pages"/system/{logs,jobs.txt,devices,january.snap,march.snap} --into "$pages/study" --quiet
"$MARIGRAPH" study "$pages/study" --annotations "$pages/system/annotations.csv" -o "$pages/study.html"
WIDGETS=study node tests/browser/page.test.mjs "$pages/study.html" || fail "the page of a system failed"
echo "signatures"
"$MARIGRAPH" synth server --seed 1 --days 2 --runs 6 -o "$pages/server" >"$pages/server.txt"
"$MARIGRAPH" signature --quiet --jobs "$pages/server/jobs.sacct" --throughput "$pages/server/throughput.csv" \
    --plot "$pages/signature.html" >"$pages/signature.txt"
WIDGETS=signatures node tests/browser/page.test.mjs "$pages/signature.html" || fail "the page of a signature failed"
# A period that changes; a hundred of them and more.
for kind in regimes bursts; do
    "$MARIGRAPH" synth trace --kind $kind --seed 3 -o "$pages/$kind.csv"
    check_period "$pages/$kind.csv"
done

data=${MARIGRAPH_DATA:-../shared/data}
if [ ! -d "$data/darshan" ]; then
    echo "SKIPPED: no real logs at $data (set MARIGRAPH_DATA): only what was made up was checked (6 checks)" | tee -a "$NOT_COMPARED"
    exit
fi
# Counters only; traced operations; a heat map only; cut short; nothing at all; the oldest format.
while read -r log widgets; do
    # shellcheck disable=SC2086
    if [ -f "$data/darshan/$log" ]; then check_page "$data/darshan/$log" $widgets </dev/null; fi
done <<'LOGS'
mpi-io-test.darshan timeline files
hdf5_diagonal_write_bytes_range_dxt.darshan timeline heatmap files periods
e3sm_io_heatmap_only.darshan timeline heatmap files periods
partial_data_stdio.darshan timeline files
empty_log.darshan
../darshan2/carns_mpi-io-test-ppc32-1.1.1_id178062_12-31-64874_1.darshan.gz timeline files
LOGS

#!/usr/bin/env bash
# Draw the pictures of the README: a job's page from the demo, a system report from synthetic data.
source "$(dirname "$0")/common.sh"

need_program
for name in chromium chromium-browser google-chrome; do
    if [ -z "${CHROMIUM:-}" ] && have "$name"; then CHROMIUM=$(command -v "$name"); fi
done
[ -n "${CHROMIUM:-}" ] || fail "no browser found: install chromium, or set CHROMIUM to its path"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# picture PAGE SECTION NAME SIZE: the figures of the overview and one section, as docs/images/NAME.png.
# The other facts of the overview name folders of this machine.
picture() {
    cp "$1" "$work/$3.html"
    cat >>"$work/$3.html" <<STYLE
<style>section:not(#overview, #$2), #overview > :not(h2, .cards) { display: none }</style>
STYLE
    "$CHROMIUM" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/$3" \
        --virtual-time-budget=5000 --window-size="$4" --screenshot="$PWD/docs/images/$3.png" \
        "file://$work/$3.html" 2>"$work/chromium.txt" || fail "no picture: $(cat "$work/chromium.txt")"
    ls -l "docs/images/$3.png"
}

mkdir -p docs/images
scripts/demo.sh >"$work/demo.txt"
picture demo-out/job.html timeline job 1100,740

"$MARIGRAPH" synth system --jobs 1500 --days 10 --seed 1 --quiet -o "$work/system"
"$MARIGRAPH" ingest "$work"/system/{logs,jobs.txt,devices,january.snap,march.snap} --into "$work/study" --quiet
"$MARIGRAPH" study "$work/study" --annotations "$work/system/annotations.csv" -o "$work/study.html"
picture "$work/study.html" fig-2 system 1100,770
